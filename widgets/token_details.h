// What the model thought at one token: its ten best candidates, probability and surprise.
#pragma once

#include <QWidget>

#include "core/values/trace_reading.h"

class QLabel;

namespace lab::widgets {

class NextTokenBars;

class TokenDetails final : public QWidget {
    Q_OBJECT

public:
    explicit TokenDetails(QWidget* parent = nullptr);
    /// Out of range: asks to choose a token.
    void setToken(const values::TraceReading& reading, int token);
    void clear();

private:
    QLabel* m_title;        // child of this
    QLabel* m_facts;        // child of this
    NextTokenBars* m_bars;  // child of this
};

}  // namespace lab::widgets
