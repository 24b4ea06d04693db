#include "app/window/inspector.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/pages/page.h"

namespace lab::app {
namespace {

constexpr int kWidth = 232;

}  // namespace

Inspector::Inspector(QWidget* parent) : QDockWidget(tr("Inspector"), parent) {
    setObjectName(QStringLiteral("inspector"));
    setAllowedAreas(Qt::LeftDockWidgetArea | Qt::RightDockWidgetArea);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(12, 10, 12, 12);
    column->setSpacing(8);
    m_title = new QLabel(content);
    QFont large = m_title->font();
    large.setPointSizeF(large.pointSizeF() * 1.15);
    large.setBold(true);
    m_title->setFont(large);
    m_about = new QLabel(content);
    m_about->setWordWrap(true);
    m_about->setTextFormat(Qt::RichText);
    m_factsTitle = new QLabel(tr("Now"), content);
    QFont strong = m_factsTitle->font();
    strong.setBold(true);
    m_factsTitle->setFont(strong);
    m_facts = new widgets::FactsTable(content);
    column->addWidget(m_title);
    column->addWidget(m_about);
    column->addSpacing(6);
    column->addWidget(m_factsTitle);
    column->addWidget(m_facts);
    column->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(kWidth);
    setWidget(scroll);
}

void Inspector::setPage(const Page* page) {
    m_page = page;
    m_title->setText(page->windowTitle());
    m_about->setText(page->about());
    refresh();
}

void Inspector::refresh() {
    if (m_page == nullptr) {
        return;
    }
    const std::vector<widgets::Fact> facts = m_page->facts();
    m_factsTitle->setVisible(!facts.empty());
    m_facts->setFacts(facts);
}

}  // namespace lab::app
