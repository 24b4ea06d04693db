// The one timer that moves the window: pulls what the background threads have published, then
// refreshes the views that are visible, dirty and due, within a budget.
//
// Nothing in the program pushes at the screen, so training speed cannot flood the event loop.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <vector>

namespace lab::app {

/// How often a view may be refreshed at most, in order of priority.
enum class ViewRate { kEveryFrame, kScalars, kPlots, kTables };
[[nodiscard]] int intervalMs(ViewRate rate);

/// What one tick cost; for the frame log and the bench.
struct FrameRecord {
    double intervalMs = 0;        ///< since the tick before
    double pullMs = 0;            ///< taking what the threads published
    std::vector<double> viewsMs;  ///< per view in order of registration; -1: not refreshed
};

class FrameClock final : public QObject {
    Q_OBJECT

public:
    explicit FrameClock(QObject* parent = nullptr);

    /// Called at every tick, before the views. `elapsedMs` is the time since the last tick.
    void addSource(QObject* owner, std::function<void(double elapsedMs)> pull);
    /// Registers a view. It is refreshed while `widget` can be seen and after markDirty alone;
    /// becoming visible does not lose a mark.
    int addView(const QString& name, QWidget* widget, ViewRate rate, std::function<void()> refresh);
    void markDirty(int view);
    void markAllDirty();

    void start();
    void stop();
    [[nodiscard]] bool isRunning() const { return m_timer.isActive(); }
    [[nodiscard]] QStringList viewNames() const;

    /// One tick at once: for tests and for pictures. Budgets and rates do not hold it back.
    void flush();

signals:
    void ticked(const lab::app::FrameRecord& record);

private:
    struct Source {
        QPointer<QObject> owner;
        std::function<void(double)> pull;
    };
    struct View {
        QString name;
        QPointer<QWidget> widget;
        ViewRate rate = ViewRate::kPlots;
        std::function<void()> refresh;
        bool dirty = true;
        qint64 refreshedAt = -1'000'000;
    };

    void tick();
    double pull();
    void refreshViews(FrameRecord& record, bool everything);

    QTimer m_timer;
    QElapsedTimer m_time;
    qint64 m_lastTickNs = 0;
    std::vector<Source> m_sources;
    std::vector<View> m_views;
    std::size_t m_first = 0;  ///< where the round over the views begins, so that none starves
};

}  // namespace lab::app
