// What reports in words say: of a proof, of each line, and of a file in all.
#pragma once

#include <set>

#include "gradproof/core/proof/judge/report.hpp"

namespace gradproof::proof {

struct ReportRow {
    std::string mark;    ///< "wrong"
    std::string colour;  ///< of it, as terminals number them
    std::string note;    ///< why, and what to write
    std::vector<std::string> more;
};
ReportRow row_of(const LineReport& line);
/// "notes.md:12: Attention"
std::string name_of(const ProofReport& proof);
/// "5 draws of (n, m), 64 entries compared", and what was met.
std::vector<std::string> facts_of(const ProofReport& proof);
/// "for symmetric A, x > 0"; "" of none.
std::string for_text(const std::vector<std::string>& domain);
/// "if what is passed over in lines 4, 9 changes nothing"; "" of none.
/// The cell of a notebook or the file, as that of TextSpan, and the line.
using PassedLines = std::set<std::pair<std::string, int>>;
std::string if_passed_over_changes_nothing(const PassedLines& lines);
/// "1 wrong of 4; first wrong line: 11"
std::string totals(const FileReport& report);

}  // namespace gradproof::proof
