// The options of a run as JSON, as a checkpoint keeps them.
#pragma once

#include <string>

#include "gradproof/nn/train/expression_training.hpp"
#include "gradproof/nn/train/text_training.hpp"

namespace gradproof {

std::string config_text(const ExpressionTrainOptions& options);
std::string config_text(const TextTrainOptions& options, const TextFacts& facts);

/// Errors  IoError naming `source` and the field, here and below.
Task config_task(const std::string& text, const std::string& source);
ExpressionTrainOptions expression_config(const std::string& text, const std::string& source);

struct TextConfig {
    TextTrainOptions options{};
    TextFacts facts{};
};
TextConfig text_config(const std::string& text, const std::string& source);

}  // namespace gradproof
