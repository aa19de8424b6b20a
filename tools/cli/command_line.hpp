// The command line as a command states it; CLI11 stands behind it and is compiled in two files only.
//
//   const Command command = program.command("explain", "Every step of a derivation with its numbers");
//   command.option("--seed", options->seed, "Of what is drawn").show_default();
//   command.flag("--json", options->json, "One JSON object");
//   command.runs([options] { return run(*options); });
#pragma once

#include <functional>
#include <string>
#include <vector>

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
    kCannotTell = 3,  ///< nothing wrong, but something could not be told
};

/// What a command does once its options are parsed; its value is the exit status.
using Action = std::function<int()>;

/// Handle for configuring an option.
class Option {
  public:
    explicit Option(CLI::Option& option) : option_(&option) {}
    const Option& required() const;
    const Option& show_default() const;                               ///< in the help, as it stands in the field now
    const Option& one_value() const;                                  ///< each time it is given; it may be repeated
    const Option& one_of(const std::vector<std::string>& all) const;  ///< any other value is an error
    const Option& hidden() const;

  private:
    CLI::Option* option_;
};

/// A command, or the whole program; a light handle.
class Command {
  public:
    Command(CLI::App& app, Action& action) : app_(&app), action_(&action) {}

    /// A command below this one.
    Command command(const std::string& name, const std::string& text) const;
    void needs_a_command() const;

    /// `name` as in "--seed", "--optimiser,--optimizer", or without dashes for an argument by its place.
    /// T: bool flags have flag(); std::string, double, int, Index, std::uint64_t,
    /// those as std::optional, std::vector<std::string>.
    template <class T>
    Option option(const std::string& name, T& field, const std::string& text = "") const;
    Option flag(const std::string& name, bool& field, const std::string& text) const;
    void runs(Action action) const;
    void hide() const;  ///< from the list of commands

    CLI::App& app() const { return *app_; }

  private:
    CLI::App* app_;
    Action* action_;
};

/// Parses the command line, runs the command it names, and turns errors into one line on stderr and an exit status.
int run_program(int argc, char** argv, const std::vector<void (*)(const Command& program)>& commands);

/// Writes out what stdout still holds.   Errors: IoError where that, or something before it, could not be written.
void expect_output_written();

}  // namespace gradproof::cli
