#include "widgets/trace_editor.h"

#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "widgets/paint.h"
#include "widgets/repl_highlighter.h"

namespace lab::widgets {
namespace {

using values::TokenKind;

void drawWave(QPainter& painter, const QRectF& under, const QColor& colour) {
    QPainterPath wave(under.bottomLeft() - QPointF(3, 0));
    double up = -3;
    for (double x = under.left() - 3; x < under.right(); x += 3, up = -3 - up) {
        wave.lineTo(x + 3, under.bottom() + up);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 1.6));
    painter.drawPath(wave);
}

QColor tintOf(const values::TokenReading& token, const Theme& theme) {
    if (token.kind == TokenKind::kOutput) {
        return token.mistake ? withAlpha(theme.bad, 0.3)
                             : withAlpha(theme.good, 0.14 + 0.26 * token.probability);
    }
    return withAlpha(theme.warning, 0.34 * (1 - token.probability));
}

}  // namespace

TraceEditor::TraceEditor(QWidget* parent)
    : QPlainTextEdit(parent), m_numbers(new QWidget(this)), m_summaries(new QWidget(this)) {
    setFont(monospaced(font(), 1.1));
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setFrameShape(QFrame::NoFrame);
    setTabChangesFocus(true);
    setAccessibleName(tr("Trace as a Python session"));
    new ReplHighlighter(document(), *this);
    for (QWidget* gutter : {m_numbers, m_summaries}) {
        gutter->installEventFilter(this);
        gutter->setFont(scaled(font(), 0.86));
    }
    m_typed.setSingleShot(true);
    m_typed.setInterval(std::chrono::milliseconds(200));
    connect(&m_typed, &QTimer::timeout, this, [this] { emit transcriptEdited(toPlainText()); });
    connect(document(), &QTextDocument::contentsChange, this,
            [this](int /*at*/, int removed, int added) {
                if (!m_replacing && (removed > 0 || added > 0)) {
                    m_typed.start();
                }
            });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, &TraceEditor::selectToken);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& /*area*/, int /*dy*/) {
        m_numbers->update();
        m_summaries->update();
    });
    placeGutters();
}

void TraceEditor::setReading(std::shared_ptr<const values::TraceReading> reading) {
    const bool sameText = m_reading && reading && m_reading->transcript == reading->transcript;
    m_reading = std::move(reading);
    m_firstToken.clear();
    const std::string transcript = m_reading ? m_reading->transcript : std::string();
    if (m_reading) {
        int line = 0;
        for (std::size_t i = 0; i < m_reading->tokens.size(); ++i) {
            for (; line < m_reading->tokens[i].line; ++line) {
                m_firstToken.push_back(static_cast<int>(i));
            }
        }
        m_firstToken.push_back(static_cast<int>(m_reading->tokens.size()));
    }
    if (!sameText && !m_typed.isActive()) {
        replaceText(QString::fromStdString(transcript));
    }
    selectToken();
    viewport()->update();
    m_summaries->update();
}

// Replaces only what lies between the common beginning and end, so the caret stays where it is.
void TraceEditor::replaceText(const QString& text) {
    const QString old = toPlainText();
    if (old == text) {
        return;
    }
    const auto limit = std::min(old.size(), text.size());
    qsizetype head = 0;
    while (head < limit && old[head] == text[head]) {
        ++head;
    }
    qsizetype tail = 0;
    while (tail < limit - head && old[old.size() - 1 - tail] == text[text.size() - 1 - tail]) {
        ++tail;
    }
    m_replacing = true;
    QTextCursor cursor(document());
    cursor.setPosition(static_cast<int>(head));
    cursor.setPosition(static_cast<int>(old.size() - tail), QTextCursor::KeepAnchor);
    cursor.insertText(text.mid(head, text.size() - head - tail));
    m_replacing = false;
    placeGutters();
}

void TraceEditor::setProblem(const std::optional<values::TranscriptProblem>& problem) {
    m_problem = problem;
    viewport()->update();
    m_numbers->update();
}

void TraceEditor::setEvent(int event) {
    if (event == m_event) {
        return;
    }
    m_event = event;
    viewport()->update();
    followEvent();
}

// Scrolls so far that two lines before the event and three after it are in view.
void TraceEditor::followEvent() {
    const int event = m_event;
    if (!m_reading || event < 0 || event >= static_cast<int>(m_reading->events.size())) {
        return;
    }
    const int line = m_reading->events[static_cast<std::size_t>(event)].line - 1;
    const int visible =
        std::max(1, viewport()->height() / std::max(1, fontMetrics().lineSpacing()));
    auto* scroll = verticalScrollBar();
    if (line < scroll->value() + 2) {
        scroll->setValue(line - 2);
    } else if (line > scroll->value() + visible - 4) {
        scroll->setValue(line - visible + 4);
    }
}

