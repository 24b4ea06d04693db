#include "widgets/playback.h"

#include <gtest/gtest.h>

#include "tests/widgets/demonstration.h"

namespace lab::widgets {
namespace {

// Three assignments, then commands with a print after every second: events 5, 8, 11 are prints.
Playback loaded(int commands = 8) {
    Playback playback;
    playback.setReading(demonstration::trace({.cups = 3, .commands = commands, .spacing = 2}));
    return playback;
}

TEST(Playback, ReachesTheSameEventWhateverTheFrameRate) {
    for (const double frame : {0.001, 0.016, 0.1, 0.7}) {
        Playback playback = loaded(40);
        playback.setPlaying(true);
        playback.advance(0);  // the first event begins
        // Seven plain events of 0.8 s and two prints of 1.2 s: 8.0 s; then 0.1 s of the tenth.
        const double total = 8.1;
        double passed = 0;
        while (passed + frame <= total) {
            playback.advance(frame);
            passed += frame;
        }
        playback.advance(total - passed);
        EXPECT_EQ(playback.cursor(), 9) << frame;
        EXPECT_NEAR(playback.progress(), 0.1 / 0.3, 1e-6) << frame;
    }
}

TEST(Playback, DoublesItsPaceWithEveryStepOfSpeed) {
    Playback playback = loaded();
    playback.setSpeedExponent(2);
    playback.setPlaying(true);
    playback.advance(0);
    playback.advance(0.05);
    EXPECT_NEAR(playback.progress(), 4 * 0.05 / 0.3, 1e-9);
    playback.setSpeedExponent(100);
    EXPECT_EQ(playback.speed(), 64);
    playback.setSpeedExponent(-100);
    EXPECT_EQ(playback.speed(), 0.125);
}

TEST(Playback, AnimatesASingleStepAndThenComesToRest) {
    Playback playback = loaded();
    playback.stepForward();
    EXPECT_EQ(playback.cursor(), 0);
    EXPECT_EQ(playback.progress(), 0);
    EXPECT_TRUE(playback.advance(0.15));
    EXPECT_NEAR(playback.progress(), 0.5, 1e-9);
    EXPECT_TRUE(playback.advance(10));
    EXPECT_EQ(playback.cursor(), 0);
    EXPECT_EQ(playback.progress(), 1);
    EXPECT_FALSE(playback.advance(10));
}

TEST(Playback, StopsAtTheEndAndStartsAgainFromTheBeginning) {
    Playback playback = loaded();
    playback.setPlaying(true);
    playback.advance(0);  // the first event begins
    playback.advance(1000);
    EXPECT_EQ(playback.cursor(), playback.events() - 1);
    EXPECT_FALSE(playback.playing());
    playback.setPlaying(true);
    EXPECT_EQ(playback.cursor(), -1);
}

TEST(Playback, JumpsFromPrintToPrintAndStaysWhereThereIsNone) {
    Playback playback = loaded();
    for (const int print : {5, 8, 11, 14, 14}) {
        playback.nextReveal();
        EXPECT_EQ(playback.cursor(), print);
    }
    playback.previousReveal();
    EXPECT_EQ(playback.cursor(), 11);
    playback.jumpTo(0);
    playback.previousReveal();
    EXPECT_EQ(playback.cursor(), 0);
}

TEST(Playback, KeepsItsPlaceInAShorterTrace) {
    Playback playback = loaded(40);
    playback.jumpTo(50);
    playback.setReading(demonstration::trace({.cups = 3, .commands = 4, .spacing = 2}));
    EXPECT_EQ(playback.cursor(), playback.events() - 1);
    playback.setReading(nullptr);
    EXPECT_EQ(playback.cursor(), -1);
}

}  // namespace
}  // namespace lab::widgets
