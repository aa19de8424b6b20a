// The gradient norm of each parameter over a run, as gradients.csv and gradients.svg.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gradproof/nn/train/trainer.hpp"

namespace gradproof::cli {

constexpr const char* kGradientsCsv = "gradients.csv";
constexpr const char* kGradientsSvg = "gradients.svg";

/// Norms before clipping: of the first step, and of the last step of each interval.
class GradientNorms {
  public:
    /// Begins with the rows up to the step reached of a gradients.csv in `folder`, if there is one of these parameters.
    GradientNorms(const TrainingRun& run, const std::filesystem::path& folder);
    void take(Index step, const std::vector<GradientStats>& gradients);
    /// Replaces gradients.csv.
    void write(const std::filesystem::path& folder) const;
    /// Replaces gradients.svg, where there is something to draw.
    void draw(const std::filesystem::path& folder) const;

  private:
    std::string header() const;
    void read(const std::filesystem::path& path, Index step);
    std::vector<std::string> names_;
    std::vector<double> steps_;
    std::vector<std::vector<double>> norms_;  ///< of each parameter at each of the steps
};

}  // namespace gradproof::cli
