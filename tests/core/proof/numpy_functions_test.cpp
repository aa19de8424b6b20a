// Functions that a program in NumPy defines and calls: a call stands for what they return.
#include <gtest/gtest.h>

#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kHelpers =
    "import numpy as np\n"
    "def sigmoid(x):\n"
    "    return 1 / (1 + np.exp(-x))\n"
    "def softmax(z):\n"
    "    \"\"\"Of each row.\"\"\"\n"
    "    e = np.exp(z - z.max(-1, keepdims=True))\n"
    "    e /= e.sum(axis=-1, keepdims=True)\n"
    "    return e\n"
    "def dsigmoid(a):\n"
    "    s = sigmoid(a)\n"
    "    return s * (1 - s)\n"
    "def relu_backward(dout, x): return dout * (x > 0)\n";
const std::string kGiven = "# gradproof: dims n d k c; input X [n, d], W1 [d, k], W2 [k, c]; const Y [n, c] ~ onehot\n";

std::string network(const std::string& lines) {
    return kGiven + kHelpers + "z1 = X @ W1\nh = sigmoid(z1)\nz2 = h @ W2\np = softmax(z2)\nloss = -(Y * np.log(p)).sum() / n\n" +
           lines;
}

TEST(NumPyFunctions, NumbersGivenAsDefaultsAreConstants) {
    const std::string focal =
        "# gradproof: dims n c; input z [n, c]; const y [n] ~ index(c)\n"
        "def focal(z, y, gamma=2.0, scale: float = -1):\n"
        "    logp = torch.log_softmax(z, dim=1)[torch.arange(n), y]\n"
        "    q = logp.exp()\n"
        "    loss = scale * ((1 - q) ** gamma * logp).mean()\n"
        "    return loss\n"
        "def focal_backward(z, y, dloss, gamma=2.0, scale: float = -1):\n"
        "    p = torch.softmax(z, dim=1)\n"
        "    t = p[torch.arange(n), y]\n"
        "    g = -scale * (gamma * (1 - t) ** (gamma - 1) * torch.log(t) - (1 - t) ** gamma / t) / n\n"
        "    hot = torch.nn.functional.one_hot(y, c)\n";
    EXPECT_EQ(verdicts_by_line(
                  "a.py", focal + "    dz = dloss * (g * t)[:, None] * (hot - p)\n    dz = dloss * g[:, None] * (hot - p)\n"),
              "12 right, 13 wrong");
    EXPECT_EQ(verdicts_by_line("a.py", focal + "    dz = (g * t)[:, None] * (hot - p)\n"), "12 wrong");
}

/// What __init__ gives parameters to begin with is no value of theirs.
TEST(NumPyFunctions, AClassMayInitialiseWhatIsDeclared) {
    const std::string layer =
        "# gradproof: dims n d; input x [n, d], gamma [d], beta [d]\n"
        "class LayerNorm:\n"
        "    def __init__(self, d, eps=1e-5):\n"
        "        self.gamma = np.ones(d)\n"
        "        self.beta = 0.1 * np.random.randn(d)\n"
        "        self.eps = eps\n"
        "        self.rng = np.random.default_rng(0)\n"
        "    def forward(self, x):\n"
        "        self.std = np.sqrt(x.var(axis=1, keepdims=True) + self.eps)\n"
        "        self.xhat = (x - x.mean(axis=1, keepdims=True)) / self.std\n"
        "        out = self.gamma * self.xhat + self.beta\n"
        "        return out\n"
        "    def backward(self, dout):\n"
        "        n, d = dout.shape\n"
        "        self.dgamma = (dout * self.xhat).sum(axis=0)\n"
        "        dxhat = dout * self.gamma\n";
    EXPECT_EQ(
        verdicts_by_line("a.py", layer + "        dx = (d * dxhat - dxhat.sum(axis=1, keepdims=True) - self.xhat * (dxhat * "
                                         "self.xhat).sum(axis=1, keepdims=True)) / (d * self.std)\n"
                                         "        dx = dxhat / self.std\n"),
        "15 right, 16 right, 17 right, 18 wrong");
    const std::string comment = layer.substr(0, layer.find('\n'));
    std::string below = layer.substr(comment.size() + 1);
    below.insert(below.find("    def forward"), comment + "; const eps = 1e-5\n");
    EXPECT_EQ(verdicts_by_line("a.py", below), "15 right, 16 right");
}

