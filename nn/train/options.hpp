// The options of training runs: a struct for each task, and a line for each option, from which its checks, the config in a
// checkpoint, the command-line option and its help are made.
//
//   ExpressionTrainOptions o{.epochs = 3};
//   ExpressionTrainOptions::fields(o, [](const OptionField& field, auto& value) { print(field.name, value); });
//   validate(o);
//
// To add an option: a member, and a line in fields().
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "gradproof/core/attrs.hpp"
#include "gradproof/nn/language_model.hpp"
#include "gradproof/nn/models.hpp"
#include "gradproof/nn/optimiser.hpp"
#include "gradproof/nn/tasks/text.hpp"

namespace gradproof {

/// The name of a value.
template <NamedEnum E>
std::string name_of(E value) {
    return std::string(names(value)[static_cast<std::size_t>(value)]);
}
/// The value that has a name; none for a name that no value has.
template <NamedEnum E>
std::optional<E> value_named(std::string_view name) {
    for (std::size_t i = 0; i < names(E{}).size(); ++i)
        if (names(E{})[i] == name) return static_cast<E>(i);
    return std::nullopt;
}

/// What there is to train on.
enum class Task { expressions, text };
inline constexpr std::array<std::string_view, 2> names(Task) { return {"expressions", "text"}; }
/// The element type of a run.
enum class Precision { f32, f64 };
inline constexpr std::array<std::string_view, 2> names(Precision) { return {"f32", "f64"}; }

/// The numbers that an option takes.
struct OptionRange {
    double low = -INFINITY, high = INFINITY;  ///< ends included
    std::string_view words{};                 ///< what is expected; empty: "at least LOW" or "at most HIGH"
};
inline constexpr OptionRange kPositiveFinite{std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(),
                                             "a positive finite number"};
inline constexpr OptionRange kCount{1, 1e9};
inline constexpr OptionRange kCountOrNone{0, 1e9};
/// Errors  ValueError "train: NAME is VALUE, expected ...".
void expect_in_range(std::string_view name, double value, const OptionRange& range);
void expect_in_range(std::string_view name, Index value, const OptionRange& range);

/// What is known of an option beside its value.
struct OptionField {
    std::string_view name{};  ///< as a user writes it: "decay-steps"
    std::string_view help{};  ///< for --help; empty for an option that users cannot set
    OptionRange range{};
    bool may_change = false;   ///< a resumed run may have another value
    std::string_view unset{};  ///< what stands for the default in the help, where the value does not say it
    std::string_view key{};    ///< in a checkpoint; empty: the name, with _ for -
    std::string_view alias{};  ///< another spelling of the name
    std::string config_key() const;
};

/// The options of every task.
void common_fields(auto& o, auto&& visit) {
    visit(OptionField{.name = "dtype", .help = "element type"}, o.precision);
    visit(OptionField{.name = "batch", .help = "expressions, or windows of text, in a step", .range = {1, 1e6}}, o.batch);
    visit(OptionField{.name = "lr", .help = "learning rate", .range = kPositiveFinite}, o.rate);
    visit(OptionField{.name = "seed", .help = "seed of the initial parameters, the split and the batches"}, o.seed);
    visit(OptionField{.name = "optimiser", .help = "optimiser", .alias = "optimizer"}, o.optimiser.kind);
    visit(OptionField{.name = "momentum", .help = "momentum of sgd"}, o.optimiser.momentum);
    visit(OptionField{.name = "beta1"}, o.optimiser.beta1);
    visit(OptionField{.name = "beta2"}, o.optimiser.beta2);
    visit(OptionField{.name = "epsilon"}, o.optimiser.epsilon);
    visit(OptionField{.name = "weight-decay", .help = "weight decay: decoupled with adamw; 0 by default with the others"},
          o.optimiser.weight_decay);
    visit(OptionField{.name = "clip",
                      .help = "limit of the norm of all gradients together, 0 for none",
                      .range = {0, kPositiveFinite.high, "a positive finite number, or 0 for none"}},
          o.clip);
    visit(OptionField{.name = "warmup", .help = "steps over which the rate rises", .range = kCountOrNone}, o.warmup);
}

/// A run on the expressions of nn/tasks/expressions.hpp.
struct ExpressionTrainOptions {
    ModelKind model = ModelKind::single_head;
    Precision precision = Precision::f32;
    Index epochs = 30;
    Index batch = 64;
    double rate = 3e-3;
    std::uint64_t seed = 42;
    /// With less decay some seeds get one or two of the 600 held-out expressions wrong.
    OptimiserOptions optimiser{.momentum = 0.9, .weight_decay = 1};
    double clip = 1;          ///< limit of the global gradient norm; 0 does not clip
    Index warmup = 40;        ///< steps over which the rate rises to `rate`
    Index decay_epochs = 30;  ///< epochs over which it falls along a cosine, then keeps its floor; 0 keeps it constant.
                              ///< Independent of `epochs`, so that 2 epochs and 2 more are the same run as 4.
    double validation_share = 0.2;

