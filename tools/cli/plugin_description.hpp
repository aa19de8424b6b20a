// In the process of plugins: what a library has, written as remote_ops.cpp reads it.
#pragma once

#include "tools/cli/frames.hpp"

namespace gradproof::cli {

/// Loads the library that is named and describes its ops and kernels. Errors: as load_plugin.
void load_and_describe(Reader& in, Writer& out);
/// Of the op that is named.
void describe_samples(Reader& in, Writer& out);
void describe_error_samples(Reader& in, Writer& out);

}  // namespace gradproof::cli
