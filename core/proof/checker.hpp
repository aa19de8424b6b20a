// The checker of derivations as a library: text and arrays go in, reports come out, each with its to_text and to_json.
//
//   check_proof(text).verdict() == Verdict::right;                            // check_markdown for a text with fenced blocks
//   const std::vector<Proof> proofs = read_proofs("attention.proof", text);
//   to_json(explain(proofs[0]));  to_text(explain_cell(proofs, "dK[2,1]"));   // every step with its numbers, or one entry
//   to_text(compare(proofs[0], bind_arrays(inputs, proofs), results));        // arrays computed elsewhere
//   to_text(derive(proofs[0]));                                               // the gradients of its forward, derived and judged
//   judge_exercise(find_exercise("values"), "A^T dO").verdict();
//   check_proof(text, {}, {.stop = &flag, .memory = 1 << 30});                // each ends as its Control says: Stopped
#pragma once

#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/exercises/exercises.hpp"
#include "gradproof/core/proof/explain/explain.hpp"
#include "gradproof/core/proof/judge/compare.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/library/library.hpp"
