// Losses with slips of their backward: of targets, means and cases.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "page.hpp"

namespace {

using namespace gradproof;

/// y = -mean over rows of sum((1 - smoothing) onehot + smoothing / V) log softmax(x)
struct SmoothedLoss {
    static constexpr std::array kNames{"my_smoothed_loss",
                                       "loss_forgets_smoothing",        // p - onehot
                                       "loss_smooths_the_others_only",  // smoothing / (V - 1)
                                       "loss_keeps_whole_onehot",       // p - onehot - smoothing / V
                                       "loss_counts_classes"};          // / V for / N
    static constexpr std::string_view kInputs = "scores", kSaves = "scores";
    struct Attrs {
        Tensor<Index> ids = Tensor<Index>::from({1}, {0});
        double smoothing = 0.1;
        static void fields(auto& a, auto&& f) {
            f("ids", a.ids);
            f("smoothing", a.smoothing);
        }
    };
    template <Scalar T>
    struct Saved {
        Tensor<T> scores;
        static void fields(auto& s, auto&& f) { f("scores", s.scores); }
    };
    template <Scalar T>
    static Tensor<T> softmax_of(const Tensor<T>& x) {
        const Index rows = x.dim(0), classes = x.dim(1);
        Tensor<T> p(x.shape());
        for (Index n = 0; n < rows; ++n) {
            T top = x[n * classes], sum(0);
            for (Index v = 1; v < classes; ++v) top = where(x[n * classes + v] > top, x[n * classes + v], top);
            for (Index v = 0; v < classes; ++v) sum += p[n * classes + v] = exp_of(x[n * classes + v] - top);
            for (Index v = 0; v < classes; ++v) p[n * classes + v] = p[n * classes + v] / sum;
        }
        return p;
    }
    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        using std::log;
        const Tensor<T>& x = saved.scores = in[0];
        const Tensor<T> p = softmax_of(x);
        const Index rows = x.dim(0), classes = x.dim(1);
        Tensor<T> y = zeros<T>(Shape{});
        for (Index n = 0; n < rows; ++n)
            for (Index v = 0; v < classes; ++v) {
                const double q = a.smoothing / static_cast<double>(classes) + (v == a.ids[n] ? 1 - a.smoothing : 0);
                y[0] = y[0] - T(q) * log(p[n * classes + v]) / number<T>(rows);
            }
        return y;
    }
    template <Scalar T>
    static void backward(int slip, const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T> p = softmax_of(saved.scores);
        const Index rows = p.dim(0), classes = p.dim(1);
        const double v_count = static_cast<double>(classes), eps = a.smoothing;
        Tensor<T> g(p.shape());
        for (Index n = 0; n < rows; ++n)
            for (Index v = 0; v < classes; ++v) {
                const bool target = v == a.ids[n];
                double q = eps / v_count + (target ? 1 - eps : 0);
                if (slip == 1) q = target ? 1 : 0;
                if (slip == 2) q = target ? 1 - eps : eps / (v_count - 1);
                if (slip == 3) q = eps / v_count + (target ? 1 : 0);
                g[n * classes + v] = (p[n * classes + v] - T(q)) * dy[0] / number<T>(slip == 4 ? classes : rows);
            }
        if (dx.needs(0)) dx.add(0, g);
    }
    template <class Op>
    static std::vector<Sample<Op>> samples() {
        return {{"three rows", {.ids = Tensor<Index>::from({3}, {4, 0, 2})}, {{3, 5}}},
                {"four rows", {.ids = Tensor<Index>::from({4}, {1, 2, 0, 2}), .smoothing = 0.2}, {{4, 7}}}};
    }
};

/// y = r^2/2 where |r| <= delta, else delta (|r| - delta/2), r = x - target
struct Huber {
    static constexpr std::array kNames{"my_huber",
                                       "huber_forgets_delta_outside",  // sign(r)
                                       "huber_never_clips",            // r everywhere
                                       "huber_doubles_inside",         // 2 r
                                       "huber_turns_no_sign"};         // dtarget = dx
    static constexpr std::string_view kInputs = "x target", kSaves = "x target";
    struct Attrs {
        double delta = 0.7;
        static void fields(auto& a, auto&& f) { f("delta", a.delta); }
    };
    template <Scalar T>
    struct Saved {
        Tensor<T> x, target;
        static void fields(auto& s, auto&& f) {
            f("x", s.x);
            f("target", s.target);
        }
    };
    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        saved.x = in[0];
        saved.target = in[1];
        Tensor<T> y(in[0].shape());
        for (Index i = 0; i < y.size(); ++i) {
            const T r = in[0][i] - in[1][i], size = where(r < T(0), -r, r);
            y[i] = where(size <= T(a.delta), T(0.5) * r * r, T(a.delta) * (size - T(a.delta / 2)));
        }
        return y;
    }
    template <Scalar T>
    static void backward(int slip, const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        Tensor<T> g(dy.shape()), dtarget(dy.shape());
        for (Index i = 0; i < g.size(); ++i) {
            const T r = saved.x[i] - saved.target[i], edge = T(slip == 1 ? 1.0 : a.delta);
            const bool inside = where(r < T(0), -r, r) <= T(a.delta);
            g[i] = dy[i] * (inside || slip == 2 ? (slip == 3 ? T(2) * r : r) : where(r < T(0), -edge, edge));
            dtarget[i] = slip == 4 ? g[i] : -g[i];
        }
        if (dx.needs(0)) dx.add(0, g);
        if (dx.needs(1)) dx.add(1, dtarget);
    }
    template <class Op>
    static std::vector<Sample<Op>> samples() {
        return {{"matrix", {}, {{3, 5}, {3, 5}}}, {"another", {.delta = 1.3}, {{4, 4}, {4, 4}}}};
    }
};

}  // namespace
