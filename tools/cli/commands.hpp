// The commands of the program: each file in this folder adds one to the command line.
#pragma once

#include "gradproof/core/check/report.hpp"
#include "tools/cli/command_line.hpp"

namespace gradproof::cli {

inline Exit status_of(check::Verdict v) {
    return v == check::Verdict::right ? kOk : v == check::Verdict::wrong ? kWrong : kCannotTell;
}

void add_attention_command(const Command& program);
void add_check_command(const Command& program);
void add_compare_command(const Command& program);
void add_exercise_command(const Command& program);
void add_experiment_command(const Command& program);
void add_explain_command(const Command& program);
void add_generate_command(const Command& program);
void add_heads_command(const Command& program);
void add_help_command(const Command& program);
void add_judge_command(const Command& program);
void add_new_op_command(const Command& program);
void add_ops_command(const Command& program);
void add_proofs_command(const Command& program);
void add_replay_command(const Command& program);
void add_train_command(const Command& program);

}  // namespace gradproof::cli
