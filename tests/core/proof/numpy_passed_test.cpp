// Lines of a program that are passed over and may change what the others mean: the report names them.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::vector<int> passed(const std::string& text) {
    std::vector<int> out;
    for (const ProofReport& p : check_file("a.py", text).proofs)
        for (const PassedOver& s : p.passed_over) out.push_back(s.line);
    return out;
}

const std::string kLoss =
    "# gradproof: dims n d; input X [n, d], W [d], b []; const T [n]\nimport numpy as np\ndef f(X, T, W, b):\n"
    "    A = np.tanh(X @ W + b)\n    L = np.sum((A - T) ** 2)\n    return L\n"
    "def grad_b(X, T, W, b):\n    A = np.tanh(X @ W + b)\n    db = np.sum(2 * (A - T) * (1 - A ** 2))\n    return db\n";

TEST(NumPyPassed, FunctionsThatAreNotReadAreTold) {
    EXPECT_EQ(passed(kLoss), std::vector<int>{});
    for (const char* function :
         {"def relu_grad(x): return x < 0\n", "def hess(X): return X.T @ X\n", "def jac(W):\n    return W.T\n",
          "def grad_of_square(x):\n    return x\n",
          "def vjp(X, T, W, b, g):\n    A = np.tanh(X @ W + b)\n    return g * (1 - A) @ W.T\n",
          "class Relu:\n    def backward(self, g): return g * (1 - self.mask)\n",
          "class MSE:\n    def __call__(self, p, t): return np.mean((p - t) ** 2)\n    def grad(self, p, t): return p - t\n",
          "def d_tanh(x):\n    return 1 - np.tanh(x)\nprint(d_tanh(1.0))\n"})
        EXPECT_FALSE(passed(kLoss + function).empty()) << function;
    EXPECT_EQ(passed(kLoss +
                     "class Relu:\n    def forward(self, x): return x\n    def backward(self, g):\n        return g * (1 - x)\n"),
              (std::vector<int>{13, 14}));
}

TEST(NumPyPassed, FunctionsThatComputeNothingAreNotTold) {
    for (const char* function : {"def show(x):\n    \"\"\"Shows it.\"\"\"\n    print(\"x\", x)\n",
                                 "def test_it():\n    assert np.allclose(db, 1 + A)\n", "class Empty:\n    pass\n",
                                 "def none(self):\n    return None\n", "if __name__ == \"__main__\":\n    print(\"loss\")\n"})
        EXPECT_EQ(passed(kLoss + function), std::vector<int>{}) << function;
}

TEST(NumPyPassed, AFunctionThatOnlyPassedLinesCallIsTold) {
    const std::string squared = "def square(v): return v ** 2\n";
    EXPECT_EQ(passed("# gradproof: dims n; input x [n]\n" + squared + "L = np.sum(square(x))\ndx = 2 * x\n"), std::vector<int>{});
    EXPECT_EQ(passed("# gradproof: dims n; input x [n]\n" + squared + "L = np.sum(x ** 2)\ndx = 2 * x\nprint(square(x))\n"),
              std::vector<int>{2});
}

TEST(NumPyPassed, DecoratorsAndLambdasAreTold) {
    const std::string lines =
        "    y = np.tanh(x)\n    return y\ndef backward(dy, y):\n    dx = dy * (1 - y ** 2)\n    return dx\n";
    const auto decorated = [&](const std::string& decorator) {
        return passed("# gradproof: dims n; input x [n]\n" + decorator + "def forward(x):\n" + lines);
    };
    EXPECT_EQ(decorated("@jax.jit\n"), std::vector<int>{});
    EXPECT_EQ(decorated("@staticmethod\n"), std::vector<int>{});
    EXPECT_EQ(decorated("@scaled(2)\n"), std::vector<int>{2});
    EXPECT_EQ(
        passed("# gradproof: dims n; input x [n]\nclass Act:\n    def __init__(self, f, df):\n        self.f, self.df = f, df\n"
               "tanh = Act(np.tanh, lambda v: 1 - v)\ny = np.tanh(x)\ndx = dy * (1 - y ** 2)\n"),
        std::vector<int>{5});
}

std::string step(const std::string& line) {
    return "# gradproof: dims n d; input X [n, d], W [d], b []; const T [n]\ndef step(X, T, W, b):\n    A = X @ W + b\n"
           "    L = np.sum((A - T) ** 2)\n    dA = 2 * (A - T)\n    dW = X.T @ dA\n    db = np.sum(dA)\n" +
           line + "    return L, dW, db\n";
}

