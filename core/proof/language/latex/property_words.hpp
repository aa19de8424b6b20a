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
};

/// "is symmetric", "are both positive definite", "denotes its one-hot encoding" behind a name.
std::optional<SaidOf> said_behind(const Mention& m);
/// "a symmetric matrix", "the one-hot label" before a name.
std::optional<SaidOf> said_before(const Mention& m);

}  // namespace gradproof::proof::latex
