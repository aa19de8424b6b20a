// The options of `gradproof train`: those of a run, which the fields of nn/train/options.hpp describe, and those of the command.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/nn/train/options.hpp"
#include "tools/cli/command_line.hpp"

namespace gradproof::cli {

/// What is known of an option of the command, which no checkpoint keeps.
struct CommandField {
    std::string_view name{}, help{};
    std::optional<Task> task{};  ///< the only task that takes it
    bool repeated = false;       ///< the command that resumes an interrupted run repeats it
    OptionRange range{};
};
inline constexpr OptionRange kShare{0, 1, "a number in [0, 1]"};
inline constexpr OptionRange kBits{kPositiveFinite.low, INFINITY, "a positive number of bits a character"};

/// What was typed beside the options of the run; empty for what was not.
struct TrainCommand {
    std::string task{}, out{}, resume{}, log{}, trace{}, expression{}, prompt{};
    bool json = false, overwrite = false;
    std::optional<Index> save_every{}, sample_tokens{}, seeds{};
    std::optional<double> require{}, require_bits{}, temperature{};

    static void fields(auto& c, auto&& visit) {
        using F = CommandField;
        using enum Task;
        visit(F{"task", "expressions or text [expressions]"}, c.task);
        visit(F{"out", "Folder for the model, config, loss and attention or samples [runs/MODEL, runs/text]"}, c.out);
        visit(F{"overwrite", "Replace the run that the folder of --out holds"}, c.overwrite);
        visit(F{"resume", "Continue from the checkpoint in this folder, to the same bits"}, c.resume);
        visit(
            F{"save-every", "Steps from one checkpoint to the next [only at the end; text: as --interval]", {}, true, {1, 1e18}},
            c.save_every);
        visit(F{"json", "One JSON object a line on stdout; the last is the event \"done\"", {}, true}, c.json);
        visit(F{"log", "Also write each report to a .jsonl or .csv file: a new one, or with --resume after its rows", {}, true},
              c.log);
        visit(F{"trace", "Also write an .npz with which another framework can repeat the run"}, c.trace);
        visit(F{"expression", "the one whose attention is shown [Max(1,6,2)]", expressions, true}, c.expression);
        visit(F{"seeds", "train with each of the seeds 1 to N, print a table and write nothing", expressions, true, {1, 1e6}},
              c.seeds);
        visit(F{"require", "exit with status 1 below this validation accuracy, as 0.999", expressions, true, kShare}, c.require);
        visit(F{"prompt", "what each sample continues [the beginning of the held-out part]", text, true}, c.prompt);
        visit(F{"sample-tokens", "symbols of each sample, 0 for none [120]", text, true}, c.sample_tokens);
        visit(F{"temperature", "temperature of the samples, 0 for the likeliest symbol [0.8]", text, true}, c.temperature);
        visit(F{"require-bits", "exit with status 1 above so many held-out bits a character", text, true, kBits}, c.require_bits);
    }
};

/// "--steps"
inline std::string flag(std::string_view name) { return "--" + std::string(name); }

/// The value of a name that was typed.   Errors  ValueError with the nearest.
template <NamedEnum E>
E value_typed(std::string_view name, const std::string& typed) {
    if (const std::optional<E> value = value_named<E>(typed)) return *value;
    std::string known;
    for (const auto n : names(E{})) known += (known.empty() ? "" : ", ") + std::string(n);
    value_error("train: {} {} is not known: expected one of {}{}", flag(name), printable(typed), known,
                did_you_mean(typed, names(E{})));
}

struct OptionHelp;

/// The options of runs as they were typed: those of all tasks, each name once.
class TypedOptions {
  public:
    /// Adds them to the command line.
    void add_to(const Command& command);
    /// Errors  ValueError for an option that was typed and that only another task has.
    void expect_only_of(Task task) const;
    bool given(std::string_view name) const { return typed_.find(name)->second.given(); }
    /// Sets the options that were typed. With `resume`, the folder of a checkpoint, those that a resumed run must keep may only
    /// repeat the checkpoint's.   Errors  ValueError.
    template <class Options>
    void merge_into(Options& options, const std::string& resume) const;

  private:
    struct Typed {
        std::optional<Index> whole{};
        std::optional<std::uint64_t> natural{};
        std::optional<double> number{};
        std::optional<std::string> word{};
        std::vector<Task> tasks{};  ///< that take the option
        bool given() const { return whole || natural || number || word; }
    };
    template <class T>
    static auto& slot(auto& typed, const T&);
    template <class Options>
    void collect(Task task, std::vector<OptionHelp>& helps);

    std::map<std::string, Typed, std::less<>> typed_;
};

extern template void TypedOptions::merge_into(ExpressionTrainOptions&, const std::string&) const;
extern template void TypedOptions::merge_into(TextTrainOptions&, const std::string&) const;

/// Adds the options of the command itself to the command line.
void add_command_options(const Command& command, TrainCommand& c);
/// Checks the options of the command, and refuses those of another task.   Errors  ValueError.
void check_command_options(const TrainCommand& c, Task task);
/// The command that resumes the run in a folder as it was asked for.
std::string resume_command(const TrainCommand& c, const std::string& folder);

}  // namespace gradproof::cli
