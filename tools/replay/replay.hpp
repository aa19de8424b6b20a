// The documents replayed: each worked example's steps are evaluated by the engine and held to the numbers printed.
//
//   for (const auto& name : document_names()) {
//       const Document d = replay_document(name, document_text(name));
//       for (const Example& e : d.examples) e.wrong;     // how many printed numbers are wrong
//   }
//
// A document is data: {"schema": 1, "document": name, "title": text, "examples":
// [{"id", "title", "note"?, "inputs": {name: numbers},
// "steps": [{"name", "op", "args", "attrs", "printed"}], "errata": [{"step", "index", "claimed", "true", "kind"}]}]}.
// An argument is an input, an earlier step, or `step!`: the numbers printed for that step, as a reader would carry them on.
// `printed` has the shape of the step's value; each entry is a string, whose last digit says how far it is meant, or null.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof::replay {

/// A printed number agrees within half a unit of its last digit; within two and a half it is a slip of rounding.
enum class Verdict { agree, rounding, wrong };
std::string_view name(Verdict v);

/// A printed number that disagrees, computed or pinned.
struct Disagreement {
    std::string step;
    Shape index;
    std::string claimed;  ///< as printed
    double truth = 0;
    Verdict kind = Verdict::wrong;
    /// "S[0, 1]: claimed 0.33, true 0.3412"
    std::string text() const;
};

struct Example {
    std::string id, title, note;
    Index agree = 0, rounding = 0, wrong = 0;
    Index computed_only = 0;  ///< entries the document does not print
    std::vector<Disagreement> found;
    std::vector<Disagreement> pinned;
    /// One line for each difference between the two: empty where the document errs exactly as pinned.
    std::vector<std::string> differences;
    Index entries() const { return agree + rounding + wrong; }
};

struct Document {
    std::string name, title;
    std::vector<Example> examples;
};

/// The documents in the program, in alphabetical order, and the text of one. Errors: ValueError for an unknown name.
std::vector<std::string> document_names();
std::string document_text(const std::string& name);

/// Evaluates a document in double. Errors: ValueError, one line, for anything malformed:
/// document, example, step and what is wrong.
Document replay_document(const std::string& name, std::string_view json);

}  // namespace gradproof::replay
