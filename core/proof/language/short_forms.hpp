// What is written shortly and stands for other words of the notation: comparisons, conditions of sums, clip, tr, inv, f'.
//
//   comparison(x, ">", number(0));        // step(x)
//   short_form("clip", {x, a, b});        // min(max(x, a), b)
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "gradproof/core/proof/language/expression.hpp"
#include "gradproof/core/proof/language/grammar.hpp"

namespace gradproof::proof {

/// clip, tr, inv, solve, vec: names that a definition of the reader's hides.
bool is_short_form(std::string_view name);
/// What the call stands for; nullptr for another number of arguments.
ExprPtr short_form(std::string_view name, const std::vector<ExprPtr>& arguments);

/// a = b or a ≠ b of numbers that are no indices.
ExprPtr equality_of_values(const ExprPtr& a, const ExprPtr& b, bool equal);
/// Whether it is such a one, 1 where two numbers differ, else 0: step(a - b) + step(b - a).
bool is_of_equality(const Expr& e);
/// a and b of a - b; else e and 0.
std::pair<ExprPtr, ExprPtr> parts_compared(const ExprPtr& e);
/// 1 where a is <, >, <= (≤), >= (≥), = (==) or ≠ (!=) b, else 0. Two letters that are equal are indices, ...
ExprPtr comparison(const ExprPtr& a, std::string_view sign, const ExprPtr& b);
/// ... unless one of them is a value, or both are sizes or numbers.
ExprPtr comparison(const ExprPtr& a, std::string_view sign, const ExprPtr& b, const Names& names);

/// einsum("ij,jk->ik", A, B): an array by its entries, of kind helper and without a name, or a number; summed over the other
/// letters. These are the text's own: one that names something else too becomes another index.
/// Errors: std::invalid_argument for letters that do not fit the arrays.
ExprPtr einsum(std::string letters, const std::vector<ExprPtr>& arrays, const Names& names);

/// Whether the index stands in e as a number, not as an index.
bool counts(const Expr& e, const std::string& index);

/// What bounds the index of a sum: Σ_{j<i}, Σ_{j≠i}, Σ_{i=1}^{n}.
struct IndexRange {
    std::string index;
    std::string sign;  ///< "" for all of its axis
    ExprPtr bound;
    ExprPtr last;  ///< of =: the last value
};
/// The body where the ranges hold, else 0, and the sizes that ranges from 1 state, by index.
struct RangedBody {
    ExprPtr body;
    std::vector<std::pair<std::string, ExprPtr>> sizes;
};
/// An index that runs from 1 has the first entry at 1, as have other indices there; `is_size` tells sizes from indices.
/// Errors: std::invalid_argument for a range that is none, and for an index from 1 that stands as a number in the body.
RangedBody ranged(ExprPtr body, const std::vector<IndexRange>& ranges, const std::function<bool(const Expr&)>& is_size);

}  // namespace gradproof::proof
