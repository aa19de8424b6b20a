// What a head of a causal model attends to, in numbers.
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// Means over the queries that see at least two symbols. Shares are of the weight;
/// `even` is what attention to all alike would give.
struct Share {
    double weight = 0, even = 0;
};
struct HeadStatistics {
    Index layer = 0, head = 0;
    double entropy = 0;   ///< over log of the keys seen: 1 is even
    double distance = 0;  ///< symbols from the query back to what it attends to
    Share itself{}, previous{}, first{};
    Share same{};        ///< an earlier place of the symbol the query stands on
    Share after_same{};  ///< the symbol that followed such a place: what an induction head looks at (Olsson et al. 2022)
    /// The share that is furthest above even:
    /// "previous symbol", ..., or "spread" where none takes a quarter of the weight more than that.
    std::string role() const;
};

/// Shapes  weights [heads, T, T], causal; ids [T].   Errors  ShapeError.
std::vector<HeadStatistics> head_statistics(const Tensor<double>& weights, const std::vector<Index>& ids, Index layer);

}  // namespace gradproof
