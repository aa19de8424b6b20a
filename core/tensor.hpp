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
struct Storage {
    Storage(Storage* owner, void* elements, std::size_t taken, Index count_of_elements, const Shape& s) noexcept
        : parent(owner), data(elements), bytes(taken), size(count_of_elements), shape(s) {}
    std::atomic<std::uint32_t> count{1};
    Storage* parent;
    void* data;
    std::size_t bytes;  // of this allocation, header included
    Index size;
    Shape shape;
};
inline constexpr std::size_t kHeaderBytes = 128;
static_assert(sizeof(Storage) <= kHeaderBytes);

Storage* new_storage(const Shape& shape, std::size_t element_bytes);
Storage* new_view(Storage* parent, const Shape& shape);
void free_storage(Storage* storage) noexcept;
[[noreturn]] void undefined_tensor();

inline void retain(Storage* b) noexcept {
    if (b) b->count.fetch_add(1, std::memory_order_relaxed);
}
inline void drop(Storage* b) noexcept {
    // A sole owner needs no locked decrement: nobody else can be changing the count.
    if (b && (b->count.load(std::memory_order_acquire) == 1 || b->count.fetch_sub(1, std::memory_order_acq_rel) == 1))
        free_storage(b);
}

}  // namespace detail

template <class T>
class Tensor {
  public:
    using value_type = T;

    /// No tensor: `defined()` is false. This is not the same as a tensor without elements.
    Tensor() noexcept = default;
    /// Contents unspecified (NaN while a pool::PoisonScope lives). Errors: ShapeError for negative or overflowing sizes.
    explicit Tensor(const Shape& shape) : storage_(detail::new_storage(shape, sizeof(T))) {
        if constexpr (std::numeric_limits<T>::has_quiet_NaN)
            if (pool::poisoning()) fill(std::numeric_limits<T>::quiet_NaN());
    }
    Tensor(const Shape& shape, T value) : storage_(detail::new_storage(shape, sizeof(T))) { fill(value); }

    Tensor(const Tensor& other) noexcept : storage_(other.storage_) { detail::retain(storage_); }
    Tensor(Tensor&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
    Tensor& operator=(const Tensor& other) noexcept {
        detail::retain(other.storage_);
        detail::drop(std::exchange(storage_, other.storage_));
        return *this;
    }
    Tensor& operator=(Tensor&& other) noexcept {
        if (this != &other) detail::drop(std::exchange(storage_, std::exchange(other.storage_, nullptr)));
        return *this;
    }
    ~Tensor() { detail::drop(storage_); }

    /// A copy of `values` in row-major order. Errors: ShapeError if their number is not shape.size().
    static Tensor from(const Shape& shape, std::span<const T> values);
    static Tensor from(const Shape& shape, std::initializer_list<T> values) {
        return from(shape, std::span<const T>(values.begin(), values.size()));
    }
    /// Rank 0.
    static Tensor scalar(T value) { return Tensor(Shape{}, value); }
    /// A contiguous copy of strided memory; strides in elements, 0 and negative allowed.
    static Tensor from_strided(const T* data, const Shape& shape, const Shape& strides);

    bool defined() const noexcept { return storage_ != nullptr; }
    // Errors: ShapeError for an undefined tensor.
    const Shape& shape() const { return storage().shape; }
    int rank() const { return storage().shape.rank(); }
    Index dim(int axis) const { return storage().shape[axis]; }
    Index size() const { return storage().size; }
    std::size_t bytes() const { return static_cast<std::size_t>(storage().size) * sizeof(T); }

    const T* data() const { return static_cast<const T*>(storage_->data); }
    T* data() { return static_cast<T*>(storage_->data); }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }
    T* begin() { return data(); }
    T* end() { return data() + size(); }
    std::span<const T> values() const& {
        return {static_cast<const T*>(storage().data), static_cast<std::size_t>(storage().size)};
    }
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
        return storage_ && storage_->parent == nullptr && storage_->count.load(std::memory_order_acquire) == 1;
    }
    /// Whether this is a reshaped handle on another tensor's buffer.
    bool is_view() const noexcept { return storage_ && storage_->parent != nullptr; }
    bool shares_buffer_with(const Tensor& other) const noexcept {
        return storage_ && other.storage_ && storage_->data == other.storage_->data;
    }
    void fill(const T& value) {
        for (T& x : *this) x = value;
    }

  private:
    explicit Tensor(detail::Storage* storage) noexcept : storage_(storage) {}
    const detail::Storage& storage() const {
        if (storage_ == nullptr) [[unlikely]]
            detail::undefined_tensor();
        return *storage_;
    }
    Index offset(const Shape& index) const;
    detail::Storage* storage_ = nullptr;
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
