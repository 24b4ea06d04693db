#include "core/reading/model_reading.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "core/data/task_factory.h"
#include "core/training/device.h"
#include "core/training/trainer.h"

namespace lab::reading {
namespace {

constexpr std::size_t kTop = 10;

/// Of one row of logits, in double.
std::vector<double> softmax(const float* logits, std::int64_t classes) {
    std::vector<double> p(logits, logits + classes);
    const double most = *std::ranges::max_element(p);
    double sum = 0;
    for (double& x : p) {
        x = std::exp(x - most);
        sum += x;
    }
    for (double& x : p) {
        x /= sum;
    }
    return p;
}

at::Tensor tensorOf(std::vector<std::int64_t>& ids, std::int64_t rows) {
    const auto columns = static_cast<std::int64_t>(ids.size()) / rows;
    return at::from_blob(ids.data(), {rows, columns}, at::kLong);
}

/// As the vocabulary writes them, e.g. "a, b, c".
std::string listOf(const tasks::ReplVocabulary& vocabulary, int firstId) {
    std::vector<std::string_view> texts;
    for (int i = 0; i < vocabulary.variables(); ++i) {
        texts.push_back(vocabulary.text(firstId + i));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// The cup of `cups` rows that a state of one row becomes.
models::State repeated(const models::State& state, std::int64_t cups) {
    models::State rows;
    for (const auto& tensor : state) {
        auto sizes = tensor.sizes().vec();
        sizes.front() = cups;
        rows.push_back(tensor.expand(sizes).contiguous());
    }
    return rows;
}

}  // namespace

void ModelReader::setModel(std::shared_ptr<const ModelHandle> handle) {
    const bool sameModel = m_model && m_handle && handle && m_handle->spec() == handle->spec();
    m_handle = std::move(handle);
    if (!m_handle) {
        m_model.reset();
        m_task.reset();
        return;
    }
    if (!sameModel) {
        values::ExperimentSpec spec = m_handle->spec();
        spec.training.device = values::Device::kCpu;  // a trace is short: no device is worth it
        spec.training.threads = 1;
        auto task = data::makeTask(spec.task);
        m_model = training::modelOf(spec, *task);
        m_task.reset(dynamic_cast<tasks::ReplTask*>(task.get()));
        if (m_task) {
            (void)task.release();
        }
    }
    training::setWeights(*m_model, m_handle->weights());
}

std::optional<std::string> ModelReader::vocabularyProblem(
    const values::TraceReading& reading) const {
    if (!m_task) {
        return "this model reads the elements of a group, not a Python session; train one on a "
               "trace task";
    }
    const auto& vocabulary = m_task->vocabulary();
    for (const auto& token : reading.tokens) {
        if (vocabulary.idOf(token.text)) {
            continue;
        }
        const bool name = token.kind == values::TokenKind::kName;
        return fmt::format(
            "line {}: the {} \"{}\" is outside the model's vocabulary; it was trained with {}",
            token.line, name ? "name" : "value", token.text,
            listOf(vocabulary, name ? vocabulary.nameId(0) : vocabulary.valueId(1)));
    }
    return std::nullopt;
}

bool ModelReader::fill(values::TraceReading& reading, const std::function<bool()>& overtaken) {
    if (!m_handle) {
        return true;
    }
    reading.modelName = values::displayName(m_handle->spec().models.front());
    reading.modelStep = m_handle->step();
    if (const auto problem = vocabularyProblem(reading)) {
        reading.modelProblem = *problem;
        return true;
    }
    const c10::NoGradGuard noGradient;
    const training::ThreadCount threads(1);
    m_state = m_model->initialState(1);
    m_next.clear();
    std::size_t begin = 0;
    for (std::size_t event = 0; event < reading.events.size(); ++event) {
        if (overtaken()) {
            return false;
        }
        std::size_t end = begin;
        std::vector<std::int64_t> ids;
        while (end < reading.tokens.size() &&
               reading.tokens[end].event <= static_cast<int>(event)) {
            ids.push_back(*m_task->vocabulary().idOf(reading.tokens[end++].text));
        }
        if (!ids.empty()) {
            readTokens(reading, begin, m_model->advance(tensorOf(ids, 1), m_state));
            begin = end;
        }
        reading.events[event].model = askAll(reading);
    }
    return true;
}

void ModelReader::readTokens(values::TraceReading& reading, std::size_t begin,
                             const at::Tensor& logits) {
    const at::Tensor rows = logits.to(at::kFloat).contiguous();
    const std::int64_t classes = rows.size(-1);
    const auto& vocabulary = m_task->vocabulary();
    for (std::int64_t i = 0; i < rows.size(1); ++i) {
        auto& token = reading.tokens[begin + static_cast<std::size_t>(i)];
        if (!m_next.empty()) {
            const auto id = static_cast<std::size_t>(*vocabulary.idOf(token.text));
            token.probability = m_next[id];
            std::vector<int> order(m_next.size());
            std::iota(order.begin(), order.end(), 0);
            std::ranges::stable_sort(order, std::greater(), [&](int candidate) {
                return m_next[static_cast<std::size_t>(candidate)];
            });
            token.mistake =
                token.kind == values::TokenKind::kOutput && order.front() != static_cast<int>(id);
            order.resize(std::min(order.size(), kTop));
            for (const int candidate : order) {
                token.top.push_back({std::string(vocabulary.text(candidate)),
                                     m_next[static_cast<std::size_t>(candidate)]});
            }
        }
        m_next = softmax(rows.const_data_ptr<float>() + i * classes, classes);
    }
}

values::Belief ModelReader::askAll(const values::TraceReading& reading) const {
    const auto& vocabulary = m_task->vocabulary();
    const auto cups = static_cast<std::int64_t>(reading.cupNames.size());
    std::vector<std::int64_t> ids;
    for (const auto& name : reading.cupNames) {
        const auto query = vocabulary.query(*vocabulary.idOf(name) - vocabulary.nameId(0));
        ids.insert(ids.end(), query.begin(), query.end());
    }
    models::State copy = repeated(m_state, cups);
    const at::Tensor answers =
        m_model->advance(tensorOf(ids, cups), copy).select(1, -1).to(at::kFloat).contiguous();
    values::Belief belief;
    belief.cups = static_cast<int>(cups);
    belief.values = static_cast<int>(reading.valueNames.size());
    for (std::int64_t cup = 0; cup < cups; ++cup) {
        const float* row = answers.const_data_ptr<float>() + cup * answers.size(-1);
        std::vector<float> chosen;
        for (const auto& value : reading.valueNames) {
            chosen.push_back(row[*vocabulary.idOf(value)]);
        }
        const auto p = softmax(chosen.data(), static_cast<std::int64_t>(chosen.size()));
        belief.probability.insert(belief.probability.end(), p.begin(), p.end());
    }
    return belief;
}

}  // namespace lab::reading
