// What functions of a Python file are those of NumPy, PyTorch, JAX and SciPy, as its imports say.
//
//   const Imports imports = imports_of(source);       // of "from mine import relu": unknown has relu
//   own_call(source, statement, imports.unknown);     // where relu( stands in it
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

/// torch, numpy and the like, of which functions are read.
bool is_known_package(std::string_view module);

struct Imports {
    std::set<std::string, std::less<>> unknown;  ///< from elsewhere, or under another name: what they compute is not known
    std::set<std::string> of_scipy;              ///< from scipy.special import softmax
    std::set<std::string, std::less<>> of_jax, of_tensorflow;  ///< from jax.nn import gelu, import jax.nn as nn
    std::set<std::string, std::less<>> of_arrays;              ///< sum of from numpy import *, which is not Python's own
    std::string all_of;                                        ///< a module of which all is imported, and that is not known
};
/// Of all of the text.
Imports imports_of(const Source& source);

/// The name of the first call in `s` of one of these functions; empty where there is none.
Span own_call(const Source& source, Span s, const std::set<std::string, std::less<>>& functions);

}  // namespace gradproof::proof::numpy
