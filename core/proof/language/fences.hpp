// What a block of code in Markdown is: by the text behind its fence, and by what it looks like.
//
//   named_by("latex proof")                       // Named::latex
//   looks_of("dims n\nforward\n").forward          // true
#pragma once

#include <string_view>

namespace gradproof::proof {

/// What the text behind a fence says of its block: it is a proof, it is something else, or one may take it for a proof.
enum class Named { proof, latex, numpy, other, nearly };
Named named_by(std::string_view info);

/// What code that is not read looks like: a proof for the words that its lines begin with, or a fence that opens one.
struct Looks {
    bool first = false, forward = false, claim = false;
    std::size_t fence = std::string_view::npos;  ///< in the text
};
Looks looks_of(std::string_view code);

}  // namespace gradproof::proof
