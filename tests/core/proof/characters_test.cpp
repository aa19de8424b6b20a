// What a blank, a number and a name are made of.
#include "gradproof/core/proof/language/characters.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace gradproof::proof {
namespace {

using Lengths = std::initializer_list<std::pair<const char*, std::size_t>>;

void expect_lengths(std::size_t (*length)(std::string_view), Lengths cases) {
    for (const auto& [text, expected] : cases) EXPECT_EQ(length(text), expected) << text;
}

TEST(ProofCharacters, ANumberEndsBeforeAnEllipsisAndAnExponentNeedsDigits) {
    expect_lengths(number_length, {{"2", 1},
                                   {"2.", 2},
                                   {"2.5", 3},
                                   {".5", 2},
                                   {"12.75x", 5},
                                   {"1e-3", 4},
                                   {"1E+30", 5},
                                   {"1e", 1},
                                   {"1e+", 1},
                                   {"2.5e9.5", 5},
                                   {"2...", 1},
                                   {"2..", 2},
                                   {"2..3", 2},
                                   {"2.*x", 2},
                                   {".", 0},
                                   {"..5", 0},
                                   {".e5", 0},
                                   {"x", 0},
                                   {"", 0}});
}

TEST(ProofCharacters, BlanksTakeCommentsAndNoBreakSpaces) {
    expect_lengths(blanks_length,
                   {{"x", 0}, {" \t\r\nx", 4}, {"# all = 1", 9}, {"# a\n x", 5}, {"\u00a0 x", 3}, {"\xC2", 0}, {"", 0}});
}

TEST(ProofCharacters, ANameIsALetterAndThenDigitsAndSubscriptsToo) {
    expect_lengths(identifier_length, {{"dW_q = 3", 4},
                                       {"x2", 2},
                                       {"2x", 0},
                                       {"x₁+", 4},
                                       {"₁", 0},
                                       {"αβ", 4},
                                       {"δ_t ", 4},
                                       {"Σ", 0},
                                       {"x\u0302y", 4},
                                       {"\u0302", 0},
                                       {"ẑ'", 3},
                                       {"𝐱+", 4},
                                       {"x\xE2\x82", 1},
                                       {"", 0}});
}

TEST(ProofCharacters, WhatIsDeclaredMayHaveBracesAndPrimes) {
    expect_lengths(name_length, {{"W_{hx} x", 6},
                                 {"h_{t-1}", 7},
                                 {"W_{", 2},
                                 {"W_{}", 2},
                                 {"W_{a[b]}", 2},
                                 {"W{a}", 1},
                                 {"x''y", 3},
                                 {"x''''", 4},
                                 {"x′", 4},
                                 {"2", 0}});
    EXPECT_EQ(plain_name("W_{h, x}"), "W_hx");
    EXPECT_EQ(plain_name("h_{t-1}"), "h_tm1");
    EXPECT_EQ(plain_name("x'′"), "x_prime_prime");
}

TEST(ProofCharacters, SubscriptLettersStandForIndices) {
    expect_lengths(subscripts_length, {{"ₖ(", 3}, {"ᵢⱼ", 6}, {"₁", 0}, {"k", 0}});
    std::string letters;
    for (const char* letter : {"ᵢ", "ⱼ", "ₖ", "ₗ", "ₘ", "ₙ", "ₚ", "ₛ", "ₜ", "ₐ"}) letters += subscript_index(letter);
    EXPECT_EQ(letters, "ijklmnpsta");
    EXPECT_EQ(subscript_index("ₓ"), '\0');
}

}  // namespace
}  // namespace gradproof::proof
