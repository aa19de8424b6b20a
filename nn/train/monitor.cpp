// Statistics of attention weights, and the symptoms that the numbers of a step show.
#include "gradproof/nn/train/monitor.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"

namespace gradproof {
namespace {

/// "a, b and 3 more"
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 3;
    std::string out;
    for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) out += (i == 0 ? "" : ", ") + names[i];
    return names.size() > kShown ? fmt::format("{} and {} more", out, names.size() - kShown) : out;
}

void look_for_not_finite(const TrainingStats& s, std::vector<TrainingWarning>& out) {
    std::vector<std::string> bad = s.not_finite;
    if (!std::isfinite(s.loss)) bad.push_back(fmt::format("the loss ({})", s.loss));
    if (s.attention.not_finite > 0) bad.push_back(fmt::format("{} attention weights", s.attention.not_finite));
    for (const GradientStats& g : s.gradients)
        if (!std::isfinite(g.norm)) bad.push_back("the gradient of " + g.name);
    if (bad.empty()) return;
    out.push_back({Symptom::not_finite, listed(bad) + " not finite",
                   "lower the learning rate, clip gradients, scale the scores by 1/sqrt(d_k), and look for NaN in the data"});
}

void look_for_vanishing(const TrainingStats& s, const MonitorLimits& limits, std::vector<TrainingWarning>& out) {
    double largest = -1;
    for (const GradientStats& g : s.gradients)
        if (std::isfinite(g.norm)) largest = std::max(largest, g.root_mean_square());
    if (largest < 0) return;  // no gradient is finite
    const std::string advice =
        "look at the saturation of the attention, scale its scores by 1/sqrt(d_k), add residual paths or a normalisation, draw "
        "smaller first weights";
    if (largest < limits.vanished) {
        out.push_back({Symptom::vanishing_gradient,
                       fmt::format("all of them: the largest root mean square is {:.2g}, below {:.2g}", largest, limits.vanished),
                       advice});
        return;
    }
    std::vector<std::string> small;
    double least = 1;
    for (const GradientStats& g : s.gradients) {
        const double share = g.root_mean_square() / largest;
        if (!(share < limits.vanishing)) continue;
        small.push_back(g.name);
        least = std::min(least, share);
    }
    if (small.empty()) return;
    out.push_back(
        {Symptom::vanishing_gradient,
         fmt::format("{}: root mean square down to {:.2g} of the largest, below {:.2g}", listed(small), least, limits.vanishing),
         advice});
}

void look_at_attention(const TrainingStats& s, const MonitorLimits& limits, bool learned, std::vector<TrainingWarning>& out) {
    const AttentionStats& a = s.attention;
    if (a.rows == 0 || a.not_finite > 0 || learned) return;
    if (a.saturated >= limits.focused)
        out.push_back(
            {Symptom::over_focused,
             fmt::format(
                 "{:.0f} % of queries give one key at least 0.99, limit {:.0f} %; mean entropy {:.3f} of the largest possible",
                 100 * a.saturated, 100 * limits.focused, a.entropy),
             "scale the scores by 1/sqrt(d_k) or raise the softmax temperature, lower the learning rate, regularise W_q and "
             "W_k"});
    if (a.entropy >= limits.uniform && s.step >= limits.patience)
        out.push_back({Symptom::uniform_attention,
                       fmt::format("mean entropy {:.4f} of the largest possible after {} steps, limit {:.4f}", a.entropy, s.step,
                                   limits.uniform),
                       "raise the learning rate or train longer, check that scores are not scaled down too far, and that "
                       "positions and tokens reach W_q and W_k"});
}

}  // namespace

double GradientStats::root_mean_square() const { return norm / std::sqrt(static_cast<double>(std::max<Index>(count, 1))); }

AttentionStats merged(const AttentionStats& a, const AttentionStats& b) {
    const Index rows = a.rows + b.rows;
    const double share = rows == 0 ? 0 : static_cast<double>(b.rows) / static_cast<double>(rows);
    const auto mean = [&](double x, double y) { return x + share * (y - x); };
    return {.rows = rows,
            .entropy = mean(a.entropy, b.entropy),
            .largest = mean(a.largest, b.largest),
            .saturated = mean(a.saturated, b.saturated),
            .not_finite = a.not_finite + b.not_finite};
}

template <Scalar T>
AttentionStats attention_stats(const Tensor<T>& w, bool causal) {
    const Shape& shape = w.shape();
    if (shape.rank() < 1 || (causal && (shape.rank() < 2 || shape.last(1) > shape.last(0))))
        shape_error("attention_stats: weights are {}, expected {}", shape, causal ? "[..., L, n] with L <= n" : "[..., n]");
    constexpr double kSaturated = 0.99;
    const Index n = shape.last(0), queries = causal ? shape.last(1) : 1;
    AttentionStats out;
    for (Index r = 0; n > 0 && r < w.size() / n; ++r) {
        const Index keys = causal ? n - queries + r % queries + 1 : n;
        double entropy = 0, largest = 0;
        bool finite = true;
        for (Index j = 0; j < n; ++j) {
            const auto p = static_cast<double>(w[r * n + j]);
            if (!std::isfinite(p)) {
                finite = false;
                ++out.not_finite;
            } else if (p > 0) {
                entropy -= p * std::log(p);
                largest = std::max(largest, p);
            }
        }
        if (keys < 2 || !finite) continue;
        ++out.rows;
        out.entropy += entropy / std::log(static_cast<double>(keys));
        out.largest += largest;
        out.saturated += largest >= kSaturated ? 1 : 0;
    }
    if (out.rows == 0) return out;
    for (double* mean : {&out.entropy, &out.largest, &out.saturated}) *mean /= static_cast<double>(out.rows);
    return out;
}
template AttentionStats attention_stats(const Tensor<float>&, bool);
template AttentionStats attention_stats(const Tensor<double>&, bool);

std::string_view name(Symptom symptom) {
    switch (symptom) {
        case Symptom::not_finite: return "values that are not finite";
        case Symptom::vanishing_gradient: return "vanishing gradient";
        case Symptom::over_focused: return "over-focused attention";
        case Symptom::uniform_attention: return "uniform attention";
    }
    return "";
}

std::string TrainingWarning::text() const { return fmt::format("{}: {}", name(symptom), evidence); }

std::vector<TrainingWarning> training_warnings(const TrainingStats& stats, const MonitorLimits& limits) {
    std::vector<TrainingWarning> out;
    const bool learned = stats.first_loss > 0 && stats.loss < limits.learned * stats.first_loss;
    look_for_not_finite(stats, out);
    if (!learned) look_for_vanishing(stats, limits, out);
    look_at_attention(stats, limits, learned, out);
    return out;
}

}  // namespace gradproof
