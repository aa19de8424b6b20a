// Loops over two operands that broadcast, without copying either.
//
//   for_each_broadcast(y.shape(), a.shape(), b.shape(), [=](Index o, Index i, Index j) { out[o] = x[i] + z[j]; });
#pragma once

#include <array>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/shape.hpp"

namespace gradproof {

/// Two operands laid over an output, as nested loops from the innermost out; axes that step alike are merged into one.
struct BroadcastLoops {
    int depth = 0;
    std::array<Index, kMaxRank> dims{}, a{}, b{};  // sizes, and strides of either operand: 0 along its broadcast axes
};

inline BroadcastLoops broadcast_loops(const Shape& out, const Shape& a, const Shape& b) {
    BroadcastLoops loops;
    Index step_a = 1, step_b = 1;
    for (int from_end = 0; from_end < out.rank(); ++from_end) {
        const Index dim = out.last(from_end);
        const Index dim_a = from_end < a.rank() ? a.last(from_end) : 1;
        const Index dim_b = from_end < b.rank() ? b.last(from_end) : 1;
        const Index stride_a = dim_a == 1 ? 0 : step_a, stride_b = dim_b == 1 ? 0 : step_b;
        step_a *= dim_a;
        step_b *= dim_b;
        if (dim == 1) continue;
        const auto last = static_cast<std::size_t>(loops.depth - 1), next = static_cast<std::size_t>(loops.depth);
        if (loops.depth > 0 && stride_a == loops.a[last] * loops.dims[last] && stride_b == loops.b[last] * loops.dims[last]) {
            loops.dims[last] *= dim;
            continue;
        }
        loops.dims[next] = dim;
        loops.a[next] = stride_a;
        loops.b[next] = stride_b;
        ++loops.depth;
    }
    if (loops.depth == 0) {
        loops.dims[0] = 1;
        loops.depth = 1;
    }
    return loops;
}

/// Calls at(o, i, j) once for each element o of `out`, in parallel; i and j are where it reads in a and in b, which broadcast to
/// `out`.
template <class At>
void for_each_broadcast(const Shape& out, const Shape& a, const Shape& b, At at) {
    const Index size = out.size();
    if (size == 0) return;
    const BroadcastLoops loops = broadcast_loops(out, a, b);
    const Index n = loops.dims[0];
    const bool step_a = loops.a[0] != 0, step_b = loops.b[0] != 0;
    parallel_for(size / n, row_grain(n), [&, at](Index begin, Index end) {
        const At each = at;  // in registers: what is written cannot be what it holds
        std::array<Index, kMaxRank> index{};
        Index i = 0, j = 0, rest = begin;
        for (int d = 1; d < loops.depth; ++d) {
            const auto g = static_cast<std::size_t>(d);
            index[g] = rest % loops.dims[g];
            rest /= loops.dims[g];
            i += index[g] * loops.a[g];
            j += index[g] * loops.b[g];
        }
        for (Index o = begin * n; o < end * n; o += n) {
            // One loop for each way to step, so that each can be vectorised.
            if (step_a && step_b)
                for (Index k = 0; k < n; ++k) each(o + k, i + k, j + k);
            else if (step_a)
                for (Index k = 0; k < n; ++k) each(o + k, i + k, j);
            else if (step_b)
                for (Index k = 0; k < n; ++k) each(o + k, i, j + k);
            else
                for (Index k = 0; k < n; ++k) each(o + k, i, j);
            for (int d = 1; d < loops.depth; ++d) {
                const auto g = static_cast<std::size_t>(d);
                i += loops.a[g];
                j += loops.b[g];
                if (++index[g] < loops.dims[g]) break;
                index[g] = 0;
                i -= loops.a[g] * loops.dims[g];
                j -= loops.b[g] * loops.dims[g];
            }
        }
    });
}

}  // namespace gradproof
