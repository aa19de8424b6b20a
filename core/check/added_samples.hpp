// The samples that the checker adds to a page's own: large values, zeros, ties and repeated values in the place of drawn ones.
//
//   const std::vector<SampleCase> samples = added_samples(cases);     // "rows, times 1e3" ...
//   const std::vector<Case> judged = check_added(op, samples, seed, report);
#pragma once

#include "gradproof/core/check/contracts.hpp"

namespace gradproof::check {

/// Made from a sample of each set of attributes, the one with the most inputs; what a sample gives as numbers stays as it is.
std::vector<SampleCase> added_samples(const std::vector<Case>& cases);

/// Contracts 1 to 3 on each. An op may refuse one with an error, give infinities or NaN, or have no derivative there: that is
/// said, and is no fault. Nor is what the oracles cannot tell there; a gradient that is wrong is one. Returns what was judged.
std::vector<Case> check_added(const OpEntry& op, const std::vector<SampleCase>& samples, std::uint64_t seed, OpReport& report);

/// What rounding may leave in the gradient of a call that was added, where all that is large cancels: some eps of
/// |u| max(|x|, |y|) max(1, |x|).
double rounding_far_out(const Tensors& x, const Tensor<double>& y, const Tensor<double>& u);

}  // namespace gradproof::check
