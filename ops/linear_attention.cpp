// Linear attention by running sums: forward, backward, samples, registration.
#include "gradproof/ops/linear_attention.hpp"

#include "gradproof/ops/activation_forms.hpp"
#include "gradproof/ops/weighting.hpp"

namespace gradproof {
namespace {

constexpr Index kBlock = 64;  // positions whose pairs are worked out one by one where the sums are causal

/// p(x) = elu(x) + 1 = exp(min(x, 0)) + max(x, 0)
template <class T>
void features(const T* x, T* p, Index n, bool fast) {
    for (Index i = 0; i < n; ++i) p[i] = min(x[i], T(0));
    if constexpr (has_kernels<T>) {
        if (fast) kernels<T>().exp(p, p, n);
    }
    if (!fast)
        for (Index i = 0; i < n; ++i) p[i] = exp(p[i]);
    for (Index i = 0; i < n; ++i) p[i] += max(T(0), x[i]);  // the constant on a tie: the slope at 0 is that of exp, 1
}
/// dx = p'(x) dp, in place;
/// p' is exp(x) = p up to 0 and 1 beyond; raised features are all of the former, and their dp is as much smaller.
template <class T>
void features_backward(const T* p, T* dp, Index n) {
    for (Index i = 0; i < n; ++i) dp[i] *= min(p[i], T(1));
}

/// Features that are all below 1/2 times the power of 2 that brings the largest there.
/// Those of one query, or of all keys, cancel in y: a
/// product of two that are small does not underflow.
template <class T>
void raise(T* p, Index n) {
    using Base = base_t<T>;
    Base top = 0;
    for (Index i = 0; i < n; ++i) {
        if (!(primal(p[i]) < Base(0.5))) return;
        top = std::max(top, Base(primal(p[i])));
    }
    int exponent = 0;
    std::frexp(top, &exponent);
    const T up(std::ldexp(Base(1), std::min(-exponent, std::numeric_limits<Base>::max_exponent - 1)));
    for (Index i = 0; i < n; ++i) p[i] *= up;
}
/// Whether a normaliser is too small to divide by.
template <class T>
bool vanishes(const T& z) {
    return primal(z) < std::numeric_limits<base_t<T>>::min();
}

/// One head. A last column of 1 beside v makes the normaliser a column of the sums:
/// n = [p(q) m, z] = p(q) M with M = Σ p(k)ᵀ [v, 1].
template <class T>
struct Head {
    const HeadSizes& n;
    bool fast;
    Index W = n.E + 1;
    Tensor<T> pq{Shape{n.L, n.D}}, pk{Shape{n.S, n.D}}, v1{Shape{n.S, W}}, rows{Shape{n.L, W}};
    Tensor<T> sums{Shape{n.D, W}}, pairs{Shape{kBlock, kBlock}};

    /// What a block of positions holds of queries and of keys;
    /// where the sums are causal, each of these sees the keys up to its own place.
    struct Block {
        Index first, queries, keys;
        HeadSizes sizes() const { return {.L = queries, .S = keys, .causal = true}; }
    };
    Block block(Index first) const {
        const auto within = [&](Index length) { return std::clamp<Index>(length - first, 0, n.causal ? kBlock : length); };
        return {first, within(n.L), within(n.S)};
    }
    Index blocks() const { return n.causal ? (std::max(n.L, n.S) + kBlock - 1) / kBlock : 1; }

    void load(const T* q, const T* k, const T* v) {
        features(q, pq.data(), n.L * n.D, fast);
        features(k, pk.data(), n.S * n.D, fast);
        for (Index i = 0; i < n.L; ++i) raise(pq.data() + i * n.D, n.D);
        raise(pk.data(), n.S * n.D);
        for (Index j = 0; j < n.S; ++j) {
            std::copy_n(v + j * n.E, n.E, v1.data() + j * W);
            v1[j * W + n.E] = T(1);
        }
    }

    /// M += p(k)ᵀ [v, 1] over the keys of a block.
    void add_keys(const Block& b) {
        gemm(true, false, n.D, W, b.keys, T(1), pk.data() + b.first * n.D, n.D, v1.data() + b.first * W, W, T(1), sums.data(), W,
             fast);
    }
    /// a [queries, keys] = x yᵀ of the rows of a block, 0 where the key comes after the query.
    void block_pairs(const Block& b, const T* x, const T* y, Index width) {
        gemm(false, true, b.queries, b.keys, width, T(1), x + b.first * width, width, y + b.first * width, width, T(0),
             pairs.data(), kBlock, fast);
        for (Index i = 0; i < b.queries; ++i)
            for (Index j = i + 1; j < b.keys; ++j) pairs[i * kBlock + j] = T(0);
    }

