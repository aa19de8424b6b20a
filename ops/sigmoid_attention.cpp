// Sigmoid attention: formula, forward, backward, samples, registration.
#include "gradproof/ops/sigmoid_attention.hpp"

#include <cmath>

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
    };

    static HeadSizes check(const Attrs& a, const Shape& q, const Shape& k, const Shape& v) {
        const HeadSizes n = matching_head_sizes(info.name, q, k, v);
        score_scale(info.name, a.scale, n.D);
        if (a.bias && !std::isfinite(*a.bias)) value_error("sigmoid_attention: bias must be finite: bias is {}", *a.bias);
        return n;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 3);
        const Tensor<T>&q = in[0], &k = in[1], &v = in[2];
        const HeadSizes n = check(a, q.shape(), k.shape(), v.shape());
        const double bias = a.bias ? *a.bias : -std::log(static_cast<double>(std::max<Index>(n.S, 1)));
        const SeenKeys seen = seen_keys(n, a.causal);
        const Tensor<T> w = seen.only(sigmoid(matmul(q, mT(k)) * score_scale(info.name, a.scale, n.D) + bias));
        saved = {q, k, v, w};
        return seen.matmul<T>(w, v);
    }

    // y = w v:           dv = wᵀ dy,  dw = dy vᵀ
    // w = sigmoid(s):    ds = w * (1 - w) * dw;  0 for keys not seen, whatever their dw is
    // s = scale q kᵀ:    dq = scale ds k,  dk = scale dsᵀ q
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const auto& [q, k, v, w] = saved;
        const HeadSizes n = check(a, q.shape(), k.shape(), v.shape());
        const SeenKeys seen = seen_keys(n, a.causal);
        if (dx.needs(2)) dx.add(2, seen.matmul(mT(w), dy));
        if (!dx.needs(0) && !dx.needs(1)) return;
        const Tensor<T> ds = seen.only(w * (1 - w) * matmul(dy, mT(v))) * score_scale(info.name, a.scale, n.D);
        if (dx.needs(0)) dx.add(0, seen.matmul<T>(ds, k));
        if (dx.needs(1)) dx.add(1, seen.matmul(mT(ds), q));
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
