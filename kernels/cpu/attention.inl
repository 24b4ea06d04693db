// Causal attention of one (batch, group of heads): kernels/attention.h has the mathematics.
//
// Queries go in blocks. The scores of a block against every place it can see stand in a table whose
// rows are as long as the sequence, so that a row's softmax is exact and in one piece; products on
// both sides of it are register tiles. Places a row cannot see have weight zero.
#pragma once

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/row_kernels.inl"
#include "kernels/cpu/rows.inl"
#include "kernels/cpu/tiles.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

constexpr int kScoreRows = LAB_SIMD_BYTES == 64 ? 12 : 6;

template <class T>
struct AttentionItem {
    static constexpr int kLaneCount = kLanes<T>;
    const cpu::AttentionJob<T>& job;
    std::int64_t b, g;
    std::int64_t h = 0;
    cpu::AttentionScratch at;
    T* scratch;

    LAB_INLINE AttentionItem(const cpu::AttentionJob<T>& call, std::int64_t item, T* memory,
                             bool backward)
        : job(call),
          b(item / call.groups),
          g(item % call.groups),
          at(cpu::attentionScratch(call.keySteps, call.keyDim, call.valueDim, kLaneCount,
                                   backward)),
          scratch(memory) {}

    [[nodiscard]] LAB_INLINE T* table(std::size_t offset) const { return scratch + offset; }
    /// Where the query stands, and the first place it sees.
    [[nodiscard]] LAB_INLINE std::int64_t placeOf(std::int64_t t) const {
        return job.keySteps - job.steps + t;
    }
    [[nodiscard]] LAB_INLINE std::int64_t firstSeen(std::int64_t t) const {
        const std::int64_t first = placeOf(t) - job.window + 1;
        return job.window > 0 && first > 0 ? first : 0;
    }

    /// [S, row] to [row, place], zero behind the last place.
    LAB_INLINE void transpose(T* to, const T* from, int width, int row) const {
        for (int i = 0; i < width; ++i) {
            for (std::int64_t s = 0; s < at.place; ++s) {
                to[i * at.place + s] = s < job.keySteps ? from[s * row + i] : T(0);
            }
        }
    }
    /// Turns the pairs of `count` rows that stand at `place` and after; `back`: the other way.
    LAB_INLINE void rotate(T* rows, int count, std::int64_t place, bool back) const {
        const int half = job.keyDim / 2;
        for (int r = 0; job.rotary != nullptr && r < count; ++r) {
            const T* const cosines = job.rotary + (place + r) * job.keyDim;
            T* const row = rows + std::int64_t{r} * at.keyRow;
            forEachVector<T>(half, [&](int i, int n) {
                const Vec<T> c = loadLanes<T>(cosines + i, n), x = loadLanes<T>(row + i, n);
                const Vec<T> s = loadLanes<T>(cosines + half + i, n) * (back ? T(-1) : T(1));
                const Vec<T> y = loadLanes<T>(row + half + i, n);
                storeLanes<T>(row + i, x * c - y * s, n);
                storeLanes<T>(row + half + i, x * s + y * c, n);
            });
        }
    }
    void packGroup(bool backward) const {
        const int places = static_cast<int>(job.keySteps);
        Rows<T, 0>::pack(table(at.keys), rowOf(job.k, b, 0, g), job.k.stride[1], job.k.stride[3],
                         places, job.keyDim, T(1));
        rotate(table(at.keys), places, 0, false);
        Rows<T, 0>::pack(table(at.values), rowOf(job.v, b, 0, g), job.v.stride[1], job.v.stride[3],
                         places, job.valueDim, T(1));
        transpose(table(at.keysAcross), table(at.keys), job.keyDim, at.keyRow);
        if (backward) {
            transpose(table(at.valuesAcross), table(at.values), job.valueDim, at.valueRow);
        }
    }