    /// rows = p(q) M, M the sum over the keys each query sees.
    void forward() {
        sums.fill(T(0));
        for (Index i = 0; i < blocks(); ++i) {
            const Block b = block(i * kBlock);
            if (!n.causal) add_keys(b);
            T* out = rows.data() + b.first * W;
            gemm(false, false, b.queries, W, n.D, T(1), pq.data() + b.first * n.D, n.D, sums.data(), W, T(0), out, W, fast);
            if (!n.causal) return;
            block_pairs(b, pq.data(), pk.data(), n.D);
            sum_over_keys(b.sizes(), W, T(1), pairs.data(), kBlock, v1.data() + b.first * W, T(1), out, fast);
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
            gemm(false, true, b.queries, n.D, W, T(1), rows.data() + b.first * W, W, sums.data(), W, T(0), out, n.D, fast);
            if (!n.causal) return;
            block_pairs(b, rows.data(), v1.data(), W);
            sum_over_keys(b.sizes(), n.D, T(1), pairs.data(), kBlock, pk.data() + b.first * n.D, T(1), out, fast);
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
            if (dpk) gemm(false, true, b.keys, n.D, W, T(1), values, W, sums.data(), W, T(0), dpk + b.first * n.D, n.D, fast);
            if (dv1) gemm(false, false, b.keys, W, n.D, T(1), keys, n.D, sums.data(), W, T(0), dv1 + b.first * W, W, fast);
            if (!n.causal) return;
            if (dpk) {
                block_pairs(b, rows.data(), v1.data(), W);
                sum_over_queries(b.sizes(), n.D, T(1), pairs.data(), kBlock, pq.data() + b.first * n.D, T(1), dpk + b.first * n.D,
                                 fast);
            }
            if (dv1) {
                block_pairs(b, pq.data(), pk.data(), n.D);
                sum_over_queries(b.sizes(), W, T(1), pairs.data(), kBlock, rows.data() + b.first * W, T(1), dv1 + b.first * W,
                                 fast);
            }
            add_queries(b);
        }
    }
    void add_queries(const Block& b) {
        gemm(true, false, n.D, W, b.queries, T(1), pq.data() + b.first * n.D, n.D, rows.data() + b.first * W, W, T(1),
             sums.data(), W, fast);
    }
};

struct LinearAttention {
    static constexpr OpInfo info{
        .name = "linear_attention",
        .inputs = "q k v",
        .forward = "p = elu + 1; m_i = Σ_j p(k_j)ᵀ v_j; u_i = Σ_j p(k_j); z_i = p(q_i)·u_i; y_i = p(q_i) m_i / z_i",
        .backward =
            "dn = dy / z; dz = -(dy·y) / z; dp(q) = dn mᵀ + dz u; dm_j = Σ_i p(q_i)ᵀ dn_i; dv_j = p(k_j) dm_j; "
            "dp(k_j) = v_j dm_jᵀ + Σ_i dz_i p(q_i); dx = min(p(x), 1) * dp(x)",
        .saves = "q k v y z",
        .source = "Katharopoulos et al. 2020",
    };
    using Attrs = LinearAttentionAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> q, k, v, y, z;
        static void fields(auto& s, auto&& f) {
            f("q", s.q);
            f("k", s.k);
            f("v", s.v);
            f("y", s.y);
            f("z", s.z);
        }
    };

    /// Calls work(head, index) with the features of every head.
    template <class T, class Work>
    static void for_heads(const HeadSizes& n, const Saved<T>& s, const Work& work) {
        const bool fast = use_kernels<T>();
        parallel_for(n.heads, task_grain(1 << 17, {n.L + n.S, n.D, n.E}), [&](Index begin, Index end) {
            Head<T> head{n, fast};
            for (Index h = begin; h < end; ++h) {
                head.load(s.q.data() + h * n.L * n.D, s.k.data() + h * n.S * n.D, s.v.data() + h * n.S * n.E);
                work(head, h);
            }
        });
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 3);
        const HeadSizes n = matching_head_sizes(info.name, in[0].shape(), in[1].shape(), in[2].shape(), a.causal);
        Shape rows = n.lead;
        rows.push_back(n.L);
        saved = {in[0], in[1], in[2], Tensor<T>(n.shape(n.L, n.E)), Tensor<T>(rows)};
        for_heads(n, saved, [&, ys = saved.y.data(), zs = saved.z.data()](Head<T>& head, Index h) {
            head.forward();
            for (Index i = 0; i < n.L; ++i) {
                const T* row = head.rows.data() + i * head.W;
                T* y = ys + (h * n.L + i) * n.E;
                const T z = zs[h * n.L + i] = row[n.E];
                for (Index e = 0; e < n.E; ++e) y[e] = vanishes(z) ? T(0) : T(row[e] / z);
            }
        });
        return saved.y;
    }

