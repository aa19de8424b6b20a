// Shapes: up to eight sizes held in place, NumPy broadcasting, and axis checks.
//
//   const Shape s{2, 3};
//   s.size();                          // 6
//   broadcast("add", s, Shape{3});     // [2, 3]
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "gradproof/core/errors.hpp"

namespace gradproof {

using Index = std::int64_t;
inline constexpr int kMaxRank = 8;

/// Up to eight indices in place: the sizes of a tensor, or a list of axes.
class Shape {
  public:
    constexpr Shape() = default;
    Shape(std::initializer_list<Index> dims) : Shape(std::span<const Index>(dims.begin(), dims.size())) {}
    explicit Shape(std::span<const Index> dims) {
        if (dims.size() > kMaxRank) rank_error(dims.size());
        rank_ = static_cast<int>(dims.size());
        for (int i = 0; i < rank_; ++i) dims_[static_cast<std::size_t>(i)] = dims[static_cast<std::size_t>(i)];
    }

    int rank() const { return rank_; }
    bool empty() const { return rank_ == 0; }
    Index operator[](int axis) const { return dims_[static_cast<std::size_t>(axis)]; }
    Index& operator[](int axis) { return dims_[static_cast<std::size_t>(axis)]; }
    /// The size of the axis counted from the end: last(0) is the innermost.
    Index last(int from_end = 0) const { return (*this)[rank_ - 1 - from_end]; }
    /// Number of elements: the product of the sizes, 1 for rank 0.
    Index size() const {
        Index n = 1;
        for (int i = 0; i < rank_; ++i) n *= (*this)[i];
        return n;
    }
    void push_back(Index dim) {
        if (rank_ == kMaxRank) rank_error(kMaxRank + 1);
        dims_[static_cast<std::size_t>(rank_++)] = dim;
    }

    const Index* begin() const { return dims_.data(); }
    const Index* end() const { return dims_.data() + rank_; }
    Index* begin() { return dims_.data(); }
    Index* end() { return dims_.data() + rank_; }

    friend bool operator==(const Shape& a, const Shape& b) {
        if (a.rank_ != b.rank_) return false;
        for (int i = 0; i < a.rank_; ++i)
            if (a[i] != b[i]) return false;
        return true;
    }
    /// "[2, 3]"
    std::string str() const;

  private:
    [[noreturn]] static void rank_error(std::size_t rank);
    std::array<Index, kMaxRank> dims_{};
    int rank_ = 0;
};

/// A list of axes, negative ones counted from the end.
using Axes = Shape;

/// Row-major element strides of a contiguous tensor.
Shape strides_of(const Shape& shape);
/// Strides for reading `from` as if it had shape `to`, 0 along broadcast axes; `from` must broadcast to `to`.
Shape broadcast_strides(const Shape& from, const Shape& to);
/// NumPy's broadcast of two shapes. Errors: ShapeError with the op's name.
Shape broadcast(std::string_view op, const Shape& a, const Shape& b);
/// Whether `from` broadcasts to exactly `to`.
bool broadcasts_to(const Shape& from, const Shape& to);
/// An axis in [0, rank). Errors: ValueError with the op's name.
int normal_axis(std::string_view op, Index axis, int rank);
/// Sorted, distinct, non-negative axes; an empty list stands for all of them. Errors: ValueError.
Axes normal_axes(std::string_view op, const Axes& axes, int rank);
/// `shape` without the (normal) axes, or with size 1 in their place.
Shape reduced_shape(const Shape& shape, const Axes& axes, bool keep_dims);
/// Number of elements. Errors: ShapeError for a negative size or a product that overflows.
Index checked_size(const Shape& shape);

}  // namespace gradproof

template <>
struct fmt::formatter<gradproof::Shape> {
    constexpr auto parse(fmt::format_parse_context& ctx) { return ctx.begin(); }
    template <class Context>
    auto format(const gradproof::Shape& s, Context& ctx) const {
        const std::string text = s.str();
        return std::copy(text.begin(), text.end(), ctx.out());
    }
};
