// Every widget, filled: one list for the gallery, which saves pictures, and for the smoke test.
#pragma once

#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

namespace lab::widgets::demonstration {

struct Exhibit {
    QString name;
    QSize size;
    std::function<std::unique_ptr<QWidget>()> make;
};

[[nodiscard]] std::vector<Exhibit> exhibits();

}  // namespace lab::widgets::demonstration
