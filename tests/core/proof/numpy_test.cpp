// Derivations written in NumPy, PyTorch and JAX: read as they stand, judged line by line, never executed.
#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string place_and_message(const std::string& text) {
    try {
        read_proofs("kernel.py", text);
    } catch (const ProofError& e) {
        return fmt::format("{}:{}: {}", e.line(), e.column(), e.message());
    }
    return "";
}

const std::string kFunction =
    "import numpy as np\n"
    "# gradproof: dims n m d v; input Q [n, d], K [m, d], V [m, v]\n"
    "def attention(Q, K, V, dO):\n"
    "    \"\"\"Forward and backward.\"\"\"\n"
    "    S = Q @ K.T / np.sqrt(Q.shape[-1])\n"
    "    A = np.exp(S - S.max(axis=-1, keepdims=True))\n"
    "    P = A / A.sum(-1, keepdims=True)\n"
    "    O = P @ V\n";

TEST(NumPy, ABackwardIsJudgedAsItStands) {
    EXPECT_EQ(verdicts_by_line("kernel.py", kFunction + "    dV = P.T @ dO\n"
                                                        "    dP = dO @ V.T\n"
                                                        "    dS = P * (dP - (dP * P).sum(axis=-1, keepdims=True))\n"
                                                        "    dQ = dS @ K / np.sqrt(K.shape[1])\n"
                                                        "    dK = dS.T @ Q / np.sqrt(d)\n"
                                                        "    return dQ, dK, dV\n"),
              "9 right, 10 right, 11 right, 12 right, 13 right");
    EXPECT_EQ(verdicts_by_line("kernel.py", kFunction + "    dV = P @ dO\n"
                                                        "    dP = dO @ V.T\n"
                                                        "    dS = P * (dP - (dP * P).sum(axis=-1))\n"
                                                        "    dQ = dS @ K\n"
                                                        "    dK = dS.T @ Q / np.sqrt(d)\n"),
              "9 wrong, 10 right, 11 wrong, 12 wrong, 13 right");
}

TEST(NumPy, HelpersSumsAndNamesOfGradients) {
    EXPECT_EQ(verdicts_by_line("kernel.py", kFunction + "    D = np.einsum('ij,ij->i', dO, O)\n"
                                                        "    grad_P = np.matmul(dO, V.T)\n"
                                                        "    S_grad = P * (grad_P - D[:, None])\n"
                                                        "    Q.grad = S_grad @ K / d ** 0.5\n"
                                                        "    dK = np.zeros((m, d))\n"
                                                        "    dK += S_grad.T @ Q / np.sqrt(d)\n"),
              "10 right, 11 right, 12 right, 14 right");
    EXPECT_EQ(verdicts_by_line("kernel.py",
                               "# gradproof: dims n m\n# gradproof: input x [n, m], w [m], b []\n"
                               "z = x @ w + b\ny = torch.sigmoid(z)\n"
                               "dz = dy * y * (1 - y)\ndx = torch.outer(dz, w)\ndw, db = x.T @ dz, dz.sum()\n"),
              "5 right, 6 right, 7 right, 7 right");
    EXPECT_EQ(verdicts_by_line("kernel.py",
                               "# gradproof: dims n m; input X [n, m], g [m], c [m]\n"
                               "mu = X.mean(axis=1, keepdims=True)\n"
                               "var = ((X - mu) ** 2).mean(axis=1, keepdims=True)\n"
                               "inv = 1.0 / np.sqrt(var + 1e-5)\n"
                               "H = (X - mu) * inv\n"
                               "Y = g * H + c\n"
                               "dg = (dY * H).sum(axis=0)\n"
                               "dH = dY * g\n"
                               "dX = inv * (dH - dH.mean(axis=1, keepdims=True) - H * (dH * H).mean(axis=1, keepdims=True))\n"
                               "dc = dY.sum(0)\n"
                               "# gradproof: skip \"shown, not judged\"\n"
                               "dmu = -dY\n"),
              "7 right, 8 right, 9 right, 10 right, 12 skipped");
    EXPECT_EQ(verdicts_by_line("kernel.py",
                               "# gradproof: dims n; input x [n]\ny = np.where(x > 0, x, 0.1 * x)\n"
                               "dx = dy * np.where(x > 0, 1.0, 0.1)\n"),
              "3 right");
}

