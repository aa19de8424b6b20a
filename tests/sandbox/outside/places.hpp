// Ops along a sequence with slips of their backward: of places, taps and angles.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "page.hpp"

namespace {

using namespace gradproof;

/// y_t = sum_k x_{t + (k - K + 1) dilation} w_k + b: causal
struct Conv {
    static constexpr std::array kNames{"my_conv",
                                       "conv_flips_kernel",      // dx with w_{K-1-k}
                                       "conv_flips_dw",          // dw with its taps in the other order
                                       "conv_shifts_dx",         // dx one place off
                                       "conv_forgets_dilation",  // in dx
                                       "conv_means_db"};         // mean over t
    static constexpr std::string_view kInputs = "x w b", kSaves = "x w";
    struct Attrs {
        Index dilation = 1;
        static void fields(auto& a, auto&& f) { f("dilation", a.dilation); }
    };
    template <Scalar T>
    struct Saved {
        Tensor<T> x, w;
        static void fields(auto& s, auto&& f) {
            f("x", s.x);
            f("w", s.w);
        }
    };
    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        const Tensor<T>&x = saved.x = in[0], &w = saved.w = in[1];
        const Index length = x.dim(0), in_size = x.dim(1), taps = w.dim(0), out_size = w.dim(2);
        Tensor<T> y({length, out_size});
        for (Index t = 0; t < length; ++t)
            for (Index e = 0; e < out_size; ++e) {
                y[t * out_size + e] = in[2][e];
                for (Index k = 0; k < taps; ++k) {
                    const Index at = t + (k - taps + 1) * a.dilation;
                    for (Index c = 0; at >= 0 && c < in_size; ++c)
                        y[t * out_size + e] += x[at * in_size + c] * w[(k * in_size + c) * out_size + e];
                }
            }
        return y;
    }
    template <Scalar T>
    static void backward(int slip, const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&x = saved.x, &w = saved.w;
        const Index length = x.dim(0), in_size = x.dim(1), taps = w.dim(0), out_size = w.dim(2);
        Tensor<T> g = zeros<T>(x.shape()), dw = zeros<T>(w.shape()), db = zeros<T>({out_size});
        for (Index t = 0; t < length; ++t)
            for (Index e = 0; e < out_size; ++e) {
                const T& d = dy[t * out_size + e];
                db[e] += slip == 5 ? d / number<T>(length) : d;
                for (Index k = 0; k < taps; ++k) {
                    const Index at = t + (k - taps + 1) * a.dilation;
                    const Index to = slip == 3 ? at + 1 : slip == 4 ? t + k - taps + 1 : at;
                    const Index tap = slip == 1 ? taps - 1 - k : k, of = slip == 2 ? taps - 1 - k : k;
                    for (Index c = 0; c < in_size; ++c) {
                        if (to >= 0 && to < length) g[to * in_size + c] += d * w[(tap * in_size + c) * out_size + e];
                        if (at >= 0) dw[(of * in_size + c) * out_size + e] += d * x[at * in_size + c];
                    }
                }
            }
        if (dx.needs(0)) dx.add(0, g);
        if (dx.needs(1)) dx.add(1, dw);
        if (dx.needs(2)) dx.add(2, db);
    }
    template <class Op>
    static std::vector<Sample<Op>> samples() {
        return {{"dilated", {.dilation = 2}, {{7, 2}, {3, 2, 4}, {4}}}, {"plain", {}, {{6, 3}, {4, 3, 2}, {2}}}};
    }
};

/// (y_i, y_{i + D/2}) = the pair of x turned by t base^(-2i/D)
struct Rotary {
    static constexpr std::array kNames{"my_rotary",
                                       "rotary_turns_the_same_way",   // the angle, not its opposite
                                       "rotary_pairs_neighbours",     // (2i, 2i + 1) for (i, i + D/2)
                                       "rotary_takes_next_position",  // t + 1
                                       "rotary_one_sign",             // -sin in the first half too
                                       "rotary_takes_another_base"};  // base / 10
    static constexpr std::string_view kInputs = "x", kSaves = "";
    struct Attrs {
        double base = 10000;
        static void fields(auto& a, auto&& f) { f("base", a.base); }
    };
    template <Scalar T>
    using Saved = NoFields;
    template <Scalar T>
    static Tensor<T> turned(int slip, double base, double direction, const Tensor<T>& x) {
        const Index length = x.dim(0), size = x.dim(1), half = size / 2;
        Tensor<T> y(x.shape());
        for (Index t = 0; t < length; ++t)
            for (Index i = 0; i < half; ++i) {
                const double angle = direction * static_cast<double>(slip == 3 ? t + 1 : t) *
                                     std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(size));
                const Index a = t * size + (slip == 2 ? 2 * i : i), b = slip == 2 ? a + 1 : a + half;
                const T c = T(std::cos(angle)), s = T(std::sin(angle));
                y[a] = x[a] * c - (slip == 4 ? T(-1) : T(1)) * x[b] * s;
                y[b] = x[a] * s + x[b] * c;
            }
        return y;
    }
    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        return turned(0, a.base, 1, in[0]);
    }
    template <Scalar T>
    static void backward(int slip, const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, turned(slip, slip == 5 ? a.base / 10 : a.base, slip == 1 ? 1 : -1, dy));
    }
    template <class Op>
    static std::vector<Sample<Op>> samples() {
        return {{"rows", {}, {{5, 4}}}, {"another base", {.base = 100}, {{3, 6}}}};
    }
};

}  // namespace
