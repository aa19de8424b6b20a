// What was found in a file, as text and as JSON.
//
//   const FileReport r = check_file("notes.md", text, {});
//   fmt::print("{}", to_text(r, {.colour = true}));
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

struct FileReport {
    std::string file;
    std::vector<ProofReport> proofs;
    int count(Verdict v) const;
    Verdict verdict() const;
};

/// Errors: ProofError, with file, line, column and a caret.
FileReport check_file(const std::string& file, const std::string& text, const CheckOptions& options);

struct TextStyle {
    bool colour = false;
    bool only_wrong = false;
};
std::string to_text(const FileReport& report, const TextStyle& style);
/// One JSON object, "schema": 1.
std::string to_json(const FileReport& report);
/// The JSON object of a file that could not be read: {"schema": 1, "file", "error": {"line", "column", "text"}}.
std::string error_json(const std::string& file, const ProofError& e);

/// How many columns a text takes on a terminal: characters, not bytes; combining and CJK widths are not told apart.
std::size_t columns_of(std::string_view text);

}  // namespace gradproof::proof
