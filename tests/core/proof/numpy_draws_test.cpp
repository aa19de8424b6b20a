// Arrays that a program of NumPy draws are what it is given.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// Nothing but the program: what it draws has the sizes that it says.
TEST(NumPyDraws, WhatIsDrawnIsGiven) {
    const auto program = [](const std::string& dW) {
        return "import numpy as np\nN, D, C = 200, 30, 4\nX = np.random.randn(N, D)\ny = np.random.randint(0, C, size=N)\n"
               "W = 0.01 * np.random.randn(D, C)\nb = np.zeros((1, C))\nreg = 1e-3\nfor i in range(100):\n"
               "    s = X @ W + b\n    p = np.exp(s) / np.sum(np.exp(s), axis=1, keepdims=True)\n"
               "    loss = np.sum(-np.log(p[range(N), y])) / N + 0.5 * reg * np.sum(W * W)\n    ds = p.copy()\n"
               "    ds[range(N), y] -= 1\n    ds /= N\n    dW = " +
               dW + "\n    db = np.sum(ds, axis=0, keepdims=True)\n    W += -0.1 * dW\n    b += -0.1 * db\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", program("X.T @ ds + reg * W")), "14 right, 15 right, 16 right");
    EXPECT_EQ(verdicts_by_line("a.py", program("X.T @ ds + 2 * reg * W")), "14 right, 15 wrong, 16 right");
}

TEST(NumPyDraws, OfPyTorchJAXAndGenerators) {
    const auto squares = [](const std::string& x, const std::string& w, const std::string& dw = "2 * x.T @ (x @ w)") {
        return "n, d, k = 5, 3, 2\nx = " + x + "\nw = " + w + "\nloss = ((x @ w) ** 2).sum()\ndw = " + dw + "\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", squares("torch.randn(n, d)", "torch.randn(d, k, requires_grad=True)")), "5 right");
    EXPECT_EQ(verdicts_by_line("a.py", squares("rng.standard_normal((n, d))", "rng.normal(0, 0.1, size=(d, k))")), "5 right");
    EXPECT_EQ(verdicts_by_line("a.py", squares("jax.random.normal(key, (n, d))", "nn.Parameter(torch.rand(d, k))")), "5 right");
    EXPECT_EQ(verdicts_by_line("a.py", squares("np.random.uniform(-1, 1, (n, d))", "np.random.randn(d, k) / np.sqrt(d)")),
              "5 right");
    EXPECT_EQ(verdicts_by_line("a.py", squares("np.random.randn(n, d)", "np.random.randn(d, k)", "x.T @ (x @ w)")), "5 wrong");
    // A class with its sizes as parameters, and functions above what they are given.
    EXPECT_EQ(
        verdicts_by_line("a.py",
                         "class Layer:\n    def __init__(self, n_in, n_out):\n        self.W = np.random.randn(n_in, n_out)\n"
                         "    def forward(self, x):\n        self.x = x\n        out = x @ self.W\n        return out\n"
                         "    def backward(self, dout):\n        dW = self.x.T @ dout\n        dx = dout @ self.W.T\n"
                         "m = 6\nx = np.random.randn(m, n_in)\n"),
        "9 right, 10 right");
}

/// What a function or a sum makes of what is drawn is not what the checker would draw.
TEST(NumPyDraws, WhatIsMadeOfADrawIsNotDrawn) {
    const std::string loss = "loss = (x ** 2).sum()\ndx = 2 * x\n";
    for (const std::string x : {"np.exp(np.random.randn(n))", "np.abs(np.random.randn(n)) + 1", "np.random.rand(n) < 0.5",
                                "np.linalg.inv(np.random.randn(n, n))"}) {
        const std::string all = verdicts_by_line("a.py", "# gradproof: dims k\nn = 4\nx = " + x + "\n" + loss);
        EXPECT_EQ(all.find("right"), std::string::npos) << all;
    }
    EXPECT_EQ(verdicts_by_line("a.py", "n = 4\nx = np.array(np.random.randn(n)).astype(float) / np.sqrt(n) + 1\n" + loss),
              "4 right");
    const auto places = [](const std::string& y) {
        return verdicts_by_line("a.py",
                                "N, C = 6, 4\nz = np.random.randn(N, C)\ny = " + y +
                                    "\nloss = z[np.arange(N), y].sum()\ndz = np.zeros_like(z)\ndz[np.arange(N), y] += 1\n");
    };
    EXPECT_EQ(places("np.random.randint(0, C, N).astype(int)"), "6 right");
    EXPECT_EQ(places("np.random.randint(0, C, N) + 1").find("right"), std::string::npos);
}

/// A comment goes before what is drawn; without one, what the program makes of the numbers matters.
TEST(NumPyDraws, CommentsGoFirst) {
    const std::string given = "# gradproof: dims n d; input x [n, d], b [d]\nx = np.random.randn(64, 10)\nb = np.zeros(10)\n";
    EXPECT_EQ(verdicts_by_line("a.py", given + "loss = ((x + b) ** 2).sum()\ndb = 2 * (x + b).sum(axis=0)\ndx = x + b\n"),
              "5 right, 6 wrong");
    EXPECT_EQ(refused_as("n = 4\nmask = np.random.rand(n) < 0.5\n", "a.py"),
              "nothing says what is given: write the comment  # gradproof: dims n d; input X [n, d]");
    const std::string twice = verdicts_by_line(
        "a.py", "# gradproof: dims k\nx = np.random.randn(4)\nx = np.random.randn(5)\nloss = (x ** 2).sum()\ndx = 2 * x\n");
    EXPECT_EQ(twice.find("right"), std::string::npos) << twice;
}

TEST(NumPyDraws, MasksOfDropout) {
    const auto dropout = [](const std::string& mask, const std::string& back) {
        return "# gradproof: dims n m; input x [n, m]\ndef forward(x, drop_param):\n"
               "    p, mode = drop_param.get('p', 0.8), drop_param['mode']\n    mask = " +
               mask +
               "\n    out = x * mask\n    out = out.astype(x.dtype, copy=False)\n    return out, mask\n"
               "def backward(dout, mask, p):\n    dx = " +
               back + "\n";
    };
    for (const char* mask : {"(np.random.rand(*x.shape) < p) / p", "(torch.rand_like(x) < p).float() / p",
                             "(rng.random(x.shape) > 1 - p) / p", "(np.random.rand(n, m) <= p) * 1.0"}) {
        EXPECT_EQ(verdicts_by_line("a.py", dropout(mask, "dout * mask")), "9 right") << mask;
        EXPECT_EQ(verdicts_by_line("a.py", dropout(mask, "dout * (mask - 1)")), "9 wrong") << mask;
        EXPECT_EQ(verdicts_by_line("a.py", dropout(mask, "dout")), "9 wrong") << mask;
    }
}

TEST(NumPyDraws, AnOpenBracketIsToldInALine) {
    EXPECT_EQ(refused_as("# gradproof: dims n; input x [n]\ny = uniform(0, torch.randn_like(x", "a.py"), "expected )");
}

}  // namespace
}  // namespace gradproof::proof
