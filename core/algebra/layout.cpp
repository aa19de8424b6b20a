// The words that move entries: broadcast, transpose, and parts of an axis.
#include <algorithm>

#include "gradproof/core/algebra.hpp"
#include "gradproof/core/strided_copy.hpp"

namespace gradproof {
namespace {

/// A range of one axis, checked, as runs of neighbours.
struct Runs {
    Index outer = 1, inner = 1, size, together;
    AxisRange range;

    Runs(std::string_view word, const Shape& x, const AxisRange& s)
        : size(0), together(s.step == 1 ? std::max<Index>(s.count, 1) : 1), range(s) {
        const int axis = normal_axis(word, s.axis, x.rank());
        range.axis = axis;
        size = x[axis];
        for (int i = 0; i < x.rank(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : x[i];
        if (s.count < 0 || s.step < 1 || s.start < 0 || (s.count > 0 && s.start + (s.count - 1) * s.step >= size))
            value_error("{}: entries {} to {} in steps of {} are not in axis {} of {}", word, s.start,
                        s.start + (s.count - 1) * s.step, s.step, axis, x);
    }
    /// Calls move(offset in the whole, offset in the part, length) for each run.
    template <class Move>
    void each(const Move& move) const {
        for (Index o = 0; o < outer; ++o)
            for (Index i = 0; i < range.count; i += together)
                move((o * size + range.start + i * range.step) * inner, (o * range.count + i) * inner, together * inner);
    }
};

/// A call of memcpy for a few elements would take longer than they do.
template <class T>
void copy_run(const T* from, Index n, T* to) {
    if (n > 8) {
        std::copy_n(from, n, to);
        return;
    }
    for (Index i = 0; i < n; ++i) to[i] = from[i];
}

template <class T>
void expect_defined(std::string_view word, const Tensor<T>& x) {
    if (!x.defined()) shape_error("{}: an operand is an undefined tensor", word);
}

/// The range of x that is of the shape of values.
template <class T>
Runs runs_of(std::string_view word, const Tensor<T>& x, const AxisRange& range, const Tensor<T>& values) {
    for (const Tensor<T>* operand : {&x, &values}) expect_defined(word, *operand);
    const Runs runs(word, x.shape(), range);
    Shape shape = x.shape();
    shape[static_cast<int>(runs.range.axis)] = range.count;
    if (!(values.shape() == shape)) shape_error("{}: values are {}, the part is {}", word, values.shape(), shape);
    return runs;
}

Shape without(const Shape& shape, Index axis) {
    Shape out;
    for (int i = 0; i < shape.rank(); ++i)
        if (i != axis) out.push_back(shape[i]);
    return out;
}

void expect_numbers(std::string_view word, const Shape& shape, const Tensor<Index>& numbers) {
    expect_defined(word, numbers);
    const Index size = shape[normal_axis(word, 0, shape.rank())];
    for (Index i = 0; i < numbers.size(); ++i)
        if (numbers[i] < 0 || numbers[i] >= size) value_error("{}: number {} is not in axis 0 of {}", word, numbers[i], shape);
}

}  // namespace

template <class T>
Tensor<T> broadcast_to(const Tensor<T>& x, const Shape& shape) {
    expect_defined("broadcast_to", x);
    if (x.shape() == shape) return x;
    if (!broadcasts_to(x.shape(), shape)) shape_error("broadcast_to: x is {}, which does not broadcast to {}", x.shape(), shape);
    return Tensor<T>::from_strided(x.data(), shape, broadcast_strides(x.shape(), shape));
}

template <class T, AxisList A>
Tensor<T> transpose(const Tensor<T>& x, const A& perm) {
    expect_defined("transpose", x);
    const Shape own = strides_of(x.shape());
    Shape shape = x.shape(), strides = own;
    std::array<bool, kMaxRank> named{};
    if (perm.rank() != x.rank()) value_error("transpose: perm is {}, expected each of {} axes once", perm, x.rank());
    for (int i = 0; i < shape.rank(); ++i) {
        const int axis = normal_axis("transpose", perm[i], x.rank());
        if (std::exchange(named[static_cast<std::size_t>(axis)], true))
            value_error("transpose: axis {} is named twice: perm is {}", axis, perm);
        shape[i] = x.dim(axis);
        strides[i] = own[axis];
    }
    return Tensor<T>::from_strided(x.data(), shape, strides);
}

template <Scalar T>
Tensor<T> part(const Tensor<T>& x, const AxisRange& range) {
    expect_defined("part", x);
    const Runs runs("part", x.shape(), range);
    Shape shape = x.shape();
    shape[static_cast<int>(runs.range.axis)] = range.count;
    Tensor<T> y(shape);
    runs.each([from = x.data(), to = y.data()](Index at_x, Index at_y, Index n) { copy_run(from + at_x, n, to + at_y); });
    return y;
}

template <Scalar T>
void set_part(Tensor<T>& x, const AxisRange& range, const Tensor<T>& values) {
    runs_of("set_part", x, range, values).each([to = x.data(), from = values.data()](Index at_x, Index at_y, Index n) {
        copy_run(from + at_y, n, to + at_x);
    });
}

template <Scalar T>
void add_part(Tensor<T>& x, const AxisRange& range, const Tensor<T>& values) {
    runs_of("add_part", x, range, values).each([to = x.data(), from = values.data()](Index at_x, Index at_y, Index n) {
        for (Index i = 0; i < n; ++i) to[at_x + i] += from[at_y + i];
    });
}

template <Scalar T>
Tensor<T> entry(const Tensor<T>& x, Index axis, Index i) {
    const Tensor<T> y = part(x, {.axis = axis, .start = i, .count = 1});
    return y.reshape(without(x.shape(), normal_axis("entry", axis, x.rank())));
}

template <Scalar T>
void set_entry(Tensor<T>& x, Index axis, Index i, const Tensor<T>& values) {
    expect_defined("set_entry", x);
    expect_defined("set_entry", values);
    Shape shape = x.shape();
    const int at = normal_axis("set_entry", axis, x.rank());
    shape[at] = 1;
    if (!(values.shape() == without(x.shape(), at)))
        shape_error("set_entry: values are {}, an entry of axis {} of {} is {}", values.shape(), axis, x.shape(),
                    without(x.shape(), at));
    set_part(x, {.axis = at, .start = i, .count = 1}, values.reshape(shape));
}

template <Scalar T>
Tensor<T> take(const Tensor<T>& x, const Tensor<Index>& numbers) {
    expect_defined("take", x);
    const Shape entry = without(x.shape(), normal_axis("take", 0, x.rank()));
    Shape shape = numbers.shape();
    for (const Index size : entry) shape.push_back(size);
    Tensor<T> y(shape);
    expect_numbers("take", x.shape(), numbers);
    const Index n = entry.size();
    for (Index i = 0; i < numbers.size(); ++i) std::copy_n(x.data() + numbers[i] * n, n, y.data() + i * n);
    return y;
}

template <Scalar T>
Tensor<T> sum_by_number(const Shape& shape, const Tensor<Index>& numbers, const Tensor<T>& values) {
    expect_defined("sum_by_number", values);
    expect_numbers("sum_by_number", shape, numbers);
    Tensor<T> y = zeros<T>(shape);
    const Index n = without(shape, 0).size();
    if (values.size() != numbers.size() * n)
        shape_error("sum_by_number: values are {}, expected {} entries of {}", values.shape(), numbers.size(), shape);
    for (Index i = 0; i < numbers.size(); ++i) {
        T* to = y.data() + numbers[i] * n;
        const T* from = values.data() + i * n;
        for (Index c = 0; c < n; ++c) to[c] += from[c];
    }
    return y;
}

#define GRADPROOF_ALGEBRA(T)                                                                \
    template Tensor<T> broadcast_to(const Tensor<T>&, const Shape&);                        \
    template Tensor<T> transpose(const Tensor<T>&, const Axes&);                            \
    template Tensor<T> part(const Tensor<T>&, const AxisRange&);                            \
    template void set_part(Tensor<T>&, const AxisRange&, const Tensor<T>&);                 \
    template void add_part(Tensor<T>&, const AxisRange&, const Tensor<T>&);                 \
    template Tensor<T> take(const Tensor<T>&, const Tensor<Index>&);                        \
    template Tensor<T> sum_by_number(const Shape&, const Tensor<Index>&, const Tensor<T>&); \
    template Tensor<T> entry(const Tensor<T>&, Index, Index);                               \
    template void set_entry(Tensor<T>&, Index, Index, const Tensor<T>&);
GRADPROOF_FOR_SCALARS(GRADPROOF_ALGEBRA)
#undef GRADPROOF_ALGEBRA
template Tensor<bool> broadcast_to(const Tensor<bool>&, const Shape&);
template Tensor<bool> transpose(const Tensor<bool>&, const Axes&);

}  // namespace gradproof
