// Options of the train command into options of a run: names, defaults, and what --resume may change.
#pragma once

#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/nn/optimiser.hpp"
#include "tools/cli/train_command.hpp"

namespace gradproof::cli {

template <class E, std::size_t N>
E one_of(std::string_view option, const std::string& name, const std::array<std::string_view, N>& names) {
    for (std::size_t i = 0; i < N; ++i)
        if (names[i] == name) return static_cast<E>(i);
    std::string known;
    for (const auto n : names) known += (known.empty() ? "" : ", ") + std::string(n);
    const std::string near = nearest(name, names);
    value_error("train: {} {} is not known: expected one of {}{}", option, printable(name), known,
                near.empty() ? "" : "; did you mean " + near);
}

/// Takes a typed option into the options of the run; with --resume it may only repeat what the checkpoint says.
class Merge {
  public:
    explicit Merge(const std::string& resume) : resume_(resume) {}
    template <class T>
    void operator()(std::string_view option, const std::optional<T>& typed, T& into) const {
        if (!typed) return;
        if (!resume_.empty() && !(*typed == into)) differs(option, fmt::format("{}", *typed), fmt::format("{}", into));
        into = *typed;
    }
    template <class E, std::size_t N>
    void operator()(std::string_view option, const std::optional<std::string>& typed, E& into,
                    const std::array<std::string_view, N>& names) const {
        if (!typed) return;
        const E value = one_of<E>(option, *typed, names);
        if (!resume_.empty() && value != into) differs(option, *typed, name_of(names, into));
        into = value;
    }

  private:
    [[noreturn]] void differs(std::string_view option, const std::string& typed, const std::string& was) const {
        value_error("train: {} differs from the checkpoint: {} is {}, {} was trained with {}; leave it out to resume", option,
                    option, typed, resume_, was);
    }
    const std::string& resume_;
};

/// The options that all tasks have.
template <class Options>
void merge_common(const Merge& merge, const TrainCommand& c, Options& o) {
    merge("--dtype", c.dtype, o.precision, kPrecisionNames);
    merge("--optimiser", c.optimiser, o.optimiser.kind, kOptimiserNames);
    merge("--batch", c.batch, o.batch);
    merge("--lr", c.rate, o.rate);
    merge("--seed", c.seed, o.seed);
    merge("--clip", c.clip, o.clip);
    if (c.resume.empty() && o.optimiser.kind != OptimiserKind::adamw)
        o.optimiser.weight_decay = 0;  // the default suits adamw only
    merge("--weight-decay", c.weight_decay, o.optimiser.weight_decay);
    if (c.momentum && o.optimiser.kind != OptimiserKind::sgd)
        value_error("train: --momentum is of sgd, the optimiser is {}", name_of(kOptimiserNames, o.optimiser.kind));
    merge("--momentum", c.momentum, o.optimiser.momentum);
    merge("--warmup", c.warmup, o.warmup);
}

}  // namespace gradproof::cli
