// What a program computes anew, and statements of loops that are not understood: no line is right by what runs otherwise.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kRegression =
    "# gradproof: dims n d; input X [n, d]; input w [d]; input b []; const y [n]\n"
    "def loss(X, w, b, y):\n    pred = X @ w + b\n    err = pred - y\n    L = np.mean(err ** 2)\n    return L\n"
    "def grad(X, w, b, y):\n    pred = X @ w";

TEST(NumPyAnew, WhatAFunctionComputesAnewIsItsOwn) {
    const std::string rest = "\n    err = pred - y\n    db = 2 * np.mean(err)\n    return db\n";
    EXPECT_EQ(verdicts_by_line("a.py", kRegression + " + b" + rest), "10 right");
    EXPECT_EQ(verdicts_by_line("a.py", kRegression + rest), "10 wrong");
    const std::string eps =
        "# gradproof: dims n; input x [n]\ndef forward(x):\n    a = 2.0\n    y = a * x ** 2\n    return y\n"
        "def backward(dy, x):\n    a = ";
    EXPECT_EQ(verdicts_by_line("a.py", eps + "2.0\n    dx = 2 * a * x * dy\n    return dx\n"), "8 right");
    EXPECT_EQ(verdicts_by_line("a.py", eps + "1.0\n    dx = 2 * a * x * dy\n    return dx\n").find("right"), std::string::npos);
}

TEST(NumPyAnew, AFileHoldsOneForward) {
    const auto layers = [](const std::string& second) {
        return verdicts_by_line(
            "a.py",
            "# gradproof: dims n; input x [n]\ndef relu_forward(x):\n    out = np.maximum(0, x)\n    return out\n"
            "def relu_backward(dout, x):\n    dx = dout * (x > 0)\n    return dx\n"
            "def tanh_forward(x):\n    out = np.tanh(x)\n    return out\n"
            "def tanh_backward(dout, x):\n    dx = " +
                second + "\n    return dx\n");
    };
    EXPECT_EQ(layers("dout * (x > 0)"), "6 right, 12 not read");
    EXPECT_EQ(layers("dout * (1 - np.tanh(x) ** 2)"), "6 right, 12 not read");
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n; input p [n]; const y [n]\ndef mse(p, y):\n    return np.mean((p - y) ** 2)\n"
                               "def mse_grad(p, y):\n    dp = 2 * (p - y) / n\n    return dp\n"
                               "def mae(p, y):\n    return np.mean(np.abs(p - y))\n"
                               "def mae_grad(p, y):\n    dp = 2 * (p - y) / n\n    return dp\n"),
              "5 right, 10 not read");
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n; input x [n]\ndef grad(x):\n    y = x ** 2\n    dx = 2 * x\n    return dx\n"
                               "def loss(x):\n    y = x ** 2\n    L = np.sum(y)\n    return L\n"),
              "4 right");
}

TEST(NumPyAnew, StatementsOfALoopAreReadOrRefused) {
    const auto rnn = [](const std::string& line) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims T d; input x [T, d]; input W [d, d]; const g [T, d]\nh = np.zeros((T, d))\n"
                                "for t in range(T):\n    h[t] = np.tanh(x[t] @ W)\nL = np.sum(h * g)\ndW = np.zeros_like(W)\n"
                                "for t in reversed(range(T)):\n    da = g[t] * (1 - h[t] ** 2)\n" +
                                    line + "    dW += np.outer(x[t], da)\n");
    };
    EXPECT_EQ(rnn(""), "9 right");
    for (const char* line : {"    da[:] = 0.5 * da\n", "    da: np.ndarray = 0.5 * da\n", "    if t > 2: da = 0.5 * da\n",
                             "    da[0] = 0\n", "    for k in range(2): da = 0.5 * da\n", "    e = da\n    e *= 2\n"})
        EXPECT_EQ(rnn(line).find("right"), std::string::npos) << line << rnn(line);
}

TEST(NumPyAnew, DrawsAndLoopTargetsAreOthers) {
    const std::string head = "# gradproof: dims n; input x [n]; const y [n]\np = x * y\nL = np.sum(p ** 2)\n";
    EXPECT_EQ(verdicts_by_line("a.py", head + "for q in p:\n    print(q)\ndx = 2 * p * y\n"), "6 right");
    EXPECT_EQ(verdicts_by_line("a.py", head + "for i, p in enumerate(p):\n    print(p)\ndx = 2 * p * y\n"), "6 not read");
    EXPECT_EQ(verdicts_by_line("a.py", head + "print(p.sub_(y))\ndx = 2 * p * y\n").find("not read") != std::string::npos, true);
}

TEST(NumPyAnew, NamesThatOneLineAssignsTwiceAndViewsAreNotReadAsOthers) {
    const auto judged = [](const std::string& lines) {
        return verdicts_by_line("a.py", "# gradproof: dims n m; input X [n, m]\n" + lines + "dX = 2 * dY\n");
    };
    EXPECT_EQ(judged("Y = X\nY = Y * 2\n"), "4 right");
    for (const char* lines :
         {"Y = X; Y = Y * 2; Y = Y * 2\n", "A = X * 2\nB = np.flip(A)\nB *= 2\nY = A\n",
          "A = X * 2\nB = np.flipud(A)\nB *= 2\nY = A\n", "A = X * 2\nB = A.astype(float, copy=False)\nB *= 2\nY = A\n"})
        EXPECT_EQ(judged(lines).find("right"), std::string::npos) << lines << judged(lines);
}

/// True + True is True.
TEST(NumPyAnew, ConditionsStayConditions) {
    const auto judged = [](const std::string& mask) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n m; input X [n, m]\nM = " + mask + "\nY = X * (M + M)\ndX = 2 * dY * M\n");
    };
    EXPECT_EQ(judged("1.0 * (X > 0)"), "4 right");
    EXPECT_EQ(judged("1.0 * (X.T > 0).T"), "4 right");
    for (const char* mask : {"np.ones_like(X > 0)", "(X.T > 0).T", "np.full_like(X > 0, 2.0)", "np.zeros_like(X > 0)"})
        EXPECT_EQ(judged(mask).find("right"), std::string::npos) << mask << judged(mask);
}

}  // namespace
}  // namespace gradproof::proof
