// The model's best next tokens as bars with numbers; the true one is marked.
#pragma once

#include <QWidget>
#include <vector>

#include "core/values/trace_reading.h"

namespace lab::widgets {

class NextTokenBars final : public QWidget {
    Q_OBJECT

public:
    explicit NextTokenBars(QWidget* parent = nullptr);

    /// `context` is the text before the token, its last line is shown; `truth` the token that
    /// follows (empty: unknown). No candidates: the widget says that there is no model.
    void setCandidates(std::vector<values::Candidate> candidates, const QString& truth,
                       const QString& context);
    /// What a reading's token `index` shows; out of range clears.
    void setToken(const values::TraceReading& reading, int index);
    /// The most rows drawn; the rest is summed up. Default 6.
    void setRows(int rows);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {150, 80}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintRow(QPainter& painter, const QRectF& row, const values::Candidate& candidate) const;

    std::vector<values::Candidate> m_candidates;
    QString m_truth, m_context;
    int m_rows = 6;
};

/// The token that an event's belief is about: the printed value of a reveal, else the first token
/// of the event's line; -1 when there is none.
[[nodiscard]] int tellingToken(const values::TraceReading& reading, int event);

}  // namespace lab::widgets
