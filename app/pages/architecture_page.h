// The architecture designer: the models that are trained side by side on one recipe.
#pragma once

#include "app/pages/page.h"

class QListWidget;
class QToolButton;

namespace lab::widgets {
class EigenvaluePicture;
class FactsTable;
class Form;
class ProblemList;
}  // namespace lab::widgets

namespace lab::app {

class MutedLabel;
class SpecForm;

class ArchitecturePage final : public Page {
    Q_OBJECT

public:
    explicit ArchitecturePage(Workbench& bench, QWidget* parent = nullptr);

    [[nodiscard]] QString about() const override;

private:
    QWidget* buildList();
    QWidget* buildForm();
    QWidget* buildSide();
    void addGeneralFields();
    void addDeltaFields();
    void addStateSpaceFields();
    void addTransformerFields();
    void change(const QString& text, int select,
                const std::function<void(std::vector<values::ModelSpec>&)>& edit);
    void move(int by);
    void choose(int row);
    void fillList();
    void showFields();
    void refresh();
    [[nodiscard]] values::ModelSpec& modelOf(values::ExperimentSpec& spec) const;
    [[nodiscard]] const values::ModelSpec& model() const;
    [[nodiscard]] std::vector<widgets::Fact> modelFacts() const;
    [[nodiscard]] std::vector<values::Problem> ownProblems() const;

    int m_view = -1;
    int m_row = 0;
    // children of this
    QListWidget* m_list = nullptr;
    QToolButton* m_remove = nullptr;
    MutedLabel* m_summary = nullptr;
    widgets::Form* m_form = nullptr;
    SpecForm* m_binder = nullptr;
    widgets::EigenvaluePicture* m_picture = nullptr;
    QWidget* m_pictureTitle = nullptr;
    widgets::FactsTable* m_facts = nullptr;
    widgets::ProblemList* m_problems = nullptr;
};

}  // namespace lab::app
