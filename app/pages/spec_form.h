// Joins the fields of a form to the experiment: what a person edits becomes one step of the
// document's history; what changes elsewhere (undo, a preset) is shown again.
#pragma once

#include <QObject>
#include <functional>
#include <vector>

#include "app/document/experiment_document.h"
#include "widgets/forms/form.h"

namespace lab::app {

class SpecForm final : public QObject {
    Q_OBJECT

public:
    using Load = std::function<void(const values::ExperimentSpec&)>;
    using Store = std::function<void(values::ExperimentSpec&)>;

    SpecForm(ExperimentDocument& document, widgets::Form& form, QObject* parent = nullptr);

    /// `load` shows the spec in the field, `store` writes the field into the spec.
    void bind(const widgets::Field& field, Load load, Store store);

    /// Shows the document in every field.
    void load();

signals:
    void loaded();

private:
    struct Binding {
        QString path, label;
        Load load;
        Store store;
    };
    void take(const QString& path);

    ExperimentDocument& m_document;
    std::vector<Binding> m_bindings;
};

/// Adds a field for one member of the spec that `of(spec)` returns by reference.
template <class Access>
void addInteger(widgets::Form& form, SpecForm& binder, widgets::FieldText text, int low, int high,
                int standard, Access of) {
    using Number = std::remove_cvref_t<decltype(of(std::declval<values::ExperimentSpec&>()))>;
    auto* field = form.add(new widgets::IntegerField(std::move(text), low, high, standard, &form));
    binder.bind(
        *field,
        [field, of](const values::ExperimentSpec& spec) {
            auto copy = spec;
            field->setValue(static_cast<int>(of(copy)));
        },
        [field, of](values::ExperimentSpec& spec) {
            of(spec) = static_cast<Number>(field->value());
        });
}

template <class Access>
void addNumber(widgets::Form& form, SpecForm& binder, widgets::FieldText text, double low,
               double high, double standard, Access of) {
    auto* field = form.add(new widgets::NumberField(std::move(text), low, high, standard, &form));
    binder.bind(
        *field,
        [field, of](const values::ExperimentSpec& spec) {
            auto copy = spec;
            field->setValue(of(copy));
        },
        [field, of](values::ExperimentSpec& spec) { of(spec) = field->value(); });
}

template <class Access>
void addCheck(widgets::Form& form, SpecForm& binder, widgets::FieldText text, bool standard,
              Access of) {
    auto* field = form.add(new widgets::CheckField(std::move(text), standard, &form));
    binder.bind(
        *field,
        [field, of](const values::ExperimentSpec& spec) {
            auto copy = spec;
            field->setValue(of(copy));
        },
        [field, of](values::ExperimentSpec& spec) { of(spec) = field->value(); });
}

/// An enumeration: titles in enumerator order.
template <class Access>
void addChoice(widgets::Form& form, SpecForm& binder, widgets::FieldText text,
               const QStringList& titles, int standard, Access of) {
    using Enum = std::remove_cvref_t<decltype(of(std::declval<values::ExperimentSpec&>()))>;
    QStringList keys;
    for (const std::string_view name : values::namesOf<Enum>()) {
        keys << QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    }
    auto* field =
        form.add(new widgets::ChoiceField(std::move(text), keys, titles, keys.at(standard), &form));
    binder.bind(
        *field,
        [field, of](const values::ExperimentSpec& spec) {
            auto copy = spec;
            field->setIndex(static_cast<int>(of(copy)));
        },
        [field, of](values::ExperimentSpec& spec) {
            of(spec) = static_cast<Enum>(field->index());
        });
}

template <class Access>
void addText(widgets::Form& form, SpecForm& binder, widgets::FieldText text,
             const QString& standard, Access of) {
    auto* field = form.add(new widgets::TextField(std::move(text), standard, &form));
    binder.bind(
        *field,
        [field, of](const values::ExperimentSpec& spec) {
            auto copy = spec;
            field->setValue(QString::fromStdString(of(copy)));
        },
        [field, of](values::ExperimentSpec& spec) { of(spec) = field->value().toStdString(); });
}

template <class Access>
void addLengths(widgets::Form& form, SpecForm& binder, widgets::FieldText text,
                std::vector<values::TraceLength> standard, Access of) {
    auto* field =
        form.add(new widgets::LengthListField(std::move(text), std::move(standard), &form));
    binder.bind(
        *field,
        [field, of](const values::ExperimentSpec& spec) {
            auto copy = spec;
            field->setValue(of(copy));
        },
        [field, of](values::ExperimentSpec& spec) { of(spec) = field->value(); });
}

}  // namespace lab::app