    static void fields(auto& o, auto&& visit) {
        visit(OptionField{.name = "model", .help = "model"}, o.model);
        visit(
            OptionField{
                .name = "epochs", .help = "epochs, counted from the start of the run", .range = {1, 1e6}, .may_change = true},
            o.epochs);
        common_fields(o, visit);
        visit(OptionField{.name = "decay-epochs",
                          .help = "epochs over which the rate falls along a cosine, 0 to keep it",
                          .range = {0, 1e6}},
              o.decay_epochs);
        visit(OptionField{.name = "validation-share"}, o.validation_share);
    }
};

/// A run of a language model on a text file.
struct TextTrainOptions {
    std::string data{};  ///< the path of the file
    TextOptions text{};
    LanguageModelOptions model{};  ///< its vocabulary is that of the text
    Precision precision = Precision::f32;
    Index steps = 2000;
    Index batch = 16;  ///< windows in a step, of context + 1 symbols at random places
    double rate = 3e-3;
    std::uint64_t seed = 42;
    OptimiserOptions optimiser{.beta2 = 0.99, .weight_decay = 0.1};
    double clip = 1;        ///< limit of the global gradient norm; 0 does not clip
    Index warmup = 100;     ///< steps over which the rate rises to `rate`
    Index decay_steps = 0;  ///< steps over which it falls along a cosine; 0: `steps` as the run was started with
    Index interval = 100;   ///< steps from one report to the next

    static void fields(auto& o, auto&& visit) {
        visit(OptionField{.name = "data", .help = "the file; UTF-8 for characters", .may_change = true}, o.data);
        visit(OptionField{.name = "symbols", .help = "what a token is"}, o.text.symbols);
        visit(OptionField{.name = "held-out",
                          .help = "share at the end of the text that is not trained on, at most 1048576 symbols",
                          .key = "held_out_share"},
              o.text.held_out_share);
        visit(OptionField{.name = "held-out-most"}, o.text.held_out_most);
        visit(OptionField{.name = "context", .help = "positions that the model sees"}, o.model.context);
        visit(OptionField{.name = "layers", .help = "blocks"}, o.model.layers);
        visit(OptionField{.name = "heads", .help = "heads of each block"}, o.model.heads);
        visit(OptionField{.name = "width", .help = "channels"}, o.model.channels);
        visit(OptionField{.name = "hidden", .help = "width inside the feed-forward parts", .unset = "four times the width"},
              o.model.hidden);
        visit(OptionField{.name = "positions", .help = "how the place of a token enters the model"}, o.model.positions);
        visit(
            OptionField{.name = "steps", .help = "steps, counted from the start of the run", .range = kCount, .may_change = true},
            o.steps);
        common_fields(o, visit);
        visit(OptionField{.name = "decay-steps",
                          .help = "steps over which the rate falls along a cosine",
                          .range = kCountOrNone,
                          .unset = "the steps at the start of the run"},
              o.decay_steps);
        visit(
            OptionField{
                .name = "interval", .help = "steps from one report and sample to the next", .range = kCount, .may_change = true},
            o.interval);
    }
};

/// Errors  ValueError naming the option, its value and what was expected. The sizes of a language model, the share held out and
/// what belongs to the optimiser are checked where they are used.
void validate(const ExpressionTrainOptions& options);
void validate(const TextTrainOptions& options);

}  // namespace gradproof
