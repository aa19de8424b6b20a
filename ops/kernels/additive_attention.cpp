// The kernel of additive attention: heads in parallel, each a query at a time over rows that stay in the cache.
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

    /// One head, and room for what one of its queries makes.
    template <class T>
    struct Head {
        Index L, S, A, E;
        bool causal;
        const T *q, *k, *v, *a;
        Tensor<T> units{Shape{S, A}}, sums{Shape{S, A}}, weights{Shape{S}}, scores{Shape{S}};
        T *u = units.data(), *dh = sums.data(), *w = weights.data(), *ds = scores.data();

        Index keys(Index i) const { return causal ? std::min(S, i + 1) : S; }
        /// u = tanh(q_i + k_j), w = softmax(u a) of the n keys that query i sees.
        void weigh(Index i, Index n) {
            for (Index j = 0; j < n; ++j) kernels<T>().add(q + i * A, k + j * A, u + j * A, A);
            kernels<T>().tanh(u, u, n * A);
            gemm(false, false, n, 1, A, T(1), u, A, a, 1, T(0), w, 1, true);
            kernels<T>().softmax(w, w, 1, n, T(1));
        }
        void forward(T* y) {
            for (Index i = 0; i < L; ++i) {
                const Index n = keys(i);
                weigh(i, n);
                gemm(false, false, 1, E, n, T(1), w, n, v, E, T(0), y + i * E, E, true);
            }
        }
        /// A null one is left out; da gathers.
        void backward(const T* dy, T* dq, T* dk, T* dv, T* da) {
            for (Index i = 0; i < L; ++i, dy += E) {
                const Index n = keys(i);
                weigh(i, n);
                // y = w v:  dv = wᵀ dy,  dw = dy vᵀ;   w = softmax(s):  ds = w * (dw - sum(dw * w))
                if (dv) gemm(true, false, n, E, 1, T(1), w, n, dy, E, T(1), dv, E, true);
                if (!dq && !dk && !da) continue;
                gemm(false, true, 1, n, E, T(1), dy, E, v, E, T(0), ds, n, true);
                kernels<T>().softmax_backward(w, ds, ds, 1, n, T(1));
                // s_j = a·u_j:  da = Σ ds_j u_j,  du_j = ds_j a;   u = tanh(h), h = q_i + k_j:  dh = (1 - u²) du
                if (da) gemm(true, false, A, 1, n, T(1), u, A, ds, 1, T(1), da, 1, true);
                if (!dq && !dk) continue;
                gemm(false, false, n, A, 1, T(1), ds, 1, a, A, T(0), dh, A, true);
                kernels<T>().tanh_backward(u, dh, dh, n * A);
                if (dq) kernels<T>().sum_columns(dh, A, dq + i * A, n, A);
                if (dk) kernels<T>().add(dk, dh, dk, n * A);
            }
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
