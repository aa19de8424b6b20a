// A training run of a language model on a text file.
//
//   auto run = make_text_training({.data = "book.txt", .steps = 2000});
//   run->train({.on_interval = [](const IntervalReport& r) { print(r.validation.loss / std::log(2)); }});     // bits a symbol
//   run->model().sample("In the beginning", {.count = 200}, [](std::string_view symbol) { print(symbol); });
#pragma once

#include <memory>
#include <string>

#include "gradproof/nn/text_model.hpp"
#include "gradproof/nn/train/options.hpp"
#include "gradproof/nn/train/trainer.hpp"

namespace gradproof {

/// What a checkpoint keeps of the text, beside the options: a resumed run must have the same text.
struct TextFacts {
    Vocabulary vocabulary{};
    Index symbols = 0, bytes = 0;
    std::uint64_t checksum = 0;
};

class TextTraining : public TrainingRun {
  public:
    virtual const TextTrainOptions& options() const = 0;
    virtual const TextData& data() const = 0;
    Index steps_total() const override { return options().steps; }
    Index interval() const override { return options().interval; }
    Index epochs_done() const override {
        return steps_done() * options().batch * options().model.context / data().training().size();
    }

    /// Over a few windows spread evenly over the held-out text: quick, for reports.
    Evaluation evaluate() override = 0;
    /// Bits a character over all of the held-out text; each symbol is predicted from at least half a context before it.
    virtual double held_out_bits() = 0;
    /// The model as it is now.
    virtual TextModel& model() = 0;
    /// The ids of the current step's windows, [batch, context + 1].
    virtual Tensor<Index> batch_ids() const = 0;
};

/// Errors  those of validate() and of TextData; ValueError for a text that is too short.
std::unique_ptr<TextTraining> make_text_training(const TextTrainOptions& options);

}  // namespace gradproof
