// Measures what the window promises: even frames while models train, and next to nothing taken
// from training.
#pragma once

#include <QString>
#include <vector>

namespace lab::app {

class MainWindow;
class Workbench;

/// With `models` training at once. Milliseconds between frames; `slowdown` is the fraction of
/// training steps lost to the window, the median over interleaved pairs of periods.
struct GuiBenchRow {
    int models = 0;
    double frameP50Ms = 0, frameP95Ms = 0, frameP99Ms = 0;
    double slowdown = 0;
};

struct GuiBenchReport {
    std::vector<GuiBenchRow> rows;
    [[nodiscard]] bool pass() const;
};

/// About `seconds` in all. The window shows a moving stage and the Training plots in turn.
[[nodiscard]] GuiBenchReport benchGui(MainWindow& window, Workbench& bench, double seconds);

/// One object {"bench", "goals", "rows", "pass"}, or a table.
[[nodiscard]] QString textOf(const GuiBenchReport& report, bool json);

}  // namespace lab::app
