// The shell game: one stage a model, side by side, on the same trace; the belief strip below.
#pragma once

#include <array>

#include "app/pages/page.h"

class QComboBox;
class QLabel;

namespace lab::widgets {
class BeliefStrip;
class StatePanel;
}  // namespace lab::widgets

namespace lab::app {

class MutedLabel;
class PrimaryButton;
class StageColumn;

class ShellPage final : public Page {
    Q_OBJECT

public:
    explicit ShellPage(Workbench& bench, QWidget* parent = nullptr);

    [[nodiscard]] QString about() const override;
    [[nodiscard]] std::vector<widgets::Fact> facts() const override;
    [[nodiscard]] QString copyText() const override { return bench().reader.transcript(); }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void buildLayout();
    QWidget* buildHead();
    QWidget* buildStrip();
    void connectBench();
    void connectStage(StageColumn& column);
    void takeOptions();
    void showColumns();
    void showReadings();
    void showMoment();
    void showWords();
    void showTrainButton();
    void showState();
    void fillStripChoice();
    void showStrip();

    int m_momentView = -1;
    int m_wordsView = -1;
    int m_readingView = -1;
    int m_badgeView = -1;
    int m_shownCursor = -2;
    std::array<StageColumn*, kReaderSlots> m_columns{};
    // children of this
    MutedLabel* m_task = nullptr;
    PrimaryButton* m_train = nullptr;
    QLabel* m_line = nullptr;
    QComboBox* m_stripChoice = nullptr;
    widgets::BeliefStrip* m_strip = nullptr;
    widgets::StatePanel* m_state = nullptr;
};

}  // namespace lab::app