TEST(NumPy, NoGradientGoesThroughDetach) {
    EXPECT_EQ(verdicts_by_line("kernel.py",
                               "# gradproof: dims n m; input z [n, m]\np = torch.softmax(z, dim=-1)\n"
                               "y = (F.one_hot(p.argmax(-1), m) - p).detach() + p\ndp = dy\n"),
              "4 right");
    EXPECT_EQ(verdicts_by_line("kernel.py",
                               "# gradproof: dims n m; input z [n, m]\ny = z * jax.lax.stop_gradient(z)\ndz = 2 * dy * z\n"),
              "3 wrong");
}

TEST(NumPy, LoopsGoOverSteps) {
    const std::string forward =
        "# gradproof: dims T n m k; input x [T, n], W [m, n], U [m, m], b [m], V [k, m]\n"
        "h = np.zeros((T, m))\nfor t in range(T):\n    z = W @ x[t] + U @ h[t-1] + b  # the last row is still 0\n    h[t] = "
        "np.tanh(z)\n"
        "y = np.empty((T, k))\nfor t in range(T):\n    y[t] = V @ h[t]\n";
    EXPECT_EQ(verdicts_by_line("rnn.py",
                               forward + "for t in reversed(range(T)):\n"
                                         "    dh[t] = V.T @ dy[t] + (U.T @ (dh[t+1] * (1 - h[t+1]**2)) if t < T - 1 else 0)\n"
                                         "dV = np.zeros_like(V)\ndW = np.zeros_like(W)\ndb = np.zeros(m)\ndU = np.zeros((m, m))\n"
                                         "for t in range(T):\n"
                                         "    dz = dh[t] * (1 - h[t]**2)\n"
                                         "    dV += np.outer(dy[t], h[t])\n"
                                         "    dW += np.outer(dh[t], x[t])\n"
                                         "    db += dz\n"
                                         "for t in range(1, T):\n    dU += np.outer(dh[t] * (1 - h[t]**2), h[t-1])\n"),
              "10 right, 17 right, 18 wrong, 19 right, 21 right");
    EXPECT_EQ(verdicts_by_line("rnn.py", forward + "for t in range(T - 1, -1, -1):\n    dh[t] = V.T @ dy[t]\n"), "10 wrong");
    EXPECT_EQ(verdicts_by_line("ema.py",
                               "# gradproof: dims T n; input x [T, n], c []\ns = np.zeros((T, n))\ns[0] = x[0]\n"
                               "for t in range(1, T):\n    s[t] = c * s[t-1] + (1 - c) * x[t]\nL = (s**2).sum()\n"
                               "ds[T-1] = 2 * s[T-1]\n"),
              "7 not read");
    const std::string given = "# gradproof: dims T n; input x [T, n]\n";
    EXPECT_EQ(place_and_message(given + "for t in range(1, T):\n    s[t] = s[t-1] + x[t]\n"),
              "3:5: nothing says what stands in s before: write s[0] = ... above the loop");
    EXPECT_EQ(place_and_message(given + "for t in range(T):\n    s[t] = x[t]\n    f(t)\n"),
              "4:5: in a loop only assignments are read: h[t] = ..., dW += ...");
    EXPECT_EQ(place_and_message(given + "for t in range(T):\n    s[t+1] = x[t]\n"),
              "3:5: nothing says what stands in s before: write s[0] = ... above the loop");
    EXPECT_EQ(place_and_message(given + "for t in range(T):\n    s[2*t] = x[t]\n"),
              "3:5: in a loop over t rows are assigned, h[t] = ..., and gradients added to, dW += ...");
    EXPECT_EQ(place_and_message(given + "for a, b in zip(x, x):\n    y = a\n"),
              "2:1: for is not read but over range: for t in range(T)");
    for (const char* range : {"range([])", "range(())", "range()", "range(0, T, 1, 1)", "reversed(range([]))"})
        EXPECT_EQ(verdicts_by_line("a.py", given + "for t in " + range + ":\n    y[t] = x[t]\n"), "2 not read") << range;
}

