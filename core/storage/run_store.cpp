#include "core/storage/run_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>
#include <utility>

#include "core/storage/atomic_file.h"
#include "core/storage/migrations.h"
#include "core/storage/process_mark.h"
#include "core/storage/spec_toml.h"
#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

using values::LabError;
using values::RunEvent;
using values::RunRecord;

constexpr const char* kIndexName = "lab.sqlite";
constexpr int kBusyMs = 10'000;
/// As the table `event` stores RunEvent::Kind.
constexpr std::array<std::string_view, 8> kEventKinds{
    "started", "stage", "saved", "rate_changed", "paused", "resumed", "diverged", "ended"};
constexpr const char* kColumns =
    "SELECT id, name, model, status, created, updated, seed, step, steps, cpu_seconds, loss, "
    "accuracy, message, owner FROM run ";

[[noreturn]] void refuse(const std::string& message) {
    throw LabError(LabError::Kind::kInvalidInput, message);
}

/// UTC, by a strftime format.
std::string formatted(std::chrono::system_clock::time_point time, const char* format) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 64> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

std::string now() {
    return formatted(std::chrono::system_clock::now(), "%Y-%m-%dT%H:%M:%SZ");
}

/// "20261201-153012-482-x7k3": UTC to the millisecond, then four random letters or digits without
/// those that look alike.
std::string makeId() {
    constexpr std::string_view kLetters = "0123456789abcdefghjkmnpqrstvwxyz";
    const auto time = std::chrono::system_clock::now();
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count() %
        1000;
    std::random_device random;
    std::string id =
        formatted(time, "%Y%m%d-%H%M%S-") + std::to_string(1000 + milliseconds).substr(1) + "-";
    for (int i = 0; i < 4; ++i) {
        id += kLetters[random() % kLetters.size()];
    }
    return id;
}

/// SQLite stores what is not a number as null.
double numberIn(const SQLite::Column& column) {
    return column.isNull() ? std::numeric_limits<double>::quiet_NaN() : column.getDouble();
}

}  // namespace

struct RunStore::Impl {
    explicit Impl(const std::filesystem::path& store)
        : folder(std::filesystem::absolute(store)),
          index((folder / kIndexName).string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                kBusyMs) {
        index.exec("PRAGMA journal_mode = WAL");
        index.exec("PRAGMA synchronous = NORMAL");  // a power cut loses the newest rows, no more
        index.exec("PRAGMA foreign_keys = ON");
        migrate(index, folder, migrations());
    }

    [[nodiscard]] std::filesystem::path folderOf(const std::string& id) const {
        return folder / "runs" / id;
    }
    /// Runs `work` and turns SQLite's errors into ours.
    template <class Work>
    auto guarded(Work&& work) const {
        try {
            return std::forward<Work>(work)();
        } catch (const SQLite::Exception& error) {
            refuse((folder / kIndexName).string() + ": " + error.what());
        }
    }
    [[nodiscard]] RunRecord recordIn(SQLite::Statement& row) const {
        RunRecord run;
        run.id = row.getColumn(0).getString();
        run.name = row.getColumn(1).getString();
        run.model = row.getColumn(2).getString();
        run.status = row.getColumn(3).getString();
        run.created = row.getColumn(4).getString();
        run.updated = row.getColumn(5).getString();
        run.folder = folderOf(run.id).string();
        run.seed = static_cast<std::uint64_t>(row.getColumn(6).getInt64());
        run.step = row.getColumn(7).getInt64();
        run.steps = row.getColumn(8).getInt64();
        run.cpuSeconds = numberIn(row.getColumn(9));
        run.loss = numberIn(row.getColumn(10));
        run.accuracy = numberIn(row.getColumn(11));
        run.message = row.getColumn(12).getString();
        const bool live = run.status == "running" || run.status == "paused";
        if (live && hasEnded(row.getColumn(13).getString())) {
            run.status = "interrupted";
        }
        return run;
    }
    [[nodiscard]] std::vector<RunRecord> select(const std::string& where,
                                                const std::string& parameter) const {
        SQLite::Statement query(index, kColumns + where + " ORDER BY id DESC");
        if (!parameter.empty()) {
            query.bind(1, parameter);
        }
        std::vector<RunRecord> runs;
        while (query.executeStep()) {
            runs.push_back(recordIn(query));
        }
        return runs;
    }
    void insert(const RunRecord& run) const {
        SQLite::Statement row(index,
                              "INSERT INTO run (id, name, model, status, created, updated, seed, "
                              "step, steps, cpu_seconds, loss, accuracy, message, owner) "
                              "VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, 0, NULL, -1, '', ?)");
        SQLite::bind(row, run.id, run.name, run.model, run.status, run.created, run.updated,
                     static_cast<std::int64_t>(run.seed), run.steps, processMark());
        row.exec();
    }
    /// One statement with the run's id as its last parameter, which must be there.
    void changeRun(SQLite::Statement& change, const std::string& id) const {
        if (change.exec() == 0) {
            refuse("there is no run " + id + " in " + folder.string());
        }
    }

