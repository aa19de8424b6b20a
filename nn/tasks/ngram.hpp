// An n-gram model of a text, as a baseline for language models.
//
//   NgramModel ngram(5, vocabulary);
//   ngram.read({}, training_ids);
//   ngram.bits(training_ids.last(5), held_out_ids);      // the bits needed to encode the held-out symbols
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// A hash table of counts by 64-bit key, 16 bytes an entry, between one and two thirds full.
class CountTable {
  public:
    struct Entry {
        std::uint64_t key = 0;  ///< 0: free
        std::uint32_t count = 0, distinct = 0;
    };
    CountTable();
    /// The entry of a key, created with counts 0 if it is missing; valid until the next call.
    Entry& operator[](std::uint64_t key);
    /// The entry of a key; one with counts 0 if it is missing.
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
    /// Counts each id after the ids before it; `before` precedes the first one.
    void read(std::span<const Index> before, std::span<const Index> ids);
    /// The probability of `next` after the last `order` ids of `before`.
    double probability(std::span<const Index> before, Index next) const;
    /// The bits needed to encode `ids`, each predicted from the ids before it; `before` precedes the first one.
    double bits(std::span<const Index> before, std::span<const Index> ids) const;
    /// The number of different contexts, and of symbols after them, seen so far.
    std::size_t entries() const { return table_.size(); }

  private:
    int order_;
    Index vocabulary_;
    CountTable table_;  // n(h) and d(h) of contexts, n(h c) of what follows them
};

}  // namespace gradproof
