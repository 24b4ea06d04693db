// The pages of the window in the order of the mode bar.
#pragma once

#include <QString>
#include <vector>

namespace lab::app {

enum Mode { kShellGame, kTrace, kTask, kArchitecture, kTraining, kModeCount };

struct ModeRow {
    QString icon;   ///< in resources/icons
    QString title;  ///< beside the icon
    QString help;
};

/// One row for each Mode.
[[nodiscard]] std::vector<ModeRow> modeRows();

}  // namespace lab::app
