// A derivation as the page of an op: forward, backward and samples, ready to be built as a plugin and checked.
//
//   fmt::print("{}", to_cpp(read_proofs("attention.proof", text)[0]));
#pragma once

#include "gradproof/core/proof/derive/derive.hpp"

namespace gradproof::proof {

/// What is drawn is an input of the op, constants too; sizes that follow from no shape, and whole numbers, are attributes.
/// Errors: as derive; ValueError for a gradient that is not derived and for what has no words in C++.
std::string to_cpp(const Proof& proof, const DeriveOptions& options = {}, const Control& control = {});

}  // namespace gradproof::proof
