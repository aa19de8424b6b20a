// A program that is run in Python, in a process of its own and against the clock, for check --run.
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::cli {

/// `python`: the interpreter, and `seconds`: how long it may take for all that it is asked at once. `file` is named in errors.
/// What is run can do what any program can; what it prints is not shown. Errors of the call: IoError where Python cannot be
/// started, takes too long, crashes, or ends without an answer.
proof::RunProgram run_in_python(const std::string& file, const std::string& python, double seconds);

}  // namespace gradproof::cli
