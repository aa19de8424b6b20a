// Numbers that tests and the PyTorch scripts beside them have alike, and an op on a tape with all that comes out of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gradproof/core/tape.hpp"
#include "gradproof/core/transforms.hpp"

namespace gradproof::testing {

using D = Tensor<double>;
constexpr double kEps = 2.220446049250313e-16;

/// factor sin(phase + 0.9 i)
inline D wave(const Shape& shape, double phase, double factor = 1) {
    D t(shape);
    for (Index i = 0; i < t.size(); ++i) t[i] = factor * std::sin(phase + 0.9 * static_cast<double>(i));
    return t;
}

inline ::testing::AssertionResult near(const D& a, const D& b, double tolerance) {
    if (!(a.shape() == b.shape()))
        return ::testing::AssertionFailure() << "shapes " << a.shape().str() << " and " << b.shape().str();
    for (Index i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= tolerance))
            return ::testing::AssertionFailure()
                   << "element " << i << ": " << a[i] << " and " << b[i] << ", tolerance " << tolerance;
    return ::testing::AssertionSuccess();
}

/// A value and the gradients of all inputs; undefined where an input is.
struct Differentiated {
    D y;
    std::vector<D> dx;
};

/// y = f(leaves of x), and its gradients for the cotangent wave(8).
template <class F>
Differentiated differentiated(const F& f, const std::vector<D>& x) {
    Tape<double> tape;
    std::vector<Var<double>> leaves;
    for (const D& t : x) leaves.push_back(t.defined() ? tape.leaf(t) : Var<double>());
    const Var<double> y = f(leaves);
    Differentiated out{y.value(), {}};
    tape.backward(y, wave(y.shape(), 8));
    for (const auto& v : leaves) out.dx.push_back(v.on_tape() ? tape.grad(v) : D());
    return out;
}

/// That two ways to write a function agree in value and in every gradient.
template <class F, class G>
void expect_same(const F& f, const G& g, const std::vector<D>& x, double tolerance) {
    const Differentiated a = differentiated(f, x), b = differentiated(g, x);
    EXPECT_TRUE(near(a.y, b.y, tolerance)) << "y";
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i].defined()) {
            EXPECT_TRUE(near(a.dx[i], b.dx[i], tolerance)) << "gradient of input " << i;
        }
}

/// That y and each gradient, by its inner product with a wave of its own, are the golden numbers.
template <class F>
void expect_golden(const F& f, const std::vector<D>& x, const std::vector<double>& golden, double tolerance) {
    const Differentiated r = differentiated(f, x);
    EXPECT_NEAR(dot(r.y, wave(r.y.shape(), 9)), golden.at(0), tolerance) << "y";
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(dot(r.dx[i], wave(x[i].shape(), 10 + static_cast<double>(i))), golden.at(i + 1), tolerance)
            << "gradient of input " << i;
}

}  // namespace gradproof::testing
