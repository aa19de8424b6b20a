// Functions that round, and conditions on sizes: a draw meets more of their values than two, or the lines through them are not
// called right.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string program(const std::string& lines) {
    return verdicts_by_line("a.py", "# gradproof: dims n; input x [n], c []\nimport numpy as np\n" + lines);
}

TEST(WholeParts, TwoOfThemAreNotEnough) {
    EXPECT_EQ(program("L = np.sum(np.floor(x / 1000) * x * x)\ndx = -2 * x * (x < 0)\ndx = 2 * x * np.floor(x / 1000)\n"),
              "4 wrong, 5 right");
    EXPECT_EQ(program("L = np.sum((x // 1000) * x * x + np.abs(x))\ndx = -2 * x * (x < 0) + np.sign(x)\n"), "4 wrong");
    EXPECT_EQ(program("L = np.sum((x % 1000) * x)\ndx = 2 * x + 1000 * (x < 0)\ndx = x + x % 1000\n"), "4 wrong, 5 right");
    EXPECT_EQ(program("L = np.floor(c / 1000) * np.sum(x * x)\ndx = -2 * x * (c < 0)\n"), "4 wrong");
}

TEST(WholeParts, TwoAreEnoughWhereThereAreNoMore) {
    const auto judged_of = [](const std::string& lines) {
        return verdicts("dims n\ninput x [n], c [] ~ uniform(0, 2)\nforward\n" + lines);
    };
    EXPECT_EQ(judged_of("  y = floor(c) x\nclaim\n  dx = step(c - 1) dy\n  dx = floor(c) dy\n"), "right, right");
    EXPECT_EQ(judged_of("  y = floor(2 sigmoid(x)) ⊙ x\nclaim\n  dx = step(x) ⊙ dy\n  dx = dy\n"), "right, wrong");
    EXPECT_EQ(program("L = np.sum(np.round(1 / (1 + np.exp(-x))) * x)\ndx = 1.0 * (x > 0)\n"), "4 right");
    EXPECT_EQ(judged_of("  y = floor(3 sigmoid(x)) ⊙ x\nclaim\n  dx = step(sigmoid(x) - 1/3) ⊙ dy\n"), "wrong");
    const std::string one =
        judged(
            "dims n\ninput x [n], c [] ~ uniform(0.2, 1.8), d [] ~ uniform(0, 1)\nforward\n  y = floor(c + d) x\nclaim\n"
            "  dx = step(c + d - 1) dy\n")
            .lines.at(0)
            .reason;
    EXPECT_EQ(one, "");  // 2 is met, and it is wrong there
}

TEST(WholeParts, AreCeilingsAndTruncatedToo) {
    EXPECT_EQ(program("L = np.sum(np.ceil(x / 1000) * x * x)\ndx = 2 * x * (x > 0)\ndx = 2 * x * np.ceil(x / 1000)\n"),
              "4 wrong, 5 right");
    EXPECT_EQ(program("L = np.sum(np.trunc(x) * x)\ndx = np.floor(x)\ndx = np.sign(x) * np.floor(np.abs(x))\n"),
              "4 wrong, 5 right");
    const std::string begin = "Let $x \\in \\mathbb{R}^n$ and $c \\in \\mathbb{R}$.\n";
    EXPECT_EQ(of_tex(begin + "\\[ L = \\lfloor c/1000 \\rfloor \\|x\\|^2 + \\sum_i |x_i| \\]\n"
                             "\\[ \\nabla_x L = \\operatorname{sign}(x) \\]\n"
                             "\\[ \\nabla_x L = \\operatorname{sign}(x) + 2 \\left\\lfloor c/1000 \\right\\rfloor x \\]\n"),
              "3 wrong, 4 right");
    EXPECT_EQ(of_tex(begin + "\\[ L = \\lceil c/1000 \\rceil \\|x\\|^2 \\]\n\\[ \\nabla_x L = 2 \\lfloor c/1000 \\rfloor x \\]\n"
                             "\\[ \\nabla_x L = 2 \\lfloor c/1000 \\rfloor x + 2 x \\]\n"
                             "\\[ \\nabla_x L = 2 \\lfloor c/1000 \\rceil x \\]\n"),
              "3 wrong, 4 right, 5 wrong");
}

