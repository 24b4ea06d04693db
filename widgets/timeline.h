// The bar that moves the trace cursor: step, play, speed, a slider with the events on it.
//
// The owner's frame clock calls advance(); the timeline starts no timer of its own.
#pragma once

#include <QWidget>
#include <memory>

#include "core/values/trace_reading.h"
#include "widgets/playback.h"
#include "widgets/stage/stage_scene.h"

class QLabel;
class QToolButton;

namespace lab::widgets {

class EventSlider;

class Timeline final : public QWidget {
    Q_OBJECT

public:
    explicit Timeline(QWidget* parent = nullptr);

    /// Shared. Keeps the cursor where that event still exists. Null clears.
    void setReading(std::shared_ptr<const values::TraceReading> reading);
    void setCursor(int event);
    [[nodiscard]] int cursor() const { return m_playback.cursor(); }
    [[nodiscard]] StageMoment moment() const {
        return {m_playback.cursor(), m_playback.progress()};
    }
    [[nodiscard]] bool playing() const { return m_playback.playing(); }
    [[nodiscard]] double speed() const { return m_playback.speed(); }
    [[nodiscard]] bool followsLive() const;
    void setFollowsLive(bool follows);

    /// Lets time pass; returns whether moment() changed. Emits cursorChanged at most once.
    bool advance(double seconds);

    [[nodiscard]] QSize minimumSizeHint() const override { return {420, 40}; }

public slots:
    void togglePlaying();
    void first();
    void previous();
    void next();
    void last();
    void nextReveal();
    void previousReveal();
    void nextMistake();
    void previousMistake();
    void faster();
    void slower();

signals:
    void cursorChanged(int event);
    void playingChanged(bool playing);
    void speedChanged(double factor);
    void followLiveChanged(bool follows);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    template <class Change>
    void change(Change&& apply);
    QToolButton* button(const QString& icon, const QString& text, void (Timeline::*action)());
    void showState();

    Playback m_playback;
    // children of this
    QToolButton* m_play = nullptr;
    QToolButton* m_follow = nullptr;
    QLabel* m_speed = nullptr;
    QLabel* m_position = nullptr;
    EventSlider* m_slider = nullptr;
};

}  // namespace lab::widgets
