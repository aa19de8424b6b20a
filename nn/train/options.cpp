// Checks of training options.
#include "gradproof/nn/train/options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/utf8.hpp"

namespace gradproof {
namespace {

template <class T>
void check_range(std::string_view name, T value, const OptionRange& range) {
    const auto x = static_cast<double>(value);
    const bool any = range.low == -INFINITY && range.high == INFINITY;
    if (any || (x >= range.low && x <= range.high)) return;
    const std::string expected = !range.words.empty() ? std::string(range.words)
                                 : x < range.low      ? fmt::format("at least {}", range.low)
                                                      : fmt::format("at most {:.0f}", range.high);
    value_error("train: {} is {}, expected {}", name, value, expected);
}

template <class Options>
void check_ranges(const Options& options) {
    Options::fields(options, [](const OptionField& field, const auto& value) {
        if constexpr (requires { expect_in_range(field.name, value, field.range); })
            expect_in_range(field.name, value, field.range);
    });
}

}  // namespace

void expect_in_range(std::string_view name, double value, const OptionRange& range) { check_range(name, value, range); }
void expect_in_range(std::string_view name, Index value, const OptionRange& range) { check_range(name, value, range); }

std::string OptionField::config_key() const {
    std::string out(key.empty() ? name : key);
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

void fit_to_kind(OptimiserOptions& o, bool keeps_decay, const std::string& momentum) {
    if (!keeps_decay && o.kind != OptimiserKind::adamw) o.weight_decay = 0;
    if (!momentum.empty() && o.kind != OptimiserKind::sgd)
        value_error("train: {} goes with sgd, and the optimiser is {}", momentum, name_of(o.kind));
}

void validate(const ExpressionTrainOptions& o) { check_ranges(o); }

void validate(const TextTrainOptions& o) {
    if (o.data.empty()) value_error("train: no text is named");
    if (!utf8::is_text(o.data))
        value_error("train: the text is named {}, expected a path in UTF-8: the checkpoint keeps it", printable(o.data, 400));
    check_ranges(o);
}

}  // namespace gradproof
