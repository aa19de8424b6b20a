// How a run was started, as JSON: what a checkpoint keeps.
#pragma once

#include <string>

#include "gradproof/nn/expression_training.hpp"
#include "gradproof/nn/text_training.hpp"

namespace gradproof {

std::string config_text(const TrainOptions& options);
std::string config_text(const TextTrainOptions& options, const TextFacts& facts);

/// Errors  IoError naming `source` and the field, as all below.
Task config_task(const std::string& text, const std::string& source);
TrainOptions expressions_config(const std::string& text, const std::string& source);

struct TextConfig {
    TextTrainOptions options{};
    TextFacts facts{};
};
TextConfig text_config(const std::string& text, const std::string& source);

}  // namespace gradproof
