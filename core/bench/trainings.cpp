#include "core/bench/trainings.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "core/catalog.h"
#include "core/training/trainer.h"
#include "core/values/lab_error.h"

namespace lab::bench {
namespace {

constexpr double kGood = 0.99;
constexpr int kFinalTraces = 256;
constexpr std::uint64_t kFinalSeed = 2'000'003;  // apart from the seed of every evaluation

/// Several trainings, the one caller of `options.progress` and the stop that all obey.
class Crew {
public:
    explicit Crew(const BenchOptions& options) : m_options(options) {}

    void tell(const std::string& line) {
        const std::lock_guard lock(m_mutex);
        if (m_options.progress) {
            m_options.progress(line);
        }
    }
    void obey() {
        if (m_options.stop && m_options.stop()) {
            throw values::LabError(values::LabError::Kind::kStopped, "stopped");
        }
    }
    void keep(std::exception_ptr failure) {
        const std::lock_guard lock(m_mutex);
        if (!m_failure) {
            m_failure = std::move(failure);
        }
    }
    [[nodiscard]] bool failed() {
        const std::lock_guard lock(m_mutex);
        return m_failure != nullptr;
    }
    void rethrow() {
        if (m_failure) {
            std::rethrow_exception(m_failure);
        }
    }

private:
    const BenchOptions& m_options;
    std::mutex m_mutex;
    std::exception_ptr m_failure;
};

std::string accuraciesOf(const std::vector<values::LengthAccuracy>& results) {
    std::string text;
    for (const auto& result : results) {
        text += fmt::format(" {:.4f}", result.value);
    }
    return text;
}

void train(const values::ExperimentSpec& spec, Training& result, Crew& crew) {
    const double never = std::numeric_limits<double>::quiet_NaN();
    training::Trainer trainer(spec);
    result.cpuSecondsTo99.assign(spec.evaluation.lengths.size(), never);
    while (!trainer.finished()) {
        crew.obey();
        (void)trainer.step();
        if (!trainer.evaluationDue()) {
            continue;
        }
        const auto& results = trainer.evaluate();
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (std::isnan(result.cpuSecondsTo99[i]) && results[i].value >= kGood) {
                result.cpuSecondsTo99[i] = trainer.cpuSeconds();
            }
        }
        if (trainer.stepsDone() % (5 * spec.training.evaluateEvery) == 0) {
            crew.tell(fmt::format("seed {} {} step {} stage {} {:.1f} s:{}", spec.seed,
                                  result.model, trainer.stepsDone(), trainer.stage() + 1,
                                  trainer.cpuSeconds(), accuraciesOf(results)));
        }
    }
    values::ExperimentSpec test = spec;
    test.evaluation.traces = kFinalTraces;
    test.evaluation.seed = kFinalSeed;
    result.final = trainer.look(test.evaluation);
    result.steps = trainer.stepsDone();
    result.cpuSeconds = trainer.cpuSeconds();
    crew.tell(fmt::format("seed {} {} done, {} steps {:.1f} s:{}", spec.seed, result.model,
                          result.steps, result.cpuSeconds, accuraciesOf(result.final)));
}

struct Job {
    values::ExperimentSpec spec;
    Training result;
};

std::vector<Job> jobsOf(std::string_view preset, const BenchOptions& options) {
    values::ExperimentSpec whole = lab::preset(preset);
    if (options.steps > 0) {
        whole.training.steps = options.steps;
        for (auto& model : whole.models) {
            model.steps = 0;
        }
    }
    std::vector<Job> jobs;
    for (int model = 0; model < static_cast<int>(whole.models.size()); ++model) {
        for (int seed = 1; seed <= options.seeds; ++seed) {
            Job job{values::onlyModel(whole, model), {}};
            job.spec.seed = static_cast<std::uint64_t>(seed);
            job.result.preset = preset;
            job.result.seed = job.spec.seed;
            job.result.model = values::displayName(job.spec.models.front());
            job.result.negativeEigenvalues = job.spec.models.front().negativeEigenvalues;
            if (job.result.model.find(options.model) != std::string::npos) {
                jobs.push_back(std::move(job));
            }
        }
    }
    return jobs;
}

}  // namespace

std::vector<Training> trainAll(std::string_view preset, const BenchOptions& options) {
    std::vector<Job> jobs = jobsOf(preset, options);
    Crew crew(options);
    std::atomic<std::size_t> next = 0;
    const auto work = [&]() noexcept {
        for (std::size_t i = next++; i < jobs.size() && !crew.failed(); i = next++) {
            try {
                train(jobs[i].spec, jobs[i].result, crew);
            } catch (...) {  // to the caller's thread, below
                crew.keep(std::current_exception());
            }
        }
    };
    {
        std::vector<std::jthread> others;
        for (int i = 1; i < options.parallel; ++i) {
            others.emplace_back(work);
        }
        work();
    }
    crew.rethrow();
    std::vector<Training> results;
    for (auto& job : jobs) {
        results.push_back(std::move(job.result));
    }
    return results;
}

std::string spread(std::vector<double> values) {
    if (values.empty()) {
        return "none";
    }
    const auto text = [](double value) {
        return std::isinf(value) ? std::string("never") : fmt::format("{:.4g}", value);
    };
    for (double& value : values) {
        value = std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
    }
    std::ranges::sort(values);
    return fmt::format("{} .. {}, median {}", text(values.front()), text(values.back()),
                       text(values[values.size() / 2]));
}

}  // namespace lab::bench
