// Nine ops as they are written outside the tree, each right once and then with one slip of its backward at a time.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "gradproof/core/registry.hpp"

namespace {

using namespace gradproof;

template <Scalar T>
T number(double v) {
    return T(v);
}
template <Scalar T>
T number(Index v) {
    return T(static_cast<double>(v));
}
template <Scalar T>
T exp_of(const T& v) {
    using std::exp;
    return exp(v);
}
template <Scalar T>
T sqrt_of(const T& v) {
    using std::sqrt;
    return sqrt(v);
}
template <Scalar T>
T tanh_of(const T& v) {
    return T(1) - T(2) / (exp_of(T(2) * v) + T(1));
}

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

/// y = gain[c] xhat + bias[c], xhat normalised over the channels of a group and all places
struct GroupNorm {
    static constexpr std::array kNames{"my_group_norm",
                                       "group_norm_takes_gain_by_group",  // gain[g] for gain[c]
                                       "group_norm_lacks_mean_path",      // no mean(dxhat)
                                       "group_norm_lacks_variance_path",  // no xhat mean(dxhat xhat)
                                       "group_norm_counts_places_only",   // both means over L
                                       "group_norm_forgets_gain",         // dxhat = dy
                                       "group_norm_sums_gain_by_group"};  // dgain of a group in each
    static constexpr std::string_view kInputs = "x gain bias", kSaves = "x gain mean rstd";
    struct Attrs {
        Index groups = 2;
        double eps = 1e-5;
        static void fields(auto& a, auto&& f) {
            f("groups", a.groups);
            f("eps", a.eps);
        }
    };
    template <Scalar T>
    struct Saved {
        Tensor<T> x, gain, mean, rstd;
        static void fields(auto& s, auto&& f) {
            f("x", s.x);
            f("gain", s.gain);
            f("mean", s.mean);
            f("rstd", s.rstd);
        }
    };
    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        const Tensor<T>& x = saved.x = in[0];
        saved.gain = in[1];
        const Index batch = x.dim(0), channels = x.dim(1), places = x.dim(2), n = channels / a.groups * places;
        saved.mean = zeros<T>({batch, a.groups});
        saved.rstd = zeros<T>({batch, a.groups});
        Tensor<T> y(x.shape());
        for (Index g = 0; g < batch * a.groups; ++g) {
            T sum(0), squares(0);
            for (Index k = g * n; k < (g + 1) * n; ++k) sum += x[k];
            const T mean = sum / number<T>(n);
            for (Index k = g * n; k < (g + 1) * n; ++k) squares += (x[k] - mean) * (x[k] - mean);
            const T rstd = T(1) / sqrt_of(squares / number<T>(n) + T(a.eps));
            for (Index k = g * n; k < (g + 1) * n; ++k) {
                const Index c = k / places % channels;
                y[k] = (x[k] - mean) * rstd * in[1][c] + in[2][c];
            }
            saved.mean[g] = mean;
            saved.rstd[g] = rstd;
        }
        return y;
    }
    template <Scalar T>
    static void backward(int slip, const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>& x = saved.x;
        const Index channels = x.dim(1), places = x.dim(2), size = channels / a.groups, n = size * places;
        Tensor<T> g(x.shape()), dgain = zeros<T>({channels}), dbias = zeros<T>({channels});
        for (Index group = 0; group < saved.mean.size(); ++group) {
            const auto xhat = [&](Index k) { return (x[k] - saved.mean[group]) * saved.rstd[group]; };
            const auto dxhat = [&](Index k) {
                const Index c = k / places % channels;
                return slip == 5 ? dy[k] : dy[k] * saved.gain[slip == 1 ? c / size : c];
            };
            T first(0), second(0);
            for (Index k = group * n; k < (group + 1) * n; ++k) {
                first += dxhat(k);
                second += dxhat(k) * xhat(k);
            }
            const T count = number<T>(slip == 4 ? places : n);
            for (Index k = group * n; k < (group + 1) * n; ++k) {
                const Index c = k / places % channels;
                g[k] = saved.rstd[group] *
                       (dxhat(k) - (slip == 2 ? T(0) : first / count) - (slip == 3 ? T(0) : xhat(k) * second / count));
                dgain[c] += dy[k] * xhat(k);
                dbias[c] += dy[k];
            }
        }
        if (slip == 6)
            for (Index c = 0; c < channels; c += size) {
                T sum(0);
                for (Index k = c; k < c + size; ++k) sum += dgain[k];
                for (Index k = c; k < c + size; ++k) dgain[k] = sum;
            }
        if (dx.needs(0)) dx.add(0, g);
        if (dx.needs(1)) dx.add(1, dgain);
        if (dx.needs(2)) dx.add(2, dbias);
    }
    template <class Op>
    static std::vector<Sample<Op>> samples() {
        return {{"two groups", {}, {{2, 4, 3}, {4}, {4}}}, {"three groups", {.groups = 3}, {{1, 6, 2}, {6}, {6}}}};
    }
};

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