TEST(NumPyPassed, AnUpdateByWhatIsCalledNoGradientIsTold) {
    for (const char* line : {"    b -= 0.1 * db\n", "    W = W - 0.1 * dW\n", "    W -= 0.1 * (dW + 0.01 * W)\n",
                             "    rate = 0.1\n    W -= rate * dW\n", "    W -= 0.1 * m / np.sqrt(v)\n"})
        EXPECT_EQ(passed(step(line)), std::vector<int>{}) << line;
    for (const char* line :
         {"    b -= 0.1 * np.sum(A - T)\n", "    W -= 0.1 * X.T @ (A - T)\n", "    W = W - 0.1 * X.T @ (A - T)\n",
          "    self.W -= 0.1 * X.T @ (A - T)\n", "    params['W'] -= 0.1 * X.T @ (A - T)\n", "    W = np.add(W, 0.1 * dW)\n"})
        EXPECT_EQ(passed(step(line)), std::vector<int>{8}) << line;
    EXPECT_EQ(verdicts_by_line("a.py", step("    W -= -0.1 * dW\n")), "5 right, 6 right, 7 right, 8 not read");
}

TEST(NumPyPassed, UpdatesOfAllInALoopAreByTheirGradients) {
    const auto loop = [](const std::string& over, const std::string& body = "p -= 0.1 * g") {
        return step("    for " + over + ":\n        " + body + "\n");
    };
    for (const char* over : {"p, g in zip([W, b], [dW, db])", "p, g in zip((W, b), (dW, db))", "p, g in ((W, dW), (b, db))",
                             "(p, g) in [[W, dW], [b, db]]", "i, (p, g) in enumerate(zip([W, b], [dW, db]))",
                             "p, g, m in zip([W, b], [dW, db], [mW, mb])"}) {
        EXPECT_EQ(passed(loop(over)), std::vector<int>{}) << over;
        EXPECT_EQ(verdicts_by_line("a.py", loop(over)), "5 right, 6 right, 7 right") << over;
    }
    for (const char* over : {"p, g in zip([W, b], [db, dW])", "p, g in ((W, db), (b, dW))", "(p, g) in [[b, dW], [W, db]]",
                             "p, g in zip((self.W, self.b), (self.db, self.dW))"})
        EXPECT_EQ(verdicts_by_line("a.py", loop(over)), "5 right, 6 right, 7 right, 8 not read") << over;
    for (const char* over : {"p, g in zip([W, b], [X.T @ dA, db])", "p, g in zip(parameters, updates)"})
        EXPECT_EQ(passed(loop(over)), std::vector<int>{8}) << over;
    EXPECT_EQ(passed(loop("i, p in enumerate([W, b])", "p -= 0.1 * [dW, db][i]")), std::vector<int>{8});
    EXPECT_EQ(passed(loop("k in params", "params[k] -= 0.1 * grads[k]")), std::vector<int>{});
    EXPECT_EQ(verdicts_by_line("a.py", loop("k in params", "params[k] += 0.1 * grads[k]")),
              "5 right, 6 right, 7 right, 8 not read");
}

TEST(NumPyPassed, ChecksOfValuesAreTold) {
    for (const char* line : {"    assert X.shape == (n, d)\n", "    assert np.isfinite(L)\n", "    print('L', L)\n",
                             "    print(dW.shape, np.sum(dW))\n", "    np.random.seed(0)\n"})
        EXPECT_EQ(passed(step(line)), std::vector<int>{}) << line;
    for (const char* line :
         {"    assert np.allclose(dW, X.T @ A)\n", "    np.testing.assert_allclose(dW, X.T @ A)\n", "    print(dW.fill(0))\n",
          "    print(np.multiply(dW, 2, out=dW))\n", "    if n > 1:\n        assert np.sum(dW) == 0\n"})
        EXPECT_FALSE(passed(step(line)).empty()) << line;
}

TEST(NumPyPassed, TheReportNamesTheLines) {
    const FileReport report = check_file("a.py", step("    b -= 0.1 * np.sum(A - T)\n"));
    EXPECT_NE(to_text(report).find("all right: 3; right if what is passed over in line 8 changes nothing"), std::string::npos)
        << to_text(report);
}

