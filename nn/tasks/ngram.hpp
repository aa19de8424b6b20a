// An n-gram model of a text: what a language model is measured against.
//
//   NgramModel ngram(5, vocabulary);
//   ngram.read({}, training_ids);
//   ngram.bits(training_ids.last(5), held_out_ids);      // that the held-out symbols cost
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// Counts by 64-bit key in one flat table, 16 bytes a place, of which a third to two thirds are taken.
class CountTable {
  public:
    struct Entry {
        std::uint64_t key = 0;  ///< 0: free
        std::uint32_t count = 0, distinct = 0;
    };
    CountTable();
    /// The entry of a key, made with 0 where it is missing; valid until the next call.
    Entry& operator[](std::uint64_t key);
    /// One of 0 where the key is missing.
    const Entry& find(std::uint64_t key) const { return entries_[place(key)]; }
    std::size_t size() const { return used_; }

  private:
    std::size_t place(std::uint64_t key) const;
    void grow();
    std::vector<Entry> entries_;
    std::size_t used_ = 0;
};

/// The probability of a symbol from the `order` symbols before it, smoothed by those of shorter contexts down to the uniform one:
///   p(c | h) = (n(h c) + d(h) p(c | h')) / (n(h) + d(h)),
///   d(h) the number of different symbols seen after h, h' one symbol shorter.
/// Source  Witten and Bell 1991, method C.   Errors  ValueError for an order outside 0 to 16 or a vocabulary below 1.
class NgramModel {
  public:
    NgramModel(int order, Index vocabulary);
    /// Counts each of `ids` after those before it, the first ones after `before`.
    void read(std::span<const Index> before, std::span<const Index> ids);
    /// The probability of `next` after `before`, of which the last `order` count.
    double probability(std::span<const Index> before, Index next) const;
    /// The bits that `ids` cost, each told from those before it, the first ones from `before` too.
    double bits(std::span<const Index> before, std::span<const Index> ids) const;
    /// Different contexts, and symbols after them, seen so far.
    std::size_t entries() const { return table_.size(); }

  private:
    int order_;
    Index vocabulary_;
    CountTable table_;  // n(h) and d(h) of contexts, n(h c) of what follows them
};

}  // namespace gradproof
