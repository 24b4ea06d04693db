#include "widgets/trace_view.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "widgets/theme.h"
#include "widgets/trace_editor.h"

namespace lab::widgets {
namespace {

// One line along the upper edge: what is wrong with the text, or why no model reads it.
void tellIn(QLabel& label, const QString& text, const QColor& mood) {
    label.setText(text);
    label.setVisible(!text.isEmpty());
    QPalette colours = label.palette();
    colours.setColor(QPalette::WindowText, mood);
    label.setPalette(colours);
}

}  // namespace

TraceView::TraceView(QWidget* parent)
    : QWidget(parent), m_editor(new TraceEditor(this)), m_message(new QLabel(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_message);
    column->addWidget(m_editor, 1);
    m_message->setWordWrap(true);
    m_message->setMargin(7);
    m_message->hide();
    setFocusProxy(m_editor);
    connect(m_editor, &TraceEditor::transcriptEdited, this, &TraceView::transcriptEdited);
    connect(m_editor, &TraceEditor::eventClicked, this, &TraceView::eventClicked);
    connect(m_editor, &TraceEditor::tokenSelected, this, &TraceView::tokenSelected);
}

void TraceView::setReading(std::shared_ptr<const values::TraceReading> reading) {
    m_modelProblem = reading ? QString::fromStdString(reading->modelProblem) : QString();
    m_editor->setReading(std::move(reading));
    showMessage();
}

void TraceView::setProblem(const std::optional<values::TranscriptProblem>& problem) {
    m_textProblem = problem ? tr("Line %1, column %2: %3")
                                  .arg(problem->line)
                                  .arg(problem->column)
                                  .arg(QString::fromStdString(problem->message))
                            : QString();
    m_editor->setProblem(problem);
    showMessage();
}

void TraceView::showMessage() {
    const Theme& theme = Theme::of(palette());
    if (!m_textProblem.isEmpty()) {
        tellIn(*m_message, m_textProblem, theme.bad);
    } else {
        tellIn(*m_message, m_modelProblem, theme.warning);
    }
}

void TraceView::setCursor(int event) {
    m_editor->setEvent(event);
}
void TraceView::setEditable(bool editable) {
    m_editor->setReadOnly(!editable);
}
QString TraceView::transcript() const {
    return m_editor->toPlainText();
}

void TraceView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_message != nullptr) {
        showMessage();
    }
}

}  // namespace lab::widgets
