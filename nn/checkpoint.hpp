// Checkpoints: a folder with model.safetensors (every tensor, the position, and the config) and config.json, the config to read.
//
//   save_checkpoint(*training, "runs/block");
//   auto training = load_checkpoint("runs/block");     // goes on bit for bit
//
// All that a run needs stands in one file that is replaced as a whole: a run that is killed while it writes leaves the
// checkpoint of before.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "gradproof/nn/expression_training.hpp"
#include "gradproof/nn/text_training.hpp"

namespace gradproof {

/// The names of the two files.
std::filesystem::path config_file(const std::filesystem::path& folder);
std::filesystem::path model_file(const std::filesystem::path& folder);

/// Writes both files; the folder must exist. Errors: IoError.
void save_checkpoint(const TrainingRun& run, const std::filesystem::path& folder);

/// What the run in a folder trains on. Errors, here and below: IoError for a folder without a checkpoint, one of
/// another task, and one that does not hold what it says.
Task checkpoint_task(const std::filesystem::path& folder);

/// The options a run on the expressions was started with.
TrainOptions read_config(const std::filesystem::path& folder);
/// That run, ready to go on, to `epochs` in all where given.
std::unique_ptr<Training> load_checkpoint(const std::filesystem::path& folder, std::optional<Index> epochs = std::nullopt);

/// The options a run on a text was started with.
TextTrainOptions read_text_config(const std::filesystem::path& folder);
/// That run, ready to go on with `options`, of which the model must be that of the checkpoint.
/// Errors: also where the text is another.
std::unique_ptr<TextTraining> load_text_checkpoint(const std::filesystem::path& folder, const TextTrainOptions& options);
/// Its model alone, without the text.
std::unique_ptr<TextModel> load_text_model(const std::filesystem::path& folder);

}  // namespace gradproof