    // y = n / z:  dn = dy / z,  dz = -(dy·n) / z² = -(dy·y) / z
    template <Scalar T>
    static void output_backward(const HeadSizes& n, const T* y, const T* z, const T* dy, T* rows) {
        for (Index i = 0; i < n.L; ++i) {
            const T *y_i = y + i * n.E, *dy_i = dy + i * n.E;
            T* row = rows + i * (n.E + 1);
            const T one_by_z = vanishes(z[i]) ? T(0) : T(T(1) / z[i]);
            for (Index e = 0; e < n.E; ++e) row[e] = dy_i[e] * one_by_z;
            row[n.E] = -row_sum<T>(n.E, [&](Index e) { return dy_i[e] * y_i[e]; }) * one_by_z;
        }
    }

    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& s, const Tensor<T>& dy, Cotangents<T> dx) {
        const HeadSizes n = matching_head_sizes(info.name, s.q.shape(), s.k.shape(), s.v.shape(), a.causal);
        Tensor<T> dq = wanted(dx, 0, s.q), dk = wanted(dx, 1, s.k), dv = wanted(dx, 2, s.v);
        for_heads(n, s, [&](Head<T>& head, Index h) {
            output_backward(n, s.y.data() + h * n.L * n.E, s.z.data() + h * n.L, dy.data() + h * n.L * n.E, head.rows.data());
            T *to_q = head_of(dq, h, n.L * n.D), *to_k = head_of(dk, h, n.S * n.D), *to_v = head_of(dv, h, n.S * n.E);
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
        add_to_heads(dx, std::move(dq), std::move(dk), std::move(dv));
    }

    static std::vector<Sample<LinearAttention>> samples() {
        const Excuse empty{.zero_gradient = true, .why = "no entries"};
        return {
            {"heads, L != S, D != E", {}, {{2, 3, 4, 5}, {2, 3, 6, 5}, {2, 3, 6, 2}}},
            {"causal", {.causal = true}, {{1, 2, 5, 3}, {1, 2, 5, 3}, {1, 2, 5, 4}}},
            {"causal, more keys than queries", {.causal = true}, {{2, 3, 3}, {2, 5, 3}, {2, 5, 2}}},
            {"causal, more queries than keys", {.causal = true}, {{2, 5, 3}, {2, 3, 3}, {2, 3, 2}}},
            {"causal, over two blocks", {.causal = true}, {{70, 2}, {70, 2}, {70, 1}}},
            {"one head, one feature", {}, {{4, 1}, {3, 1}, {3, 2}}},
            {"one key: y is its value", {}, {{2, 3, 2}, {2, 1, 2}, {2, 1, 3}}},
            {"large numbers on both sides",
             {},
             {Tensor<double>::from({2, 2}, {30, -20, -1, 8}), Tensor<double>::from({2, 2}, {5, -3, -9, 12}), {2, 3}}},
            {"at the seam of the features",
             {},
             {Tensor<double>::from({1, 2}, {0, 1}), Tensor<double>::from({2, 2}, {0.5, 0, -1, 0}), {2, 3}},
             {.finite_differences = true, .why = "the second derivative jumps at 0"}},
            {"features that underflow",
             {},
             {Tensor<double>::from({1, 2}, {-800, -900}), {2, 2}, {2, 3}},
             {.zero_gradient = true, .why = "the normaliser is 0"}},
            {"features whose products underflow in float",
             {},
             {Tensor<double>::from({2, 2}, {-60, -61, -1, 0.5}),
              Tensor<double>::from({3, 2}, {-50, -51, -49, -50.5, -51, -50}),
              {3, 2}}},
            {"causal, features whose products underflow in float",
             {.causal = true},
             {Tensor<double>::from({2, 2}, {-60, -61, -65, -64}), Tensor<double>::from({2, 2}, {-50, -51, -49, -50.5}), {2, 2}}},
            {"no keys", {}, {{2, 3, 2}, {2, 0, 2}, {2, 0, 3}}, {.zero_gradient = true, .why = "nothing to attend to"}},
            {"no queries", {}, {{2, 0, 2}, {2, 3, 2}, {2, 3, 3}}, empty},
        };
    }
    static std::vector<ErrorSample<LinearAttention>> error_samples() {
        return {
            {"two inputs", {}, {{2, 4, 5}, {2, 6, 5}}, "linear_attention: takes 3 inputs"},
            {"rank 1", {}, {{5}, {5}, {5}}, "linear_attention: q, k and v must be [..., L, D]"},
            {"mixed ranks", {}, {{2, 4, 5}, {6, 5}, {6, 3}}, "linear_attention: q, k and v must be [..., L, D]"},
            {"widths", {}, {{2, 4, 5}, {2, 6, 4}, {2, 6, 3}}, "linear_attention: q and k differ in width"},
            {"lengths", {}, {{2, 4, 5}, {2, 6, 5}, {2, 7, 3}}, "linear_attention: k and v differ in length"},
            {"heads", {}, {{2, 4, 5}, {3, 6, 5}, {3, 6, 3}}, "linear_attention: the axes before the last two differ"},
        };
    }
};

}  // namespace

GRADPROOF_OP(LinearAttention);
GRADPROOF_FUNCTION_3(linear_attention, LinearAttention);

}  // namespace gradproof
