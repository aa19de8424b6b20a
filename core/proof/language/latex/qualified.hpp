// Words around a definition that do something to its value: "$a = z$, clipped to $[-1, 1]$", "the negative of $L = \sum_i y_i$".
//
//   if (const auto words = qualifying_words(mentions, i)) ...      // what the formula says alone is not what the text says
#pragma once

#include <optional>

#include "gradproof/core/proof/language/latex/mentions.hpp"

namespace gradproof::proof::latex {

/// Of all[i], NAME = VALUE: where the words stand, before or behind it, that say that the value is another. Words that only
/// describe it do not: "normalised" of a quotient, "followed by $a = \sigma(z)$".
std::optional<Span> qualifying_words(const std::vector<Mention>& all, std::size_t i);

}  // namespace gradproof::proof::latex
