// Checking all derivations of a text or file, and the report as text and as JSON.
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
    Verdict verdict() const;  ///< wrong also if a line is not read
};

/// Checks the derivations of a text in the notation, or of a Markdown text with blocks fenced as ```proof. A line that cannot be
/// read is reported as "not read", and the others are judged. Errors: ProofError, with line, column and a caret, if the text as a
/// whole cannot be read; Stopped, when `control` ends the call (its progress counts lines).
FileReport check_proof(const std::string& text, const CheckOptions& options = {}, const Control& control = {});
FileReport check_markdown(const std::string& text, const CheckOptions& options = {}, const Control& control = {});
/// The same for a text of any kind: the end of `name` says how it is read (.proof, .md, .tex, .py, .ipynb; see Source), and
/// reports and errors show the name. The file itself is not opened.
FileReport check_file(const std::string& name, const Text& text, const CheckOptions& options = {}, const Control& control = {});

/// "12", or "12 of cell 3".
std::string line_text(int line, const std::string& in);
std::string line_text(const LineReport& line);

struct TextStyle {
    bool colour = false;
    bool only_wrong = false;  ///< leaves out lines that are right
};
std::string to_text(const FileReport& report, const TextStyle& style = {});
/// What the figures of a report mean, those that stand in it, for one who sees them for the first time; "" where none does.
std::string legend(const FileReport& report);
/// One JSON object, "schema": 1.
std::string to_json(const FileReport& report);
/// The JSON object of a file that could not be read: {"schema": 1, "file", "error": {"line", "column", "text", "span"}}.
std::string error_json(const std::string& file, const ProofError& e);

}  // namespace gradproof::proof
