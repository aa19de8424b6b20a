// The task of the documents: every expression Max(a,b,c), Min(a,b,c), First(a,b,c) over digits, and the digit it stands for.
//
//   const Expressions data = all_expressions();          // 3000 rows of 8 token ids, 3000 answers
//   const Split split = split_of(data.count(), 0.2, 42);  // 2400 to train on, 600 to validate
//   expression_text(data, 162);                           // "Max(1,6,2)"
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/random.hpp"

namespace gradproof {

/// The vocabulary, by id. The last four stand in no expression: they make it the documents' 20.
inline constexpr std::array<std::string_view, 20> kTokens = {"0", "1", "2",     "3",       "4",     "5",        "6",
                                                             "7", "8", "9",     "Max",     "Min",   "First",    "(",
                                                             ")", ",", "<pad>", "<start>", "<end>", "<unknown>"};
inline constexpr Index kExpressionLength = 8;
inline constexpr Index kAnswers = 10;

struct Expressions {
    std::vector<Index> tokens{};   ///< count() rows of kExpressionLength ids
    std::vector<Index> answers{};  ///< the digit, 0 to 9
    Index count() const { return static_cast<Index>(answers.size()); }
    std::span<const Index> row(Index i) const {
        return std::span<const Index>(tokens).subspan(static_cast<std::size_t>(i * kExpressionLength),
                                                      static_cast<std::size_t>(kExpressionLength));
    }
};

/// All 3000, in the order of function, then a, b, c: Max(a,b,c) is row 100 a + 10 b + c.
Expressions all_expressions();

/// "Max(1,6,2)"
std::string expression_text(const Expressions& data, Index row);
/// The row of an expression written as text, spaces ignored.
/// Errors: ValueError naming what was expected, and the nearest function.
Index find_expression(std::string_view text);

struct Split {
    std::vector<Index> training{};
    std::vector<Index> validation{};
};
/// A seeded random split of 0 .. count-1. Errors: ValueError unless both parts have at least one row.
Split split_of(Index count, double validation_share, std::uint64_t seed);

/// The order of the training rows in one epoch, into `out`: a permutation that depends on seed and epoch only.
void epoch_order(const std::vector<Index>& rows, std::uint64_t seed, Index epoch, std::vector<Index>& out);

}  // namespace gradproof
