// Numbers of entries, sizes that are said again, masks that hold True, and the least of several numbers.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string judged_program(const std::string& declared, const std::string& lines) {
    return verdicts("import numpy as np\n# gradproof: " + declared + "\n" + lines, {}, "a.py");
}

TEST(NumPySizes, NumberOfEntries) {
    const auto mean = [](const std::string& slope) {
        return judged_program("dims n d; input h [n, d]; const y [n, d]", "loss = np.mean((h - y) ** 2)\ndh = " + slope + "\n");
    };
    EXPECT_EQ(mean("2 * (h - y) / h.size"), "right");
    EXPECT_EQ(mean("2 * (h - y) / (h - y).size"), "right");
    EXPECT_EQ(mean("2 * (h - y) / len(h)"), "wrong");
    EXPECT_EQ(mean("2 * (h - y) / h[0].size"), "wrong");
    EXPECT_EQ(mean("(h - y) / h.size"), "wrong");
}

TEST(NumPySizes, OfWhatComesInAreSaidAgain) {
    const auto norm = [](const std::string& sizes, const std::string& mean) {
        return judged_program("dims N C H W; input x [N, C, H, W], gamma [C]",
                              "def forward(x, gamma):\n    mu = x.mean(axis=(0, 2, 3), keepdims=True)\n"
                              "    out = gamma.reshape(1, -1, 1, 1) * (x - mu)\n    return out, gamma\n"
                              "def backward(dout, gamma):\n    " +
                                  sizes +
                                  " = dout.shape\n    m = N * H * W\n    g = dout * gamma.reshape(1, -1, 1, 1)\n    dx = g - " +
                                  mean + "\n    return dx\n");
    };
    const std::string mean = "g.sum(axis=(0, 2, 3), keepdims=True) / m";
    EXPECT_EQ(norm("N, C, H, W", mean), "right");
    EXPECT_EQ(norm("N, C, H, W", "g.mean(axis=(0, 2, 3), keepdims=True)"), "right") << "m is used by no line";
    EXPECT_EQ(norm("N, C, H, W", "g.sum(axis=(0, 2, 3), keepdims=True) / N"), "wrong");
    EXPECT_EQ(norm("N, C, H, W", "g.sum(axis=(0, 1, 2), keepdims=True) / m"), "wrong");
    EXPECT_EQ(norm("C, N, H, W", mean).find("right"), std::string::npos) << "the sizes are exchanged";
}

TEST(NumPySizes, MasksThatHoldTrue) {
    const auto causal = [](const std::string& mask, const std::string& slope) {
        return judged_program("dims n; input S [n, n]",
                              "mask = " + mask + "\nM = np.where(mask, 0, S)\nloss = np.sum(M ** 2)\ndS = " + slope + "\n");
    };
    const std::string mask = "np.triu(np.ones((n, n), dtype=bool), k=1)";
    EXPECT_EQ(causal(mask, "2 * M"), "right");
    EXPECT_EQ(causal(mask, "2 * np.where(~mask, S, 0)"), "right");
    EXPECT_EQ(causal("np.tril(np.ones((n, n), dtype=np.bool_))", "2 * np.where(mask, 0, S)"), "right");
    EXPECT_EQ(causal(mask, "2 * np.where(mask, S, 0)"), "wrong");
    EXPECT_EQ(causal(mask, "2 * S"), "wrong");
    EXPECT_NE(causal("np.ones((n, n), dtype=int)", "2 * M"), "right");
    EXPECT_EQ(judged_program("dims n; input x [n]",
                             "loss = np.sum(x ** 2)\ndx = np.zeros(n, dtype=bool)\nfor i in range(n):\n"
                             "    dx[i] = 2 * x[i]\n"),
              "not read, right")
        << "True where it is not 0";
    EXPECT_EQ(
        judged_program("dims n; input x [n]", "a = np.ones(n, dtype=bool)\nloss = np.sum(x * (a + a))\ndx = 2 * np.ones(n)\n")
            .find("right"),
        std::string::npos)
        << "True + True is True";
}

TEST(NumPySizes, TheLeastAndWhereItIs) {
    const auto nearest = [](const std::string& where, const std::string& slope) {
        return judged_program("dims n m d; input X [n, d], C [m, d]",
                              "D = ((X[:, None, :] - C[None, :, :]) ** 2).sum(axis=2)\na = " + where +
                                  "\nloss = np.min(D, axis=1).sum()\ndX = " + slope + "\n");
    };
    EXPECT_EQ(nearest("np.argmin(D, axis=1)", "2 * (X - C[a])"), "right");
    EXPECT_EQ(nearest("D.argmin(axis=1)", "2 * (X - C[a])"), "right");
    EXPECT_EQ(nearest("np.argmax(D, axis=1)", "2 * (X - C[a])"), "wrong");
    EXPECT_EQ(nearest("np.argmin(D, axis=1)", "2 * (C[a] - X)"), "wrong");
}

}  // namespace
}  // namespace gradproof::proof
