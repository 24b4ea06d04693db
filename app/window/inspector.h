// The dock at the right: what the page is for, and the facts of what is selected on it.
#pragma once

#include <QDockWidget>

#include "widgets/forms/facts_table.h"

class QLabel;

namespace lab::app {

class Page;

class Inspector final : public QDockWidget {
    Q_OBJECT

public:
    explicit Inspector(QWidget* parent = nullptr);

    void setPage(const Page* page);
    void refresh();

private:
    const Page* m_page = nullptr;
    // children of this
    QLabel* m_title;
    QLabel* m_about;
    QLabel* m_factsTitle;
    widgets::FactsTable* m_facts;
};

}  // namespace lab::app
