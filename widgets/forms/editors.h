// Editors that behave in a form: the wheel does nothing until they have the focus, and numbers take
// "1e-3" and "4*128".
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSpinBox>
#include <optional>

namespace lab::widgets {

/// "12", "1e-3", "4*128", "64/4" with '*' and '/' from left to right; nothing when it is no number.
[[nodiscard]] std::optional<double> numberFrom(const QString& text);

/// The shortest text that reads back as the same number: "0.001", "1e-05".
[[nodiscard]] QString shortest(double value);

class PatientSpinBox final : public QSpinBox {
public:
    explicit PatientSpinBox(QWidget* parent = nullptr);
    [[nodiscard]] int valueFromText(const QString& text) const override;
    [[nodiscard]] QValidator::State validate(QString& text, int& position) const override;

protected:
    void wheelEvent(QWheelEvent* event) override;
};

class ScientificSpinBox final : public QDoubleSpinBox {
public:
    explicit ScientificSpinBox(QWidget* parent = nullptr);
    [[nodiscard]] double valueFromText(const QString& text) const override;
    [[nodiscard]] QString textFromValue(double value) const override;
    [[nodiscard]] QValidator::State validate(QString& text, int& position) const override;
    /// One step of the leading digit: 0.01 to 0.02, 0.01 to 0.009.
    void stepBy(int steps) override;

protected:
    void wheelEvent(QWheelEvent* event) override;
};

class PatientComboBox final : public QComboBox {
public:
    explicit PatientComboBox(QWidget* parent = nullptr);

protected:
    void wheelEvent(QWheelEvent* event) override;
};

}  // namespace lab::widgets
