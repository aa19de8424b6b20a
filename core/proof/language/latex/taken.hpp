// Shapes of names of which the text says nothing, as its formulas need them.
//
//   std::vector<Taken> taken = names_to_take(source, text);        // w and n of L = \frac{1}{n} \|X w - y\|^2
//   fit(taken, proof_of_a_first_reading, reading);                 // X [n, d], w [d], y [n]
//   declare(taken, reading, statements);
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/domains_needed.hpp"
#include "gradproof/core/proof/language/latex/prose.hpp"
#include "gradproof/core/proof/language/latex/unsaid.hpp"

namespace gradproof::proof::latex {

struct Taken {
    Unsaid name;
    std::size_t axes = 0;              ///< as its letter makes likely, until more is known
    std::vector<std::string> sizes{};  ///< once they are known
    std::string id{};                  ///< once it is declared
    Domain domain = Domain::all;
    std::string refused{};  ///< why it is no value of its own, though formulas can be read with one

    bool is_value() const { return !name.is_size && !name.is_function; }
};

/// Names of which a text says nothing.
struct Unstated {
    std::vector<Taken> all{};
    std::optional<ProofError> unread{};  ///< where no line could be read with them, the error of the first
    std::set<std::size_t> unfit{};       ///< where formulas begin that no shapes make fit together with the others
};

std::vector<Taken> names_to_take(const Source& source, Span text, const Prose& prose);

/// So that the text can be read a first time: with sizes that stand in for those to be found.
void declare_to_find_shapes(std::vector<Taken>& taken, Reading& reading, Statements& to);

/// Whether a line speaks of a gradient, read or not.
bool claims_something(const Proof& read);

/// What the first reading shows. Whether it has to be read once more, since the axes are others than it was read with; nothing
/// where no shapes fit.
std::optional<bool> fit(std::vector<Taken>& taken, const Proof& read);
/// Then: where the assignment begins without which some would; nothing where there is none.
std::optional<std::size_t> misfit_in(const std::vector<Taken>& taken, const Proof& read);

/// Functions of which the text says nothing, as any smooth ones.
void declare_functions(const std::vector<Taken>& taken, const Reading& reading, Statements& to);

/// As inputs, labels as constants, and the sizes that they have; says so in reports.
void declare(std::vector<Taken>& taken, const Prose& prose, Reading& reading, Statements& to);

}  // namespace gradproof::proof::latex
