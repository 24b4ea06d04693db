#include "tests/widgets/demonstration.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace lab::widgets::demonstration {
namespace {

using values::Belief;
using values::EventReading;
using values::TokenKind;
using values::TraceReading;

class TraceMaker {
public:
    explicit TraceMaker(const TraceSetting& setting) : m_setting(setting), m_engine(setting.seed) {
        for (int i = 0; i < setting.cups; ++i) {
            m_reading.cupNames.emplace_back(1, static_cast<char>('a' + i));
            m_reading.valueNames.push_back(std::to_string(i + 1));
        }
        m_contents.assign(static_cast<std::size_t>(setting.cups), -1);
        std::vector<int> order(static_cast<std::size_t>(setting.cups));
        std::iota(order.begin(), order.end(), 0);
        do {
            m_worlds.push_back(order);  // one possible content of every cup
        } while (std::ranges::next_permutation(order).found && m_worlds.size() < 50'000);
    }

    std::shared_ptr<const TraceReading> make() {
        std::vector<int> values(m_contents.size());
        std::iota(values.begin(), values.end(), 0);
        std::shuffle(values.begin(), values.end(), m_engine);
        for (int cup = 0; cup < m_setting.cups; ++cup) {
            assign(cup, values[static_cast<std::size_t>(cup)]);
        }
        for (int i = 1; i <= m_setting.commands; ++i) {
            permute();
            if (i % m_setting.spacing == 0) {
                reveal(below(m_setting.cups));
            }
        }
        if (m_setting.withModel) {
            m_reading.modelName = "DeltaNet [-1,1]";
            m_reading.modelStep = 1200;
        }
        return std::make_shared<TraceReading>(std::move(m_reading));
    }

private:
    int below(int bound) { return static_cast<int>(m_engine() % static_cast<unsigned>(bound)); }
    [[nodiscard]] const std::string& cup(int i) const {
        return m_reading.cupNames[static_cast<std::size_t>(i)];
    }

    void token(const std::string& text, TokenKind kind, double probability = 0.97) {
        values::TokenReading made;
        made.text = text;
        made.kind = kind;
        made.line = m_line;
        made.column = m_column;
        made.event = static_cast<int>(m_reading.events.size());
        if (m_setting.withModel && !m_reading.tokens.empty()) {
            made.probability = probability;
            made.top = {{text, probability}};
            double rest = 1 - probability;
            for (const std::string& other : m_reading.cupNames) {
                if (other != text && rest > 1e-4) {
                    made.top.push_back({other, rest * 0.6});
                    rest *= 0.4;
                }
            }
            std::ranges::stable_sort(made.top, std::greater{}, &values::Candidate::probability);
        }
        m_reading.tokens.push_back(std::move(made));
        m_reading.transcript += text;
        m_column += static_cast<int>(text.size());
        if (text == "\n") {
            ++m_line;
            m_column = 1;
        }
    }
    void space() {
        m_reading.transcript += ' ';
        ++m_column;
    }

    void assign(int at, int value) {
        EventReading event;
        event.kind = EventReading::Kind::kAssign;
        event.cup = at;
        event.value = value;
        event.line = m_line;
        event.text = cup(at) + " = " + std::to_string(value + 1);
        token(">>>", TokenKind::kPrompt);
        space();
        token(cup(at), TokenKind::kName, 0.99);
        space();
        token("=", TokenKind::kOperator, 0.999);
        space();
        token(std::to_string(value + 1), TokenKind::kValue, 1.0 / m_setting.cups);
        token("\n", TokenKind::kPrompt, 0.999);
        m_contents[static_cast<std::size_t>(at)] = value;
        finish(std::move(event));
    }

    void permute() {
        EventReading event;
        event.kind = EventReading::Kind::kPermute;
        event.line = m_line;
        event.moved.resize(m_contents.size());
        std::iota(event.moved.begin(), event.moved.end(), 0);
        if (m_setting.fullPermutations) {
            std::shuffle(event.moved.begin(), event.moved.end(), m_engine);
        } else {
            const int first = below(m_setting.cups);
            const int second = (first + 1 + below(m_setting.cups - 1)) % m_setting.cups;
            std::swap(event.moved[static_cast<std::size_t>(first)],
                      event.moved[static_cast<std::size_t>(second)]);
        }
        token(">>>", TokenKind::kPrompt);
        writeTuple(event.moved, false);
        space();
        token("=", TokenKind::kOperator, 0.999);
        writeTuple(event.moved, true);
        token("\n", TokenKind::kPrompt, 0.999);
        const auto start = m_reading.transcript.rfind(">>> ");
        event.text = m_reading.transcript.substr(start + 4);
        event.text.pop_back();
        const auto apply = [&event](std::vector<int>& contents) {
            const std::vector<int> old = contents;
            for (std::size_t i = 0; i < old.size(); ++i) {
                contents[i] = old[static_cast<std::size_t>(event.moved[i])];
            }
        };
        apply(m_contents);
        std::ranges::for_each(m_worlds, apply);
        finish(std::move(event));
    }

    void writeTuple(const std::vector<int>& moved, bool sources) {
        bool first = true;
        for (std::size_t i = 0; i < moved.size(); ++i) {
            if (moved[i] == static_cast<int>(i) && !m_setting.fullPermutations) {
                continue;
            }
            if (!first) {
                token(",", TokenKind::kOperator, 0.998);
            }
            space();
            token(cup(sources ? moved[i] : static_cast<int>(i)), TokenKind::kName,
                  sources ? 0.95 : 1.0 / m_setting.cups);
            first = false;
        }
    }

    void reveal(int at) {
        EventReading event;
        event.kind = EventReading::Kind::kReveal;
        event.cup = at;
        event.value = m_contents[static_cast<std::size_t>(at)];
        event.line = m_line;
        event.text = "print('" + cup(at) + "', " + cup(at) + ")";
        token(">>>", TokenKind::kPrompt);
        space();
        token("print('", TokenKind::kOperator, 0.3);
        token(cup(at), TokenKind::kName, 1.0 / m_setting.cups);
        token("',", TokenKind::kOperator);
        space();
        token(cup(at), TokenKind::kName, 0.999);
        token(")", TokenKind::kOperator, 0.999);
        token("\n", TokenKind::kPrompt, 0.999);
        token(cup(at), TokenKind::kName, 0.999);
        space();
        const bool wrong = below(5) == 0;
        token(std::to_string(event.value + 1), TokenKind::kOutput, wrong ? 0.21 : 0.93);
        if (wrong && m_setting.withModel) {
            values::TokenReading& last = m_reading.tokens.back();
            last.mistake = true;
            last.top = {{std::to_string((event.value + 1) % m_setting.cups + 1), 0.66},
                        {last.text, 0.21},
                        {"\n", 0.05}};
        }
        token("\n", TokenKind::kPrompt, 0.999);
        std::erase_if(m_worlds, [&](const std::vector<int>& world) {
            return world[static_cast<std::size_t>(at)] != event.value;
        });
        event.surprise = std::log2(m_setting.cups);
        finish(std::move(event));
    }

    void finish(EventReading event) {
        event.contents = m_contents;
        const int n = m_setting.cups;
        const auto empty = [n] {
            return Belief{n, n, std::vector<double>(static_cast<std::size_t>(n * n), 0.0)};
        };
        event.knowing = empty();
        event.watching = empty();
        event.model = empty();
        for (int i = 0; i < n; ++i) {
            const int held = m_contents[static_cast<std::size_t>(i)];
            const double blur = 0.05 + 0.5 * (below(100) / 100.0) * (below(4) == 0 ? 1 : 0.15);
            for (int value = 0; value < n; ++value) {
                const auto cell = static_cast<std::size_t>(i * n + value);
                event.knowing.probability[cell] = held < 0 ? 1.0 / n : held == value ? 1.0 : 0.0;
                event.model.probability[cell] =
                    blur / n + (1 - blur) * event.knowing.probability[cell];
            }
        }
        for (const std::vector<int>& world : m_worlds) {
            for (int i = 0; i < n; ++i) {
                const auto cell =
                    static_cast<std::size_t>(i * n + world[static_cast<std::size_t>(i)]);
                event.watching.probability[cell] += 1.0 / static_cast<double>(m_worlds.size());
            }
        }
        if (!m_setting.withModel) {
            event.model = {};
        }
        m_reading.events.push_back(std::move(event));
    }

    TraceSetting m_setting;
    std::mt19937 m_engine;
    TraceReading m_reading;
    std::vector<int> m_contents;
    std::vector<std::vector<int>> m_worlds;
    int m_line = 1, m_column = 1;
};

}  // namespace

std::shared_ptr<const values::TraceReading> trace(const TraceSetting& setting) {
    return TraceMaker(setting).make();
}

std::vector<MetricPoint> lossCurve(int points, unsigned seed, double floor) {
    std::mt19937 engine(seed);
    std::vector<MetricPoint> curve;
    curve.reserve(static_cast<std::size_t>(points));
    for (int step = 0; step < points; ++step) {
        const double noise = static_cast<double>(engine() % 1000) / 1000.0 - 0.5;
        const double fall = 2.1 * std::exp(-4.0 * step / points) + floor;
        curve.push_back({static_cast<double>(step), step * 0.0031, fall * (1 + 0.25 * noise)});
    }
    return curve;
}

std::vector<RunAccuracy> accuracies() {
    const auto at = [](int commands, int spacing, double value) {
        values::LengthAccuracy accuracy;
        accuracy.length = {commands, spacing};
        accuracy.value = value;
        accuracy.wholeTrace = value * value;
        return accuracy;
    };
    return {{QStringLiteral("DeltaNet [-1,1]"),
             0,
             {at(32, 4, 1.0), at(32, 8, 0.999), at(64, 16, 0.998), at(128, 32, 0.993)}},
            {QStringLiteral("DeltaNet [0,1]"),
             1,
             {at(32, 4, 0.96), at(32, 8, 0.91), at(64, 16, 0.61), at(128, 32, 0.43)}},
            {QStringLiteral("Transformer, 2 layers"),
             2,
             {at(32, 4, 0.88), at(32, 8, 0.72), at(64, 16, 0.45), at(128, 32, 0.35)}}};
}

std::vector<RunCard> cards() {
    std::vector<RunCard> made;
    int style = 0;
    for (const RunAccuracy& run : accuracies()) {
        RunCard card;
        card.title = run.name;
        card.style = style;
        card.device = QStringLiteral("CPU");
        card.snapshot.state = style == 0   ? values::RunState::kRunning
                              : style == 1 ? values::RunState::kPaused
                                           : values::RunState::kDiverged;
        card.snapshot.step = 1840 - 500 * style;
        card.snapshot.steps = 3000;
        card.snapshot.stepsPerSecond = 312.4;
        card.snapshot.loss = 0.0134 * (style + 1);
        card.snapshot.trainedLength = {32, 8};
        card.snapshot.evaluations = run.lengths;
        if (style == 2) {
            card.snapshot.message = "loss is not finite at step 840, layer 1, head 2";
        }
        card.secondsLeft = 74;
        made.push_back(card);
        ++style;
    }
    return made;
}

std::vector<values::RunRecord> records(int count) {
    std::vector<values::RunRecord> made;
    for (int i = 0; i < count; ++i) {
        values::RunRecord record;
        record.id = "01J" + std::to_string(100 + i);
        record.name = "first-minute";
        record.model = i % 2 == 0 ? "DeltaNet [-1,1]" : "DeltaNet [0,1]";
        record.status = i == 0 ? "running" : "finished";
        record.created = "2026-12-01T05:2" + std::to_string(i % 10) + ":00Z";
        record.seed = static_cast<std::uint64_t>(i + 1);
        record.step = 3000 - 10 * i;
        record.steps = 3000;
        record.cpuSeconds = 9.5 * (i + 1);
        record.loss = 0.013 * (i + 1);
        record.accuracy = i == 3 ? -1 : 1.0 - 0.07 * i;
        record.folder = "/tmp/runs/" + record.id;
        made.push_back(record);
    }
    return made;
}

}  // namespace lab::widgets::demonstration
