// Several layers in one program, each below a comment that says what it is given.
#include <gtest/gtest.h>

#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string lines_of_parts(const std::string& program) { return verdicts_by_line("a.py", program); }

const std::string kAffine = R"(import numpy as np
# gradproof: dims n d m; input x [n, d], w [d, m]
def affine_forward(x, w):
    out = x @ w
    return out, (x, w)
def affine_backward(dout, cache):
    x, w = cache
    dx = dout @ w.T
    dw = x.T @ dout
    return dx, dw
)";
const std::string kReluAbove = "# gradproof: dims n d; input x [n, d]\n";
std::string relu(const std::string& slope) {
    return "def relu_forward(x):\n    out = np.maximum(0, x)\n    return out, x\ndef relu_backward(dout, cache):\n    x = cache\n"
           "    dx = dout * (" +
           slope + ")\n    return dx\n";
}

TEST(NumPyParts, EachLayerBelowACommentOfItsOwnIsJudgedAlone) {
    EXPECT_EQ(lines_of_parts(kAffine + kReluAbove + relu("x > 0")), "8 right, 9 right, 17 right");
    EXPECT_EQ(lines_of_parts(kAffine + kReluAbove + relu("x < 0")), "8 right, 9 right, 17 wrong");
    EXPECT_EQ(lines_of_parts(kAffine + "\n# ReLU\n# gradproof: dims n d\n# gradproof: input x [n, d]\n" + relu("x > 0")),
              "8 right, 9 right, 20 right");
    EXPECT_EQ(lines_of_parts(kAffine + kReluAbove + "@staticmethod\n" + relu("x > 0")), "8 right, 9 right, 18 right");
}

TEST(NumPyParts, WhatIsNotDeclaredAgainBelongsToTheLayerAbove) {
    EXPECT_EQ(lines_of_parts("# gradproof: dims n d\nimport numpy as np\n# gradproof: input x [n, d]\n" + relu("x > 0")),
              "9 right");
    EXPECT_EQ(lines_of_parts("# gradproof: dims n d; input x [n, d]\nimport numpy as np\n'''\n# gradproof: dims n\n'''\n" +
                             relu("x > 0")),
              "11 right");
    EXPECT_THROW(lines_of_parts("# gradproof: dims n d\n# gradproof: dims n; input x [n, d]\n" + relu("x > 0")), ProofError);
}

/// Python has the last of two functions, or values, of one name.
TEST(NumPyParts, WhatIsBoundTwiceIsNoProgramOfParts) {
    for (const char* again : {"def affine_backward(dout, cache):\n    return dout\n", "affine_backward = 2\n",
                              "affine_backward.mode = 2\n", "class affine_backward:\n    pass\n"})
        EXPECT_THROW(lines_of_parts(kAffine + kReluAbove + relu("x > 0") + again), ProofError) << again;
}

/// What is not built in is what the text defines, in whichever part.
TEST(NumPyParts, FunctionsOfAnotherPartAreRead) {
    const std::string gate =
        "# gradproof: dims n d; input x [n, d]\ndef gate(x):\n    out = sigmoid(x)\n    return out\n"
        "def gate_backward(dout, out):\n    dx = ";
    const std::string own = "def sigmoid(x):\n    return 2 * x\n";
    EXPECT_EQ(lines_of_parts(kAffine + own + gate + "dout * out * (1 - out)\n"), "8 right, 9 right, 18 wrong");
    EXPECT_EQ(lines_of_parts(kAffine + own + gate + "2 * dout\n"), "8 right, 9 right, 18 right");
}

TEST(NumPyParts, OfFunctionsThatAreNamedTheNotesOfOthersAreLeftOut) {
    const std::string program = kAffine + kReluAbove + relu("x > 0");
    EXPECT_EQ(lines_of_parts(numpy::with_functions("a.py", program, {"relu_forward", "relu_backward"})), "17 right");
    EXPECT_EQ(lines_of_parts(numpy::with_functions("a.py", program, {"affine_forward", "affine_backward"})), "8 right, 9 right");
}

/// def f_backward(dout, cache) below return out, x of f.
TEST(NumPyParts, TheSecondOfTwoThatAreReturnedIsWhatABackwardIsGiven) {
    const auto judged = [](const std::string& returned, const std::string& given, const std::string& lines) {
        return lines_of_parts(
            "# gradproof: dims n d; input x [n, d], w [d]\ndef f(x, w):\n    h = np.tanh(x)\n    out = h * w\n    return " +
            returned + "\ndef f_backward(dout, " + given + "):\n" + lines + "\n    return dx\n");
    };
    const std::string of_x = "    dx = dout * w * (1 - np.tanh(x) ** 2)", of_h = "    dx = dout * w * (1 - h ** 2)";
    EXPECT_EQ(judged("out, x", "cache, w", "    x = cache\n" + of_x), "8 right");
    EXPECT_EQ(judged("out, h", "cache, w", "    h = cache\n" + of_h), "8 right");
    EXPECT_EQ(judged("out, h", "saved, w", "    y = saved\n    dx = dout * w * (1 - y ** 2)"), "8 right");
    EXPECT_EQ(judged("out, h", "saved, w", "    y = saved\n    dx = dout * w * (1 - y)"), "8 wrong");
    EXPECT_EQ(judged("out, x", "cache, w", "    h = cache\n" + of_h), "8 wrong");  // this h is x
    EXPECT_EQ(judged("out, h", "cache, more", "    h = cache\n    w = more\n" + of_h), "8 not read, 9 not read");
}

TEST(NumPyParts, MarkedPartsAreThePartsThatThereAre) {
    EXPECT_EQ(lines_of_parts("# gradproof: begin\n" + kAffine + "# gradproof: end\n" + kReluAbove + relu("x < 0")),
              "9 right, 10 right");
}

TEST(NumPyParts, ADiagonalIsThatOfAllRows) {
    const auto of_entries = [](const std::string& k) {
        return of_program("# gradproof: dims n; input S [n, n]\ndef forward(S):\n    n = S.shape[0]\n    i = np.arange(" + k +
                          ")\n    loss = np.sum(np.tanh(S[i, i]))\n    return loss, S\ndef backward(S):\n"
                          "    dS = np.diag(1 - np.tanh(np.diag(S)) ** 2)\n    return dS\n");
    };
    EXPECT_EQ(of_entries("n"), "8 right");
    EXPECT_EQ(of_entries("S.shape[1]"), "8 right");
    for (const char* k : {"2", "n - 1"}) EXPECT_NE(of_entries(k).find("not read"), std::string::npos) << k;
}

}  // namespace
}  // namespace gradproof::proof
