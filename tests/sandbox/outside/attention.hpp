// Attention with a bias and slips of its backward.
#pragma once

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "page.hpp"

namespace {

using namespace gradproof;

/// y = softmax(q kᵀ / sqrt(D) + bias) v, the bias [L, S] that of every entry of the batch
struct BiasedAttention {
    static constexpr std::array kNames{"my_biased_attention",
                                       "attention_forgets_scale_in_dk",
                                       "attention_forgets_bias",               // weights worked out again without it
                                       "attention_keeps_first_of_batch",       // dbias
                                       "attention_lacks_row_term",             // ds = w dw
                                       "attention_takes_scores_for_weights"};  // dv = sᵀ dy
    static constexpr std::string_view kInputs = "q k v bias", kSaves = "q k v bias";
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> q, k, v, bias;
        static void fields(auto& s, auto&& f) {
            f("q", s.q);
            f("k", s.k);
            f("v", s.v);
            f("bias", s.bias);
        }
    };
    struct Sizes {
        Index batch, l, s, d, e;
        double scale() const { return 1 / std::sqrt(static_cast<double>(d)); }
    };
    template <Scalar T>
    static Sizes sizes(const Saved<T>& x) {
        return {x.q.dim(0), x.q.dim(1), x.k.dim(1), x.q.dim(2), x.v.dim(2)};
    }
    /// The scores and the weights of query i.
    template <Scalar T>
    static std::pair<std::vector<T>, std::vector<T>> row(const Saved<T>& x, Index b, Index i, bool biased) {
        const Sizes n = sizes(x);
        std::vector<T> s, w;
        T sum(0);
        for (Index j = 0; j < n.s; ++j) {
            T score(0);
            for (Index d = 0; d < n.d; ++d) score += x.q[(b * n.l + i) * n.d + d] * x.k[(b * n.s + j) * n.d + d];
            score = score * T(n.scale()) + (biased ? x.bias[i * n.s + j] : T(0));
            s.push_back(score);
        }
        T top = s[0];
        for (const T& score : s) top = where(score > top, score, top);
        for (const T& score : s) sum += w.emplace_back(exp_of(score - top));
        for (T& weight : w) weight = weight / sum;
        return {s, w};
    }
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        saved = {in[0], in[1], in[2], in[3]};
        const Sizes n = sizes(saved);
        Tensor<T> y = zeros<T>({n.batch, n.l, n.e});
        for (Index b = 0; b < n.batch; ++b)
            for (Index i = 0; i < n.l; ++i) {
                const std::vector<T> w = row(saved, b, i, true).second;
                for (Index j = 0; j < n.s; ++j)
                    for (Index e = 0; e < n.e; ++e)
                        y[(b * n.l + i) * n.e + e] += w[static_cast<std::size_t>(j)] * in[2][(b * n.s + j) * n.e + e];
            }
        return y;
    }
    template <Scalar T>
    static void backward(int slip, const Attrs&, const Saved<T>& x, const Tensor<T>& dy, Cotangents<T> dx) {
        const Sizes n = sizes(x);
        Tensor<T> dq = zeros<T>(x.q.shape()), dk = zeros<T>(x.k.shape()), dv = zeros<T>(x.v.shape()),
                  dbias = zeros<T>(x.bias.shape());
        for (Index b = 0; b < n.batch; ++b)
            for (Index i = 0; i < n.l; ++i) {
                const auto [s, w] = row(x, b, i, slip != 2);
                std::vector<T> dw(w.size(), T(0));
                T sum(0);
                for (Index j = 0; j < n.s; ++j) {
                    const auto at = static_cast<std::size_t>(j);
                    for (Index e = 0; e < n.e; ++e) {
                        const T& d = dy[(b * n.l + i) * n.e + e];
                        dw[at] += d * x.v[(b * n.s + j) * n.e + e];
                        dv[(b * n.s + j) * n.e + e] += (slip == 5 ? s[at] : w[at]) * d;
                    }
                    sum += w[at] * dw[at];
                }
                for (Index j = 0; j < n.s; ++j) {
                    const auto at = static_cast<std::size_t>(j);
                    const T ds = w[at] * (slip == 4 ? dw[at] : dw[at] - sum);
                    if (slip != 3 || b == 0) dbias[i * n.s + j] += ds;
                    for (Index d = 0; d < n.d; ++d) {
                        dq[(b * n.l + i) * n.d + d] += T(n.scale()) * ds * x.k[(b * n.s + j) * n.d + d];
                        dk[(b * n.s + j) * n.d + d] += T(slip == 1 ? 1 : n.scale()) * ds * x.q[(b * n.l + i) * n.d + d];
                    }
                }
            }
        if (dx.needs(0)) dx.add(0, dq);
        if (dx.needs(1)) dx.add(1, dk);
        if (dx.needs(2)) dx.add(2, dv);
        if (dx.needs(3)) dx.add(3, dbias);
    }
    template <class Op>
    static std::vector<Sample<Op>> samples() {
        return {{"batch", {}, {{2, 3, 5}, {2, 4, 5}, {2, 4, 6}, {3, 4}}}, {"one", {}, {{1, 2, 3}, {1, 5, 3}, {1, 5, 4}, {2, 5}}}};
    }
};

}  // namespace
