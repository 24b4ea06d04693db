#include "core/training/optimiser.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tasks/rng.h"

namespace lab::training {
namespace {

models::Parameter parameter(const std::vector<float>& values, bool decays) {
    at::Tensor tensor = at::tensor(values);
    tensor.requires_grad_(true);
    return {decays ? "matrix" : "vector", tensor, decays};
}

void setGradient(const models::Parameter& parameter, const std::vector<float>& values) {
    at::Tensor(parameter.value).mutable_grad() = at::tensor(values);
}

/// The textbook's AdamW on one number, in double.
struct ScalarAdamW {
    double w, first = 0, second = 0;
    int t = 0;

    void step(double gradient, double rate, double decay, const values::TrainingSpec& spec) {
        ++t;
        first = spec.beta1 * first + (1 - spec.beta1) * gradient;
        second = spec.beta2 * second + (1 - spec.beta2) * gradient * gradient;
        w -= rate * decay * w;
        w -= rate * (first / (1 - std::pow(spec.beta1, t))) /
             (std::sqrt(second / (1 - std::pow(spec.beta2, t))) + 1e-8);
    }
};

TEST(AdamW, FollowsTheTextbookAndDecaysMatricesAlone) {
    values::TrainingSpec spec;
    spec.weightDecay = 0.1;
    const std::vector parameters{parameter({1.0F, -2.0F, 0.5F}, true),
                                 parameter({1.0F, -2.0F, 0.5F}, false)};
    AdamW optimiser(parameters, spec);
    std::vector<ScalarAdamW> decayed{{1.0}, {-2.0}, {0.5}}, plain = decayed;
    tasks::Rng rng(3);
    for (int step = 0; step < 60; ++step) {
        const double rate = 0.01 / (1 + step);
        std::vector<float> gradient;
        for (std::size_t i = 0; i < 3; ++i) {
            gradient.push_back(static_cast<float>(rng.normal()));
            decayed[i].step(gradient[i], rate, spec.weightDecay, spec);
            plain[i].step(gradient[i], rate, 0, spec);
        }
        setGradient(parameters[0], gradient);
        setGradient(parameters[1], gradient);
        optimiser.step(rate);
    }
    for (int i = 0; i < 3; ++i) {
        const auto at = static_cast<std::size_t>(i);
        // float32 weights near 1 that moved 60 times: 60 roundings of 6e-8
        EXPECT_NEAR(parameters[0].value[i].item<double>(), decayed[at].w, 4e-6);
        EXPECT_NEAR(parameters[1].value[i].item<double>(), plain[at].w, 4e-6);
    }
    EXPECT_FALSE(parameters[0].value.grad().defined());  // let go
}

TEST(AdamW, ClipsByTheNormOfAllGradientsTogether) {
    const auto pair = [] { return std::vector{parameter({0, 0}, true), parameter({0}, false)}; };
    const auto clipped = pair(), halved = pair();
    AdamW optimiser(clipped, {}), other(halved, {});
    setGradient(clipped[0], {2, 4});
    setGradient(clipped[1], {4});
    EXPECT_DOUBLE_EQ(optimiser.gradientNorm(), 6.0);  // 4 + 16 + 16 = 36
    EXPECT_EQ(clippingScale(6.0, 3.0), 0.5);
    EXPECT_EQ(clippingScale(6.0, 0.0), 1.0);  // off
    EXPECT_EQ(clippingScale(6.0, 7.0), 1.0);  // below the limit
    setGradient(halved[0], {1, 2});
    setGradient(halved[1], {2});
    optimiser.step(0.1, clippingScale(6.0, 3.0));
    other.step(0.1);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_TRUE(optimiser.firstMoments()[i].equal(other.firstMoments()[i])) << i;
        EXPECT_TRUE(optimiser.secondMoments()[i].equal(other.secondMoments()[i])) << i;
        EXPECT_TRUE(clipped[i].value.equal(halved[i].value)) << i;
    }
}

TEST(AdamW, SeesAGradientAndAWeightThatIsNotFinite) {
    const std::vector parameters{parameter(std::vector<float>(19, 1.0F), true)};
    AdamW optimiser(parameters, {});
    for (const int place : {0, 7, 18}) {  // in a lane, at its end, in the remainder
        std::vector<float> gradient(19, 1.0F);
        gradient[static_cast<std::size_t>(place)] = std::numeric_limits<float>::quiet_NaN();
        setGradient(parameters[0], gradient);
        EXPECT_FALSE(std::isfinite(optimiser.gradientNorm())) << place;
    }
    EXPECT_TRUE(optimiser.weightsAreFinite());
    parameters[0].value.detach()[3] = std::numeric_limits<float>::infinity();
    EXPECT_FALSE(optimiser.weightsAreFinite());
}

}  // namespace
}  // namespace lab::training
