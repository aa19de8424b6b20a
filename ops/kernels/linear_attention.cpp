// The kernel of linear_attention: running sums instead of pairs, so that time and memory grow with the length, not its square.
#include "gradproof/ops/linear_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/ops/kernels/gemm.hpp"
#include "gradproof/ops/kernels/row_loops.hpp"

namespace gradproof {
namespace {

constexpr Index kBlock = 64;  // positions whose pairs are worked out one by one where the sums are causal

struct Sizes {
    Index heads = 1, L = 0, S = 0, D = 0, E = 0;
    bool causal = false;
    Sizes(const Shape& q, const Shape& k, const Shape& v, bool causal_)
        : L(q.last(1)), S(k.last(1)), D(q.last()), E(v.last()), causal(causal_) {
        for (int i = 0; i + 2 < q.rank(); ++i) heads *= q[i];
    }
};

/// p(x) = elu(x) + 1 = exp(min(x, 0)) + max(x, 0)
template <class T>
void features(const T* x, T* p, Index n) {
    for (Index i = 0; i < n; ++i) p[i] = min(x[i], T(0));
    kernels<T>().exp(p, p, n);
    for (Index i = 0; i < n; ++i) p[i] += max(T(0), x[i]);
}
/// dx = p'(x) dp, in place;
/// p' is exp(x) = p up to 0 and 1 beyond; raised features are all of the former, and their dp is as much smaller.
template <class T>
void features_backward(const T* p, T* dp, Index n) {
    for (Index i = 0; i < n; ++i) dp[i] *= min(p[i], T(1));
}
/// Features that are all below 1/2 times the power of 2 that brings the largest there. Those of one query, or of all keys, cancel
/// in y: a product of two that are small does not underflow.
template <class T>
void raise(T* p, Index n) {
    T top = 0;
    for (Index i = 0; i < n; ++i) {
        if (!(p[i] < T(0.5))) return;
        top = std::max(top, p[i]);
    }
    int exponent = 0;
    std::frexp(top, &exponent);
    const T up = std::ldexp(T(1), std::min(-exponent, std::numeric_limits<T>::max_exponent - 1));
    for (Index i = 0; i < n; ++i) p[i] *= up;
}
/// Whether a normaliser is too small to divide by.
template <class T>
bool vanishes(T z) {
    return z < std::numeric_limits<T>::min();
}

/// One head. A last column of 1 beside v makes the normaliser a column of the sums:
/// n = [p(q) m, z] = p(q) M with M = Σ p(k)ᵀ [v, 1].
template <class T>
struct Head {
    const Sizes& n;
    Index W = n.E + 1;
    Tensor<T> pq{Shape{n.L, n.D}}, pk{Shape{n.S, n.D}}, v1{Shape{n.S, W}}, rows{Shape{n.L, W}};
    Tensor<T> sums{Shape{n.D, W}}, pairs{Shape{kBlock, kBlock}};

    /// What a block of positions holds of queries and of keys;
    /// where the sums are causal, each of these sees the keys up to its own place, and keys are no more than queries.
    struct Block {
        Index first, queries, keys;
    };
    Block block(Index first) const {
        const auto within = [&](Index length) { return std::clamp<Index>(length - first, 0, n.causal ? kBlock : length); };
        return {first, within(n.L), within(n.S)};
    }
    Index blocks() const { return n.causal ? (std::max(n.L, n.S) + kBlock - 1) / kBlock : 1; }

    void load(const T* q, const T* k, const T* v) {
        features(q, pq.data(), n.L * n.D);
        features(k, pk.data(), n.S * n.D);
        for (Index i = 0; i < n.L; ++i) raise(pq.data() + i * n.D, n.D);
        raise(pk.data(), n.S * n.D);
        for (Index j = 0; j < n.S; ++j) {
            std::copy_n(v + j * n.E, n.E, v1.data() + j * W);
            v1[j * W + n.E] = T(1);
        }
    }

