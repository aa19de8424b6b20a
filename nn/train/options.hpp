// The options of training runs: a struct for each task, and a line for each option, from which its checks, the config in a
// checkpoint, the command-line option and its help are made.
//
//   ExpressionTrainOptions o{.epochs = 3};
//   ExpressionTrainOptions::fields(o, [](const OptionField& field, auto& value) { print(field.name, value); });
//   validate(o);
//
// To add an option: a member, and a line in fields(), or in common_fields() with a member in both structs. It is a double, an
// Index, a std::uint64_t, a std::string or an enumeration with names(). It acts on the loss in batch_loss() of *_training.cpp;
// on the update through a member of UpdateOptions (typed_run.hpp, used in its step()), set in update_of() of *_training.cpp; on
// each entry of a gradient where updates read it, in the plain loops of optimiser.cpp and, by a member of AdamStep and SgdStep,
// in ops/kernels/simd/steps.cpp; on the model or the text through their own options, visited as o.model.x. Checkpoints from
// before lack it and are read with its default, which therefore has to be what was done before; and it needs a new version
// (tools/release/README.md), since one that lacks it and has this version is refused. Its key goes into
// tests/fuzz/corpus/checkpoint/*.json, its value into ConfigKeepsEveryOption of trainer_test.cpp, a count into CountsWithoutEnd
// of tests/tools/faults_test.cpp. One that goes with one optimiser only is refused in fit_to_kind(). An option that no checkpoint
// keeps is a member and a line of TrainCommand in tools/cli/train_options.hpp, and of expect_no_single_run() in train_seeds.cpp
// if --seeds has no use for it. Help and runs are recorded (tests/recorded); what a run prints first of its options stands in
// train_expressions.cpp and train_text.cpp of tools/cli.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

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
/// The value of an option, as it is written.
template <class T>
std::string option_text(const T& value) {
    if constexpr (NamedEnum<T>)
        return name_of(value);
    else
        return fmt::format("{}", value);
}
/// The value that has a name; none for a name that no value has.
template <NamedEnum E>
std::optional<E> value_named(std::string_view name) {
    for (std::size_t i = 0; i < names(E{}).size(); ++i)
        if (names(E{})[i] == name) return static_cast<E>(i);
    return std::nullopt;
}

/// The tasks that a model can be trained on.
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
inline constexpr OptionRange kPositiveFiniteOrNone{0, kPositiveFinite.high, "a positive finite number, or 0 for none"};
inline constexpr OptionRange kPositiveOrSuited{0, kPositiveFinite.high,
                                               "a positive finite number, or 0 for what suits the model"};
inline constexpr OptionRange kCount{1, 1e9};
inline constexpr OptionRange kCountOrNone{0, 1e9};
/// Errors  ValueError "train: NAME is VALUE, expected ...".
void expect_in_range(std::string_view name, double value, const OptionRange& range);
void expect_in_range(std::string_view name, Index value, const OptionRange& range);

/// Whether a resumed run may have another value.
enum class OnResume { same, other };

/// The description of an option.
struct OptionField {
    std::string_view name{};  ///< as a user writes it: "decay-steps"
    std::string_view help{};  ///< for --help; empty for an option that users cannot set
    OptionRange range{};
    OnResume resume = OnResume::same;
    std::string_view unset{};  ///< shown in the help in place of the default, if the default does not explain itself
    std::string_view key{};    ///< in a checkpoint; empty: the name, with _ for -
    std::string_view alias{};  ///< another spelling of the name
    std::string config_key() const;
};

/// The options of every task.
void common_fields(auto& o, auto&& visit) {
    using F = OptionField;
    visit(F{"dtype", "element type"}, o.precision);
    visit(F{"batch", "expressions, or windows of text, in a step", {1, 1e6}}, o.batch);
    visit(F{"lr", "learning rate", kPositiveFinite}, o.rate);
    visit(F{"seed", "seed of the initial parameters, the split and the batches"}, o.seed);
    visit(F{.name = "optimiser", .help = "optimiser", .alias = "optimizer"}, o.optimiser.kind);
    visit(F{"momentum", "momentum of sgd"}, o.optimiser.momentum);
    visit(F{"beta1"}, o.optimiser.beta1);
    visit(F{"beta2"}, o.optimiser.beta2);
    visit(F{"epsilon"}, o.optimiser.epsilon);
    visit(F{"weight-decay", "weight decay: decoupled with adamw; 0 by default with the others"}, o.optimiser.weight_decay);
    visit(F{"clip", "limit of the norm of all gradients together, 0 for none", kPositiveFiniteOrNone}, o.clip);
    visit(F{"warmup", "steps over which the rate rises", kCountOrNone}, o.warmup);
}

