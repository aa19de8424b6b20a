// The program `gradproof`.
#include "tools/cli/commands.hpp"

int main(int argc, char** argv) {
    using namespace gradproof::cli;
    return run_program(
        argc, argv,
        {add_attention_command, add_check_command, add_compare_command, add_exercise_command, add_experiment_command,
         add_explain_command, add_generate_command, add_heads_command, add_help_command, add_judge_command, add_new_op_command,
         add_ops_command, add_proofs_command, add_replay_command, add_train_command});
}
