#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/bench.h"

namespace lab {
namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const BenchValue& value) {
    return std::visit(
        [](const auto& one) -> Json {
            using T = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<T, std::monostate>) {
                return nullptr;
            } else if constexpr (std::is_same_v<T, double>) {
                return std::isfinite(one) ? Json(one) : Json(nullptr);
            } else {
                return one;
            }
        },
        value);
}

std::string textOf(double value) {
    return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-";
}

std::string textOf(const BenchValue& value) {
    return std::visit(
        [](const auto& one) -> std::string {
            using T = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<T, std::monostate>) {
                return "-";
            } else if constexpr (std::is_same_v<T, bool>) {
                return one ? "yes" : "no";
            } else if constexpr (std::is_same_v<T, double>) {
                return textOf(one);
            } else if constexpr (std::is_same_v<T, std::vector<double>>) {
                const auto [low, high] = std::ranges::minmax_element(one);
                return one.empty()
                           ? "-"
                           : fmt::format("{} in {}..{}", one.size(), textOf(*low), textOf(*high));
            } else {
                return fmt::format("{}", one);
            }
        },
        value);
}

std::string alignedRows(const std::vector<BenchRow>& rows) {
    std::vector<std::vector<std::string>> cells;
    std::vector<std::size_t> widths;
    const auto add = [&](std::vector<std::string> line) {
        widths.resize(std::max(widths.size(), line.size()));
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], line[i].size());
        }
        cells.push_back(std::move(line));
    };
    std::vector<std::string> titles;
    for (const auto& [title, value] : rows.front()) {
        titles.push_back(title);
    }
    add(titles);
    for (const auto& row : rows) {
        std::vector<std::string> line;
        for (const auto& [title, value] : row) {
            line.push_back(textOf(value));
        }
        add(line);
    }
    std::string text;
    for (const auto& line : cells) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            text += fmt::format("{:<{}}{}", line[i], i + 1 < line.size() ? widths[i] : 0,
                                i + 1 < line.size() ? "  " : "\n");
        }
    }
    return text;
}

}  // namespace

std::string toJson(const BenchReport& report) {
    Json json;
    json["bench"] = report.bench;
    json["goals"] = Json::array();
    for (const auto& goal : report.goals) {
        json["goals"].push_back(
            {{"goal", goal.goal}, {"measured", goal.measured}, {"met", goal.met}});
    }
    json["rows"] = Json::array();
    for (const auto& row : report.rows) {
        Json object = Json::object();
        for (const auto& [key, value] : row) {
            object[key] = jsonOf(value);
        }
        json["rows"].push_back(std::move(object));
    }
    json["pass"] = report.pass;
    return json.dump(2);
}

std::string toTable(const BenchReport& report) {
    std::string text = report.bench + "\n\n";
    if (!report.rows.empty()) {
        text += alignedRows(report.rows) + "\n";
    }
    for (const auto& goal : report.goals) {
        text +=
            fmt::format("{}  {}: {}\n", goal.met ? "met   " : "missed", goal.goal, goal.measured);
    }
    return text;
}

std::string toJson(const OpTiming& timing) {
    const OpRequest& r = timing.request;
    Json json;
    json["op"] = r.op;
    json["shape"] = {{"B", r.batch}, {"T", r.steps}, {"H", r.heads}, {"D", r.dim}};
    json["pass"] = r.pass;
    json["threads"] = r.threads;
    json["median_ms"] = timing.medianMs;
    json["samples_ms"] = timing.samplesMs;
    json["rel_err"] = jsonOf(timing.relativeError);
    json["variant"] = timing.variant;
    if (timing.productsMs > 0) {
        json["products_ms"] = timing.productsMs;
    }
    json["impl"] = "lab";
    return json.dump();
}

}  // namespace lab
