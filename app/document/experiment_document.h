// The experiment that is open: its spec, its file and its history.
//
// Every change is a command on one undo stack, so undo after any edit gives the spec from before,
// and the dirty mark is the stack's. Keys of the file that the schema does not know survive saving.
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <string>
#include <vector>

#include "core/values/experiment_spec.h"

namespace lab::app {

class ExperimentDocument final : public QObject {
    Q_OBJECT

public:
    explicit ExperimentDocument(QObject* parent = nullptr);

    [[nodiscard]] const values::ExperimentSpec& spec() const noexcept { return m_spec; }
    /// All of them, in field order; empty when training can start.
    [[nodiscard]] const std::vector<values::Problem>& problems() const noexcept {
        return m_problems;
    }

    /// Does nothing when `next` equals the spec. Edits with the same non-empty `mergeKey` that
    /// follow each other closely (a drag, typing) become one step of the history.
    void edit(const values::ExperimentSpec& next, const QString& text,
              const QString& mergeKey = {});

    /// A new document without a file, clean; the history is cleared.
    void reset(values::ExperimentSpec spec);
    /// Throw LabError{kInvalidInput}; the document is then as it was.
    void open(const QString& path);
    void save(const QString& path);

    [[nodiscard]] QString path() const { return m_path; }  ///< empty: never saved
    [[nodiscard]] QString title() const;                   ///< file name, or the experiment's name
    [[nodiscard]] bool isDirty() const { return !m_history.isClean(); }
    [[nodiscard]] QUndoStack& history() noexcept { return m_history; }

signals:
    void specChanged();
    void fileChanged();  ///< path, title or dirty mark

private:
    friend class SpecCommand;
    void put(const values::ExperimentSpec& spec);

    values::ExperimentSpec m_spec;
    std::vector<values::Problem> m_problems;
    QString m_path;
    std::string m_fileText;  ///< as read or written last; holds the keys to keep
    QUndoStack m_history;
};

}  // namespace lab::app
