#include "tasks/word_problem.h"

#include <cassert>
#include <numeric>

namespace lab::tasks {
namespace {

Group groupNamed(const std::string& name) {
    auto group = Group::named(name);
    assert(group);
    return std::move(*group);
}

std::vector<int> inputElements(const Group& group, Generators generators) {
    std::vector<int> elements;
    if (const int points = group.symmetricPoints(); points > 0) {
        for (const Permutation& p : generatingSet(points, generators)) {
            elements.push_back(p.rank());
        }
    } else {
        elements.resize(static_cast<std::size_t>(group.order()));
        std::iota(elements.begin(), elements.end(), 0);
    }
    return elements;
}

}  // namespace

WordProblem::WordProblem(const WordProblemSettings& settings)
    : m_group(groupNamed(settings.group)), m_elements(inputElements(m_group, settings.generators)) {
    for (const int element : m_elements) {
        m_texts.push_back(m_group.elementName(element));
    }
}

std::string_view WordProblem::tokenText(int token) const {
    return m_texts.at(static_cast<std::size_t>(token));
}

Trace WordProblem::sample(Rng& rng, Length length) const {
    Trace trace;
    int product = 0;
    for (int t = 0; t < length.commands; ++t) {
        const int token = rng.below(inputCount());
        product = m_group.multiply(product, elementOf(token));
        trace.tokens.push_back(token);
        trace.targets.push_back(product);
        trace.targetKinds.push_back(TokenKind::kOutput);
        trace.reveals.push_back(t);
    }
    return trace;
}

std::string WordProblem::text(const Trace& trace) const {
    std::string result;
    for (const int token : trace.tokens) {
        result += result.empty() ? "" : " ";
        result += tokenText(token);
    }
    return result;
}

double WordProblem::chance() const {
    return 1.0 / m_group.order();
}

}  // namespace lab::tasks