TEST(NumPy, OnlyWhatIsMarkedIsRead) {
    const std::string text =
        "import os\nos.system('true')\nfor i in range(3):\n    print(i)\n# gradproof: begin\n"
        "# gradproof: dims n; input x [n]\ny = x ** 2\ndx = 2 * x * dy\n# gradproof: end\nexec('x = 1')\n"
        "# gradproof: begin\n# gradproof: dims n; input x [n]\ny = x ** 3\ndx = 2 * x * dy\n# gradproof: end\n";
    EXPECT_EQ(verdicts_by_line("kernel.py", text), "8 right, 14 wrong");
    // Comments right above say what is given.
    const std::string given = "import numpy as np\nz = 1\n# gradproof: dims n\n# gradproof: input x [n]\n# gradproof: begin\n";
    EXPECT_EQ(
        verdicts_by_line("kernel.py", given + "y = x ** 2\ndx = 2 * x * dy\n# gradproof: end\n# gradproof: dims n; input x [n]\n"
                                              "# gradproof: begin\ny = x ** 3\ndx = 2 * x * dy\n# gradproof: end\n"),
        "7 right, 12 wrong");
    const FileReport notes =
        check_file("notes.md", "# Notes\n\n```python proof\n# gradproof: dims n; input x [n]\ny = x * x\ndx = 2 * x * dy\n```\n");
    EXPECT_EQ(notes.count(Verdict::right), 1);
    EXPECT_EQ(notes.proofs[0].lines[0].line, 6);
    EXPECT_EQ(notes.proofs[0].lines[0].text, "dx = 2 * x * dy");
}

TEST(NumPy, FunctionsThatAreNotNamedAreLeftOut) {
    const std::string text =
        "# gradproof: dims n; input x [n]\ndef forward(x):\n    y = x ** 2\n    return y\n\n@jit\ndef slow(x, dy):\n"
        "    # gradproof: skip \"a draft\"\n    dx = x * dy\n    dx = 3 * x * dy\n    return dx\n\ndef fast(x, dy):\n"
        "    def inner():\n        dx = 2 * x * dy\n    return inner\n";
    EXPECT_EQ(verdicts_by_line("a.py", text), "9 skipped, 10 wrong, 15 right");
    EXPECT_EQ(verdicts_by_line("a.py", numpy::with_functions("a.py", text, {"forward", "fast"})), "15 right");
    EXPECT_EQ(verdicts_by_line("a.py", numpy::with_functions("a.py", text, {"forward", "slow"})), "9 skipped, 10 wrong");
    EXPECT_EQ(verdicts_by_line("a.py", numpy::with_functions("a.py", text, {"forward", "inner"})), "15 right");
    EXPECT_EQ(testing::error_of([&] { numpy::with_functions("a.py", text, {"fats"}); }),
              "a.py has no function fats; did you mean fast");
}

TEST(NumPy, WhatIsAddedGoesToTheLastAssignment) {
    const std::string given = "# gradproof: dims n; input x [n]\ny = x ** 2\n";
    EXPECT_EQ(verdicts_by_line("a.py", given + "dx = 5 * dy\ndx = x * dy\ndx += x * dy\n"), "3 wrong, 5 right");
    EXPECT_EQ(verdicts_by_line("a.py", given + "dx = 2 * x * dy\ndx = x * dy\ndx -= x * dy\n"), "3 right, 5 wrong");
    const std::string steps = "# gradproof: dims T n m; input x [T, n], W [n, m]\ny = x @ W\ndW = np.zeros((n, m))\n";
    const std::string loop = "for t in range(T):\n    dW += np.outer(x[t], dy[t])\n";
    EXPECT_EQ(verdicts_by_line("a.py", steps + loop), "5 right");
    EXPECT_EQ(verdicts_by_line("a.py", steps + "dW = x.T @ dy\n" + loop), "6 wrong") << "what is added to is not the zeros";
}

