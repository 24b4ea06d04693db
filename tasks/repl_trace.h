// The shell game as a Python session: values are assigned to names, commands permute them, prints
// reveal one variable at a time.
//
//   >>> a = 3                       5 tokens, one for each variable
//   >>> b, c = c, b                 9 tokens  (kSwaps, kAdjacentSwaps)
//   >>> a, c, b = c, b, a          13 tokens  (kThreePoints)
//   >>> a, b, c, d, e = d, a, e, c, b      4n + 1 tokens  (kPermutations)
//   >>> print('b', b)              10 tokens with its output line
//   b 1
//
// Format: "Learning State-Tracking from Code Using Linear RNNs" (arXiv 2602.14814), figure 2.
// Drawn uniformly: a swap is an ordered pair of different names (kAdjacentSwaps: of neighbours), so
// never the identity. A three-point command names three different variables in any order (both,
// when there are two) and puts them on the right in any order; a full permutation names all in
// alphabetical order on the left. These two may be the identity. Every command of a setting has the
// same number of tokens, so every trace of a length has too.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/permutation.h"
#include "tasks/repl_vocabulary.h"
#include "tasks/task.h"

namespace lab::tasks {

/// Which variable a print reveals. None depends on the values, so a filter that conditions on what
/// was shown is the true posterior.
enum class RevealPolicy {
    kUniform,     ///< each alike, independently
    kRoundRobin,  ///< a, b, c, ..., a: print number k shows variable k mod n
    kFixed,       ///< always ReplSettings::fixedVariable
};

struct ReplSettings {
    int variables = 3;  ///< 2..8
    Generators commands = Generators::kSwaps;
    RevealPolicy reveal = RevealPolicy::kUniform;
    int fixedVariable = 0;       ///< for kFixed, from 0
    bool firstPrint = false;     ///< one print before the first command
    bool distinctValues = true;  ///< values are a permutation of 1..n; else each is drawn alone
    bool operator==(const ReplSettings&) const = default;
};

/// Plain next-token prediction: inputs and outputs are the tokens of one vocabulary.
class ReplTask : public Task {
public:
    explicit ReplTask(ReplSettings settings);

    [[nodiscard]] const ReplSettings& settings() const noexcept { return m_settings; }
    [[nodiscard]] const ReplVocabulary& vocabulary() const noexcept { return m_vocabulary; }

    [[nodiscard]] int inputCount() const override { return m_vocabulary.size(); }
    [[nodiscard]] int outputCount() const override { return m_vocabulary.size(); }
    [[nodiscard]] std::string_view tokenText(int token) const override;
    [[nodiscard]] int tokensIn(Length length) const override;
    [[nodiscard]] int revealsIn(Length length) const override;
    [[nodiscard]] Trace sample(Rng& rng, Length length) const override;
    /// Exactly what the interpreter shows. Any tokens can be written, also those of a model.
    [[nodiscard]] std::string text(const Trace& trace) const override;
    [[nodiscard]] double chance() const override;

private:
    ReplSettings m_settings;
    ReplVocabulary m_vocabulary;
};

/// The text of `tokens` with the spaces that Python's style and output have between them.
[[nodiscard]] std::string replText(const ReplVocabulary& vocabulary, std::span<const int> tokens);

/// Targets, kinds and reveal numbers for the tokens of a session in which every name that follows a
/// line end begins an output line.
[[nodiscard]] Trace traceOf(const ReplVocabulary& vocabulary, std::vector<int> tokens);

}  // namespace lab::tasks
