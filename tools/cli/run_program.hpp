// A program (.py) that is run in Python, in a process of its own and against the clock, so that check --run can hold what its lines
// compute to what was read of them.
#pragma once

#include "gradproof/core/proof/judge/run_beside.hpp"

namespace gradproof::cli {

struct RunOptions {
    std::string python = "python3";  ///< the interpreter
    double seconds = 60;             ///< for all cases
};
/// Runs the text of a file. It can do whatever a program can: it is run for who asked for it. What it prints is not shown.
/// Errors: IoError where Python cannot be started, takes too long or ends without an answer.
proof::RunProgram program_runner(const std::string& file, const std::string& text, const RunOptions& options);

}  // namespace gradproof::cli
