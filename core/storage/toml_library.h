// The one place that includes toml++. Inside core/storage only.
//
// toml++ 3.3 asserts where it should refuse: "[." breaks off a debug build, and in a release build
// the same assertion is a promise to the optimiser. Here a broken assertion is an exception.
#pragma once

namespace lab::storage {

/// A text on which toml++ broke an assertion of its own.
struct TomlFault {};

[[noreturn]] inline void throwTomlFault() {
    throw TomlFault();
}

}  // namespace lab::storage

#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) \
    (static_cast<bool>(condition) ? static_cast<void>(0) : ::lab::storage::throwTomlFault())
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