/// Beside a layer that is right.
TEST(NumPyPassed, ALossOfValuesThatNothingDeclaresIsTold) {
    const std::string layer =
        "# gradproof: dims n d; input X [n, d]\nclass Layer:\n    def forward(self, X):\n        self.Y = np.tanh(X)\n"
        "        return self.Y\n    def backward(self, dY):\n        dX = dY * (1 - self.Y ** 2)\n        return dX\n"
        "class MSE:\n    def __call__(self, p, t):\n        return np.mean((p - t) ** 2)\n    def grad(self, p, t):\n        "
        "return p - t\n";
    EXPECT_EQ(verdicts_by_line("a.py", layer), "7 right");
    EXPECT_EQ(passed(layer), (std::vector<int>{10, 12}));
}

/// What stands within a print or an assert may change an array, and an import or a function may take its name.
TEST(NumPyPassed, LinesThatChangeWhatTheyShowAreTold) {
    const auto said = [](const std::string& line) {
        std::size_t told = 0, right = 0;
        for (const ProofReport& p :
             check_file("a.py", "# gradproof: dims n; input x [n]\ny = 2 * x\n" + line + "\nloss = np.sum(y ** 2)\ndx = 8 * x\n")
                 .proofs) {
            told += p.passed_over.size();
            for (const LineReport& l : p.lines) right += !l.unread && l.verdict == Verdict::right ? 1 : 0;
        }
        return told > 0 || right == 0;
    };
    for (const char* line : {"print(y)", "print(np.mean(y), y.shape, len(y))", "print(f\"{y.sum():.2f}\")",
                             "assert y.shape == x.shape", "plt.plot(y)"})
        EXPECT_FALSE(said(line)) << line;
    for (const char* line : {"print(y := x)", "print(np.add(y, 1, y))", "print(np.exp(y, y))", "print(np.abs(y, y))",
                             "print(np.copyto(y, x))", "assert (y := x) is not None", "plt.plot(np.add(y, 1, out=y))",
                             "display(y.fill(0))", "print(exec('y = x'))", "print(y.itemset(0, 5))", "from m import y",
                             "import m as y", "def y(): return x", "class y: pass", "from config import *"})
        EXPECT_TRUE(said(line)) << line;
}

/// f.defvjp(f_fwd, f_bwd), where f_fwd returns something else than f.
TEST(NumPyPassed, APairWhoseForwardIsAnotherFunctionIsTold) {
    const auto told = [](const std::string& returned) {
        return passed_because("a.py",
                              "# gradproof: dims n d; input X [n, d], W [d, d]\n@jax.custom_vjp\ndef f(X, W):\n    return X @ W\n"
                              "def f_fwd(X, W):\n    return " +
                                  returned +
                                  ", (X, W)\ndef f_bwd(res, g):\n    X, W = res\n    return g @ W.T, X.T @ g\n"
                                  "f.defvjp(f_fwd, f_bwd)\n")
            .size();
    };
    EXPECT_EQ(told("X @ W"), 0u);
    EXPECT_EQ(told("f(X, W)"), 0u);
    EXPECT_EQ(told("2 * (X @ W)"), 1u);
}

/// A function uses the alpha that there is when it is called.
TEST(NumPyPassed, AConstantThatIsAssignedAgainBelowAFunctionIsTold) {
    const auto passed = [](const std::string& between) {
        return passed_because(
                   "a.py",
                   "# gradproof: dims n; input x [n]\nalpha = 0.1\ndef forward(x):\n    out = np.where(x > 0, x, alpha * x)\n"
                   "    return out\n" +
                       between + "def backward(dout, x):\n    dx = dout * np.where(x > 0, 1, 0.1)\n    return dx\n")
            .size();
    };
    EXPECT_EQ(passed(""), 0u);
    EXPECT_EQ(passed("beta = 0.2\n"), 0u);
    EXPECT_EQ(passed("alpha = 0.2\n"), 1u);
}

