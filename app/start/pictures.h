// Draws every page, light and dark, as a picture: for the README, for a look, for tests.
#pragma once

#include <QString>

namespace lab::app {

class MainWindow;
class Workbench;

/// Trains the open experiment for a while, so that there is something to see, and writes
/// <mode>_<theme>.png into `folder`. Throws LabError when a picture cannot be written.
void takePictures(MainWindow& window, Workbench& bench, const QString& folder);

/// Lets the event loop run.
void letPass(int milliseconds);

}  // namespace lab::app