int TraceEditor::tokenAt(int line, int column) const {
    if (line < 1 || line >= static_cast<int>(m_firstToken.size())) {
        return -1;
    }
    const auto at = static_cast<std::size_t>(line);
    for (int i = m_firstToken[at - 1]; i < m_firstToken[at]; ++i) {
        const values::TokenReading& token = m_reading->tokens[static_cast<std::size_t>(i)];
        if (column >= token.column &&
            column < token.column + std::max(1, static_cast<int>(token.text.size()))) {
            return i;
        }
    }
    return -1;
}

int TraceEditor::eventAtLine(int line) const {
    if (line < 1 || line >= static_cast<int>(m_firstToken.size())) {
        return -1;
    }
    const auto at = static_cast<std::size_t>(line);
    for (int i = m_firstToken[at - 1]; i < m_firstToken[at]; ++i) {
        if (const int event = m_reading->tokens[static_cast<std::size_t>(i)].event; event >= 0) {
            return event;
        }
    }
    return -1;
}

void TraceEditor::selectToken() {
    const QTextCursor cursor = textCursor();
    const int line = cursor.blockNumber() + 1;
    int token = tokenAt(line, cursor.positionInBlock() + 1);
    if (token < 0) {  // at the end of a lexeme
        token = tokenAt(line, cursor.positionInBlock());
    }
    if (token != m_token) {
        m_token = token;
        viewport()->update();
        emit tokenSelected(token);
    }
}

void TraceEditor::mouseReleaseEvent(QMouseEvent* event) {
    QPlainTextEdit::mouseReleaseEvent(event);
    const int clicked = eventAtLine(textCursor().blockNumber() + 1);
    if (clicked >= 0 && !textCursor().hasSelection()) {
        emit eventClicked(clicked);
    }
}

QRectF TraceEditor::frameOf(const QTextBlock& block, int column, int length) const {
    const QRectF line = blockBoundingGeometry(block).translated(contentOffset());
    const QTextLine layout = block.layout()->lineForTextPosition(column);
    if (!layout.isValid()) {
        return {};
    }
    const double left = layout.cursorToX(column);
    const double right = layout.cursorToX(std::min(column + length, block.length() - 1));
    return {line.left() + left, line.top(), std::max(right - left, 5.0), line.height()};
}

template <class Paint>
void TraceEditor::forVisibleLines(Paint paint) const {
    QTextBlock block = firstVisibleBlock();
    QRectF frame = blockBoundingGeometry(block).translated(contentOffset());
    while (block.isValid() && frame.top() <= viewport()->height()) {
        paint(block, frame);
        block = block.next();
        frame = blockBoundingGeometry(block).translated(contentOffset());
    }
}

void TraceEditor::paintTints(QPainter& painter, const QTextBlock& block, const Theme& theme) const {
    const auto line = static_cast<std::size_t>(block.blockNumber());
    if (line + 1 >= m_firstToken.size()) {
        return;
    }
    const QString text = block.text();
    for (int i = m_firstToken[line]; i < m_firstToken[line + 1]; ++i) {
        const values::TokenReading& token = m_reading->tokens[static_cast<std::size_t>(i)];
        const QString word = QString::fromStdString(token.text);
        const bool shown = text.mid(token.column - 1, word.size()) == word;
        if (!shown || word == QLatin1String("\n")) {
            continue;
        }
        const QRectF frame = frameOf(block, token.column - 1, static_cast<int>(word.size()));
        if (token.probability >= 0) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(tintOf(token, theme));
            painter.drawRoundedRect(frame.adjusted(-1, 1, 1, -1), 3, 3);
        }
        if (token.mistake) {
            drawWave(painter, frame, theme.bad);
        }
        if (i == m_token) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.accent, 1.2));
            painter.drawRoundedRect(frame.adjusted(-1.5, 0.5, 1.5, -0.5), 3, 3);
        }
    }
}