    /// to[i][s] = from[i] . across[.][s] for the rows of a block and the places [begin, end).
    LAB_INLINE void products(T* to, const T* from, int row, const T* across, int width, int rows,
                             std::int64_t begin, std::int64_t end) const {
        forEachRowTile<kScoreRows>(0, rows, [&]<int M>(std::int64_t i) {
            constexpr std::int64_t kPair = std::int64_t{2} * kLaneCount;
            std::int64_t s = begin;
            for (; s + kPair <= end; s += kPair) {
                productTile<M, 2>(to + i * at.place + s, from + i * row, row, across + s, width);
            }
            for (; s < end; s += kLaneCount) {
                productTile<M, 1>(to + i * at.place + s, from + i * row, row, across + s, width);
            }
        });
    }
    template <int M, int L>
    LAB_INLINE void productTile(T* to, const T* from, int row, const T* across, int width) const {
        Tile<T, M, L> tile{};
        multiplyInto<T, M, L>(tile, from, row, 1, across, at.place, width);
        for (int i = 0; i < M; ++i) {
            for (int l = 0; l < L; ++l) {
                store<T>(to + i * at.place + l * kLaneCount, tile.v[i][l]);
            }
        }
    }
    /// to[i] = sum over the places [begin, end) of weights[i][s] rows[s]; `row`: padded width.
    LAB_INLINE void mix(T* to, const T* weights, const T* rows, int row, int count,
                        std::int64_t begin, std::int64_t end) const {
        forEachRowTile<kScoreRows>(0, count, [&]<int M>(std::int64_t i) {
            int c = 0;
            for (; c + 2 * kLaneCount <= row; c += 2 * kLaneCount) {
                mixTile<M, 2>(to + i * row + c, row, weights + i * at.place + begin,
                              rows + begin * row + c, end - begin);
            }
            for (; c < row; c += kLaneCount) {
                mixTile<M, 1>(to + i * row + c, row, weights + i * at.place + begin,
                              rows + begin * row + c, end - begin);
            }
        });
    }
    template <int M, int L>
    LAB_INLINE void mixTile(T* to, int row, const T* weights, const T* rows,
                            std::int64_t count) const {
        Tile<T, M, L> tile{};
        multiplyInto<T, M, L>(tile, weights, at.place, 1, rows, row, count);
        for (int i = 0; i < M; ++i) {
            for (int l = 0; l < L; ++l) {
                store<T>(to + i * row + l * kLaneCount, tile.v[i][l]);
            }
        }
    }
    /// sums[s] += sum over the rows of a block of weights[i][s] rows[i], places [begin, end).
    LAB_INLINE void collect(T* sums, const T* weights, const T* rows, int row, int count,
                            std::int64_t begin, std::int64_t end) const {
        forEachRowTile<kScoreRows>(begin, end, [&]<int M>(std::int64_t s) {
            int c = 0;
            for (; c + 2 * kLaneCount <= row; c += 2 * kLaneCount) {
                collectTile<M, 2>(sums + s * row + c, row, weights + s, rows + c, count);
            }
            for (; c < row; c += kLaneCount) {
                collectTile<M, 1>(sums + s * row + c, row, weights + s, rows + c, count);
            }
        });
    }
    template <int M, int L>
    LAB_INLINE void collectTile(T* sums, int row, const T* weights, const T* rows,
                                int count) const {
        Tile<T, M, L> tile;
        for (int i = 0; i < M; ++i) {
            for (int l = 0; l < L; ++l) {
                tile.v[i][l] = load<T>(sums + i * row + l * kLaneCount);
            }
        }
        multiplyInto<T, M, L>(tile, weights, 1, at.place, rows, row, count);
        for (int i = 0; i < M; ++i) {
            for (int l = 0; l < L; ++l) {
                store<T>(sums + i * row + l * kLaneCount, tile.v[i][l]);
            }
        }
    }

