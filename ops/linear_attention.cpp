// Linear attention: formula, forward, backward, samples, registration.
#include "gradproof/ops/linear_attention.hpp"

#include <algorithm>
#include <limits>

#include "gradproof/ops/weighting.hpp"

namespace gradproof {
namespace {

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
    };

    /// p(x) = elu(x) + 1 = exp(min(x, 0)) + max(x, 0), over the largest of those axes where all of them are small: that cancels
    /// in y, and a product of two small ones does not underflow. The slope at 0 is that of exp, 1.
    template <Scalar T>
    static Tensor<T> features(const Tensor<T>& x, const Axes& axes) {
        const Tensor<T> p = exp(minimum(x, 0)) + maximum(0, x);
        Tensor<T> largest = constant(amax(p, axes));
        for (T& top : largest) top = primal(top) > 0 && primal(top) < 0.5 ? top : T(1);
        return p / largest;
    }

    /// p(q) [..., L, D], p(k) [..., S, D], and [v, 1] [..., S, E+1]: the 1 makes z the last column of p(q) m, and u that of m.
    template <Scalar T>
    struct Call {
        Tensor<T> pq, pk, v1;
        bool causal;
        Call(const Attrs& a, const Tensor<T>& q, const Tensor<T>& k, const Tensor<T>& v)
            : pq(features(q, {-1})), pk(features(k, {-2, -1})), causal(a.causal) {
            Shape shape = v.shape();
            shape[shape.rank() - 1] += 1;
            v1 = Tensor<T>(shape, T(1));
            set_part(v1, {.axis = -1, .count = v.shape().last()}, v);
        }
        /// Where a query sees the keys up to its own place, one place after the other; else all at once.
        Index places() const { return causal ? std::max(pq.shape().last(1), pk.shape().last(1)) : 1; }
        AxisRange at(const Tensor<T>& rows, Index place) const {
            const Index n = rows.shape().last(1);
            return {.axis = -2, .start = std::min(place, n), .count = causal ? Index{place < n} : n};
        }
        Tensor<T> of(const Tensor<T>& rows, Index place) const { return part(rows, at(rows, place)); }
        Tensor<T> zero_sum() const {
            Shape shape = pk.shape();
            shape[shape.rank() - 2] = shape.last();
            shape[shape.rank() - 1] = v1.shape().last();
            return zeros<T>(shape);
        }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 3);
        const Tensor<T>&q = in[0], &k = in[1], &v = in[2];
        const HeadSizes size = matching_head_sizes(info.name, q.shape(), k.shape(), v.shape());
        const Call<T> x(a, q, k, v);
        Shape shape = q.shape();
        shape[shape.rank() - 1] = size.E + 1;
        Tensor<T> nz(shape), m = x.zero_sum();
        for (Index i = 0; i < x.places(); ++i) {
            m = std::move(m) + matmul(mT(x.of(x.pk, i)), x.of(x.v1, i));
            set_part(nz, x.at(nz, i), matmul(x.of(x.pq, i), m));
        }
        Tensor<T> n = part(nz, {.axis = -1, .count = size.E}), z = part(nz, {.axis = -1, .start = size.E, .count = 1});
        for (T& sum : z)  // too small to divide by: as no key at all
            if (primal(sum) < std::numeric_limits<base_t<T>>::min()) sum = T(0);
        saved = {q, k, v, divide_or_zero(std::move(n), z), z};
        return saved.y;
    }

    // y = n / z:               dn = dy / z,  dz = -(dy·n) / z² = -(dy·y) / z
    // [n, z] = p(q) [m, u]:    dp(q) = dn mᵀ + dz u,  dm = Σ_i p(q_i)ᵀ dn_i
    // m = Σ_j p(k_j)ᵀ v_j:     dp(k_j) = v_j dmᵀ + Σ_i dz_i p(q_i),  dv_j = p(k_j) dm;   p' is exp(x) = p up to 0, and 1 beyond
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const auto& [q, k, v, y, z] = saved;
        const Call<T> x(a, q, k, v);
        const AxisRange values{.axis = -1, .count = v.shape().last()}, last{.axis = -1, .start = v.shape().last(), .count = 1};
        Shape shape = y.shape();
        shape[shape.rank() - 1] += 1;
        Tensor<T> dnz(shape), dpq(q.shape()), dk = zeros<T>(k.shape()), dv1 = zeros<T>(x.v1.shape());
        const Tensor<T> dn = divide_or_zero(dy, z);
        set_part(dnz, values, dn);
        set_part(dnz, last, -sum(dn * y, -1));
        Tensor<T> m = x.zero_sum(), dm = x.zero_sum();
        for (Index i = 0; i < x.places() && dx.needs(0); ++i) {
            m = std::move(m) + matmul(mT(x.of(x.pk, i)), x.of(x.v1, i));
            set_part(dpq, x.at(dpq, i), matmul(x.of(dnz, i), mT(m)));
        }
        // A key that no query sees keeps its 0, were it NaN.
        for (Index i = std::min(x.places(), q.shape().last(1)) - 1; i >= 0 && (dx.needs(1) || dx.needs(2)); --i) {
            dm = std::move(dm) + matmul(mT(x.of(x.pq, i)), x.of(dnz, i));
            set_part(dk, x.at(dk, i), minimum(x.of(x.pk, i), 1) * matmul(x.of(x.v1, i), mT(dm)));
            set_part(dv1, x.at(dv1, i), matmul(x.of(x.pk, i), dm));
        }
        if (dx.needs(0)) dx.add(0, minimum(x.pq, 1) * dpq);
        if (dx.needs(1)) dx.add(1, dk);
        if (dx.needs(2)) dx.add(2, part(dv1, values));
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