/// What a line that is not read writes into is not known below it.
TEST(NumPyPassed, ALineThatIsNotReadMayWriteIntoWhatItIsGiven) {
    for (const char* line :
         {"z = np.multiply(y, 2, y)", "z = torch.relu_(y)", "z = mystery(y, out=y)", "for r in y:\n    r -= r.mean()"}) {
        const std::string said = verdicts_by_line("a.py", "# gradproof: dims n m; input x [n, m]\ny = 2 * x\n" +
                                                              std::string(line) + "\nloss = np.sum(y ** 2)\ndx = 8 * x\n");
        EXPECT_EQ(said.find("right"), std::string::npos) << line << ": " << said;
    }
    EXPECT_EQ(
        verdicts_by_line("a.py",
                         "# gradproof: dims n m; input x [n, m]\ny = 2 * x\nz = mystery(y)\nloss = np.sum(y ** 2)\ndx = 8 * x\n"),
        "3 not read, 5 right");
}

TEST(NumPyPassed, WhatAMethodMayChangeIsTold) {
    const auto passed = [](const std::string& method) {
        return passed_because("a.py",
                              "# gradproof: dims n m k; input x [n, m], w [m, k]\nclass Affine:\n    def forward(self, x, w):\n"
                              "        self.x = x\n        self.w = w\n        self.log()\n        return x @ w\n" +
                                  method +
                                  "    def backward(self, dout):\n        dx = dout @ self.w.T\n        dw = self.x.T @ dout\n"
                                  "        return dx, dw\n")
            .size();
    };
    EXPECT_EQ(passed("    def log(self):\n        print(self.w.mean())\n"), 0u);
    EXPECT_GE(passed("    def log(self):\n        v = self.w\n        v *= 2\n"), 1u);
    EXPECT_EQ(passed("    def log(self):\n        for v in (self.x, self.w):\n            np.clip(v, -1, 1, out=v)\n"), 1u);
    EXPECT_GE(passed("    def log(self): self.x = 0 * self.x\n"), 1u) << "beside its head";
}

TEST(NumPyPassed, StepsThatAreNoMultipleOfTheGradientAreTold) {
    const auto passed = [](const std::string& step) {
        return passed_because("a.py",
                              "# gradproof: dims n m k; input x [n, m], w [m, k]; const t [n, k]\ny = x @ w\n"
                              "loss = 0.5 * np.sum((y - t) ** 2)\ndy = y - t\ndw = x.T @ dy\nw " +
                                  step + "\n")
            .size();
    };
    for (const char* step : {"-= 0.1 * dw", "-= 1e-3 * dw", "+= -0.1 * dw", "= w - 0.1 * dw"})
        EXPECT_EQ(passed(step), 0u) << step;
    for (const char* step : {"-= 0.1 * -dw", "-= 0.1 * abs(dw)", "-= 0.1 * dw ** 2", "-= 0.1 * (dw - 2 * dw)"})
        EXPECT_EQ(passed(step), 1u) << step;
}

TEST(NumPyPassed, AForwardAboveTheLoopThatChangesItsWeightsIsTold) {
    const auto passed = [](const std::string& above, const std::string& within) {
        return passed_because("a.py", "# gradproof: dims n m; input x [n, m], w [m]\n" + above + "for epoch in range(10):\n" +
                                          within + "    loss = 0.5 * np.sum(p ** 2)\n    dw = x.T @ p\n    w -= 0.1 * dw\n");
    };
    EXPECT_EQ(passed("", "    p = x @ w\n"), std::vector<std::string>{});
    EXPECT_EQ(passed("p = x @ w\n", ""), std::vector<std::string>{"line 2 computes p before the loop that changes w"});
}

TEST(NumPyPassed, AGradientAboveTheLoopThatChangesItsWeightsIsTold) {
    const auto passed = [](const std::string& above, const std::string& within) {
        return passed_because("a.py", "# gradproof: dims n m; input x [n, m], w [m]; const t [n]\n" + above +
                                          "for epoch in range(10):\n" + within + "    dw = x.T @ dp\n    w -= 0.1 * dw\n");
    };
    const std::string forward = "p = x @ w\nloss = 0.5 * np.sum((p - t) ** 2)\n",
                      indented = "    p = x @ w\n    loss = 0.5 * np.sum((p - t) ** 2)\n";
    EXPECT_EQ(passed("dw = np.zeros_like(w)\n", indented + "    dp = p - t\n"), std::vector<std::string>{});
    EXPECT_EQ(passed(forward + "dp = p - t\n", ""),
              std::vector<std::string>{"line 4 computes dp before the loop that changes w"});
}

