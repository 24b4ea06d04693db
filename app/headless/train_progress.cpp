#include "app/headless/train_progress.h"

#include <fmt/format.h>

#include <cstdio>

#include "app/headless/json_of.h"
#include "app/headless/spec_options.h"
#include "app/headless/text_io.h"

namespace lab::headless {
namespace {

constexpr auto kEvery = std::chrono::milliseconds(250);

std::string lineOf(const std::string& model, const values::Snapshot& now) {
    std::string line =
        fmt::format("{}: step {}/{}  trains at {}  loss {:.4f}  {:.0f} steps/s", model, now.step,
                    now.steps, nameOf(now.trainedLength), now.loss, now.stepsPerSecond);
    for (const values::LengthAccuracy& accuracy : now.evaluations) {
        line += fmt::format("  @{} {}", nameOf(accuracy.length), percent(accuracy.value));
    }
    return line;
}

/// Stages, saves and changes of the rate are told; starts and ends go without saying.
bool isNews(values::RunEvent::Kind kind) {
    using Kind = values::RunEvent::Kind;
    return kind != Kind::kStarted && kind != Kind::kSaved && kind != Kind::kEnded;
}

}  // namespace

TrainProgress::TrainProgress(std::string model, bool quiet)
    : m_model(std::move(model)), m_quiet(quiet), m_rewrites(canRewriteLines()) {}

TrainProgress::~TrainProgress() {
    endLine();
}

void TrainProgress::show(const values::Snapshot& snapshot) {
    const bool evaluated =
        !snapshot.evaluations.empty() && snapshot.evaluatedAtStep != m_evaluatedAt;
    const auto now = std::chrono::steady_clock::now();
    const bool due = m_rewrites && (now - m_shown >= kEvery || values::hasEnded(snapshot.state));
    if (m_quiet || !(evaluated || due)) {
        return;
    }
    m_evaluatedAt = snapshot.evaluations.empty() ? m_evaluatedAt : snapshot.evaluatedAtStep;
    m_shown = now;
    if (m_rewrites) {
        fmt::print(stderr, "\r{}\x1B[K", lineOf(m_model, snapshot));
        std::fflush(stderr);
        m_lineOpen = true;
    } else {
        say(lineOf(m_model, snapshot));
    }
}

void TrainProgress::show(const std::vector<values::RunEvent>& events) {
    for (const values::RunEvent& event : events) {
        const bool wrong = event.kind == values::RunEvent::Kind::kDiverged;
        if (wrong || (!m_quiet && isNews(event.kind))) {
            endLine();
            const bool red = wrong && canColour();
            say(fmt::format("{}{}: step {}: {}{}", red ? "\x1B[31m" : "", m_model, event.step,
                            event.text, red ? "\x1B[0m" : ""));
        }
    }
}

void TrainProgress::endLine() {
    if (m_lineOpen) {
        say("");
        m_lineOpen = false;
    }
}

}  // namespace lab::headless
