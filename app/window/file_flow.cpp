#include "app/window/file_flow.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>

#include "app/dialogs/run_dialog.h"
#include "app/workbench.h"
#include "core/runs.h"

namespace lab::app {
namespace {

constexpr int kRecentCount = 8;
const QString kRecentKey = QStringLiteral("file/recent");

QString filter() {
    return FileFlow::tr("Experiments (*.toml);;All files (*)");
}

}  // namespace

FileFlow::FileFlow(Workbench& bench, QWidget& window)
    : QObject(&window), m_bench(bench), m_window(window) {}

bool FileFlow::mayLoseChanges() {
    if (!m_bench.document.isDirty()) {
        return true;
    }
    QMessageBox box(QMessageBox::Question, tr("Unsaved changes"),
                    tr("\"%1\" has changes that are not saved.").arg(m_bench.document.title()),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &m_window);
    box.setObjectName(QStringLiteral("askUnsaved"));
    box.setDefaultButton(QMessageBox::Save);
    const int answer = box.exec();
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save());
}

void FileFlow::newFromPreset(const QString& key) {
    if (mayLoseChanges()) {
        m_bench.openPreset(key);
    }
}

void FileFlow::open() {
    if (!mayLoseChanges()) {
        return;
    }
    const QString folder = m_bench.document.path().isEmpty()
                               ? QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)
                               : QFileInfo(m_bench.document.path()).absolutePath();
    const QString path =
        QFileDialog::getOpenFileName(&m_window, tr("Open experiment"), folder, filter());
    if (!path.isEmpty()) {
        openFile(path);
    }
}

void FileFlow::openFile(const QString& path) {
    m_bench.document.open(path);
    remember(path);
}

bool FileFlow::save() {
    if (m_bench.document.path().isEmpty()) {
        return saveAs();
    }
    m_bench.document.save(m_bench.document.path());
    remember(m_bench.document.path());
    return true;
}

bool FileFlow::saveAs() {
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QString suggestion =
        m_bench.document.path().isEmpty()
            ? folder + QLatin1Char('/') + m_bench.document.title() + QStringLiteral(".toml")
            : m_bench.document.path();
    QString path =
        QFileDialog::getSaveFileName(&m_window, tr("Save experiment"), suggestion, filter());
    if (path.isEmpty()) {
        return false;
    }
    if (QFileInfo(path).suffix().isEmpty()) {
        path += QStringLiteral(".toml");
    }
    m_bench.document.save(path);
    remember(path);
    return true;
}

void FileFlow::reopenRun() {
    RunDialog dialog(listRuns(m_bench.runs.store()), &m_window);
    if (dialog.exec() != QDialog::Accepted) {
        return;
    }
    for (const values::RunRecord& run : dialog.chosen()) {
        m_bench.openRun(run);
    }
}

QStringList FileFlow::recentFiles() {
    QStringList files = QSettings().value(kRecentKey).toStringList();
    files.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return files;
}

void FileFlow::remember(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    QStringList files = recentFiles();
    files.removeAll(absolute);
    files.prepend(absolute);
    files = files.mid(0, kRecentCount);
    QSettings().setValue(kRecentKey, files);
    emit recentChanged();
}

}  // namespace lab::app
