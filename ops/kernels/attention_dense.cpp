// Attention without masks as small matrix products and softmax rows, one head at a time.
#include "ops/kernels/attention_dense.hpp"

#include "ops/kernels/attention_heads.hpp"
#include "ops/kernels/kernels.hpp"

namespace gradproof {
namespace {

/// to [width, length] = from [length, width]ᵀ
template <class T>
void transpose(Rows<const T> from, Index length, Index width, T* to) {
    for (Index j = 0; j < length; ++j)
        for (Index d = 0; d < width; ++d) to[d * length + j] = from[j][d];
}

// Each step is done for all heads of a task before the next, and none in place: a row shorter than a vector is stored under a
// lane mask, and a load that follows such a store nearby waits for it (in place, AVX-512 took twice as long as AVX2).
// Query head m of all is head m % Hq of batch entry m / Hq, and uses key head m / group of all.

template <class T>
void forward(const AttentionPlan& p, const AttentionOperands<T>& x, Tensor<T>& y, Tensor<T>& weights) {
    const Kernels<T>& run = kernels<T>();
    const Index L = p.L, S = p.S, D = p.D, E = p.E, group = p.group();
    for_key_heads(p, [&](Index begin, Index end) {
        Tensor<T> kt({D, S}), scores({(end - begin) * group, L, S});
        T* const w = weights.data() + begin * group * L * S;
        for (Index m = begin * group; m < end * group; ++m) {  // s = scale q kᵀ
            if (m % group == 0) transpose(head_rows<const T>(x.k, p.packed, p.Hk, m / p.Hq, m % p.Hq / group, D), S, D, kt.data());
            const auto q = head_rows<const T>(x.q, p.packed, p.Hq, m / p.Hq, m % p.Hq, D);
            run.multiply(L, S, D, T(p.scale), q.data, q.stride, 1, kt.data(), S, scores.data() + (m - begin * group) * L * S, S);
        }
        run.softmax(scores.data(), w, (end - begin) * group * L, S, T(1));  // w = softmax(s)
        for (Index m = begin * group; m < end * group; ++m) {   // y = w v
            const auto v = head_rows<const T>(x.v, p.packed, p.Hk, m / p.Hq, m % p.Hq / group, E);
            const auto y_m = head_rows<T>(y, p.packed, p.Hq, m / p.Hq, m % p.Hq, E);
            run.multiply(L, E, S, T(1), w + (m - begin * group) * L * S, S, 1, v.data, v.stride, y_m.data, y_m.stride);
        }
    });
}

/// ds of the query heads [begin, end) of all.
template <class T>
void score_gradients(const AttentionPlan& p, const AttentionOperands<T>& x, const T* w, const Tensor<T>& dy, Index begin, Index end, T* ds) {
    const Kernels<T>& run = kernels<T>();
    const Index L = p.L, S = p.S, E = p.E, group = p.group();
    Tensor<T> vt({E, S}), dw({end - begin, L, S});
    for (Index m = begin; m < end; ++m) {  // y = w v:  dw = dy vᵀ
        if (m % group == 0) transpose(head_rows<const T>(x.v, p.packed, p.Hk, m / p.Hq, m % p.Hq / group, E), S, E, vt.data());
        const auto dy_m = head_rows<const T>(dy, p.packed, p.Hq, m / p.Hq, m % p.Hq, E);
        run.multiply(L, S, E, T(1), dy_m.data, dy_m.stride, 1, vt.data(), S, dw.data() + (m - begin) * L * S, S);
    }
    run.softmax_backward(w, dw.data(), ds, (end - begin) * L, S, T(1));  // w = softmax(s):  ds = w (dw - rowsum(dw w))
}

template <class T>
void backward(const AttentionPlan& p, const AttentionOperands<T>& x, const Tensor<T>& weights, const Tensor<T>& dy, AttentionOperands<T>& dx) {
    const Kernels<T>& run = kernels<T>();
    const Index L = p.L, S = p.S, D = p.D, E = p.E, group = p.group();
    const bool needs_scores = dx.q.defined() || dx.k.defined();
    for_key_heads(p, [&](Index begin, Index end) {
        const T* w = weights.data() + begin * group * L * S;
        Tensor<T> scores({needs_scores ? (end - begin) * group * L * S : 0});
        T* ds = scores.data();
        if (needs_scores) score_gradients(p, x, w, dy, begin * group, end * group, ds);
        for (Index m = begin * group; m < end * group; ++m, w += L * S, ds += L * S) {
            const Index b = m / p.Hq, h = m % p.Hq, hk = h / group;
            // The first query head of a group writes dk and dv, the others add.
            const auto multiply = m % group == 0 ? run.multiply : run.multiply_add;
            if (dx.v.defined()) {  // y = w v:  dv = wᵀ dy
                const auto dy_m = head_rows<const T>(dy, p.packed, p.Hq, b, h, E);
                const auto dv = head_rows<T>(dx.v, p.packed, p.Hk, b, hk, E);
                multiply(S, E, L, T(1), w, 1, S, dy_m.data, dy_m.stride, dv.data, dv.stride);
            }
            if (dx.q.defined()) {  // s = scale q kᵀ:  dq = scale ds k
                const auto k = head_rows<const T>(x.k, p.packed, p.Hk, b, hk, D);
                const auto dq = head_rows<T>(dx.q, p.packed, p.Hq, b, h, D);
                run.multiply(L, D, S, T(p.scale), ds, S, 1, k.data, k.stride, dq.data, dq.stride);
            }
            if (dx.k.defined()) {  //                    dk = scale dsᵀ q
                const auto q = head_rows<const T>(x.q, p.packed, p.Hq, b, h, D);
                const auto dk = head_rows<T>(dx.k, p.packed, p.Hk, b, hk, D);
                multiply(S, D, L, T(p.scale), ds, 1, S, q.data, q.stride, dk.data, dk.stride);
            }
        }
    });
}

}  // namespace

template <Scalar T>
bool attention_is_dense(const AttentionPlan& p, const AttentionOperands<T>& x) {
    const bool every_key = !p.causal && p.window_left < 0 && p.window_right < 0 && !p.kv_len.defined() && !p.bool_mask.defined() && !x.mask.defined();
    return use_kernels<T>() && p.kernel == AttentionKernel::auto_ && every_key && p.softcap == 0 && !x.past_key.defined() && p.group() > 0;
}

template <Scalar T>
void attention_dense_forward(const AttentionPlan& plan, const AttentionOperands<T>& x, Tensor<T>& y, Tensor<T>& weights) {
    if constexpr (has_kernels<T>) forward(plan, x, y, weights);
}

template <Scalar T>
void attention_dense_backward(const AttentionPlan& plan, const AttentionOperands<T>& x, const Tensor<T>& weights, const Tensor<T>& dy,
                              AttentionOperands<T>& dx) {
    if constexpr (has_kernels<T>) backward(plan, x, weights, dy, dx);
}

#define GRADPROOF_ATTENTION(T)                                                                                               \
    template bool attention_is_dense(const AttentionPlan&, const AttentionOperands<T>&);                                     \
    template void attention_dense_forward(const AttentionPlan&, const AttentionOperands<T>&, Tensor<T>&, Tensor<T>&);        \
    template void attention_dense_backward(const AttentionPlan&, const AttentionOperands<T>&, const Tensor<T>&, const Tensor<T>&, \
                                           AttentionOperands<T>&);
GRADPROOF_ATTENTION(float)
GRADPROOF_ATTENTION(double)
GRADPROOF_ATTENTION(Dual<double>)
#undef GRADPROOF_ATTENTION

}  // namespace gradproof
