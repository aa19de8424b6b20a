// Where gradients come in of a paper that states no loss, and uses those of values of which none is computed from another: of w of
// one layer, then of the a of the next; of the h and the c of a cell.
//
//   for (Proof& p : by_upstream(std::move(read))) ...    // lines about w, and lines about a, each with a loss of its own
#pragma once

#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// One proof for the lines that use gradients of the same values, with a loss that is any function of these; `whole` itself where
/// a loss is stated, all gradients lead to the last value, or some do not lead to what its line uses.
std::vector<Proof> by_upstream(Proof whole);

/// Doubts the typeset lines of a text without a loss whose gradient is by what another value follows from as well, beside those
/// that the loss is taken to depend on: O of Q, K and V where it is taken to depend on Q alone.
void doubt_beside(const std::set<std::string>& ends, const Proof& whole, std::vector<JudgedLine>& lines);

/// Adds a loss, the sum of the values times what is drawn. Whether their shapes are known.
bool add_loss_of(const std::set<std::string>& values, Proof& to);
/// Whether an input is what such a loss is drawn with.
bool is_of_added_loss(const Given& g);

}  // namespace gradproof::proof
