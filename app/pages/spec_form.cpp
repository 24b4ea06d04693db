#include "app/pages/spec_form.h"

#include <algorithm>

namespace lab::app {

SpecForm::SpecForm(ExperimentDocument& document, widgets::Form& form, QObject* parent)
    : QObject(parent), m_document(document) {
    connect(&form, &widgets::Form::edited, this, &SpecForm::take);
    connect(&document, &ExperimentDocument::specChanged, this, &SpecForm::load);
}

void SpecForm::bind(const widgets::Field& field, Load load, Store store) {
    m_bindings.push_back({field.path(), field.label(), std::move(load), std::move(store)});
}

void SpecForm::load() {
    for (const Binding& binding : m_bindings) {
        binding.load(m_document.spec());
    }
    emit loaded();
}

void SpecForm::take(const QString& path) {
    const auto found = std::ranges::find(m_bindings, path, &Binding::path);
    if (found != m_bindings.end()) {
        values::ExperimentSpec next = m_document.spec();
        found->store(next);
        m_document.edit(next, tr("change %1").arg(found->label.toLower()), path);
    }
}

}  // namespace lab::app
