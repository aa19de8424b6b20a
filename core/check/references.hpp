// Functions shared by black boxes and the sources of true results. Not for use outside core/check.
#pragma once

#include "gradproof/core/check/black_box.hpp"

namespace gradproof::check {

/// Whether a float holds every number of the call that is finite.
bool fits_float(const KernelCall& call);
/// The call with its numbers rounded to float, so that boxes of either type get the same; unchanged if they do not fit a float.
KernelCall as_float_holds(const KernelCall& call);

/// The call as a Subject, for oracles that take the forward separately.
Subject subject_of(const BlackBox& box, const KernelCall& call);

}  // namespace gradproof::check
