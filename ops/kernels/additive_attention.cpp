// The kernel of additive attention: heads in parallel, each some queries at a time over rows that stay in the cache.
#include "gradproof/ops/additive_attention.hpp"

#include <algorithm>

#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/ops/kernels/gemm.hpp"
#include "gradproof/ops/kernels/row_loops.hpp"

namespace gradproof {
namespace {

struct AdditiveRows {
    static constexpr KernelInfo info{.op = "additive_attention", .name = "rows"};
    using Attrs = AdditiveAttentionAttrs;

    static bool fits(const Attrs&, const InputShapes& x) {
        const Shape &q = x[0], &k = x[1], &v = x[2];
        const int rank = q.rank();
        if (rank < 2 || k.rank() != rank || v.rank() != rank || !(x[3] == Shape{q.last()}) || k.last() != q.last() ||
            v.last(1) != k.last(1))
            return false;
        for (int i = 0; i + 2 < rank; ++i)
            if (k[i] != q[i] || v[i] != q[i]) return false;
        return true;
    }

    static constexpr Index kRows = 32;  // queries whose products with v are one

    /// One head, and room for what some of its queries make.
    template <class T>
    struct Head {
        Index L, S, A, E;
        bool causal;
        const T *q, *k, *v, *a;
        Tensor<T> units{Shape{S, A}}, sums{Shape{S, A}}, weights{Shape{kRows, S}}, scores{Shape{kRows, S}};
        T *u = units.data(), *dh = sums.data(), *w = weights.data(), *ds = scores.data();

        Index keys(Index i) const { return causal ? std::min(S, i + 1) : S; }
        /// Calls block(first, count, keys) for queries that lie together; the weights of keys that one of them does not see are
        /// 0, and meet what is finite only: else queries go one by one.
        template <class Block>
        void for_blocks(const T* met, Index length, const Block& block) {
            const Index rows = causal && !all_finite(met, length * E) ? 1 : kRows;
            for (Index i = 0; i < L; i += rows) block(i, std::min(rows, L - i), keys(std::min(i + rows, L) - 1));
        }
        /// u = tanh(q_i + k_j), w_i = softmax(u a) of the keys that query i sees, 0 up to key `end`.
        Index weigh(Index i, T* w_i, Index end) {
            const Index n = keys(i);
            for (Index j = 0; j < n; ++j) kernels<T>().add(q + i * A, k + j * A, u + j * A, A);
            kernels<T>().tanh(u, u, n * A);
            gemm(false, false, n, 1, A, T(1), u, A, a, 1, T(0), w_i, 1);
            kernels<T>().softmax(w_i, w_i, 1, n, T(1));
            std::fill(w_i + n, w_i + end, T(0));
            return n;
        }
        void forward(T* y) {
            for_blocks(v, S, [&](Index first, Index count, Index end) {
                for (Index r = 0; r < count; ++r) weigh(first + r, w + r * S, end);
                gemm(false, false, count, E, end, T(1), w, S, v, E, T(0), y + first * E, E);
            });
        }
        /// A null one is left out; da gathers.
        void backward(const T* dy, T* dq, T* dk, T* dv, T* da) {
            const bool scored = dq || dk || da;
            for_blocks(dy, L, [&](Index first, Index count, Index end) {
                // y = w v:  dw = dy vᵀ,  dv = wᵀ dy
                if (scored) gemm(false, true, count, end, E, T(1), dy + first * E, E, v, E, T(0), ds, S);
                for (Index r = 0; r < count; ++r) {
                    const Index n = weigh(first + r, w + r * S, end);
                    if (scored) scores_backward(n, w + r * S, ds + r * S, dq ? dq + (first + r) * A : nullptr, dk, da);
                }
                if (dv) gemm(true, false, end, E, count, T(1), w, S, dy + first * E, E, T(1), dv, E);
            });
        }
        /// Of one query, whose u is there; ds holds dw.
        void scores_backward(Index n, const T* w_i, T* ds_i, T* dq_i, T* dk, T* da) {
            // w = softmax(s):  ds = w * (dw - sum(dw * w))
            kernels<T>().softmax_backward(w_i, ds_i, ds_i, 1, n, T(1));
            // s_j = a·u_j:  da = Σ ds_j u_j,  du_j = ds_j a;   u = tanh(h), h = q_i + k_j:  dh = (1 - u²) du
            if (da) gemm(true, false, A, 1, n, T(1), u, A, ds_i, 1, T(1), da, 1);
            if (!dq_i && !dk) return;
            gemm(false, false, n, A, 1, T(1), ds_i, 1, a, A, T(0), dh, A);
            kernels<T>().tanh_backward(u, dh, dh, n * A);
            if (dq_i) kernels<T>().sum_columns(dh, A, dq_i, n, A);
            if (dk) kernels<T>().add(dk, dh, dk, n * A);
        }
    };

    /// Calls work(head, index) for every head.
    template <class T, class Work>
    static void for_heads(const Attrs& at, const Tensor<T>& q, const Tensor<T>& k, const Tensor<T>& v, const Tensor<T>& a,
                          const Work& work) {
        const Index L = q.shape().last(1), S = k.shape().last(1), A = q.shape().last(), E = v.shape().last();
        parallel_for(heads(q.shape()), task_grain(1 << 17, {L, S, 8 * A + E}), [&](Index begin, Index end) {
            for (Index h = begin; h < end; ++h) {
                Head<T> head{L, S, A, E, at.causal, q.data() + h * L * A, k.data() + h * S * A, v.data() + h * S * E, a.data()};
                work(head, h);
            }
        });
    }
    static Index heads(const Shape& q) {
        Index n = 1;
        for (int i = 0; i + 2 < q.rank(); ++i) n *= q[i];
        return n;
    }

    template <class T>
    static Tensor<T> forward(const Attrs& at, Inputs<T> in, SavedTensors<T>& saved) {
        Shape shape = in[0].shape();
        shape[shape.rank() - 1] = in[2].shape().last();
        Tensor<T> y(shape);
        for_heads(at, in[0], in[1], in[2], in[3],
                  [to = y.data()](Head<T>& head, Index h) { head.forward(to + h * head.L * head.E); });
        saved["q"] = in[0], saved["k"] = in[1], saved["v"] = in[2], saved["a"] = in[3];
        return y;
    }

    template <class T>
    static void backward(const Attrs& at, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&q = saved["q"], &k = saved["k"], &v = saved["v"], &a = saved["a"];
        const Index count = heads(q.shape());
        const auto wanted = [&](int i, const Shape& shape) { return dx.needs(i) ? zeros<T>(shape) : Tensor<T>(); };
        Tensor<T> dq = wanted(0, q.shape()), dk = wanted(1, k.shape()), dv = wanted(2, v.shape());
        Tensor<T> da = wanted(3, {count, a.size()});  // of each head
        for_heads(at, q, k, v, a, [&](Head<T>& head, Index h) {
            const auto part = [&](Tensor<T>& g) { return g.defined() ? g.data() + g.size() / count * h : nullptr; };
            head.backward(dy.data() + h * head.L * head.E, part(dq), part(dk), part(dv), part(da));
        });
        int i = 0;
        for (Tensor<T>* g : {&dq, &dk, &dv, &da}) {
            if (g->defined()) dx.add(i, std::move(*g));
            ++i;
        }
    }
};

}  // namespace

GRADPROOF_KERNEL(AdditiveRows, float, double);

}  // namespace gradproof
