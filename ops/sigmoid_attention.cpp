// Sigmoid attention: formula, forward, backward, samples, registration.
#include "gradproof/ops/sigmoid_attention.hpp"

#include "gradproof/ops/activation_forms.hpp"
#include "gradproof/ops/weighting.hpp"

namespace gradproof {
namespace {

struct SigmoidAttention {
    static constexpr OpInfo info{
        .name = "sigmoid_attention",
        .inputs = "q k v",
        .forward = "s = scale q kᵀ + bias; w = 1 / (1 + exp(-s)); y = w v",
        .backward = "dv = wᵀ dy; dw = dy vᵀ; ds = w * (1 - w) * dw; dq = scale ds k; dk = scale dsᵀ q",
        .saves = "q k v weights",
        .source = "Ramapuram et al. 2024",
    };
    using Attrs = SigmoidAttentionAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> q, k, v, weights;
        static void fields(auto& s, auto&& f) {
            f("q", s.q);
            f("k", s.k);
            f("v", s.v);
            f("weights", s.weights);
        }
    };

    template <class T>
    static HeadSizes sizes(const Attrs& a, const Tensor<T>& q, const Tensor<T>& k, const Tensor<T>& v) {
        for (const auto& [name, value] : {std::pair("scale", a.scale), std::pair("bias", a.bias)})
            if (value && !std::isfinite(*value))
                value_error("sigmoid_attention: {} must be finite: {} is {}", name, name, *value);
        return matching_head_sizes(info.name, q.shape(), k.shape(), v.shape(), a.causal);
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 3);
        const HeadSizes n = sizes(a, in[0], in[1], in[2]);
        saved = {in[0], in[1], in[2], Tensor<T>(n.shape(n.L, n.S))};
        Tensor<T> y(n.shape(n.L, n.E));
        const T scale = score_scale<T>(a.scale, n.D);
        const T bias(static_cast<base_t<T>>(a.bias ? *a.bias : -std::log(static_cast<double>(std::max<Index>(n.S, 1)))));
        const bool fast = use_kernels<T>();
        for_each_head(n, n.D + n.E, [&, w0 = saved.weights.data(), y0 = y.data()](Index h) {
            T* w = w0 + h * n.L * n.S;
            product_scores(n, n.D, scale, head_of(saved.q, h, n.L * n.D), head_of(saved.k, h, n.S * n.D), w, fast);
            for (Index i = 0; i < n.L; ++i) {
                T* row = w + i * n.S;
                const Index seen = n.allowed(i);
                for (Index j = 0; j < seen; ++j) row[j] += bias;
                forms::apply<forms::Sigmoid>(row, row, seen, fast);
                std::fill(row + seen, row + n.S, T(0));
            }
            weighted_sum(n, w, head_of(saved.v, h, n.S * n.E), y0 + h * n.L * n.E, fast);
        });
        return y;
    }

    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& s, const Tensor<T>& dy, Cotangents<T> dx) {
        const HeadSizes n = sizes(a, s.q, s.k, s.v);
        const T scale = score_scale<T>(a.scale, n.D);
        const bool fast = use_kernels<T>(), scores = dx.needs(0) || dx.needs(1);
        Tensor<T> dq = wanted(dx, 0, s.q), dk = wanted(dx, 1, s.k), dv = wanted(dx, 2, s.v);
        for_each_head(n, n.D + n.E, [&](Index h) {
            const T* w = head_of(s.weights, h, n.L * n.S);
            Tensor<T> ds = scores ? Tensor<T>({n.L, n.S}) : Tensor<T>();
            weighted_sum_backward(n, w, head_of(s.v, h, n.S * n.E), head_of(dy, h, n.L * n.E), scores ? ds.data() : nullptr,
                                  head_of(dv, h, n.S * n.E), fast);
            if (!scores) return;
            // w = sigmoid(s):  ds = w (1 - w) dw;  0 for keys not seen, whatever their dw is
            forms::apply_slope<forms::Sigmoid>(w, ds.data(), ds.data(), n.L * n.S, fast);
            for (Index i = 0; i < n.L; ++i) std::fill(ds.data() + i * n.S + n.allowed(i), ds.data() + (i + 1) * n.S, T(0));
            product_scores_backward(n, n.D, scale, head_of(s.q, h, n.L * n.D), head_of(s.k, h, n.S * n.D), ds.data(),
                                    head_of(dq, h, n.L * n.D), head_of(dk, h, n.S * n.D), fast);
        });
        add_to_heads(dx, std::move(dq), std::move(dk), std::move(dv));
    }

    static std::vector<Sample<SigmoidAttention>> samples() {
        return {
            {"heads, L != S, D != E", {}, {{2, 2, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 6}}},
            {"given scale and bias", {.scale = 0.3, .bias = 0.7}, {{4, 3}, {6, 3}, {6, 2}}},
            {"causal", {.causal = true}, {{2, 5, 3}, {2, 5, 3}, {2, 5, 2}}},
            {"causal, more keys than queries", {.bias = -1, .causal = true}, {{3, 2}, {6, 2}, {6, 3}}},
            {"one key", {}, {{2, 3, 4}, {2, 1, 4}, {2, 1, 5}}},
            {"no keys", {}, {{2, 3, 4}, {2, 0, 4}, {2, 0, 5}}, {.zero_gradient = true, .why = "nothing to attend to"}},
            {"no queries", {}, {{2, 0, 4}, {2, 3, 4}, {2, 3, 5}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<SigmoidAttention>> error_samples() {
        return {
            {"two inputs", {}, {{4, 3}, {6, 3}}, "sigmoid_attention: takes 3 inputs"},
            {"widths", {}, {{4, 3}, {6, 2}, {6, 5}}, "sigmoid_attention: q and k differ in width"},
            {"heads", {}, {{2, 4, 3}, {3, 6, 3}, {3, 6, 5}}, "sigmoid_attention: the axes before the last two differ"},
            {"infinite bias",
             {.bias = -INFINITY},
             {{4, 3}, {6, 3}, {6, 5}},
             "sigmoid_attention: bias must be finite: bias is -inf"},
            {"scale of nan", {.scale = NAN}, {{4, 3}, {6, 3}, {6, 5}}, "sigmoid_attention: scale must be finite: scale is nan"},
        };
    }
};

}  // namespace

GRADPROOF_OP(SigmoidAttention);
GRADPROOF_FUNCTION_3(sigmoid_attention, SigmoidAttention);

}  // namespace gradproof
