// The task designer: what the world does, the curriculum, and the recipe of training.
#pragma once

#include "app/pages/page.h"

class QPlainTextEdit;

namespace lab::widgets {
class FactsTable;
class Form;
class ProblemList;
}  // namespace lab::widgets

namespace lab::app {

class MutedLabel;
class SpecForm;

class TaskPage final : public Page {
    Q_OBJECT

public:
    explicit TaskPage(Workbench& bench, QWidget* parent = nullptr);

    [[nodiscard]] QString about() const override;
    [[nodiscard]] QString copyText() const override;
    /// Focuses the field that a problem names; false when it is not on this page.
    bool jumpTo(const QString& field);

private:
    QWidget* buildHead();
    QWidget* buildForm();
    QWidget* buildSide();
    void refresh();
    void showFields();
    [[nodiscard]] std::vector<widgets::Fact> taskFacts() const;

    int m_view = -1;
    // children of this
    MutedLabel* m_note = nullptr;
    widgets::Form* m_form = nullptr;
    SpecForm* m_binder = nullptr;
    QPlainTextEdit* m_sample = nullptr;
    widgets::FactsTable* m_facts = nullptr;
    widgets::ProblemList* m_problems = nullptr;
};

}  // namespace lab::app
