#include "app/pages/page.h"

namespace lab::app {

Page::Page(Workbench& bench, const QString& title, QWidget* parent)
    : QWidget(parent), m_bench(bench) {
    setWindowTitle(title);
}

widgets::Fact Page::fact(const QString& name, const QString& value, const QString& help) {
    return {.name = name, .value = value, .help = help};
}

}  // namespace lab::app
