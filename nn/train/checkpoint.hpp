// Checkpoints: a folder with model.safetensors (every tensor, the position and the config) and config.json (the config again, for
// people to read).
//
//   save_checkpoint(*training, "runs/block");
//   auto training = load_expression_checkpoint("runs/block");     // continues to the same bits
//
// All that a run needs is in one file, which is replaced as a whole: if a run is killed while it writes, the previous checkpoint
// stays. It says which kernels the run was trained with, and has a checksum: parts of two checkpoints are no checkpoint.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "gradproof/nn/train/expression_training.hpp"
#include "gradproof/nn/train/text_training.hpp"

namespace gradproof {

/// The paths of the two files.
std::filesystem::path config_file(const std::filesystem::path& folder);
std::filesystem::path model_file(const std::filesystem::path& folder);

/// Writes both files; the folder must exist. Errors: IoError.
void save_checkpoint(const TrainingRun& run, const std::filesystem::path& folder);

/// What the run in a folder trains on.
/// Errors, here and below: IoError for a folder without a checkpoint, for a checkpoint of another task, and for a damaged one.
Task checkpoint_task(const std::filesystem::path& folder);

/// The options of a run on the expressions.
ExpressionTrainOptions read_expression_options(const std::filesystem::path& folder);
/// That run, ready to continue, with its own options or with others that describe the same model.
std::unique_ptr<ExpressionTraining> load_expression_checkpoint(const std::filesystem::path& folder,
                                                               std::optional<ExpressionTrainOptions> options = std::nullopt);

/// The options of a run on a text.
TextTrainOptions read_text_options(const std::filesystem::path& folder);
/// That run, ready to continue, with its own options or with others that describe the same model.
/// Errors: also IoError where the text is not the one that the run was started on.
std::unique_ptr<TextTraining> load_text_checkpoint(const std::filesystem::path& folder,
                                                   std::optional<TextTrainOptions> options = std::nullopt);
/// The model of a run on a text, without the text.
std::unique_ptr<TextModel> load_text_model(const std::filesystem::path& folder);

}  // namespace gradproof