TEST(NumPyFunctions, ACallStandsForWhatItReturns) {
    EXPECT_EQ(verdicts_by_line("a.py", network("dz2 = (p - Y) / n\ndz2 = softmax(z2) - Y\ndh = dz2 @ W2.T\n"
                                               "dz1 = dh * dsigmoid(z1)\ndz1 = dh * sigmoid(z1)\ndz1 = dh * dsigmoid(a=z1)\n")),
              "19 right, 20 wrong, 21 right, 22 right, 23 wrong, 24 right");
}

TEST(NumPyFunctions, TheyMayBeLambdasHaveDefaultsAndStandBehindTheirUse) {
    EXPECT_EQ(
        verdicts_by_line("a.py",
                         "# gradproof: dims n d; input x [n, d], g [d]\n"
                         "def norm(x, eps=1e-5):\n"
                         "    mu, n = x.mean(axis=-1, keepdims=True), x.shape[0]\n"
                         "    return (x - mu) / scale(x, eps)\n"
                         "def scale(v, eps):\n"
                         "    return np.sqrt(v.var(axis=-1, keepdims=True, ddof=0) + eps)\n"
                         "swish = lambda t: t / (1 + np.exp(-t))\n"
                         "y = norm(x)\ns = swish(y)\nout = s * g\n"
                         "dg = (dout * s).sum(axis=0)\ndg = (dout * swish(x)).sum(axis=0)\ndg = (dout * swish(norm(x))).sum(0)\n"
                         "dy = dout * g * (s + (1 + s) / (1 + np.exp(-y)))\n"
                         "dy = dout * g * (s / y + s * (1 - s / y))\n"),
        "11 right, 12 wrong, 13 right, 14 wrong, 15 right");
}

TEST(NumPyFunctions, ConditionsGoThroughThem) {
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n; input x [n]\ndef inside(v): return (v > 0) & (v < 1)\n"
                               "def back(g, v): return g * inside(v)\n"
                               "y = np.where(inside(x), x, 0.0)\ndx = back(dy, x)\ndx = dy * ~inside(x)\n"),
              "5 right, 6 wrong");
}

/// What is not read says so once, where it stands; the lines that use it name that line.
TEST(NumPyFunctions, OneThatCannotBeReadIsNamedInOneLine) {
    const std::vector<LineReport> lines = lines_of(
        "# gradproof: dims n; input x [n]\ndef odd(v):\n    for i in range(3):\n        v = v * v\n    return v\n"
        "y = x * x\nz = odd(y)\nout = y + 1\ndx = 2 * x * dy\n",
        {}, "a.py");
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].line, 2);
    EXPECT_EQ(lines[0].text, "def odd(v):");
    EXPECT_EQ(lines[0].reason, "of a function that is called, assignments to names are read and one return at its end");
    EXPECT_EQ(lines[1].reason, "line 2, which says what odd is, is not read");
    EXPECT_EQ(lines[2].verdict, check::Verdict::right);
}

TEST(NumPyFunctions, WhatTheyMayNotDo) {
    const auto refused = [](const std::string& function, const std::string& use = "y = f(x)\n") {
        return refused_as("# gradproof: dims n; input x [n]\n" + function + use, "a.py");
    };
    EXPECT_EQ(refused("def f(v):\n    v -= v.max()\n    return v * 2\n"),
              "v is changed in place: give the result a name of its own");
    EXPECT_EQ(refused("def f(v):\n    u = v.T\n    u *= 2\n    return u\n"),
              "u is changed in place: give the result a name of its own");
    EXPECT_EQ(refused("h = x * 2\ndef f(v): return v * h\n"),
              "h is none of the arguments of f, of the sizes and of what is given");
    EXPECT_EQ(refused("def f(v, w): return v * w\n"), "f: its argument w is missing");
    EXPECT_EQ(refused("def f(v): return v * 2\n", "y = f(x, x)\n"), "f: got 2 arguments, it takes 1");
    EXPECT_EQ(refused("def f(v): return v * 2\n", "y = f(x, v=x)\n"), "f: its argument v is given twice");
    EXPECT_EQ(refused("def f(v): return f(v) * 2\n"), "calls of functions stand within each other deeper than 8 (kDeepestCalls)");
    EXPECT_EQ(refused("def f(v): return v * 2\ndef f(v): return v * 3\n"), "f is defined twice");
    EXPECT_EQ(refused("@np.vectorize\ndef f(v): return v * 2\n"), "what stands above it with @ may change what it computes");
    EXPECT_EQ(refused("def f(v):\n    u = v * 2\n    return u, v\n", "a, b, c = f(x)\n"),
              "3 names on the left, as many expressions are expected on the right");
}

