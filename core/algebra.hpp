// Whole-tensor algebra by NumPy's rules: the functions that an op's forward and backward are written with. They compute values
// and record nothing on a tape; the functions of ops/ do that.
//
//   const Tensor<T> e = exp((x - exp_shift(x, axis)) / a.temperature);
//   saved.y = divide_or_zero(e, sum(e, axis));                          // a reduced axis stays, with size 1
//   dx.add(0, saved.y * (dy - sum(dy * saved.y, axis)) / a.temperature);
//
// Reductions keep their axis with size 1; those of ops/reduce.hpp drop it:
//   sum(x, Axes{1});             // [3, 5] -> [3, 1]; mean of no elements is 0
//   sum(x, {.axes = {1}});       // the op: [3, 5] -> [3]; mean of no elements is an error
//
// Operands broadcast; a ShapeError says if they do not, or if one is undefined. A number may stand for a tensor.
// core/algebra/ implements the functions with xtensor, once for every scalar; nothing of xtensor shows here.
// If an argument is a temporary that nobody else holds, the result takes over its buffer.
#pragma once

#include <concepts>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// What may stand for a tensor of T.
template <class S, class T>
concept NumberFor = std::is_arithmetic_v<S> || std::same_as<S, T>;

template <Scalar T, NumberFor<T> S>
Tensor<T> number(const S& value) {
    return Tensor<T>::scalar(T(value));
}

// Declares a function of two tensors, either of which may be a number.
#define GRADPROOF_WORD_2(word)                       \
    template <Scalar T>                              \
    Tensor<T> word(Tensor<T> a, const Tensor<T>& b); \
    template <Scalar T, NumberFor<T> S>              \
    Tensor<T> word(Tensor<T> a, const S& b) {        \
        return word(std::move(a), number<T>(b));     \
    }                                                \
    template <Scalar T, NumberFor<T> S>              \
    Tensor<T> word(const S& a, const Tensor<T>& b) { \
        return word(number<T>(a), b);                \
    }

GRADPROOF_WORD_2(operator+)
GRADPROOF_WORD_2(operator-)
GRADPROOF_WORD_2(operator*)
GRADPROOF_WORD_2(operator/)
/// The larger, or the smaller, of two; the first where they tie; NaN where either is NaN.
GRADPROOF_WORD_2(maximum)
GRADPROOF_WORD_2(minimum)
/// a / b, and 0 where b is 0, as for weights divided by a sum over no keys.
GRADPROOF_WORD_2(divide_or_zero)
#undef GRADPROOF_WORD_2

template <Scalar T>
Tensor<T> operator-(Tensor<T> x);
template <Scalar T>
Tensor<T> exp(Tensor<T> x);
template <Scalar T>
Tensor<T> log(Tensor<T> x);
template <Scalar T>
Tensor<T> sqrt(Tensor<T> x);
template <Scalar T>
Tensor<T> tanh(Tensor<T> x);
/// 1 / (1 + exp(-x)), without overflow.
template <Scalar T>
Tensor<T> sigmoid(Tensor<T> x);
/// The same values without tangents: no derivative goes through them.
template <Scalar T>
Tensor<T> constant(Tensor<T> x);

/// Where a equals b; where x is infinite; where it is -inf.
template <Scalar T>
Tensor<bool> equal(const Tensor<T>& a, const Tensor<T>& b);
template <Scalar T>
Tensor<bool> isinf(const Tensor<T>& x);
template <Scalar T>
Tensor<bool> isneginf(const Tensor<T>& x);
/// a where the mask is true, else b; entries that are not taken are not read.
template <Scalar T>
Tensor<T> where(const Tensor<bool>& mask, const Tensor<T>& a, const Tensor<T>& b);
template <Scalar T, NumberFor<T> S>
Tensor<T> where(const Tensor<bool>& mask, const Tensor<T>& a, const S& b) {
    return where(mask, a, number<T>(b));
}
template <Scalar T, NumberFor<T> S>
Tensor<T> where(const Tensor<bool>& mask, const S& a, const Tensor<T>& b) {
    return where(mask, number<T>(a), b);
}

/// A list of axes has to be written Axes{...}: braces alone, as in sum(x, {.axes = {0}}), are attributes of the op sum.
template <class A>
concept AxisList = std::same_as<A, Axes>;

/// Sum over axes, which stay with size 1; an empty list means all axes. Added pairwise: the error grows with log2 of the count.
/// Errors, here and below: ValueError for an axis out of range or named twice.
template <Scalar T, AxisList A>
Tensor<T> sum(const Tensor<T>& x, const A& axes);
/// sum(x, axes) / n, and 0 for n = 0.
template <Scalar T, AxisList A>
Tensor<T> mean(const Tensor<T>& x, const A& axes);
/// The largest element; NaN if one is NaN, -inf if there is none. Equal largest elements share their tangents evenly.
template <Scalar T>
Tensor<T> amax(const Tensor<T>& x, const Axes& axes);
/// The shift to subtract before exp: the largest element as a constant, but 0 where that is -inf, so that exp(-inf - shift) is 0.
template <Scalar T>
Tensor<T> exp_shift(const Tensor<T>& x, const Axes& axes);

