#include "app/document/experiment_document.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QUndoCommand>

#include "core/catalog.h"
#include "core/values/lab_error.h"

namespace lab::app {
namespace {

constexpr qint64 kMergeMs = 1200;         ///< a pause this long begins a new step
constexpr qint64 kLargestFile = 1 << 20;  ///< bytes; a spec is a few kilobytes

[[noreturn]] void refuse(const QString& message) {
    throw values::LabError(values::LabError::Kind::kInvalidInput, message.toStdString());
}

}  // namespace

/// Replaces the whole spec: values are small, and undo is then right by construction.
class SpecCommand final : public QUndoCommand {
public:
    SpecCommand(ExperimentDocument& document, values::ExperimentSpec next, const QString& text,
                QString mergeKey)
        : QUndoCommand(text),
          m_document(document),
          m_before(document.spec()),
          m_after(std::move(next)),
          m_mergeKey(std::move(mergeKey)) {
        m_age.start();
    }

    void undo() override { m_document.put(m_before); }
    void redo() override { m_document.put(m_after); }
    [[nodiscard]] int id() const override { return m_mergeKey.isEmpty() ? -1 : 1; }

    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = static_cast<const SpecCommand*>(other);
        if (next->m_mergeKey != m_mergeKey || m_age.elapsed() > kMergeMs) {
            return false;
        }
        m_after = next->m_after;
        m_age.restart();
        setObsolete(m_after == m_before);
        return true;
    }

private:
    ExperimentDocument& m_document;
    values::ExperimentSpec m_before;
    values::ExperimentSpec m_after;
    QString m_mergeKey;
    QElapsedTimer m_age;
};

ExperimentDocument::ExperimentDocument(QObject* parent)
    : QObject(parent), m_problems(values::problemsIn(m_spec)) {
    connect(&m_history, &QUndoStack::cleanChanged, this, &ExperimentDocument::fileChanged);
}

void ExperimentDocument::edit(const values::ExperimentSpec& next, const QString& text,
                              const QString& mergeKey) {
    if (next != m_spec) {
        m_history.push(new SpecCommand(*this, next, text, mergeKey));
    }
}

void ExperimentDocument::put(const values::ExperimentSpec& spec) {
    m_spec = spec;
    m_problems = values::problemsIn(m_spec);
    emit specChanged();
}

void ExperimentDocument::reset(values::ExperimentSpec spec) {
    m_history.clear();
    m_path.clear();
    m_fileText.clear();
    put(spec);
    emit fileChanged();
}

void ExperimentDocument::open(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        refuse(tr("%1 cannot be read: %2").arg(path, file.errorString()));
    }
    if (file.size() > kLargestFile) {
        refuse(tr("%1 is larger than 1 MiB, so it is not an experiment file").arg(path));
    }
    std::string text = file.readAll().toStdString();
    auto spec = fromToml(text, path.toStdString());
    reset(std::move(spec));
    m_fileText = std::move(text);
    m_path = QFileInfo(path).absoluteFilePath();
    emit fileChanged();
}

void ExperimentDocument::save(const QString& path) {
    const std::string text = toToml(m_spec, m_fileText);
    QSaveFile file(path);
    const auto bytes = QByteArray::fromStdString(text);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
        refuse(tr("%1 cannot be written: %2").arg(path, file.errorString()));
    }
    m_fileText = text;
    m_path = QFileInfo(path).absoluteFilePath();
    m_history.setClean();
    emit fileChanged();
}

QString ExperimentDocument::title() const {
    return m_path.isEmpty() ? QString::fromStdString(m_spec.name) : QFileInfo(m_path).fileName();
}

}  // namespace lab::app