    /// M += p(k)ᵀ [v, 1] over the keys of a block.
    void add_keys(const Block& b) {
        gemm(true, false, n.D, W, b.keys, T(1), pk.data() + b.first * n.D, n.D, v1.data() + b.first * W, W, T(1), sums.data(), W);
    }
    /// a [queries, keys] = x yᵀ of the rows of a block, 0 where the key comes after the query.
    void block_pairs(const Block& b, const T* x, const T* y, Index width) {
        gemm(false, true, b.queries, b.keys, width, T(1), x + b.first * width, width, y + b.first * width, width, T(0),
             pairs.data(), kBlock);
        for (Index i = 0; i < b.queries; ++i)
            for (Index j = i + 1; j < b.keys; ++j) pairs[i * kBlock + j] = T(0);
    }
    // Sums over a block's pairs: one product where what their zeros meet is finite, else row by row without the zeros.
    /// c [queries, width] += a x, of the pairs a and x [keys, width]: over the keys each query sees.
    void add_over_keys(const Block& b, Index width, const T* x, T* c) {
        const auto rows_of_c = [&](Index first, Index count, Index seen) {
            gemm(false, false, count, width, seen, T(1), pairs.data() + first * kBlock, kBlock, x, width, T(1), c + first * width,
                 width);
        };
        if (all_finite(x, b.keys * width)) return rows_of_c(0, b.queries, b.keys);
        for (Index i = 0; i < b.queries; ++i) rows_of_c(i, 1, std::min(b.keys, i + 1));
    }
    /// c [keys, width] += aᵀ x, of x [queries, width]: over the queries that see each key.
    void add_over_queries(const Block& b, Index width, const T* x, T* c) {
        const auto rows_of_c = [&](Index first, Index count, Index from) {
            gemm(true, false, count, width, b.queries - from, T(1), pairs.data() + from * kBlock + first, kBlock,
                 x + from * width, width, T(1), c + first * width, width);
        };
        if (all_finite(x, b.keys * width)) return rows_of_c(0, b.keys, 0);  // the other queries see all keys
        for (Index j = 0; j < b.keys; ++j) rows_of_c(j, 1, j);
    }

    /// rows = p(q) M, M the sum over the keys each query sees.
    void forward() {
        sums.fill(T(0));
        for (Index i = 0; i < blocks(); ++i) {
            const Block b = block(i * kBlock);
            if (!n.causal) add_keys(b);
            T* out = rows.data() + b.first * W;
            gemm(false, false, b.queries, W, n.D, T(1), pq.data() + b.first * n.D, n.D, sums.data(), W, T(0), out, W);
            if (!n.causal) return;
            block_pairs(b, pq.data(), pk.data(), n.D);
            add_over_keys(b, W, v1.data() + b.first * W, out);
            add_keys(b);
        }
    }

    /// rows = p(q) M:  dp(q) = d(rows) Mᵀ, with the sums as in the forward; rows holds its cotangent.
    void backward_queries(T* dpq) {
        sums.fill(T(0));
        for (Index i = 0; i < blocks(); ++i) {
            const Block b = block(i * kBlock);
            if (!n.causal) add_keys(b);
            T* out = dpq + b.first * n.D;
            gemm(false, true, b.queries, n.D, W, T(1), rows.data() + b.first * W, W, sums.data(), W, T(0), out, n.D);
            if (!n.causal) return;
            block_pairs(b, rows.data(), v1.data(), W);
            add_over_keys(b, n.D, pk.data() + b.first * n.D, out);
            add_keys(b);
        }
    }

    /// M = Σ p(k)ᵀ [v, 1]:  with dM = Σ p(q)ᵀ d(rows) over the queries that see a key,  dp(k) = [v, 1] dMᵀ,  d[v, 1] = p(k) dM.
    /// A null one is left out.
    void backward_keys(T* dpk, T* dv1) {
        sums.fill(T(0));
        for (Index i = blocks() - 1; i >= 0; --i) {
            const Block b = block(i * kBlock);
            if (!n.causal) add_queries(b);
            const T *keys = pk.data() + b.first * n.D, *values = v1.data() + b.first * W;
            if (dpk) gemm(false, true, b.keys, n.D, W, T(1), values, W, sums.data(), W, T(0), dpk + b.first * n.D, n.D);
            if (dv1) gemm(false, false, b.keys, W, n.D, T(1), keys, n.D, sums.data(), W, T(0), dv1 + b.first * W, W);
            if (!n.causal) return;
            if (dpk) {
                block_pairs(b, rows.data(), v1.data(), W);
                add_over_queries(b, n.D, pq.data() + b.first * n.D, dpk + b.first * n.D);
            }
            if (dv1) {
                block_pairs(b, pq.data(), pk.data(), n.D);
                add_over_queries(b, W, rows.data() + b.first * W, dv1 + b.first * W);
            }
            add_queries(b);
        }
    }
    void add_queries(const Block& b) {
        gemm(true, false, n.D, W, b.queries, T(1), pq.data() + b.first * n.D, n.D, rows.data() + b.first * W, W, T(1),
             sums.data(), W);
    }
};

struct RunningSums {
    static constexpr KernelInfo info{.op = "linear_attention", .name = "running_sums", .saves = "q k v y z"};
    using Attrs = LinearAttentionAttrs;

