// Line icons of resources/icons, drawn in the text colour of the application's palette.
#pragma once

#include <QIcon>
#include <QString>

namespace lab::widgets {

/// The icon resources/icons/<name>.svg. It follows a change of theme by itself.
[[nodiscard]] QIcon lineIcon(const QString& name);

}  // namespace lab::widgets
