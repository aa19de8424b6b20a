// Tensor<T>: a shared handle on one 64-byte aligned, contiguous, row-major buffer. Copying a tensor copies the handle.
//
//   Tensor<double> x = Tensor<double>::from({2, 3}, {1, 2, 3, 4, 5, 6});
//   x.at({1, 2});                 // 6
//   Tensor<double> w = x;                   // shares the buffer: writing w[0] changes x too
//   Tensor<double> y = x.reshape({3, 2});   // shares it as well
//   Tensor<double> z = x.clone();           // a buffer of its own
#pragma once

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gradproof/core/platform/memory.hpp"
#include "gradproof/core/scalar.hpp"
#include "gradproof/core/shape.hpp"

namespace gradproof {

namespace detail {

/// Header and data of a tensor in one pooled allocation. A reshaped tensor has only a header and keeps its parent alive.
struct Block {
    Block(Block* owner, void* elements, std::size_t taken, Index count_of_elements, const Shape& s) noexcept
        : parent(owner), data(elements), bytes(taken), size(count_of_elements), shape(s) {}
    std::atomic<std::uint32_t> count{1};
    Block* parent;
    void* data;
    std::size_t bytes;  // of this allocation, header included
    Index size;
    Shape shape;
};
inline constexpr std::size_t kHeaderBytes = 128;
static_assert(sizeof(Block) <= kHeaderBytes);

Block* new_block(const Shape& shape, std::size_t element_bytes);
Block* new_view(Block* parent, const Shape& shape);
void free_block(Block* block) noexcept;
[[noreturn]] void undefined_tensor();

inline void retain(Block* b) noexcept {
    if (b) b->count.fetch_add(1, std::memory_order_relaxed);
}
inline void drop(Block* b) noexcept {
    // A sole owner needs no locked decrement: nobody else can be changing the count.
    if (b && (b->count.load(std::memory_order_acquire) == 1 || b->count.fetch_sub(1, std::memory_order_acq_rel) == 1))
        free_block(b);
}

}  // namespace detail

template <class T>
class Tensor {
  public:
    using value_type = T;

    /// No tensor: `defined()` is false. This is not the same as a tensor without elements.
    Tensor() noexcept = default;
    /// Contents unspecified (NaN while a pool::PoisonScope lives). Errors: ShapeError for negative or overflowing sizes.
    explicit Tensor(const Shape& shape) : block_(detail::new_block(shape, sizeof(T))) {
        if constexpr (std::numeric_limits<T>::has_quiet_NaN)
            if (pool::poisoning()) fill(std::numeric_limits<T>::quiet_NaN());
    }
    Tensor(const Shape& shape, T value) : block_(detail::new_block(shape, sizeof(T))) { fill(value); }

    Tensor(const Tensor& other) noexcept : block_(other.block_) { detail::retain(block_); }
    Tensor(Tensor&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    Tensor& operator=(const Tensor& other) noexcept {
        detail::retain(other.block_);
        detail::drop(std::exchange(block_, other.block_));
        return *this;
    }
    Tensor& operator=(Tensor&& other) noexcept {
        if (this != &other) detail::drop(std::exchange(block_, std::exchange(other.block_, nullptr)));
        return *this;
    }
    ~Tensor() { detail::drop(block_); }

    /// A copy of `values` in row-major order. Errors: ShapeError if their number is not shape.size().
    static Tensor from(const Shape& shape, std::span<const T> values);
    static Tensor from(const Shape& shape, std::initializer_list<T> values) {
        return from(shape, std::span<const T>(values.begin(), values.size()));
    }
    /// Rank 0.
    static Tensor scalar(T value) { return Tensor(Shape{}, value); }
    /// A contiguous copy of strided memory; strides in elements, 0 and negative allowed.
    static Tensor from_strided(const T* data, const Shape& shape, const Shape& strides);

    bool defined() const noexcept { return block_ != nullptr; }
    // Errors: ShapeError for an undefined tensor.
    const Shape& shape() const { return block().shape; }
    int rank() const { return block().shape.rank(); }
    Index dim(int axis) const { return block().shape[axis]; }
    Index size() const { return block().size; }
    std::size_t bytes() const { return static_cast<std::size_t>(block().size) * sizeof(T); }

    const T* data() const { return static_cast<const T*>(block_->data); }
    T* data() { return static_cast<T*>(block_->data); }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }
    T* begin() { return data(); }
    T* end() { return data() + size(); }
    std::span<const T> values() const& { return {static_cast<const T*>(block().data), static_cast<std::size_t>(block().size)}; }
    std::span<const T> values() const&& = delete;  // would outlive its tensor; loop over the tensor itself
    /// Row-major element, unchecked.
    const T& operator[](Index i) const { return data()[i]; }
    T& operator[](Index i) { return data()[i]; }
    /// Errors: ValueError for a wrong number of indices or one out of range.
    const T& at(const Shape& index) const { return data()[offset(index)]; }
    T& at(const Shape& index) { return data()[offset(index)]; }
    /// The only element. Errors: ShapeError if there is not exactly one.
    T item() const;

    /// The same buffer under another shape; one size may be -1. Errors: ShapeError if the sizes differ.
    Tensor reshape(const Shape& shape) const;
    /// A copy with a buffer of its own.
    Tensor clone() const { return from(shape(), values()); }
    /// Whether no other tensor holds this buffer, so that writing in place changes no other tensor.
    bool unique() const noexcept {
        return block_ && block_->parent == nullptr && block_->count.load(std::memory_order_acquire) == 1;
    }
    /// Whether this is a reshaped handle on another tensor's buffer.
    bool is_view() const noexcept { return block_ && block_->parent != nullptr; }
    bool shares_buffer_with(const Tensor& other) const noexcept {
        return block_ && other.block_ && block_->data == other.block_->data;
    }
    void fill(const T& value) {
        for (T& x : *this) x = value;
    }

  private:
    explicit Tensor(detail::Block* block) noexcept : block_(block) {}
    const detail::Block& block() const {
        if (block_ == nullptr) [[unlikely]]
            detail::undefined_tensor();
        return *block_;
    }
    Index offset(const Shape& index) const;
    detail::Block* block_ = nullptr;
};

template <class T>
Tensor<T> zeros(const Shape& shape) {
    return Tensor<T>(shape, T(0));
}
template <class T>
Tensor<T> ones(const Shape& shape) {
    return Tensor<T>(shape, T(1));
}
template <class T>
Tensor<T> zeros_like(const Tensor<T>& x) {
    return zeros<T>(x.shape());
}

/// Element-wise conversion to another element type; a dual is converted by its value.
template <class To, class From>
Tensor<To> cast(const Tensor<From>& x) {
    Tensor<To> y(x.shape());
    for (Index i = 0; i < x.size(); ++i) {
        if constexpr (is_dual<From> && !is_dual<To>)
            y[i] = static_cast<To>(primal(x[i]));
        else
            y[i] = static_cast<To>(x[i]);
    }
    return y;
}

/// "[[1, 2], [3, 4]]" with `digits` significant digits; long axes are shortened with "...".
template <class T>
std::string to_string(const Tensor<T>& x, int digits = 6);

#define GRADPROOF_TENSOR(T) extern template class Tensor<T>;
GRADPROOF_FOR_SCALARS(GRADPROOF_TENSOR)
GRADPROOF_TENSOR(Index)
GRADPROOF_TENSOR(bool)
#undef GRADPROOF_TENSOR

}  // namespace gradproof
