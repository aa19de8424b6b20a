// The reference kernel of attention: one query at a time, over the keys it may attend to.
#include "gradproof/ops/kernels/attention_reference.hpp"

#include "gradproof/ops/kernels/attention_heads.hpp"

namespace gradproof {
namespace {

/// The keys, or the values, of one head: those of the past first.
template <class T>
struct CachedRows {
    HeadRows<T> past, now;
    Index past_length = 0;
    T* operator[](Index j) const { return j < past_length ? past[j] : now[j - past_length]; }
};

/// Σ a b, in lanes that the compiler turns into vector registers; their sums round no worse than one running sum.
template <class T>
T dot(const T* a, const T* b, Index n) {
    constexpr Index kLanes = is_dual<T> ? 1 : Index{32 / sizeof(T)};
    T lane[kLanes] = {};
    Index d = 0;
    for (; d + kLanes <= n; d += kLanes)
        for (Index l = 0; l < kLanes; ++l) lane[l] += a[d + l] * b[d + l];
    for (; d < n; ++d) lane[0] += a[d] * b[d];
    for (Index l = 1; l < kLanes; ++l) lane[0] += lane[l];
    return lane[0];
}

/// y += a x
template <class T>
void add_scaled(T* __restrict y, T a, const T* __restrict x, Index n) {
    for (Index d = 0; d < n; ++d) y[d] += a * x[d];
}

template <class T>
struct Kernel {
    const AttentionPlan& plan;
    const AttentionOperands<T>& x;
    const T* mask = x.mask.defined() ? x.mask.data() : nullptr;
    const T scale = T(plan.scale);
    const T cap = T(plan.softcap);
    const bool capped = plan.softcap > 0;

    CachedRows<const T> cached(const Tensor<T>& past, const Tensor<T>& now, Index b, Index hk, Index width) const {
        return {head_rows<const T>(past, false, plan.Hk, b, hk, width),
                head_rows<const T>(now, plan.packed, plan.Hk, b, hk, width), plan.P};
    }
    CachedRows<T> cached(Tensor<T>& past, Tensor<T>& now, Index b, Index hk, Index width) const {
        return {head_rows<T>(past, false, plan.Hk, b, hk, width), head_rows<T>(now, plan.packed, plan.Hk, b, hk, width), plan.P};
    }

    /// s = scale q k, s = c tanh(s / c): the score before the mask.
    T score(const T* q, const T* k) const {
        const T s = scale * dot(q, k, plan.D);
        return capped ? cap * tanh(s / cap) : s;
    }

