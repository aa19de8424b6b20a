// The checker of derivations as a library: text and arrays go in, reports come out, each with its to_text and to_json.
//
//   using namespace gradproof::proof;
//   check_proof(text).verdict() == Verdict::right;                            // check_markdown for a text with fenced blocks
//   check_file("paper.tex", text);                                            // the end of the name says how to read the text
//   const std::vector<Proof> proofs = read_proofs("attention.proof", text);   // a Proof is one derivation of the file
//   to_json(explain(proofs[0]));  to_text(explain_cell(proofs, "dK[2,1]"));   // every step with its numbers, or one entry
//   to_text(compare(proofs[0], bind_arrays(inputs, proofs), results));        // arrays computed elsewhere (evaluate/bind.hpp)
//   to_text(derive(proofs[0]));                                               // the gradients of its forward, derived and judged
//   judge_exercise(find_exercise("values"), "A^T dO").verdict();
//   check_proof(text, {}, {.stop = &flag, .memory = 1 << 30});                // with limits: throws Stopped when one is reached
//
// A LaTeX file that takes in others: check_file(name, latex::with_inputs(name, text, read)), language/latex/inputs.hpp;
// check_file alone reads the one text. Several threads may call at once. Places for editors are in each LineReport (TextSpan).
//
// Errors: ProofError for a text that cannot be read, with line, column and a caret; ValueError for a wrong argument; Stopped when
// a Control ends the call. check_proof(text), check_markdown and check_file report a line that they cannot read as "not read" and
// go on; read_proofs throws at the first such line, unless it is given Unreadable::loses_line.
#pragma once

#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/exercises/exercises.hpp"
#include "gradproof/core/proof/explain/explain.hpp"
#include "gradproof/core/proof/judge/compare.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/library/library.hpp"
