// A black box on arrays - a page, a kernel, a function from anywhere - held to what is true of its value and its gradients: by
// the page of an op, by a function over numbers with bounds, by arrays from elsewhere, or by nothing but differences of its own
// forward.
//
//   const KernelReport r = check_kernel(black_box(op, "fused"), black_box_calls(op, seed), against_page(op));
//   r.mark(Contract::kernel_value);             // 'X': the forward is at fault
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gradproof/core/bounded.hpp"
#include "gradproof/core/check/contracts.hpp"

namespace gradproof::check {

/// One call of a black box: a sample of an op, or one made from it.
struct KernelCall {
    std::string name;
    AnyAttrs attrs;
    Tensors x;                ///< undefined where an input is absent
    Tensor<double> u;         ///< the cotangent
    double rounding = 0;      ///< what its gradients may be off by beside the tolerance, as double
    bool is_excused = false;  ///< at a kink, or not finite: what cannot be told of it counts against nobody
    bool is_added = false;    ///< by the checker, and excused too
};

/// The element types of boxes. One that computes in float is given numbers that a float holds, and its results are put into
/// doubles.
enum class Precision { f64, f32 };

/// What a call leaves behind; undefined where there is none.
struct Outcome {
    Tensor<double> y;
    Tensors gradients;
    std::vector<std::pair<std::string, Tensor<double>>> saved{};
};

struct BlackBox {
    std::string name, file;
    std::string kind;                            ///< in reports: "the kernel"
    std::vector<std::string> types, directions;  ///< "float", "double"; "forward", "backward"
    std::function<std::string(std::size_t i)> input_name;
    std::function<bool(const KernelCall& call, Precision)> takes;
    std::function<Outcome(const KernelCall& call, Precision)> run;
    /// The value alone, in double, at other inputs than those of the call.
    std::function<Tensor<double>(const KernelCall& call, const Tensors& x)> forward;
};
/// The op by the kernels that KernelScope(scope) chooses; "page": by its page, which may lie in another process.
BlackBox black_box(const OpEntry& op, std::string_view scope = "page");
/// The samples of the op that it takes, drawn.
std::vector<KernelCall> black_box_calls(const OpEntry& op, std::uint64_t seed);

/// What is true of a call, with bounds of the errors of these numbers, entry by entry; undefined, or NaN, where it is not known.
struct Known {
    Tensor<double> y, y_error;
    Tensors gradients, gradient_errors;
    std::vector<std::pair<std::string, Tensor<double>>> saved{};
    std::shared_ptr<const Known> as_float{};  ///< null: the same, with as many units of rounding
};
class NotComparable : public std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// Where that is known from.
struct Against {
    std::string name;   ///< "swish.proof"
    bool weak = false;  ///< the box is its own witness
    /// Errors: NotComparable for a call of which nothing is known.
    std::function<Known(const KernelCall& call)> of;
    bool is_page = false;  ///< it says what is saved, what is where there is no derivative, and where numbers are not finite
    /// What rounding may leave of the gradient at an entry, where it cancels; null where `of` says it.
    std::function<double(const KernelCall& call, Entry entry)> rounding{};
};
/// The page of an op, run with plain arithmetic.
Against against_page(const OpEntry& op);
/// A function over dual numbers with bounds.
using BoundedDual = Dual<Bounded<double>>;
using BoundedFunction = std::function<Tensor<BoundedDual>(const KernelCall& call, const std::vector<Tensor<BoundedDual>>& x)>;
Against against_function(std::string name, const BoundedFunction& forward);
/// Differences of the box's own forward: of its value nothing is known.
Against against_itself(const BlackBox& box);

/// Whether the box gives what is known, call by call. A gradient is judged where the value is the known one, for else it is
/// that of another function; and not where the forward has a kink and the claim lies between its slopes, unless a page says
/// what it is to be there.
KernelReport check_kernel(const BlackBox& box, const std::vector<KernelCall>& calls, const Against& against);

/// A report without findings.
KernelReport describe(const BlackBox& box);

/// Whether NaN and infinities, put into each input and the cotangent in turn, come out where the page has them.
ContractResult check_special_values(const BlackBox& box, const KernelCall& call, const Against& page);

}  // namespace gradproof::check
