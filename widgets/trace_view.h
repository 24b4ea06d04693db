// The REPL transcript as editable text, tinted by how probable the model found each token.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "core/values/trace_reading.h"

class QLabel;

namespace lab::widgets {

class TraceEditor;

class TraceView final : public QWidget {
    Q_OBJECT

public:
    explicit TraceView(QWidget* parent = nullptr);

    /// Shared. The text is replaced only where it differs from what is shown, so the caret stays.
    void setReading(std::shared_ptr<const values::TraceReading> reading);
    /// Marks the place and shows the message above the text; nothing: both go.
    void setProblem(const std::optional<values::TranscriptProblem>& problem);
    /// The event whose line is highlighted and kept in view; -1: none.
    void setCursor(int event);
    void setEditable(bool editable);
    [[nodiscard]] QString transcript() const;

    [[nodiscard]] QSize sizeHint() const override { return {640, 480}; }

signals:
    /// 200 ms after the last keystroke.
    void transcriptEdited(const QString& transcript);
    void eventClicked(int event);
    /// The token under the caret, an index into the reading's tokens; -1: none.
    void tokenSelected(int token);

protected:
    void changeEvent(QEvent* event) override;

private:
    void showMessage();

    QString m_textProblem, m_modelProblem;
    TraceEditor* m_editor;  // child of this
    QLabel* m_message;      // child of this
};

}  // namespace lab::widgets
