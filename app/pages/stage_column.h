// One stage of the shell game page: whose belief it shows, the cups, and the next-token bars.
#pragma once

#include <QWidget>

#include "app/workbench.h"

class QComboBox;

namespace lab::widgets {
class NextTokenBars;
class ShellStage;
}  // namespace lab::widgets

namespace lab::app {

class MessageBar;
class MutedLabel;

class StageColumn final : public QWidget {
    Q_OBJECT

public:
    StageColumn(Workbench& bench, int slot, QWidget* parent = nullptr);

    void showReading();  ///< takes what the reader has for this slot
    void showMoment();   ///< cheap: the stage alone
    void showTokens();   ///< bars of the token at the cursor
    void showBadge();
    void showOptions(const widgets::StageOptions& options);
    [[nodiscard]] widgets::ShellStage& stage() const noexcept { return *m_stage; }

private:
    void fillChoice();

    Workbench& m_bench;
    int m_slot;
    // children of this
    QComboBox* m_choice;
    MutedLabel* m_badge;
    MessageBar* m_problem;
    widgets::ShellStage* m_stage;
    widgets::NextTokenBars* m_bars;
};

}  // namespace lab::app
