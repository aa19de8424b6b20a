// What a layer of self-attention costs, counted: how each part of it grows with the number of words.
//
//   const AttentionCost ten = attention_cost(10, 512, 8), hundred = attention_cost(100, 512, 8);
//   hundred.weights / ten.weights;                      // 100
//   hundred.multiplications() / ten.multiplications();  // 10.9
#pragma once

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// Of L words and C channels in H heads. The backward has two products of matrices for each one of the forward, and so twice
/// its multiplications.
struct AttentionCost {
    double parameters = 0;  ///< of the projections to queries, keys and values and of the output's, 4 C²
    double entries = 0;     ///< of queries, keys, values and output, 4 L C
    double weights = 0;     ///< and as many scores, H L²
    double projecting = 0;  ///< multiplications of the four projections, 4 L C²
    double attending = 0;   ///< those of the scores and of the weighted sums, 2 L² C
    double multiplications() const { return projecting + attending; }
};

/// Errors  ValueError for sizes below 1.
AttentionCost attention_cost(Index words, Index channels, Index heads);

}  // namespace gradproof
