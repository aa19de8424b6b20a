// Claims of derivatives where no line leads from the one value to the other: the text says how in another line, or not at all.
//
//   left = along_a_path(left, right, alternatives, reading);
#pragma once

#include <functional>
#include <vector>

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// What the text says of a value besides the line that it is computed by: of D = \|L z\|^2 = z^\top M z the last.
using Alternatives = std::function<std::vector<ExprPtr>(const std::string& value)>;

/// A derivative as it is meant: where its value does not follow from what it is taken by, that of an alternative which does. The
/// left side of a claim as it is otherwise. Errors: ProofError where nothing leads from the one to the other, and it is claimed
/// to be something else than 0.
ExprPtr along_a_path(const ExprPtr& left, const Expr& right, const Alternatives& alternatives, const Reading& reading);

/// The number a of the one [a]_+, or maximum of 0 and a, in the value that a derivative is of: of words that call it active or
/// positive. nullptr where there is none, or several.
ExprPtr hinge_of(const Expr& left, const Reading& reading);

/// The derivative of its number and that term. Errors: ProofError where it is of no number.
ExprPtr with_added(const ExprPtr& left, const ExprPtr& term, const Reading& reading);

}  // namespace gradproof::proof::latex
