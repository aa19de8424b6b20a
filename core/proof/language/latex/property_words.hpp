// What words before and behind a name say of it: "is symmetric", "a unit vector".
//
//   if (const auto said = said_behind(mention)) said->fill ...
#pragma once

#include <optional>

#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::latex {

struct SaidOf {
    Fill fill = Fill::symmetric;  ///< literal of what is not drawn
    std::string what{};           ///< the words, as reports have them
    bool one = true;              ///< of one name: "is", "a symmetric matrix"
    bool each = false;            ///< of every name of a list: "are", "symmetric matrices"
    std::size_t words = 0;        ///< before the name that say so
    bool qualified = false;       ///< more is said of it that is not read: "symmetric up to a permutation"
    WordList rest{};              ///< behind the name and the property
};

/// One-hot and distributions, which labels are.
inline bool is_label_fill(Fill f) { return f == Fill::onehot || f == Fill::distribution; }

/// "is symmetric", "are both positive definite", "denotes its one-hot encoding" behind a name.
std::optional<SaidOf> said_behind(const Mention& m);
/// "a symmetric matrix", "the one-hot label" before a name.
std::optional<SaidOf> said_before(const Mention& m);

/// Of what it is said behind a list of names that ends with all[i]: of these, of all their entries or of some parts of them ("the
/// rows of $W$"), or of another thing ("the Hessian of $A$").
struct SubjectOf {
    enum class Kind { names, entries, parts, other } kind = Kind::names;
    std::string part{};  ///< rows, columns
};
SubjectOf subject_of(const std::vector<Mention>& all, std::size_t i);

/// Whether it is said of how training begins: "we initialize $W$ orthogonal".
bool is_of_the_start(const Mention& m);

}  // namespace gradproof::proof::latex
