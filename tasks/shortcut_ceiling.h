// How well a model scores on a REPL trace without tracking anything, so that an accuracy can be
// read: the lines to draw beside every accuracy curve.
//
// A model that has forgotten all but the last R reveals, but can compose the commands between them,
// knows the K items that those reveals showed. A uniformly chosen print shows one of them with
// probability K/n; otherwise it guesses among the n - K others:
//   A(n, R) = E[min(1, (K_R + 1) / n)],   K_R = distinct items in R uniform draws.
// For distinct values, full permutations and uniform prints; Monte Carlo for swaps agrees within a
// few thousandths. K_R is the occupancy distribution, built up draw by draw: exact but for
// rounding.
#pragma once

#include <vector>

namespace lab::tasks {

/// Entry k: probability that `draws` uniform draws from `items` show k distinct ones; k in
/// [0, items]. Requires items >= 1, draws >= 0.
[[nodiscard]] std::vector<double> distinctItems(int items, int draws);

/// A(items, reveals). A(n, 0) = 1/n is chance.
[[nodiscard]] double shortcutCeiling(int items, int reveals);

/// The same for a model that can compose at most `commandsBack` commands: a print after every
/// `spacing`-th leaves it floor(commandsBack / spacing) reveals.
[[nodiscard]] double shortcutCeilingAtSpacing(int items, int commandsBack, int spacing);

}  // namespace lab::tasks
