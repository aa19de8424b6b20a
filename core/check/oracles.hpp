// The oracles: the true derivative computed from the forward alone, with no code in common with any backward.
//
//   const Function f = [](const Tensors& x) { return softmax(x[0]); };
//   difference(f, {x}, {.input = 0, .index = 3}, Stencil::fourth_order);   // df/dx[3], about 1e-10
//   dual_column(g, {x}, {.input = 0, .index = 3});                          // the same, about 1e-15 (g: f over duals)
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "gradproof/core/random.hpp"
#include "gradproof/core/transforms.hpp"

namespace gradproof::check {

using Function = std::function<Tensor<double>(const Tensors&)>;
using DualTensors = std::vector<Tensor<Dual<double>>>;
using DualFunction = std::function<Tensor<Dual<double>>(const DualTensors&)>;

/// One element of one input.
struct Entry {
    int input = 0;
    Index index = 0;  ///< row-major
};

enum class Stencil {
    central,       ///< error h^2, h = cbrt(eps) max(1, |x|)
    fourth_order,  ///< error h^4, h = eps^(1/5) max(1, |x|)
};
/// The step at x: a power of two, so that x + h and x - h are exact.
double step(Stencil stencil, double x);

/// df / d(one entry) by differences, with the step times `shrink` (a power of two). Undefined inputs are absent ones.
/// Errors: ValueError for an entry out of range.
Tensor<double> difference(const Function& f, const Tensors& x, Entry entry, Stencil stencil, double shrink = 1);

/// df / d(one entry) with a step that suits the scale on which <u, f> changes there, however large x is: the step is reduced from
/// the usual one until the two halves of the fourth-order rule agree or rounding dominates.
struct Measured {
    Tensor<double> column;
    double step = 0;
    double truncation = 0;  ///< estimated error of <u, column> due to the length of the step
};
/// `size` is |u f(x)|, whose rounding ends the search; the search begins at the usual step times `first`. Errors: as difference.
Measured measure(const Function& f, const Tensors& x, Entry entry, const Tensor<double>& u, double size, double first = 1);
/// The largest rounding error of a difference of numbers of this size over this step.
inline double rounding_of_difference(double size, double step) {
    return 16 * std::numeric_limits<double>::epsilon() * size / step;
}

/// J v by differences, with the step times `shrink`. The steps are made exactly representable, which changes v a little;
/// `direction` is the one that was used.
struct Along {
    Tensors direction;
    Tensor<double> derivative;
};
Along difference_along(const Function& f, const Tensors& x, const Tensors& v, Stencil stencil, double shrink = 1);

/// The derivatives from the right and from the left, with steps of 1e-5 max(1, |x|) times `shrink`:
/// they differ at a kink or a tie.
struct OneSided {
    Tensor<double> left, right;
};
OneSided one_sided(const Function& f, const Tensors& x, Entry entry, double shrink = 1);

/// df / d(one entry) and J v by dual numbers: no step, no truncation.
Tensor<double> dual_column(const DualFunction& f, const Tensors& x, Entry entry);
Tensor<double> dual_along(const DualFunction& f, const Tensors& x, const Tensors& v);
/// The Jacobian [size of f(x), size of x[input]] by dual numbers.
Tensor<double> jacobian(const DualFunction& f, const Tensors& x, int input);

/// The two sides of <u, J v> = <Jᵀ u, v>, with g the claimed Jᵀ u.
struct Adjoint {
    double forward = 0;   ///< <u, J v>
    double backward = 0;  ///< <g, v>
    double scale = 0;     ///< max(|g| |v|, |u| |J v|)
    double error() const;
};
Adjoint adjoint(const Tensor<double>& u, const Tensor<double>& jv, const Tensors& g, const Tensors& v);

/// The Taylor remainder test: how fast <u, f(x + h v)> - <u, f(x)> - h <g, v> falls. A right gradient gives order 2.
struct Taylor {
    double order = 0;    ///< median over directions of the smallest rate
    bool exact = false;  ///< the remainder is only rounding: f is linear along every direction, and g is right
    bool right() const { return exact || (order > 1.95 && order < 2.05); }
};
Taylor taylor(const Function& f, const Tensors& x, const Tensor<double>& u, const Tensors& g, Random& random, int directions = 5);

/// Standard normal tensors in the shapes of x; undefined where x is.
Tensors normal_like(const Tensors& x, Random& random);

}  // namespace gradproof::check
