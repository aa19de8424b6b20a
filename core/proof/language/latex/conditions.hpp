// Where the equations of a text hold, as what stands behind them says.
//
//   const IndexRanges ranges = ranges_of(equation, reading);      // of t = 1, \dots, T
#pragma once

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {

/// What words around a line say of when it holds, as they say it: "x_i > 0 or x_i < -1".
std::string shown_conditions(const Source& source, const Tokens& range);
/// What the text behind it says its indices run over; nothing of an explanation.
/// Errors: ProofError for a condition that is not read, and for words with a formula behind them that are no explanation.
IndexRanges ranges_of(const Equation& e, const Reading& reading);

/// Of an index of the left side, that it is not the last; nullptr where it is none.
ExprPtr before_the_last(const Expr& left, const std::string& index, const Statements& to);

/// Of \mathbf{1}[k = c] the sizes of indices k that run over what the label c is a place of, but for those that have one.
void add_sizes_by_labels(const std::vector<std::string>& indices, const Expr& right, const Reading& reading,
                         std::vector<Option>& sizes);

/// L = \sum_i x_i^2, \quad i > 1. Errors: ProofError for a condition behind a line on the index of a sum in it.
void expect_no_range_of_a_sum(const Equation& e, const Source& source);

/// A condition on entries of values says what a line of the forward is for some of them only. One on numbers says for which inputs
/// it is meant. Errors: ProofError for the first.
void expect_of_all_entries(const Equation& e, const IndexRanges& ranges, const Reading& reading);
/// Of S = Q K^\top, \quad j \le i. Errors: ProofError.
void expect_no_indices(const Equation& e, const IndexRanges& ranges, const Reading& reading);

/// Where a claim holds, as far as indices of its left side and values say so. Of a line without indices it may be said of a
/// number, as L > 0, or of entries, as x > 0 of \nabla_x L; of another array W \ne 0 is passed over. Errors: ProofError for more
/// that is said of another array.
ExprPtr on_the_left(const Equation& e, const Expr& left, const ExprPtr& holds, const Reading& reading);

}  // namespace gradproof::proof::latex
