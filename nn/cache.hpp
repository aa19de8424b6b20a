// A cache of keys and values: decoding reads those of earlier positions from it instead of computing them again for each token.
//
//   KeyValueCache<float> cache = layer.cache(1, 4096);      // one sequence of up to 4096 positions
//   Tensor<float> y = layer.decode(step, prompt, cache);     // [1, L, C]: L positions at once
//   y = layer.decode(step, token, cache);                    // [1, 1, C]: the next one
//   cache.reset();                                           // another sequence in the same memory
#pragma once

#include <exception>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

struct CacheSizes {
    Index batch = 1;     ///< sequences, all of the same length
    Index capacity = 0;  ///< positions in each sequence
    Index kv_heads = 1;
    Index head_size = 0;
};

/// Keys and values of `length` positions in buffers of `capacity`.
/// The rows of a head are contiguous, so that attention reads memory in order; with packed heads it would skip from row to row
/// and take 1.5 times as long once the rows no longer fit the processor's cache.
/// Decoding computes values only: no gradient flows through a cache.
/// Errors  ValueError for a size below 1, ShapeError for one that is too large.
template <Scalar T>
class KeyValueCache {
  public:
    explicit KeyValueCache(const CacheSizes& sizes);
    // A copy would share the buffers, and both would write to the same rows.
    KeyValueCache(const KeyValueCache&) = delete;
    KeyValueCache& operator=(const KeyValueCache&) = delete;
    KeyValueCache(KeyValueCache&&) noexcept = default;
    KeyValueCache& operator=(KeyValueCache&&) noexcept = default;

    const CacheSizes& sizes() const { return sizes_; }
    Index length() const { return length_; }
    Index capacity() const { return sizes_.capacity; }
    /// The size of a row of keys or values, all heads together.
    Index width() const { return sizes_.kv_heads * sizes_.head_size; }
    /// [batch, kv_heads, capacity, head_size]; rows from `length` on are unspecified, earlier ones are never moved.
    const Tensor<T>& keys() const { return keys_; }
    const Tensor<T>& values() const { return values_; }
    /// [batch], all equal to length(): the kv_len for attention over keys() and values().
    Tensor<Index> lengths() const { return Tensor<Index>({sizes_.batch}, length_); }

    /// Errors  ShapeError unless x is [batch, L, ...] with L >= 1; ValueError if L more positions do not fit.
    void check_room(const Shape& x) const;
    /// Copies in the rows of the next L positions.   Shapes  k, v [batch, L, width], heads packed.
    /// Errors  those of check_room, ShapeError for another width; the cache is then unchanged.
    void append(const Tensor<T>& k, const Tensor<T>& v);
    /// Forgets all positions from `length` on.   Errors  ValueError unless 0 <= length <= length().
    void truncate(Index length);
    void reset() { length_ = 0; }

  private:
    CacheSizes sizes_;
    Tensor<T> keys_, values_;
    Index length_ = 0;
};

/// Restores the length of a cache if an exception ends the scope. A model of many layers has one for each layer's cache.
template <Scalar T>
class CacheRollback {
  public:
    explicit CacheRollback(KeyValueCache<T>& cache)
        : cache_(cache), length_(cache.length()), exceptions_(std::uncaught_exceptions()) {}
    ~CacheRollback() {
        if (std::uncaught_exceptions() > exceptions_ && cache_.length() > length_) cache_.truncate(length_);
    }
    CacheRollback(const CacheRollback&) = delete;
    CacheRollback& operator=(const CacheRollback&) = delete;

  private:
    KeyValueCache<T>& cache_;
    Index length_;
    int exceptions_;
};

extern template class KeyValueCache<float>;
extern template class KeyValueCache<double>;

}  // namespace gradproof
