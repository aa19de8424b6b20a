// What `gradproof help COMMAND` says beyond the options: each command describes itself beside its options.
//
//   describe(*command, {.description = "Holds ...", .exit_status = "0 right ...", .examples = "gradproof check a.proof"});
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace gradproof::cli {

struct Page {
    std::string description, exit_status, examples;  ///< lines as they are printed, without indentation
};
/// Also what `COMMAND --help` ends with.
void describe(CLI::App& command, const Page& page);
/// The page as text: NAME, SYNOPSIS, DESCRIPTION, OPTIONS, EXIT STATUS, EXAMPLES.
std::string manual(const CLI::App& command);

}  // namespace gradproof::cli
