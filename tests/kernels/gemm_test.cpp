// The matrix product against the sum it stands for.
#include "kernels/gemm.h"

#include "kernels/thread_pool.h"
#include "tests/kernels/support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(Gemm);

struct Product {
    std::int64_t m, n, k;
    bool transposedA = false, transposedB = false, accumulate = false;
};

template <class T>
std::vector<T> run(const Product& p, const Numbers& a, const Numbers& b, const Numbers& c, Isa isa,
                   const Exec& exec = {}) {
    const auto x = cast<T>(a), y = cast<T>(b);
    auto z = cast<T>(c);
    const GemmPlan plan = gemmPlan({p.m, p.n, p.k}, isa, sizeof(T) == 8);
    std::vector<T> workspace(plan.forwardWorkspaceBytes / sizeof(T) + 1,
                             std::numeric_limits<T>::quiet_NaN());
    const Matrix<const T> left{x.data(), p.transposedA ? 1 : p.k, p.transposedA ? p.m : 1};
    const Matrix<const T> right{y.data(), p.transposedB ? 1 : p.n, p.transposedB ? p.k : 1};
    EXPECT_EQ(gemm<T>(plan, left, right, {z.data(), p.n, 1}, p.accumulate, workspace.data(), exec),
              Status::kOk);
    return z;
}

Numbers expected(const Product& p, const Numbers& a, const Numbers& b, Numbers c) {
    for (std::int64_t i = 0; i < p.m; ++i) {
        for (std::int64_t j = 0; j < p.n; ++j) {
            double total = p.accumulate ? c[static_cast<std::size_t>(i * p.n + j)] : 0.0;
            for (std::int64_t l = 0; l < p.k; ++l) {
                total += a[static_cast<std::size_t>(p.transposedA ? l * p.m + i : i * p.k + l)] *
                         b[static_cast<std::size_t>(p.transposedB ? j * p.k + l : l * p.n + j)];
            }
            c[static_cast<std::size_t>(i * p.n + j)] = total;
        }
    }
    return c;
}

TEST_P(Gemm, IsTheProductForAnyExtentsAndTransposes) {
    Random random(1);
    const auto count = [](std::int64_t a, std::int64_t b) {
        return static_cast<std::size_t>(a * b);
    };
    for (const auto& [m, n, k] :
         {std::tuple{1, 1, 1}, {13, 33, 5}, {12, 32, 16}, {7, 65, 300}, {25, 31, 513}, {3, 2, 0}}) {
        const Numbers a = random.array(count(m, k)), b = random.array(count(k, n));
        const Numbers c = random.array(count(m, n));
        for (int options = 0; options < 8; ++options) {
            const Product p{m, n, k, (options & 1) != 0, (options & 2) != 0, (options & 4) != 0};
            SCOPED_TRACE(::testing::Message() << m << "x" << n << "x" << k << " " << options);
            const Numbers wanted = expected(p, a, b, c);
            EXPECT_LE(relativeError(run<double>(p, a, b, c, GetParam()), wanted, 1.0), 1e-13);
            EXPECT_LE(relativeError(run<float>(p, a, b, c, GetParam()), wanted, 1.0), 2e-5);
        }
    }
}

TEST_P(Gemm, GivesTheSameBitsForAnyNumberOfThreadsAndRows) {
    Random random(2);
    ThreadPool sixteen(16);
    const Product p{37, 70, 290};
    const Numbers a = random.array(37 * 290), b = random.array(290 * 70), c(37 * 70, 0.0);
    const auto whole = run<float>(p, a, b, c, GetParam());
    EXPECT_TRUE(sameBits(run<float>(p, a, b, c, GetParam(), sixteen.exec()), whole));
    for (const std::int64_t row : {0, 5, 36}) {
        const Numbers one(a.begin() + row * 290, a.begin() + (row + 1) * 290);
        const auto alone = run<float>({1, 70, 290}, one, b, Numbers(70, 0.0), GetParam());
        EXPECT_TRUE(sameBits(
            alone, std::vector<float>(whole.begin() + row * 70, whole.begin() + (row + 1) * 70)));
    }
}

TEST_P(Gemm, RefusesWhatItCannotDo) {
    EXPECT_EQ(gemmPlan({-1, 1, 1}, GetParam()).status, Status::kBadShape);
    const GemmPlan plan = gemmPlan({2, 2, 2}, GetParam());
    float cell = 0;
    EXPECT_EQ(gemm<float>(plan, {&cell, 1, 1}, {&cell, 1, 1}, {&cell, 2, 2}, false, &cell),
              Status::kBadStride);
    EXPECT_EQ(gemm<float>(plan, {}, {&cell, 1, 1}, {&cell, 2, 1}, false, &cell),
              Status::kMissingArgument);
}

}  // namespace
}  // namespace lab::kernels::testing
