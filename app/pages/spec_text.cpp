#include "app/pages/spec_text.h"

#include <QCoreApplication>
#include <QLocale>

namespace lab::app {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("SpecText", text);
}

}  // namespace

QString commandsText(values::CommandSet commands) {
    switch (commands) {
        case values::CommandSet::kSwaps: return tr("swaps");
        case values::CommandSet::kAdjacentSwaps: return tr("swaps of neighbours");
        case values::CommandSet::kThreePoints: return tr("at most three points moved");
        case values::CommandSet::kPermutations: return tr("full permutations");
    }
    return {};
}

QString taskText(const values::TaskSpec& task) {
    if (task.kind == values::TaskKind::kWordProblem) {
        return tr("Word problem over %1").arg(QString::fromStdString(task.group));
    }
    return tr("%1 cups, %2").arg(task.variables).arg(commandsText(task.commands));
}

QString lengthText(const values::TraceLength& length) {
    return QStringLiteral("(%1, %2)").arg(length.commands).arg(length.spacing);
}

QString percentText(double fraction) {
    return tr("%1 %").arg(QLocale().toString(100 * fraction, 'f', 1));
}

}  // namespace lab::app
