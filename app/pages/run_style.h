// How a run looks wherever it appears: the same colour, dash and marker on every plot and list.
#pragma once

#include <QIcon>

#include "app/runs/run.h"

namespace lab::app {

/// Number of the series style, see widgets::Theme::series.
[[nodiscard]] int styleOf(const Run& run);
/// Line and marker of the style; follows the theme by itself.
[[nodiscard]] QIcon styleIcon(int style);

}  // namespace lab::app
