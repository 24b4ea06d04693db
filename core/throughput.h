// Steps per second as a person feels them: from the median step of the last second.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

namespace lab {

class Throughput {
public:
    using Clock = std::chrono::steady_clock;

    void add(Clock::time_point now, double seconds) {
        m_steps.push_back({now, seconds});
        while (m_steps.size() > 5 && now - m_steps.front().at > std::chrono::seconds(1)) {
            m_steps.pop_front();
        }
    }

    /// 0 before the first step.
    [[nodiscard]] double stepsPerSecond() const {
        if (m_steps.empty()) {
            return 0;
        }
        std::vector<double> seconds;
        seconds.reserve(m_steps.size());
        for (const auto& step : m_steps) {
            seconds.push_back(step.seconds);
        }
        const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
        std::ranges::nth_element(seconds, middle);
        return *middle > 0 ? 1.0 / *middle : 0;
    }

private:
    struct Step {
        Clock::time_point at;
        double seconds;
    };
    std::deque<Step> m_steps;
};

}  // namespace lab
