// Loops that add up without their index, defaults that change below, halves, and new axes before the dots.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string program(const std::string& lines) {
    return verdicts_by_line("a.py", "# gradproof: dims n; input x [n]\nimport numpy as np\n" + lines);
}

TEST(NumPyRepeats, ALoopThatAddsUpCountsItsSteps) {
    const auto added = [](const std::string& begin, const std::string& steps, const std::string& dx) {
        return program("y = " + begin + "\nfor _ in range(" + steps + "):\n    y = y + x\nL = np.sum(y)\ndx = " + dx + "\n");
    };
    EXPECT_EQ(added("np.zeros(n)", "3", "np.ones(n)"), "7 wrong");
    EXPECT_EQ(added("np.zeros(n)", "3", "3 * np.ones(n)"), "7 right");
    EXPECT_EQ(added("x", "n", "2 * np.ones(n)"), "7 wrong");
    EXPECT_EQ(added("x", "n", "(n + 1) * np.ones(n)"), "7 right");
    EXPECT_EQ(program("L = 0.0\nfor epoch in range(3):\n    L += np.sum(x ** 2)\ndx = 2 * x\n"), "6 wrong");
    EXPECT_EQ(program("L = 0.0\nfor epoch in range(3):\n    L += np.sum(x ** 2)\ndx = 6 * x\n"), "6 right");
}

TEST(NumPyRepeats, ADefaultIsWhatItWasAtTheFunction) {
    const auto text = [](const std::string& behind) {
        return program("k = 2\ndef f(x, k=k):\n    return k * x\n" + behind + "y = f(x)\nL = np.sum(y)\ndx = 3 * np.ones(n)\n");
    };
    EXPECT_EQ(text("k = 3\n").find("right"), std::string::npos);
    EXPECT_EQ(text(""), "8 wrong");
}

TEST(NumPyRepeats, AHalfIsRoundedToTheEvenNumber) {
    EXPECT_EQ(program("y = np.round(2.5) * x\nL = np.sum(y)\ndx = 3 * np.ones(n)\n"), "5 wrong");
    EXPECT_EQ(program("y = np.round(2.5) * x\nL = np.sum(y)\ndx = 2 * np.ones(n)\n"), "5 right");
}

TEST(NumPyRepeats, AnAxisBeforeTheDots) {
    EXPECT_EQ(program("y = x[None, ...]\nL = np.sum(y)\ndx = np.ones(n)\n"), "5 right");
    EXPECT_EQ(program("y = x[None, ..., None] * 2\nL = np.sum(y)\ndx = np.ones(n)\n"), "5 wrong");
}

}  // namespace
}  // namespace gradproof::proof
