// The trace on show: its text, what the exact filter makes of it, and what up to two models
// believe.
//
// A transcript that does not parse leaves the last good reading in place, marked stale. Each model
// is read on a thread of its own; readings are pulled by the frame clock. While a shown run trains
// and following is on, fresh weights are asked for at most four times a second.
#pragma once

#include <QObject>
#include <array>
#include <chrono>
#include <memory>
#include <optional>

#include "app/runs/run_controller.h"
#include "core/reader.h"

namespace lab::app {

inline constexpr int kReaderSlots = 2;

class ReaderController final : public QObject {
    Q_OBJECT

public:
    using Reading = std::shared_ptr<const values::TraceReading>;

    explicit ReaderController(RunController& runs, QObject* parent = nullptr);

    [[nodiscard]] const QString& transcript() const noexcept { return m_transcript; }
    void setTranscript(const QString& transcript);
    /// Why the newest text is no transcript; nothing when it is one.
    [[nodiscard]] const std::optional<values::TranscriptProblem>& problem() const noexcept {
        return m_problem;
    }

    /// Without a model; of the last good text. Null before the first.
    [[nodiscard]] Reading exact() const noexcept { return m_exact; }
    /// The model's reading of the same text, or null while there is none.
    [[nodiscard]] Reading reading(int slot) const;
    /// The best there is for a slot: the model's reading, else the exact one.
    [[nodiscard]] Reading shown(int slot) const;

    /// 0: no run.
    [[nodiscard]] int runIn(int slot) const { return m_slots.at(index(slot)).run; }
    void setRun(int slot, int runId);
    [[nodiscard]] int usedSlots() const;
    /// Which weights a slot shows: "step 12 400, 3 s old"; empty without a model.
    [[nodiscard]] QString badge(int slot) const;

    [[nodiscard]] bool followsLive() const noexcept { return m_follows; }
    void setFollowsLive(bool follows);
    /// Nobody looks: no weights are asked for.
    void setWatched(bool watched) noexcept { m_watched = watched; }

    void poll();

signals:
    void transcriptChanged();  ///< a new text was accepted; exact() is new
    void problemChanged();
    void readingChanged(int slot);
    void runChanged(int slot);

private:
    struct Slot {
        int run = 0;
        std::unique_ptr<Reader> reader;  ///< null until the slot is first used
        Reading reading;
        std::shared_ptr<const ModelHandle> model;  ///< what the reader was given
        std::chrono::steady_clock::time_point askedAt;
        std::chrono::steady_clock::time_point modelAt;
    };

    static std::size_t index(int slot) { return static_cast<std::size_t>(slot); }
    void giveModel(int slot);
    void takeModel(int runId);

    RunController& m_runs;
    QString m_transcript;
    std::optional<values::TranscriptProblem> m_problem;
    Reading m_exact;
    std::array<Slot, kReaderSlots> m_slots;
    bool m_follows = true;
    bool m_watched = true;
};

}  // namespace lab::app
