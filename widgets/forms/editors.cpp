#include "widgets/forms/editors.h"

#include <QLocale>
#include <QRegularExpression>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace lab::widgets {
namespace {

// An unfocused editor passes the wheel on, so that a form scrolls under the pointer.
bool wheelIsMeant(const QWidget& editor, QWheelEvent* event) {
    if (editor.hasFocus()) {
        return true;
    }
    event->ignore();
    return false;
}

QValidator::State inRange(const QString& text, double low, double high) {
    static const QRegularExpression allowed(QStringLiteral("^[-+0-9.,eE*/ ]*$"));
    if (!allowed.match(text).hasMatch()) {
        return QValidator::Invalid;
    }
    const auto number = numberFrom(text);
    return number && *number >= low && *number <= high ? QValidator::Acceptable
                                                       : QValidator::Intermediate;
}

}  // namespace

std::optional<double> numberFrom(const QString& text) {
    QString rest = text;
    rest.remove(QLatin1Char(' ')).replace(QLatin1Char(','), QLatin1Char('.'));
    static const QRegularExpression term(QStringLiteral("([*/]?)([^*/]+)"));
    double result = 1;
    qsizetype at = 0;
    while (at < rest.size()) {
        const auto match = term.match(rest, at);
        bool isNumber = false;
        const double factor = match.captured(2).toDouble(&isNumber);
        const bool first = match.captured(1).isEmpty();
        if (!isNumber || match.capturedStart() != at || first != (at == 0)) {
            return std::nullopt;
        }
        result = match.captured(1) == QLatin1String("/") ? result / factor : result * factor;
        at = match.capturedEnd();
    }
    return rest.isEmpty() || !std::isfinite(result) ? std::nullopt : std::optional(result);
}

QString shortest(double value) {
    static const QRegularExpression zeros(QStringLiteral("e([-+]?)0+"));
    return QString::number(value, 'g', QLocale::FloatingPointShortest)
        .replace(zeros, QStringLiteral("e\\1"));
}

PatientSpinBox::PatientSpinBox(QWidget* parent) : QSpinBox(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setKeyboardTracking(true);
}

int PatientSpinBox::valueFromText(const QString& text) const {
    const double number = numberFrom(text).value_or(value());
    return static_cast<int>(std::lround(std::clamp(number, -2e9, 2e9)));
}

QValidator::State PatientSpinBox::validate(QString& text, int& /*position*/) const {
    return inRange(text, minimum(), maximum());
}

void PatientSpinBox::wheelEvent(QWheelEvent* event) {
    if (wheelIsMeant(*this, event)) {
        QSpinBox::wheelEvent(event);
    }
}

ScientificSpinBox::ScientificSpinBox(QWidget* parent) : QDoubleSpinBox(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setDecimals(17);
}

double ScientificSpinBox::valueFromText(const QString& text) const {
    return numberFrom(text).value_or(value());
}

QString ScientificSpinBox::textFromValue(double value) const {
    return shortest(value);
}

QValidator::State ScientificSpinBox::validate(QString& text, int& /*position*/) const {
    return inRange(text, minimum(), maximum());
}

void ScientificSpinBox::stepBy(int steps) {
    double now = value();
    const int direction = steps > 0 ? 1 : -1;
    for (int i = 0; i != steps; i += direction) {
        double unit = now == 0 ? 0.01 : std::pow(10, std::floor(std::log10(std::abs(now)) + 1e-9));
        if (direction < 0 && now - unit < unit * 0.5) {
            unit /= 10;
        }
        now = std::round((now + direction * unit) / unit * 10) * unit / 10;
    }
    setValue(shortest(std::clamp(now, minimum(), maximum())).toDouble());
}

void ScientificSpinBox::wheelEvent(QWheelEvent* event) {
    if (wheelIsMeant(*this, event)) {
        QDoubleSpinBox::wheelEvent(event);
    }
}

PatientComboBox::PatientComboBox(QWidget* parent) : QComboBox(parent) {
    setFocusPolicy(Qt::StrongFocus);
}

void PatientComboBox::wheelEvent(QWheelEvent* event) {
    if (wheelIsMeant(*this, event)) {
        QComboBox::wheelEvent(event);
    }
}

}  // namespace lab::widgets
