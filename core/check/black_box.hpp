// A black box on arrays - an op, a kernel, a function from anywhere - held to what is true of its value and its gradients: by a
// page, by a function over dual numbers, by arrays from elsewhere, or by nothing but differences of its own forward.
//
//   const KernelReport r = check_kernel(black_box(op), black_box_calls(op, seed), against_page(op));
//   r.mark(Contract::kernel_value);             // 'X': the forward is at fault
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gradproof/core/check/kernel_contracts.hpp"

namespace gradproof::check {

struct BlackBox {
    std::string name, file;
    std::function<std::string(std::size_t i)> input_name;
    /// Of one call with these attributes; undefined tensors stand for inputs that are absent.
    std::function<Tensor<double>(const AnyAttrs& attrs, const Tensors& x)> forward;
    std::function<Tensors(const AnyAttrs& attrs, const Tensors& x, const Tensor<double>& u)> gradients;
};
/// An op by its page, which may lie in another process.
BlackBox black_box(const OpEntry& op);
/// The samples of the op that it takes, drawn.
std::vector<KernelCall> black_box_calls(const OpEntry& op, std::uint64_t seed);

/// What is true of a call, entry by entry, with bounds of the errors of these numbers; undefined where it is not known.
struct Known {
    Tensor<double> y, y_error;
    Tensors gradients, gradient_errors;
};
/// Where that is known from. Errors: NotComparable for a call of which nothing is.
struct Against {
    std::string name;   ///< "swish.proof"
    bool weak = false;  ///< the box is its own witness
    std::function<Known(const KernelCall& call)> of;
};
class NotComparable : public std::runtime_error {
    using std::runtime_error::runtime_error;
};
Against against_page(const OpEntry& op);
Against against_function(std::string name, const DualFunction& forward);
/// Differences of the box's own forward: of the value nothing is known.
Against against_itself(const BlackBox& box);

/// Whether the box gives what is known, call by call. A gradient is judged where the value is the known one, for else it is
/// that of another function.
KernelReport check_kernel(const BlackBox& box, const std::vector<KernelCall>& calls, const Against& against);

}  // namespace gradproof::check
