#include "app/start/display.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

namespace lab::app {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view{} : value;
}

bool startsWith(std::string_view text, std::string_view beginning) {
    return text.substr(0, beginning.size()) == beginning;
}

/// The platform that a person asked Qt for; empty: Qt chooses.
std::string_view wantedPlatform(int count, const char* const* arguments) {
    for (int i = 1; i + 1 < count; ++i) {
        if (std::string_view(arguments[i]) == "-platform" ||
            std::string_view(arguments[i]) == "--platform") {
            return arguments[i + 1];
        }
    }
    return environment("QT_QPA_PLATFORM");
}

/// Connects and disconnects. The library is opened at run time: Qt's plugin brings it.
bool xServerAnswers() {
    void* library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return true;  // cannot be told; let Qt try
    }
    using Connect = void* (*)(const char*, int*);
    using HasError = int (*)(void*);
    using Disconnect = void (*)(void*);
    const auto connect = reinterpret_cast<Connect>(dlsym(library, "xcb_connect"));
    const auto hasError = reinterpret_cast<HasError>(dlsym(library, "xcb_connection_has_error"));
    const auto disconnect = reinterpret_cast<Disconnect>(dlsym(library, "xcb_disconnect"));
    bool answers = true;
    if (connect != nullptr && hasError != nullptr && disconnect != nullptr) {
        void* connection = connect(nullptr, nullptr);
        answers = hasError(connection) == 0;
        disconnect(connection);
    }
    dlclose(library);
    return answers;
}

}  // namespace

std::string whyNoDisplay(int count, const char* const* arguments) {
    const std::string_view platform = wantedPlatform(count, arguments);
    const bool onScreen =
        platform.empty() || startsWith(platform, "xcb") || startsWith(platform, "wayland");
    if (!onScreen) {
        return {};  // offscreen, vnc, linuxfb: no display server is needed
    }
    const bool wayland = !environment("WAYLAND_DISPLAY").empty();
    const bool x11 = !environment("DISPLAY").empty();
    if (wayland || (x11 && xServerAnswers())) {
        return {};
    }
    const std::string found =
        x11 ? "the display \"" + std::string(environment("DISPLAY")) + "\" does not answer"
            : "no display was found (DISPLAY and WAYLAND_DISPLAY are empty)";
    return "thimblerig: " + found +
           ", so no window can open: use `./lab cli`, which needs none, or get a display with "
           "`ssh -X`, or a virtual one with `xvfb-run ./lab run`.";
}

}  // namespace lab::app
