#include "kernels/reference/filters.h"

namespace lab::kernels::reference {
namespace {

using Row = std::vector<Traced>;

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

}  // namespace

Answer norm(NormKind kind, int width, double epsilon, const std::vector<Numbers>& inputs,
            const std::vector<Numbers>& upstream) {
    const auto formula = [&](const Arrays& in) {
        Row y, inverse;
        const std::size_t n = size(width);
        for (std::size_t row = 0; row < in[0].size() / n; ++row) {
            const Traced* const x = in[0].data() + row * n;
            Traced mean, squares;
            for (std::size_t i = 0; kind == NormKind::kLayer && i < n; ++i) {
                mean += x[i] / Traced(width);
            }
            for (std::size_t i = 0; i < n; ++i) {
                squares += (x[i] - mean) * (x[i] - mean);
            }
            const double divisor = kind == NormKind::kL2 ? 1.0 : width;
            const Traced root = sqrt(squares / Traced(divisor) + Traced(epsilon));
            inverse.push_back(Traced(1.0) / root);
            for (std::size_t i = 0; i < n; ++i) {
                Traced z = (x[i] - mean) / root;
                z = in[1].empty() ? z : z * in[1][i];
                y.push_back(in[2].empty() ? z : z + in[2][i]);
            }
        }
        return Arrays{y, inverse};
    };
    return differentiate(formula, inputs, upstream);
}

Answer siluGate(const std::vector<Numbers>& inputs, const std::vector<Numbers>& upstream) {
    const auto formula = [&](const Arrays& in) {
        Row out;
        for (std::size_t i = 0; i < in[0].size(); ++i) {
            const Traced gate = in[0][i] * sigmoid(in[0][i]);
            out.push_back(in[1].empty() ? gate : gate * in[1][i]);
        }
        return Arrays{out};
    };
    return differentiate(formula, inputs, upstream);
}

Answer beliefFilter(const BeliefExtent& e, const std::vector<int>& source,
                    const std::vector<Numbers>& inputs, const std::vector<Numbers>& upstream) {
    const auto formula = [&](const Arrays& in) {
        const Row &transition = in[0], &weights = in[1], &evidence = in[2];
        const std::size_t n = size(e.states), m = size(e.permutations);
        Row beliefs, logs;
        for (std::size_t b = 0; b < size(e.batch); ++b) {
            Row belief(in[3].begin() + static_cast<std::ptrdiff_t>(b * n),
                       in[3].begin() + static_cast<std::ptrdiff_t>((b + 1) * n));
            for (std::size_t t = 0; t < size(e.steps); ++t) {
                const std::size_t row = b * size(e.steps) + t;
                Row moved(n);
                for (std::size_t j = 0; j < n; ++j) {
                    for (std::size_t i = 0; m == 0 && i < n; ++i) {
                        moved[j] += belief[i] * transition[((e.shared ? 0 : row) * n + i) * n + j];
                    }
                    for (std::size_t p = 0; p < m; ++p) {
                        moved[j] += weights[row * m + p] *
                                    belief[static_cast<std::size_t>(source[p * n + j])];
                    }
                }
                Traced mass;
                for (std::size_t j = 0; j < n; ++j) {
                    moved[j] = evidence.empty() ? moved[j] : moved[j] * evidence[row * n + j];
                    mass += moved[j];
                }
                for (std::size_t j = 0; j < n; ++j) {
                    belief[j] = mass.value() > 0.0 ? moved[j] / mass : Traced();
                    beliefs.push_back(belief[j]);
                }
                logs.push_back(mass.value() > 0.0 ? log(mass) : Traced(-HUGE_VAL));
            }
        }
        return Arrays{beliefs, logs};
    };
    return differentiate(formula, inputs, upstream);
}

}  // namespace lab::kernels::reference