TEST(NumPyPassed, AnotherDefaultThanTheValueAboveIsTold) {
    const auto passed = [](const std::string& number) {
        return passed_because("a.py",
                              "# gradproof: dims n; input x [n]\nalpha = 0.5\ndef forward(x, alpha=alpha):\n    out = alpha * x\n"
                              "    return out\ndef backward(dout, alpha=" +
                                  number + "):\n    dx = alpha * dout\n    return dx\n");
    };
    EXPECT_EQ(passed("0.5"), std::vector<std::string>{});
    EXPECT_EQ(passed("0.25"), std::vector<std::string>{"another default than alpha of line 2"});
}

TEST(NumPyPassed, LinesThatANotebookRunsAreTold) {
    const auto passed = [](const std::string& line) {
        return passed_because("a.py", "# gradproof: dims n; input x [n]\ny = 2 * x\n" + line + "\ndx = 2 * dy\n").size();
    };
    for (const char* line : {"%matplotlib inline", "%timeit y.sum()"}) EXPECT_EQ(passed(line), 0u) << line;
    for (const char* line : {"%time y = 3 * x", "%timeit y *= 2", "%run mylib.py", "%%script false"})
        EXPECT_EQ(passed(line), 1u) << line;
}

TEST(NumPyPassed, WhatABranchReturnsIsTold) {
    const auto passed = [](const std::string& branch, const std::string& last = "loss, dw") {
        return passed_because("a.py",
                              "# gradproof: dims N D; input X [N, D]; input w [D]; const y [N]\ndef loss_and_grad(X, y, w):\n"
                              "    r = X @ w - y\n    loss = 0.5 * np.sum(r ** 2)\n" +
                                  branch + "    dw = X.T @ r\n    return " + last + "\n");
    };
    using All = std::vector<std::string>;
    const All told{"what is returned in this case is not judged"};
    for (const char* branch :
         {"    if loss < 1e-8:\n        return loss, w\n", "    for i in range(3):\n        if r[i] > 1:\n            return w\n",
          "    try:\n        return w\n    except ValueError:\n        pass\n",
          "    with np.errstate(all='ignore'):\n        return w\n", "    if loss > 1:\n        return None, None\n",
          "    if loss > 1:\n        return r, dw\n"})
        EXPECT_EQ(passed(branch), told) << branch;
    EXPECT_EQ(passed("    if not np.isfinite(loss):\n        return loss\n"), All{});
    EXPECT_EQ(passed("    if w is None:\n        return None\n"), All{});
    const std::string forward =
        "# gradproof: dims N D; input x [N, D]; const m [N, D]\nclass Drop:\n    def forward(self, x, m):\n"
        "        self.m = m\n        if not self.training:\n            return x\n        return x * m\n"
        "    def backward(self, dy):\n        dx = dy * self.m\n        return dx\n";
    EXPECT_EQ(passed_because("a.py", forward), told);
}

TEST(NumPyPassed, WhatIsAssignedBetweenMarkedLinesIsTold) {
    const auto between = [](const std::string& line) {
        return passed_because(
            "a.py", "# gradproof: begin\n# gradproof: dims n m; input X [n, m]\nY = np.tanh(X)\n# gradproof: end\n" + line +
                        "\n# gradproof: begin\ndX = dY * (1 - Y**2)\n# gradproof: end\n");
    };
    using All = std::vector<std::string>;
    EXPECT_EQ(between("Y = 2 * Y"), All{"it assigns Y between marked lines"});
    EXPECT_EQ(between("Y[0] = 0"), All{"it assigns Y between marked lines"});
    EXPECT_EQ(between("dY *= 2"), All{"it assigns dY between marked lines"});
    EXPECT_EQ(between("Z = 2 * Y"), All{});
    EXPECT_EQ(between("for row in Y:\n    print(row)"), All{});
    EXPECT_EQ(between("for row in Y:\n    row = row / 2"), All{});
    EXPECT_EQ(between("for row in Y:\n    row /= 2"), All{"it changes row, an array or a row of one, between marked lines"});
    EXPECT_EQ(between("for i, row in enumerate(Y):\n    row[0] = i"),
              All{"it changes row, an array or a row of one, between marked lines"});
    EXPECT_EQ(between("both = [X, Y]\nfor a in both:\n    a *= 2"),
              All{"it changes a, an array or a row of one, between marked lines"});
    EXPECT_EQ(between("centre = Y.mean(axis=0)\ncentre /= 2"), All{});
    const auto last_of = [](const All& all) { return all.empty() ? "" : all.back(); };
    const All flat{"it changes flat, an array or a row of one, between marked lines"};
    EXPECT_EQ(last_of(between("flat = Y.reshape(len(Y), -1)\nflat -= flat.mean(axis=0)")), flat[0]);
    EXPECT_EQ(last_of(between("flat, rest = np.split(Y, [1])\nflat *= 2")), flat[0]);
    EXPECT_EQ(between("for flat in np.array_split(Y, 2):\n    flat -= 1"), flat);
    EXPECT_EQ(last_of(between("def centre():\n    flat = Y.reshape(-1)\n    flat -= flat.mean()\ncentre()")), flat[0]);
    EXPECT_EQ(between("flat = 2 * Y.reshape(-1)\nflat -= flat.mean()"), All{});
    EXPECT_EQ(between("flat = np.concatenate([Y, Y])\nflat -= 1"), All{});
    const All clipped{"it may change Y between marked lines"};
    for (const char* line : {"np.clip(Y, 0, 1, Y)", "np.add(Y, 1, Y)", "np.exp(Y, Y)", "np.cumsum(Y, 0, None, Y)"})
        EXPECT_EQ(between(line), clipped) << line;
    for (const char* line :
         {"print(np.clip(Y, 0, 1))", "Z = np.where(Y > 0, Y, X)", "Z = np.add(X, Y)", "s = np.sum(Y, 0, None)"})
        EXPECT_EQ(between(line), All{}) << line;
}

