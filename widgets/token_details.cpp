#include "widgets/token_details.h"

#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/paint.h"
#include "widgets/stage/next_token_bars.h"

namespace lab::widgets {
namespace {

QString kindTitle(values::TokenKind kind) {
    switch (kind) {
        case values::TokenKind::kPrompt: return TokenDetails::tr("prompt or line end");
        case values::TokenKind::kName: return TokenDetails::tr("name");
        case values::TokenKind::kOperator: return TokenDetails::tr("operator");
        case values::TokenKind::kValue: return TokenDetails::tr("value");
        case values::TokenKind::kOutput: return TokenDetails::tr("printed value");
    }
    return {};
}

}  // namespace

TokenDetails::TokenDetails(QWidget* parent)
    : QWidget(parent),
      m_title(new QLabel(this)),
      m_facts(new QLabel(this)),
      m_bars(new NextTokenBars(this)) {
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_title);
    column->addWidget(m_facts);
    column->addWidget(m_bars, 1);
    m_title->setFont(strong(scaled(font(), 1.12)));
    m_title->setWordWrap(true);
    m_facts->setWordWrap(true);
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    m_bars->setRows(10);
    clear();
}

void TokenDetails::setToken(const values::TraceReading& reading, int token) {
    if (token < 0 || token >= static_cast<int>(reading.tokens.size())) {
        clear();
        return;
    }
    const values::TokenReading& at = reading.tokens[static_cast<std::size_t>(token)];
    m_title->setText(tr("“%1”, %2").arg(tokenText(at.text), kindTitle(at.kind)));
    const QString place =
        tr("Line %1, column %2, token %3.").arg(at.line).arg(at.column).arg(token + 1);
    QString judgement = tr("No model has read it.");
    if (at.probability >= 0) {
        const QLocale locale;
        judgement =
            tr("Probability %1, surprise %2 bit.%3")
                .arg(locale.toString(at.probability, 'f', 3),
                     locale.toString(std::abs(std::log2(std::max(at.probability, 1e-12))), 'f', 2),
                     at.mistake ? tr(" Not the model's first choice.") : QString());
    }
    m_facts->setText(place + QLatin1Char('\n') + judgement);
    m_bars->setToken(reading, token);
}

void TokenDetails::clear() {
    m_title->setText(tr("No token chosen"));
    m_facts->setText(tr("Put the caret on a token to see what the model expected there."));
    m_bars->setCandidates({}, {}, {});
}

}  // namespace lab::widgets
