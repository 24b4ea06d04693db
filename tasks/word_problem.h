// The word problem of a group: read one element after the other, say the product so far.
//
// Source: Merrill, Petty, Sabharwal, "The Illusion of State in State-Space Models" (arXiv
// 2404.08819), section 6; generating sets after Grazzi et al. (arXiv 2411.12537), section 5.
#pragma once

#include <string>
#include <vector>

#include "tasks/group.h"
#include "tasks/permutation.h"
#include "tasks/task.h"

namespace lab::tasks {

struct WordProblemSettings {
    std::string group = "S3";  ///< see group.h
    /// For S_n: what is drawn, the identity among it. Every other group draws from all its
    /// elements.
    Generators generators = Generators::kPermutations;
    bool operator==(const WordProblemSettings&) const = default;
};

/// Input t is a uniformly drawn token; its target is the product of the inputs 0..t, an element of
/// the whole group, of kind kOutput and reveal number t. Length::spacing is ignored.
class WordProblem : public Task {
public:
    /// Requires Group::problemWith(settings.group) to be empty.
    explicit WordProblem(const WordProblemSettings& settings);

    [[nodiscard]] const Group& group() const noexcept { return m_group; }
    /// The element that an input token stands for.
    [[nodiscard]] int elementOf(int token) const {
        return m_elements.at(static_cast<std::size_t>(token));
    }

    [[nodiscard]] int inputCount() const override { return static_cast<int>(m_elements.size()); }
    [[nodiscard]] int outputCount() const override { return m_group.order(); }
    [[nodiscard]] std::string_view tokenText(int token) const override;
    [[nodiscard]] int tokensIn(Length length) const override { return length.commands; }
    [[nodiscard]] int revealsIn(Length length) const override { return length.commands; }
    [[nodiscard]] Trace sample(Rng& rng, Length length) const override;
    /// The elements in a row: "213 132 123".
    [[nodiscard]] std::string text(const Trace& trace) const override;
    /// One in |G|. The product of many draws is that close to uniform because the identity is among
    /// the generators; the first products of a small generating set are easier to guess.
    [[nodiscard]] double chance() const override;

private:
    Group m_group;
    std::vector<int> m_elements;  // of every input token
    std::vector<std::string> m_texts;
};

}  // namespace lab::tasks
