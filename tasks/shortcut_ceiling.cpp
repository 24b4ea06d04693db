#include "tasks/shortcut_ceiling.h"

#include <algorithm>
#include <cassert>

namespace lab::tasks {

std::vector<double> distinctItems(int items, int draws) {
    assert(items >= 1 && draws >= 0);
    const auto n = static_cast<std::size_t>(items);
    std::vector<double> probability(n + 1);
    probability[0] = 1;
    for (int draw = 0; draw < draws; ++draw) {
        for (std::size_t k = n; k > 0; --k) {  // downwards: each reads the values before this draw
            const double seen = static_cast<double>(k) / items;
            const double fresh = 1 - static_cast<double>(k - 1) / items;
            probability[k] = probability[k] * seen + probability[k - 1] * fresh;
        }
        probability[0] = 0;  // the first draw always shows something
    }
    return probability;
}

double shortcutCeiling(int items, int reveals) {
    const std::vector<double> probability = distinctItems(items, reveals);
    double accuracy = 0;
    for (std::size_t k = 0; k < probability.size(); ++k) {
        accuracy += probability[k] * std::min(1.0, static_cast<double>(k + 1) / items);
    }
    return accuracy;
}

double shortcutCeilingAtSpacing(int items, int commandsBack, int spacing) {
    assert(spacing >= 1 && commandsBack >= 0);
    return shortcutCeiling(items, commandsBack / spacing);
}

}  // namespace lab::tasks
