// The experiments: each file in this folder that defines one of these holds one.
#pragma once

#include "tools/experiments/experiment.hpp"

namespace gradproof::experiments {

Result run_patterns(const Context&);
Result run_ablations(const Context&);
Result run_variance(const Context&);
Result run_gradient_flow(const Context&);
Result run_cost(const Context&);
Result run_permutation(const Context&);
Result run_copy(const Context&);
Result run_weights(const Context&);
Result run_clusters(const Context&);
Result run_pruning(const Context&);
Result run_entropy(const Context&);
Result run_random_patterns(const Context&);
Result run_pitfalls(const Context&);
Result run_interpretability(const Context&);

}  // namespace gradproof::experiments
