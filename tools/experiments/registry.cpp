// The list of experiments, and the texts of values and findings.
#include "tools/experiments/experiment.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"

namespace gradproof::experiments {
namespace {

std::vector<Experiment>& registered() {
    static std::vector<Experiment> all;
    return all;
}

}  // namespace

std::string text(const Value& value) {
    if (const auto* s = std::get_if<std::string>(&value)) return *s;
    if (const auto* i = std::get_if<Index>(&value)) return std::to_string(*i);
    return figures::number(std::get<double>(value));
}

std::string_view text(Outcome outcome) {
    static constexpr std::string_view kTexts[] = {"held", "did not hold", "cannot tell"};
    return kTexts[static_cast<int>(outcome)];
}

Outcome Finding::outcome() const {
    const double least = measured.value - measured.error, most = measured.value + measured.error;
    if (std::isnan(measured.value) || most < low || least > high) return Outcome::refuted;
    return least >= low && most <= high ? Outcome::held : Outcome::open;
}

std::string Finding::measured_text() const {
    return figures::number(measured.value) + (measured.error == 0 ? "" : " ± " + figures::number(measured.error, 2));
}

std::string Finding::expected() const {
    if (std::isinf(high)) return ">= " + figures::number(low);
    if (std::isinf(low)) return "<= " + figures::number(high);
    return figures::number(low) + " to " + figures::number(high);
}

NewExperiment::NewExperiment(const Experiment& experiment) {
    std::vector<Experiment>& all = registered();
    const auto by_number = [](const Experiment& a, const Experiment& b) { return a.number < b.number; };
    all.insert(std::upper_bound(all.begin(), all.end(), experiment, by_number), experiment);
}

std::span<const Experiment> all_experiments() { return registered(); }

const Experiment& find_experiment(const std::string& name) {
    std::vector<std::string> known;
    for (const Experiment& e : registered()) {
        if (e.name == name) return e;
        known.emplace_back(e.name);
    }
    value_error("experiment: no experiment named {}{}", printable(name, 60),
                did_you_mean(name, known, "; see gradproof experiment list"));
}

}  // namespace gradproof::experiments
