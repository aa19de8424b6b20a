// What `gradproof help COMMAND` says beyond the options: each command describes itself beside its options.
//
//   describe(command, {.description = "Holds ...", .exit_status = "0 right ...", .examples = "gradproof check a.proof"});
#pragma once

#include <string>

#include "tools/cli/command_line.hpp"

namespace gradproof::cli {

struct Page {
    std::string description, exit_status, examples;  ///< lines as they are printed, without indentation
    std::string json{};  ///< the keys of what --json prints: {} an object, [] a list, ? where it may be missing
};
/// Also what `COMMAND --help` ends with.
void describe(const Command& command, const Page& page);

}  // namespace gradproof::cli
