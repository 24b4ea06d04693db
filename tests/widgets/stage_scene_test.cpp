#include "widgets/stage/stage_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/widgets/demonstration.h"

namespace lab::widgets {
namespace {

using values::EventReading;

constexpr QSizeF kSize{1000, 520};
constexpr StageOptions kShown{.truthShown = true};

int firstOf(const values::TraceReading& reading, EventReading::Kind kind, int from = 0) {
    for (int i = from; i < static_cast<int>(reading.events.size()); ++i) {
        if (reading.events[static_cast<std::size_t>(i)].kind == kind) {
            return i;
        }
    }
    return -1;
}

const CupSprite& cupFor(const StageScene& scene, int place) {
    return *std::ranges::find(scene.cups, place, &CupSprite::place);
}

std::vector<std::pair<double, int>> ballsFromLeft(const StageScene& scene) {
    std::vector<std::pair<double, int>> balls;
    for (const BallSprite& ball : scene.balls) {
        balls.emplace_back(ball.centre.x(), ball.value);
    }
    std::ranges::sort(balls);
    return balls;
}

TEST(StageScene, ShowsAtRestWhatAReplayOfTheMovesLeavesInEveryPlace) {
    for (const int cups : {2, 3, 5, 8}) {
        const auto reading = demonstration::trace(
            {.cups = cups, .commands = 30, .spacing = 4, .fullPermutations = cups == 5});
        std::vector<int> contents(static_cast<std::size_t>(cups), -1);
        for (int at = 0; at < static_cast<int>(reading->events.size()); ++at) {
            const EventReading& event = reading->events[static_cast<std::size_t>(at)];
            if (event.kind == EventReading::Kind::kAssign) {
                contents[static_cast<std::size_t>(event.cup)] = event.value;
            } else if (event.kind == EventReading::Kind::kPermute) {
                const auto old = contents;
                for (std::size_t i = 0; i < old.size(); ++i) {
                    contents[i] = old[static_cast<std::size_t>(event.moved[i])];
                }
            }
            const StageScene scene = stageScene(*reading, {at, 1.0}, kSize, kShown);
            std::vector<int> shown(static_cast<std::size_t>(cups), -1);
            for (const BallSprite& ball : scene.balls) {
                EXPECT_DOUBLE_EQ(ball.centre.x(), StageLayout(cups, kSize).foot(ball.place).x());
                shown[static_cast<std::size_t>(ball.place)] = ball.value;
            }
            ASSERT_EQ(shown, contents) << cups << " cups, event " << at;
        }
    }
}

TEST(StageScene, CarriesTheBallUnderItsCupAllTheWay) {
    const auto reading = demonstration::trace({.cups = 5, .fullPermutations = true});
    const int move = firstOf(*reading, EventReading::Kind::kPermute);
    for (const double progress : {0.0, 0.2, 0.5, 0.8, 1.0}) {
        const StageScene scene = stageScene(*reading, {move, progress}, kSize, kShown);
        for (const BallSprite& ball : scene.balls) {
            EXPECT_DOUBLE_EQ(ball.centre.x(), cupFor(scene, ball.place).foot.x());
        }
    }
}

TEST(StageScene, BeginsAMoveExactlyWhereTheEventBeforeItEnded) {
    const auto reading =
        demonstration::trace({.cups = 5, .commands = 12, .fullPermutations = true});
    for (int at = 6; at < static_cast<int>(reading->events.size()); ++at) {
        const auto ended = ballsFromLeft(stageScene(*reading, {at - 1, 1.0}, kSize, kShown));
        const auto begins = ballsFromLeft(stageScene(*reading, {at, 0.0}, kSize, kShown));
        ASSERT_EQ(ended.size(), begins.size());
        for (std::size_t i = 0; i < ended.size(); ++i) {
            EXPECT_NEAR(ended[i].first, begins[i].first, 1e-9);
            EXPECT_EQ(ended[i].second, begins[i].second);
        }
    }
}

TEST(StageScene, PassesOneCupInFrontAndTheOtherBehindHalfWayThroughASwap) {
    const auto reading = demonstration::trace({.cups = 3, .commands = 9, .spacing = 9});
    const int swap = firstOf(*reading, EventReading::Kind::kPermute);
    const auto& moved = reading->events[static_cast<std::size_t>(swap)].moved;
    const StageScene scene = stageScene(*reading, {swap, 0.5}, kSize, {});
    double middle = 0;
    for (int place = 0; place < 3; ++place) {
        if (moved[static_cast<std::size_t>(place)] != place) {
            middle += StageLayout(3, kSize).foot(place).x() / 2;
        }
    }
    for (int place = 0; place < 3; ++place) {
        const int from = moved[static_cast<std::size_t>(place)];
        const CupSprite& cup = cupFor(scene, place);
        if (from == place) {
            EXPECT_EQ(cup.depth, 0);
            continue;
        }
        EXPECT_NEAR(cup.foot.x(), middle, 1e-9);
        EXPECT_EQ(cup.depth > 0, place > from);  // rightward in front
    }
    EXPECT_TRUE(std::ranges::is_sorted(scene.cups, {}, &CupSprite::depth));
    ASSERT_EQ(scene.arrows.size(), 1U);
    EXPECT_TRUE(scene.arrows.front().bothWays);
}

TEST(StageScene, LiftsOnlyTheRevealedCupAndLowersItBeforeTheNextMove) {
    const auto reading = demonstration::trace({.cups = 3, .commands = 12, .spacing = 3});
    const int print = firstOf(*reading, EventReading::Kind::kReveal);
    const int cup = reading->events[static_cast<std::size_t>(print)].cup;
    const StageScene rest = stageScene(*reading, {print, 1.0}, kSize, {});
    for (int place = 0; place < 3; ++place) {
        EXPECT_EQ(cupFor(rest, place).lift, place == cup ? 1.0 : 0.0);
    }
    ASSERT_EQ(rest.balls.size(), 1U);
    EXPECT_EQ(rest.balls.front().place, cup);
    EXPECT_EQ(rest.balls.front().value, reading->events[static_cast<std::size_t>(print)].value);
    // When the cups begin to move, every one of them is down and hides its ball.
    EXPECT_TRUE(stageScene(*reading, {print + 1, 0.31}, kSize, {}).balls.empty());
}

TEST(StageScene, HidesEveryBallFromAWatcherWhoSeesNoPrint) {
    const auto reading = demonstration::trace({.cups = 4, .commands = 8, .spacing = 100});
    const StageOptions watcher{.exact = BeliefSource::kWatching};
    for (int at = 0; at < static_cast<int>(reading->events.size()); ++at) {
        for (const double progress : {0.0, 0.3, 0.5, 1.0}) {
            const StageScene scene = stageScene(*reading, {at, progress}, kSize, watcher);
            ASSERT_TRUE(scene.balls.empty());
            for (const MeterSprite& meter : scene.meters) {
                ASSERT_EQ(meter.truth, -1);
            }
        }
    }
}

TEST(StageScene, FadesInPlaceWhenMotionIsReduced) {
    const auto reading = demonstration::trace({.cups = 5, .fullPermutations = true});
    const int move = firstOf(*reading, EventReading::Kind::kPermute);
    const StageLayout layout(5, kSize);
    for (const double progress : {0.1, 0.4, 0.6, 0.9}) {
        const StageScene scene =
            stageScene(*reading, {move, progress}, kSize, {.motion = Motion::kFade});
        for (const CupSprite& cup : scene.cups) {
            bool atAPlace = false;
            for (int place = 0; place < 5; ++place) {
                atAPlace = atAPlace || cup.foot == layout.foot(place);
            }
            EXPECT_TRUE(atAPlace);
        }
    }
}

TEST(StageScene, KeepsEveryMeterADistributionOnItsWayFromEventToEvent) {
    const auto reading = demonstration::trace({.cups = 5, .commands = 20, .spacing = 2});
    for (int at = 0; at < static_cast<int>(reading->events.size()); ++at) {
        const StageScene scene = stageScene(*reading, {at, 0.37}, kSize, {});
        for (const MeterSprite& meter : scene.meters) {
            if (meter.kind != MeterSprite::Kind::kTruth) {
                EXPECT_NEAR(
                    std::accumulate(meter.probability.begin(), meter.probability.end(), 0.0), 1.0,
                    1e-9);
            }
        }
    }
}

TEST(StageLayout, HasRoomForALiftedCupUnderTheMetersAtEverySize) {
    for (int cups = 2; cups <= 8; ++cups) {
        for (const QSizeF size : {QSizeF(500, 300), QSizeF(900, 480), QSizeF(1280, 800),
                                  QSizeF(1920, 1080), QSizeF(600, 900), QSizeF(2560, 600)}) {
            const StageLayout layout(cups, size);
            EXPECT_GT(layout.cupHeight, 20);
            EXPECT_LE(layout.meters.bottom(),
                      layout.footLine - layout.cupHeight * (1 + kLiftHeight));
            EXPECT_LE(layout.labelFrame(0).bottom(), layout.command.top() + 1);
            EXPECT_LT(layout.meterWidth(cups), layout.columnWidth);
            EXPECT_GE(layout.foot(0).x() - layout.columnWidth / 2, 0);
            EXPECT_LE(layout.foot(cups - 1).x() + layout.columnWidth / 2, size.width());
        }
    }
}

TEST(DescribePlace, TellsWhatTheMetersShow) {
    const auto reading = demonstration::trace({.cups = 3, .withModel = false});
    const QString hidden = describePlace(*reading, 2, 1, {});
    EXPECT_TRUE(hidden.startsWith(QStringLiteral("Cup b (2 of 3): exact belief 1.00 for ")))
        << hidden.toStdString();
    EXPECT_TRUE(hidden.endsWith(QStringLiteral("model none; truth hidden.")))
        << hidden.toStdString();
}

}  // namespace
}  // namespace lab::widgets
