// The window: mode bar, one page a mode, inspector, timeline, status bar.
//
// It owns widgets alone; what they show lives in the Workbench. One frame clock moves everything.
#pragma once

#include <QMainWindow>
#include <array>

#include "app/pages/page.h"
#include "app/window/modes.h"
#include "app/workbench.h"
#include "widgets/theme.h"

class QStackedWidget;

namespace lab::widgets {
class ModeBar;
class Timeline;
}  // namespace lab::widgets

namespace lab::app {

class CloseFlow;
class FileFlow;
class Inspector;
class Menus;
class MessageBar;
class RunStatus;

class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    /// kStandard: for pictures and measurements, where what was kept from last time must not
    /// matter.
    enum class Layout { kKept, kStandard };

    explicit MainWindow(Workbench& bench, Layout layout = Layout::kKept);
    ~MainWindow() override;

    void showMode(int mode);
    [[nodiscard]] int mode() const;
    [[nodiscard]] Page& page(int mode) const;
    [[nodiscard]] widgets::Timeline& timeline() const noexcept { return *m_timeline; }
    [[nodiscard]] MessageBar& messages() const noexcept { return *m_messages; }
    [[nodiscard]] FileFlow& files() const noexcept { return *m_files; }
    [[nodiscard]] Inspector& inspector() const noexcept { return *m_inspector; }

    void setTheme(widgets::ThemeChoice choice);
    void resetLayout();
    /// Stops and checkpoints what trains, then closes without a question.
    void closeQuietly();

signals:
    void modeChanged(int mode);

protected:
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void buildCentre();
    void buildDock();
    void addFrameViews();
    void connectBench();
    void followCursor();
    void repeatWhenOver(bool playing);
    void showTitle();
    void restoreLayout();
    void keepLayout() const;

    Workbench& m_bench;
    Layout m_layout;
    bool m_restored = false;
    bool m_advancing = false;  ///< the clock moves the timeline, not a person
    double m_restedMs = -1;    ///< since the trace ended by itself; -1: it has not
    int m_momentView = -1;
    int m_inspectorView = -1;
    int m_statusView = -1;
    std::array<Page*, kModeCount> m_pages{};
    // children of this
    widgets::ModeBar* m_modeBar = nullptr;
    QStackedWidget* m_stack = nullptr;
    widgets::Timeline* m_timeline = nullptr;
    MessageBar* m_messages = nullptr;
    Inspector* m_inspector = nullptr;
    RunStatus* m_status = nullptr;
    FileFlow* m_files = nullptr;
    Menus* m_menus = nullptr;
    CloseFlow* m_closing = nullptr;
};

}  // namespace lab::app