/// y = gain xhat, xhat = x / sqrt(mean(x^2) + eps)
struct RmsNorm {
    static constexpr std::array kNames{"my_rms_norm",
                                       "rms_norm_lacks_mean_square_path",  // dx = rrms dxhat
                                       "rms_norm_forgets_gain",            // dxhat = dy
                                       "rms_norm_takes_x_for_xhat",        // in dgain
                                       "rms_norm_sums_for_mean",           // n times the second term
                                       "rms_norm_forgets_eps"};            // in the scale of dx
    static constexpr std::string_view kInputs = "x gain", kSaves = "x gain";
    struct Attrs {
        double eps = 1e-5;
        static void fields(auto& a, auto&& f) { f("eps", a.eps); }
    };
    template <Scalar T>
    struct Saved {
        Tensor<T> x, gain;
        static void fields(auto& s, auto&& f) {
            f("x", s.x);
            f("gain", s.gain);
        }
    };
    template <Scalar T>
    static T scale_of(const Tensor<T>& x, Index row, double eps) {
        const Index n = x.dim(1);
        T squares(0);
        for (Index k = row * n; k < (row + 1) * n; ++k) squares += x[k] * x[k];
        return T(1) / sqrt_of(squares / number<T>(n) + T(eps));
    }
    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        const Tensor<T>& x = saved.x = in[0];
        saved.gain = in[1];
        const Index n = x.dim(1);
        Tensor<T> y(x.shape());
        for (Index row = 0; row < x.dim(0); ++row) {
            const T scale = scale_of(x, row, a.eps);
            for (Index k = 0; k < n; ++k) y[row * n + k] = x[row * n + k] * scale * in[1][k];
        }
        return y;
    }
    template <Scalar T>
    static void backward(int slip, const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>& x = saved.x;
        const Index n = x.dim(1);
        Tensor<T> g(x.shape()), dgain = zeros<T>({n});
        for (Index row = 0; row < x.dim(0); ++row) {
            const T scale = scale_of(x, row, slip == 5 ? 0 : a.eps);
            const auto dxhat = [&](Index k) { return slip == 2 ? dy[row * n + k] : dy[row * n + k] * saved.gain[k]; };
            T sum(0);
            for (Index k = 0; k < n; ++k) {
                sum += dxhat(k) * x[row * n + k] * scale;
                dgain[k] += dy[row * n + k] * x[row * n + k] * (slip == 3 ? T(1) : scale_of(x, row, a.eps));
            }
            for (Index k = 0; k < n; ++k) {
                const T second = x[row * n + k] * scale * sum / (slip == 4 ? T(1) : number<T>(n));
                g[row * n + k] = scale * (slip == 1 ? dxhat(k) : dxhat(k) - second);
            }
        }
        if (dx.needs(0)) dx.add(0, g);
        if (dx.needs(1)) dx.add(1, dgain);
    }
    template <class Op>
    static std::vector<Sample<Op>> samples() {
        return {{"rows", {}, {{3, 5}, {5}}}, {"large eps", {.eps = 0.1}, {{2, 6}, {6}}}};
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

/// y = softmax(q kᵀ / sqrt(D) + bias) v, the bias [L, S] that of every entry of the batch
struct BiasedAttention {
    static constexpr std::array kNames{"my_biased_attention",
                                       "attention_forgets_scale_in_dk",
                                       "attention_forgets_bias",               // weights worked out again without it
                                       "attention_keeps_first_of_batch",       // dbias
                                       "attention_lacks_row_term",             // ds = w dw
                                       "attention_takes_scores_for_weights"};  // dv = sᵀ dy
    static constexpr std::string_view kInputs = "q k v bias", kSaves = "q k v bias";
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> q, k, v, bias;
        static void fields(auto& s, auto&& f) {
            f("q", s.q);
            f("k", s.k);
            f("v", s.v);
            f("bias", s.bias);
        }
    };
    struct Sizes {
        Index batch, l, s, d, e;
        double scale() const { return 1 / std::sqrt(static_cast<double>(d)); }
    };
    template <Scalar T>
    static Sizes sizes(const Saved<T>& x) {
        return {x.q.dim(0), x.q.dim(1), x.k.dim(1), x.q.dim(2), x.v.dim(2)};
    }
    /// The scores and the weights of query i.
    template <Scalar T>
    static std::pair<std::vector<T>, std::vector<T>> row(const Saved<T>& x, Index b, Index i, bool biased) {
        const Sizes n = sizes(x);
        std::vector<T> s, w;
        T sum(0);
        for (Index j = 0; j < n.s; ++j) {
            T score(0);
            for (Index d = 0; d < n.d; ++d) score += x.q[(b * n.l + i) * n.d + d] * x.k[(b * n.s + j) * n.d + d];
            score = score * T(n.scale()) + (biased ? x.bias[i * n.s + j] : T(0));
            s.push_back(score);
        }
        T top = s[0];
        for (const T& score : s) top = where(score > top, score, top);
        for (const T& score : s) sum += w.emplace_back(exp_of(score - top));
        for (T& weight : w) weight = weight / sum;
        return {s, w};
    }
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        saved = {in[0], in[1], in[2], in[3]};
        const Sizes n = sizes(saved);
        Tensor<T> y = zeros<T>({n.batch, n.l, n.e});
        for (Index b = 0; b < n.batch; ++b)
            for (Index i = 0; i < n.l; ++i) {
                const std::vector<T> w = row(saved, b, i, true).second;
                for (Index j = 0; j < n.s; ++j)
                    for (Index e = 0; e < n.e; ++e)
                        y[(b * n.l + i) * n.e + e] += w[static_cast<std::size_t>(j)] * in[2][(b * n.s + j) * n.e + e];
            }
        return y;
    }
    template <Scalar T>
    static void backward(int slip, const Attrs&, const Saved<T>& x, const Tensor<T>& dy, Cotangents<T> dx) {
        const Sizes n = sizes(x);
        Tensor<T> dq = zeros<T>(x.q.shape()), dk = zeros<T>(x.k.shape()), dv = zeros<T>(x.v.shape()),
                  dbias = zeros<T>(x.bias.shape());
        for (Index b = 0; b < n.batch; ++b)
            for (Index i = 0; i < n.l; ++i) {
                const auto [s, w] = row(x, b, i, slip != 2);
                std::vector<T> dw(w.size(), T(0));
                T sum(0);
                for (Index j = 0; j < n.s; ++j) {
                    const auto at = static_cast<std::size_t>(j);
                    for (Index e = 0; e < n.e; ++e) {
                        const T& d = dy[(b * n.l + i) * n.e + e];
                        dw[at] += d * x.v[(b * n.s + j) * n.e + e];
                        dv[(b * n.s + j) * n.e + e] += (slip == 5 ? s[at] : w[at]) * d;
                    }
                    sum += w[at] * dw[at];
                }
                for (Index j = 0; j < n.s; ++j) {
                    const auto at = static_cast<std::size_t>(j);
                    const T ds = w[at] * (slip == 4 ? dw[at] : dw[at] - sum);
                    if (slip != 3 || b == 0) dbias[i * n.s + j] += ds;
                    for (Index d = 0; d < n.d; ++d) {
                        dq[(b * n.l + i) * n.d + d] += T(n.scale()) * ds * x.k[(b * n.s + j) * n.d + d];
                        dk[(b * n.s + j) * n.d + d] += T(slip == 1 ? 1 : n.scale()) * ds * x.q[(b * n.l + i) * n.d + d];
                    }
                }
            }
        if (dx.needs(0)) dx.add(0, dq);
        if (dx.needs(1)) dx.add(1, dk);
        if (dx.needs(2)) dx.add(2, dv);
        if (dx.needs(3)) dx.add(3, dbias);
    }
    template <class Op>
    static std::vector<Sample<Op>> samples() {
        return {{"batch", {}, {{2, 3, 5}, {2, 4, 5}, {2, 4, 6}, {3, 4}}}, {"one", {}, {{1, 2, 3}, {1, 5, 3}, {1, 5, 4}, {2, 5}}}};
    }
};

