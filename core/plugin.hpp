// Plugins: shared libraries whose ops are registered while the program runs.
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
};

/// Loads a shared library and registers its ops; it stays loaded until the program ends. Its own initialisers run in this
/// process: who does not trust them tries them in another one first. Not while other threads look up ops.
/// Errors: IoError if it is not a shared library, was built against another gradproof (no code of it has run then), cannot be
/// loaded, or registers no op; ValueError if the name of an op is taken. After an error none of its ops is registered.
Plugin load_plugin(const std::string& path);

}  // namespace gradproof
