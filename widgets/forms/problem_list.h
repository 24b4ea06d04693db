// Every problem of a spec; a click asks to go to the field.
#pragma once

#include <QListWidget>
#include <vector>

#include "core/values/experiment_spec.h"

namespace lab::widgets {

class ProblemList final : public QListWidget {
    Q_OBJECT

public:
    explicit ProblemList(QWidget* parent = nullptr);
    /// None: says that everything is ready.
    void setProblems(const std::vector<values::Problem>& problems);

    [[nodiscard]] QSize sizeHint() const override { return {240, 96}; }

signals:
    void jumpTo(const QString& field);

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    std::vector<values::Problem> m_problems;
};

}  // namespace lab::widgets