    /// Where weights can differ (not of one key, nor by one feature), and every key is seen by some query.
    static bool fits(const Attrs& a, const InputShapes& x) {
        const Shape &q = x[0], &k = x[1], &v = x[2];
        const int rank = q.rank();
        if (rank < 2 || k.rank() != rank || v.rank() != rank || k.last() != q.last() || v.last(1) != k.last(1)) return false;
        for (int i = 0; i + 2 < rank; ++i)
            if (k[i] != q[i] || v[i] != q[i]) return false;
        return k.last(1) > 1 && q.last(1) > 0 && q.last() > 1 && (!a.causal || k.last(1) <= q.last(1));
    }

    /// Calls work(head, index) with the features of every head.
    template <class T, class Work>
    static void for_heads(const Sizes& n, const Tensor<T>& q, const Tensor<T>& k, const Tensor<T>& v, const Work& work) {
        parallel_for(n.heads, task_grain(1 << 17, {n.L + n.S, n.D, n.E}), [&](Index begin, Index end) {
            Head<T> head{n};
            for (Index h = begin; h < end; ++h) {
                head.load(q.data() + h * n.L * n.D, k.data() + h * n.S * n.D, v.data() + h * n.S * n.E);
                work(head, h);
            }
        });
    }

    template <class T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, SavedTensors<T>& saved) {
        const Sizes n(in[0].shape(), in[1].shape(), in[2].shape(), a.causal);
        Shape shape = in[0].shape();
        shape[shape.rank() - 1] = n.E;
        Tensor<T> y(shape), z({n.heads, n.L});
        for_heads(n, in[0], in[1], in[2], [&, ys = y.data(), zs = z.data()](Head<T>& head, Index h) {
            head.forward();
            for (Index i = 0; i < n.L; ++i) {
                const T* row = head.rows.data() + i * head.W;
                T* to = ys + (h * n.L + i) * n.E;
                const T sum = zs[h * n.L + i] = row[n.E];
                for (Index e = 0; e < n.E; ++e) to[e] = vanishes(sum) ? T(0) : T(row[e] / sum);
            }
        });
        saved["q"] = in[0], saved["k"] = in[1], saved["v"] = in[2], saved["y"] = y, saved["z"] = z;
        return y;
    }

    // y = n / z:  dn = dy / z,  dz = -(dy·n) / z² = -(dy·y) / z
    template <class T>
    static void output_backward(const Sizes& n, const T* y, const T* z, const T* dy, T* rows) {
        for (Index i = 0; i < n.L; ++i) {
            const T *y_i = y + i * n.E, *dy_i = dy + i * n.E;
            T* row = rows + i * (n.E + 1);
            if (vanishes(z[i])) {
                std::fill_n(row, n.E + 1, T(0));
                continue;
            }
            for (Index e = 0; e < n.E; ++e) row[e] = dy_i[e] / z[i];
            row[n.E] = -row_sum<T>(n.E, [&](Index e) { return dy_i[e] * y_i[e]; }) / z[i];
        }
    }

    template <class T>
    static void backward(const Attrs& a, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&q = saved["q"], &k = saved["k"], &v = saved["v"], &y = saved["y"], &z = saved["z"];
        const Sizes n(q.shape(), k.shape(), v.shape(), a.causal);
        const auto wanted = [&](int i, const Tensor<T>& x) { return dx.needs(i) ? Tensor<T>(x.shape()) : Tensor<T>(); };
        Tensor<T> dq = wanted(0, q), dk = wanted(1, k), dv = wanted(2, v);
        for_heads(n, q, k, v, [&](Head<T>& head, Index h) {
            const auto of_head = [&](Tensor<T>& x) { return x.defined() ? x.data() + x.size() / n.heads * h : nullptr; };
            output_backward(n, y.data() + h * n.L * n.E, z.data() + h * n.L, dy.data() + h * n.L * n.E, head.rows.data());
            T *to_q = of_head(dq), *to_k = of_head(dk), *to_v = of_head(dv);
            if (to_q) {
                head.backward_queries(to_q);
                features_backward(head.pq.data(), to_q, n.L * n.D);
            }
            if (!to_k && !to_v) return;
            Tensor<T> dv1 = to_v ? Tensor<T>({n.S, n.E + 1}) : Tensor<T>();
            head.backward_keys(to_k, to_v ? dv1.data() : nullptr);
            if (to_k) features_backward(head.pk.data(), to_k, n.S * n.D);
            for (Index j = 0; to_v && j < n.S; ++j) std::copy_n(dv1.data() + j * (n.E + 1), n.E, to_v + j * n.E);
        });
        int i = 0;
        for (Tensor<T>* g : {&dq, &dk, &dv}) {
            if (g->defined()) dx.add(i, std::move(*g));
            ++i;
        }
    }
};

}  // namespace

GRADPROOF_KERNEL(RunningSums, float, double);

}  // namespace gradproof
