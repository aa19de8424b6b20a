// The n-gram model: hash keys of contexts, counts, and the probability by the recursion over orders.
#include "gradproof/nn/tasks/ngram.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/errors.hpp"

namespace gradproof {
namespace {

/// A 64-bit hash. Among ten million contexts, two have the same key in one of 400 000 texts.
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    x ^= x >> 31;
    return x == 0 ? 1 : x;
}
constexpr std::uint64_t kEmpty = 0x9E3779B97F4A7C15ULL;
std::uint64_t longer(std::uint64_t context, Index symbol) {
    return mixed(context + (static_cast<std::uint64_t>(symbol) + 1) * 0xD1342543DE82EF95ULL);
}
std::uint64_t with_next(std::uint64_t context, Index next) {
    return mixed(~context + (static_cast<std::uint64_t>(next) + 1) * 0xA0761D6478BD642FULL);
}

}  // namespace

CountTable::CountTable() : entries_(1024) {}

std::size_t CountTable::place(std::uint64_t key) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = key & mask;
    while (entries_[at].key != 0 && entries_[at].key != key) at = (at + 1) & mask;
    return at;
}

void CountTable::grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& e : old)
        if (e.key != 0) entries_[place(e.key)] = e;
}

CountTable::Entry& CountTable::operator[](std::uint64_t key) {
    std::size_t at = place(key);
    if (entries_[at].key == 0) {
        if (++used_ * 3 > entries_.size() * 2) {
            grow();
            at = place(key);
        }
        entries_[at].key = key;
    }
    return entries_[at];
}

NgramModel::NgramModel(int order, Index vocabulary) : order_(order), vocabulary_(vocabulary) {
    if (order < 0 || order > 16) value_error("n-gram: order is {}, expected 0 to 16", order);
    if (vocabulary < 1) value_error("n-gram: vocabulary is {}, expected at least 1", vocabulary);
}

void NgramModel::read(std::span<const Index> before, std::span<const Index> all_new) {
    std::vector<Index> ids(before.begin(), before.end());
    ids.insert(ids.end(), all_new.begin(), all_new.end());
    for (std::size_t i = before.size(); i < ids.size(); ++i) {
        std::uint64_t context = kEmpty;
        for (std::size_t k = 0; k <= static_cast<std::size_t>(order_) && k <= i; ++k) {
            if (k > 0) context = longer(context, ids[i - k]);
            const bool is_new = ++table_[with_next(context, ids[i])].count == 1;
            CountTable::Entry& of_context = table_[context];
            ++of_context.count;
            of_context.distinct += is_new;
        }
    }
}

double NgramModel::probability(std::span<const Index> before, Index next) const {
    double p = 1 / static_cast<double>(vocabulary_);
    std::uint64_t context = kEmpty;
    for (std::size_t k = 0; k <= static_cast<std::size_t>(order_) && k <= before.size(); ++k) {
        if (k > 0) context = longer(context, before[before.size() - k]);
        const CountTable::Entry& of_context = table_.find(context);
        if (of_context.count == 0) break;
        const double n = of_context.count, d = of_context.distinct;
        p = (table_.find(with_next(context, next)).count + d * p) / (n + d);
    }
    return p;
}

double NgramModel::bits(std::span<const Index> before, std::span<const Index> ids) const {
    std::vector<Index> all(before.begin(), before.end());
    all.insert(all.end(), ids.begin(), ids.end());
    double sum = 0;
    for (std::size_t i = before.size(); i < all.size(); ++i) sum -= std::log2(probability({all.data(), i}, all[i]));
    return sum;
}

}  // namespace gradproof
