// `gradproof generate`: text from a trained language model, a symbol at a time, or the answer of a model of expressions.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/control.hpp"
#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/train_command.hpp"

namespace gradproof::cli {
namespace {

using Json = nlohmann::ordered_json;

struct GenerateCommand {
    std::string checkpoint{}, prompt{};
    std::optional<Index> tokens{};
    SampleOptions sample{.count = 400, .temperature = 0.8};
    bool whole = false, json = false;
};

/// What both tasks tell with --json.
Json result_of(const GenerateCommand& c, const std::string& text, Index tokens, double seconds) {
    return {{"schema", 1},
            {"prompt", c.prompt},
            {"text", text},
            {"tokens", tokens},
            {"temperature", c.sample.temperature},
            {"top_k", c.sample.top_k},
            {"seed", c.sample.seed},
            {"seconds", seconds},
            {"tokens_per_second", static_cast<double>(tokens) / seconds}};
}
double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The answer to an expression, drawn from the probabilities that the model gives to the digits.
int answer_expression(const GenerateCommand& c) {
    if (c.tokens && *c.tokens != 1)
        value_error("generate: --tokens is {}: a model of expressions answers with one digit", *c.tokens);
    if (c.whole) value_error("generate: --no-cache is for text: a model of expressions keeps no keys and values");
    const Index row = find_expression(c.prompt);
    const std::unique_ptr<ExpressionTraining> run = load_expression_checkpoint(c.checkpoint);
    const auto start = std::chrono::steady_clock::now();
    const Tensor<double> probabilities = run->probabilities(row);
    Tensor<double> scores(probabilities.shape());
    for (Index i = 0; i < scores.size(); ++i) scores[i] = std::log(probabilities[i]);
    const Index answer = Sampler(c.sample).draw(scores);
    const double seconds = seconds_since(start);
    if (c.json) {
        Json result = result_of(c, std::to_string(answer), 1, seconds);
        result["probabilities"] = std::vector<double>(probabilities.begin(), probabilities.end());
        fmt::print("{}", check::json_line(result));
        return kOk;
    }
    fmt::print("{} = {}\n\nprobability of each digit\n", expression_text(all_expressions().row(row)), answer);
    for (Index i = 0; i < probabilities.size(); ++i) fmt::print("  {}  {:.4f}\n", i, probabilities[i]);
    return kOk;
}

int continue_text(const GenerateCommand& c) {
    const std::unique_ptr<TextModel> model = load_text_model(c.checkpoint);
    const auto start = std::chrono::steady_clock::now();
    std::string text;
    Index tokens = 0;
    const auto on_symbol = [&](std::string_view symbol) {
        if (tokens++ == 0 && !c.json) fmt::print("{}", c.prompt);
        text += symbol;
        if (c.json) return;
        fmt::print("{}", symbol);
        if (isatty(STDOUT_FILENO)) std::fflush(stdout);
    };
    const InterruptScope interrupt;
    int status = kOk;
    try {
        const ControlScope control({.stop = interrupt.stop()}, "generate");
        model->sample(c.prompt, c.sample, on_symbol, c.whole ? Decoding::whole : Decoding::cached);
    } catch (const Stopped&) {  // what was drawn is printed
        status = kInterrupted;
    }
    const double seconds = seconds_since(start);
    if (c.json)
        fmt::print("{}", check::json_line(result_of(c, text, tokens, seconds)));
    else
        fmt::print("\n");
    return status;
}

int run_generate(GenerateCommand c) {
    if (c.tokens && *c.tokens < 1) value_error("generate: --tokens is {}, expected at least 1", *c.tokens);
    c.sample.count = c.tokens.value_or(c.sample.count);
    return checkpoint_task(c.checkpoint) == Task::expressions ? answer_expression(c) : continue_text(c);
}

void set_up_generate(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Continues a prompt, one symbol at a time. The keys and values of what was read are kept, so the time of a symbol is
proportional to the length before it; when the context is full, its last half is read again.
A model of expressions answers one, such as Max(1,6,2), with a digit, and tells the probability of each.)page",
         .exit_status = R"page(0 done
2 bad usage, a bad checkpoint, or a prompt with symbols the text did not hold, or that is no expression
130 interrupted; what was drawn before is printed)page",
         .examples = R"page(gradproof generate --checkpoint runs/text --prompt 'The licence'
gradproof generate --checkpoint runs/text --prompt 'You may' --temperature 0 --tokens 80
gradproof generate --checkpoint runs/single-head --prompt 'Max(1,6,2)' --temperature 0)page",
         .json = "schema prompt text tokens temperature top_k seed seconds tokens_per_second probabilities[]?"});
    auto c = std::make_shared<GenerateCommand>();
    command.option("--checkpoint", c->checkpoint, "Folder written by gradproof train").takes("FOLDER").required();
    command.option("--prompt", c->prompt, "The text to continue, or the expression to answer").required();
    command.option("--tokens", c->tokens, "Symbols to draw [400; 1 for a model of expressions]");
    command.option("--temperature", c->sample.temperature, "Scores are divided by it; 0 takes the likeliest symbol")
        .show_default();
    command.option("--top-k", c->sample.top_k, "Draw from the k likeliest only; 0: from all").show_default();
    command.option("--seed", c->sample.seed, "Seed of the draws").show_default();
    command.flag("--no-cache", c->whole, "Work out every symbol from the whole context again, to compare");
    command.flag("--json", c->json, "One JSON object");
    command.runs_with_kernels([c] { return run_generate(*c); });
}
const NewCommand kGenerate("generate", "Text from a trained language model, or the answer of a model of expressions",
                           set_up_generate);

}  // namespace

}  // namespace gradproof::cli
