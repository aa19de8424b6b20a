// Reports as tables of a document: Markdown as GitHub has it, and LaTeX without packages.
//
//   to_markdown_tables({{.report = check_file("notes.md", text)}});      // "### notes.md ... | line | verdict | ... |"
#pragma once

#include "gradproof/core/proof/judge/annotations.hpp"

namespace gradproof::proof {

/// A heading and a table for each derivation, a line below for each file.
std::string to_markdown_tables(const std::vector<Checked>& files);
/// The same to be taken in by \input; what a formula says stands as it was typed.
std::string to_latex_tables(const std::vector<Checked>& files);

}  // namespace gradproof::proof
