// The one parallel loop. Each index is done by exactly one task in the same way, so results never depend on the thread count.
//
//   parallel_for(rows, 16, [&](Index begin, Index end) { for (Index r = begin; r < end; ++r) row(r); });
#pragma once

#include <functional>

#include "core/shape.hpp"

namespace gradproof {

/// Calls body on disjoint ranges that cover [0, n), each of `grain` indices (the last may be shorter).
/// Ranges are the same for every thread count. An exception thrown by body is rethrown here.
void parallel_for(Index n, Index grain, const std::function<void(Index begin, Index end)>& body);

/// How many threads parallel_for may use; 1 runs everything in the caller. Errors: ValueError for n < 1.
void set_threads(int n);
int threads();

}  // namespace gradproof
