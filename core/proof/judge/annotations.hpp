// Reports for continuous integration: GitHub annotations, SARIF 2.1.0, JUnit XML.
//
//   to_github({{.report = check_file("notes.md", text)}});      // "::error file=notes.md,line=12,col=3,title=wrong::dQ = ..."
#pragma once

#include "gradproof/core/proof/judge/report.hpp"

namespace gradproof::proof {

/// A file that was checked, or why it could not be read.
struct Checked {
    FileReport report;  ///< only the name, if the file cannot be read
    std::optional<ProofError> error{};
};

/// One line for each line of a derivation that is wrong (error) or cannot be told (warning), and for each file not read.
std::string to_github(const std::vector<Checked>& files);
/// One run of results by the rules wrong, cannot-tell and unreadable; columns count characters.
std::string to_sarif(const std::vector<Checked>& files);
/// A suite for each file, a case for each line: wrong is a failure, cannot tell and unreadable are errors.
std::string to_junit(const std::vector<Checked>& files);

}  // namespace gradproof::proof
