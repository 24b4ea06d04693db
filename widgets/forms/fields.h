// Labelled fields of a form: editor, unit, a dot when the value is not the default, and the problem
// with it.
//
// setValue() never emits; edited() means that a person changed the value.
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/values/experiment_spec.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QSpinBox;
class QToolButton;
class QVBoxLayout;

namespace lab::widgets {

class SegmentedSwitch;

/// `path` is the field of values::Problem it answers to, e.g. "training.steps".
struct FieldText {
    QString path;
    QString label;
    QString unit;
    QString help;  ///< tool tip: what it does, and when to change it
};

class Field : public QWidget {
    Q_OBJECT

public:
    [[nodiscard]] const QString& path() const { return m_text.path; }
    [[nodiscard]] const QString& label() const { return m_text.label; }
    [[nodiscard]] const QString& help() const { return m_text.help; }
    [[nodiscard]] virtual bool isDefault() const = 0;
    virtual void resetToDefault() = 0;  ///< emits edited when it changes something

    /// Empty: none.
    void setProblem(const QString& problem);
    [[nodiscard]] QString problem() const;

signals:
    void edited();

protected:
    Field(FieldText text, QWidget* parent);
    void setEditor(QWidget* editor);  ///< last in a constructor: isDefault() is asked
    void showDefault();               ///< sets or takes away the dot
    void tellEdited();                ///< showDefault, then edited

    void changeEvent(QEvent* event) override;

private:
    FieldText m_text;
    QHBoxLayout* m_row;  // child of this
    QToolButton* m_dot;  // child of this
    QLabel* m_problem;   // child of this
};

class IntegerField final : public Field {
    Q_OBJECT

public:
    IntegerField(FieldText text, int low, int high, int standard, QWidget* parent = nullptr);
    [[nodiscard]] int value() const;
    void setValue(int value);
    [[nodiscard]] bool isDefault() const override;
    void resetToDefault() override;

private:
    QSpinBox* m_editor;
    int m_standard;
};

/// Accepts "1e-3", "0.001" and "4*128"; shows the shortest form.
class NumberField final : public Field {
    Q_OBJECT

public:
    NumberField(FieldText text, double low, double high, double standard,
                QWidget* parent = nullptr);
    [[nodiscard]] double value() const;
    void setValue(double value);
    [[nodiscard]] bool isDefault() const override;
    void resetToDefault() override;

private:
    QDoubleSpinBox* m_editor;
    double m_standard;
};

/// One of several. `keys` are what value() speaks, `titles` what a person reads.
class ChoiceField final : public Field {
    Q_OBJECT

public:
    ChoiceField(FieldText text, QStringList keys, const QStringList& titles,
                const QString& standard, QWidget* parent = nullptr);
    [[nodiscard]] QString value() const;
    [[nodiscard]] int index() const;
    void setValue(const QString& key);
    void setIndex(int index);
    [[nodiscard]] bool isDefault() const override;
    void resetToDefault() override;

private:
    QComboBox* m_editor;
    QStringList m_keys;
    QString m_standard;
};

class CheckField final : public Field {
    Q_OBJECT

public:
    CheckField(FieldText text, bool standard, QWidget* parent = nullptr);
    [[nodiscard]] bool value() const;
    void setValue(bool value);
    [[nodiscard]] bool isDefault() const override;
    void resetToDefault() override;

private:
    QCheckBox* m_editor;
    bool m_standard;
};

class TextField final : public Field {
    Q_OBJECT

public:
    TextField(FieldText text, QString standard, QWidget* parent = nullptr);
    [[nodiscard]] QString value() const;
    void setValue(const QString& value);
    [[nodiscard]] bool isDefault() const override;
    void resetToDefault() override;

private:
    QLineEdit* m_editor;
    QString m_standard;
};

/// A choice of two or three that is worth seeing at a glance.
class SwitchField final : public Field {
    Q_OBJECT

public:
    SwitchField(FieldText text, const QStringList& segments, int standard,
                QWidget* parent = nullptr);
    [[nodiscard]] int index() const;
    void setIndex(int index);
    [[nodiscard]] bool isDefault() const override;
    void resetToDefault() override;

private:
    SegmentedSwitch* m_editor;
    int m_standard;
};

/// A list of (commands, spacing) with buttons to add, remove and move.
class LengthListField final : public Field {
    Q_OBJECT

public:
    LengthListField(FieldText text, std::vector<values::TraceLength> standard,
                    QWidget* parent = nullptr);
    [[nodiscard]] std::vector<values::TraceLength> value() const;
    void setValue(const std::vector<values::TraceLength>& lengths);
    [[nodiscard]] bool isDefault() const override;
    void resetToDefault() override;

private:
    void rebuild();
    void addRow(std::size_t at);
    void change(std::vector<values::TraceLength> lengths);

    std::vector<values::TraceLength> m_lengths, m_standard;
    QVBoxLayout* m_rows;  // child of this
};

}  // namespace lab::widgets