    /// Calls body(s, lanes in use) for the vectors of places that hold [first, last]; a lane
    /// outside is masked by the third argument.
    template <class Body>
    LAB_INLINE void forSeen(std::int64_t begin, std::int64_t first, std::int64_t last,
                            const Body& body) const {
        Mask<T> lane{};
        for (int i = 0; i < kLaneCount; ++i) {
            lane[i] = i;
        }
        using Integer = typename SimdTypes<T>::Integer;
        for (std::int64_t s = begin; s <= last; s += kLaneCount) {
            const auto from = static_cast<Integer>(first > s ? first - s : 0);
            const auto to = static_cast<Integer>(last - s < kLaneCount ? last - s : kLaneCount);
            body(s, (lane >= from) & (lane <= to));
        }
    }
    LAB_INLINE void clear(T* row, std::int64_t begin, std::int64_t end) const {
        for (std::int64_t s = begin; s < end; s += kLaneCount) {
            store<T>(row + s, Vec<T>{});
        }
    }
    /// Scores to weights, in place; log of their sum.
    LAB_INLINE T softmax(T* row, std::int64_t begin, std::int64_t end, std::int64_t t) const {
        const std::int64_t first = firstSeen(t), last = placeOf(t);
        const Vec<T> least = broadcast<T>(static_cast<T>(-__builtin_inf()));
        Vec<T> most = least;
        forSeen(begin, first, last, [&](std::int64_t s, Mask<T> seen) {
            most = larger<T>(select<T>(seen, load<T>(row + s), least), most);
        });
        const T top = largest<T>(most);
        const Vec<T> scale = broadcast<T>(job.scale);
        Vec<T> total{};
        forSeen(begin, first, last, [&](std::int64_t s, Mask<T> seen) {
            const Vec<T> e =
                select<T>(seen, exponential<T>((load<T>(row + s) - top) * scale), Vec<T>{});
            total += e;
            store<T>(row + s, e);
        });
        const T mass = sum<T>(total);
        const Vec<T> share = broadcast<T>(T(1) / mass);
        const std::int64_t written = begin + (last - begin + kLaneCount) / kLaneCount * kLaneCount;
        for (std::int64_t s = begin; s < written; s += kLaneCount) {
            store<T>(row + s, load<T>(row + s) * share);
        }
        clear(row, written, end);
        return static_cast<T>(__builtin_log(static_cast<double>(mass))) + top * job.scale;
    }

    struct Block {
        std::int64_t first;  ///< query
        int rows;
        std::int64_t begin, end;  ///< places that a row of it sees, in whole vectors
    };
    [[nodiscard]] LAB_INLINE Block blockAt(std::int64_t first) const {
        const std::int64_t left = job.steps - first;
        const int rows = left < cpu::kQueryBlock ? static_cast<int>(left) : cpu::kQueryBlock;
        const std::int64_t begin = firstSeen(first) / kLaneCount * kLaneCount;
        const std::int64_t end = (placeOf(first + rows - 1) + kLaneCount) / kLaneCount * kLaneCount;
        return {first, rows, begin, end};
    }
    LAB_INLINE void scores(const Block& block) const {
        Rows<T, 0>::pack(table(at.query), rowOf(job.q, b, block.first, h), job.q.stride[1],
                         job.q.stride[3], block.rows, job.keyDim, T(1));
        rotate(table(at.query), block.rows, placeOf(block.first), false);
        products(table(at.weights), table(at.query), at.keyRow, table(at.keysAcross), job.keyDim,
                 block.rows, block.begin, block.end);
    }

    void forwardHead() const {
        for (std::int64_t first = 0; first < job.steps; first += cpu::kQueryBlock) {
            const Block block = blockAt(first);
            scores(block);
            for (int i = 0; i < block.rows; ++i) {
                const T logSum =
                    softmax(table(at.weights) + i * at.place, block.begin, block.end, first + i);
                if (job.logSum != nullptr) {
                    job.logSum[(b * job.heads + h) * job.steps + first + i] = logSum;
                }
            }
            const std::int64_t end = block.end < job.keySteps ? block.end : job.keySteps;
            mix(table(at.out), table(at.weights), table(at.values), at.valueRow, block.rows,
                block.begin, end);
            Rows<T, 0>::unpack(rowOf(job.o, b, first, h), job.o.stride[1], table(at.out),
                               block.rows, job.valueDim);
        }
    }

