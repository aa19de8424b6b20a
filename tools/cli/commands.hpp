// The commands of the program: each file in this folder adds one to the command line.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

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

/// Each adds its subcommand to `app` and sets `action` when it is chosen.
void add_attention_command(CLI::App& app, Action& action);
void add_check_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_exercise_command(CLI::App& app, Action& action);
void add_explain_command(CLI::App& app, Action& action);
void add_help_command(CLI::App& app, Action& action);
void add_judge_command(CLI::App& app, Action& action);
void add_new_op_command(CLI::App& app, Action& action);
void add_ops_command(CLI::App& app, Action& action);
void add_proofs_command(CLI::App& app, Action& action);
void add_replay_command(CLI::App& app, Action& action);
void add_train_command(CLI::App& app, Action& action);

}  // namespace gradproof::cli
