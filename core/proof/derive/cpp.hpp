// A derivation written as the page of an op in C++: forward, backward and samples, ready to be built as a plugin and checked.
//
//   fmt::print("{}", to_cpp(read_proofs("attention.proof", text)[0]));
#pragma once

#include "gradproof/core/proof/derive/derive.hpp"

namespace gradproof::proof {

/// Drawn values, constants too, are inputs of the op; sizes that follow from no shape, and whole numbers, are attributes.
/// Errors: as derive; ValueError if a gradient cannot be derived or a function has no counterpart in C++.
std::string to_cpp(const Proof& proof, const DeriveOptions& options = {}, const Control& control = {});

}  // namespace gradproof::proof
