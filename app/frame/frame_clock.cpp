#include "app/frame/frame_clock.h"

#include <algorithm>
#include <array>

namespace lab::app {
namespace {

constexpr int kFrameMs = 16;
constexpr double kBudgetMs = 8;  ///< for all refreshes of one tick

double sinceMs(const QElapsedTimer& time, qint64 fromNs) {
    return static_cast<double>(time.nsecsElapsed() - fromNs) / 1e6;
}

}  // namespace

int intervalMs(ViewRate rate) {
    constexpr std::array kIntervals{0, 66, 80, 250};
    return kIntervals.at(static_cast<std::size_t>(rate));
}

FrameClock::FrameClock(QObject* parent) : QObject(parent) {
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kFrameMs);
    connect(&m_timer, &QTimer::timeout, this, &FrameClock::tick);
    m_time.start();
}

void FrameClock::addSource(QObject* owner, std::function<void(double)> pull) {
    m_sources.push_back({owner, std::move(pull)});
}

int FrameClock::addView(const QString& name, QWidget* widget, ViewRate rate,
                        std::function<void()> refresh) {
    m_views.push_back({name, widget, rate, std::move(refresh)});
    return static_cast<int>(m_views.size()) - 1;
}

void FrameClock::markDirty(int view) {
    m_views.at(static_cast<std::size_t>(view)).dirty = true;
}

void FrameClock::markAllDirty() {
    for (View& view : m_views) {
        view.dirty = true;
    }
}

void FrameClock::start() {
    m_lastTickNs = m_time.nsecsElapsed();
    m_timer.start();
}

void FrameClock::stop() {
    m_timer.stop();
}

QStringList FrameClock::viewNames() const {
    QStringList names;
    for (const View& view : m_views) {
        names << view.name;
    }
    return names;
}

double FrameClock::pull() {
    const qint64 now = m_time.nsecsElapsed();
    const double elapsed = static_cast<double>(now - m_lastTickNs) / 1e6;
    m_lastTickNs = now;
    for (const Source& source : m_sources) {
        if (source.owner != nullptr) {
            source.pull(elapsed);
        }
    }
    return elapsed;
}

void FrameClock::refreshViews(FrameRecord& record, bool everything) {
    record.viewsMs.assign(m_views.size(), -1.0);
    const qint64 nowMs = m_time.elapsed();
    double spent = 0;
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        const std::size_t at = (m_first + i) % m_views.size();
        View& view = m_views[at];
        const bool due = everything || nowMs - view.refreshedAt >= intervalMs(view.rate);
        if (!view.dirty || !due || view.widget == nullptr || !view.widget->isVisible()) {
            continue;
        }
        if (!everything && spent > kBudgetMs && view.rate != ViewRate::kEveryFrame) {
            m_first = at;  // it is the first one of the next tick
            break;
        }
        const qint64 from = m_time.nsecsElapsed();
        view.dirty = false;
        view.refreshedAt = nowMs;
        view.refresh();
        record.viewsMs[at] = sinceMs(m_time, from);
        spent += record.viewsMs[at];
    }
}

void FrameClock::tick() {
    FrameRecord record;
    const qint64 from = m_time.nsecsElapsed();
    record.intervalMs = pull();
    record.pullMs = sinceMs(m_time, from);
    refreshViews(record, false);
    emit ticked(record);
}

void FrameClock::flush() {
    pull();
    FrameRecord record;
    refreshViews(record, true);
}

}  // namespace lab::app
