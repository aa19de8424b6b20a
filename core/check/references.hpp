// What black boxes and those that know better share. Not for use outside core/check.
#pragma once

#include "gradproof/core/check/black_box.hpp"

namespace gradproof::check {

/// Whether a float holds every number of the call that is finite.
bool fits_float(const KernelCall& call);
/// The call with numbers that a float holds too, so that boxes of either type are given the same; as it is where they do not fit.
KernelCall as_float_holds(const KernelCall& call);

/// The call for oracles that are handed the forward.
Subject subject_of(const BlackBox& box, const KernelCall& call);

}  // namespace gradproof::check
