#include "widgets/forms/fields.h"

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/forms/editors.h"
#include "widgets/forms/segmented_switch.h"
#include "widgets/paint.h"
#include "widgets/theme.h"

namespace lab::widgets {
namespace {

// A disc in the accent colour while the value is not the default; a click brings the default back.
class ChangedDot final : public QToolButton {
public:
    explicit ChangedDot(QWidget* parent) : QToolButton(parent) {
        setFixedSize(24, 24);
        setFocusPolicy(Qt::NoFocus);
        setAutoRaise(true);
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        if (!isEnabled()) {
            return;
        }
        const Theme& theme = Theme::of(palette());
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.accent);
        const double radius = underMouse() ? 4.5 : 3;
        painter.drawEllipse(QRectF(rect()).center(), radius, radius);
    }
};

}  // namespace

Field::Field(FieldText text, QWidget* parent)
    : QWidget(parent),
      m_text(std::move(text)),
      m_row(new QHBoxLayout),
      m_dot(new ChangedDot(this)),
      m_problem(new QLabel(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addLayout(m_row);
    column->addWidget(m_problem);
    m_row->setSpacing(6);
    m_problem->setWordWrap(true);
    m_problem->setFont(scaled(font(), 0.9));
    m_problem->hide();
    connect(m_dot, &QToolButton::clicked, this, &Field::resetToDefault);
    m_dot->setAccessibleName(tr("%1: back to the default").arg(m_text.label));
}

void Field::setEditor(QWidget* editor) {
    editor->setToolTip(m_text.help);
    editor->setAccessibleName(m_text.label);
    editor->setAccessibleDescription(m_text.help);
    setFocusProxy(editor);
    const bool isList = qobject_cast<QLineEdit*>(editor) != nullptr;
    m_row->addWidget(editor, isList ? 1 : 0);
    if (!m_text.unit.isEmpty()) {
        auto* unit = new QLabel(m_text.unit, this);
        unit->setForegroundRole(QPalette::PlaceholderText);
        m_row->addWidget(unit);
    }
    m_row->addWidget(m_dot, 0, Qt::AlignTop);
    m_row->addStretch();
    showDefault();
}

void Field::showDefault() {
    m_dot->setEnabled(!isDefault());
    m_dot->setToolTip(isDefault() ? QString() : tr("Changed. Click for the default."));
}

void Field::tellEdited() {
    showDefault();
    emit edited();
}

void Field::setProblem(const QString& problem) {
    if (problem == m_problem->text()) {
        return;
    }
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, Theme::of(palette()).bad);
    m_problem->setPalette(colours);
    if (focusProxy() != nullptr) {
        focusProxy()->setAccessibleDescription(problem.isEmpty() ? m_text.help : problem);
    }
    updateGeometry();
}

QString Field::problem() const {
    return m_problem->text();
}

void Field::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && !m_problem->text().isEmpty()) {
        const QString text = m_problem->text();
        m_problem->clear();
        setProblem(text);
    }
    QWidget::changeEvent(event);
}

IntegerField::IntegerField(FieldText text, int low, int high, int standard, QWidget* parent)
    : Field(std::move(text), parent), m_editor(new PatientSpinBox(this)), m_standard(standard) {
    m_editor->setRange(low, high);
    m_editor->setValue(standard);
    m_editor->setMinimumWidth(96);
    m_editor->setAlignment(Qt::AlignRight);
    connect(m_editor, &QSpinBox::valueChanged, this, &IntegerField::tellEdited);
    setEditor(m_editor);
}

int IntegerField::value() const {
    return m_editor->value();
}

void IntegerField::setValue(int value) {
    const QSignalBlocker quiet(m_editor);
    if (value != m_editor->value()) {
        m_editor->setValue(value);
    }
    showDefault();
}

bool IntegerField::isDefault() const {
    return m_editor->value() == m_standard;
}
void IntegerField::resetToDefault() {
    m_editor->setValue(m_standard);
}

