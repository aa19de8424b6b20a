// Rows of token ids with their answers, split into parts and dealt out in batches.
//
//   const Split split = split_rows(data.count(), 0.2, 42);       // 80 % of the rows to train on, 20 % to validate
//   EpochBatches batches(split.training, 64, 42);
//   const Examples batch = data.rows(batches.of_step(0));
#pragma once

#include <span>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

struct Examples {
    Tensor<Index> ids{};      ///< [N, T]
    Tensor<Index> answers{};  ///< [N], or [N, T] where every position has one
    Index count() const { return ids.dim(0); }
    Index answers_per_row() const { return answers.size() / answers.dim(0); }
    std::span<const Index> row(Index i) const { return {ids.data() + i * ids.dim(1), static_cast<std::size_t>(ids.dim(1))}; }
    /// Some of the rows, in this order.
    Examples rows(std::span<const Index> which) const;
};

struct Split {
    std::vector<Index> training{};
    std::vector<Index> validation{};
};
/// A seeded random split of 0 .. count-1. Errors: ValueError unless both parts have at least one row.
Split split_rows(Index count, double validation_share, std::uint64_t seed);

/// The rows of each training step. Every epoch deals out all rows in a new order, which depends on the seed and the epoch only;
/// its last batch is shorter where the batch size does not divide the rows.
class EpochBatches {
  public:
    EpochBatches(std::vector<Index> rows, Index batch, std::uint64_t seed);
    /// Steps of an epoch.
    Index per_epoch() const { return (static_cast<Index>(rows_.size()) + batch_ - 1) / batch_; }
    /// The rows of the step that follows `steps_done` others. Valid until the next call.
    std::span<const Index> of_step(Index steps_done);

  private:
    std::vector<Index> rows_, order_;
    Index batch_, order_epoch_ = -1;
    std::uint64_t seed_;
};

}  // namespace gradproof
