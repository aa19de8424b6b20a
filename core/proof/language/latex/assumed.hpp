// What a text assumes of its inputs: they are drawn so, or the lines that may hang on it cannot be told.
//
//   draw_or_assume(property, reading, to);             // "where $A$ is symmetric", "$\|x\| = 1$", "$P$ is idempotent"
//   assume_relations(source, text, reading, to, is_condition);   // "assume that $u^\top v = 0$"
#pragma once

#include <functional>

#include "gradproof/core/proof/language/latex/properties.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {

void draw_or_assume(const Property& p, const Reading& reading, Statements& to);
/// What a sentence may say or not: lines that are wrong without it cannot be told.
void doubt(const Property& p, const Reading& reading, Statements& to);
/// Of relations between inputs that no property is, nor when a claim holds; what is not read says nothing.
void assume_relations(const Source& source, Span text, const Reading& reading, Statements& to,
                      const std::function<bool(Span)>& is_condition);

}  // namespace gradproof::proof::latex
