// What the checker says of a text, in words, and texts that many tests ask of.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {

/// Of a text with one proof.
inline ProofReport judged(const std::string& text, const CheckOptions& options = {}) {
    return check_file("a.proof", text, options).proofs.at(0);
}
/// The lines of a text with one proof.
inline std::vector<LineReport> lines_of(const std::string& text, const CheckOptions& options = {},
                                        const std::string& file = "a.proof") {
    return check_file(file, text, options).proofs.at(0).lines;
}
inline std::string verdict_of(const LineReport& l) {
    return l.unread ? "not read" : l.skipped ? "skipped" : std::string(check::name(l.verdict));
}
/// "right, cannot tell, wrong" of the lines.
inline std::string verdicts(const std::string& text, const CheckOptions& options = {}, const std::string& file = "a.proof") {
    std::string out;
    for (const ProofReport& p : check_file(file, text, options).proofs)
        for (const LineReport& l : p.lines) out += (out.empty() ? "" : ", ") + verdict_of(l);
    return out;
}
/// "8 right, 9 not read" of the lines of a file.
inline std::string verdicts_by_line(const std::string& file, const std::string& text) {
    std::string out;
    for (const ProofReport& p : check_file(file, text).proofs)
        for (const LineReport& l : p.lines) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", l.line, verdict_of(l));
    return out;
}
/// Why what a text passes over may change its lines.
inline std::vector<std::string> passed_because(const std::string& file, const std::string& text) {
    std::vector<std::string> out;
    for (const ProofReport& p : check_file(file, text).proofs)
        for (const PassedOver& s : p.passed_over) out.push_back(s.why);
    return out;
}
/// Whether all lines of a program are right, and nothing of it is passed over.
inline bool all_right(const std::string& program) {
    const FileReport r = check_file("a.py", program);
    const ProofReport& p = r.proofs.at(0);
    return p.passed_over.empty() && std::ranges::all_of(p.lines, [](const LineReport& l) { return verdict_of(l) == "right"; });
}
/// Those of LaTeX under what a comment declares; the lines of the text begin at 2.
inline std::string tex(const std::string& declared, const std::string& lines) {
    return verdicts_by_line("a.tex", "% gradproof: " + declared + "\n" + lines);
}
/// Those of a program.
inline std::string of_program(const std::string& text) { return verdicts_by_line("a.py", text); }
/// Those of LaTeX that says in its sentences what it needs.
inline std::string of_tex(const std::string& text) { return verdicts_by_line("a.tex", text); }
/// A formula of its own in LaTeX.
inline std::string displayed(const std::string& equation) { return "\\[ " + equation + " \\]\n"; }
/// Why a file is refused by what reads it strictly, where a check only loses the line.
inline std::string refusal_of(const std::string& file, const std::string& text) {
    return gradproof::testing::error_of([&] {
        for (const Proof& p : read_proofs(file, text)) check_proof(p, {});
    });
}

/// What it says then, without the file and the place.
inline std::string refused_as(const std::string& text, const std::string& file = "a.proof") {
    const std::string all = refusal_of(file, text);
    const std::size_t place = all.find(": ");
    return place == std::string::npos ? all : all.substr(place + 2, all.find('\n') - place - 2);
}

inline std::string times(int n, const std::string& text) {
    std::string out;
    for (int i = 0; i < n; ++i) out += text;
    return out;
}
inline Proof from_library(const std::string& name) { return read_proofs(name + ".proof", library_text(name)).front(); }
/// All of them; with sanitizers, whose sources are the same, one of so many.
inline std::vector<std::string> some_library_names(std::size_t sampled) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < library_names().size(); i += gradproof::testing::kSampled ? sampled : 1)
        out.push_back(library_names()[i]);
    return out;
}

/// The notation of what is read where this proof is written so.
inline std::string read_back(const Proof& p, Notation n) {
    const std::string file = n == Notation::latex ? "a.tex" : "a.proof";
    return written(read_proofs(file, written(p, n)).at(0), Notation::notation);
}

/// Claims may follow.
inline const std::string kAttention =
    "dims n m d\ninput Q [n, d], K [m, d], V [m, d]\nforward\n  S = Q K^T / sqrt(d)\n  A = softmax(S)\n  O = A V\nclaim\n";

}  // namespace gradproof::proof
