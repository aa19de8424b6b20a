// This program again, as a child process with a time limit that answers in JSON lines: for code that may crash or hang.
//
//   const ChildAnswer a = ask_child({"judge", "--plugin", path}, 10);
//   if (a.failure.empty()) use(a.value["ops"]);
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace gradproof::cli {

struct ChildAnswer {
    nlohmann::json value;  ///< its last line, if it came to one; else null
    nlohmann::json at;     ///< the last {"at": ...} it said on the way; null where none
    std::string
        failure;  ///< "timed out: ...", "crashed by signal 11 (Segmentation fault)", "ended with exit status 3 ..."; "" for none
};

/// What a child's own output is.
enum class ChildOutput {
    on_stderr,  ///< chatter: its answer is what counts, its input is empty
    shared,     ///< it prints and reads in our place
};

/// Runs this program with `arguments` and `--answer FD`. Errors: IoError if no child can be started.
ChildAnswer ask_child(const std::vector<std::string>& arguments, double seconds, ChildOutput output = ChildOutput::on_stderr);

/// What this program was called with, without its name. Errors: IoError.
std::vector<std::string> own_arguments();

/// In the child, before anything else: it dies with its parent, and a crash leaves no core file.
void become_child();

/// In the child: one line to the parent. "at" lines are progress, the first other line is the answer.
void answer(int fd, const nlohmann::json& line);

}  // namespace gradproof::cli
