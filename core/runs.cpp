#include "core/runs.h"

#include "core/data/task_factory.h"
#include "core/model_handle.h"
#include "core/storage/atomic_file.h"
#include "core/storage/paths.h"
#include "core/storage/run_store.h"
#include "core/storage/spec_toml.h"
#include "core/training/checkpoint.h"
#include "core/training/device.h"
#include "core/training/evaluation.h"
#include "core/training/trainer.h"
#include "core/values/lab_error.h"

namespace lab {
namespace {

using values::LabError;

storage::RunStore openStore(const std::filesystem::path& store) {
    if (!storage::RunStore::existsIn(store)) {
        throw LabError(LabError::Kind::kInvalidInput,
                       store.string() + ": no run has been recorded here");
    }
    return storage::RunStore(store);
}

}  // namespace

std::filesystem::path defaultStore() {
    return storage::defaultStore();
}

std::vector<values::RunRecord> listRuns(const std::filesystem::path& store) {
    if (!storage::RunStore::existsIn(store)) {
        return {};
    }
    return storage::RunStore(store).list();
}

values::RunRecord findRun(const std::filesystem::path& store, std::string_view id) {
    return openStore(store).find(id);
}

std::vector<values::Metric> metricsOf(const std::filesystem::path& store, std::string_view id) {
    const auto opened = openStore(store);
    return opened.metricsOf(opened.find(id).id);
}

values::ExperimentSpec specOf(const values::RunRecord& run) {
    const auto file = storage::specFileOf(run);
    return storage::fromToml(storage::readWhole(file), file.string());
}

std::shared_ptr<const ModelHandle> loadModel(const values::RunRecord& run) {
    const auto file = training::newestCheckpoint(storage::checkpointFolderOf(run));
    if (file.empty()) {
        throw LabError(LabError::Kind::kInvalidInput,
                       "run " + run.id + " has no checkpoint: it ended before its first one");
    }
    auto checkpoint = training::readCheckpoint(file);
    return std::make_shared<const ModelHandle>(specOf(run), checkpoint.step,
                                               std::move(checkpoint.weights));
}

std::vector<values::LengthAccuracy> evaluate(const ModelHandle& model,
                                             const values::ExperimentSpec& spec,
                                             const std::vector<values::TraceLength>& lengths) {
    const training::ThreadCount threads(spec.training.threads);
    values::ExperimentSpec used = spec;
    used.models = model.spec().models;
    const auto task = data::makeTask(used.task);
    const auto network = training::modelOf(used, *task);
    training::setWeights(*network, model.weights());
    return training::evaluateLengths(*network, *task, used,
                                     lengths.empty() ? used.evaluation.lengths : lengths);
}

}  // namespace lab
