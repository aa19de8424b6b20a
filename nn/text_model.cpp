// Sampling and attention of a language model with its vocabulary.
#include "gradproof/nn/text_model.hpp"

#include <algorithm>
#include <cmath>

namespace gradproof {
namespace {

template <class T>
class TypedTextModel : public TextModel {
  public:
    TypedTextModel(LanguageModel<T>& model, const Vocabulary& vocabulary) : model_(model), vocabulary_(vocabulary) {}
    const LanguageModelOptions& options() const override { return model_.options(); }
    const Vocabulary& vocabulary() const override { return vocabulary_; }

    void sample(const std::string& prompt, const SampleOptions& how, const std::function<void(std::string_view)>& on_symbol,
                Decoding decoding) override {
        Sampler sampler(how);
        std::vector<Index> ids = vocabulary_.encode(prompt, "prompt");
        if (ids.empty()) value_error("sample: the prompt is empty, expected at least one symbol");
        Decoder<T> decoder(model_, decoding);
        for (Index i = 0; i < how.count; ++i) {
            ids.assign(1, sampler.draw(decoder.read(ids)));
            on_symbol(vocabulary_.decode(ids));
        }
    }

    std::vector<Tensor<double>> attention(const std::string& text) override {
        const std::vector<Index> ids = vocabulary_.encode(text);
        const auto length = static_cast<Index>(ids.size());
        if (length < 1 || length > options().context)
            value_error("text: {} symbols, expected 1 to {}, the context of the model", length, options().context);
        Step<T> step(model_.tree());
        step.begin_evaluation();
        std::vector<Tensor<double>> out;
        model_.attention_weights(step, Tensor<Index>::from({1, length}, std::span<const Index>(ids)), [&](const Tensor<T>& w) {
            if (std::any_of(w.begin(), w.end(), [](T x) { return !std::isfinite(x); }))
                value_error("text: a weight of layer {} is not a number: the model has gone bad", out.size());
            out.push_back(cast<double>(w).reshape({w.dim(1), length, length}));
        });
        return out;
    }

  private:
    LanguageModel<T>& model_;
    const Vocabulary& vocabulary_;
};

template <class T>
struct Owned {
    std::unique_ptr<LanguageModel<T>> model;
    Vocabulary vocabulary;
};
template <class T>
class OwningTextModel final : Owned<T>, public TypedTextModel<T> {
  public:
    OwningTextModel(std::unique_ptr<LanguageModel<T>> own, Vocabulary symbols)
        : Owned<T>{std::move(own), std::move(symbols)}, TypedTextModel<T>(*Owned<T>::model, Owned<T>::vocabulary) {}
};

}  // namespace

template <Scalar T>
std::unique_ptr<TextModel> text_model(LanguageModel<T>& model, const Vocabulary& vocabulary) {
    return std::make_unique<TypedTextModel<T>>(model, vocabulary);
}
template <Scalar T>
std::unique_ptr<TextModel> text_model(std::unique_ptr<LanguageModel<T>> model, Vocabulary vocabulary) {
    return std::make_unique<OwningTextModel<T>>(std::move(model), std::move(vocabulary));
}

#define GRADPROOF_TEXT_MODEL(T)                                                           \
    template std::unique_ptr<TextModel> text_model(LanguageModel<T>&, const Vocabulary&); \
    template std::unique_ptr<TextModel> text_model(std::unique_ptr<LanguageModel<T>>, Vocabulary);
GRADPROOF_TEXT_MODEL(float)
GRADPROOF_TEXT_MODEL(double)
#undef GRADPROOF_TEXT_MODEL

}  // namespace gradproof
