// `gradproof train`: its options, and which task takes which.
#include "tools/cli/train_command.hpp"

#include <fmt/format.h>

#include "gradproof/nn/checkpoint.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/train_options.hpp"

namespace gradproof::cli {
namespace {

Task task_of(const TrainCommand& c) {
    std::optional<Task> task;
    if (c.task) task = one_of<Task>("--task", *c.task, kTaskNames);
    if (c.resume.empty()) return task.value_or(Task::expressions);
    const Task was = checkpoint_task(c.resume);
    if (task && *task != was)
        value_error("train: --task is {}, {} was trained on the task {}; leave it out to resume", *c.task, c.resume,
                    name_of(kTaskNames, was));
    return was;
}

/// Refuses what the task has no use for.
void expect_none_of(Task task, std::initializer_list<std::pair<std::string_view, bool>> options) {
    for (const auto& [name, given] : options)
        if (given)
            value_error("train: {} is an option of the task {}; this is the task {}", name,
                        name_of(kTaskNames, task == Task::text ? Task::expressions : Task::text), name_of(kTaskNames, task));
}

int run_train(const TrainCommand& c) {
    const Task task = task_of(c);
    if (c.save_every && *c.save_every < 1) value_error("train: --save-every is {}, expected at least 1", *c.save_every);
    if (task == Task::text) {
        expect_none_of(task, {{"--model", c.model.has_value()},
                              {"--epochs", c.epochs.has_value()},
                              {"--decay-epochs", c.decay_epochs.has_value()},
                              {"--expression", c.expression.has_value()},
                              {"--require", c.require.has_value()}});
        return train_text(c);
    }
    expect_none_of(task, {{"--data", c.data.has_value()},
                          {"--symbols", c.symbols.has_value()},
                          {"--positions", c.positions.has_value()},
                          {"--prompt", c.prompt.has_value()},
                          {"--context", c.context.has_value()},
                          {"--layers", c.layers.has_value()},
                          {"--heads", c.heads.has_value()},
                          {"--width", c.width.has_value()},
                          {"--hidden", c.hidden.has_value()},
                          {"--steps", c.steps.has_value()},
                          {"--decay-steps", c.decay_steps.has_value()},
                          {"--interval", c.interval.has_value()},
                          {"--sample-tokens", c.sample_tokens.has_value()},
                          {"--held-out", c.held_out.has_value()},
                          {"--temperature", c.temperature.has_value()},
                          {"--require-bits", c.require_bits.has_value()}});
    return train_expressions(c);
}

std::string with(std::string_view text, const auto& value) { return fmt::format("{} [{}]", text, value); }

void add_shared_options(const Command& command, TrainCommand& c) {
    const TrainOptions e;
    const TextTrainOptions t;
    command.option("--task", c.task, "expressions or text [expressions]");
    command.option("--batch", c.batch, fmt::format("Expressions, or windows of text, a step [{}, {}]", e.batch, t.batch));
    command.option("--lr", c.rate, with("Learning rate", e.rate));
    command.option("--seed", c.seed, with("Seed of the first values, the split and the order", e.seed));
    command.option("--out", c.out, "Folder for the model, config, loss and attention or samples [runs/MODEL, runs/text]");
    command.flag("--json", c.json, "One JSON object a line on stdout; the last is the event \"done\"");
    command.option("--log", c.log,
                   "Also write each report to a .jsonl or .csv file: a new one, with --resume behind the rows before");
    command.option("--save-every", c.save_every, "Steps from one checkpoint to the next [only at the end, text: as --interval]");
    command.option("--resume", c.resume, "Go on from the checkpoint in this folder, bit for bit");
    command.option("--dtype", c.dtype, "f32 or f64 [f32]");
    command.option("--optimiser,--optimizer", c.optimiser, "adamw, adam or sgd [adamw]");
    command.option("--weight-decay", c.weight_decay,
                   fmt::format("Decoupled with adamw; 0 by default with the others [{}, {}]", e.optimiser.weight_decay,
                               t.optimiser.weight_decay));
    command.option("--momentum", c.momentum, with("Of sgd", e.optimiser.momentum));
    command.option("--clip", c.clip, with("Largest norm of all gradients together, 0 for none", e.clip));
    command.option("--warmup", c.warmup, fmt::format("Steps over which the rate rises [{}, {}]", e.warmup, t.warmup));
    command.option("--trace", c.trace, "Also write an .npz with which another framework can repeat the run");
}

void add_expression_options(const Command& command, TrainCommand& c) {
    const TrainOptions defaults;
    command.option("--model", c.model, "Expressions: single-head, multi-head or block [single-head]");
    command.option("--epochs", c.epochs, with("Expressions: epochs, counted from the start of the run", defaults.epochs));
    command.option("--decay-epochs", c.decay_epochs,
                   with("Expressions: epochs over which the rate falls along a cosine, 0 for never", defaults.decay_epochs));
    command.option("--expression", c.expression, "Expressions: the one whose attention is shown [Max(1,6,2)]");
    command.option("--require", c.require, "Expressions: exit with status 1 below this validation accuracy, as 0.999");
}

void add_text_options(const Command& command, TrainCommand& c) {
    const TextTrainOptions d;
    command.option("--data", c.data, "Text: the file; UTF-8 for characters [the licences of Debian]");
    command.option("--symbols", c.symbols, "Text: a token is one of the characters or of the bytes [characters]");
    command.option("--held-out", c.held_out,
                   with("Text: share at its end that is not trained on, at most 1048576 symbols", d.text.held_out_share));
    command.option("--context", c.context, with("Text: positions the model sees", d.model.context));
    command.option("--layers", c.layers, with("Text: blocks", d.model.layers));
    command.option("--heads", c.heads, with("Text: heads of each", d.model.heads));
    command.option("--width", c.width, with("Text: channels", d.model.channels));
    command.option("--hidden", c.hidden, "Text: width inside the feed-forward parts [four times the width]");
    command.option("--positions", c.positions, "Text: learned, sinusoidal, rotary, alibi or none [learned]");
    command.option("--steps", c.steps, with("Text: steps, counted from the start of the run", d.steps));
    command.option("--decay-steps", c.decay_steps,
                   "Text: steps over which the rate falls along a cosine [those of --steps at the start]");
    command.option("--interval", c.interval, with("Text: steps from one report and sample to the next", d.interval));
    command.option("--prompt", c.prompt, "Text: what each sample goes on from [the beginning of what is held out]");
    command.option("--sample-tokens", c.sample_tokens, "Text: symbols of each sample, 0 for none [120]");
    command.option("--temperature", c.temperature, "Text: of the samples, 0 for the likeliest symbol [0.8]");
    command.option("--require-bits", c.require_bits, "Text: exit with status 1 above so many held-out bits a character");
}

}  // namespace

void add_train_command(const Command& program) {
    const Command command =
        program.command("train", "Train an attention model on expressions as Max(1,6,2), or a language model on any text");
    describe(
        command,
        {.description =
             "Trains a small attention model on expressions as Max(1,6,2), First(…) and reports its accuracy, or a causal\n"
             "language model on a text file, which is read where it lies, and reports bits a character. A run is resumed to the "
             "same bits,\n"
             "also after it was killed: from the last checkpoint, of which --save-every says how often it is written.",
         .exit_status = "0 done\n1 what was required was not reached\n2 bad usage or bad files, or a loss that is not finite: "
                        "what was saved before is kept\n130 interrupted; the run was saved",
         .examples = "gradproof train --model single-head --out run\ngradproof train --model block --out run --require 0.999\n"
                     "gradproof train --task text --data book.txt --steps 3000 --out runs/book\ngradproof train --resume "
                     "runs/book --steps 6000",
         .json = "An object a line, told apart by its event; losses are in nats:\n"
                 "  start: version task model? data? symbols? vocabulary? training_symbols? held_out_symbols? layers? heads? "
                 "width? context? positions? dtype seed epochs? batch lr steps steps_done parameter_count parameters{NAME} out\n"
                 "  interval: epoch step steps loss val_loss val_accuracy gradient_norm attention_entropy lr ms_per_step "
                 "eta_seconds warnings[{symptom evidence advice}]?\n"
                 "  sample: step prompt text\n"
                 "  diverged: step first_bad\n"
                 "  done, or stopped: bits_per_character? gzip_bits_per_character? ngram_bits_per_character? val_accuracy loss "
                 "val_loss steps steps_done seconds steps_per_second symbols_per_second? out required? resume?"});
    auto c = std::make_shared<TrainCommand>();
    add_shared_options(command, *c);
    add_expression_options(command, *c);
    add_text_options(command, *c);
    command.runs([c] { return run_train(*c); });
}

}  // namespace gradproof::cli
