// What the ops written outside the tree share: functions of any type of numbers, and the page of an op with one of its slips.
#pragma once

#include <algorithm>
#include <cmath>
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

}  // namespace
