// Matrix product of tensors: batched, broadcast, with transpose flags and NumPy's vector cases.
//
//   matmul(q, k, {.transpose_b = true});     // q [B, H, L, D], k [B, H, S, D] -> [B, H, L, S]
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct MatmulAttrs {
    bool transpose_a = false;  ///< a is stored as [..., K, M]
    bool transpose_b = false;  ///< b is stored as [..., N, K]
    static void fields(auto& a, auto&& f) {
        f("transpose_a", a.transpose_a);
        f("transpose_b", a.transpose_b);
    }
};

/// Matrix product over the last two axes; the axes before them broadcast.
/// Shapes  a [..., M, K], b [..., K, N] -> y [..., M, N]. A vector a [K] is a row and a vector b [K] a column, whose axis
///         is left out of y: [K] x [K] -> scalar. K = 0 gives zeros.
/// Errors  ShapeError for a scalar, inner sizes that differ, batch axes that do not broadcast; ValueError for a transpose
///         flag on a vector.
template <Operand X>
X matmul(const X& a, const X& b, const MatmulAttrs& attrs = {});

}  // namespace gradproof
