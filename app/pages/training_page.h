// Watch and steer training: cards of the runs, their curves, and what they reach.
#pragma once

#include <memory>

#include "app/pages/curve_feed.h"
#include "app/pages/page.h"

class QComboBox;
class QHBoxLayout;
class QListWidget;
class QSlider;
class QTabWidget;

namespace lab::widgets {
class LengthAccuracyPlot;
class RunCards;
class SpacingPlot;
class StatePanel;
}  // namespace lab::widgets

namespace lab::app {

class TrainingPage final : public Page {
    Q_OBJECT

public:
    explicit TrainingPage(Workbench& bench, QWidget* parent = nullptr);

    [[nodiscard]] QString about() const override;
    [[nodiscard]] std::vector<widgets::Fact> facts() const override;

private:
    /// A plot with its feed and the name of its view on the frame clock.
    struct Plotted {
        widgets::MetricPlot* plot = nullptr;  // child of the page
        std::unique_ptr<CurveFeed> feed;
        int view = -1;
    };

    QWidget* buildHead();
    QWidget* buildTabs();
    Plotted& addPlot(const QString& name, widgets::MetricPlotSetup setup, QWidget* parent);
    void addControls(QHBoxLayout& row, QWidget* parent);
    void connectBench();
    void markCurves();
    void markAccuracies();
    void chooseLoss();
    void showCards();
    void showRunList();
    void showAccuracies();
    void showReferences();
    void showState();
    [[nodiscard]] std::vector<values::LengthAccuracy> newestOf(const Run& run) const;

    int m_cardsView = -1;
    int m_accuracyView = -1;
    std::vector<std::unique_ptr<Plotted>> m_plots;
    std::vector<int> m_cardRuns;  ///< run of each card
    widgets::MetricPlot* m_valuePlot = nullptr;
    CurveFeed* m_lossFeed = nullptr;
    // children of this
    widgets::RunCards* m_cards = nullptr;
    QComboBox* m_loss = nullptr;
    QComboBox* m_axis = nullptr;
    QSlider* m_smoothing = nullptr;
    QTabWidget* m_tabs = nullptr;
    QListWidget* m_runs = nullptr;
    widgets::LengthAccuracyPlot* m_lengths = nullptr;
    widgets::SpacingPlot* m_spacing = nullptr;
    widgets::StatePanel* m_state = nullptr;
    widgets::StatePanel* m_spacingState = nullptr;
};

}  // namespace lab::app
