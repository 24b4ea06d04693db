#include "tasks/belief_study.h"

#include <gtest/gtest.h>

namespace lab::tasks {
namespace {

// The state loses one bit of norm for each bit of information: the expected slope is minus the
// entropy of what is revealed. 6,400 looks of about one bit, so 0.012 bits of standard error.
TEST(BeliefStudy, TheNormFallsByTheEntropyOfTheReveals) {
    for (const int cups : {3, 5}) {
        DecayRequest request;
        request.cups = cups;
        request.runs = 32;
        const DecayMeasurement measured = measureDecay(request);
        EXPECT_NEAR(measured.log2NormPerCycle, -measured.revealEntropyBits, 0.05) << cups;
        // fp32 is at its end after 149 bits, or a few more while the last subnormals round up.
        EXPECT_NEAR(measured.fp32Cycles, 149 / measured.revealEntropyBits, 10) << cups;
    }
}

// A mixing of probability zero hides nothing.
TEST(BeliefStudy, NothingIsLostWhereNothingIsHidden) {
    DecayRequest request;
    request.probability = 0;
    const DecayMeasurement measured = measureDecay(request);
    EXPECT_EQ(measured.log2NormPerCycle, 0);
    EXPECT_EQ(measured.revealEntropyBits, 0);
    EXPECT_EQ(measured.fp32Cycles, 2000) << "as many as were tried";
    EXPECT_EQ(measured.worstTotalVariation, 0);
}

// With two cups a marginal is the joint belief.
TEST(BeliefStudy, TwoCupsHaveNoCorrelationsToDrop) {
    DecayRequest request;
    request.cups = 2;
    EXPECT_NEAR(measureDecay(request).worstTotalVariation, 0, 1e-9);
}

TEST(BeliefStudy, InThePlainBasisTheHorizonIsTheExponentRange) {
    HorizonRequest request;
    request.format = NumberFormat::kBf16;
    EXPECT_EQ(measureHorizon(request).median, 134) << "2^-133 is the smallest subnormal";
    request.subnormals = Subnormals::kFlushed;
    EXPECT_EQ(measureHorizon(request).median, 127) << "2^-126 is the smallest normal number";
    EXPECT_EQ(measureHorizon(request).bases, 1);
}

// In any other basis small masses are added to large ones: an entry is lost when it falls to about
// the unit of the last place of one, 2^-(bits - 1), give or take the mixing of entries.
TEST(BeliefStudy, InOtherBasesTheHorizonIsTheSignificand) {
    for (const NumberFormat format :
         {NumberFormat::kFp16, NumberFormat::kBf16, NumberFormat::kFp32, NumberFormat::kFp64}) {
        HorizonRequest request;
        request.format = format;
        request.rotation = {true, true};
        const Horizon horizon = measureHorizon(request);
        const int bits = infoOf(format).significandBits;
        EXPECT_GE(horizon.median, bits - 10) << infoOf(format).key;
        EXPECT_LE(horizon.median, bits) << infoOf(format).key;
        EXPECT_LE(horizon.least, horizon.median);
        EXPECT_EQ(horizon.bases, 31);
    }
}

TEST(BeliefStudy, TheSameSeedGivesTheSameFigures) {
    DecayRequest request;
    request.runs = 2;
    EXPECT_EQ(measureDecay(request).meanTotalVariation, measureDecay(request).meanTotalVariation);
    int asked = 0;
    EXPECT_EQ(measureDecay(request, [&asked] { return ++asked == 1; }).fp32Cycles, 0) << "stopped";
}

}  // namespace
}  // namespace lab::tasks