    /// Weights again from the scores and L, and the slopes of the scores:
    ///   ds = p (do . v - do . o) scale
    LAB_INLINE void slopesOf(const Block& block, int i) const {
        const std::int64_t t = block.first + i;
        T* const weights = table(at.weights) + i * at.place;
        T* const slopes = table(at.slopes) + i * at.place;
        const T* const o = rowOf(job.savedO, b, t, h);
        const T* const gradO = table(at.outGrad) + i * at.valueRow;
        T along = T(0);
        for (int j = 0; j < job.valueDim; ++j) {
            along += o[j * job.savedO.stride[3]] * gradO[j];
        }
        const Vec<T> logSum = broadcast<T>(job.savedLogSum[(b * job.heads + h) * job.steps + t]);
        const Vec<T> scale = broadcast<T>(job.scale), base = broadcast<T>(along);
        std::int64_t written = block.begin;
        forSeen(block.begin, firstSeen(t), placeOf(t), [&](std::int64_t s, Mask<T> seen) {
            const Vec<T> p =
                select<T>(seen, exponential<T>(load<T>(weights + s) * scale - logSum), Vec<T>{});
            store<T>(weights + s, p);
            store<T>(slopes + s, p * (load<T>(slopes + s) - base) * scale);
            written = s + kLaneCount;
        });
        clear(weights, written, block.end);
        clear(slopes, written, block.end);
    }
    void backwardHead() const {
        for (std::int64_t first = 0; first < job.steps; first += cpu::kQueryBlock) {
            const Block block = blockAt(first);
            scores(block);
            Rows<T, 0>::pack(table(at.outGrad), rowOf(job.gradO, b, first, h), job.gradO.stride[1],
                             job.gradO.stride[3], block.rows, job.valueDim, T(1));
            products(table(at.slopes), table(at.outGrad), at.valueRow, table(at.valuesAcross),
                     job.valueDim, block.rows, block.begin, block.end);
            for (int i = 0; i < block.rows; ++i) {
                slopesOf(block, i);
            }
            const std::int64_t end = block.end < job.keySteps ? block.end : job.keySteps;
            if (job.gradQ.data != nullptr) {
                mix(table(at.out), table(at.slopes), table(at.keys), at.keyRow, block.rows,
                    block.begin, end);
                rotate(table(at.out), block.rows, placeOf(first), true);
                Rows<T, 0>::unpack(rowOf(job.gradQ, b, first, h), job.gradQ.stride[1],
                                   table(at.out), block.rows, job.keyDim);
            }
            collect(table(at.keyGrad), table(at.slopes), table(at.query), at.keyRow, block.rows,
                    block.begin, end);
            collect(table(at.valueGrad), table(at.weights), table(at.outGrad), at.valueRow,
                    block.rows, block.begin, end);
        }
    }
};

template <class T>
void attentionForwardItem(const cpu::AttentionJob<T>& job, std::int64_t index, T* scratch) {
    const FlushDenormals flush;
    AttentionItem<T> item(job, index, scratch, false);
    item.packGroup(false);
    const std::int64_t perGroup = job.heads / job.groups;
    for (item.h = item.g * perGroup; item.h < (item.g + 1) * perGroup; ++item.h) {
        item.forwardHead();
    }
}

template <class T>
void attentionBackwardItem(const cpu::AttentionJob<T>& job, std::int64_t index, T* scratch) {
    const FlushDenormals flush;
    AttentionItem<T> item(job, index, scratch, true);
    item.packGroup(true);
    item.clear(item.table(item.at.keyGrad), 0, item.at.place * item.at.keyRow);
    item.clear(item.table(item.at.valueGrad), 0, item.at.place * item.at.valueRow);
    const std::int64_t perGroup = job.heads / job.groups;
    for (item.h = item.g * perGroup; item.h < (item.g + 1) * perGroup; ++item.h) {
        item.backwardHead();
    }
    const int places = static_cast<int>(job.keySteps);
    if (job.gradK.data != nullptr) {
        item.rotate(item.table(item.at.keyGrad), places, 0, true);
        Rows<T, 0>::unpack(rowOf(job.gradK, item.b, 0, item.g), job.gradK.stride[1],
                           item.table(item.at.keyGrad), places, job.keyDim);
    }
    if (job.gradV.data != nullptr) {
        Rows<T, 0>::unpack(rowOf(job.gradV, item.b, 0, item.g), job.gradV.stride[1],
                           item.table(item.at.valueGrad), places, job.valueDim);
    }
}

}  // namespace
}  // namespace lab::kernels
