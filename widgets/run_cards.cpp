#include "widgets/run_cards.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/paint.h"
#include "widgets/theme.h"

namespace lab::widgets {
namespace {

constexpr double kGap = 8;

QColor stateColour(values::RunState state, const Theme& theme) {
    switch (state) {
        case values::RunState::kRunning: return theme.good;
        case values::RunState::kPaused:
        case values::RunState::kStopped: return theme.warning;
        case values::RunState::kDiverged:
        case values::RunState::kFailed: return theme.bad;
        case values::RunState::kFinished: return theme.accent;
        case values::RunState::kWaiting: return theme.mutedText;
    }
    return theme.mutedText;
}

QString progressText(const RunCard& card) {
    const values::Snapshot& now = card.snapshot;
    QString text = RunCards::tr("step %1 of %2")
                       .arg(countText(static_cast<double>(now.step)),
                            countText(static_cast<double>(now.steps)));
    if (now.state == values::RunState::kRunning) {
        text += RunCards::tr(" · %1 step/s").arg(countText(now.stepsPerSecond));
        if (card.secondsLeft >= 0) {
            text += RunCards::tr(" · %1 left").arg(durationText(card.secondsLeft));
        }
    }
    return text;
}

}  // namespace

QString stateTitle(values::RunState state) {
    switch (state) {
        case values::RunState::kWaiting: return RunCards::tr("waiting");
        case values::RunState::kRunning: return RunCards::tr("running");
        case values::RunState::kPaused: return RunCards::tr("paused");
        case values::RunState::kFinished: return RunCards::tr("finished");
        case values::RunState::kStopped: return RunCards::tr("stopped");
        case values::RunState::kDiverged: return RunCards::tr("diverged");
        case values::RunState::kFailed: return RunCards::tr("failed");
    }
    return {};
}

QString durationText(double seconds) {
    if (!(seconds >= 1)) {
        return RunCards::tr("< 1 s");
    }
    const auto whole = static_cast<qint64>(std::llround(std::min(seconds, 1e9)));
    if (whole < 60) {
        return RunCards::tr("%1 s").arg(whole);
    }
    if (whole < 3600) {
        return RunCards::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    }
    return RunCards::tr("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

QString countText(double count) {
    const QLocale locale;
    constexpr std::array<const char*, 4> kSuffix{"", " k", " M", " G"};
    double scaled = count;
    std::size_t unit = 0;
    while (std::abs(scaled) >= 9999.5 && unit + 1 < kSuffix.size()) {
        scaled /= 1000;
        ++unit;
    }
    const double size = std::abs(scaled);
    const bool whole = unit == 0 && (size >= 100 || scaled == std::floor(scaled));
    const int decimals = whole || size >= 1000     ? 0
                         : size >= 100 && unit > 0 ? 0
                         : size >= 10              ? 1
                                                   : 2;
    QString digits = QString::number(scaled, 'f', decimals);
    while (decimals > 0 &&
           (digits.endsWith(QLatin1Char('0')) || digits.endsWith(QLatin1Char('.')))) {
        const bool point = digits.endsWith(QLatin1Char('.'));
        digits.chop(1);
        if (point) {
            break;
        }
    }
    if (digits.size() >= 4 && decimals == 0 && size >= 1000) {
        digits.insert(digits.size() - 3, QChar(0x2009));
    } else {
        digits.replace(QLatin1Char('.'), locale.decimalPoint());
    }
    return digits +
           QLatin1String(kSuffix.at(unit)).toString().replace(QLatin1Char(' '), QChar(0x202F));
}

RunCards::RunCards(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Runs"));
}

void RunCards::setCards(std::vector<RunCard> cards) {
    if (cards.size() != m_cards.size()) {
        updateGeometry();
    }
    m_cards = std::move(cards);
    m_current = std::clamp(m_current, 0, std::max(0, static_cast<int>(m_cards.size()) - 1));
    update();
}

void RunCards::setCurrent(int card) {
    m_current = card;
    update();
}

QSize RunCards::sizeHint() const {
    const auto count = std::max(1, static_cast<int>(m_cards.size()));
    return {count * 280, 5 * fontMetrics().height() + 30};
}

QSize RunCards::minimumSizeHint() const {
    const auto count = std::max(1, static_cast<int>(m_cards.size()));
    return {count * 150, sizeHint().height()};
}

QRectF RunCards::cardFrame(int card) const {
    const auto count = static_cast<double>(m_cards.size());
    const double cardWidth = std::min(420.0, (width() - kGap * (count - 1)) / count);
    return {card * (cardWidth + kGap) + 1, 1, cardWidth - 2, height() - 2.0};
}

void RunCards::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int i = 0; i < static_cast<int>(m_cards.size()); ++i) {
        const Theme& theme = Theme::of(palette());
        const QRectF frame = cardFrame(i);
        const bool chosen = i == m_current;
        painter.setPen(QPen(chosen ? theme.accent : theme.hairline, chosen ? 1.6 : 1));
        painter.setBrush(theme.raised);
        painter.drawRoundedRect(frame, 7, 7);
        const QRectF inner = frame.adjusted(14, 8, -14, -8);
        paintHeading(painter, inner, m_cards[static_cast<std::size_t>(i)]);
        paintFigures(painter, inner, m_cards[static_cast<std::size_t>(i)]);
    }
}

void RunCards::paintHeading(QPainter& painter, const QRectF& inner, const RunCard& card) const {
    const Theme& theme = Theme::of(palette());
    const double line = fontMetrics().height();
    const QFont small = scaled(font(), 0.88);
    const QString state = stateTitle(card.snapshot.state);
    const double stateWidth = QFontMetricsF(small).horizontalAdvance(state) + 18;
    drawMarker(painter, theme.series(card.style), {inner.left() + 5, inner.top() + line / 2}, 5);
    painter.setFont(strong(font()));
    painter.setPen(theme.text);
    drawElided(painter, {inner.left() + 18, inner.top(), inner.width() - 22 - stateWidth, line},
               Qt::AlignLeft | Qt::AlignVCenter, card.title);
    const QRectF chip(inner.right() - stateWidth, inner.top(), stateWidth, line + 1);
    const QColor mood = stateColour(card.snapshot.state, theme);
    painter.setPen(Qt::NoPen);
    painter.setBrush(withAlpha(mood, 0.16));
    painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2);
    painter.setFont(small);
    painter.setPen(mood);
    painter.drawText(chip, Qt::AlignCenter, state);
}

