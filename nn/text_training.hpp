// Training a language model on a text file: its options, and one run.
//
//   auto run = make_text_training({.data = "book.txt", .steps = 2000});
//   run->train({.on_interval = [](const IntervalReport& r) { print(r.validation.loss / std::log(2)); }});     // bits a symbol
//   run->model().sample("In the beginning", {.count = 200}, [](std::string_view symbol) { print(symbol); });
#pragma once

#include <memory>
#include <string>

#include "gradproof/nn/optimiser.hpp"
#include "gradproof/nn/run.hpp"
#include "gradproof/nn/text_model.hpp"

namespace gradproof {

struct TextTrainOptions {
    std::string data{};  ///< a file
    TextOptions text{};
    LanguageModelOptions model{};  ///< its vocabulary is that of the text
    Precision precision = Precision::f32;
    Index steps = 2000;
    Index batch = 16;  ///< windows a step, of context + 1 symbols at random places
    double rate = 3e-3;
    std::uint64_t seed = 42;
    OptimiserOptions optimiser{.beta2 = 0.99, .weight_decay = 0.1};
    double clip = 1;        ///< of the global gradient norm; 0 does not clip
    Index warmup = 100;     ///< steps over which the rate rises to `rate`
    Index decay_steps = 0;  ///< steps over which it falls along a cosine; 0: `steps` as the run was started with
    Index interval = 100;   ///< steps from one report to the next
};
/// What a checkpoint keeps beside the options: the text must be the same when a run goes on.
struct TextFacts {
    Vocabulary vocabulary{};
    Index symbols = 0, bytes = 0;
    std::uint64_t checksum = 0;
};
/// Errors  ValueError naming the option, what it is and what was expected.
void validate(const TextTrainOptions& options);

class TextTraining : public TrainingRun {
  public:
    virtual const TextTrainOptions& options() const = 0;
    virtual const TextData& data() const = 0;
    Index steps_total() const override { return options().steps; }
    Index interval() const override { return options().interval; }
    Index epochs_done() const override {
        return steps_done() * options().batch * options().model.context / data().training().size();
    }

    /// Of windows evenly over what is held out: quick, for reports.
    Evaluation evaluate() override = 0;
    /// Bits a character over all that is held out: each symbol is told from at least half a context before it.
    virtual double held_out_bits() = 0;
    /// The model as it is now.
    virtual TextModel& model() = 0;
    /// The ids of the current step's windows, [batch, context + 1].
    virtual Tensor<Index> batch_ids() const = 0;
};

/// Errors  those of validate() and of TextData; ValueError for a text that is too short.
std::unique_ptr<TextTraining> make_text_training(const TextTrainOptions& options);

}  // namespace gradproof
