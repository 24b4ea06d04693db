#include "widgets/stage/next_token_bars.h"

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
    const QFont code = monospaced(font());
    const double line = fontMetrics().height();
    const QRectF area = QRectF(rect()).adjusted(8, 4, -8, -4);
    if (m_candidates.empty()) {
        painter.setPen(theme.mutedText);
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap,
                         tr("No model reads this trace."));
        return;
    }
    painter.setFont(code);
    painter.setPen(theme.mutedText);
    const QFontMetricsF metrics(code);
    painter.drawText(
        QRectF(area.left(), area.top(), area.width(), line * 1.4), Qt::AlignLeft | Qt::AlignVCenter,
        metrics.elidedText(m_context, Qt::ElideLeft, area.width() - 14) + QStringLiteral("▁"));
    double y = area.top() + line * 1.6;
    const double row = line + 6;
    double shown = 0;
    const double names = std::max(metrics.horizontalAdvance(QStringLiteral("print")) + 4, 24.0);
    const double numbers = metrics.horizontalAdvance(QStringLiteral("0.00")) + 6;
    int drawn = 0;
    for (const values::Candidate& candidate : m_candidates) {
        if (drawn == m_rows || y + row > area.bottom() + 1) {
            break;
        }
        const bool isTrue = tokenText(candidate.text) == m_truth;
        painter.setFont(isTrue ? strong(code) : code);
        painter.setPen(theme.text);
        drawElided(painter, {area.left() + 16, y, names, row}, Qt::AlignLeft | Qt::AlignVCenter,
                   tokenText(candidate.text));
        const QRectF bar(area.left() + 16 + names, y + row * 0.22,
                         area.width() - names - numbers - 22, row * 0.56);
        drawBar(painter, bar, candidate.probability,
                isTrue ? theme.model : withAlpha(theme.model, 0.5), withAlpha(theme.text, 0.07));
        painter.setFont(isTrue ? strong(font()) : font());
        painter.setPen(theme.text);
        painter.drawText(QRectF(bar.right(), y, numbers + 6, row),
                         Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(candidate.probability, 'f', 2));
        if (isTrue) {
            painter.setPen(QPen(theme.good, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            painter.setBrush(Qt::NoBrush);
            const QPointF mid(area.left() + 6, y + row / 2);
            painter.drawPolyline(
                QPolygonF({mid + QPointF(-4, 0), mid + QPointF(-1, 3.5), mid + QPointF(5, -4)}));
        }
        shown += candidate.probability;
        y += row;
        ++drawn;
    }
    const double rest = 1 - shown;
    if (rest > 0.005 && y + row <= area.bottom() + 4) {
        painter.setFont(font());
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(area.left() + 16, y, area.width() - 16, row),
                         Qt::AlignLeft | Qt::AlignVCenter, tr("all others"));
        painter.drawText(QRectF(area.left(), y, area.width(), row),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(rest, 'f', 2));
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
