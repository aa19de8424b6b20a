// Samples with other sizes than those of a page: an axis of 1, a long one, one more axis. A backward may have learned the sizes of
// its samples by heart.
//
//   const std::vector<SampleCase> samples = resized_samples(cases);   // "rows, 5 as 67", "rows, one more axis" ...
//   check_added(op, samples, seed, report, Refused::left_out);
#pragma once

#include "gradproof/core/check/contracts.hpp"

namespace gradproof::check {

/// Made from one sample for each set of attributes, as added_samples does. What an argument gives as numbers is repeated along an
/// axis that grows. Which of them are calls of the op, the op says: it may refuse them.
std::vector<SampleCase> resized_samples(const std::vector<Case>& cases);

}  // namespace gradproof::check
