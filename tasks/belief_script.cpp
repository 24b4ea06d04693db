#include "tasks/belief_script.h"

#include <algorithm>

namespace lab::tasks {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::int64_t stepsOf(const std::vector<Block>& blocks) {
    std::int64_t steps = 0;
    for (const Block& block : blocks) {
        if (const auto* wait = std::get_if<Wait>(&block.what)) {
            steps += wait->steps;
        } else if (const auto* repeat = std::get_if<Repeat>(&block.what)) {
            steps += repeat->times * stepsOf(repeat->body);  // both below 2^24
        } else {
            ++steps;
        }
        steps = std::min(steps, kMostScriptSteps + 1);
    }
    return steps;
}

std::string number(int fromZero) {
    return std::to_string(fromZero + 1);
}

std::string termsOf(const MixMoves& mix) {
    std::string text;
    for (const MixTerm& term : mix.terms) {
        text += (text.empty() ? "" : ", ") + textOf(term.probability) + " " + term.move.text();
    }
    return text;
}

void write(std::string& text, const std::vector<Block>& blocks, std::size_t depth) {
    for (const Block& block : blocks) {
        text.append(4 * depth, ' ');
        text += std::visit(
            Overloaded{
                [](const Wait& wait) { return "wait " + std::to_string(wait.steps); },
                [](const MixPair& mix) {
                    return "mix " + number(mix.first) + " " + number(mix.second) + " with " +
                           textOf(mix.probability);
                },
                [](const MixMoves& mix) { return "mix " + termsOf(mix); },
                [](const MixUniform&) { return std::string("mix uniform"); },
                [](const MixRandomPair& mix) {
                    return "mix random pair with " + textOf(mix.probability);
                },
                [](const RevealOne& reveal) {
                    return "reveal " + number(reveal.position) + " = " + number(reveal.element);
                },
                [](const RevealAll& reveal) { return "reveal all = " + reveal.arrangement.text(); },
                [](const Look& look) {
                    return "look " + (look.position ? number(*look.position) : "random");
                },
                [](const LookAll&) { return std::string("look all"); },
                [](const Find& find) { return "find " + number(find.element); },
                [](const Repeat& repeat) { return "repeat " + std::to_string(repeat.times); },
            },
            block.what);
        text += '\n';
        if (const auto* repeat = std::get_if<Repeat>(&block.what)) {
            write(text, repeat->body, depth + 1);
            text.append(4 * depth, ' ');
            text += "end\n";
        }
    }
}

}  // namespace

bool Repeat::operator==(const Repeat& other) const {
    return times == other.times && body == other.body;
}

std::int64_t stepsOf(const BeliefScript& script) {
    return stepsOf(script.blocks);
}

std::string textOf(const BeliefScript& script) {
    std::string text = "cups " + std::to_string(script.cups) + "\n";
    if (!script.start) {
        text += "start uniform\n";
    } else if (*script.start != Permutation(script.cups)) {
        text += "start " + script.start->text() + "\n";
    }
    if (script.convention == Convention::kElements) {
        text += "convention elements\n";
    }
    write(text, script.blocks, 0);
    return text;
}

}  // namespace lab::tasks
