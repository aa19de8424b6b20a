// The axes of what an expression gives, as far as its form shows them, before anything is computed.
//
//   axes_of(*e, proof, names);                  // {"n", "d"} of X W; nothing where that is not plain
//   with_identities(e, left, proof, names);     // eye(d) for the I of I - u u^T
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::latex {

/// Sizes, as the notation writes them.
using Axes = std::vector<std::string>;

/// What an I stands for as it is read, until its size is known.
inline constexpr std::string_view kIdentity = "identity";
/// The same of a \mathbf{1}.
inline constexpr std::string_view kOnes = "ones of unknown size";
/// I and 1 of these two; "" of all others.
inline std::string_view unsized_text(const Expr& e) {
    if (e.kind != Kind::call || !e.children.empty()) return "";
    return e.name == kIdentity ? "I" : e.name == kOnes ? "1" : "";
}

/// Whether a function of one argument goes entry by entry; max and min, which are numbers of an array too, do not.
bool acts_on_entries(std::string_view function);

std::optional<Axes> axes_of(const Expr& e, const Proof& proof, const Names& names);
std::optional<Axes> axes_of_name(std::string_view name, const Proof& proof, const Names& names);

/// Each I, or a number times it, as a term of a sum: its size is that of the other terms, of the left side, or the only one that
/// the text has. Calls lost(I) for one whose size nothing shows, which does not return.
ExprPtr with_identities(const ExprPtr& e, const Expr* left, const Proof& proof, const Names& names,
                        const std::function<void(const Expr&)>& lost);

}  // namespace gradproof::proof::latex