void RunCards::paintFigures(QPainter& painter, const QRectF& inner, const RunCard& card) const {
    const Theme& theme = Theme::of(palette());
    const values::Snapshot& now = card.snapshot;
    const double line = fontMetrics().height();
    double y = inner.top() + line + 8;
    const double part =
        now.steps > 0 ? static_cast<double>(now.step) / static_cast<double>(now.steps) : 0;
    drawBar(painter, {inner.left(), y, inner.width(), 5}, part, theme.series(card.style).colour,
            theme.hairline);
    y += 10;
    painter.setFont(scaled(font(), 0.88));
    const auto write = [&](const QString& text, const QColor& ink) {
        painter.setPen(ink);
        drawElided(painter, {inner.left(), y, inner.width(), line},
                   Qt::AlignLeft | Qt::AlignVCenter, text);
        y += line + 2;
    };
    const bool failed = !now.message.empty();
    write(failed ? QString::fromStdString(now.message) : progressText(card),
          failed ? stateColour(now.state, theme) : theme.mutedText);
    const QLocale locale;
    write(tr("loss %1 · trained (%2, %3) · %4")
              .arg(locale.toString(now.loss, 'g', 3))
              .arg(now.trainedLength.commands)
              .arg(now.trainedLength.spacing)
              .arg(card.device),
          theme.text);
    QStringList accuracies;
    for (const values::LengthAccuracy& at : now.evaluations) {
        accuracies << tr("(%1,%2) %3 %")
                          .arg(at.length.commands)
                          .arg(at.length.spacing)
                          .arg(locale.toString(100 * at.value, 'f', 1));
    }
    write(accuracies.isEmpty() ? tr("not evaluated yet") : accuracies.join(QStringLiteral("  ")),
          theme.text);
}

void RunCards::mousePressEvent(QMouseEvent* event) {
    for (int i = 0; i < static_cast<int>(m_cards.size()); ++i) {
        if (cardFrame(i).contains(event->position()) && i != m_current) {
            setCurrent(i);
            emit chosen(i);
        }
    }
}

void RunCards::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const int to = m_current + step;
    if (step == 0 || to < 0 || to >= static_cast<int>(m_cards.size())) {
        QWidget::keyPressEvent(event);
        return;
    }
    setCurrent(to);
    emit chosen(to);
}

}  // namespace lab::widgets
