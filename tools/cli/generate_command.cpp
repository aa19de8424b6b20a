// `gradproof generate`: text from a trained language model, a symbol at a time.
#include <unistd.h>

#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/control.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/train_command.hpp"

namespace gradproof::cli {
namespace {

using Json = nlohmann::ordered_json;

struct GenerateCommand {
    std::string checkpoint{}, prompt{};
    SampleOptions sample{.count = 400, .temperature = 0.8};
    bool whole = false, json = false;
};

int run_generate(const GenerateCommand& c) {
    if (c.sample.count < 1) value_error("generate: --tokens is {}, expected at least 1", c.sample.count);
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
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!c.json) {
        fmt::print("\n");
        return status;
    }
    const Json result{{"schema", 1},
                      {"prompt", c.prompt},
                      {"text", text},
                      {"tokens", tokens},
                      {"temperature", c.sample.temperature},
                      {"top_k", c.sample.top_k},
                      {"seed", c.sample.seed},
                      {"seconds", seconds},
                      {"tokens_per_second", static_cast<double>(tokens) / seconds}};
    fmt::print("{}", check::json_line(result));
    return status;
}

void set_up_generate(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Continues a prompt, one symbol at a time. The keys and values of what was read are kept, so the time of a symbol is
proportional to the length before it; when the context is full, its last half is read again.)page",
         .exit_status = R"page(0 done
2 bad usage, a bad checkpoint, or a prompt with symbols the text did not hold
130 interrupted; what was drawn before is printed)page",
         .examples = R"page(gradproof generate --checkpoint runs/text --prompt 'The licence'
gradproof generate --checkpoint runs/text --prompt 'You may' --temperature 0 --tokens 80)page",
         .json = "schema prompt text tokens temperature top_k seed seconds tokens_per_second"});
    auto c = std::make_shared<GenerateCommand>();
    command.option("--checkpoint", c->checkpoint, "Folder written by gradproof train").takes("FOLDER").required();
    command.option("--prompt", c->prompt, "The text to continue").required();
    command.option("--tokens", c->sample.count, "Symbols to draw").show_default();
    command.option("--temperature", c->sample.temperature, "Scores are divided by it; 0 takes the likeliest symbol")
        .show_default();
    command.option("--top-k", c->sample.top_k, "Draw from the k likeliest only; 0: from all").show_default();
    command.option("--seed", c->sample.seed, "Seed of the draws").show_default();
    command.flag("--no-cache", c->whole, "Work out every symbol from the whole context again, to compare");
    command.flag("--json", c->json, "One JSON object");
    command.runs_with_kernels([c] { return run_generate(*c); });
}
const NewCommand kGenerate("generate", "Text from a trained language model", set_up_generate);

}  // namespace

}  // namespace gradproof::cli
