// Functions that go together by their names, what functions change of what they are given, and calls that only show something.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

using Why = std::vector<std::string>;

Why told_by(const std::string& program) { return passed_because("a.py", program); }
std::string verdicts_of(const std::string& program) { return verdicts_by_line("a.py", program); }

const std::string kRelu = R"(# gradproof: dims n; input x [n]
import numpy as np
def relu(x):
    return np.maximum(0, x)
def relu_backward(dout, x):
    dx = dout * (x > 0)
    return dx
)";

TEST(NumPyPairs, AGradientOfAnotherForwardCannotBeTold) {
    EXPECT_EQ(verdicts_of(kRelu), "6 right");
    const std::string leaky =
        "def leaky_relu(x):\n    return np.where(x > 0, x, 0.01 * x)\ndef leaky_relu_backward(dout, x):\n    out = "
        "leaky_relu(x)\n"
        "    dx = dout * (out > 0)\n    return dx\n";
    EXPECT_EQ(verdicts_of(kRelu + leaky), "6 right, 12 cannot tell");
    const auto ridge = [](const std::string& name, const std::string& slope) {
        return verdicts_of(
            "# gradproof: dims n d; input X [n, d], w [d]; const y [n]\ndef mse(w, X, y):\n"
            "    return np.mean((X @ w - y) ** 2)\ndef ridge(w, X, y, lam=0.1):\n"
            "    return np.mean((X @ w - y) ** 2) + lam * np.sum(w ** 2)\ndef " +
            name + "(w, X, y, lam=0.1):\n    dw = 2 * X.T @ (X @ w - y) / len(y)" + slope + "\n    return dw\n");
    };
    EXPECT_EQ(ridge("mse_gradient", ""), "7 right");
    EXPECT_EQ(ridge("ridge_gradient", ""), "7 cannot tell");
    EXPECT_EQ(ridge("ridge_gradient", " + 2 * lam * w"), "7 cannot tell");
}

TEST(NumPyPairs, AForwardThatAnotherOneCallsIsPartOfIt) {
    EXPECT_EQ(verdicts_of("# gradproof: dims n d; input x [n, d], w [d]\ndef relu(z):\n    return np.maximum(0, z)\n"
                          "def forward(x, w):\n    z = x * w\n    h = relu(z)\n    return h, (x, w, z)\n"
                          "def relu_backward(dh, cache):\n    x, w, z = cache\n    dz = dh * (z > 0)\n    dx = dz * w\n"
                          "    dw = (dz * x).sum(axis=0)\n    return dx, dw\n"),
              "10 right, 11 right, 12 right");
}

Why squared(const std::string& backward) {
    return told_by(
        "# gradproof: dims n d; input X [n, d], w [d]; const y [n]\nclass OLS:\n    def __init__(self, w):\n        self.w = w\n"
        "    def forward(self, X, y):\n        self.X = X\n        self.r = X @ self.w - y\n        return 0.5 * np.mean(self.r "
        "** 2)\n"
        "    def backward(self):\n" +
        backward + "        self.dw = self.X.T @ dr\n        return self.dw\n");
}

TEST(NumPyPairs, WhatAnObjectKeepsIsTheSameAfterwards) {
    EXPECT_TRUE(squared("        dr = self.r / len(self.r)\n").empty());
    EXPECT_TRUE(squared("        dr = self.r.copy()\n        dr /= len(dr)\n").empty());
    EXPECT_EQ(squared("        dr = self.r\n        dr /= len(dr)\n"),
              Why{"it changes self.r, which the function is given or the object keeps"});
}

TEST(NumPyPairs, WhatAFunctionIsGivenIsTheSameAfterwards) {
    const auto tanh = [](const std::string& backward) {
        return told_by(
            "# gradproof: dims n; input x [n]\ndef forward(x):\n    y = np.tanh(x)\n    return y\ndef backward(dy, y):\n" +
            backward + "    return dx\n");
    };
    EXPECT_TRUE(tanh("    dx = dy * (1 - y ** 2)\n").empty());
    EXPECT_EQ(tanh("    dy *= 1 - y ** 2\n    dx = dy\n"), Why{"it changes dy, which the function is given or the object keeps"});
    const auto center = [](const std::string& first) {
        return told_by(
            "# gradproof: dims n d; input x [n, d]\ndef forward(x):\n    " + first +
            "\n    y -= x.mean(axis=0)\n    return y\ndef backward(dy):\n    dx = dy - dy.mean(axis=0)\n    return dx\n");
    };
    EXPECT_TRUE(center("y = x.copy()").empty());
    EXPECT_EQ(center("y = x").size(), 1u);
}

TEST(NumPyPairs, ALossThatOnlyAPrintCallsIsTheForward) {
    const std::string program =
        "# gradproof: dims n d; input X [n, d], w [d]; const y [n]\ndef loss(w, X, y):\n    r = X @ w - y\n"
        "    return 0.5 * np.mean(r ** 2)\ndef gradient(w, X, y):\n    r = X @ w - y\n    dw = X.T @ r / len(y)\n    return dw\n";
    EXPECT_EQ(verdicts_of(program), "7 right");
    EXPECT_EQ(verdicts_of(program + "if __name__ == \"__main__\":\n    print(loss(w, X, y), gradient(w, X, y))\n"), "7 right");
    EXPECT_EQ(verdicts_of(program + "print(loss(w, X, y))\n"), "7 right");
}

}  // namespace
}  // namespace gradproof::proof