NumberField::NumberField(FieldText text, double low, double high, double standard, QWidget* parent)
    : Field(std::move(text), parent), m_editor(new ScientificSpinBox(this)), m_standard(standard) {
    m_editor->setRange(low, high);
    m_editor->setValue(standard);
    m_editor->setFixedWidth(112);
    m_editor->setAlignment(Qt::AlignRight);
    connect(m_editor, &QDoubleSpinBox::valueChanged, this, &NumberField::tellEdited);
    setEditor(m_editor);
}

double NumberField::value() const {
    return m_editor->value();
}

void NumberField::setValue(double value) {
    const QSignalBlocker quiet(m_editor);
    if (value != m_editor->value()) {
        m_editor->setValue(value);
    }
    showDefault();
}

bool NumberField::isDefault() const {
    return m_editor->value() == m_standard;
}
void NumberField::resetToDefault() {
    m_editor->setValue(m_standard);
}

ChoiceField::ChoiceField(FieldText text, QStringList keys, const QStringList& titles,
                         const QString& standard, QWidget* parent)
    : Field(std::move(text), parent),
      m_editor(new PatientComboBox(this)),
      m_keys(std::move(keys)),
      m_standard(standard) {
    m_editor->addItems(titles);
    setValue(standard);
    connect(m_editor, &QComboBox::activated, this, &ChoiceField::tellEdited);
    setEditor(m_editor);
}

QString ChoiceField::value() const {
    return m_keys.value(m_editor->currentIndex());
}
int ChoiceField::index() const {
    return m_editor->currentIndex();
}

void ChoiceField::setValue(const QString& key) {
    setIndex(static_cast<int>(m_keys.indexOf(key)));
}

void ChoiceField::setIndex(int index) {
    m_editor->setCurrentIndex(index);
    showDefault();
}

bool ChoiceField::isDefault() const {
    return value() == m_standard;
}

void ChoiceField::resetToDefault() {
    if (!isDefault()) {
        setValue(m_standard);
        tellEdited();
    }
}

CheckField::CheckField(FieldText text, bool standard, QWidget* parent)
    : Field(std::move(text), parent), m_editor(new QCheckBox(this)), m_standard(standard) {
    m_editor->setChecked(standard);
    connect(m_editor, &QCheckBox::clicked, this, &CheckField::tellEdited);
    setEditor(m_editor);
}

bool CheckField::value() const {
    return m_editor->isChecked();
}

void CheckField::setValue(bool value) {
    m_editor->setChecked(value);
    showDefault();
}

bool CheckField::isDefault() const {
    return value() == m_standard;
}

void CheckField::resetToDefault() {
    if (!isDefault()) {
        setValue(m_standard);
        tellEdited();
    }
}

TextField::TextField(FieldText text, QString standard, QWidget* parent)
    : Field(std::move(text), parent),
      m_editor(new QLineEdit(standard, this)),
      m_standard(std::move(standard)) {
    connect(m_editor, &QLineEdit::textEdited, this, &TextField::tellEdited);
    setEditor(m_editor);
}

QString TextField::value() const {
    return m_editor->text();
}

void TextField::setValue(const QString& value) {
    if (value != m_editor->text()) {
        m_editor->setText(value);
    }
    showDefault();
}

bool TextField::isDefault() const {
    return value() == m_standard;
}

void TextField::resetToDefault() {
    if (!isDefault()) {
        setValue(m_standard);
        tellEdited();
    }
}

SwitchField::SwitchField(FieldText text, const QStringList& segments, int standard, QWidget* parent)
    : Field(std::move(text), parent),
      m_editor(new SegmentedSwitch(segments, this)),
      m_standard(standard) {
    m_editor->setCurrent(standard);
    connect(m_editor, &SegmentedSwitch::chosen, this, &SwitchField::tellEdited);
    setEditor(m_editor);
}

int SwitchField::index() const {
    return m_editor->current();
}

void SwitchField::setIndex(int index) {
    m_editor->setCurrent(index);
    showDefault();
}

bool SwitchField::isDefault() const {
    return index() == m_standard;
}

void SwitchField::resetToDefault() {
    if (!isDefault()) {
        setIndex(m_standard);
        tellEdited();
    }
}

}  // namespace lab::widgets