/// A run on the expressions of nn/tasks/expressions.hpp.
struct ExpressionTrainOptions {
    ModelKind model = ModelKind::single_head;
    Precision precision = Precision::f32;
    Index epochs = 30;
    Index batch = 64;
    double rate = 3e-3;
    std::uint64_t seed = 42;
    /// With less decay, models learn that Max is never 0 from the 2399 others where Max(0,0,0), the only one, is held out.
    OptimiserOptions optimiser{.momentum = 0.9, .weight_decay = 1};
    Index weight_decay_epochs = 0;  ///< epochs with weight decay; 0: what suits the model
    double embedding_spread = 0;    ///< standard deviation of the first values of the embedding; 0: what suits the model
    double clip = 1;                ///< limit of the global gradient norm; 0 does not clip
    Index warmup = 40;              ///< steps over which the rate rises to `rate`
    Index decay_epochs = 30;        ///< epochs over which it falls along a cosine, then keeps its floor; 0 keeps it constant.
                                    ///< Independent of `epochs`, so that 2 epochs and 2 more are the same run as 4.
    double validation_share = 0.2;

    static void fields(auto& o, auto&& visit) {
        using F = OptionField;
        visit(F{"model", "model"}, o.model);
        visit(F{"epochs", "epochs, counted from the start of the run", {1, 1e6}, OnResume::other}, o.epochs);
        common_fields(o, visit);
        visit(F{"decay-epochs", "epochs over which the rate falls along a cosine, 0 to keep it", {0, 1e6}}, o.decay_epochs);
        visit(F{"weight-decay-epochs", "epochs with weight decay", {0, 1e6}, OnResume::same, "22 for block, else all"},
              o.weight_decay_epochs);
        visit(F{"embedding-spread", "standard deviation of the first values of the embedding", kPositiveOrSuited, OnResume::same,
                "0.3 for single-head, 0.15 for multi-head, 0.2 for block"},
              o.embedding_spread);
        visit(F{"validation-share"}, o.validation_share);
    }
};

/// What options that are 0 stand for, of which each model has its own.
///   block       With decay to the end, the numbers before its normalisations become so small that gradients grow twentyfold, and
///               its answers stay uncertain. By epoch 22 of 30 decay has done its work. Its embedding is between the others'.
///   multi-head  Where Max(0,0,0), the only Max that is 0, is held out, heads that find digits by what they are look at a bracket
///               instead. While tokens are small beside positions, they learn where digits are.
struct SuitedOptions {
    Index weight_decay_epochs = 0;  ///< 0: all
    double embedding_spread = 0;
};
inline SuitedOptions suited(const ExpressionTrainOptions& o) {
    return {o.weight_decay_epochs > 0     ? o.weight_decay_epochs
            : o.model == ModelKind::block ? 22
                                          : 0,
            o.embedding_spread > 0             ? o.embedding_spread
            : o.model == ModelKind::multi_head ? 0.15
            : o.model == ModelKind::block      ? 0.2
                                               : 0.3};
}

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
        using F = OptionField;
        visit(F{"data", "the file; UTF-8 for characters", {}, OnResume::other}, o.data);
        visit(F{"symbols", "what a token is"}, o.text.symbols);
        visit(F{.name = "held-out",
                .help = "share at the end that is not trained on, at most 1048576 symbols",
                .key = "held_out_share"},
              o.text.held_out_share);
        visit(F{"held-out-most"}, o.text.held_out_most);
        visit(F{"context", "positions that the model sees"}, o.model.context);
        visit(F{"layers", "blocks"}, o.model.layers);
        visit(F{"heads", "heads of each block"}, o.model.heads);
        visit(F{"width", "channels"}, o.model.channels);
        visit(F{"hidden", "width inside the feed-forward parts", {}, OnResume::same, "four times the width"}, o.model.hidden);
        visit(F{"positions", "how the position of a token enters the model"}, o.model.positions);
        visit(F{"steps", "steps, counted from the start of the run", kCount, OnResume::other}, o.steps);
        common_fields(o, visit);
        visit(F{"decay-steps", "steps over which the rate falls along a cosine", kCountOrNone, OnResume::same,
                "as many as there are"},
              o.decay_steps);
        visit(F{"interval", "steps from one report and sample to the next", kCount, OnResume::other}, o.interval);
    }
};

/// What goes with one optimiser only: a weight decay that is not to be kept is 0 but for adamw, whom alone its default suits, and
/// a momentum is for sgd. `momentum` is how it is called where somebody set it, else "". Errors: ValueError for one beside
/// another optimiser.
void fit_to_kind(OptimiserOptions& options, bool keeps_decay, const std::string& momentum);

/// Errors  ValueError naming the option, its value and what was expected. The sizes of a language model, the share held out and
/// what belongs to the optimiser are checked where they are used.
void validate(const ExpressionTrainOptions& options);
void validate(const TextTrainOptions& options);

}  // namespace gradproof
