// How a command describes its options. A new command is a new file in this folder: nothing else in the program has to name it;
// the tests that do are told in tools/README.md. Further lists of commands in tests: command_line_test (empty words, lost
// output), hostile_text_test, faults_test; the tables of tests/README.md are what tests/faults/run and tests/kills/run print.
//
//   void set_up_explain(const Command& command) {      // sources of a folder are compiled together: a name of its own
//       auto options = std::make_shared<Options>();
//       describe(command, {.description = "...", .exit_status = "...", .examples = "..."});      // help.hpp
//       command.option("--seed", options->seed, "Seed of the random inputs").show_default();
//       command.flag("--json", options->json, "One JSON object");
//       command.runs([options] { return run(*options); });
//   }
//   const NewCommand kExplain("explain", "Every step of a derivation with its numbers", set_up_explain);
//
// CLI11, which parses the command line, is included by two source files only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gradproof/core/check/report.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gradproof::cli {

/// Exit statuses shared by all commands.
enum Exit : int {
    kOk = 0,          ///< right, done
    kWrong = 1,       ///< something is wrong, or a required result was not reached
    kUsage = 2,       ///< bad usage or bad input
    kCannotTell = 3,  ///< nothing is wrong, but something could not be decided
};
inline Exit status_of(check::Verdict v) {
    return v == check::Verdict::right ? kOk : v == check::Verdict::wrong ? kWrong : kCannotTell;
}

/// What a command does once its options are parsed; its value is the exit status.
using Action = std::function<int()>;
/// What the words of a command line come to.
struct Parsing {
    Action action;
    std::vector<const CLI::App*> takes_minus;  ///< commands that take words with a minus
};

/// Handle for configuring an option.
class Option {
  public:
    explicit Option(CLI::Option& option) : option_(&option) {}
    const Option& required() const;
    const Option& show_default() const;                               ///< shows the current value of the field in the help
    const Option& one_value() const;                                  ///< takes one value each time it is given
    const Option& one_of(const std::vector<std::string>& all) const;  ///< any other value is an error
    const Option& takes(const std::string& what) const;               ///< names the value in the help: FILE, NAME, X=FILE
    const Option& hidden() const;

  private:
    CLI::Option* option_;
};

/// Handle for a command, or for the whole program.
class Command {
  public:
    Command(CLI::App& app, Parsing& parsing) : app_(&app), parsing_(&parsing) {}

    /// Adds a subcommand.
    Command command(const std::string& name, const std::string& text) const;
    void needs_a_command() const;

    /// Adds an option: `name` is "--seed", "--optimiser,--optimizer", or has no dashes for a positional argument.
    /// T: std::string, double, int, Index, std::uint64_t, a std::optional of these, or std::vector<std::string>; see flag() for
    /// bool.
    template <class T>
    Option option(const std::string& name, T& field, const std::string& text = "") const;
    Option flag(const std::string& name, bool& field, const std::string& text) const;
    void runs(Action action) const;
    /// Adds --kernel, by which the user picks the kernels that the calls of the command take.
    void kernel_option(std::string& choice) const;
    /// The same, with a KernelScope of it around the action.
    void runs_with_kernels(Action action) const;
    void hide() const;  ///< leaves it out of the list of commands
    /// "-dY" is one of its words, and not the options d and Y: no option of it has one letter but -h.
    void takes_words_with_a_minus() const;

    CLI::App& app() const { return *app_; }

  private:
    CLI::App* app_;
    Parsing* parsing_;
};

/// Adds a command to the program: one object at namespace scope for each.
class NewCommand {
  public:
    NewCommand(const std::string& name, const std::string& text, void (*set_up)(const Command& command));
};

/// What the words of a command line ask for, not done yet. Errors: ValueError, in one line.
Action parse_command_line(int argc, char** argv);
/// Parses the command line, runs the command it names, and turns errors into one line on stderr and an exit status.
int run_program(int argc, char** argv);

/// Flushes stdout.   Errors: IoError if that, or anything before it, could not be written.
void expect_output_written();

}  // namespace gradproof::cli
