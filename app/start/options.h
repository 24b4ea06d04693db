// The command line of the desktop program.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "widgets/theme.h"

namespace lab::app {

using widgets::ThemeChoice;

struct Options {
    std::optional<ThemeChoice> theme;  ///< nothing: as the last time
    QString preset;                    ///< key; empty: the default
    QString file;                      ///< an experiment to open
    QString mode;                      ///< name of a page to show first
    QString frameLog;                  ///< CSV of every frame
    QString screenshots;               ///< folder; render every page, then exit
    double quitAfter = 0;              ///< seconds; 0: stay
    bool train = false;                ///< start training at once
    bool benchGui = false;
    bool json = false;
    double benchSeconds = 90;
};

/// What to do with a command line: go on with `options`, or print `text` and end.
struct Parsed {
    Options options;
    std::optional<int> exitCode;
    QString text;  ///< for standard output when exitCode is 0, else for standard error
};

/// Needs no QApplication and no display. `arguments` begins with the program's name.
[[nodiscard]] Parsed parseOptions(const QStringList& arguments);

/// Stable names of the pages, in order: "shell", "trace", "task", "architecture", "training".
[[nodiscard]] const QStringList& modeNames();

}  // namespace lab::app