/// The op of a model with slip N, which is 0 for none.
template <class Model, int N>
struct Page {
    static constexpr OpInfo info{.name = Model::kNames[N],
                                 .inputs = Model::kInputs,
                                 .forward = "y = f(x)",
                                 .backward = N == 0 ? "dx = f'(x) dy" : "a slip",
                                 .saves = Model::kSaves,
                                 .source = "tests"};
    using Attrs = typename Model::Attrs;
    template <Scalar T>
    using Saved = typename Model::template Saved<T>;
    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> x, Saved<T>& saved) {
        expect_inputs(info, x, 1 + static_cast<int>(std::count(info.inputs.begin(), info.inputs.end(), ' ')));
        return Model::template forward<T>(a, x, saved);
    }
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        Model::template backward<T>(N, a, saved, dy, dx);
    }
    static std::vector<Sample<Page>> samples() { return Model::template samples<Page>(); }
    static std::vector<ErrorSample<Page>> error_samples() { return {{"no inputs", {}, {}, "takes"}}; }
};

template <class Model, int... N>
bool register_slips(std::integer_sequence<int, N...>) {
    return (detail::register_page(make_entry<Page<Model, N>>(__FILE__), &detail::ThisBuild::token) && ...);
}
template <class... Models>
bool register_all() {
    return (register_slips<Models>(std::make_integer_sequence<int, static_cast<int>(Models::kNames.size())>()) && ...);
}
[[maybe_unused]] const bool registered =
    register_all<Swish, Gelu, GroupNorm, Conv, SmoothedLoss, Rotary, RmsNorm, Huber, BiasedAttention>();

}  // namespace
