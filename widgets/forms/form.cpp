#include "widgets/forms/form.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <algorithm>
#include <map>

#include "widgets/paint.h"

namespace lab::widgets {

Form::Form(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this)) {
    m_grid->setColumnStretch(1, 1);
    m_grid->setHorizontalSpacing(16);
    m_grid->setVerticalSpacing(7);
    m_grid->setContentsMargins(16, 12, 12, 12);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
}

void Form::addSection(const QString& title, const QString& note) {
    if (m_next > 0) {
        m_grid->setRowMinimumHeight(m_next++, 8);
    }
    auto* heading = new QLabel(title, this);
    heading->setFont(strong(scaled(font(), 1.12)));
    m_grid->addWidget(heading, m_next++, 0, 1, 2);
    if (!note.isEmpty()) {
        auto* words = new QLabel(note, this);
        words->setWordWrap(true);
        words->setForegroundRole(QPalette::PlaceholderText);
        m_grid->addWidget(words, m_next++, 0, 1, 2);
    }
}

void Form::addWide(QWidget* widget) {
    m_grid->addWidget(widget, m_next++, 0, 1, 2);
}

void Form::place(Field* field) {
    auto* label = new QLabel(field->label(), this);
    label->setBuddy(field);
    label->setToolTip(field->help());
    label->setMinimumHeight(28);
    m_grid->addWidget(label, m_next, 0, Qt::AlignTop | Qt::AlignLeft);
    m_grid->addWidget(field, m_next, 1);
    ++m_next;
    m_rows.push_back({field, label});
    connect(field, &Field::edited, this, [this, field] { emit edited(field->path()); });
}

void Form::setFieldVisible(const QString& path, bool visible) {
    for (const Row& row : m_rows) {
        if (row.field->path() == path) {
            row.field->setVisible(visible);
            row.label->setVisible(visible);
        }
    }
}

Field* Form::fieldFor(const QString& path) const {
    Field* best = nullptr;
    for (const Row& row : m_rows) {
        const QString& own = row.field->path();
        const bool within =
            path == own ||
            (path.startsWith(own) && own.size() < path.size() &&
             (path[own.size()] == QLatin1Char('.') || path[own.size()] == QLatin1Char('[')));
        if (within && (best == nullptr || own.size() > best->path().size())) {
            best = row.field;
        }
    }
    return best;
}

void Form::setProblems(std::span<const values::Problem> problems) {
    std::map<Field*, QStringList> byField;
    for (const values::Problem& problem : problems) {
        const QString path = QString::fromStdString(problem.field);
        if (Field* field = fieldFor(path)) {
            const QString text = QString::fromStdString(problem.text);
            const QString inner = path.mid(field->path().size());
            byField[field] << (inner.isEmpty() ? text : inner + QLatin1Char(' ') + text);
        }
    }
    for (const Row& row : m_rows) {
        row.field->setProblem(byField[row.field].join(QLatin1Char('\n')));
    }
}

bool Form::jumpTo(const QString& path) {
    Field* field = fieldFor(path);
    if (field == nullptr) {
        return false;
    }
    for (QWidget* above = parentWidget(); above != nullptr; above = above->parentWidget()) {
        if (auto* scroll = qobject_cast<QScrollArea*>(above)) {
            scroll->ensureWidgetVisible(field);
            break;
        }
    }
    field->setFocus(Qt::OtherFocusReason);
    return true;
}

}  // namespace lab::widgets
