// `gradproof train --seeds N`: one model trained with many seeds, as a table.
#pragma once

#include "tools/cli/train_options.hpp"

namespace gradproof::cli {

/// Errors: ValueError for options that a run over several seeds has no use for.
void expect_no_single_run(const TrainCommand& command);
/// Returns the exit status.
int train_seeds(const TrainCommand& command, const TypedOptions& typed);

}  // namespace gradproof::cli
