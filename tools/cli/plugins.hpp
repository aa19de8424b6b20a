// Plugins on the command line: loading them for any command, and checking their ops in processes of their own.
//
//   auto plugins = std::make_shared<PluginOptions>();
//   add_plugin_options(command, *plugins);
//   for (const Plugin& p : load_plugins(*plugins)) use(p.ops);
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gradproof/core/check/contracts.hpp"
#include "gradproof/core/plugin.hpp"
#include "tools/cli/command_line.hpp"

namespace gradproof::cli {

struct PluginOptions {
    std::vector<std::string> paths;
    double time_limit = 60;  ///< seconds, for each op, for loading, and for all of a command that uses the ops
    int answer = -1;         ///< in the child: where with_plugins answers
};

/// --plugin and --time-limit.
void add_plugin_options(const Command& command, PluginOptions& options);

/// Loads each library, after a child process has: one that crashes or hangs as it loads is an error and not the end.
/// A path named twice is loaded once. Errors: IoError, ValueError (core/plugin.hpp); ValueError for a time limit that is none.
std::vector<Plugin> load_plugins(const PluginOptions& options);

/// Checks one op of the plugins in a child process. An op that crashes, hangs or ends the process is wrong: OpReport::failure
/// and a finding say how, and in which contract on which sample.
check::OpReport check_in_child(const PluginOptions& plugins, const OpEntry& op, const check::Options& options);

/// `work`, a command's own, once the plugins are loaded: in a child process where there are any, which prints in our place. Its
/// exit status; kWrong, with one line on stderr, if it crashes, hangs or ends early.
int with_plugins(const PluginOptions& plugins, const std::function<int()>& work);

}  // namespace gradproof::cli
