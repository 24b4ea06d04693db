// Colours of a Python session by lexeme. What depends on a model is painted behind the text
// instead.
#pragma once

#include <QSyntaxHighlighter>

class QWidget;

namespace lab::widgets {

class ReplHighlighter final : public QSyntaxHighlighter {
public:
    /// Takes the theme from `editor`, which lives at least as long as the document.
    ReplHighlighter(QTextDocument* document, const QWidget& editor);

protected:
    void highlightBlock(const QString& text) override;

private:
    const QWidget& m_editor;
};

}  // namespace lab::widgets
