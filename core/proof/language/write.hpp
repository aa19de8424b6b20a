// Expressions printed in the notation or in LaTeX; derive/numpy_proof.hpp writes NumPy.
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
/// " for t < T - 1, i ≠ j", of where a line holds; "" of nullptr, which is everywhere. `text` writes what is compared.
std::string written_ranges(const ExprPtr& holds, Notation n, const std::function<std::string(const Expr&)>& text);
std::string written_ranges(const ExprPtr& holds);

namespace latex {
std::string text_of(const Expr& e);
std::string text_of(const Expr& e, const LatexSpelling& spelling);
/// W_Q, \hat{y}, \alpha: of a name that no text in LaTeX spells.
std::string spelled(std::string_view name);
}  // namespace latex

}  // namespace gradproof::proof
