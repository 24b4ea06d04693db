// A column of sections with fields; hands problems to the field they belong to.
#pragma once

#include <QWidget>
#include <span>
#include <vector>

#include "core/values/experiment_spec.h"
#include "widgets/forms/fields.h"

class QGridLayout;

namespace lab::widgets {

class Form final : public QWidget {
    Q_OBJECT

public:
    explicit Form(QWidget* parent = nullptr);

    /// `note` is one muted sentence under the title, or empty.
    void addSection(const QString& title, const QString& note = {});
    /// Adds and owns the field; returns it. Its edits are told by edited(path).
    template <class F>
    F* add(F* field) {
        place(field);
        return field;
    }
    /// A row without a label, e.g. a picture.
    void addWide(QWidget* widget);
    void setFieldVisible(const QString& path, bool visible);

    /// Shows each problem at its field: the one with the same path or the longest beginning of it.
    void setProblems(std::span<const values::Problem> problems);
    /// Focuses the field that answers to `path`; false when there is none.
    bool jumpTo(const QString& path);

signals:
    void edited(const QString& path);

private:
    void place(Field* field);
    [[nodiscard]] Field* fieldFor(const QString& path) const;

    struct Row {
        Field* field;    // child of this
        QWidget* label;  // child of this
    };
    std::vector<Row> m_rows;
    QGridLayout* m_grid;  // child of this
    int m_next = 0;
};

}  // namespace lab::widgets
