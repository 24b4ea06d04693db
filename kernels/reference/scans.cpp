#include "kernels/reference/scans.h"

#include <algorithm>
#include <tuple>

namespace lab::kernels::reference {
namespace {

using Row = std::vector<Traced>;

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

/// Position in a contiguous array [.., B, C, D].
std::size_t at(int a, int b, int nb, int c = 0, int nc = 1, int d = 0, int nd = 1) {
    return ((size(a) * size(nb) + size(b)) * size(nc) + size(c)) * size(nd) + size(d);
}

Row orZero(const Row& from, std::size_t count) {
    return from.empty() ? Row(count) : from;
}

/// One head: S <- diag(decay) S + k v^T; what q reads.
void writeAndRead(Traced* state, int keyDim, int valueDim, const Row& decay, const Traced* k,
                  const Row& v, const Traced* q, Row& read) {
    read.assign(size(valueDim), Traced());
    for (int i = 0; i < keyDim; ++i) {
        for (int j = 0; j < valueDim; ++j) {
            Traced& s = state[at(i, j, valueDim)];
            if (!decay.empty()) {
                s = decay[decay.size() == 1 ? 0 : size(i)] * s;
            }
            s += k[i] * v[size(j)];
            read[size(j)] += q[i] * s;
        }
    }
}

/// One unit of an sLSTM from i, f, z, o before their activations; the new h.
Traced slstmUnit(const Traced* gates, Traced& c, Traced& n, double& m) {
    const Traced kept = Traced(m) - softplus(Traced(0.0) - gates[1]);
    m = std::max(kept.value(), gates[0].value());
    const Traced enters = exp(gates[0] - m), stays = exp(kept - m);
    c = stays * c + enters * tanh(gates[2]);
    n = stays * n + enters;
    return sigmoid(gates[3]) * c / n;
}

}  // namespace

Answer gatedLinearAttention(const ScanExtent& e, double scale, const std::vector<Numbers>& inputs,
                            const std::vector<Numbers>& upstream) {
    const auto formula = [&](const Arrays& in) {
        const auto& [q, k, v, gate] = std::tie(in[0], in[1], in[2], in[3]);
        const std::size_t rows = size(e.batch) * size(e.steps) * size(e.heads);
        const std::size_t gateChannels = rows == 0 ? 0 : gate.size() / rows;
        Row state = orZero(in[4], size(e.batch) * size(e.heads) * size(e.keyDim * e.valueDim));
        Row out(rows * size(e.valueDim)), read;
        for (int b = 0; b < e.batch; ++b) {
            for (int t = 0; t < e.steps; ++t) {
                for (int h = 0; h < e.heads; ++h) {
                    const std::size_t row = at(b, t, e.steps, h, e.heads);
                    Row decay, value;
                    for (std::size_t i = 0; i < gateChannels; ++i) {
                        decay.push_back(exp(gate[row * gateChannels + i]));
                    }
                    for (int j = 0; j < e.valueDim; ++j) {
                        value.push_back(v[row * size(e.valueDim) + size(j)]);
                    }
                    writeAndRead(&state[at(b, h, e.heads) * size(e.keyDim * e.valueDim)], e.keyDim,
                                 e.valueDim, decay, &k[row * size(e.keyDim)], value,
                                 &q[row * size(e.keyDim)], read);
                    for (int j = 0; j < e.valueDim; ++j) {
                        out[row * size(e.valueDim) + size(j)] = scale * read[size(j)];
                    }
                }
            }
        }
        return Arrays{out, state};
    };
    return differentiate(formula, inputs, upstream);
}

Answer ssd(const ScanExtent& e, const std::vector<Numbers>& inputs,
           const std::vector<Numbers>& upstream) {
    const auto formula = [&](const Arrays& in) {
        const auto& [x, delta, a, b, c, d] = std::tie(in[0], in[1], in[2], in[3], in[4], in[5]);
        const int perGroup = e.heads / e.groups;
        Row state = orZero(in[6], size(e.batch) * size(e.heads) * size(e.keyDim * e.valueDim));
        Row out(x.size()), read;
        for (int n = 0; n < e.batch; ++n) {
            for (int t = 0; t < e.steps; ++t) {
                for (int h = 0; h < e.heads; ++h) {
                    const std::size_t row = at(n, t, e.steps, h, e.heads);
                    const std::size_t shared =
                        at(n, t, e.steps, h / perGroup, e.groups) * size(e.keyDim);
                    Row value;
                    for (int j = 0; j < e.valueDim; ++j) {
                        value.push_back(delta[row] * x[row * size(e.valueDim) + size(j)]);
                    }
                    writeAndRead(&state[at(n, h, e.heads) * size(e.keyDim * e.valueDim)], e.keyDim,
                                 e.valueDim, {exp(delta[row] * a[size(h)])}, &b[shared], value,
                                 &c[shared], read);
                    for (int j = 0; j < e.valueDim; ++j) {
                        const std::size_t i = row * size(e.valueDim) + size(j);
                        out[i] = d.empty() ? read[size(j)] : read[size(j)] + d[size(h)] * x[i];
                    }
                }
            }
        }
        return Arrays{out, state};
    };
    return differentiate(formula, inputs, upstream);
}

Answer selectiveScan(const ScanExtent& e, bool withSoftplus, const std::vector<Numbers>& inputs,
                     const std::vector<Numbers>& upstream) {
    const auto formula = [&](const Arrays& in) {
        const auto& [u, raw, z, a] = std::tie(in[0], in[1], in[2], in[3]);
        const auto& [b, c, d, bias] = std::tie(in[4], in[5], in[6], in[7]);
        Row state = orZero(in[8], size(e.batch) * size(e.heads) * size(e.keyDim));
        Row out(u.size());
        for (int n = 0; n < e.batch; ++n) {
            for (int t = 0; t < e.steps; ++t) {
                const std::size_t shared = at(n, t, e.steps) * size(e.keyDim);
                for (int h = 0; h < e.heads; ++h) {
                    const std::size_t i = at(n, t, e.steps, h, e.heads);
                    const Traced shifted = bias.empty() ? raw[i] : raw[i] + bias[size(h)];
                    const Traced delta = withSoftplus ? softplus(shifted) : shifted;
                    Traced y = d.empty() ? Traced() : d[size(h)] * u[i];
                    for (int s = 0; s < e.keyDim; ++s) {
                        Traced& cell = state[at(n, h, e.heads, s, e.keyDim)];
                        cell = exp(delta * a[at(h, s, e.keyDim)]) * cell +
                               delta * u[i] * b[shared + size(s)];
                        y += c[shared + size(s)] * cell;
                    }
                    out[i] = z.empty() ? y : y * z[i] * sigmoid(z[i]);
                }
            }
        }
        return Arrays{out, state};
    };
    return differentiate(formula, inputs, upstream);
}

namespace {

/// R h + bias, [rows], of one sequence; R [rows, d], h [d], bias [rows] or empty.
Row fromState(const Row& r, const Row& bias, const Traced* h, int rows, int d) {
    Row out(size(rows));
    for (int i = 0; i < rows; ++i) {
        out[size(i)] = bias.empty() ? Traced() : bias[size(i)];
        for (int j = 0; j < d; ++j) {
            out[size(i)] += r[at(i, j, d)] * h[j];
        }
    }
    return out;
}

}  // namespace

Answer recurrent(CellKind cell, const ScanExtent& e, const std::vector<Numbers>& inputs,
                 const std::vector<Numbers>& upstream) {
    const auto formula = [&](const Arrays& in) {
        const auto& [pre, r, bias] = std::tie(in[0], in[1], in[2]);
        const int d = e.keyDim;
        const int gates = cell == CellKind::kGru ? 3 : cell == CellKind::kTanh ? 1 : 4;
        Row h = orZero(in[3], size(e.batch * d)), c = orZero(in[4], size(e.batch * d));
        Row shares = in.size() > 5 ? orZero(in[5], size(e.batch * d)) : Row(c.size());
        std::vector<double> unit(c.size(), -1e30);
        for (std::size_t i = 0; in.size() > 6 && i < in[6].size(); ++i) {
            unit[i] = in[6][i].value();
        }
        Row all(size(e.batch * e.steps * d));
        for (int b = 0; b < e.batch; ++b) {
            for (int t = 0; t < e.steps; ++t) {
                const Traced* const x = &pre[at(b, t, e.steps) * size(gates * d)];
                const Row rec = fromState(r, bias, &h[at(b, 0, d)], gates * d, d);
                for (int j = 0; j < d; ++j) {
                    const auto gate = [&](int g) { return x[g * d + j] + rec[size(g * d + j)]; };
                    Traced& now = h[at(b, j, d)];
                    if (cell == CellKind::kLstm) {
                        Traced& kept = c[at(b, j, d)];
                        kept = sigmoid(gate(1)) * kept + sigmoid(gate(0)) * tanh(gate(2));
                        now = sigmoid(gate(3)) * tanh(kept);
                    } else if (cell == CellKind::kGru) {
                        const Traced z = sigmoid(gate(1));
                        const Traced n =
                            tanh(x[2 * d + j] + sigmoid(gate(0)) * rec[size(2 * d + j)]);
                        now = (Traced(1.0) - z) * n + z * now;
                    } else if (cell == CellKind::kSlstm) {
                        const std::size_t i = at(b, j, d);
                        const Traced gates4[] = {gate(0), gate(1), gate(2), gate(3)};
                        now = slstmUnit(gates4, c[i], shares[i], unit[i]);
                    } else {
                        now = tanh(gate(0));
                    }
                    all[at(b, t, e.steps, j, d)] = now;
                }
            }
        }
        if (cell == CellKind::kSlstm) {
            return Arrays{all, h, c, shares, Row(unit.begin(), unit.end())};
        }
        return cell == CellKind::kLstm ? Arrays{all, h, c} : Arrays{all, h};
    };
    return differentiate(formula, inputs, upstream);
}

Answer attention(const ScanExtent& e, double scale, int window, const std::vector<Numbers>& inputs,
                 const std::vector<Numbers>& upstream) {
    const auto formula = [&](const Arrays& in) {
        const auto& [q, k, v] = std::tie(in[0], in[1], in[2]);
        Row out(size(e.batch * e.steps * e.heads * e.valueDim));
        for (int b = 0; b < e.batch; ++b) {
            for (int h = 0; h < e.heads; ++h) {
                const int g = h / (e.heads / e.groups);
                for (int t = 0; t < e.steps; ++t) {
                    Traced mass;
                    Row total(size(e.valueDim));
                    for (int s = window > 0 ? std::max(0, t - window + 1) : 0; s <= t; ++s) {
                        Traced score;
                        for (int i = 0; i < e.keyDim; ++i) {
                            score += q[at(b, t, e.steps, h, e.heads, i, e.keyDim)] *
                                     k[at(b, s, e.steps, g, e.groups, i, e.keyDim)];
                        }
                        const Traced weight = exp(scale * score);  // small enough in tests
                        mass += weight;
                        for (int j = 0; j < e.valueDim; ++j) {
                            total[size(j)] +=
                                weight * v[at(b, s, e.steps, g, e.groups, j, e.valueDim)];
                        }
                    }
                    for (int j = 0; j < e.valueDim; ++j) {
                        out[at(b, t, e.steps, h, e.heads, j, e.valueDim)] = total[size(j)] / mass;
                    }
                }
            }
        }
        return Arrays{out};
    };
    return differentiate(formula, inputs, upstream);
}

}  // namespace lab::kernels::reference
