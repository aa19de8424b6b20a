// What Python and its libraries mean where another reading lies near: lists, whole numbers, conditions, axes, names.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(NumPyMeant, WhatPyTorchTakesForClassesAndWholeNumbers) {
    const std::string head =
        "# gradproof: dims n t; input z [n, t]; const y [n] ~ index(t)\nimport torch\nimport torch.nn.functional as F\n";
    const std::string loss =
        "L = -torch.sum(T * torch.log_softmax(z, dim=1))\ndz = torch.softmax(z, dim=1) * T.sum(1, keepdim=True) - T\n";
    EXPECT_EQ(verdicts(head + "T = F.one_hot(y, t)\n" + loss, {}, "a.py"), "right");
    EXPECT_EQ(verdicts(head + "T = F.one_hot(y, t)\nT[T == 0] = 0.05\n" + loss, {}, "a.py").substr(0, 8), "not read");
    EXPECT_EQ(verdicts(head + "T = F.one_hot(y, t).float()\nT[T == 0] = 0.05\n" + loss, {}, "a.py"), "right");
    for (const char* labels : {"(torch.arange(t) == y[:, None]) * 1", "1 * (torch.arange(t) == y[:, None])"})
        EXPECT_EQ(verdicts(head + "T = " + labels + "\nT[T == 0] = 0.05\n" + loss, {}, "a.py").substr(0, 8), "not read")
            << labels;
    const auto rows = [](const std::string& fill, const std::string& like) {
        return verdicts("# gradproof: dims n d; input x [n, d]; const y [n, d] ~ " + fill +
                            "\nimport numpy as np\nt = 2 * y - 1\n"
                            "L = np.sum(x * t)\ndx = np.zeros_like(" +
                            like + ")\nfor i in range(n):\n    dx[i] = t[i]\n",
                        {}, "a.py");
    };
    EXPECT_EQ(rows("normal", "y") + rows("normal", "t") + rows("binary", "t, dtype=float"), "rightrightright");
    for (const char* fill : {"binary", "onehot"})
        EXPECT_EQ(rows(fill, "y") + ", " + rows(fill, "t"), "not read, right, not read, right") << fill;
    const std::string of_three =
        "# gradproof: dims n t; input z [n, t, t]; const y [n, t] ~ index(t)\nimport torch\n"
        "import torch.nn.functional as F\nL = F.cross_entropy(z, y)\n"
        "dz = (torch.softmax(z, dim=-1) - F.one_hot(y, t)) / (n * t)\n";
    EXPECT_EQ(verdicts(of_three, {}, "a.py"), "not read, not read");
}

TEST(NumPyMeant, TheEndOfAPartThatIsMinusNothing) {
    const auto line = [](const std::string& pad, const std::string& part) {
        return verdicts(
            "# gradproof: dims n; input x [n]\npad = " + pad +
                "\nxp = np.concatenate([np.zeros(pad), x, np.zeros(pad)])\nL = np.sum(xp ** 2)\ndxp = 2 * xp\ndx = dxp[" + part +
                "]\n",
            {}, "a.py");
    };
    EXPECT_EQ(line("2", "pad:-pad"), "right, right");
    EXPECT_EQ(line("0", "pad:-pad"), "right, not read");
    EXPECT_EQ(line("0", "-pad:"), "right, right");
    EXPECT_EQ(line("(1 - 1) // 2", "pad:-pad").substr(0, 15), "right, not read");
}

TEST(NumPyMeant, ATransposeOfAxesIsAnotherInNumPy) {
    const auto head = [](const std::string& imports) {
        const ProofReport p = check_file("a.py", "# gradproof: dims n; input X [n, n], W [n, n]\n" + imports +
                                                     "Y = X @ W\nL = (Y ** 2).sum()\ndW = X.transpose(0, 1) @ (2 * Y)\n")
                                  .proofs.at(0);
        return verdict_of(p.lines.at(0)) +
               (std::ranges::count(p.domain, "arrays of PyTorch, whose transpose(a, b) exchanges two axes") > 0 ? ", told" : "");
    };
    EXPECT_EQ(head("import torch\n"), "right");
    EXPECT_EQ(head("import numpy as np\n"), "wrong");
    EXPECT_EQ(head("import numpy as np\nimport torch\n"), "right, told");
}

TEST(NumPyMeant, ProductsOfConditionsAndArraysThatAreOneInABranch) {
    const auto line = [](const std::string& c, const std::string& right) {
        return verdicts("# gradproof: dims n d; input X [n, d], W [d, d]\nM = X > 0\nL = np.sum(" + c + ")\ndW = " + right + "\n",
                        {}, "a.py");
    };
    EXPECT_EQ(line("(1.0 * M).T @ M * W", "(1.0 * M).T @ M"), "right");
    for (const char* c : {"(M + np.flip(M)) * X", "(M + np.roll(M, 1, axis=0)) * X"})
        EXPECT_EQ(line(c, "0 * W").substr(0, 8), "not read") << c;
    for (const char* c : {"M.T @ M * W", "(X > 0).T @ (X > 0) * W", "M.T @ M / n * W"})
        EXPECT_EQ(line(c, "(1.0 * M).T @ M").substr(0, 8), "not read") << c;
    const auto branch = [](const std::string& out) {
        return verdicts("# gradproof: dims n=4 d; input x [n, d]; input b [d]\nz = np.tanh(x)\nout = " + out +
                            "\nout += b\nL = np.sum(out ** 2)\ndout = 2 * out\ndx = dout * (1 - z ** 2)\n",
                        {}, "a.py");
    };
    EXPECT_EQ(branch("1.0 * z if n > 2 else 2 * z"), "right, right");
    EXPECT_EQ(branch("z if n > 2 else 2 * z").find("right, right"), std::string::npos);
    EXPECT_EQ(verdicts("# gradproof: dims n; input A [n, n, n]; input b [n, n]\nimport torch\ny = torch.linalg.solve(A, b)\n"
                       "dA = dy\n",
                       {}, "a.py")
                  .substr(0, 8),
              "not read");
}

