// The effect of single attention weights on the answer of a probe of one layer: their gradients, and what the removal of a key
// changes.
//
//   const Tensor<double> w = attention_weights(model, examples.ids);
//   harm_of_removal(model, examples, w);                                   // measured
//   harm_at_first_order(w, weight_gradients(model, examples, w));          // predicted by the gradient
#pragma once

#include <span>

#include "tools/experiments/alternatives.hpp"
#include "tools/experiments/probe.hpp"

namespace gradproof::experiments {

/// Weights with key j removed and the rest normalised again; uniform over the other keys if nothing is left.
Weights without_key(std::span<const double> w, Index j);

/// The gradient of the loss of each input with respect to the weights of position 0.
/// Shapes  w [N, heads, T, T] -> [N, heads, T].   Units  nats.   The model has one layer, W_o and no residual path.
Tensor<double> weight_gradients(Probe& model, const Examples& examples, const Tensor<double>& w);

/// The change of the answer of each input when a key is removed from all heads, as a total variation distance.
/// Shapes  w [N, heads, T, T] -> [N, T].
Tensor<double> harm_of_removal(const Probe& model, const Examples& examples, const Tensor<double>& w);

/// The first-order change of the loss when a key is removed from all heads: |Σ_h g_h · (without_key(w_h, j) - w_h)|.
/// Shapes  w [N, heads, T, T], g [N, heads, T] -> [N, T].
Tensor<double> harm_at_first_order(const Tensor<double>& w, const Tensor<double>& g);

}  // namespace gradproof::experiments
