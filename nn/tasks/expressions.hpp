// A small task that attention can learn: every expression Max(a,b,c), Min(a,b,c), First(a,b,c) over digits, and its value, a
// digit. It is the task that the teaching texts of core/proof/documents train on.
//
//   const Examples data = all_expressions();       // 3000 rows of 8 token ids, 3000 answers from 0 to 9
//   expression_text(data.row(162));                // "Max(1,6,2)"
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/nn/tasks/examples.hpp"

namespace gradproof {

/// The vocabulary, by id. The last four occur in no expression; they bring it to the 20 tokens that the teaching texts use.
inline constexpr std::array<std::string_view, 20> kTokens = {"0", "1", "2",     "3",       "4",     "5",        "6",
                                                             "7", "8", "9",     "Max",     "Min",   "First",    "(",
                                                             ")", ",", "<pad>", "<start>", "<end>", "<unknown>"};
inline constexpr Index kExpressionLength = 8;

/// All 3000, in the order of function, then a, b, c: Max(a,b,c) is row 100 a + 10 b + c.
Examples all_expressions();

/// "Max(1,6,2)"
std::string expression_text(std::span<const Index> ids);
/// {"Max", "(", "1", ...}
std::vector<std::string> token_texts(std::span<const Index> ids);
/// The row of an expression written as text, spaces ignored.
/// Errors: ValueError naming what was expected, and the nearest function.
Index find_expression(std::string_view text);

}  // namespace gradproof
