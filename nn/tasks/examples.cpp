// Copies of rows, the seeded split, and the order of each epoch.
#include "gradproof/nn/tasks/examples.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/random.hpp"

namespace gradproof {
namespace {

// Streams of the run's seed, apart from those of the parameters.
constexpr std::uint64_t kSplitStream = 0x5eed0001, kOrderStream = 0x5eed0002;

/// Rows `which` of x [N, ...].
Tensor<Index> rows_of(const Tensor<Index>& x, std::span<const Index> which) {
    Shape shape = x.shape();
    shape[0] = static_cast<Index>(which.size());
    Tensor<Index> out(shape);
    const Index size = x.size() / x.dim(0);
    Index* to = out.data();
    for (const Index row : which) to = std::copy_n(x.data() + row * size, size, to);
    return out;
}

}  // namespace

Examples Examples::rows(std::span<const Index> which) const { return {rows_of(ids, which), rows_of(answers, which)}; }

Split split_rows(Index count, double validation_share, std::uint64_t seed) {
    const auto held = static_cast<Index>(std::llround(validation_share * static_cast<double>(count)));
    if (!(validation_share > 0 && validation_share < 1) || held < 1 || held >= count)
        value_error("split: both parts need a row: count is {}, validation share is {}", count, validation_share);
    const std::vector<Index> order = Random(seed).stream(kSplitStream).permutation(count);
    return {{order.begin() + held, order.end()}, {order.begin(), order.begin() + held}};
}

EpochBatches::EpochBatches(std::vector<Index> rows, Index batch, std::uint64_t seed)
    : rows_(std::move(rows)), batch_(batch), seed_(seed) {}

std::span<const Index> EpochBatches::of_step(Index steps_done) {
    const Index epoch = steps_done / per_epoch();
    if (epoch != order_epoch_) {
        order_ = rows_;
        Random(seed_).stream(kOrderStream).stream(static_cast<std::uint64_t>(epoch)).shuffle(order_);
        order_epoch_ = epoch;
    }
    const auto first = static_cast<std::size_t>(steps_done % per_epoch() * batch_);
    return std::span(order_).subspan(first, std::min(static_cast<std::size_t>(batch_), order_.size() - first));
}

}  // namespace gradproof
