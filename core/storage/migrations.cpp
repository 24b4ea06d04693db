#include "core/storage/migrations.h"

#include <SQLiteCpp/Backup.h>

#include <array>
#include <chrono>
#include <string>

#include "core/storage/atomic_file.h"
#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

// One statement list a version. Times are ISO 8601 in UTC; seeds are stored as signed 64 bits.
constexpr std::array<std::string_view, 1> kMigrations{R"sql(
    CREATE TABLE run (
        id TEXT PRIMARY KEY,            -- also the name of the folder
        name TEXT NOT NULL,
        model TEXT NOT NULL,
        status TEXT NOT NULL,
        created TEXT NOT NULL,
        updated TEXT NOT NULL,
        seed INTEGER NOT NULL,
        step INTEGER NOT NULL,
        steps INTEGER NOT NULL,
        cpu_seconds REAL,
        loss REAL,
        accuracy REAL,
        message TEXT NOT NULL,
        owner TEXT NOT NULL             -- process that works on it, see process_mark.h
    ) WITHOUT ROWID;
    CREATE TABLE metric (
        id INTEGER PRIMARY KEY,         -- order of arrival
        run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
        series TEXT NOT NULL,
        step INTEGER NOT NULL,
        cpu_seconds REAL,
        value REAL                      -- null: not a number
    );
    CREATE INDEX metric_by_run ON metric(run, series, step);
    CREATE TABLE event (
        id INTEGER PRIMARY KEY,
        run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        step INTEGER NOT NULL,
        text TEXT NOT NULL
    );
    CREATE INDEX event_by_run ON event(run, step);
    CREATE TABLE artifact (             -- a file that a run made
        id INTEGER PRIMARY KEY,
        run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        step INTEGER,
        path TEXT NOT NULL,             -- relative to the run's folder
        created TEXT NOT NULL
    );
    CREATE TABLE probe (                -- a read-out trained on a site of a checkpoint
        id INTEGER PRIMARY KEY,
        run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
        step INTEGER NOT NULL,
        site TEXT NOT NULL,
        spec TEXT NOT NULL,             -- JSON
        result TEXT NOT NULL,           -- JSON
        created TEXT NOT NULL
    );
    CREATE TABLE intervention (         -- an edit at a site, with its receipt
        id INTEGER PRIMARY KEY,
        run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
        step INTEGER NOT NULL,
        site TEXT NOT NULL,
        spec TEXT NOT NULL,             -- JSON
        result TEXT NOT NULL,           -- JSON
        created TEXT NOT NULL
    );
)sql"};

int versionOf(SQLite::Database& index) {
    return index.execAndGet("PRAGMA user_version").getInt();
}

void backUp(SQLite::Database& index, const std::filesystem::path& folder, int version) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::system_clock::now().time_since_epoch());
    makeFolders(folder / "backups");
    const auto file =
        folder / "backups" /
        ("lab-v" + std::to_string(version) + "-" + std::to_string(seconds.count()) + ".sqlite");
    SQLite::Database copy(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Backup(copy, index).executeStep(-1);
}

/// One change, unless another process made it in the meantime.
void apply(SQLite::Database& index, int version, std::string_view change) {
    index.exec("BEGIN IMMEDIATE");
    try {
        if (versionOf(index) == version) {
            index.exec(std::string(change));
            index.exec("PRAGMA user_version = " + std::to_string(version + 1));
        }
        index.exec("COMMIT");
    } catch (const SQLite::Exception&) {
        index.exec("ROLLBACK");
        throw;
    }
}

}  // namespace

std::span<const std::string_view> migrations() noexcept {
    return kMigrations;
}

void migrate(SQLite::Database& index, const std::filesystem::path& folder,
             std::span<const std::string_view> changes) {
    const int newest = static_cast<int>(changes.size());
    const int first = versionOf(index);
    if (first > newest) {
        throw values::LabError(
            values::LabError::Kind::kInvalidInput,
            index.getFilename() + ": was written by a newer Thimblerig (version " +
                std::to_string(first) + " of the index, this program knows " +
                std::to_string(newest) + "): update Thimblerig, or choose another store");
    }
    if (first > 0 && first < newest) {
        backUp(index, folder, first);
    }
    for (int version = first; version < newest; version = versionOf(index)) {
        apply(index, version, changes[static_cast<std::size_t>(version)]);
    }
}

}  // namespace lab::storage
