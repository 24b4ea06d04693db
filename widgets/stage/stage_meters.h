// The cards above the cups, and the texts of the stage.
#pragma once

#include <QHash>
#include <QPainter>
#include <QStaticText>

#include "widgets/stage/stage_scene.h"
#include "widgets/theme.h"

namespace lab::widgets {

/// The numbers above the bars, laid out once: 0 to 100 hundredths.
using NumberTexts = QHash<int, QStaticText>;

/// One card a place, behind its meters and the names of the values.
void paintCards(QPainter& painter, const StageScene& scene, const Theme& theme);

/// `values` is the number of slots. `numbers` is filled as needed; empty it when the font changes.
void paintMeter(QPainter& painter, const MeterSprite& meter, int values, const QFont& family,
                const Theme& theme, NumberTexts& numbers);

void paintLabel(QPainter& painter, const LabelSprite& label, const QFont& family,
                const Theme& theme);

}  // namespace lab::widgets
