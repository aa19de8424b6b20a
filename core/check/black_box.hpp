// A black box on arrays (a page, a kernel, any function), and the comparison of its value and gradients with the true ones. These
// come from the page of an op, from a function over numbers with error bounds, from another box, or only from differences of the
// box's own forward.
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
    double rounding = 0;      ///< an error of its gradients that is allowed besides the tolerance
    bool is_excused = false;  ///< at a kink, or not finite: an undecided result here is no fault
    bool is_added = false;    ///< added by the checker, and excused too
};

/// The element type that a box computes in. One that computes in float is given numbers that a float holds; its results are
/// converted to double.
enum class BoxPrecision { f64, f32 };

/// The results of a call; undefined where there is none.
struct Outcome {
    Tensor<double> y;
    Tensors gradients;
    std::vector<std::pair<std::string, Tensor<double>>> saved{};
};

struct BlackBox {
    std::string name, file;
    std::string kind;                            ///< its name in reports: "the kernel"
    std::vector<std::string> types, directions;  ///< "float", "double"; "forward", "backward"
    std::function<std::string(std::size_t i)> input_name;
    std::function<bool(const KernelCall& call, BoxPrecision)> takes;
    std::function<Outcome(const KernelCall& call, BoxPrecision)> run;
    /// The value alone, in double, at inputs other than those of the call.
    std::function<Tensor<double>(const KernelCall& call, const Tensors& x)> forward;
};
/// The op as the kernels that KernelScope(scope) chooses compute it; "page": as its page does, which may run in another process.
BlackBox black_box(const OpEntry& op, std::string_view scope = "page");
/// The samples of the op, drawn.
std::vector<KernelCall> black_box_calls(const OpEntry& op, std::uint64_t seed);

/// The true results of a call with error bounds, entry by entry; undefined, or NaN, where they are not known.
struct Known {
    Tensor<double> y, y_error;
    Tensors gradients, gradient_errors;
    std::vector<std::pair<std::string, Tensor<double>>> saved{};
    std::shared_ptr<const Known> as_float{};  ///< for boxes in float; null: the same results, with rounding errors of float
};
class NotComparable : public std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// A source of true results that a box is compared with.
struct Against {
    std::string name;   ///< "swish.proof"
    bool weak = false;  ///< the true gradients come from the box's own forward
    /// Errors: NotComparable for a call about which nothing is known.
    std::function<Known(const KernelCall& call)> of;
    bool is_page = false;  ///< it also defines saved tensors, gradients where there is no derivative, and NaN and infinities
    /// The rounding error allowed at an entry of the gradient where terms cancel; null if the bounds of `of` include it.
    std::function<double(const KernelCall& call, Entry entry)> rounding{};
};
/// The page of an op, run with plain arithmetic.
Against against_page(const OpEntry& op);
/// A function over dual numbers with bounds.
using BoundedDual = Dual<Bounded<double>>;
using BoundedFunction = std::function<Tensor<BoundedDual>(const KernelCall& call, const std::vector<Tensor<BoundedDual>>& x)>;
Against against_function(std::string name, const BoundedFunction& forward);
/// Another box that is trusted: its value, and its gradients or, where it has no backward, differences of its forward.
Against against_box(const BlackBox& reference);
/// Differences of the box's own forward: nothing is known about its value.
Against against_itself(const BlackBox& box);

/// Compares the box with the true results, call by call. A gradient is judged only if the value is right, since otherwise it is
/// the gradient of another function. It is not judged where the forward has a kink and the claim lies between its slopes, unless
/// a page defines the gradient there.
KernelReport check_kernel(const BlackBox& box, const std::vector<KernelCall>& calls, const Against& against);

/// A report without findings.
KernelReport describe(const BlackBox& box);

/// Puts NaN and infinities into each input and the cotangent in turn, and compares where they come out with the page.
ContractResult check_special_values(const BlackBox& box, const KernelCall& call, const Against& page);

}  // namespace gradproof::check
