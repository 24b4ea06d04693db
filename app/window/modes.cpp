#include "app/window/modes.h"

#include <QCoreApplication>

namespace lab::app {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Modes", text);
}

}  // namespace

std::vector<ModeRow> modeRows() {
    return {
        {QStringLiteral("shell"), tr("Shell game"),
         tr("Watch the cups, the exact belief and what each model believes")},
        {QStringLiteral("trace"), tr("Trace"), tr("Read and edit the REPL text, token by token")},
        {QStringLiteral("task"), tr("Task"), tr("Design the task, the curriculum and the recipe")},
        {QStringLiteral("architecture"), tr("Architecture"),
         tr("Design the models that are trained side by side")},
        {QStringLiteral("training"), tr("Training"),
         tr("Start and steer training, and compare runs")},
    };
}

}  // namespace lab::app
