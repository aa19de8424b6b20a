// One head inside the tensors of an attention call, and the loop over heads that every kernel runs.
#pragma once

#include <algorithm>
#include <functional>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/ops/attention_plan.hpp"

namespace gradproof {

/// The rows of one head, [length, width], inside a larger tensor.
template <class T>
struct HeadRows {
    T* data = nullptr;
    Index stride = 0;
    T* operator[](Index i) const { return data + i * stride; }
};

/// Head h of batch entry b in [B, H, length, width], or in [B, length, H width]; no rows if the tensor is undefined.
template <class T, class TensorT>
HeadRows<T> head_rows(TensorT& x, bool packed, Index heads, Index b, Index h, Index width) {
    if (!x.defined()) return {};
    const Index length = packed ? x.dim(1) : x.dim(2);
    if (packed) return {x.data() + (b * length * heads + h) * width, heads * width};
    return {x.data() + (b * heads + h) * length * width, width};
}

/// Multiply-adds that are worth a task of their own: some tens of microseconds.
inline constexpr double kAttentionTaskWork = 1 << 17;
/// How many loops of `queries` over `keys` make one; of empty axes the product can be more than an Index holds.
inline Index attention_grain(const AttentionPlan& plan, Index queries) {
    const double work = static_cast<double>(queries) * static_cast<double>(plan.longest()) * static_cast<double>(plan.D + plan.E);
    return std::max<Index>(1, static_cast<Index>(kAttentionTaskWork / std::max(work, 1.0)));
}

/// Calls task(begin, end) on ranges of key heads that cover [0, B Hk), in parallel where there is work for it; head n is head
/// n % Hk of batch entry n / Hk. One task owns all query heads that share a key head: dk and dv are summed in a fixed order,
/// and no result depends on the number of threads.
template <class Task>
void for_key_heads(const AttentionPlan& plan, const Task& task) {
    parallel_for(plan.B * plan.Hk, attention_grain(plan, plan.group() * plan.L),
                 std::cref(task));  // by reference: nothing is allocated
}

}  // namespace gradproof
