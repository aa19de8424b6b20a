// What was found in a file, as text and as JSON.
//
//   const FileReport r = check_markdown(text);
//   to_text(r, {.colour = true});  to_json(r);
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

struct FileReport {
    std::string file;
    std::vector<ProofReport> proofs;
    int count(Verdict v) const;
    int unread() const;
    Verdict verdict() const;  ///< wrong, where a line is not read
};

/// The derivations of a text: that of a .proof file, or Markdown with blocks fenced as ```proof.
/// A line that cannot be read is told as such in the report, the others are judged. Errors: ProofError for what is more than a
/// line, with line, column and a caret; Stopped, by the control, whose parts are the lines.
FileReport check_proof(const std::string& text, const CheckOptions& options = {}, const Control& control = {});
FileReport check_markdown(const std::string& text, const CheckOptions& options = {}, const Control& control = {});
/// The same with a name for reports and errors, by whose end it is read as Source says.
FileReport check_file(const std::string& name, const Text& text, const CheckOptions& options = {}, const Control& control = {});

/// "12", or "12 of cell 3".
std::string line_text(const LineReport& line);

struct TextStyle {
    bool colour = false;
    bool only_wrong = false;
};
std::string to_text(const FileReport& report, const TextStyle& style = {});
/// What the figures of a report mean, those that stand in it, for one who sees them for the first time; "" where none does.
std::string legend(const FileReport& report);
/// One JSON object, "schema": 1.
std::string to_json(const FileReport& report);
/// The JSON object of a file that could not be read: {"schema": 1, "file", "error": {"line", "column", "text", "span"}}.
std::string error_json(const std::string& file, const ProofError& e);

}  // namespace gradproof::proof
