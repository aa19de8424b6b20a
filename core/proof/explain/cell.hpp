// One entry of a gradient, a Jacobian or a forward value taken apart: the products that were summed into it.
//
//   const Cell cell = find_cell("dK[2,1]", {proof}).cell;
//   const CellReport r = take_apart(cell, proof, plan, draw);
//   r.products[0].factors[0].text();                 // "∂L/∂S[0,2]"
#pragma once

#include "gradproof/core/proof/evaluate/expand.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

/// An entry by its name.
struct Cell {
    enum class Type { value, gradient, jacobian } type{};
    std::string name, by;             ///< ∂name/∂by for a Jacobian
    std::vector<Index> index, at_by;  ///< of the value, and of `by`
    std::string text() const;
};

/// A factor that is a sum itself, as the products that it is the sum of.
struct OpenedFactor {
    std::string name;  ///< as it stands among the factors
    std::vector<Product> products;
    double sum = 0;
};

struct CellReport {
    Cell cell;
    int line = 0;  ///< of the claim or forward statement that computes it; 0 if there is none
    TextSpan span;
    std::string formula;  ///< of that line; if there is none, by the chain rule
    std::vector<Product> products;
    std::vector<OpenedFactor> opened;  ///< of the factors that are sums, the first of them
    std::string used;                  ///< which entries are computed from it: "S[:,2], 5 of 40 entries"
    double sum = 0;
    std::optional<double> truth, difference;  ///< for a derivative: by dual numbers, and by finite differences
    std::string doubt;                        ///< why these two do not settle it
};

struct FoundCell {
    std::size_t proof = 0;  ///< the first proof that has the values that the cell names
    Cell cell;
};
/// Errors: ValueError for a text that is not a cell, a name that no proof knows, or the gradient of a constant.
FoundCell find_cell(const std::string& text, const std::vector<Proof>& proofs);
/// Which entries of what is computed from a value have the entry in them: "S[:,2], 5 of 40 entries: key 2 is seen by every query";
/// "" where nothing is.
std::string used_in(const Cell& cell, const Proof& proof, const Plan& plan, Instance& draw);
/// Errors: ValueError for an index out of range or a wrong number of them; ProofError from the line that computes it.
CellReport take_apart(const Cell& cell, const Proof& proof, const Plan& plan, Instance& draw);

}  // namespace gradproof::proof