// The same over one axis.
template <Scalar T>
Tensor<T> sum(const Tensor<T>& x, Index axis) {
    return sum(x, Axes{axis});
}
template <Scalar T>
Tensor<T> mean(const Tensor<T>& x, Index axis) {
    return mean(x, Axes{axis});
}
template <Scalar T>
Tensor<T> amax(const Tensor<T>& x, Index axis) {
    return amax(x, Axes{axis});
}
template <Scalar T>
Tensor<T> exp_shift(const Tensor<T>& x, Index axis) {
    return exp_shift(x, Axes{axis});
}

/// x broadcast to `shape`. Errors: ShapeError if it does not broadcast to it.
template <class T>
Tensor<T> broadcast_to(const Tensor<T>& x, const Shape& shape);
/// Axis i of the result is axis perm[i] of x. Errors: ValueError unless perm names each axis once.
template <class T, AxisList A>
Tensor<T> transpose(const Tensor<T>& x, const A& perm);

/// `count` entries of one axis: start, start + step, ...
struct AxisRange {
    Index axis = 0, start = 0, count = 0, step = 1;
};
/// Those entries of x. Errors: ValueError if x does not have all of them.
template <Scalar T>
Tensor<T> part(const Tensor<T>& x, const AxisRange& range);
/// Writes values into those entries of x.
template <Scalar T>
void set_part(Tensor<T>& x, const AxisRange& range, const Tensor<T>& values);
/// Adds values to those entries of x.
template <Scalar T>
void add_part(Tensor<T>& x, const AxisRange& range, const Tensor<T>& values);
/// Entry i of an axis, without the axis: x[:, i].
template <Scalar T>
Tensor<T> entry(const Tensor<T>& x, Index axis, Index i);
template <Scalar T>
void set_entry(Tensor<T>& x, Index axis, Index i, const Tensor<T>& values);

/// Entries of the first axis by their numbers: y[i..., :] = x[numbers[i...], :]. Errors: ValueError for a number not in x.
template <Scalar T>
Tensor<T> take(const Tensor<T>& x, const Tensor<Index>& numbers);
/// The transpose of take, a result of this shape: y[n, :] is the sum of the values[i..., :] with numbers[i...] = n, in their order.
template <Scalar T>
Tensor<T> sum_by_number(const Shape& shape, const Tensor<Index>& numbers, const Tensor<T>& values);

/// The matrices in the last two axes of a tensor, as they are or transposed; nothing is copied.
template <Scalar T>
struct Matrix {
    Tensor<T> x;
    bool transposed = false;
    Matrix(Tensor<T> matrices, bool transpose = false) : x(std::move(matrices)), transposed(transpose) {}  // NOLINT
};
/// x with its last two axes exchanged, for matmul: matmul(dy, mT(b)) is dy bᵀ.
template <Scalar T>
Matrix<T> mT(const Tensor<T>& x) {
    return {x, true};
}
/// The matrix product a b of the last two axes, over broadcast leading axes; a vector is a row on the left, a column on the right.
/// Errors: ShapeError for a scalar or sizes that do not fit; ValueError for a transposed vector.
template <Scalar T>
Tensor<T> matmul(const Matrix<T>& a, const Matrix<T>& b);
/// a b, summed over the leading axes that `shape` lacks or has with size 1: the cotangent of an operand that was broadcast.
/// Errors: as matmul, and ShapeError if a b does not reduce to `shape`.
template <Scalar T>
Tensor<T> matmul_to(const Shape& shape, const Matrix<T>& a, const Matrix<T>& b);

/// a b where entries of a are taken as 0 if the mask is false (the mask broadcasts to a as it is stored, before any transpose).
/// These entries are left out of the sums, so an infinity or NaN that they would meet in b has no effect.   Errors: as matmul.
template <Scalar T>
Tensor<T> matmul_where(const Tensor<bool>& mask, const Matrix<T>& a, const Matrix<T>& b);

template <Scalar T>
Tensor<T> matmul(const Tensor<T>& a, const Tensor<T>& b) {
    return matmul(Matrix<T>(a), Matrix<T>(b));
}
template <Scalar T>
Tensor<T> matmul(const Tensor<T>& a, const Matrix<T>& b) {
    return matmul(Matrix<T>(a), b);
}
template <Scalar T>
Tensor<T> matmul(const Matrix<T>& a, const Tensor<T>& b) {
    return matmul(a, Matrix<T>(b));
}

template <Scalar T>
Tensor<T> matmul_to(const Shape& shape, const Matrix<T>& a, const Tensor<T>& b) {
    return matmul_to(shape, a, Matrix<T>(b));
}

}  // namespace gradproof
