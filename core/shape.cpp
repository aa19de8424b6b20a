// Shapes, broadcasting and axis checks.
#include "gradproof/core/shape.hpp"

#include <vector>

namespace gradproof {

std::string Shape::str() const {
    std::string s = "[";
    for (int i = 0; i < rank_; ++i) s += (i ? ", " : "") + std::to_string((*this)[i]);
    return s + "]";
}

void Shape::rank_error(std::size_t rank) { shape_error("shape: rank is {}, at most {} is supported", rank, kMaxRank); }

Shape strides_of(const Shape& shape) {
    Shape strides = shape;
    Index step = 1;
    for (int i = shape.rank() - 1; i >= 0; --i) {
        strides[i] = step;
        step *= shape[i];
    }
    return strides;
}

Shape broadcast_strides(const Shape& from, const Shape& to) {
    Shape strides = to;
    const Shape own = strides_of(from);
    const int lead = to.rank() - from.rank();
    for (int i = 0; i < to.rank(); ++i) strides[i] = (i < lead || from[i - lead] == 1) ? 0 : own[i - lead];
    return strides;
}

Shape broadcast(std::string_view op, const Shape& a, const Shape& b) {
    Shape out = a.rank() >= b.rank() ? a : b;
    const Shape& small = a.rank() >= b.rank() ? b : a;
    const int lead = out.rank() - small.rank();
    for (int i = 0; i < small.rank(); ++i) {
        Index& dim = out[i + lead];
        if (dim == small[i] || small[i] == 1) continue;
        if (dim != 1) {
            const bool a_leads = &small == &b;
            shape_error("{}: shapes do not broadcast: a is {}, b is {} ({} != {})", op, a, b, a_leads ? dim : small[i],
                        a_leads ? small[i] : dim);
        }
        dim = small[i];
    }
    return out;
}

bool broadcasts_to(const Shape& from, const Shape& to) {
    if (from.rank() > to.rank()) return false;
    const int lead = to.rank() - from.rank();
    for (int i = 0; i < from.rank(); ++i)
        if (from[i] != 1 && from[i] != to[i + lead]) return false;
    return true;
}

int normal_axis(std::string_view op, Index axis, int rank) {
    if (axis < -rank || axis >= rank)
        value_error("{}: axis is {}, expected {} <= axis < {} for rank {}", op, axis, -rank, rank, rank);
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Axes normal_axes(std::string_view op, const Axes& axes, int rank) {
    Axes out;
    if (axes.empty())
        for (int i = 0; i < rank; ++i) out.push_back(i);
    for (const Index axis : axes) out.push_back(normal_axis(op, axis, rank));
    std::sort(out.begin(), out.end());
    if (const auto* twice = std::adjacent_find(out.begin(), out.end()); twice != out.end())
        value_error("{}: axis {} is named twice: axes are {}", op, *twice, axes);
    return out;
}

Shape reduced_shape(const Shape& shape, const Axes& axes, bool keep_dims) {
    Shape out;
    for (int i = 0; i < shape.rank(); ++i) {
        const bool reduced = std::find(axes.begin(), axes.end(), i) != axes.end();
        if (!reduced)
            out.push_back(shape[i]);
        else if (keep_dims)
            out.push_back(1);
    }
    return out;
}

Index checked_size(const Shape& shape) {
    constexpr Index kMostElements = Index{1} << 46;  // 2^46 elements of 16 bytes still fit a signed byte count
    Index n = 1;
    bool empty = false;
    for (const Index dim : shape) {
        empty |= dim == 0;
        if (dim < 0) shape_error("tensor: negative size: shape is {}", shape);
        // A multiplication: divisions here were a third of the cost of a small tensor.
        if (__builtin_mul_overflow(n, std::max<Index>(dim, 1), &n) || n > kMostElements)
            shape_error("tensor: too many elements: shape is {}, at most {} elements", shape, kMostElements);
    }
    return empty ? 0 : n;
}

}  // namespace gradproof