    void forward(Index b, Index h, Tensor<T>& y, Tensor<T>& weights, Tensor<T>* log_sum_exp, Index* keys) const;
    void backward(Index b, Index h, const Tensor<T>& weights, const Tensor<T>& dy, AttentionOperands<T>& dx, Index* keys,
                  T* ds) const;
};

template <class T>
void Kernel<T>::forward(Index b, Index h, Tensor<T>& y, Tensor<T>& weights, Tensor<T>* log_sum_exp, Index* keys) const {
    const Index hk = h / plan.group(), E = plan.E;
    const auto q = head_rows<const T>(x.q, plan.packed, plan.Hq, b, h, plan.D);
    const auto k = cached(x.past_key, x.k, b, hk, plan.D);
    const auto v = cached(x.past_value, x.v, b, hk, E);
    const auto y_rows = head_rows<T>(y, plan.packed, plan.Hq, b, h, E);
    const auto w_rows = head_rows<T>(weights, false, plan.Hq, b, h, plan.keys());
    for (Index i = 0; i < plan.L; ++i) {
        const Index n = allowed_keys(plan, mask, b, h, i, keys);
        T* w = w_rows[i];
        T* y_i = y_rows[i];
        std::fill(y_i, y_i + E, T(0));

        // s = softcap(scale q kᵀ) + mask;  m = max(s)
        T m = -std::numeric_limits<T>::infinity();
        for (Index a = 0; a < n; ++a) {
            const Index j = keys[a];
            w[j] = score(q[i], k[j]);
            if (mask) w[j] += mask[plan.mask_layout.at(b, h, i, j)];
            m = max(w[j], m);
        }
        // A row whose scores are all -inf is as one without keys, as in softmax: shifted by 0, all its weights are 0.
        m = where(primal(m) == -std::numeric_limits<base_t<T>>::infinity(), T(0), m);

        // w = exp(s - m) / sum(exp(s - m));  y = w v
        T sum = T(0);
        for (Index a = 0; a < n; ++a) {
            const Index j = keys[a];
            w[j] = exp(w[j] - m);
            sum += w[j];
        }
        if (log_sum_exp) (*log_sum_exp)[(b * plan.Hq + h) * plan.L + i] = m + log(sum);
        if (primal(sum) == 0) continue;
        for (Index a = 0; a < n; ++a) {
            const Index j = keys[a];
            w[j] = w[j] / sum;
            add_scaled(y_i, w[j], v[j], E);
        }
    }
}

template <class T>
void Kernel<T>::backward(Index b, Index h, const Tensor<T>& weights, const Tensor<T>& dy, AttentionOperands<T>& dx, Index* keys,
                         T* ds) const {
    const Index hk = h / plan.group(), D = plan.D, E = plan.E;
    const auto q = head_rows<const T>(x.q, plan.packed, plan.Hq, b, h, D);
    const auto k = cached(x.past_key, x.k, b, hk, D);
    const auto v = cached(x.past_value, x.v, b, hk, E);
    const auto dy_rows = head_rows<const T>(dy, plan.packed, plan.Hq, b, h, E);
    const auto w_rows = head_rows<const T>(weights, false, plan.Hq, b, h, plan.keys());
    const auto dq = head_rows<T>(dx.q, plan.packed, plan.Hq, b, h, D);
    const auto dk = cached(dx.past_key, dx.k, b, hk, D);
    const auto dv = cached(dx.past_value, dx.v, b, hk, E);
    const auto dmask = head_rows<T>(dx.mask, false, plan.Hq, b, h, plan.mask_layout.columns);
    for (Index i = 0; i < plan.L; ++i) {
        const Index n = allowed_keys(plan, mask, b, h, i, keys);
        const T* w = w_rows[i];
        const T* dy_i = dy_rows[i];

        // y = w v:  dv = wᵀ dy,  dw = dy vᵀ
        T inner = T(0);
        for (Index a = 0; a < n; ++a) {
            const Index j = keys[a];
            if (T* dv_j = dv[j]) add_scaled(dv_j, w[j], dy_i, E);  // null where nobody needs it
            ds[a] = dot(dy_i, v[j], E);
            inner += ds[a] * w[j];
        }
        // w = softmax(s):  ds = w (dw - sum(dw w));  s = .. + mask:  dmask = ds
        for (Index a = 0; a < n; ++a) {
            const Index j = keys[a];
            ds[a] = w[j] * (ds[a] - inner);
            if (dmask.data) dmask[i][j] = ds[a];
        }
        // s = c tanh(u / c):  du = ds (1 - (s / c)²);  u = scale q kᵀ:  dq = scale du k,  dk = scale duᵀ q
        for (Index a = 0; a < n; ++a) {
            const Index j = keys[a];
            T du = scale * ds[a];
            if (capped) {
                const T s = score(q[i], k[j]) / cap;
                du = du * (T(1) - s * s);
            }
            if (dq.data) add_scaled(dq[i], du, k[j], D);
            if (T* dk_j = dk[j]) add_scaled(dk_j, du, q[i], D);
        }
    }
}

/// Calls head(b, h, keys, row) for every query head, those that share a key head one after the other.
template <class T, class Head>
void for_heads(const AttentionPlan& plan, const Head& head) {
    for_key_heads(plan, [&](Index begin, Index end) {
        Tensor<Index> keys({plan.keys()});
        Tensor<T> row({plan.keys()});
        for (Index n = begin * plan.group(); n < end * plan.group(); ++n) head(n / plan.Hq, n % plan.Hq, keys.data(), row.data());
    });
}

}  // namespace

template <Scalar T>
void attention_reference_forward(const AttentionPlan& plan, const AttentionOperands<T>& x, Tensor<T>& y, Tensor<T>& weights,
                                 Tensor<T>* log_sum_exp) {
    const Kernel<T> kernel{plan, x};
    for_heads<T>(plan, [&](Index b, Index h, Index* keys, T*) { kernel.forward(b, h, y, weights, log_sum_exp, keys); });
}

template <Scalar T>
void attention_reference_backward(const AttentionPlan& plan, const AttentionOperands<T>& x, const Tensor<T>& weights,
                                  const Tensor<T>& dy, AttentionOperands<T>& dx) {
    for (Tensor<T>* g : {&dx.q, &dx.k, &dx.v, &dx.mask, &dx.past_key, &dx.past_value})
        if (g->defined()) g->fill(T(0));
    const Kernel<T> kernel{plan, x};
    for_heads<T>(plan, [&](Index b, Index h, Index* keys, T* row) { kernel.backward(b, h, weights, dy, dx, keys, row); });
}

#define GRADPROOF_ATTENTION(T)                                                                                           \
    template void attention_reference_forward(const AttentionPlan&, const AttentionOperands<T>&, Tensor<T>&, Tensor<T>&, \
                                              Tensor<T>*);                                                               \
    template void attention_reference_backward(const AttentionPlan&, const AttentionOperands<T>&, const Tensor<T>&,      \
                                               const Tensor<T>&, AttentionOperands<T>&);
GRADPROOF_FOR_SCALARS(GRADPROOF_ATTENTION)
#undef GRADPROOF_ATTENTION

}  // namespace gradproof