    std::filesystem::path folder;
    SQLite::Database index;
};

RunStore::RunStore(const std::filesystem::path& store) {
    makeFolders(store);
    try {
        m_impl = std::make_unique<Impl>(store);
    } catch (const SQLite::Exception& error) {
        refuse((store / kIndexName).string() + ": " + error.what());
    }
}

RunStore::~RunStore() = default;
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore& RunStore::operator=(RunStore&&) noexcept = default;

bool RunStore::existsIn(const std::filesystem::path& store) {
    std::error_code unreadable;  // then there is nothing to open either
    return std::filesystem::exists(store / kIndexName, unreadable);
}

RunRecord RunStore::create(const values::ExperimentSpec& spec) {
    if (spec.models.size() != 1) {
        refuse("a run trains one model, this experiment has " + std::to_string(spec.models.size()));
    }
    RunRecord run;
    makeFolders(m_impl->folder / "runs");
    do {
        run.id = makeId();
    } while (!std::filesystem::create_directory(m_impl->folderOf(run.id)));
    run.name = spec.name;
    run.model = values::displayName(spec.models.front());
    run.status = "running";
    run.created = run.updated = now();
    run.folder = m_impl->folderOf(run.id).string();
    run.seed = spec.seed;
    run.steps = spec.training.steps;
    run.loss = std::numeric_limits<double>::quiet_NaN();
    run.accuracy = -1;
    makeFolders(checkpointFolderOf(run));
    writeAtomically(specFileOf(run), toToml(spec));
    m_impl->guarded([&] { m_impl->insert(run); });
    return run;
}

RunRecord RunStore::resume(std::string_view id, std::int64_t step) {
    const std::string run(id);
    m_impl->guarded([&] {
        SQLite::Transaction all(m_impl->index, SQLite::TransactionBehavior::IMMEDIATE);
        SQLite::Statement change(m_impl->index,
                                 "UPDATE run SET status = 'running', step = ?, updated = ?, "
                                 "message = '', owner = ? WHERE id = ?");
        SQLite::bind(change, step, now(), processMark(), run);
        m_impl->changeRun(change, run);
        for (const char* table : {"metric", "event"}) {
            SQLite::Statement later(
                m_impl->index, std::string("DELETE FROM ") + table + " WHERE run = ? AND step > ?");
            SQLite::bind(later, run, step);
            later.exec();
        }
        all.commit();
    });
    return find(id);
}

