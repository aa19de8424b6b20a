// What `gradproof help COMMAND` says in addition to the options; each command describes itself where it adds its options.
//
//   describe(command, {.description = "Holds ...", .exit_status = "0 right ...", .examples = "gradproof check a.proof"});
#pragma once

#include <string>

#include "tools/cli/command_line.hpp"

namespace gradproof::cli {

struct HelpPage {
    std::string description, exit_status, examples;  ///< lines as they are printed, without indentation
    std::string contracts{};                         ///< what ops and kernels are checked for
    std::string json{};  ///< the keys that --json prints: {} an object, [] a list, ? a key that may be missing
};
/// Sets the page of a command; `COMMAND --help` ends with it too.
void describe(const Command& command, const HelpPage& page);

/// Each line of the text that is not empty behind `by`.
std::string indented(const std::string& text, const std::string& by = "    ");

}  // namespace gradproof::cli
