// Names that a function takes from outside, where others are given them: X of `def backward(self, dout): dW = X.T @ dout` beside
// `def forward(self, X)`.
//
//   for (const OutsideName& one : taken_from_outside(source, text, {"n"})) one.name, one.at ...
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

/// Whether the name stands there on its own: not of a.name, f(name=2) and 'name'.
bool stands_in(std::string_view code, std::string_view name);
/// lambda name: ..., lambda a, name: ...
bool is_of_a_lambda(std::string_view code, std::string_view name);

struct OutsideName {
    std::string name;
    Span at;                      ///< the statement
    std::set<std::string> given;  ///< to the function, and to other methods
    bool is_given_elsewhere;      ///< another function has it as a parameter
};

/// The first use in each function of what another function has as a parameter, or of one of `others`, that neither it nor a
/// function around it is given or assigns.
std::vector<OutsideName> taken_from_outside(const Source& source, Span text, const std::set<std::string, std::less<>>& others);

}  // namespace gradproof::proof::numpy
