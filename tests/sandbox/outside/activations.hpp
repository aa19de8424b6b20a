// Activations with slips of their backward: of the product rule, and of constants.
#pragma once

#include <array>
#include <vector>

#include "page.hpp"

namespace {

using namespace gradproof;

/// y = x s(beta x)
struct Swish {
    static constexpr std::array kNames{"my_swish",
                                       "swish_lacks_product_term",      // dx = s dy
                                       "swish_forgets_beta_in_term",    // s + x s (1 - s)
                                       "swish_forgets_factor_in_term",  // s + beta x (1 - s)
                                       "swish_lacks_first_term"};       // beta x s (1 - s)
    static constexpr std::string_view kInputs = "x", kSaves = "x";
    struct Attrs {
        double beta = 1.5;
        static void fields(auto& a, auto&& f) { f("beta", a.beta); }
    };
    template <Scalar T>
    using Saved = SavedInput<T>;
    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        saved.x = in[0];
        Tensor<T> y(in[0].shape());
        for (Index i = 0; i < y.size(); ++i) y[i] = in[0][i] / (T(1) + exp_of(T(-a.beta) * in[0][i]));
        return y;
    }
    template <Scalar T>
    static void backward(int slip, const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        Tensor<T> g(dy.shape());
        for (Index i = 0; i < g.size(); ++i) {
            const T& x = saved.x[i];
            const T s = T(1) / (T(1) + exp_of(T(-a.beta) * x));
            const T term = (slip == 2 ? x : T(a.beta) * x) * (slip == 3 ? T(1) - s : s * (T(1) - s));
            g[i] = (slip == 1 ? s : slip == 4 ? term : s + term) * dy[i];
        }
        if (dx.needs(0)) dx.add(0, g);
    }
    template <class Op>
    static std::vector<Sample<Op>> samples() {
        return {{"matrix", {}, {{3, 5}}}, {"another", {.beta = 0.7}, {{4, 3}}}};
    }
};

/// y = x/2 (1 + tanh(c (x + 0.044715 x^3)))
struct Gelu {
    static constexpr std::array kNames{"my_gelu",
                                       "gelu_rounds_constant",         // 0.0447
                                       "gelu_forgets_inner_constant",  // u' without sqrt(2/pi)
                                       "gelu_lacks_product_term"};     // dx = (1 + t)/2 dy
    static constexpr std::string_view kInputs = "x", kSaves = "x";
    using Attrs = NoFields;
    template <Scalar T>
    using Saved = SavedInput<T>;
    static constexpr double kC = 0.7978845608028654, kA = 0.044715;
    template <Scalar T>
    static T inner(const T& x) {
        return T(kC) * (x + T(kA) * x * x * x);
    }
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        saved.x = in[0];
        Tensor<T> y(in[0].shape());
        for (Index i = 0; i < y.size(); ++i) y[i] = T(0.5) * in[0][i] * (T(1) + tanh_of(inner(in[0][i])));
        return y;
    }
    template <Scalar T>
    static void backward(int slip, const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        Tensor<T> g(dy.shape());
        for (Index i = 0; i < g.size(); ++i) {
            const T& x = saved.x[i];
            const T t = tanh_of(inner(x)), a = T(3 * (slip == 1 ? 0.0447 : kA));
            const T du = T(slip == 2 ? 1.0 : kC) * (T(1) + a * x * x);
            const T first = T(0.5) * (T(1) + t);
            g[i] = (slip == 3 ? first : first + T(0.5) * x * (T(1) - t * t) * du) * dy[i];
        }
        if (dx.needs(0)) dx.add(0, g);
    }
    template <class Op>
    static std::vector<Sample<Op>> samples() {
        return {{"matrix", {}, {{3, 5}}}, {"another", {}, {{4, 3}}}};
    }
};

}  // namespace
