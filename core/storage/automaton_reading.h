// What the readers of automata share: one automaton from a JSON value. Costs its user
// nlohmann-json.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/storage/automaton_json.h"

namespace lab::storage {

/// place("symbols.x.kernel") begins a message about that field: "file" or "file:3:5".
[[nodiscard]] AutomatonCase readAutomaton(
    const nlohmann::json& object,
    const std::function<std::string(const std::string& field)>& place);

}  // namespace lab::storage
