#include "widgets/stage/shell_stage.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "widgets/stage/stage_sprites.h"

namespace lab::widgets {

ShellStage::ShellStage(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Shell game stage"));
    describe();
}

void ShellStage::setReading(std::shared_ptr<const values::TraceReading> reading) {
    const auto cups = [](const auto& shared) { return shared ? shared->cupNames.size() : 0; };
    if (cups(reading) != cups(m_reading)) {
        m_selected = -1;
    }
    m_reading = std::move(reading);
    describe();
    update();
}

void ShellStage::setMoment(StageMoment moment) {
    if (moment == m_moment) {
        return;
    }
    const bool otherEvent = moment.cursor != m_moment.cursor;
    m_moment = moment;
    if (otherEvent) {
        describe();
    }
    update();
}

void ShellStage::setOptions(const StageOptions& options) {
    m_options = options;
    describe();
    update();
}

void ShellStage::describe() {
    if (!m_reading || m_reading->cupNames.empty()) {
        setAccessibleDescription(tr("No trace."));
        return;
    }
    QStringList sentences;
    if (m_moment.cursor >= 0 && m_moment.cursor < static_cast<int>(m_reading->events.size())) {
        sentences << QString::fromStdString(
                         m_reading->events[static_cast<std::size_t>(m_moment.cursor)].text) +
                         QLatin1Char('.');
    }
    for (int cup = 0; cup < static_cast<int>(m_reading->cupNames.size()); ++cup) {
        sentences << describePlace(*m_reading, m_moment.cursor, cup, m_options);
    }
    setAccessibleDescription(sentences.join(QLatin1Char(' ')));
}

void ShellStage::paintEvent(QPaintEvent* /*event*/) {
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    if (!m_reading || m_reading->cupNames.empty()) {
        paintBackdrop(painter, QSizeF(size()), StageLayout(3, QSizeF(size())).table, theme);
        return;
    }
    StageScene scene = stageScene(*m_reading, m_moment, QSizeF(size()), m_options);
    for (CupSprite& cup : scene.cups) {
        cup.selected = cup.place == m_selected;
        if (cup.place == m_dragged) {
            cup.foot.setX(m_dragAt.x());
            cup.lift = std::max(cup.lift, 0.12);
        }
    }
    m_painter.paint(painter, scene, QSizeF(size()), font(), theme);
}

int ShellStage::cupAt(QPointF position) const {
    const int cups = m_reading ? static_cast<int>(m_reading->cupNames.size()) : 0;
    const StageLayout layout(cups, QSizeF(size()));
    for (int cup = 0; cup < cups; ++cup) {
        const QPointF foot = layout.foot(cup);
        const QRectF column(foot.x() - layout.columnWidth / 2, 0, layout.columnWidth, height());
        if (column.contains(position)) {
            return cup;
        }
    }
    return -1;
}

void ShellStage::select(int cup) {
    if (cup != m_selected) {
        m_selected = cup;
        update();
        emit cupSelected(cup);
    }
}

void ShellStage::mousePressEvent(QMouseEvent* event) {
    const int cup = cupAt(event->position());
    select(cup);
    if (event->button() == Qt::LeftButton && cup >= 0) {
        m_dragged = cup;
        m_dragAt =
            StageLayout(static_cast<int>(m_reading->cupNames.size()), QSizeF(size())).foot(cup);
    }
}

void ShellStage::mouseMoveEvent(QMouseEvent* event) {
    if (m_dragged >= 0) {
        m_dragAt = event->position();
        update();
    }
}

void ShellStage::mouseReleaseEvent(QMouseEvent* event) {
    const int from = std::exchange(m_dragged, -1);
    const int onto = cupAt(event->position());
    update();
    if (from >= 0 && onto >= 0 && onto != from) {
        emit swapRequested(from, onto);
    }
}

void ShellStage::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const int cup = cupAt(event->position()); cup >= 0) {
        emit revealRequested(cup);
    }
}

void ShellStage::keyPressEvent(QKeyEvent* event) {
    const int cups = m_reading ? static_cast<int>(m_reading->cupNames.size()) : 0;
    const int number = event->key() - Qt::Key_1;
    if (event->modifiers() == Qt::NoModifier && number >= 0 && number < cups) {
        select(number);
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) &&
               m_selected >= 0) {
        emit revealRequested(m_selected);
    } else {
        QWidget::keyPressEvent(event);
    }
}

}  // namespace lab::widgets
