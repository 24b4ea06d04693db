#include "widgets/timeline.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>

#include "widgets/event_slider.h"
#include "widgets/icons.h"
#include "widgets/paint.h"

namespace lab::widgets {
namespace {

QString speedText(int exponent) {
    return exponent >= 0 ? Timeline::tr("%1×").arg(1 << exponent)
                         : Timeline::tr("1/%1×").arg(1 << -exponent);
}

}  // namespace

Timeline::Timeline(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Timeline"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(1);
    const auto add = [&](const char* icon, const QString& text, void (Timeline::*action)()) {
        auto* made = button(QString::fromLatin1(icon), text, action);
        row->addWidget(made);
        return made;
    };
    add("first", tr("Before the first event (Home)"), &Timeline::first);
    add("previous-reveal", tr("Previous print (Shift+Left)"), &Timeline::previousReveal);
    add("previous", tr("One event back (Left)"), &Timeline::previous);
    m_play = add("play", tr("Play or pause (Space)"), &Timeline::togglePlaying);
    m_play->setIconSize({24, 24});
    add("next", tr("One event on (Right)"), &Timeline::next);
    add("next-reveal", tr("Next print (Shift+Right)"), &Timeline::nextReveal);
    add("last", tr("Last event (End)"), &Timeline::last);
    row->addSpacing(10);
    add("minus", tr("Slower (-)"), &Timeline::slower);
    m_speed = new QLabel(speedText(0), this);
    m_speed->setAlignment(Qt::AlignCenter);
    m_speed->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("1/8×")) + 6);
    m_speed->setToolTip(tr("Speed"));
    row->addWidget(m_speed);
    add("add", tr("Faster (+)"), &Timeline::faster);
    row->addSpacing(10);
    m_slider = new EventSlider(this);
    row->addWidget(m_slider, 1);
    row->addSpacing(10);
    m_position = new QLabel(this);
    m_position->setMinimumWidth(
        fontMetrics().horizontalAdvance(tr("event %1 / %2").arg(888).arg(888)));
    m_position->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(m_position);
    row->addSpacing(8);
    m_follow = new QToolButton(this);
    m_follow->setIcon(lineIcon(QStringLiteral("follow")));
    m_follow->setText(tr("Follow live"));
    m_follow->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_follow->setToolTip(tr("Show the newest weights while a model trains"));
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    m_follow->setAutoRaise(true);
    row->addWidget(m_follow);
    connect(m_follow, &QToolButton::toggled, this, &Timeline::followLiveChanged);
    connect(m_slider, &EventSlider::moved, this, &Timeline::setCursor);
    showState();
}

QToolButton* Timeline::button(const QString& icon, const QString& text,
                              void (Timeline::*action)()) {
    auto* made = new QToolButton(this);
    made->setIcon(lineIcon(icon));
    made->setIconSize({20, 20});
    made->setToolTip(text);
    made->setAccessibleName(text);
    made->setAutoRaise(true);
    connect(made, &QToolButton::clicked, this, action);
    return made;
}

void Timeline::setReading(std::shared_ptr<const values::TraceReading> reading) {
    change([&] { m_playback.setReading(std::move(reading)); });
    using Mark = EventSlider::Mark;
    std::vector<Mark> marks;
    marks.reserve(static_cast<std::size_t>(m_playback.events()));
    for (int event = 0; event < m_playback.events(); ++event) {
        marks.push_back(m_playback.isMistake(event)  ? Mark::kMistake
                        : m_playback.isReveal(event) ? Mark::kReveal
                                                     : Mark::kPlain);
    }
    m_slider->setMarks(std::move(marks));
    showState();
}

// Applies a change and tells each thing that became different once.
template <class Change>
void Timeline::change(Change&& apply) {
    const int cursorBefore = cursor();
    const bool playingBefore = playing();
    const int speedBefore = m_playback.speedExponent();
    std::forward<Change>(apply)();
    showState();
    if (speedBefore != m_playback.speedExponent()) {
        m_speed->setText(speedText(m_playback.speedExponent()));
        emit speedChanged(m_playback.speed());
    }
    if (playingBefore != playing()) {
        m_play->setIcon(lineIcon(playing() ? QStringLiteral("pause") : QStringLiteral("play")));
        emit playingChanged(playing());
    }
    if (cursorBefore != cursor()) {
        emit cursorChanged(cursor());
    }
}

void Timeline::showState() {
    m_slider->setPosition(cursor(), m_playback.progress());
    const QString text = tr("event %1 / %2").arg(cursor() + 1).arg(m_playback.events());
    if (text != m_position->text()) {
        m_position->setText(text);
    }
}

void Timeline::setCursor(int event) {
    change([&] { m_playback.jumpTo(event); });
}

bool Timeline::followsLive() const {
    return m_follow->isChecked();
}
void Timeline::setFollowsLive(bool follows) {
    m_follow->setChecked(follows);
}

bool Timeline::advance(double seconds) {
    const StageMoment before = moment();
    change([&] { m_playback.advance(seconds); });
    return moment() != before;
}

void Timeline::togglePlaying() {
    change([&] { m_playback.setPlaying(!m_playback.playing()); });
}
void Timeline::first() {
    change([&] { m_playback.jumpTo(-1); });
}
void Timeline::previous() {
    change([&] { m_playback.stepBack(); });
}
void Timeline::next() {
    change([&] { m_playback.stepForward(); });
}
void Timeline::last() {
    change([&] { m_playback.jumpTo(m_playback.events() - 1); });
}
void Timeline::nextReveal() {
    change([&] { m_playback.nextReveal(); });
}
void Timeline::previousReveal() {
    change([&] { m_playback.previousReveal(); });
}
void Timeline::nextMistake() {
    change([&] { m_playback.nextMistake(); });
}
void Timeline::previousMistake() {
    change([&] { m_playback.previousMistake(); });
}
void Timeline::faster() {
    change([&] { m_playback.setSpeedExponent(m_playback.speedExponent() + 1); });
}
void Timeline::slower() {
    change([&] { m_playback.setSpeedExponent(m_playback.speedExponent() - 1); });
}

void Timeline::keyPressEvent(QKeyEvent* event) {
    const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
    const bool control = event->modifiers().testFlag(Qt::ControlModifier);
    switch (event->key()) {
        case Qt::Key_Space: togglePlaying(); return;
        case Qt::Key_Right: control ? nextMistake() : shift ? nextReveal() : next(); return;
        case Qt::Key_Left:
            control ? previousMistake() : shift ? previousReveal() : previous();
            return;
        case Qt::Key_Home: first(); return;
        case Qt::Key_End: last(); return;
        case Qt::Key_Plus:
        case Qt::Key_Equal: faster(); return;
        case Qt::Key_Minus: slower(); return;
        default: QWidget::keyPressEvent(event);
    }
}

}  // namespace lab::widgets
