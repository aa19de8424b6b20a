// The page as a file: as it is, or opened at a derivation.
//
//   write_page("attention.html", {});
//   write_page("proof.html", {"desk", derivation_text("a.tex", read_derivation("a.tex"))});
#pragma once

#include <string>

#include "gradproof/core/proof/language/text.hpp"

namespace gradproof::cli {

/// The view that the page opens at, "board" or "desk", and the derivation there; nothing where the view is "".
struct PageStart {
    std::string view{}, text{};
};

/// The page that tools/web/build made, with its starting state. The bytes written.
/// Errors: ValueError where no page stands beside the program or it takes no such text; IoError where it cannot be written.
std::size_t write_page(const std::string& out, const PageStart& start);
/// A derivation as the page reads it: the text of a .proof file, any other in the notation. Errors: ProofError.
std::string derivation_text(const std::string& file, const proof::Text& text);

}  // namespace gradproof::cli
