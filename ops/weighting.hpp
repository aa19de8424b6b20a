// Common parts of the attentions that compute scores in their own way: the sizes of the heads, and which keys each query sees.
//
// All axes before the last two are heads; they are the same in q, k and v.
#pragma once

#include <optional>
#include <string_view>

#include "gradproof/core/algebra.hpp"
#include "gradproof/ops/softmax.hpp"

namespace gradproof {

struct HeadSizes {
    Index L = 0, S = 0, D = 0, F = 0, E = 0;  ///< queries, keys; widths: D of q, F of k, E of v
};
/// The sizes of q [..., L, D], k [..., S, F], v [..., S, E].   Errors  ShapeError with the op's name.
HeadSizes head_sizes(std::string_view op, const Shape& q, const Shape& k, const Shape& v);
/// ... where also D = F.
HeadSizes matching_head_sizes(std::string_view op, const Shape& q, const Shape& k, const Shape& v);

/// The factor of the scores: `given`, or 1 / sqrt(width).   Errors  ValueError with the op's name, unless it is finite.
double score_scale(std::string_view op, const std::optional<double>& given, Index width);

/// Which keys the queries see. With these functions, keys that a query does not see have no effect, even if infinite or NaN.
struct SeenKeys {
    Tensor<bool> mask{};  ///< broadcasts to [..., L, S]; undefined where every query sees all keys

    /// x, and 0 for the keys that are not seen.
    template <Scalar T>
    Tensor<T> only(const Tensor<T>& x) const {
        return mask.defined() ? where(mask, x, 0) : x;
    }
    /// w = softmax(s) over the keys seen; the weights of the others are 0, as are all of a query without keys.
    template <Scalar T>
    Tensor<T> softmax(const Tensor<T>& s) const {
        return only(gradproof::softmax(mask.defined() ? where(mask, s, -INFINITY) : s));
    }
    /// w = softmax(s):  ds = w * (dw - rowsum(dw * w))
    template <Scalar T>
    Tensor<T> softmax_backward(const Tensor<T>& w, const Tensor<T>& dw) const {
        return only(w * (dw - sum(only(dw * w), -1)));
    }
    /// a x, of a [..., L, S] that is 0 for the keys not seen, or of its transpose.
    template <Scalar T>
    Tensor<T> matmul(const Matrix<T>& a, const Tensor<T>& x) const {
        return mask.defined() ? matmul_where(mask, a, Matrix<T>(x)) : gradproof::matmul(a, x);
    }
};
/// All keys, or for query i those up to key i.
SeenKeys seen_keys(const HeadSizes& n, bool causal);

}  // namespace gradproof
