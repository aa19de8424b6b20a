// The names that derivatives of a text are taken of, and those that they are taken by.
//
//   const Derived derived = derived_in(source, equations);        // of \frac{\partial L}{\partial x}: of has L, by has x
#pragma once

#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

/// Bases of names.
struct Derived {
    std::set<std::string> of, by;
};
Derived derived_in(const Source& source, const std::vector<Equation>& all);
/// The names that the derivatives of a formula are taken of, with their scripts: L_1 of \nabla_x L_1.
std::vector<Tokens> names_derived(const Source& source, const Tokens& formula);

/// a^\top X b of \frac{\partial a^\top X b}{\partial X}, \frac{\partial}{\partial X} a^\top X b and \nabla_X (a^\top X b): what
/// is derived there, where it is no name, nor has a condition; else nothing.
Tokens expression_derived(const Source& source, const Tokens& left);

}  // namespace gradproof::proof::latex
