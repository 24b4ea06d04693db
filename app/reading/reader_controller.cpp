#include "app/reading/reader_controller.h"

#include <QLocale>

namespace lab::app {
namespace {

using std::chrono::steady_clock;
constexpr std::chrono::milliseconds kWeightsEvery{250};

}  // namespace

ReaderController::ReaderController(RunController& runs, QObject* parent)
    : QObject(parent), m_runs(runs) {
    connect(&m_runs, &RunController::modelArrived, this, &ReaderController::takeModel);
    connect(&m_runs, &RunController::listChanged, this, [this] {
        for (int slot = 0; slot < kReaderSlots; ++slot) {
            if (runIn(slot) != 0 && m_runs.find(runIn(slot)) == nullptr) {
                setRun(slot, 0);
            }
        }
    });
}

void ReaderController::setTranscript(const QString& transcript) {
    if (transcript == m_transcript && m_exact != nullptr) {
        return;
    }
    m_transcript = transcript;
    const std::string text = transcript.toStdString();
    auto parsed = readTranscript(text);
    if (auto* problem = std::get_if<values::TranscriptProblem>(&parsed)) {
        m_problem = std::move(*problem);
        emit problemChanged();
        return;
    }
    const bool hadProblem = m_problem.has_value();
    m_problem.reset();
    m_exact = std::make_shared<const values::TraceReading>(
        std::get<values::TraceReading>(std::move(parsed)));
    for (Slot& slot : m_slots) {
        slot.reading.reset();  // of another text
        if (slot.reader != nullptr) {
            slot.reader->setTranscript(text);
        }
    }
    if (hadProblem) {
        emit problemChanged();
    }
    emit transcriptChanged();
}

ReaderController::Reading ReaderController::reading(int slot) const {
    return m_slots.at(index(slot)).reading;
}

ReaderController::Reading ReaderController::shown(int slot) const {
    const Reading own = reading(slot);
    return own != nullptr ? own : m_exact;
}

void ReaderController::setRun(int slot, int runId) {
    Slot& entry = m_slots.at(index(slot));
    if (entry.run == runId) {
        return;
    }
    entry.run = runId;
    entry.reading.reset();
    entry.model.reset();
    if (entry.reader != nullptr) {
        entry.reader->setModel(nullptr);
    }
    giveModel(slot);
    emit runChanged(slot);
    emit readingChanged(slot);
}

int ReaderController::usedSlots() const {
    int used = 0;
    for (const Slot& slot : m_slots) {
        used += slot.run != 0 ? 1 : 0;
    }
    return used;
}

void ReaderController::giveModel(int slot) {
    Slot& entry = m_slots.at(index(slot));
    const Run* run = m_runs.find(entry.run);
    if (run == nullptr || run->model == nullptr || run->model == entry.model) {
        return;
    }
    if (entry.reader == nullptr) {
        entry.reader = std::make_unique<Reader>();
        if (m_exact != nullptr) {
            entry.reader->setTranscript(m_exact->transcript);
        }
    }
    entry.model = run->model;
    entry.modelAt = run->modelAt;
    entry.reader->setModel(entry.model);
}

void ReaderController::takeModel(int runId) {
    for (int slot = 0; slot < kReaderSlots; ++slot) {
        const Run* run = m_runs.find(runId);
        const bool live = m_follows || m_slots.at(index(slot)).model == nullptr;
        if (runIn(slot) == runId && run != nullptr && (live || !run->isActive())) {
            giveModel(slot);
        }
    }
}

void ReaderController::setFollowsLive(bool follows) {
    m_follows = follows;
}

QString ReaderController::badge(int slot) const {
    const Slot& entry = m_slots.at(index(slot));
    if (entry.model == nullptr) {
        return {};
    }
    const QString step = QLocale().toString(static_cast<qlonglong>(stepOf(*entry.model)));
    const Run* run = m_runs.find(entry.run);
    if (run == nullptr || !run->isActive()) {
        return tr("step %1").arg(step);
    }
    const auto age =
        std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - entry.modelAt);
    return tr("step %1, %2 s old").arg(step).arg(age.count());
}

void ReaderController::poll() {
    const auto now = steady_clock::now();
    for (int slot = 0; slot < kReaderSlots; ++slot) {
        Slot& entry = m_slots.at(index(slot));
        if (m_follows && m_watched && entry.run != 0 && now - entry.askedAt >= kWeightsEvery) {
            entry.askedAt = now;
            m_runs.requestWeights(entry.run);
        }
        if (entry.reader == nullptr) {
            continue;
        }
        const auto reading = entry.reader->readings().take();
        // A reading of a text that has been replaced meanwhile is of no use.
        if (reading != nullptr && m_exact != nullptr &&
            reading->transcript == m_exact->transcript && entry.model != nullptr) {
            entry.reading = reading;
            emit readingChanged(slot);
        }
    }
}

}  // namespace lab::app
