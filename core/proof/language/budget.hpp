// The size limits of a derivation. Larger input is refused with one line that names the limit. core/proof/README.md has the
// table.
#pragma once

#include <cstddef>

#include "gradproof/core/shape.hpp"

namespace gradproof::proof {

// Of a file.
inline constexpr std::size_t kLongestFile = std::size_t{4} << 20;         ///< bytes
inline constexpr std::size_t kLongestNotebook = 8 * kLongestFile;         ///< bytes, with the outputs of its cells
inline constexpr std::size_t kLongestStatement = std::size_t{256} << 10;  ///< bytes, without comments
inline constexpr std::size_t kMostStatements = 4000;

// Of a statement.
inline constexpr int kDeepestBrackets = 100;
inline constexpr int kDeepestNesting = 2 * kDeepestBrackets;  ///< of the rules of the notation
inline constexpr int kDeepest = 256;                          ///< of a tree: every pass over one may recurse
inline constexpr std::size_t kMostParts = 65536;              ///< nodes of the tree: terms, numbers, names, calls
inline constexpr std::size_t kMostPartsOfAClaim = 4096;       ///< a claim is evaluated again for each bug that is planted

// Of LaTeX.
inline constexpr std::size_t kMostTokens = 4 * kMostParts;  ///< of an equation, its macros expanded
inline constexpr int kDeepestMacros = 32;                   ///< macros in macros
inline constexpr std::size_t kDeepestInputs = 8;            ///< files in files

// Of a program.
inline constexpr int kDeepestCalls = 8;           ///< calls of its own functions within each other
inline constexpr std::size_t kMostMembers = 100;  ///< names in a dict

// Of a proof.
inline constexpr std::size_t kMostNames = 1000;         ///< dims, inputs, constants and values
inline constexpr Index kMostElements = Index{1} << 20;  ///< of an array
inline constexpr double kMostMultiplied = 1 << 24;      ///< of numbers, in a matrix product
inline constexpr double kMostBugParts = 1e6;            ///< evaluated for the planted bugs of a line
inline constexpr double kPartsToExplain = 48;           ///< of a claim; of longer ones fewer repairs are tried
inline constexpr double kLinesToExplain = 100;          ///< of a proof; of longer ones too
inline constexpr std::size_t kPartsToDeriveBeside =
    2000;  ///< of a forward; in a longer one nothing is derived beside a wrong line

}  // namespace gradproof::proof
