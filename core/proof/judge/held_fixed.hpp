// Values that a sentence holds fixed, for the lines of that sentence or for all of them.
#pragma once

#include <vector>

#include "gradproof/core/proof/judge/readings.hpp"

namespace gradproof::proof {

/// For each value of which the text says "with W fixed", and for all of them: the derivation without a gradient through it, which
/// wrong lines and those of that sentence may mean. For each that is read as fixed because of "holding W fixed, ...": that with a
/// gradient through it, which lines of other sentences may mean.
std::vector<OtherForward> with_others_fixed(const Proof& proof);

}  // namespace gradproof::proof
