#include "app/start/logging.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <QByteArray>
#include <QMessageLogContext>
#include <QString>
#include <QtGlobal>
#include <cstdlib>
#include <memory>

namespace lab::app {
namespace {

constexpr std::size_t kLargestFile = 1 << 20;
constexpr std::size_t kOldFiles = 2;

void takeQtMessage(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    const std::string text = message.toStdString();
    const char* category = context.category == nullptr ? "qt" : context.category;
    switch (type) {
        case QtDebugMsg: spdlog::debug("{}: {}", category, text); break;
        case QtInfoMsg: spdlog::info("{}: {}", category, text); break;
        case QtWarningMsg: spdlog::warn("{}: {}", category, text); break;
        case QtCriticalMsg: spdlog::error("{}: {}", category, text); break;
        case QtFatalMsg:
            spdlog::critical("{}: {}", category, text);
            spdlog::shutdown();
            std::abort();
    }
}

}  // namespace

std::filesystem::path logFile() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && state[0] == '/') {
        return std::filesystem::path(state) / "thimblerig" / "thimblerig.log";
    }
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home == nullptr ? "/tmp" : home) / ".local" / "state" /
           "thimblerig" / "thimblerig.log";
}

void startLogging() {
    const auto screen = std::make_shared<spdlog::sinks::stderr_sink_st>();
    screen->set_level(spdlog::level::warn);
    screen->set_pattern("thimblerig: %v");
    auto logger = std::make_shared<spdlog::logger>("thimblerig", screen);
    try {
        logger->sinks().push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
            logFile().string(), kLargestFile, kOldFiles));
    } catch (const std::exception& error) {  // a full disk or a folder of someone else
        logger->warn("no log file: {}", error.what());
    }
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
    qInstallMessageHandler(&takeQtMessage);
}

}  // namespace lab::app
