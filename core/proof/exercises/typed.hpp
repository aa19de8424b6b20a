// An answer as it is typed: where its left side ends, what else it may mean, and the letters at which it takes entries.
//
//   equals_sign("dV = A^T dO");                  // 3
//   free_letters(e, names);                      // of Σ_i A[i,j] dO[i,c]: j, c
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/grammar.hpp"

namespace gradproof::proof {

using IndexLetters = std::vector<std::string>;

/// Where the text states a left side: the first = outside of brackets that compares nothing.
std::optional<std::size_t> equals_sign(std::string_view text);
bool is_latex_text(std::string_view text);

/// The text, and what else it may mean: (a)(b) as an elementwise product, sum_i x as Σ_i x, A.^2 as A^2.
std::vector<std::string> ways_to_read(const std::string& text);
/// Of what another language writes, what is read here; "" where nothing of the kind stands in the answer.
std::string hint_of_language(std::string_view answer);

/// The letters at which entries are taken, in the order they stand in, without those that sums bind.
IndexLetters free_letters(const ExprPtr& e, const Names& names);
/// Of an einsum, which is an array by its entries, the letters of these; of an expression, of the first in it.
IndexLetters letters_of_einsum(const Expr& e);
/// Every einsum by what it is at these letters.
ExprPtr with_entries(const ExprPtr& e, const IndexLetters& letters);

/// The same where no sum binds an index that names something else: Σ_h of heads whose number is h.
ExprPtr with_own_indices(const ExprPtr& e, const Names& names);

/// Whether the left side is what was asked for, as a whole: a name, or each axis with a letter of its own.
bool states_what_is_asked(const Expr& left, const Expr& asked);

}  // namespace gradproof::proof
