// About, with what this build has, and the table of shortcuts.
#pragma once

class QWidget;

namespace lab::app {

class Actions;

void showAbout(QWidget& parent);
void showShortcuts(const Actions& actions, QWidget& parent);

}  // namespace lab::app
