#include "app/dialogs/help_dialogs.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QTabWidget>
#include <QTableWidget>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "app/start/logging.h"
#include "app/window/actions.h"
#include "core/catalog.h"
#include "core/runs.h"

namespace lab::app {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("HelpDialogs", text);
}

QString text(const std::string& bytes) {
    return QString::fromStdString(bytes);
}

QTableWidget* table(const QStringList& titles, QWidget* parent) {
    auto* rows = new QTableWidget(0, static_cast<int>(titles.size()), parent);
    rows->setHorizontalHeaderLabels(titles);
    rows->verticalHeader()->hide();
    rows->horizontalHeader()->setStretchLastSection(true);
    rows->setEditTriggers(QAbstractItemView::NoEditTriggers);
    rows->setSelectionBehavior(QAbstractItemView::SelectRows);
    rows->setAlternatingRowColors(true);
    rows->setWordWrap(true);
    return rows;
}

void addRow(QTableWidget& rows, const QStringList& cells) {
    const int at = rows.rowCount();
    rows.insertRow(at);
    for (int column = 0; column < cells.size(); ++column) {
        rows.setItem(at, column, new QTableWidgetItem(cells.at(column)));
    }
}

QWidget* aboutText(QWidget* parent) {
    auto* about = new QTextBrowser(parent);
    about->setOpenExternalLinks(true);
    about->setFrameShape(QFrame::NoFrame);
    about->setHtml(
        tr("<h2>Thimblerig %1</h2>"
           "<p>A visual lab for state tracking in sequence models: watch cups, exact beliefs and "
           "a model's beliefs while it learns.</p>"
           "<p>This program is free software under the <b>GNU General Public License, version 3 "
           "or later</b>; it comes with no warranty. The folders kernels, tasks and core are "
           "under the <b>Apache License 2.0</b>.</p>"
           "<p>It stands on Qt %2 (LGPL-3), QCustomPlot (GPL-3), LibTorch (BSD-3), SQLite and "
           "SQLiteCpp (public domain, MIT), toml++, nlohmann-json, fmt and spdlog (MIT), and "
           "Boost (BSL-1.0).</p>"
           "<p>Runs are kept in %3<br>Log file: %4<br>Nothing leaves this machine.</p>")
            .arg(QString::fromUtf8(lab::version().data(),
                                   static_cast<qsizetype>(lab::version().size())),
                 QString::fromLatin1(qVersion()), text(defaultStore().string()),
                 text(logFile().string())));
    return about;
}

QWidget* findings(QWidget* parent) {
    auto* rows = table({tr("What"), tr("Found")}, parent);
    rows->setObjectName(QStringLiteral("findings"));
    for (const DoctorLine& line : doctor()) {
        addRow(*rows, {text(line.key),
                       line.good ? text(line.value) : tr("\u26A0 %1").arg(text(line.value))});
    }
    rows->resizeColumnToContents(0);
    rows->resizeRowsToContents();
    return rows;
}

void run(QDialog& dialog, QWidget* content) {
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, &dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* column = new QVBoxLayout(&dialog);
    column->addWidget(content);
    column->addWidget(buttons);
    dialog.exec();
}

}  // namespace

void showAbout(QWidget& parent) {
    QDialog dialog(&parent);
    dialog.setObjectName(QStringLiteral("aboutDialog"));
    dialog.setWindowTitle(tr("About Thimblerig"));
    dialog.resize(620, 460);
    auto* tabs = new QTabWidget(&dialog);
    tabs->addTab(aboutText(tabs), tr("About"));
    tabs->addTab(findings(tabs), tr("This machine"));
    run(dialog, tabs);
}

void showShortcuts(const Actions& actions, QWidget& parent) {
    QDialog dialog(&parent);
    dialog.setObjectName(QStringLiteral("shortcutsDialog"));
    dialog.setWindowTitle(tr("Shortcuts"));
    dialog.resize(680, 560);
    auto* rows = table({tr("Action"), tr("Keys"), tr("What it does")}, &dialog);
    for (const QAction* action : actions.all()) {
        QString name = action->text();
        name.remove(QLatin1Char('&'));
        addRow(*rows,
               {name, QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText),
                action->statusTip()});
    }
    rows->resizeColumnsToContents();
    run(dialog, rows);
}

}  // namespace lab::app
