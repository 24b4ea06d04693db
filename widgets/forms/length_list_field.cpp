#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/forms/editors.h"
#include "widgets/forms/fields.h"
#include "widgets/icons.h"

namespace lab::widgets {
namespace {

QToolButton* smallButton(const QString& icon, const QString& text, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setIcon(lineIcon(icon));
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    return button;
}

}  // namespace

LengthListField::LengthListField(FieldText text, std::vector<values::TraceLength> standard,
                                 QWidget* parent)
    : Field(std::move(text), parent), m_lengths(standard), m_standard(std::move(standard)) {
    auto* list = new QWidget(this);
    m_rows = new QVBoxLayout(list);
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(3);
    setEditor(list);
    rebuild();
}

std::vector<values::TraceLength> LengthListField::value() const {
    return m_lengths;
}

void LengthListField::setValue(const std::vector<values::TraceLength>& lengths) {
    if (lengths != m_lengths) {
        m_lengths = lengths;
        rebuild();
    }
    showDefault();
}

bool LengthListField::isDefault() const {
    return m_lengths == m_standard;
}

void LengthListField::resetToDefault() {
    if (!isDefault()) {
        setValue(m_standard);
        tellEdited();
    }
}

void LengthListField::change(std::vector<values::TraceLength> lengths) {
    m_lengths = std::move(lengths);
    // Later: the button or editor that asked for this may be one of those that rebuild() deletes.
    QMetaObject::invokeMethod(this, &LengthListField::rebuild, Qt::QueuedConnection);
    tellEdited();
}

void LengthListField::addRow(std::size_t at) {
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    const auto number = [&](int values::TraceLength::*member, const QString& name) {
        auto* editor = new PatientSpinBox(this);
        editor->setRange(1, 100'000);
        editor->setValue(m_lengths[at].*member);
        editor->setAlignment(Qt::AlignRight);
        editor->setMinimumWidth(78);
        editor->setAccessibleName(tr("%1 %2: %3").arg(label()).arg(at + 1).arg(name));
        editor->setToolTip(name);
        connect(editor, &QSpinBox::valueChanged, this, [this, at, member](int value) {
            m_lengths[at].*member = value;
            tellEdited();
        });
        row->addWidget(editor);
    };
    number(&values::TraceLength::commands, tr("commands"));
    auto* every = new QLabel(tr("print every"), this);
    every->setForegroundRole(QPalette::PlaceholderText);
    row->addWidget(every);
    number(&values::TraceLength::spacing, tr("commands between two prints"));
    auto* up = smallButton(QStringLiteral("up"), tr("Move up"), this);
    up->setEnabled(at > 0);
    connect(up, &QToolButton::clicked, this, [this, at] {
        auto lengths = m_lengths;
        std::swap(lengths[at], lengths[at - 1]);
        change(std::move(lengths));
    });
    row->addWidget(up);
    auto* gone = smallButton(QStringLiteral("remove"), tr("Remove"), this);
    connect(gone, &QToolButton::clicked, this, [this, at] {
        auto lengths = m_lengths;
        lengths.erase(lengths.begin() + static_cast<std::ptrdiff_t>(at));
        change(std::move(lengths));
    });
    row->addWidget(gone);
    auto* holder = new QWidget(this);
    row->setContentsMargins(0, 0, 0, 0);
    holder->setLayout(row);
    m_rows->addWidget(holder, 0, Qt::AlignLeft);
}

void LengthListField::rebuild() {
    while (QLayoutItem* old = m_rows->takeAt(0)) {
        delete old->widget();
        delete old;
    }
    for (std::size_t i = 0; i < m_lengths.size(); ++i) {
        addRow(i);
    }
    auto* more = smallButton(QStringLiteral("add"), tr("Add a length: twice the last one"), this);
    connect(more, &QToolButton::clicked, this, [this] {
        auto lengths = m_lengths;
        const auto last = lengths.empty() ? values::TraceLength{4, 1} : lengths.back();
        lengths.push_back(
            lengths.empty() ? last : values::TraceLength{last.commands * 2, last.spacing * 2});
        change(std::move(lengths));
    });
    m_rows->addWidget(more, 0, Qt::AlignLeft);
}

}  // namespace lab::widgets
