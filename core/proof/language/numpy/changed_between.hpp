// Lines of a program that are no part of a derivation, between two that are: what they may change of its values.
//
//   changed_between(source, cell, statements);        // y.sort(), train(y), z = y, from mine import y
#pragma once

#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::numpy {

/// Lines that give a value of the derivation to something else, or that do something to one that is not known to read it alone.
std::vector<Passed> changed_between(const Source& source, Span between, const Statements& to);

/// Of lines below those that are read: dW /= n, dW = dW / n, dW[0] = 0.
std::vector<Passed> gradients_changed_in(const Source& source, Span behind, const Statements& to);

/// Those of a cell that is not marked, the lines that compute one, dW = X.T @ dY, and functions of marked cells that it defines.
std::vector<Passed> gradients_computed_in(const Source& source, Span cell, const Statements& to);

/// mean of np.mean(y) and y.mean(), print, len: it changes nothing that it is given, but by its arguments out and inplace.
bool is_function_that_reads(std::string_view name);

}  // namespace gradproof::proof::numpy
