// Plugins on the command line: loading them for any command, and checking their ops. Their code runs in a process of their own;
// what it computes is judged in this one.
//
//   auto plugins = std::make_shared<PluginOptions>();
//   add_plugin_options(command, *plugins);
//   for (const Plugin& p : load_plugins(*plugins)) use(p.ops);
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/plugin.hpp"
#include "tools/cli/command_line.hpp"

namespace gradproof::cli {

struct PluginOptions {
    std::vector<std::string> paths;
    double time_limit = 60;  ///< seconds, for each op, for loading, and for all of a command that uses the ops
};

/// --plugin and --time-limit.
void add_plugin_options(const Command& command, PluginOptions& options);

/// Errors: ValueError for a time limit that is none.
void expect_time(double seconds);

/// Loads each library into a process of their own and registers what it has (remote_ops.hpp), once in a program. A path named
/// twice is loaded once. Errors: IoError, ValueError (core/plugin.hpp), also where one crashes or hangs as it loads; ValueError
/// for a time limit that is none.
std::vector<Plugin> load_plugins(const PluginOptions& options);

/// judge(), which checks one op of the plugins. One that crashes, hangs or ends its process is wrong: OpReport::failure and a
/// finding say how, and in which contract on which sample.
check::OpReport judge_plugin_op(const OpEntry& op, const std::function<check::OpReport()>& judge);

/// `work`, a command's own, once the plugins are loaded. Its exit status; kWrong, with one line on stderr, if their process
/// crashes, hangs or ends early.
int with_plugins(const PluginOptions& plugins, const std::function<int()>& work);

}  // namespace gradproof::cli
