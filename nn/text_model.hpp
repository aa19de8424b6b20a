// A language model with the vocabulary of its text, whatever the element type: sampling, and the attention over a text.
//
//   const std::unique_ptr<TextModel> model = load_text_model("runs/text");     // nn/train/checkpoint.hpp
//   model->sample("In the beginning", {.count = 200, .temperature = 0.8}, [](std::string_view symbol) { print(symbol); });
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gradproof/nn/language_model.hpp"
#include "gradproof/nn/sampling.hpp"
#include "gradproof/nn/tasks/text.hpp"

namespace gradproof {

class TextModel {
  public:
    virtual ~TextModel() = default;
    virtual const LanguageModelOptions& options() const = 0;
    virtual const Vocabulary& vocabulary() const = 0;
    /// Draws `count` symbols after a prompt and calls `on_symbol` for each. Of a prompt longer than the context, the end counts.
    /// Errors  ValueError for a prompt that is empty or has other symbols, and those of SampleOptions.
    virtual void sample(const std::string& prompt, const SampleOptions& options,
                        const std::function<void(std::string_view)>& on_symbol, Decoding decoding = Decoding::cached) = 0;
    /// The attention weights of each layer, [heads, T, T] each, over a text no longer than the context.
    /// Errors  ValueError for a text that is empty, longer, or has other symbols, and for weights that are not finite.
    virtual std::vector<Tensor<double>> attention(const std::string& text) = 0;
};

/// For a model and a vocabulary that outlive it.
template <Scalar T>
std::unique_ptr<TextModel> text_model(LanguageModel<T>& model, const Vocabulary& vocabulary);
/// For a model that it owns.
template <Scalar T>
std::unique_ptr<TextModel> text_model(std::unique_ptr<LanguageModel<T>> model, Vocabulary vocabulary);

}  // namespace gradproof
