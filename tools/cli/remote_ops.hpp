// Ops and kernels whose code runs in a PluginProcess. In the registry of this program stand pages and kernels that look like any
// other and hand each call over: whoever calls, records or judges them does so here, and believes only the arrays that come back.
//
//   const std::vector<Plugin> plugins = register_remote_ops(process);
#pragma once

#include <vector>

#include "gradproof/core/plugin.hpp"
#include "tools/cli/plugin_process.hpp"

namespace gradproof::cli {

/// Starts the process and registers what its plugins have, for as long as this program runs. Errors: as PluginProcess::start,
/// and as load_plugin.
std::vector<Plugin> register_remote_ops(PluginProcess& process);

}  // namespace gradproof::cli
