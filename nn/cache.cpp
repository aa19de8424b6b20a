// The key-value cache: its checks, and the copy of the new rows.
#include "gradproof/nn/cache.hpp"

#include <algorithm>

namespace gradproof {
namespace {

CacheSizes checked(const CacheSizes& s) {
    if (s.batch < 1 || s.capacity < 1 || s.kv_heads < 1 || s.head_size < 1)
        value_error("key-value cache: sizes must be at least 1: batch is {}, capacity is {}, kv_heads is {}, head_size is {}",
                    s.batch, s.capacity, s.kv_heads, s.head_size);
    checked_size({s.batch, s.capacity, s.kv_heads, s.head_size});
    return s;
}

/// Copies x [batch, L, heads packed] into rows [at, at + L) of each head of `cache`.
template <class T>
void put(const Tensor<T>& x, Index at, Tensor<T>& cache) {
    const Index heads = cache.dim(1), capacity = cache.dim(2), size = cache.dim(3), length = x.dim(1);
    const T* row = x.data();
    for (Index b = 0; b < x.dim(0); ++b)
        for (Index i = 0; i < length; ++i)
            for (Index h = 0; h < heads; ++h, row += size)
                std::copy_n(row, size, cache.data() + ((b * heads + h) * capacity + at + i) * size);
}

}  // namespace

template <Scalar T>
KeyValueCache<T>::KeyValueCache(const CacheSizes& sizes)
    : sizes_(checked(sizes)), keys_({sizes.batch, sizes.kv_heads, sizes.capacity, sizes.head_size}), values_(keys_.shape()) {}

template <Scalar T>
void KeyValueCache<T>::check_room(const Shape& x) const {
    if (x.rank() != 3 || x[0] != sizes_.batch || x[1] < 1)
        shape_error("key-value cache: new positions must be [{}, L, ...] with L at least 1: got {}", sizes_.batch, x);
    if (x[1] > sizes_.capacity - length_)
        value_error("key-value cache: no room: length is {}, new positions are {}, capacity is {}; reset it or make a larger one",
                    length_, x[1], sizes_.capacity);
}

template <Scalar T>
void KeyValueCache<T>::append(const Tensor<T>& k, const Tensor<T>& v) {
    if (!k.defined() || !v.defined())
        shape_error("key-value cache: keys and values are both needed: {} is undefined", k.defined() ? "v" : "k");
    check_room(k.shape());
    if (k.dim(2) != width() || !(v.shape() == k.shape()))
        shape_error("key-value cache: rows do not fit: k is {}, v is {}, expected [{}, L, {}]", k.shape(), v.shape(),
                    sizes_.batch, width());
    put(k, length_, keys_);
    put(v, length_, values_);
    length_ += k.dim(1);
}

template <Scalar T>
void KeyValueCache<T>::truncate(Index length) {
    if (length < 0 || length > length_) value_error("key-value cache: truncate: length is {}, expected 0 to {}", length, length_);
    length_ = length;
}

template class KeyValueCache<float>;
template class KeyValueCache<double>;

}  // namespace gradproof
