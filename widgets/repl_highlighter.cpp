#include "widgets/repl_highlighter.h"

#include <QRegularExpression>
#include <QWidget>

#include "widgets/theme.h"

namespace lab::widgets {

ReplHighlighter::ReplHighlighter(QTextDocument* document, const QWidget& editor)
    : QSyntaxHighlighter(document), m_editor(editor) {}

void ReplHighlighter::highlightBlock(const QString& text) {
    static const QRegularExpression lexeme(
        QStringLiteral("(>>>)|('[^']*'?)|([A-Za-z_]\\w*)|(\\d+)|([^\\s\\w])"));
    const Theme& theme = Theme::of(m_editor.palette());
    const bool isOutput = !text.startsWith(QStringLiteral(">>>"));
    for (auto it = lexeme.globalMatch(text); it.hasNext();) {
        const auto match = it.next();
        const QString word = match.captured();
        QTextCharFormat format;
        if (match.hasCaptured(1) || (match.hasCaptured(5) && !isOutput)) {
            format.setForeground(theme.mutedText);
        } else if (match.hasCaptured(2)) {
            format.setForeground(theme.good);
        } else if (word == QLatin1String("print")) {
            format.setForeground(theme.accent);
        } else {
            format.setForeground(theme.text);
            format.setFontWeight(match.hasCaptured(4) ? QFont::DemiBold : QFont::Normal);
        }
        setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()),
                  format);
    }
}

}  // namespace lab::widgets
