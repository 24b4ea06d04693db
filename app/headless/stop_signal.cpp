#include "app/headless/stop_signal.h"

#include <csignal>

namespace lab::headless {
namespace {

volatile std::sig_atomic_t s_stopRequested = 0;

void onStopSignal(int signal) {
    s_stopRequested = 1;
    std::signal(signal, SIG_DFL);
}

}  // namespace

void heedStopSignals() {
    std::signal(SIGINT, onStopSignal);
    std::signal(SIGTERM, onStopSignal);
}

bool stopRequested() noexcept {
    return s_stopRequested != 0;
}

}  // namespace lab::headless
