#include "tasks/belief_patterns.h"

#include <algorithm>

namespace lab::tasks {
namespace {

Block repeated(int times, std::vector<Block> body) {
    return {Repeat{times, std::move(body)}};
}

Permutation rotation(const std::array<int, 3>& images) {
    return Permutation::from(images).value_or(Permutation(3));
}

/// The identity and one rotation, half each: C[1]=2, C[2]=3, C[3]=1.
Block halfRotation() {
    return {MixMoves{{{Fraction(1, 2), Permutation(3)}, {Fraction(1, 2), rotation({1, 2, 0})}}}};
}

Block rotationByThirds() {
    return {MixMoves{{{Fraction(1, 3), Permutation(3)},
                      {Fraction(1, 3), rotation({1, 2, 0})},
                      {Fraction(1, 3), rotation({2, 0, 1})}}}};
}

std::vector<Block> blocksOf(std::string_view key, const PatternOptions& options) {
    const Block mix{MixPair{1, 2, options.probability}};
    const Block seeFirst{RevealOne{0, 0}};
    if (key == "adversary") {
        return {repeated(options.cycles, {mix, {RevealOne{1, 1}}})};
    }
    if (key == "find-element") {
        return {repeated(options.cycles, {mix, {Find{1}}})};
    }
    if (key == "random-outcome") {
        return {repeated(options.cycles, {mix, {Look{1}}})};
    }
    if (key == "uniform-shuffle") {
        return {repeated(options.cycles, {{MixUniform{}}, seeFirst})};
    }
    if (key == "slow-sinkhorn") {
        return {halfRotation(), seeFirst};
    }
    if (key == "correlated") {
        return {rotationByThirds(), seeFirst};
    }
    if (key == "partial-round") {
        return {mix, seeFirst, {RevealOne{1, 1}}};
    }
    if (key == "contradiction") {
        return {{Wait{1}}, {RevealOne{0, 1}}};
    }
    return {repeated(options.cycles, {{MixRandomPair{options.probability}}, {Look{}}})};
}

}  // namespace

std::optional<BeliefScript> patternNamed(std::string_view key, const PatternOptions& options) {
    const auto* const found = std::find_if(kPatterns.begin(), kPatterns.end(),
                                           [key](const auto& one) { return one.key == key; });
    if (found == kPatterns.end()) {
        return std::nullopt;
    }
    const bool anyCups = key == "typical" || key == "uniform-shuffle";
    BeliefScript script;
    script.cups = anyCups ? options.cups : 3;
    script.start = Permutation(script.cups);
    script.blocks = blocksOf(key, options);
    return script;
}

Automaton<Fraction> absorbingChain() {
    const Fraction half(1, 2);
    Automaton<Fraction> chain;
    chain.states = {"1", "2", "3"};
    chain.start = {0, half, half};
    chain.symbols.push_back({"fall", {}, {1, 0, 0, half, half, 0, half, 0, half}});
    chain.symbols.push_back({"reveal", {false, true, true}, {}});
    return chain;
}

}  // namespace lab::tasks
