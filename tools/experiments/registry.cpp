// The list of experiments.
#include "tools/experiments/registry.hpp"

#include <array>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"

namespace gradproof::experiments {
namespace {

constexpr Experiment kExperiments[] = {
    {1, "patterns", "Attention patterns through training",
     "The single-head model on Max, Min and First: what position 0 attends to on held-out expressions after epochs 1, 10 and "
     "100, and the entropy of it.",
     run_patterns},
    {2, "ablations", "One part changed at a time",
     "Small attention models on the expressions: scaling, d_k, number of heads, values moved to other positions, residual paths; "
     "and the causal mask on random digits.",
     run_ablations},
    {3, "variance", "Variance of scores and saturation of the softmax",
     "Queries and keys of independent standard normal entries: the variance of their product against d_k, and how far softmax "
     "over such scores saturates, "
     "with and without the division by sqrt(d_k).",
     run_variance},
    {4, "gradient-flow", "Gradient over distance",
     "The norm of the derivative of the last output with respect to each input, at first values: attention, RNN (two first "
     "matrices), LSTM, stacked convolutions.",
     run_gradient_flow},
    {5, "cost", "Cost against sequence length",
     "Processor time of forward and backward on one thread and memory kept between them, for growing lengths; exponents fitted "
     "to the longest ones, beside those of the theory.",
     run_cost},
    {6, "permutation", "Permutations of the input",
     "Self-attention before and after its input is permuted, with and without positions; then models trained with and without "
     "positions.",
     run_permutation},
    {7, "copy", "Copying a sequence",
     "Symbols, then as many blanks, each of which must repeat its symbol: attention with weights written down, and one learned "
     "head beside an RNN and an LSTM of equal steps.",
     run_copy},
    {8, "weights", "Singular values and ranks of the projections",
     "The single-head model: singular values and effective rank (the exponential of the entropy of the normalised values) of "
     "W_q, W_k, W_v and W_q W_kᵀ through training.",
     run_weights},
    {9, "clusters", "Clusters of attention patterns",
     "A model of two layers of four heads: what each head attends to from each position, its similarity between inputs, and "
     "clusters of the mean patterns by average linkage.",
     run_clusters},
    {10, "pruning", "Pruning and redundancy of heads",
     "Models of 4 and 8 heads: held-out accuracy without single heads and without more and more of them, beside how alike the "
     "heads attend.",
     run_pruning},
    {11, "entropy", "Entropy against accuracy",
     "The single head: entropy of what position 0 attends to against accuracy, through training and between inputs; then trained "
     "scores multiplied by a factor.",
     run_entropy},
    {12, "random-patterns", "Random against trained patterns",
     "The single head: statistics of trained and of first attention, and held-out accuracy when the weights are replaced by "
     "random or foreign ones.",
     run_random_patterns},
    {13, "pitfalls", "Pitfalls reproduced and detected",
     "Uniform and over-focused attention, vanishing gradients and values that are not finite are each brought about; a monitor "
     "looks at weights, gradients and loss every 10 steps.",
     run_pitfalls},
    {14, "interpretability", "Limits of reading attention",
     "Four heads of size 4, fewer than the 8 positions: for each input other attention weights with the same output; then the "
     "weight of a position, and its first-order effect, against the harm of removing it.",
     run_interpretability},
};

}  // namespace

std::string text(const Value& value) {
    if (const auto* s = std::get_if<std::string>(&value)) return *s;
    if (const auto* i = std::get_if<Index>(&value)) return std::to_string(*i);
    return figures::number(std::get<double>(value));
}

std::string_view text(Verdict verdict) {
    static constexpr std::string_view kTexts[] = {"held", "did not hold", "cannot tell"};
    return kTexts[static_cast<int>(verdict)];
}

Verdict Finding::verdict() const {
    const double least = measured.value - measured.error, most = measured.value + measured.error;
    if (std::isnan(measured.value) || most < low || least > high) return Verdict::refuted;
    return least >= low && most <= high ? Verdict::held : Verdict::open;
}

std::string Finding::measured_text() const {
    return figures::number(measured.value) + (measured.error == 0 ? "" : " ± " + figures::number(measured.error, 2));
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
    value_error("experiment: no experiment named {}; {}", printable(name, 60),
                near.empty() ? "see gradproof experiment list" : "did you mean " + near);
}

}  // namespace gradproof::experiments
