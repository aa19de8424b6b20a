// Expressions printed in any notation that is read.
//
//   written(*e, Notation::latex)       // "\frac{\partial L}{\partial S} K / \sqrt{d_k}"
#pragma once

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof {

enum class Notation { notation, latex };

/// The whole expression, whatever it was read from, with brackets where they are needed; text_of is as its author wrote it.
std::string written(const Expr& e, Notation n);

namespace latex {
std::string text_of(const Expr& e);
std::string text_of(const Expr& e, const LatexSpelling& spelling);
/// W_Q, \hat{y}, \alpha: of a name that no text in LaTeX spells.
std::string spelled(std::string_view name);
}  // namespace latex

}  // namespace gradproof::proof
