// Cross-entropy of scores against class ids or target distributions.
#pragma once

#include <optional>

#include "gradproof/core/registry.hpp"
#include "gradproof/ops/reduction.hpp"

namespace gradproof {

struct CrossEntropyAttrs {
    Tensor<Index> ids{};                  ///< the right class of each row; undefined where targets are given
    std::optional<Index> ignore_index{};  ///< rows with this id are left out
    Reduction reduction = Reduction::mean;
    static void fields(auto& a, auto&& f) {
        f("ids", a.ids);
        f("ignore_index", a.ignore_index);
        f("reduction", a.reduction);
    }
};

/// Cross-entropy of scores (before the softmax), from class ids or from target distributions.
/// Shapes  scores [..., V], ids [...] or targets [..., V] -> y [] (mean, sum) or [...] (none).
/// Units   y in nats.
/// Errors  ShapeError for shapes that disagree; ValueError for an id outside [0, V), for both or neither kind of target.
///         A row of only -inf has loss +inf and zero gradients. A score of -inf whose target is 0 adds 0, and its target has zero
///         gradient.
template <Operand X>
X cross_entropy(const X& scores, const CrossEntropyAttrs& attrs = {});
template <Operand X>
X cross_entropy(const X& scores, const X& targets, const CrossEntropyAttrs& attrs = {});

}  // namespace gradproof
