// The REPL text: what the model makes of every token, and a place to edit it.
#pragma once

#include "app/pages/page.h"

class QComboBox;
class QSpinBox;

namespace lab::widgets {
class StatePanel;
class TokenDetails;
class TraceView;
}  // namespace lab::widgets

namespace lab::app {

class MutedLabel;

class TracePage final : public Page {
    Q_OBJECT

public:
    explicit TracePage(Workbench& bench, QWidget* parent = nullptr);

    [[nodiscard]] QString about() const override;
    [[nodiscard]] std::vector<widgets::Fact> facts() const override;
    [[nodiscard]] QString copyText() const override { return bench().reader.transcript(); }

private:
    QWidget* buildHead();
    QWidget* buildBody();
    void connectBench();
    void generate();
    void fillChoice();
    void showDemonstration();
    void showReading();
    void showToken();
    void showState();
    [[nodiscard]] int slot() const;

    int m_readingView = -1;
    int m_momentView = -1;
    int m_token = -1;
    // children of this
    QSpinBox* m_seed = nullptr;
    QSpinBox* m_commands = nullptr;
    QSpinBox* m_spacing = nullptr;
    QComboBox* m_choice = nullptr;
    MutedLabel* m_badge = nullptr;
    widgets::TraceView* m_text = nullptr;
    widgets::TokenDetails* m_details = nullptr;
    widgets::StatePanel* m_state = nullptr;
};

}  // namespace lab::app
