// What every page of the window is: a view with a purpose that can be told and facts about now.
#pragma once

#include <QWidget>
#include <vector>

#include "app/workbench.h"
#include "widgets/forms/facts_table.h"

namespace lab::app {

class Page : public QWidget {
    Q_OBJECT

public:
    /// For the inspector, in a few short paragraphs: what is this?
    [[nodiscard]] virtual QString about() const = 0;
    /// About what is selected or under the cursor.
    [[nodiscard]] virtual std::vector<widgets::Fact> facts() const { return {}; }
    /// What Edit > Copy takes when no text or plot has the focus; empty: nothing.
    [[nodiscard]] virtual QString copyText() const { return {}; }

protected:
    Page(Workbench& bench, const QString& title, QWidget* parent = nullptr);

    [[nodiscard]] Workbench& bench() const noexcept { return m_bench; }
    [[nodiscard]] static widgets::Fact fact(const QString& name, const QString& value,
                                            const QString& help = {});

private:
    Workbench& m_bench;
};

}  // namespace lab::app
