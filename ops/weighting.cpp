// The sizes of heads, checked.
#include "gradproof/ops/weighting.hpp"

namespace gradproof {

HeadSizes head_sizes(std::string_view op, const Shape& q, const Shape& k, const Shape& v, bool causal) {
    const int rank = q.rank();
    if (rank < 2 || k.rank() != rank || v.rank() != rank)
        shape_error("{}: q, k and v must be [..., L, D], [..., S, D] and [..., S, E] of one rank: q is {}, k is {}, v is {}", op,
                    q, k, v);
    HeadSizes n{.L = q.last(1), .S = k.last(1), .D = q.last(), .F = k.last(), .E = v.last(), .causal = causal};
    if (v.last(1) != n.S) shape_error("{}: k and v differ in length: k is {}, v is {}", op, k, v);
    for (int i = 0; i + 2 < rank; ++i) {
        if (k[i] != q[i] || v[i] != q[i])
            shape_error("{}: the axes before the last two differ: q is {}, k is {}, v is {}", op, q, k, v);
        n.lead.push_back(q[i]);
    }
    n.heads = n.lead.size();
    return n;
}

HeadSizes matching_head_sizes(std::string_view op, const Shape& q, const Shape& k, const Shape& v, bool causal) {
    HeadSizes n = head_sizes(op, q, k, v, causal);
    if (n.D != n.F) shape_error("{}: q and k differ in width: q is {}, k is {} ({} != {})", op, q, k, n.D, n.F);
    return n;
}

}  // namespace gradproof
