#include "tasks/worst_move_search.h"

#include <utility>

namespace lab::tasks {
namespace {

class Search {
public:
    explicit Search(const SearchOptions& options) : m_options(options) {}

    SearchResult run(const SearchState& start) {
        m_best.score = start.score();
        m_best.finished = descend(start);
        return std::move(m_best);
    }

private:
    /// False when stopped.
    bool descend(const SearchState& state) {
        if (static_cast<int>(m_line.size()) == m_options.depth) {
            return true;
        }
        for (int move = 0; move < state.moves(); ++move) {
            if (m_options.stop && m_options.stop()) {
                return false;
            }
            const auto next = state.after(move);
            if (!next) {
                continue;
            }
            ++m_best.nodes;
            m_line.push_back(move);
            const double score = next->score();
            const bool shorter = score == m_best.score && m_line.size() < m_best.line.size();
            if (score < m_best.score || shorter) {
                m_best.score = score;
                m_best.line = m_line;
            }
            const bool finished = descend(*next);
            m_line.pop_back();
            if (!finished) {
                return false;
            }
        }
        return true;
    }

    const SearchOptions& m_options;
    SearchResult m_best;
    std::vector<int> m_line;
};

class Starving final : public SearchState {
public:
    Starving(std::shared_ptr<const CupSteps> steps, std::unique_ptr<CupTracker> tracker,
             BeliefFilter<double> exact)
        : m_steps(std::move(steps)), m_tracker(std::move(tracker)), m_exact(std::move(exact)) {}

    [[nodiscard]] int moves() const override { return m_steps->size(); }
    [[nodiscard]] std::unique_ptr<SearchState> after(int move) const override {
        const CupStep& step = m_steps->steps[static_cast<std::size_t>(move)];
        BeliefFilter<double> exact = m_exact;
        if (std::holds_alternative<Contradiction>(take(exact, *m_steps, step))) {
            return nullptr;
        }
        auto tracker = m_tracker->clone();
        tracker->take(step);
        return std::make_unique<Starving>(m_steps, std::move(tracker), std::move(exact));
    }
    [[nodiscard]] double score() const override { return m_tracker->starvedMass(); }

private:
    std::shared_ptr<const CupSteps> m_steps;
    std::unique_ptr<CupTracker> m_tracker;
    BeliefFilter<double> m_exact;
};

}  // namespace

SearchResult worstLine(const SearchState& start, const SearchOptions& options) {
    return Search(options).run(start);
}

CupSteps candidateMoves(int cups, const Fraction& probability) {
    BeliefScript script;
    script.cups = cups;
    script.start = Permutation(cups);
    for (int first = 0; first < cups; ++first) {
        for (int second = first + 1; second < cups; ++second) {
            script.blocks.push_back({MixPair{first, second, probability}});
        }
    }
    for (int position = 0; position < cups; ++position) {
        for (int element = 0; element < cups; ++element) {
            script.blocks.push_back({RevealOne{position, element}});
        }
    }
    Rng unused(0);
    return unrolled(script, unused);
}

std::unique_ptr<SearchState> starving(std::shared_ptr<const CupSteps> moves,
                                      std::unique_ptr<CupTracker> tracker) {
    auto exact = filterFor<double>(*moves);
    return std::make_unique<Starving>(std::move(moves), std::move(tracker), std::move(exact));
}

}  // namespace lab::tasks
