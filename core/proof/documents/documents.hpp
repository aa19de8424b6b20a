// The worked examples of four teaching texts about attention, and files of the same kind: a proof for each example.
//
//   const Document d = read_document("students", document_text("students"));
//   d.examples[0].id;                       // "queries"
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// The documents that come with the library, in alphabetical order, and the text of one.
/// Errors: ValueError for an unknown name, with the nearest known one.
std::vector<std::string> document_names();
std::string document_text(const std::string& name);

struct WorkedExample {
    std::string id, note;
    Proof proof;
};
struct Document {
    std::string name, title;
    std::vector<WorkedExample> examples;
};

/// The proofs of a text. Its comments `#! document TITLE` name the document, `#! id WORD` and `#! note TEXT` the proof that they
/// are in. An example without an id is named by its line. Errors: ProofError.
Document read_document(const std::string& name, const std::string& text);

}  // namespace gradproof::proof
