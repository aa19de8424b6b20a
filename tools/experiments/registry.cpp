// The list of experiments.
#include "tools/experiments/registry.hpp"

#include <array>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/io/file.hpp"

namespace gradproof::experiments {
namespace {

constexpr Experiment kExperiments[] = {
    {1, "patterns", "Attention patterns through training",
     "The single-head model on Max, Min and First: what position 0 attends to on held-out expressions after epochs 1, 10 and 100, and the entropy of it.", run_patterns},
    {3, "variance", "Variance of scores and saturation of the softmax",
     "Queries and keys of independent standard normal entries: the variance of their product against d_k, and how far softmax over such scores saturates, "
     "with and without the division by sqrt(d_k).",
     run_variance},
    {6, "permutation", "Permutations of the input",
     "Self-attention before and after its input is permuted, with and without positions; then models trained with and without positions.", run_permutation},
    {8, "weights", "Singular values and ranks of the projections",
     "The single-head model: singular values and effective rank (the exponential of the entropy of the normalised values) of W_q, W_k, W_v and W_q W_kᵀ through training.",
     run_weights},
};

}  // namespace

std::string text(const Value& value) {
    if (const auto* s = std::get_if<std::string>(&value)) return *s;
    if (const auto* i = std::get_if<Index>(&value)) return std::to_string(*i);
    return figures::number(std::get<double>(value));
}

std::string Finding::expected() const {
    if (std::isinf(high)) return ">= " + figures::number(low);
    if (std::isinf(low)) return "<= " + figures::number(high);
    return figures::number(low) + " to " + figures::number(high);
}

std::span<const Experiment> all_experiments() { return kExperiments; }

const Experiment& find_experiment(const std::string& name) {
    std::vector<std::string> known;
    for (const Experiment& e : kExperiments) {
        if (e.name == name) return e;
        known.emplace_back(e.name);
    }
    const std::string near = nearest(name, known);
    value_error("experiment: no experiment named {}; {}", printable(name, 60), near.empty() ? "see gradproof experiment list" : "did you mean " + near);
}

}  // namespace gradproof::experiments
