#include "widgets/stage/next_token_bars.h"

#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/paint.h"
#include "widgets/theme.h"

namespace lab::widgets {

NextTokenBars::NextTokenBars(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Next token"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void NextTokenBars::setCandidates(std::vector<values::Candidate> candidates, const QString& truth,
                                  const QString& context) {
    m_candidates = std::move(candidates);
    m_truth = truth;
    m_context = context.section(QLatin1Char('\n'), -1);
    QStringList words;
    for (const values::Candidate& candidate : m_candidates) {
        words << tr("%1: %2").arg(tokenText(candidate.text),
                                  probabilityText(candidate.probability));
    }
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

void NextTokenBars::setToken(const values::TraceReading& reading, int index) {
    if (index < 0 || index >= static_cast<int>(reading.tokens.size())) {
        setCandidates({}, {}, {});
        return;
    }
    const values::TokenReading& token = reading.tokens[static_cast<std::size_t>(index)];
    const QString text = QString::fromStdString(reading.transcript);
    const QString line = text.section(QLatin1Char('\n'), token.line - 1, token.line - 1);
    setCandidates(token.top, tokenText(token.text), line.left(std::max(0, token.column - 1)));
}

void NextTokenBars::setRows(int rows) {
    m_rows = std::max(1, rows);
    updateGeometry();
    update();
}

QSize NextTokenBars::sizeHint() const {
    const int line = fontMetrics().height();
    return {240, static_cast<int>(line * 1.7) + (m_rows + 1) * (line + 6) + 12};
}

void NextTokenBars::paintEvent(QPaintEvent* /*event*/) {
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double line = fontMetrics().height();
    const QRectF area = QRectF(rect()).adjusted(8, 4, -8, -4);
    painter.setPen(theme.mutedText);
    if (m_candidates.empty()) {
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap,
                         tr("No model reads this trace."));
        return;
    }
    const QFont code = monospaced(font());
    painter.setFont(code);
    painter.drawText(QRectF(area.left(), area.top(), area.width(), line * 1.4),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(code).elidedText(m_context, Qt::ElideLeft, area.width() - 14) +
                         QStringLiteral("▁"));
    QRectF row(area.left(), area.top() + line * 1.6, area.width(), line + 6);
    double rest = 1;
    for (int i = 0; i < std::min(m_rows, static_cast<int>(m_candidates.size())) &&
                    row.bottom() <= area.bottom() + 1;
         ++i) {
        const values::Candidate& candidate = m_candidates[static_cast<std::size_t>(i)];
        paintRow(painter, row, candidate);
        rest -= candidate.probability;
        row.translate(0, row.height());
    }
    if (rest > 0.005 && row.bottom() <= area.bottom() + 4) {
        painter.setFont(font());
        painter.setPen(theme.mutedText);
        painter.drawText(row.adjusted(16, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         tr("all others"));
        painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, QLocale().toString(rest, 'f', 2));
    }
}

void NextTokenBars::paintRow(QPainter& painter, const QRectF& row,
                             const values::Candidate& candidate) const {
    const Theme& theme = Theme::of(palette());
    const QFont code = monospaced(font());
    const QFontMetricsF metrics(code);
    const double names = metrics.horizontalAdvance(QStringLiteral("print(")) + 4;
    const double numbers = metrics.horizontalAdvance(QStringLiteral("0.00")) + 6;
    const bool isTrue = tokenText(candidate.text) == m_truth;
    painter.setFont(isTrue ? strong(code) : code);
    painter.setPen(theme.text);
    drawElided(painter, {row.left() + 16, row.top(), names, row.height()},
               Qt::AlignLeft | Qt::AlignVCenter, tokenText(candidate.text));
    drawBar(painter,
            {row.left() + 16 + names, row.top() + row.height() * 0.22,
             row.width() - names - numbers - 20, row.height() * 0.56},
            candidate.probability, isTrue ? theme.model : withAlpha(theme.model, 0.5),
            withAlpha(theme.text, 0.07));
    painter.setFont(isTrue ? strong(font()) : font());
    painter.setPen(theme.text);
    painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter,
                     QLocale().toString(candidate.probability, 'f', 2));
    if (isTrue) {
        painter.setPen(QPen(theme.good, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        const QPointF mid(row.left() + 6, row.center().y());
        painter.drawPolyline(
            QPolygonF({mid + QPointF(-4, 0), mid + QPointF(-1, 3.5), mid + QPointF(5, -4)}));
    }
}

int tellingToken(const values::TraceReading& reading, int event) {
    int first = -1;
    for (std::size_t i = 0; i < reading.tokens.size(); ++i) {
        const values::TokenReading& token = reading.tokens[i];
        if (token.event != event) {
            continue;
        }
        if (token.kind == values::TokenKind::kOutput) {
            return static_cast<int>(i);
        }
        if (first < 0) {
            first = static_cast<int>(i);
        }
    }
    return event < 0 ? -1 : first;
}

}  // namespace lab::widgets
