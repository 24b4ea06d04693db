// The text of the trace view: an editor that paints what a model thought behind the text it shows.
//
// Only the visible lines are looked at when painting, so the length of the text does not matter; a
// new reading of the same text costs one repaint.
#pragma once

#include <QPlainTextEdit>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "core/values/trace_reading.h"
#include "widgets/theme.h"

namespace lab::widgets {

class TraceEditor final : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit TraceEditor(QWidget* parent = nullptr);

    void setReading(std::shared_ptr<const values::TraceReading> reading);
    void setProblem(const std::optional<values::TranscriptProblem>& problem);
    void setEvent(int event);
    /// The token at a place of the text, lines and columns from 1; -1: none.
    [[nodiscard]] int tokenAt(int line, int column) const;
    /// The event whose command or output is on a line; -1: none.
    [[nodiscard]] int eventAtLine(int line) const;

signals:
    void transcriptEdited(const QString& transcript);
    void eventClicked(int event);
    void tokenSelected(int token);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void replaceText(const QString& text);
    void placeGutters();
    void followEvent();
    void selectToken();
    void paintGutter(QWidget& gutter) const;
    void paintNumber(QPainter& painter, const QRectF& line, int number, const Theme& theme) const;
    void paintSummary(QPainter& painter, const QRectF& line, int number, const Theme& theme) const;
    void paintTints(QPainter& painter, const QTextBlock& block, const Theme& theme) const;
    /// The frame of some characters of a block, in the viewport.
    [[nodiscard]] QRectF frameOf(const QTextBlock& block, int column, int length) const;
    /// Calls paint(block, frame of its whole line) for every visible line.
    template <class Paint>
    void forVisibleLines(Paint paint) const;

    std::shared_ptr<const values::TraceReading> m_reading;
    std::vector<int> m_firstToken;  // by line - 1; one more at the end
    std::optional<values::TranscriptProblem> m_problem;
    int m_event = -1;
    int m_token = -1;
    bool m_replacing = false;
    QTimer m_typed;  // runs while a change waits to be told
    // children of this
    QWidget* m_numbers;
    QWidget* m_summaries;
};

}  // namespace lab::widgets
