// Text from trained language models, and the answers of models of expressions, as `gradproof generate` draws them.
#include <cmath>

#include "gradproof/core/errors.hpp"
#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "tools/python/src/training.hpp"

namespace gradproof::python {
namespace {

/// Calls `on_symbol` with the bytes of each symbol. Called without the GIL.
void continue_text(TextModel& model, const std::string& prompt, const SampleOptions& how, const nb::callable& on_symbol,
                   const Stop& stop) {
    const ControlScope control(stop.control(), "generate");
    model.sample(prompt, how, [&](std::string_view symbol) {
        const nb::gil_scoped_acquire gil;
        on_symbol(nb::bytes(symbol.data(), symbol.size()));
    });
}

void answer(ExpressionTraining& run, const std::string& prompt, const SampleOptions& how, const nb::callable& on_symbol) {
    if (how.count != 1) value_error("generate: tokens is {}: a model of expressions answers with one digit", how.count);
    const Tensor<double> probabilities = run.probabilities(find_expression(prompt));
    Tensor<double> scores(probabilities.shape());
    for (Index i = 0; i < scores.size(); ++i) scores[i] = std::log(probabilities[i]);
    const std::string digit = std::to_string(Sampler(how).draw(scores));
    const nb::gil_scoped_acquire gil;
    on_symbol(nb::bytes(digit.data(), digit.size()));
}

SampleOptions options(std::optional<Index> tokens, bool text, double temperature, Index top_k, std::uint64_t seed) {
    if (tokens && *tokens < 1) value_error("generate: tokens is {}, expected at least 1", *tokens);
    return {.count = tokens.value_or(text ? 400 : 1), .temperature = temperature, .top_k = top_k, .seed = seed};
}

}  // namespace

void bind_generation(nb::module_& m) {
    using Tokens = std::optional<Index>;
    m.def(
        "generate_with",
        [](Run& r, const std::string& prompt, Tokens tokens, double temperature, Index top_k, std::uint64_t seed,
           const nb::callable& on_symbol, const Stop& stop) {
            const nb::gil_scoped_release free;
            const SampleOptions how = options(tokens, r.is_text(), temperature, top_k, seed);
            r.alone([&](TrainingRun&) {
                r.is_text() ? continue_text(r.text("generate").model(), prompt, how, on_symbol, stop)
                            : answer(r.expressions("generate"), prompt, how, on_symbol);
            });
        },
        nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
    m.def(
        "generate_from",
        [](const std::string& folder, const std::string& prompt, Tokens tokens, double temperature, Index top_k,
           std::uint64_t seed, const nb::callable& on_symbol, const Stop& stop) {
            const nb::gil_scoped_release free;
            const bool text = checkpoint_task(folder) == Task::text;
            const SampleOptions how = options(tokens, text, temperature, top_k, seed);
            text ? continue_text(*load_text_model(folder), prompt, how, on_symbol, stop)
                 : answer(*load_expression_checkpoint(folder), prompt, how, on_symbol);
        },
        nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
}

}  // namespace gradproof::python
