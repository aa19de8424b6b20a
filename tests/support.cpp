// Runs of the built program, and of Python.
#include "tests/support.hpp"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/paths.hpp"

namespace gradproof::testing {

constinit const bool kSanitized = GRADPROOF_SANITIZED;
constinit const bool kSampled = GRADPROOF_SAMPLED;
bool thorough() { return std::getenv("GRADPROOF_THOROUGH") != nullptr; }

namespace {

/// What a command of the shell says, on both streams.
ProgramRun run(const std::string& command) {
    ProgramRun out;
    std::FILE* pipe = ::popen((command + " 2>&1 </dev/null").c_str(), "r");
    if (pipe == nullptr) return out;
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.text.append(buffer, n);
    const int status = ::pclose(pipe);
    out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return out;
}

/// One word of the shell.
std::string quoted(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return "'" + out + "'";
}

}  // namespace

std::string python() {
    if (const char* named = std::getenv("GRADPROOF_PYTHON")) return named;
    const std::string own = GRADPROOF_SOURCE_DIR "/build/python/bin/python";
    return std::filesystem::exists(own) ? own : "python3";
}

ProgramRun run_program(const std::string& arguments, const std::string& folder) {
    // Under sanitizers too, memory that cannot be had is an error to report and not the end.
    return run((folder.empty() ? "" : "cd '" + folder + "' && ") +
               std::string("ASAN_OPTIONS=\"$ASAN_OPTIONS:allocator_may_return_null=1\" "
                           "TSAN_OPTIONS=\"$TSAN_OPTIONS:allocator_may_return_null=1\" "
                           "XDG_STATE_HOME=\"${XDG_STATE_HOME:-" GRADPROOF_BINARY ".state}\" '") +
               GRADPROOF_BINARY + "' " + arguments);
}

ProgramRun run_python(const std::string& script, const std::string& arguments) {
    return run(quoted(python()) + " -c " + quoted(script) + " " + arguments);
}

std::string without_module(const std::string& module) {
    const std::string looks = "import importlib.util, sys; sys.exit(importlib.util.find_spec('" + module + "') is None)";
    if (run_python(looks).status == 0) return "";
    return python() + " has no " + module + ": tests/python/setup installs it, or GRADPROOF_PYTHON names a Python that has it";
}

}  // namespace gradproof::testing
