// What is known of a call, changed: for fewer gradients, for inputs that are rounded, for half precision, for declared gradients.
//
//   Against against = with_rounded_inputs(check::against_page(op));
//   against = at_half(against, {.eps = 0x1p-10, .least = 0x1p-24, .largest = 65504}, true);
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "gradproof/core/check/black_box.hpp"

namespace gradproof::python {

using check::Against;
using check::KernelCall;

/// Without what is known of the gradients that nobody asks for.
Against only(Against against, std::vector<bool> wrt);
/// With what a rounding of the inputs changes, on calls that were added: far from 0, another order of sums makes as much.
Against with_rounded_inputs(Against against);

/// Nothing is known of calls on which the true value or gradient is not finite, or above `largest`: no kernel can be held to it.
/// Of those that were added, or of all.
Against within_range(Against against, double largest, bool of_all);

/// A type of half precision: its rounding, its smallest and its largest number.
struct Half {
    double eps, least, largest;
};
/// For a kernel in half precision, which is called as if in double. `bounds`: the errors of what is known are of rounding. Else
/// `in_double`, the gradients of the same kernel in double, says what a rounding of its inputs and cotangent changes.
Against at_half(Against against, const Half& half, bool bounds, const std::function<Tensors(const KernelCall&)>& in_double);

/// The kernel in double: its value alone at other inputs, and its gradients.
struct InDouble {
    std::function<Tensor<double>(const KernelCall& call, const Tensors& x)> forward;
    std::function<Tensors(const KernelCall&)> gradients;
};
/// For what comes from differences: where terms cancel, nothing shows how large they were but the last bits of what is left of them.
/// Those are measured by moving the inputs by a rounding. A gradient of 0 is then known as well as a difference of such numbers
/// knows it, and what the kernel leaves of one is compared with the roundings of its own type. `half`: the kernel is in that type.
Against with_noise(Against against, const InDouble& kernel, const std::optional<Half>& half);

/// The values of one, the gradients of another: of a kernel that declares its gradient to be that of another function.
Against with_gradients_of(Against values, const Against& gradients);

}  // namespace gradproof::python