TEST(NumPyPassed, GradientsThatChangeBelowTheMarkedLinesAreTold) {
    const auto below = [](const std::string& line) {
        return passed_because("a.py",
                              "# gradproof: begin\n# gradproof: dims n m; input X [n, m]\nY = np.tanh(X)\n"
                              "dX = dY * (1 - Y**2)\n# gradproof: end\n" +
                                  line + "\n");
    };
    using All = std::vector<std::string>;
    const All told{"it changes dX below the lines that are read"};
    for (const char* line : {"dX /= len(X)", "dX = dX / 2", "dX[0] = 0"}) EXPECT_EQ(below(line), told) << line;
    for (const char* line : {"print(dX)", "dX = numeric(X)", "X -= 0.1 * dX"}) EXPECT_EQ(below(line), All{}) << line;
}

TEST(NumPyPassed, ValuesThatNoJudgedLineUsesAreTold) {
    const auto passed = [](const std::string& lines, const std::string& returned) {
        return passed_because(
            "a.py",
            "# gradproof: dims n d m; input x [n, d], w [d, m], b [m]; const t [n, m]\ndef loss_and_grad(x, w, b, t):\n"
            "    y = x @ w + b\n    e = y - t\n    loss = 0.5 * np.sum(e ** 2)\n" +
                lines + "    dw = x.T @ e\n    return " + returned + "\n");
    };
    using All = std::vector<std::string>;
    EXPECT_EQ(passed("", "loss, dw"), All{});
    EXPECT_EQ(passed("    db = e.sum(axis=0)\n", "loss, dw, db"), All{});
    EXPECT_EQ(passed("    accuracy = np.mean(np.argmax(y, axis=1) == np.argmax(t, axis=1))\n", "loss, dw"), All{});
    for (const char* name : {"nabla_b", "gb", "dE_db", "gradient_of_b"})
        EXPECT_EQ(passed("    " + std::string(name) + " = e.mean(axis=0)\n", "loss, dw, " + std::string(name)).size(), 1u)
            << name;
}

TEST(NumPyPassed, GradientsThatNoLineComputesAreTold) {
    const std::string loss =
        "# gradproof: dims n d; input X [n, d], w [d]\ndef step(X, w):\n    z = X @ w\n    loss = np.sum(z ** 2)\n";
    using All = std::vector<std::string>;
    EXPECT_EQ(passed_because("a.py", loss + "    dz = 2 * z\n    dw = X.T @ dz\n    return loss, dw\n"), All{});
    for (const char* lines : {"    dw = X.T @ dz\n", "    dw = X.T @ dz\n    dz = 2 * z\n"})  // in Python there is none
        EXPECT_EQ(verdicts_by_line("a.py", loss + lines + "    return loss, dw\n").substr(0, 10), "5 not read") << lines;
    EXPECT_EQ(passed_because("a.py", loss + "    dz = 2 * z\n    return loss, {'z': dz, 'w': dw}\n"),
              All{"no line above computes dw"});
}

}  // namespace
}  // namespace gradproof::proof