TEST(NumPyMeant, ListsAreNoArrays) {
    const std::string head =
        "# gradproof: dims n d; input X [n, d]; input w [d]\nimport numpy as np\na, b = [], []\nfor i in range(n):\n"
        "    a.append(X[i] @ w)\nfor i in range(n):\n    b.append(np.sum(w))\n";
    const auto loss = [&](const std::string& e, const std::string& dw) {
        return verdicts(head + "L = np.sum(" + e + ")\ndw = " + dw + "\n", {}, "a.py");
    };
    EXPECT_EQ(loss("np.array(a) + np.array(b)", "np.sum(X, axis=0) + n"), "right");
    EXPECT_EQ(loss("np.array(a) * 2", "2 * np.sum(X, axis=0)"), "right");
    for (const char* e : {"a + b", "a[1:] + b[:-1]", "a * 2", "n * a", "b[::-1] * n", "np.array(a + b)"})
        EXPECT_EQ(loss(e, "np.sum(X, axis=0)").substr(0, 8), "not read") << e;
    const auto written = [](const std::string& e) {
        return verdicts("# gradproof: dims n; input x [n]\nimport numpy as np\np = [x[0], x[1]]\nL = np.sum(np.square(" + e +
                            "))\ndx = x\n",
                        {}, "a.py")
            .substr(0, 8);
    };
    EXPECT_EQ(written("p + [x[1], x[0]]") + written("p * 2"), "not readnot read");
    EXPECT_EQ(written("(x[0], x[1]) + (x[1], x[0])"), "wrong") << "the four of them";
    EXPECT_EQ(written("np.array(p) + [x[1], x[0]]"), "wrong");
}

TEST(NumPyMeant, AHalfThatIsGivenIsNotRounded) {
    const auto line = [](const std::string& x) {
        return verdicts(
            "# gradproof: dims n; input c [], y [n]; const X = [0.5, 2.5]\nL = c * np.sum(" + x + ")\ndc = np.sum(" + x + ")\n",
            {}, "a.py");
    };
    EXPECT_EQ(line("np.round(X)") + ", " + line("np.rint(n / 2)"), "not read, not read, not read, not read");
    EXPECT_EQ(line("np.round(2.5)"), "right");
    EXPECT_EQ(line("np.round(y)"), "right");
}

TEST(NumPyMeant, ATransposeOfATransposeIsNoName) {
    for (const char* twice : {"h.T.T", "np.transpose(h.T)", "h.T.copy().T", "h.t().t()", "np.array(h.T).T", "h.mT.T", "h.T.mT"}) {
        const std::string text =
            fmt::format("# gradproof: dims T d; input h [T, d]; const c [T, d]\nL = np.sum({} * c)\n", twice);
        EXPECT_EQ(verdicts(text + "dh = c\n", {}, "a.py"), "right") << twice;
        EXPECT_EQ(verdicts(text + "dh = T * c\n", {}, "a.py"), "wrong") << twice;
    }
}

TEST(NumPyMeant, NamesThatAreOneForPython) {
    const auto passed = [](const std::string& one, const std::string& other) {
        return passed_because("a.py", "# gradproof: dims n; input x [n]; input c [n]\n" + one + " = np.sin(x)\n" + other +
                                          " = np.cos(x)\nL = np.sum(" + one + " * c) + np.sum(" + other +
                                          ")\ndx = c * np.cos(x) - np.sin(x)\n");
    };
    EXPECT_EQ(passed("φ", "ϕ"), std::vector<std::string>{"Python takes ϕ for φ"});
    const std::string comment = "# gradproof: dims n; input x [n]\nφ = np.sin(x)  # not ϕ\nL = np.sum(φ)\ndx = np.cos(x)\n";
    EXPECT_TRUE(passed_because("a.py", comment).empty());
    for (const auto& [one, other] : {std::pair{"l", "ℓ"}, {"a𝐰", "aw"}, {"a𝑊", "aW"}, {"xₖ", "xk"}, {"ϵ1", "ε1"}})
        EXPECT_EQ(passed(one, other), std::vector<std::string>{fmt::format("Python takes {} for {}", other, one)}) << one;
    for (const auto& [one, other] : {std::pair{"φ", "θ"}, {"ℓ", "ϵ"}, {"𝐰", "𝐖"}}) EXPECT_TRUE(passed(one, other).empty()) << one;
}

}  // namespace
}  // namespace gradproof::proof