void RunStore::append(std::string_view id, std::span<const values::Metric> metrics,
                      std::span<const RunEvent> events) {
    const std::string run(id);
    m_impl->guarded([&] {
        SQLite::Transaction all(m_impl->index, SQLite::TransactionBehavior::IMMEDIATE);
        SQLite::Statement metricRow(
            m_impl->index,
            "INSERT INTO metric (run, series, step, cpu_seconds, value) VALUES (?, ?, ?, ?, ?)");
        for (const values::Metric& metric : metrics) {
            SQLite::bind(metricRow, run, metric.series, metric.step, metric.cpuSeconds,
                         metric.value);
            metricRow.exec();
            metricRow.reset();
        }
        SQLite::Statement eventRow(m_impl->index,
                                   "INSERT INTO event (run, kind, step, text) VALUES (?, ?, ?, ?)");
        for (const RunEvent& event : events) {
            SQLite::bind(eventRow, run,
                         std::string(kEventKinds.at(static_cast<std::size_t>(event.kind))),
                         event.step, event.text);
            eventRow.exec();
            eventRow.reset();
        }
        all.commit();
    });
}

void RunStore::update(std::string_view id, const RunProgress& progress) {
    m_impl->guarded([&] {
        SQLite::Statement change(m_impl->index,
                                 "UPDATE run SET status = ?, step = ?, cpu_seconds = ?, loss = ?, "
                                 "accuracy = ?, message = ?, updated = ? WHERE id = ?");
        SQLite::bind(change, progress.status, progress.step, progress.cpuSeconds, progress.loss,
                     progress.accuracy, progress.message, now(), std::string(id));
        m_impl->changeRun(change, std::string(id));
    });
}

std::vector<RunRecord> RunStore::list() const {
    return m_impl->guarded([&] { return m_impl->select("", ""); });
}

RunRecord RunStore::find(std::string_view idOrBeginning) const {
    const std::string beginning(idOrBeginning);
    std::vector<RunRecord> runs;
    if (!beginning.empty()) {
        runs = m_impl->guarded(
            [&] { return m_impl->select("WHERE substr(id, 1, length(?1)) = ?1", beginning); });
    }
    if (runs.empty()) {
        refuse("there is no run \"" + beginning + "\" in " + m_impl->folder.string());
    }
    if (runs.size() > 1) {
        constexpr std::size_t kNamed = 5;
        std::string names;
        for (std::size_t i = 0; i < std::min(runs.size(), kNamed); ++i) {
            names += (i == 0 ? "" : ", ") + runs[i].id;
        }
        refuse("\"" + beginning + "\" is the beginning of " + std::to_string(runs.size()) +
               " runs: " + names + (runs.size() > kNamed ? ", ..." : ""));
    }
    return runs.front();
}

std::vector<values::Metric> RunStore::metricsOf(std::string_view id) const {
    return m_impl->guarded([&] {
        SQLite::Statement query(
            m_impl->index,
            "SELECT step, cpu_seconds, series, value FROM metric WHERE run = ? ORDER BY id");
        query.bind(1, std::string(id));
        std::vector<values::Metric> metrics;
        while (query.executeStep()) {
            metrics.push_back({query.getColumn(0).getInt64(), numberIn(query.getColumn(1)),
                               query.getColumn(2).getString(), numberIn(query.getColumn(3))});
        }
        return metrics;
    });
}

std::vector<RunEvent> RunStore::eventsOf(std::string_view id) const {
    return m_impl->guarded([&] {
        SQLite::Statement query(m_impl->index,
                                "SELECT kind, step, text FROM event WHERE run = ? ORDER BY id");
        query.bind(1, std::string(id));
        std::vector<RunEvent> events;
        while (query.executeStep()) {
            const auto* const kind = std::ranges::find(kEventKinds, query.getColumn(0).getString());
            if (kind != kEventKinds.end()) {
                events.push_back({static_cast<RunEvent::Kind>(kind - kEventKinds.begin()),
                                  query.getColumn(1).getInt64(), query.getColumn(2).getString()});
            }
        }
        return events;
    });
}

std::filesystem::path specFileOf(const RunRecord& run) {
    return std::filesystem::path(run.folder) / "experiment.toml";
}

std::filesystem::path checkpointFolderOf(const RunRecord& run) {
    return std::filesystem::path(run.folder) / "checkpoints";
}

}  // namespace lab::storage
