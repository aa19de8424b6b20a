// Worked examples replayed: the numbers that a text prints are compared with those that the engine computes.
//
//   const Replay r = replay(read_document("students", document_text("students")));
//   to_text(r, {});                         // document, line, the printed number and the true one
#pragma once

#include "gradproof/core/proof/documents/documents.hpp"
#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// A printed number that differs from the true one, or that an erratum says differs.
struct Disagreement {
    int line = 0;
    std::string step;   ///< the left side of its line: "scores"
    std::string entry;  ///< "scores[1,1]"
    Misprint misprint;
    /// "scores[1,1]: printed 2, true 1 (rounding)"
    std::string text() const;
    /// Why the text is not wrong exactly as its erratum states; "" if it is.
    std::string objection() const;
};

/// What a line should print, and what it prints.
struct CorrectedLine {
    int line = 0;
    std::string step;
    struct Number {
        Shape index;
        std::string printed, right;  ///< alike where it is right as printed; "..." where it is left open
        bool changed() const { return printed != right; }
    };
    std::vector<Number> numbers;  ///< in reading order
};

struct ReplayedExample {
    std::string id, title, note;
    int line = 1;
    Index agree = 0, rounding = 0, wrong = 0;  ///< printed numbers
    Index computed_only = 0;                   ///< entries of its values that are not printed
    std::vector<Disagreement> disagreements;
    std::vector<CorrectedLine> corrected;  ///< lines with a number that is not right; alike ones once
    std::vector<int> drawn_lines;          ///< lines whose numbers depend on drawn values, so that they cannot be judged
    Index entries() const { return agree + rounding + wrong; }
    /// One line for each number that is not as stated.
    std::vector<std::string> objections() const;
};

struct Replay {
    std::string name, title;
    std::vector<ReplayedExample> examples;
};

/// Judges the lines of a document that expect numbers, and no others. Errors: ProofError; Stopped, when `control` ends the call
/// (its progress counts examples).
Replay replay(const Document& document, const Control& control = {});

struct ReplayStyle {
    bool all = false;        ///< every disagreement, not only the first ones of an example
    bool corrected = false;  ///< the tables as they should be printed, in the place of the disagreements
};
std::string to_text(const Replay& r, const ReplayStyle& style);
/// The last lines of to_text, over several documents.
std::string summary(const std::vector<Replay>& replays);
/// One JSON object, "schema": 1.
std::string to_json(const Replay& r, const ReplayStyle& style = {});

}  // namespace gradproof::proof
