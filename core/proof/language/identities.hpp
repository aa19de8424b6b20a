// The I and the 1 of a text that does not say how large they are: as they are read, and with the size that their neighbours show.
//
//   with_identities(e, left, proof, names, lost);     // eye(d) for the I of I - u u^T
#pragma once

#include <functional>
#include <string_view>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// What an I stands for as it is read, until its size is known.
inline constexpr std::string_view kIdentity = "identity";
/// The same of a \mathbf{1}.
inline constexpr std::string_view kOnes = "ones of unknown size";
inline bool is_unsized_identity(const Expr& e) { return e.kind == Kind::call && e.name == kIdentity; }
inline bool is_unsized_ones(const Expr& e) { return e.kind == Kind::call && e.name == kOnes; }
/// I and 1 of these two; "" of all others.
inline std::string_view unsized_text(const Expr& e) {
    if (!e.children.empty()) return "";
    return is_unsized_identity(e) ? "I" : is_unsized_ones(e) ? "1" : "";
}

/// Each I, or a number times it, as a term of a sum: its size is that of the other terms, of the left side, or the only one that
/// the text has. Calls lost(I) for one whose size nothing shows, which does not return. `left` may be nullptr.
ExprPtr with_identities(const ExprPtr& e, const Expr* left, const Proof& proof, const Names& names,
                        const std::function<void(const Expr&)>& lost);

}  // namespace gradproof::proof
