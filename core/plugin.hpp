// Plugins: shared libraries whose ops and kernels are registered while the program runs.
//
//   const Plugin plugin = load_plugin("build/libswish.so");
//   registry().find("swish").info.forward;
//   check::check_ops(plugin.ops, {});
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct Plugin {
    std::string path;
    std::vector<const OpEntry*> ops;  ///< what it registered, in alphabetical order
    std::vector<KernelInfo> kernels;  ///< what it attached, to its own ops or to others
};

/// Loads a shared library and registers its ops and kernels; it stays loaded until the program ends. Its initialisers run in this
/// process; if you do not trust them, try them in another process first. Not while other threads look up ops.
/// Errors: IoError if it is not a shared library, was built against another gradproof (no code of it has run then), cannot be
/// loaded, or registers nothing; ValueError if the name of an op is taken, or a kernel cannot be attached. After an error nothing
/// of it is registered.
Plugin load_plugin(const std::string& path);

}  // namespace gradproof
