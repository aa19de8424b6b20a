// Calls of attention with all that comes out of them, shared by its tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/attention.hpp"

namespace gradproof::attention_test {

using D = Tensor<double>;
constexpr double kEps = 2.220446049250313e-16;

/// sin(phase + 0.9 i): inputs that attention_golden.py has too.
inline D wave(const Shape& shape, double phase) {
    D t(shape);
    for (Index i = 0; i < t.size(); ++i) t[i] = std::sin(phase + 0.9 * static_cast<double>(i));
    return t;
}

/// A call and its cotangent, and all that comes out of it.
struct Call {
    AttentionAttrs attrs;
    D q, k, v, mask, past_key, past_value, dy;
};
struct Results {
    D y;
    std::vector<D> gradients;  // of q k v mask past_key past_value; undefined where absent
};

template <class T>
Results run(const Call& c) {
    Tape<T> tape;
    const auto leaf = [&](const D& x) { return x.defined() ? tape.leaf(cast<T>(x)) : Var<T>(); };
    const std::vector<Var<T>> x{leaf(c.q), leaf(c.k), leaf(c.v), leaf(c.mask), leaf(c.past_key), leaf(c.past_value)};
    const Var<T> y = attention(x[0], x[1], x[2], {.mask = x[3], .past_key = x[4], .past_value = x[5]}, c.attrs);
    Results out{cast<double>(y.value()), {}};
    if (!c.dy.defined()) return out;
    tape.backward(y, cast<T>(c.dy));
    for (const auto& v : x) out.gradients.push_back(v.on_tape() ? cast<double>(tape.grad(v)) : D());
    return out;
}

inline ::testing::AssertionResult near(const D& a, const D& b, double tolerance) {
    if (!(a.shape() == b.shape())) return ::testing::AssertionFailure() << "shapes " << a.shape().str() << " and " << b.shape().str();
    for (Index i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= tolerance))
            return ::testing::AssertionFailure() << "element " << i << ": " << a[i] << " and " << b[i] << ", tolerance " << tolerance;
    return ::testing::AssertionSuccess();
}

}  // namespace gradproof::attention_test