/// The name of a function of the file is no function known here.
TEST(NumPyFunctions, TheirNamesHideOthers) {
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n; input x [n]\ndef relu(v): return np.where(v > 0, v, 0.1 * v)\n"
                               "y = relu(x)\ndx = dy * (x > 0)\ndx = dy * np.where(x > 0, 1, 0.1)\n"),
              "4 wrong, 5 right");
}

/// Functions whose values other lines speak of are the program, as before.
TEST(NumPyFunctions, AProgramInFunctionsIsReadLineByLine) {
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n; input x [n], w [n]\n"
                               "def loss_of(x, w):\n    y = x * w\n    L = (y ** 2).sum()\n    return L\n"
                               "def grad(x, w, y):\n    dy = 2 * y\n    dx = dy * w\n    dw = dy * w\n    return dx, dw\n"
                               "def numeric(x, w, i):\n    return (loss_of(x + 1e-5, w) - loss_of(x - 1e-5, w)) / 2e-5\n"),
              "7 right, 8 right, 9 wrong");
}

/// Who looks at one function alone gets those that it calls, too.
TEST(NumPyFunctions, OneFunctionIsReadWithThoseItCalls) {
    const std::string text =
        "# gradproof: dims n; input x [n]\ndef relu(v): return np.where(v > 0, v, 0.1 * v)\n"
        "def other(x):\n    z = relu(x)\n    return z\n"
        "def back(x, dy):\n    y = relu(x)\n    dx = dy * (x > 0)\n    dx = dy * np.where(x > 0, 1, 0.1)\n    return dx\n";
    EXPECT_EQ(verdicts_by_line("a.py", numpy::with_functions("a.py", text, {"back"})), "8 wrong, 9 right");
}

TEST(NumPyFunctions, AFunctionBesideTheNamedOneIsNotThatOfALibrary) {
    const std::string text =
        "# gradproof: dims n; input x [n]\ndef outer():\n    def relu(z):\n        return np.maximum(z, 0.1 * z)\n"
        "    def step(x):\n        y = relu(x)\n        loss = y.sum()\n        dx = 1.0 * (x > 0)\n        return dx\n    "
        "return step\n";
    EXPECT_EQ(verdicts_by_line("a.py", numpy::with_functions("a.py", text, {"step"})), "6 not read, 7 not read, 8 not read");
}

/// Work stays in bounds however functions call each other.
TEST(NumPyFunctions, ManyCallsWithinEachOtherAreRefused) {
    std::string text = "# gradproof: dims n; input x [n]\ndef f0(v): return v + " + times(200, "v * ") + "v\n";
    for (int i = 1; i < 8; ++i)
        text += fmt::format("def f{0}(v): return f{1}(v) + f{1}(v) * f{1}(v) - f{1}(f{1}(v))\n", i, i - 1);
    EXPECT_NE(refused_as(text + "y = f7(x)\n", "a.py").find("kMost"), std::string::npos);
}

// What is not read may be a view, and what it is given may be another array behind it.
TEST(NumPyFunctions, ArraysThatMayBeChangedUnderAnotherNameAreNotRead) {
    const auto judged = [](const std::string& lines) {
        return verdicts("# gradproof: dims n; input x [n]\nimport numpy as np\n" + lines, {}, "a.py");
    };
    const std::string changed = "L = np.sum(y)\ndx = np.ones(n)\n";
    EXPECT_EQ(judged("y = x * 1\nz = y.ravel()\nz *= 2\n" + changed).find("right"), std::string::npos);
    EXPECT_EQ(judged("y = x * 1\nz = y.ravel()\n" + changed), "not read, right");
    for (const char* body :
         {"    z *= 2\n    return z\n", "    t = z\n    t += 1 * t\n    return t\n", "    z[0] = 0\n    return z\n"})
        EXPECT_EQ(judged("def f(z):\n" + std::string(body) + "y = x * 1\nq = f(y)\n" + changed).find("right"), std::string::npos)
            << body;
    for (const char* body : {"    z = z * 2\n    return z\n", "    t = 2 * z\n    t += z\n    return t\n"})
        EXPECT_EQ(judged("def f(z):\n" + std::string(body) + "y = x * 1\nq = f(y)\n" + changed), "right") << body;
}