void TraceEditor::paintEvent(QPaintEvent* event) {
    {
        const Theme& theme = Theme::of(palette());
        QPainter painter(viewport());
        painter.setRenderHint(QPainter::Antialiasing);
        forVisibleLines([&](const QTextBlock& block, const QRectF& frame) {
            const int number = block.blockNumber() + 1;
            const QRectF row(0, frame.top(), viewport()->width(), frame.height());
            if (m_event >= 0 && eventAtLine(number) == m_event) {
                painter.fillRect(row, withAlpha(theme.accent, 0.13));
                painter.fillRect(QRectF(0, row.top(), 3, row.height()), theme.accent);
            }
            paintTints(painter, block, theme);
            if (m_problem && m_problem->line == number) {
                painter.fillRect(row, withAlpha(theme.bad, 0.12));
                const int column = std::clamp(m_problem->column - 1, 0, block.length() - 1);
                const QString rest = block.text().mid(column);
                static const QRegularExpression wordEnd(QStringLiteral("\\W|$"));
                const auto length = static_cast<int>(rest.indexOf(wordEnd, 1));
                drawWave(painter, frameOf(block, column, std::max(1, length)).adjusted(0, 0, 3, 0),
                         theme.bad);
            }
        });
    }
    QPlainTextEdit::paintEvent(event);
}

void TraceEditor::placeGutters() {
    const QFontMetrics metrics(m_numbers->font());
    const auto digits = std::max<qsizetype>(3, QString::number(blockCount()).size());
    const int left = metrics.horizontalAdvance(QLatin1Char('8')) * static_cast<int>(digits) + 18;
    const int right = metrics.horizontalAdvance(QStringLiteral("0.88  88.8 bit")) + 64;
    setViewportMargins(left, 0, right, 0);
    const QRect inside = contentsRect();
    const int tall = viewport()->height();
    m_numbers->setGeometry(inside.left(), inside.top(), left, tall);
    m_summaries->setGeometry(viewport()->geometry().right() + 1, inside.top(), right, tall);
}

void TraceEditor::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    placeGutters();
    followEvent();
}

void TraceEditor::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        const bool replacing = std::exchange(m_replacing, true);
        if (auto* highlighter = document()->findChild<QSyntaxHighlighter*>()) {
            highlighter->rehighlight();
        }
        m_replacing = replacing;
    }
}

bool TraceEditor::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Paint && (watched == m_numbers || watched == m_summaries)) {
        paintGutter(static_cast<QWidget&>(*watched));
        return true;
    }
    return QPlainTextEdit::eventFilter(watched, event);
}

void TraceEditor::paintGutter(QWidget& gutter) const {
    const Theme& theme = Theme::of(palette());
    QPainter painter(&gutter);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(gutter.rect(), theme.surface);
    painter.setFont(gutter.font());
    forVisibleLines([&](const QTextBlock& block, const QRectF& frame) {
        const QRectF line(0, frame.top(), gutter.width(), frame.height());
        const int number = block.blockNumber() + 1;
        if (&gutter == m_numbers) {
            paintNumber(painter, line, number, theme);
        } else {
            paintSummary(painter, line, number, theme);
        }
    });
}

void TraceEditor::paintNumber(QPainter& painter, const QRectF& line, int number,
                              const Theme& theme) const {
    const bool wrong = m_problem && m_problem->line == number;
    const bool current = m_event >= 0 && eventAtLine(number) == m_event;
    painter.setPen(wrong ? theme.bad : current ? theme.accent : theme.mutedText);
    painter.drawText(line.adjusted(0, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(number));
}

// A printed line: bar and probability of the value. Every line: the surprise of all of it.
void TraceEditor::paintSummary(QPainter& painter, const QRectF& line, int number,
                               const Theme& theme) const {
    const auto at = static_cast<std::size_t>(number);
    if (at >= m_firstToken.size()) {
        return;
    }
    double bits = 0;
    bool known = false;
    const values::TokenReading* printed = nullptr;
    for (int i = m_firstToken[at - 1]; i < m_firstToken[at]; ++i) {
        const values::TokenReading& token = m_reading->tokens[static_cast<std::size_t>(i)];
        if (token.probability >= 0) {
            bits -= std::log2(std::max(token.probability, 1e-12));
            known = true;
            printed = token.kind == TokenKind::kOutput ? &token : printed;
        }
    }
    if (!known) {
        return;
    }
    const QLocale locale;
    painter.setPen(theme.mutedText);
    painter.drawText(line.adjusted(0, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter,
                     tr("%1 bit").arg(locale.toString(std::max(bits, 0.0), 'f', 1)));
    if (printed != nullptr) {
        const QColor colour = printed->mistake ? theme.bad : theme.good;
        drawBar(painter, {line.left() + 10, line.center().y() - 3.5, 44, 7}, printed->probability,
                colour, withAlpha(theme.text, 0.12));
        painter.setPen(printed->mistake ? theme.bad : theme.text);
        painter.drawText(line.adjusted(60, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         locale.toString(printed->probability, 'f', 2));
    }
}

}  // namespace lab::widgets
