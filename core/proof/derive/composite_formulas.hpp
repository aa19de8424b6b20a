// What an op is made of, as a formula of its arguments: attention(Q, K, V) is softmax(Q K^T / sqrt(d)) V.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "gradproof/core/proof/derive/known.hpp"

namespace gradproof::proof {

/// A formula in the notation, and what its names stand for.
struct Formula {
    std::string text;
    std::map<std::string, ExprPtr> names;
};
/// Of a call; nothing where the op is a rule of its own, or has options that no formula is known for. Sizes come from `known`,
/// which is asked for only where they are needed. Errors: NoRule.
std::optional<Formula> formula_of(const Expr& call, const std::function<const Known&()>& known);

/// conv1d in index form, for a value that is nothing else: steps is a constant of zeros, one for each step of the result.
struct EntryFormula {
    std::vector<std::string> indices;
    Formula formula;
    Given steps;
};
/// `is_taken` tells names that are in use. Errors: NoRule.
std::optional<EntryFormula> entry_formula_of(const Expr& call, const Known& known,
                                             const std::function<bool(const std::string&)>& is_taken);

}  // namespace gradproof::proof
