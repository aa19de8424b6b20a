// Runs of the built program.
#include "tests/support.hpp"

#include <sys/wait.h>

#include <cstdio>

#include "tests/paths.hpp"

namespace gradproof::testing {

ProgramRun run_program(const std::string& arguments, const std::string& folder) {
    // Under sanitizers too, memory that cannot be had is an error to report and not the end.
    const std::string command = (folder.empty() ? "" : "cd '" + folder + "' && ") +
                                std::string(
                                    "ASAN_OPTIONS=\"$ASAN_OPTIONS:allocator_may_return_null=1\" "
                                    "TSAN_OPTIONS=\"$TSAN_OPTIONS:allocator_may_return_null=1\" "
                                    "XDG_STATE_HOME=\"${XDG_STATE_HOME:-" GRADPROOF_BINARY ".state}\" '") +
                                GRADPROOF_BINARY + "' " + arguments + " 2>&1 </dev/null";
    ProgramRun run;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return run;
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) run.text.append(buffer, n);
    const int status = ::pclose(pipe);
    run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return run;
}

}  // namespace gradproof::testing
