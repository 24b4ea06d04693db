// Small pieces that several painters share.
#pragma once

#include <QFont>
#include <QPainter>
#include <QRectF>
#include <QString>

#include "widgets/theme.h"

namespace lab::widgets {

[[nodiscard]] QFont scaled(const QFont& font, double factor);
[[nodiscard]] QFont strong(const QFont& font);
/// The fixed-width font of the system, `factor` times as large as `like`.
[[nodiscard]] QFont monospaced(const QFont& like, double factor = 1.0);
[[nodiscard]] QColor withAlpha(QColor colour, double alpha);
/// `part` 0: first, 1: second.
[[nodiscard]] QColor mixed(const QColor& first, const QColor& second, double part);

/// Text cut with "…" where it does not fit.
void drawElided(QPainter& painter, const QRectF& frame, Qt::Alignment alignment,
                const QString& text);
/// A rounded bar filled from the left up to `part` in [0, 1].
void drawBar(QPainter& painter, const QRectF& frame, double part, const QColor& fill,
             const QColor& trough);
/// The marker of a series, `radius` pixels from middle to edge.
void drawMarker(QPainter& painter, const SeriesStyle& style, QPointF centre, double radius);
/// 0.834 as ".83", 1 as "1", with the decimal point of the locale.
[[nodiscard]] QString probabilityText(double probability);
/// "\n" as "⏎", everything else as it is.
[[nodiscard]] QString tokenText(const std::string& token);

}  // namespace lab::widgets
