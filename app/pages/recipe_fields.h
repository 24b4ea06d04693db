// The fields of the task designer: task, curriculum, evaluation, optimiser.
#pragma once

namespace lab::widgets {
class Form;
}

namespace lab::app {

class SpecForm;

void addTaskFields(widgets::Form& form, SpecForm& binder);
void addCurriculumFields(widgets::Form& form, SpecForm& binder);
void addOptimiserFields(widgets::Form& form, SpecForm& binder);
void addEvaluationFields(widgets::Form& form, SpecForm& binder);

}  // namespace lab::app
