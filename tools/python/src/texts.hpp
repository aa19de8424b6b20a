// Texts with what they take in.
#pragma once

#include <nanobind/stl/function.h>

#include <functional>

#include "gradproof/core/proof/language/text.hpp"
#include "tools/python/src/calls.hpp"

namespace gradproof::python {

/// Reads a file that a LaTeX file takes in.
using ReadBeside = std::function<std::optional<std::string>(std::string)>;

/// The text, and in it the files that it takes in where it is LaTeX. Errors: ProofError.
proof::Text whole(const std::string& name, const std::string& text, const ReadBeside& beside);

}  // namespace gradproof::python
