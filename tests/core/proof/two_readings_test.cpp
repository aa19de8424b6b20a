// Derivations in the notation whose forward, or whose last number, two readers read differently, and lines that choose by the
// size of a gradient.
#include <gtest/gtest.h>

#include "gradproof/core/proof/derive/derive.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(TwoReadings, OfAForwardInTheNotationNothingIsTold) {
    const auto gate = [](const std::string& n, const std::string& dr) {
        return verdicts("dims d\ninput x [d], W [d, d], U [d, d], h [d], r [d]\nforward\n  n = tanh(W x + " + n +
                        ")\nclaim\n  dr = " + dr + "\n");
    };
    const std::string outside = "(U h) ⊙ dn ⊙ (1 - n²)", inside = "h ⊙ (U^T (dn ⊙ (1 - n²)))";
    EXPECT_EQ(gate("r ⊙ U h", outside), "cannot tell");
    EXPECT_EQ(gate("r ⊙ U h", inside), "cannot tell");
    EXPECT_EQ(gate("r ⊙ U h", "r"), "wrong");
    EXPECT_EQ(gate("r ⊙ (U h)", outside) + gate("(r ⊙ U) h", inside), "rightright");
    const auto loss = [](const std::string& l, const std::string& dx) {
        return verdicts("dims n\ninput x [n], s [] ~ positive\nforward\n  L = " + l + "\nclaim\n  dx = " + dx + "\n");
    };
    EXPECT_EQ(loss("sum(x²) / 2s", "x / s"), "cannot tell");
    EXPECT_EQ(loss("sum(x²) / 2s", "x s"), "cannot tell");
    EXPECT_EQ(loss("sum(x²) / (2 s)", "x / s"), "right");
    EXPECT_EQ(loss("1/2 sum(x²)", "x"), "right");
}

TEST(TwoReadings, APowerOfASquareMatrixMayBeAProduct) {
    const auto line = [](const std::string& y, const std::string& dA, const std::string& said = "") {
        return verdicts(said + "dims n d\ninput A [n, n], X [n, d], x [n]\nforward\n  y = " + y + "\nclaim\n  " + dA + "\n");
    };
    const std::string by_entries = "dA = 2 A ⊙ outer(dy, x)", as_product = "dA = outer(dy, A x) + A^T outer(dy, x)";
    EXPECT_EQ(line("A² x", by_entries) + line("A^2 x", as_product), "cannot tellcannot tell");
    EXPECT_EQ(line("A² x", "dA = A ⊙ outer(dy, x)") + line("A² x", "dx = (A^2)^T dy"), "wrongright");
    EXPECT_EQ(line("(A ⊙ A) x", by_entries) + line("A A x", "dA = outer(dy, A x) + outer(A^T dy, x)"), "rightright");
    EXPECT_EQ(line("A^-1 x", "dA = -(1/A²) ⊙ outer(dy, x)") + line("(1/A) x", "dA = -(1/A²) ⊙ outer(dy, x)"), "cannot tellright");
    EXPECT_EQ(line("A² x", by_entries, "convention elementwise\n") + line("X²", "dX = 2 X ⊙ dy"), "rightright");
}

Proof read(const std::string& text) { return read_proofs("a.proof", text).at(0); }

/// What derive writes means one thing, also where the text does not.
TEST(TwoReadings, WhatIsDerivedHasOne) {
    const std::string head = "dims n\ninput A [n, n], x [n], s [] ~ positive\nforward\n";
    const std::string powers = to_text(derive(read(head + "  y = A² x\n")));
    EXPECT_NE(powers.find("convention elementwise\n"), std::string::npos) << powers;
    EXPECT_EQ(verdicts(powers), "right, right, right");
    const std::string quotient = to_text(derive(read(head + "  L = sum(x²)/2s\n")));
    EXPECT_NE(quotient.find("/ 2 s\n"), std::string::npos) << quotient;
    EXPECT_EQ(verdicts(quotient), "right, right, right");
    EXPECT_EQ(to_text(derive(read(head + "  y = x²\n"))).find("elementwise"), std::string::npos);
}

TEST(TwoReadings, ANumberInBracketsBehindOneBlankIsAFactorOrThatOfTheLine) {
    const std::string text = "dims n\ninput x [n]\nforward\n  L = sum(x ⊙ x)\nclaim\n  dx = ";
    EXPECT_EQ(verdicts(text + "2 x  (3)\n") + verdicts(text + "2 x (3a)\n"), "rightright");
    for (const char* right : {"x (2)", "2 x (0.5)", "2 x (3)"})
        EXPECT_NE(testing::error_of([&] { verdicts(text + right + "\n"); }).find("may be a factor or the number of the line"),
                  std::string::npos)
            << right;
    EXPECT_EQ(verdicts(text + "x · (2)\n"), "right");
}

TEST(TwoReadings, ALineThatChoosesByTheSizeOfAGradient) {
    const auto line = [](const std::string& dx) {
        return verdicts("dims n\ninput x [n]\nforward\n  y = tanh(x)\nclaim\n  dx = " + dx + "\n");
    };
    const std::string right = "dy ⊙ (1 - y²)";
    EXPECT_EQ(line(right), "right");
    for (const std::string& dx : {"min(" + right + ", 65504)", "max(" + right + ", -1000)", "min(max(" + right + ", -1e6), 1e6)"})
        EXPECT_EQ(line(dx), "cannot tell") << dx;
    const auto of_loss = [](const std::string& dx) {
        return verdicts("dims n\ninput x [n]\nforward\n  y = x ⊙ x\n  L = sum(y ⊙ y)\nclaim\n  dx = " + dx + "\n");
    };
    EXPECT_EQ(of_loss("2 x ⊙ dy") + of_loss("2 x ⊙ min(dy, 1e9)"), "rightcannot tell");  // dy grows with the inputs alone
    EXPECT_EQ(line("min(" + right + ", 1e30)") + line("min(" + right + ", 1e60)"), "cannot tellright");
    EXPECT_EQ(line("abs(dy) ⊙ sign(dy) ⊙ (1 - y²)"), "right");
}

}  // namespace
}  // namespace gradproof::proof
