// Functions of which a text says nothing but their name: `function f`, then f(X), f'(X). What holds for them holds for every smooth
// function: where numbers are needed, each stands for a sum of three sines of its own.
//
//   any_function("f");                                 // "any f", the name in a call
//   any_function_value("any f'", Var<double>(x));      // the slope of that sum
#pragma once

#include <string>
#include <string_view>

#include "gradproof/core/tape.hpp"

namespace gradproof::proof {

/// In expressions, the name of a declared function; followed by ' for each derivative.
std::string any_function(std::string_view name);
bool is_any_function(std::string_view name);
/// "f'" of "any f'"; other names as they are.
std::string_view shown_function(std::string_view name);

/// Entry by entry.
template <class T>
Var<T> any_function_value(std::string_view name, const Var<T>& x);

}  // namespace gradproof::proof