TEST(NumPy, AxesAreThoseOfTheLibraries) {
    const std::string given = "# gradproof: dims n m; input X [n, m], W [n, m]\n";
    EXPECT_EQ(
        verdicts_by_line("a.py", given + "Y = X * W\ndW = np.transpose(dY * X, (0, 1))\ndW = np.transpose((dY * X).T, (1, 0))\n"
                                         "dX = (dY * W).T.transpose(0, 1)\ndX = (dY * W).permute(1, 0)\n"),
        "3 right, 4 right, 5 wrong, 6 wrong");
    const std::string batch = "# gradproof: dims b n m; input A [b, n, m]\n";
    EXPECT_EQ(verdicts_by_line("a.py", batch + "Y = A.transpose(1, 2)\ndA = dY.mT\ndA = dY.transpose(0, 1)\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(verdicts_by_line("a.py", batch + "Y = A.transpose(0, 1000000000)\n"), "2 not read");
    for (const char* line :
         {"s = np.linalg.norm(X, ord=2)", "s = np.linalg.norm(X, 1)", "Y = np.cumsum(X)", "Y = W * np.argmax(X)"})
        EXPECT_EQ(verdicts_by_line("a.py", given + line + "\n"), "2 not read") << line;
    EXPECT_EQ(verdicts_by_line("a.py", given + "Y = X - X.mean(axis=1, keepdims=1)\ndX = dY - dY.mean(axis=1, keepdims=True)\n"),
              "3 right");
    EXPECT_EQ(
        verdicts_by_line(
            "a.py", given + "v = X.var(1, unbiased=1, keepdim=True)\ndX = dv * 2 * (X - X.mean(1, keepdim=True)) / (m - 1)\n"),
        "3 right");
}

TEST(NumPy, AxesThatLibrariesTakeInDifferentWays) {
    const std::string given = "# gradproof: dims b n m; input A [b, n, m], S [n, m]\n";
    EXPECT_EQ(verdicts_by_line("a.py", given + "Y = 2 * A\ndA = (2 * dY.T).T\ndA = np.transpose(2 * np.transpose(dY))\n"),
              "3 right, 4 right");  // all axes change places, twice
    const std::string rows = "dS = P * (dP - (dP * P).sum(axis=1, keepdims=True))\n", all = "dS = P * (dP - (dP * P).sum())\n";
    for (const char* forward :
         {"from scipy.special import softmax\nP = softmax(S)\n", "from scipy.special import *\nP = softmax(S)\n",
          "import scipy.special\nP = scipy.special.softmax(S)\n",
          "from scipy import special\nP = special.softmax(S, axis=None)\n"})
        EXPECT_EQ(verdicts_by_line("a.py", given + forward + rows + all), "4 wrong, 5 right") << forward;
    for (const char* forward :
         {"from scipy.special import softmax\nP = softmax(S, axis=1)\n", "import jax\nP = jax.nn.softmax(S)\n",
          "import torch\nP = S.softmax(-1)\n", "import torch\nP = torch.softmax(S, 1)\n"})
        EXPECT_EQ(verdicts_by_line("a.py", given + forward + rows + all), "4 right, 5 wrong") << forward;
    for (const char* forward : {"P = torch.softmax(S)\n", "P = F.softmax(S)\n", "P = S.softmax()\n", "P = F.log_softmax(S)\n"})
        EXPECT_EQ(verdicts_by_line("a.py", given + forward + rows), "2 not read, 3 not read") << forward;
    EXPECT_EQ(
        verdicts_by_line("a.py", given + "from scipy.special import log_softmax\nP = log_softmax(S)\n"
                                         "dS = dP - np.exp(P) * dP.sum()\ndS = dP - np.exp(P) * dP.sum(1, keepdims=True)\n"),
        "4 right, 5 wrong");
}

TEST(NumPy, AProgramMeansOneThing) {
    const auto right_of = [](const std::string& given, const std::string& lines) {
        return verdicts_by_line("a.py", "# gradproof: dims n d; input " + given + "\n" + lines + "\n");
    };
    EXPECT_EQ(right_of("A [n, n], B [n, n]", "Y = A * B @ A\ndB = A * dY @ A.T"), "3 wrong");  // (A * dY) @ A.T
    EXPECT_EQ(right_of("A [n, n], x [n]", "L = x @ A @ A @ x\ndx = (A ** 2 + (A ** 2).T) @ x"), "3 wrong");
    EXPECT_EQ(right_of("W [n, d], x [d]", "y = W @ x\ndW = dy @ x.T"), "3 wrong");
    EXPECT_EQ(right_of("X [n, d], w [d]", "y = X @ w\nfor i in range(n):\n    dw = dy[i] * X[i]"), "3 not read");
    for (const char* changed : {"Y[0] = 0", "X[0] = 0", "Y[0] = X[0]**3"})
        EXPECT_EQ(right_of("X [n, d]", std::string("Y = X ** 2\n") + changed + "\nL = np.sum(Y)\ndX = 2 * X").find("right"),
                  std::string::npos)
            << changed;
    EXPECT_EQ(right_of("X [n, n, d], W [n, d, d]", "Y = np.dot(X, W)\ndX = np.matmul(dY, W.transpose(0,2,1))").find("right"),
              std::string::npos);
    for (const char* taken :
         {"from torch.nn.functional import leaky_relu as relu", "from mylib import relu", "relu = F.leaky_relu"})
        EXPECT_EQ(right_of("X [n, d]", std::string(taken) + "\nY = relu(X)\ndX = dY * (X > 0)").find("right"), std::string::npos)
            << taken;
    EXPECT_EQ(right_of("X [n, d]", "from torch import relu\nY = relu(X)\ndX = dY * (X > 0)"), "4 right");
    for (const char* line :
         {"Y = jax.nn.gelu(X)", "Y = np.linalg.norm(X, ord=2, axis=(0,1))", "Y = X.max(1)[0]", "Y = np.mean(X, 1, True)"})
        EXPECT_EQ(right_of("X [n, d]", line), "2 not read") << line;
}

TEST(NumPy, RepairsAndDerivedLinesAreInNumPy) {
    const std::string given = "# gradproof: dims n d e; input X [n, d] ~ positive, W [d, e], p [d]\n";
    const auto line = [&](const std::string& forward, const std::string& claim) {
        const std::string text = given + forward + "\n" + claim + "\n";
        LineReport l = check_file("a.py", text).proofs.at(0).lines.at(0);
        // What is written beside it is right where it stands in its place.
        const std::string repaired =
            l.derived.empty() ? claim.substr(0, claim.find('=')) + "= " + l.diagnosis->repair : l.derived;
        EXPECT_EQ(verdicts_by_line("a.py", given + forward + "\n" + repaired + "\n"), fmt::format("{} right", l.line))
            << repaired;
        return l;
    };
    EXPECT_EQ(line("Y = X @ W", "dX = dY @ W").diagnosis->repair, "dY @ W.T");
    EXPECT_EQ(line("Y = X * p", "dp = (dY * p).sum(0)").diagnosis->repair, "np.sum(dY * X, axis=0)");
    EXPECT_EQ(line("Y = X ** p", "dp = (dY * Y).sum(0)").diagnosis->repair, "np.sum(dY * Y * np.log(X), axis=0)");
    EXPECT_EQ(line("Y = np.exp(X)", "dX = 2 * dY * Y").diagnosis->repair, "dY * Y");
    EXPECT_EQ(line("Y = X @ W", "dW = np.tanh(W) + 0.37").derived, "dW = X.T @ dY");
    // In a file of the notation it is in the notation.
    const ProofReport notation = judged("dims n\ninput x [n]\nforward\n  y = exp(x)\nclaim\n  dx = 2 dy ⊙ y\n");
    EXPECT_EQ(notation.lines.at(0).diagnosis->repair, "dy ⊙ y");
}

TEST(NumPy, FunctionsOfTheFileAndSumsThatComeLateAreTold) {
    const std::string given = "# gradproof: dims n m; input X [n, m]\n";
    EXPECT_EQ(
        verdicts_by_line("a.py", given + "def relu(x): return x * (x > 1)\nY = relu(X)\ndX = dY * (X > 0)\ndX = dY * (X > 1)\n"),
        "4 wrong, 5 right");
    EXPECT_EQ(verdicts_by_line("a.py", given + "H = 2 * X\nY = H * H + H\ndH = 2 * H * dY\ndX = 2 * dH\ndH += dY\n"),
              "4 not read, 5 right, 6 not read");
    EXPECT_EQ(verdicts_by_line("a.py", given + "H = 2 * X\nY = H * H + H\ndH = 2 * H * dY\ndH = dH + dY\ndX = 2 * dH\n"),
              "5 right, 6 right");
}

TEST(NumPy, WhatIsNotReadIsOneSentence) {
    const std::string given = "# gradproof: dims n; input x [n]\n";
    EXPECT_EQ(place_and_message(given + "y = os.system(x)\n"),
              "2:5: unknown function system: nothing is executed, and only the functions of NumPy, PyTorch and JAX that "
              "core/proof/README.md lists are read");
    EXPECT_EQ(place_and_message(given + "y = mystery(x)\n"),
              "2:5: unknown function mystery: nothing is executed, and only the functions of NumPy, PyTorch and JAX that "
              "core/proof/README.md lists are read");
    EXPECT_EQ(place_and_message(given + "while True:\n    y = x\n"),
              "2:1: while is not read: nothing is executed, only assignments of expressions are read");
    EXPECT_EQ(place_and_message(given + "y = x\nx = 2 * x\n"), "3:1: x is assigned again: give it another name");
    EXPECT_EQ(place_and_message("# gradproof: dims n h; input x [n]\nh = 2 * x\n"),
              "2:1: h is the name of a size, which a comment declares: give one of the two another name");
    EXPECT_EQ(place_and_message(given + "y = (x\n"), "2:7: expected )");
    EXPECT_EQ(place_and_message(given + "y = x.sum(axis=0, where=x)\n"), "2:5: sum: its argument where is not read");
    EXPECT_EQ(place_and_message(given + "y = x.var()\n"),
              "2:5: var: NumPy and PyTorch differ: say ddof=0, correction=1 or unbiased=False");
    EXPECT_NE(place_and_message("y = x\n").find("nothing says what is given"), std::string::npos);
    EXPECT_NE(place_and_message(given + "y = " + std::string(5000, '(') + "\n"), "");
    EXPECT_NE(place_and_message(given + "y = 'abc\n"), "");
    EXPECT_NE(place_and_message(given + "y = np.einsum('ij->j', x, x)\n"), "");
}

/// What Python and NumPy make of conditions and of the sum that is Python's own.
TEST(NumPy, ConditionsAreNoNumbers) {
    const std::string head = "# gradproof: dims n d\n# gradproof: input X, Y [n, d]\nZ = X * (X > 0) * (Y > 0)\nL = Z.sum()\n";
    EXPECT_NE(refused_as(head + "dX = 1.0 * ((X > 0) + (Y > 0))\n", "a.py").find("+ of two is `or`"), std::string::npos);
    EXPECT_NE(refused_as(head + "dX = (X > 0) @ (Y > 0)\n", "a.py").find("@ of two says whether any holds"), std::string::npos);
    EXPECT_NE(refused_as(head + "dX = -(X > 0)\n", "a.py").find("- of one is an error"), std::string::npos);
    EXPECT_NE(refused_as(head + "dX = 1 if X > 0 else 0\n", "a.py").find("write np.where(x > 0, a, b)"), std::string::npos);
    EXPECT_EQ(verdicts_by_line("a.py", head + "dX = 1.0 * (X > 0) * (Y > 0)\ndX = 1.0 * (X > 0)\n"), "5 right, 6 wrong");
    EXPECT_EQ(verdicts_by_line("a.py", head + "dZ = np.ones_like(Z)\ndX = (X > 0) * (Y > 0) * 1.0 + 0 * X\n"),
              "5 right, 6 right");
}

TEST(NumPy, PythonsOwnSumGoesAlongTheFirstAxis) {
    const std::string head = "# gradproof: dims n d\n# gradproof: input X [n, d], b [d]\nY = X + b\n";
    EXPECT_EQ(verdicts_by_line("a.py", head + "db = sum(dY)\ndb = np.sum(dY)\ndb = dY.sum(0)\n"), "4 right, 5 wrong, 6 right");
}

/// A loop that runs the other way, or uses what a line below assigns, computes something else.
TEST(NumPy, LoopsHaveADirectionAndLinesAnOrder) {
    const std::string head = "# gradproof: dims T n\n# gradproof: input x [T, n], c [n]\n";
    const std::string forward = "for t in range(T):\n    s[t] = c * s[t-1] + x[t]\nL = (s ** 2).sum()\n";
    const std::string step = "    ds[t] = 2 * s[t] + (c * ds[t+1] if t < T - 1 else 0)\n";
    EXPECT_EQ(verdicts_by_line("a.py", head + forward + "for t in reversed(range(T)):\n" + step), "7 right");
    EXPECT_EQ(verdicts_by_line("a.py", head + forward + "for t in range(T):\n" + step), "6 not read");
    EXPECT_EQ(
        verdicts_by_line("a.py",
                         head + "for t in range(T - 1, -1, -1):\n    s[t] = c * s[t-1] + x[t]\nL = (s ** 2).sum()\ndx = 2 * s\n"),
        "3 not read, 5 not read, 6 not read");
    const std::string both = "for t in range(T):\n    s[t] = c * a[t-1] + x[t]\n    a[t] = np.tanh(s[t])\nL = (a ** 2).sum()\n";
    const std::string da = "    da[t] = 2 * a[t] + (c * ds[t+1] if t < T - 1 else 0)\n",
                      ds = "    ds[t] = da[t] * (1 - a[t] ** 2)\n";
    EXPECT_EQ(verdicts_by_line("a.py", head + both + "for t in reversed(range(T)):\n" + da + ds), "8 right, 9 right");
    EXPECT_EQ(verdicts_by_line("a.py", head + both + "for t in reversed(range(T)):\n" + ds + da), "7 not read");
}

/// A line that is not read may have changed the loss, or an array under another name.
TEST(NumPy, WhatALostLineChangesIsNotKnown) {
    const std::string head = "# gradproof: dims n\n# gradproof: input x, c [n]\n";
    for (const char* change : {"L = mystery(L)", "for i in range(n): L += x[i]", "if n > 2: L = 2 * L"})
        EXPECT_EQ(verdicts_by_line("a.py", head + "L = (x * c).sum()\n" + change + "\ndx = c\n"), "4 not read, 5 cannot tell")
            << change;
    for (const char* view : {"y", "y.T", "y[0:n]"})
        EXPECT_EQ(verdicts_by_line("a.py", head + "y = x * c\nz = " + view + "\nz *= 2\nL = y.sum()\ndx = c\n"),
                  "6 not read, 7 cannot tell")
            << view;
    EXPECT_EQ(verdicts_by_line("a.py", head + "L = (x * c).sum()\nfor i in range(n):\n    dx[i] = c[i]\ndx *= x\n"),
              "5 not read, 6 not read");
}

TEST(NumPy, CommentsBehindALineAreNoPartOfIt) {
    const std::string text =
        "# gradproof: dims n d; input x [n, d]\n"
        "y = x ** 2  # a square\n"
        "z = y.sum(axis=1, keepdims=True) ; L = (z ** 3).sum()  # 'quoted'\n"
        "dz = z ** 2   # chain rule\n"
        "dy = (dz +  # it goes on\n      0 * y)  # broadcast\n";
    const ProofReport r = check_proof(read_proofs("a.py", text).at(0), {});
    ASSERT_EQ(r.lines.size(), 2U);
    EXPECT_EQ(r.lines[0].text, "dz = z ** 2");
    ASSERT_TRUE(r.lines[0].diagnosis);
    EXPECT_EQ(r.lines[0].diagnosis->text.find('#'), std::string::npos) << r.lines[0].diagnosis->text;
    EXPECT_EQ(r.lines[1].verdict, check::Verdict::right);
}

TEST(NumPy, ARepairHasTheShapeOfItsPlace) {
    const ProofReport r = check_proof(
        read_proofs("a.py", "# gradproof: dims n d; input X [n, d], w [d]\np = X @ w[:, None]\ndw = dp.T @ X\n").at(0), {});
    ASSERT_TRUE(r.lines.at(0).repair);
    EXPECT_EQ(text_of(*r.lines[0].repair), "sum(dp.T @ X, axis=0)");
}

TEST(NumPy, ProductsAndTransposesOfMoreAxes) {
    EXPECT_EQ(verdicts_by_line(
                  "a.py",
                  "# gradproof: dims b n m k; input X [b, n, m], W [m, k]\nY = np.dot(X, W)\ndX = dY @ W.T\ndX = dY @ W.T * 2\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(
        verdicts_by_line("a.py", "# gradproof: dims a b c; input X [a, b, c]\nY = np.transpose(X)\ndX = dY.T\ndX = dY.mT\n"),
        "3 right, 4 wrong");
}

TEST(NumPy, ALoopFromTheSecondRowGoesOnFromZeros) {
    const std::string head = "# gradproof: dims T d; input x [T, d], w [d]\n";
    const std::string loop = "for t in range(1, T):\n    h[t] = w * h[t-1] + x[t]\n";
    const std::string claims = "L = h.sum()\nfor t in range(1, T):\n    dx[t] = dh[t]\n    dx[t] = dh[t] * w\n";
    EXPECT_EQ(verdicts_by_line("a.py", head + "h = np.zeros((T, d))\n" + loop + claims), "7 right, 8 wrong");
    EXPECT_EQ(verdicts_by_line("a.py", head + "h = np.empty((T, d))\n" + loop + claims).substr(0, 10), "3 not read");
}

}  // namespace
}  // namespace gradproof::proof
