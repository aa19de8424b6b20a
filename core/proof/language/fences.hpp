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

/// Whether the text behind a fence names Python: python, {python}, {.python}, {code-cell} ipython3.
bool is_python(std::string_view info);
/// Of ```python with "# gradproof: dims n; input x [n]", and of ```latex with "% gradproof:".
bool is_annotated_program(std::string_view info, std::string_view code);
/// Whether a formula in LaTeX is an equation with a derivative in it; of a fence, ```latex beside ```latex proof with one.
bool claims_a_derivative(std::string_view formula);
bool claims_gradients(std::string_view info, std::string_view code);

}  // namespace gradproof::proof
