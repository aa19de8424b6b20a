// The samples that the checker adds to a page's own: with large values, zeros throughout or among others, ties and one value
// everywhere instead of drawn ones.
//
//   const std::vector<SampleCase> samples = added_samples(cases);     // "rows, times 1e3" ...
//   const std::vector<Case> judged = check_added(op, samples, seed, report);
#pragma once

#include "gradproof/core/check/contracts.hpp"

namespace gradproof::check {

/// Made from one sample for each set of attributes, the one with the most inputs. Arguments that a sample gives as numbers stay.
std::vector<SampleCase> added_samples(const std::vector<Case>& cases);

/// Checks contracts 1 to 3 on each. An op may refuse a sample with an error, give infinities or NaN, or have no derivative there;
/// the report says so, and it is no fault. Nor is it one if the oracles cannot tell. A wrong gradient is. Returns the cases
/// judged.
std::vector<Case> check_added(const OpEntry& op, const std::vector<SampleCase>& samples, std::uint64_t seed, OpReport& report);

/// The rounding error allowed in the gradient of an added call, in which large numbers may cancel: a few eps times
/// |u| max(|x|, |y|) max(1, |x|).
double rounding_far_out(const Tensors& x, const Tensor<double>& y, const Tensor<double>& u);

}  // namespace gradproof::check
