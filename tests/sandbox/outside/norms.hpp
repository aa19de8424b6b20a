// Normalisations with slips of their backward: of paths through mean and variance, and of sums of groups.
#pragma once

#include <array>
#include <vector>

#include "page.hpp"

namespace {

using namespace gradproof;

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

}  // namespace
