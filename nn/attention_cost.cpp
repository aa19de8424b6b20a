// The cost of a layer of self-attention.
#include "gradproof/nn/attention_cost.hpp"

#include "gradproof/core/errors.hpp"

namespace gradproof {

AttentionCost attention_cost(Index words, Index channels, Index heads) {
    if (words < 1 || channels < 1 || heads < 1)
        value_error("attention_cost: sizes must be at least 1: words is {}, channels is {}, heads is {}", words, channels, heads);
    const double n = static_cast<double>(words), d = static_cast<double>(channels), h = static_cast<double>(heads);
    return {.parameters = 4 * d * d,
            .entries = 4 * n * d,
            .weights = h * n * n,
            .projecting = 4 * n * d * d,
            .attending = 2 * n * n * d};
}

}  // namespace gradproof
