// Checkpoints: a folder with config.json (how the run was started) and model.safetensors (every tensor and the position).
//
//   save_checkpoint(*training, "runs/block");
//   auto training = load_checkpoint("runs/block");     // goes on bit for bit
//
// Parameters, optimiser state and the step stand in one file that is replaced as a whole: a run that is killed while it
// writes leaves the checkpoint of before.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "nn/trainer.hpp"

namespace gradproof {

/// The names of the two files.
std::filesystem::path config_file(const std::filesystem::path& folder);
std::filesystem::path model_file(const std::filesystem::path& folder);

/// Writes both files; the folder must exist. Errors: IoError.
void save_checkpoint(const Training& training, const std::filesystem::path& folder);

/// The options a checkpoint was trained with. Errors: IoError for a folder without one, and for one that does not hold what it says.
TrainOptions read_config(const std::filesystem::path& folder);
/// The run, ready to go on, to `epochs` in all where given. Errors: IoError.
std::unique_ptr<Training> load_checkpoint(const std::filesystem::path& folder, std::optional<Index> epochs = std::nullopt);

}  // namespace gradproof
