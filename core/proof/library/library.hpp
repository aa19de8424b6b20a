// The proofs that come with the program.
//
//   library_names();                        // "additive_attention", "alibi", ...
//   read_proofs("softmax.proof", library_text("softmax"));
#pragma once

#include <string>
#include <vector>

namespace gradproof::proof {

/// In alphabetical order.
std::vector<std::string> library_names();
/// Errors: ValueError for a name that is not in the library, with the nearest that is.
std::string library_text(const std::string& name);

}  // namespace gradproof::proof