TEST(WholeParts, OfAnIndexAreMoreThanTwo) {
    const auto judged_of = [](const std::string& factor, const std::string& claimed) {
        return verdicts("dims n\ninput x [n]\nforward\n  y[i] = x[i] " + factor + "\nclaim\n  dx[i] = " + claimed +
                        " dy[i]\n  dx[i] = " + factor + " dy[i]\n");
    };
    EXPECT_EQ(judged_of("floor(i/9)", "where(i >= 9, 1, 0)"), "wrong, right");
    EXPECT_EQ(judged_of("mod(i, 3)", "where(i >= 3, i - 3, i)"), "wrong, right");
}

TEST(WholeParts, SizesThatAreEqualAreDrawnWhereThatDecides) {
    const auto judged_of = [](const std::string& condition) {
        return verdicts("dims n m\ninput x [n], A [n, m]\nforward\n  y = x where(" + condition +
                        ", 2, 1) + A ones(m)\nclaim\n  dx = dy\n  dx = 2 dy\n  dx = where(" + condition + ", 2, 1) dy\n");
    };
    EXPECT_EQ(judged_of("n == m"), "wrong, wrong, right");
    EXPECT_EQ(judged_of("n == 1"), "wrong, wrong, right");
}

TEST(WholeParts, ChangeAtOtherPlacesThanZero) {
    EXPECT_EQ(program("L = np.sum(np.ceil(x / 50) * x)\ndx = np.ceil(x / 50.5)\ndx = np.ceil(x / 50)\n"), "4 wrong, 5 right");
}

// What other lines compare takes no time from a line.
TEST(FurtherDraws, OfEachLineAreThoseOfItsBranches) {
    std::string lines = "L = np.sum(np.clip(x, -1, 5) * x)\n", others;
    for (const char* right : {"np.minimum(x, 40) > -1) & (x < 5", "x > -1) & (np.abs(x) < 5", "x > -1) & (np.minimum(x, 40) < 5",
                              "x > -1) & (np.maximum(x, -15) < 5", "np.maximum(x, -15) > -1) & (x < 5"})
        others += "dx = np.clip(x, -1, 5) + x * ((" + std::string(right) + "))\n";
    const std::string off = "dx = np.clip(x, -1, 5) + x * ((x > -1) & (x < 6))\n";
    EXPECT_EQ(program(lines + others + off), "4 right, 5 right, 6 right, 7 right, 8 right, 9 wrong");
}

TEST(FurtherDraws, ValuesAreFarFromZeroInCombinationsToo) {
    EXPECT_EQ(program("L = np.sum(np.abs(x - c))\ndx = np.sign(np.maximum(x, -15) - c)\ndx = np.sign(x - c)\n"
                      "dx = np.sign(np.minimum(x, 40) - c)\n"),
              "4 wrong, 5 right, 6 wrong");
}

TEST(FurtherDraws, OfOtherSizesAreWideToo) {
    const std::string slope = "np.where(np.abs(x) <= 3, x, 3 * np.sign(x))";
    EXPECT_EQ(program("L = np.sum(np.where(np.abs(x) <= 3, 0.5 * x**2, 3 * np.abs(x) - 4.5))\n"
                      "dx = np.where(n < 12, " +
                      slope + ", x)\ndx = np.where(n < 12, " + slope + ", " + slope + ")\n"),
              "4 wrong, 5 right");
}

// A repair of a wrong line may be refused in a draw that a line below needs.
TEST(FurtherDraws, ThatARepairFailsInStayForOtherLines) {
    const auto slope = [](const std::string& beyond) { return "np.where(np.abs(x) <= 3, x, 3 * np.sign(" + beyond + "))"; };
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n m; input x [n], c [], A [n, m], w [m]\nimport numpy as np\n"
                               "L = np.sum(np.where(np.abs(x) <= 3, 0.5 * x**2, 3 * np.abs(x) - 4.5))\n"
                               "dx = np.where(c < 15, " +
                                   slope("x") + ", 0)\ndx = " + slope("c") +
                                   "\ndx = np.where(np.abs(x) <= 6, x, 3 * np.sign(x))\ndx = np.where(n < 12, " + slope("x") +
                                   ", x)\n"),
              "4 wrong, 5 wrong, 6 wrong, 7 wrong");
}

}  // namespace
}  // namespace gradproof::proof
