// The functions of the notation: what a call means, through the registered ops.
//
//   is_builtin("rowsum");                                        // true
//   const Var<T> y = apply("softmax", {s}, {{"axis", ...}});     // Errors: ShapeError, ValueError of the op
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/budget.hpp"
#include "gradproof/core/registry.hpp"
#include "gradproof/core/residue.hpp"

namespace gradproof::proof {

/// The value of an option of a call, once evaluated.
struct OptionValue {
    std::string name;
    AttrValue value;
};

bool is_builtin(std::string_view name);
/// Functions that take a scalar to a scalar, so that they may stand in index form.
bool is_elementwise(std::string_view name);
std::vector<std::string> builtin_names();

/// What is constant but for its steps: 1, 0 or -1, and the largest whole number that is not above x.
template <class T>
T sign_of(const T& x) {
    return T(static_cast<double>((x > T(0)) - (x < T(0))));
}
template <class T>
T whole_part(const T& x) {
    if constexpr (std::is_same_v<T, Dual<Residue>>)
        return floor(x);
    else
        return T(std::floor(primal(x)));
}

/// Errors: ValueError for a wrong number of arguments or an unknown option, ShapeError, and what the op throws.
template <class T>
Var<T> apply(const std::string& name, const std::vector<Var<T>>& arguments, std::vector<OptionValue> options);

/// One registered op.
template <class T>
Var<T> apply_op(std::string_view op, const std::vector<Var<T>>& arguments, const std::vector<OptionValue>& options = {});

/// What proofs are made with: formulas over residues. Here an op is its formula, not its page, which has order in it.
using Modular = Dual<Residue>;
/// Errors: also NoResidue for an op without such a formula.
template <>
Var<Modular> apply_op(std::string_view op, const std::vector<Var<Modular>>& arguments, const std::vector<OptionValue>& options);

}  // namespace gradproof::proof
