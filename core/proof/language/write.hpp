// Expressions printed in any notation that is read.
//
//   written(*e, Notation::latex)       // "\frac{\partial L}{\partial S} K / \sqrt{d_k}"
#pragma once

#include <functional>

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof {

enum class Notation { notation, latex };

/// The whole expression, whatever it was read from, with brackets where they are needed; text_of is as its author wrote it.
std::string written(const Expr& e, Notation n);

/// Whether it is an array by its entries that stands within a line; `einsum_text` is how it is written, by the text of arrays.
bool is_einsum(const Expr& e);
std::string einsum_text(const Expr& e, const std::function<std::string(const Expr&)>& text);

namespace latex {
std::string text_of(const Expr& e);
std::string text_of(const Expr& e, const LatexSpelling& spelling);
/// W_Q, \hat{y}, \alpha: of a name that no text in LaTeX spells.
std::string spelled(std::string_view name);
}  // namespace latex

}  // namespace gradproof::proof