TEST(NumPyFunctions, AnArrayIsChangedUnderAnotherNameWithinThem) {
    const auto judged = [](const std::string& lines) {
        return verdicts("# gradproof: dims n; input x [n]\nimport numpy as np\ndef f(z):\n" + lines +
                            "y = f(2 * x)\nL = np.sum(y)\ndx = 2 * np.exp(2 * x)\n",
                        {}, "a.py");
    };
    for (const char* lines :
         {"    t = z[:]\n    t *= 2\n    return np.exp(z)\n", "    t = z\n    t -= 1\n    u = np.exp(z)\n    return u\n",
          "    u = z.ravel()\n    u += 1\n    return np.exp(z)\n", "    e = np.exp(z)\n    u = e\n    u *= 2\n    return e\n",
          "    e = np.exp(z)\n    u = e[::-1]\n    u *= 2\n    return e\n",
          "    e = np.exp(z)\n    u = np.flip(e)\n    u *= 2\n    return e\n"})
        EXPECT_EQ(judged(lines).find("right"), std::string::npos) << lines;
    for (const char* lines :
         {"    t = z.copy()\n    t *= 2\n    return np.exp(z)\n", "    t = z * 1\n    t -= 1\n    return np.exp(z)\n",
          "    e = np.exp(z)\n    u = e * 1\n    u *= 2\n    return e\n"})
        EXPECT_EQ(judged(lines), "right") << lines;
}

TEST(NumPyFunctions, AMethodIsGivenTheConditionFirst) {
    const auto where = [](const std::string& dx, const std::string& dy) {
        return verdicts(
            "# gradproof: dims n; input x [n], y [n]\nimport torch\nout = x.where(x > 0, y)\ndx = " + dx + "\ndy = " + dy + "\n",
            {}, "a.py");
    };
    EXPECT_EQ(where("dout * (x > 0)", "dout * (x <= 0)"), "right, right");
    EXPECT_EQ(where("dout * (x <= 0)", "dout * (x > 0)"), "wrong, wrong");
    EXPECT_EQ(where("0 * dout", "dout * (x == 0)"), "wrong, wrong");
    EXPECT_EQ(
        verdicts("# gradproof: dims n; input x [n], y [n]\nimport torch\nout = x.where(x > 0, other=y)\ndx = dout * (x > 0)\n",
                 {}, "a.py"),
        "right");
}

TEST(NumPyFunctions, AnImportSaysWhoseFunctionItIs) {
    const auto of = [](const std::string& import, const std::string& y, const std::string& dx) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n; input x [n]\n" + import + "\ny = " + y + "\ndx = dy * " + dx + "\n");
    };
    const std::string exact = "(0.5 * (1 + erf(x / np.sqrt(2))) + x * np.exp(-x ** 2 / 2) / np.sqrt(2 * np.pi))";
    EXPECT_EQ(of("from torch.nn.functional import gelu", "gelu(x)", exact), "4 right");
    for (const char* import : {"from jax.nn import gelu", "from jax.nn import *"})
        EXPECT_EQ(of(import, "gelu(x)", exact), "3 not read, 4 not read") << import;
    for (const char* import : {"import jax.nn as nn", "from jax import nn"})
        EXPECT_EQ(of(import, "nn.gelu(x)", exact), "3 not read, 4 not read") << import;
    EXPECT_EQ(of("import tensorflow as tf", "tf.nn.leaky_relu(x)", "np.where(x > 0, 1, 0.2)"), "4 right");
    EXPECT_EQ(of("import tensorflow as tf", "tf.nn.leaky_relu(x)", "np.where(x > 0, 1, 0.01)"), "4 wrong");
    EXPECT_EQ(of("import tensorflow as tf", "tf.nn.leaky_relu(x, alpha=0.01)", "np.where(x > 0, 1, 0.01)"), "4 right");
    EXPECT_EQ(of("from tensorflow.nn import leaky_relu", "leaky_relu(x)", "np.where(x > 0, 1, 0.01)"), "4 wrong");
    EXPECT_EQ(of("import torch.nn.functional as F", "F.leaky_relu(x)", "np.where(x > 0, 1, 0.01)"), "4 right");
}

/// from activations import *: sigmoid may be its own.
TEST(NumPyFunctions, OfAModuleThatIsNotKnownAnyFunctionMayBe) {
    const auto of = [](const std::string& lines) {
        return verdicts_by_line("a.py", "# gradproof: dims n; input x [n]\nfrom activations import *\n" + lines);
    };
    EXPECT_EQ(of("y = sigmoid(x)\ndx = dy * y * (1 - y)\n"), "3 not read, 4 not read");
    EXPECT_EQ(of("y = np.tanh(x)\ndx = dy * (1 - y ** 2)\n"), "4 right");
    EXPECT_EQ(of("def relu(v): return np.maximum(v, 0)\ny = relu(x)\ndx = dy * (x > 0)\n"), "5 right");
}

}  // namespace
}  // namespace gradproof::proof
