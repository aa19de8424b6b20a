// Statistics of what a head attends to.
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// A share of the attention weight, and the share that uniform attention would give.
struct Share {
    double weight = 0, even = 0;
};
/// Which symbols a query may see.
enum class Keys {
    up_to_query,  ///< those before it and itself: causal attention
    all,
};
/// Means over the queries that see at least two symbols.
struct HeadStatistics {
    Index layer = 0, head = 0;
    double entropy = 0;   ///< divided by the log of the number of keys seen: 1 is uniform
    double distance = 0;  ///< mean number of symbols from the query to the key
    Share itself{}, previous{}, next{}, first{};
    Share same{};        ///< other occurrences of the query's symbol
    Share after_same{};  ///< the symbols that follow them: what an induction head attends to (Olsson et al. 2022)
    /// The share that is furthest above uniform attention, as "previous symbol"; "spread" if none is above it by a quarter of the
    /// weight.
    std::string role() const;
};

/// Shapes  weights [heads, T, T]; ids [T].   Errors  ShapeError.
std::vector<HeadStatistics> head_statistics(const Tensor<double>& weights, const std::vector<Index>& ids, Index layer,
                                            Keys keys = Keys::up_to_query);

}  // namespace gradproof
