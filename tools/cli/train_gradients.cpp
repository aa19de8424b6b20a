// Rows of gradient norms: collected, read again after a stop, written, drawn.
#include "tools/cli/train_gradients.hpp"

#include <charconv>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "gradproof/core/platform/files.hpp"
#include "tools/figures/parameter_panels.hpp"

namespace gradproof::cli {

GradientNorms::GradientNorms(const TrainingRun& run, const std::filesystem::path& folder) {
    for (const auto& [name, shape] : run.parameter_shapes()) names_.push_back(name);
    norms_.resize(names_.size());
    if (run.steps_done() > 0) read(folder / kGradientsCsv, run.steps_done());
}

std::string GradientNorms::header() const {
    std::string out = "step";
    for (const std::string& name : names_) out += "," + name;
    return out;
}

void GradientNorms::read(const std::filesystem::path& path, Index step) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return;
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line) || line != header()) return;
    while (std::getline(file, line)) {
        std::vector<double> row;
        const char* at = line.data();
        const char* const end = at + line.size();
        while (at < end) {
            double number = 0;
            const auto [next, failed] = std::from_chars(at, end, number);
            if (failed != std::errc() || !std::isfinite(number)) return;
            row.push_back(number);
            at = next < end ? next + 1 : end;
        }
        const bool increasing = !row.empty() && row[0] >= 1 && (steps_.empty() || row[0] > steps_.back());
        if (row.size() != names_.size() + 1 || !increasing || row[0] > static_cast<double>(step)) return;
        steps_.push_back(row[0]);
        for (std::size_t i = 0; i < names_.size(); ++i) norms_[i].push_back(row[i + 1]);
    }
}

void GradientNorms::take(Index step, const std::vector<GradientStats>& gradients) {
    const auto at = static_cast<double>(step);
    if (gradients.size() != names_.size() || (!steps_.empty() && at <= steps_.back())) return;
    steps_.push_back(at);
    for (std::size_t i = 0; i < names_.size(); ++i) norms_[i].push_back(gradients[i].norm);
}

void GradientNorms::write(const std::filesystem::path& folder) const {
    std::string text = header() + "\n";
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        text += fmt::format("{}", static_cast<Index>(steps_[k]));
        for (const auto& norms : norms_) text += fmt::format(",{}", norms[k]);
        text += "\n";
    }
    write_file_atomically(folder / kGradientsCsv, std::string_view(text));
}

void GradientNorms::draw(const std::filesystem::path& folder) const {
    if (steps_.empty()) return;
    const figures::Figure picture =
        figures::draw(figures::ParameterPanels{.title = "Gradient norm of each parameter over training",
                                               .label = "norm",
                                               .names = names_,
                                               .steps = steps_,
                                               .values = norms_});
    write_file_atomically(folder / kGradientsSvg, std::string_view(figures::svg_document(picture)));
}

}  // namespace gradproof::cli
