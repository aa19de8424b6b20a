// The sizes of heads, checked, and the keys that are seen.
#include "gradproof/ops/weighting.hpp"

#include <cmath>

namespace gradproof {

HeadSizes head_sizes(std::string_view op, const Shape& q, const Shape& k, const Shape& v) {
    const int rank = q.rank();
    if (rank < 2 || k.rank() != rank || v.rank() != rank)
        shape_error("{}: q, k and v must be [..., L, D], [..., S, D] and [..., S, E] of one rank: q is {}, k is {}, v is {}", op,
                    q, k, v);
    if (v.last(1) != k.last(1)) shape_error("{}: k and v differ in length: k is {}, v is {}", op, k, v);
    for (int i = 0; i + 2 < rank; ++i)
        if (k[i] != q[i] || v[i] != q[i])
            shape_error("{}: the axes before the last two differ: q is {}, k is {}, v is {}", op, q, k, v);
    return {.L = q.last(1), .S = k.last(1), .D = q.last(), .F = k.last(), .E = v.last()};
}

HeadSizes matching_head_sizes(std::string_view op, const Shape& q, const Shape& k, const Shape& v) {
    const HeadSizes n = head_sizes(op, q, k, v);
    if (n.D != n.F) shape_error("{}: q and k differ in width: q is {}, k is {} ({} != {})", op, q, k, n.D, n.F);
    return n;
}

double score_scale(std::string_view op, const std::optional<double>& given, Index width) {
    if (given && !std::isfinite(*given)) value_error("{}: scale must be finite: scale is {}", op, *given);
    return given ? *given : 1 / std::sqrt(static_cast<double>(std::max<Index>(width, 1)));
}

SeenKeys seen_keys(const HeadSizes& n, bool causal) {
    if (!causal) return {};
    Tensor<bool> mask({n.L, n.S});
    for (Index i = 0; i < n.L; ++i)
        for (Index j = 0; j < n.S; ++j) mask[i * n.S + j] = j <= i;
    return {mask};
}

}  // namespace gradproof
