// What a program does where it is easily overlooked: in the heads of blocks, to an array that has another name, by making one anew.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kGiven = "import numpy as np\n# gradproof: dims n d h; input x [n, d], W [d, h]\n";

TEST(NumPyUnseen, HeadsOfBlocksThatOnlyShow) {
    const auto between = [](const std::string& head) {
        return all_right(kGiven + "e = x @ W\nloss = np.sum(e ** 2)\n" + head + "\n    print(1)\nde = 2 * e\ndW = x.T @ de\n");
    };
    EXPECT_TRUE(between("if np.abs(e).max() > 10:"));
    EXPECT_TRUE(between("for r in range(len(x)):"));
    EXPECT_TRUE(between("with np.errstate(divide='ignore'):"));
    for (const char* head : {"if np.abs(e, out=e).max() > 10:", "if (e := np.abs(e)).max() > 10:", "while e.sort():",
                             "for r in np.abs(e, out=e):", "if clip_grad_norm_([e], 1.0) > 1:", "with open('f') as e:"})
        EXPECT_FALSE(between(head)) << head;
    EXPECT_FALSE(all_right(kGiven + "e = x @ W\nloss = np.sum(e ** 2)\nprint(np.median(e, overwrite_input=True))\nde = 2 * e\n"
                                    "dW = x.T @ de\n"));
}

TEST(NumPyUnseen, ArraysThatAreMadeAnew) {
    const auto backward = [](const std::string& line) {
        return all_right(kGiven +
                         "def forward(x, W):\n    y = x @ W\n    return y, (x, W)\ndef backward(dy, cache):\n    x, W = cache\n" +
                         line + "    dx = dy @ W.T\n    dW = x.T @ dy\n    return dx, dW\n");
    };
    EXPECT_TRUE(backward(""));
    EXPECT_FALSE(backward("    W = np.zeros(W.shape)\n"));
    EXPECT_FALSE(backward("    W = np.random.randn(d, h)\n"));
    EXPECT_FALSE(backward("    import math as W\n"));
    const auto layer = [](const std::string& line) {
        return all_right(kGiven +
                         "class Layer:\n    def forward(self, x):\n        self.x = x\n        return x @ self.W\n"
                         "    def backward(self, dy):\n" +
                         line + "        self.dW = self.x.T @ dy\n        return dy @ self.W.T\n");
    };
    EXPECT_TRUE(layer(""));
    EXPECT_FALSE(layer("        self.W = None\n"));
    EXPECT_FALSE(layer("        self.W = np.zeros(self.W.shape)\n"));
}

TEST(NumPyUnseen, LinesOfALoop) {
    const auto loop = [](const std::string& first, const std::string& last) {
        return all_right(
            "import numpy as np\n# gradproof: dims T d; input x [T, d], w [d]\ndef forward(x, w):\n"
            "    y = np.zeros_like(x)\n    for t in range(len(x)):\n        y[t] = x[t] * w\n    return y, (x, w)\n"
            "def backward(dy, cache):\n    x, w = cache\n    dx = np.zeros_like(x)\n    dw = np.zeros_like(w)\n"
            "    for t in range(len(x)):\n" +
            first + "        dw += dy[t] * x[t]\n        dx[t] = dy[t] * w\n" + last + "    return dx, dw\n");
    };
    EXPECT_TRUE(loop("", ""));
    EXPECT_TRUE(loop("        g = 2 * w\n        g *= dy[t]\n", ""));
    for (const char* first : {"        g = w\n        g *= dy[t]\n", "        g = dy[t] if t > 0 else dy[0]\n        g *= 2\n",
                              "        g = w.reshape(-1)\n        g += 1\n", "        t = len(x) - 1 - t\n",
                              "        w.flat = 0\n", "        if np.negative(w, out=w).sum() > 1:\n            print(1)\n",
                              "        a = w > 0\n        b = w > 1\n        dw += a + b\n"})
        EXPECT_FALSE(loop(first, "")) << first;
    EXPECT_FALSE(loop("", "        dw = np.zeros_like(w)\n"));
    EXPECT_FALSE(loop("", "        dy = np.zeros_like(x)\n"));
}

TEST(NumPyUnseen, ConditionsThatTakeTheNameOfNumbers) {
    const auto layer = [](const std::string& k, const std::string& dx) {
        return all_right(
            "import numpy as np\n# gradproof: dims n; input x [n, n]\ndef forward(x):\n    k = (x > 0) * 1.0\n"
            "    q = (x > 1) * 1.0\n    y = (k + q) * x\n    return y, x\ndef backward(dy, x):\n    k = " +
            k + "\n    q = (x > 1)\n    dx = " + dx + " * dy\n    return dx\n");
    };
    EXPECT_TRUE(layer("(x > 0) * 1.0", "(k + 1.0 * q)"));
    EXPECT_FALSE(layer("x > 0", "(k + q)"));
    const auto dropout = [](const std::string& keep) {
        return all_right(
            "import numpy as np\n# gradproof: dims n d; input x [n, d]\nclass L:\n    def forward(self, x):\n"
            "        m = np.random.rand(*x.shape) < 0.5\n        k = np.random.rand(*x.shape) < 0.5\n"
            "        y = m * x + k * x\n        self.m = m\n        self.k = k\n        return y\n"
            "    def backward(self, dy):\n        keep = " +
            keep + "\n        dx = dy * keep\n        return dx\n");
    };
    EXPECT_TRUE(dropout("1.0 * self.m + self.k"));
    EXPECT_FALSE(dropout("self.m + self.k"));
}

TEST(NumPyUnseen, AMaskThatIsDrawnAgain) {
    const std::string mask = "    mask = (np.random.rand(*x.shape) < 0.5) / 0.5\n";
    const auto dropout = [&](const std::string& again) {
        return all_right("import numpy as np\n# gradproof: dims n d; input x [n, d]\ndef forward(x):\n" + mask +
                         "    y = x * mask\n    return y, (x, mask)\ndef backward(dy, cache):\n    x, mask = cache\n" + again +
                         "    dx = dy * mask\n    return dx\n");
    };
    EXPECT_TRUE(dropout(""));
    EXPECT_FALSE(dropout(mask));
}

TEST(NumPyUnseen, GradientsInAnotherOrderThanTheParametersOfTheirFunction) {
    const auto gradients = [](const std::string& order) {
        return all_right(
            "import numpy as np\n# gradproof: dims n d; input X [n, d], w [d], b []; input y [n]\n"
            "def loss(w, b, X, y):\n    e = X @ w + b - y\n    return 0.5 * np.sum(e ** 2)\n"
            "def grad(w, b, X, y):\n    e = X @ w + b - y\n    dw = X.T @ e\n    db = np.sum(e)\n    return " +
            order + "\n");
    };
    EXPECT_TRUE(gradients("dw, db"));
    EXPECT_FALSE(gradients("db, dw"));
}

TEST(NumPyUnseen, WholeNumbersAndShapes) {
    const auto with = [](const std::string& dw) {
        return all_right(
            "import numpy as np\n# gradproof: dims T d; input x [T, d], w [d]\ndef forward(x, w):\n    m = x > 0\n"
            "    y = np.zeros_like(x)\n    for t in range(len(x)):\n        y[t] = x[t] * w\n    return y, (x, w)\n"
            "def backward(dy, cache):\n    x, w = cache\n    m = x > 0\n    " +
            dw + "    for t in range(len(x)):\n        dx[t] = dy[t] * w\n        dw += dy[t] * x[t]\n    return dx, dw\n");
    };
    EXPECT_TRUE(with("dx = np.zeros_like(x)\n    dw = np.zeros_like(w)\n"));
    EXPECT_FALSE(with("dx = 0 * m\n    dw = np.zeros_like(w)\n"));
    EXPECT_FALSE(with("dx = np.zeros_like(x)\n    dw = np.zeros((1, x.shape[1]))\n"));
    EXPECT_FALSE(
        all_right("import numpy as np\n# gradproof: dims n d; input x [n, d]\nn, d = x.shape\ny = x / n\n"
                  "dx = dy * np.reciprocal(len(x))\n"));
}

TEST(NumPyUnseen, AGradientThatACarriedValueHasAChoiceIn) {
    const auto gated = [](const std::string& last) {
        return all_right(
            "import numpy as np\n# gradproof: dims T n m\n# gradproof: input x [T, m], h0 [n], Wf [n, m], Uf [n, n], Wg [n, m]\n"
            "h = np.zeros((T, n))\nf = np.zeros((T, n))\nfor t in range(T):\n    h_prev = h[t-1] if t > 0 else h0\n"
            "    f[t] = 1 / (1 + np.exp(-(Wf @ x[t] + Uf @ h_prev)))\n    h[t] = f[t] * h_prev + Wg @ x[t]\n"
            "loss = 0.5 * np.sum(h ** 2)\ndUf = np.zeros_like(Uf)\ndh_next = np.zeros(n)\n"
            "for t in reversed(range(T)):\n    h_prev = h[t-1] if t > 0 else h0\n    dh = h[t] + dh_next\n"
            "    daf = dh * h_prev * f[t] * (1 - f[t])\n    dUf += np.outer(daf, h_prev)\n    dh_next = " +
            last + "\n");
    };
    EXPECT_TRUE(gated("Uf.T @ daf + dh * f[t]"));
    EXPECT_FALSE(gated("Uf.T @ daf"));
}

TEST(NumPyUnseen, QuotesThatABackslashDoesNotClose) {
    const std::string begin = kGiven + "z = x @ W\nL = np.sum(z ** 2)\ndz = 2 * z\n", end = "\ndW = x.T @ dz\n";
    EXPECT_TRUE(all_right(begin + "print('it\\'s')" + end));
    EXPECT_FALSE(all_right(begin + "print('it\\'s'); dz *= 2" + end));
}

TEST(NumPyUnseen, AValueThatIsGivenAnewByAFloorOfItselfIsJudged) {
    const FileReport r = check_file("a.py",
                                    "import numpy as np\n# gradproof: dims n d h; input x [n, d]; input U [d, h]\n"
                                    "def forward(x, U):\n    e = x * 2\n    out = e @ U\n    e = e // 1\n"
                                    "    return out, (U, e)\ndef backward(dout, cache):\n    U, e = cache\n"
                                    "    dU = e.T @ dout\n    de = dout @ U.T\n    dx = 2 * de\n    return dx, dU\n");
    EXPECT_FALSE(r.proofs.at(0).lines.empty());
}

TEST(NumPyUnseen, ACallWithinAnExpressionIsNotWhatItReturns) {
    const auto network = [](const std::string& out) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n m; input x [n, m], W [m, m]; const t [n, m]\nclass Net:\n"
                                "    def forward(self, x):\n        self.x = x\n        y = x @ self.W\n        return y\n"
                                "    def loss(self, x, t):\n        y = " +
                                    out +
                                    "\n        self.r = y - t\n        return 0.5 * np.sum(self.r ** 2)\n"
                                    "    def backward(self):\n        self.dW = self.x.T @ self.r\n");
    };
    EXPECT_EQ(network("self.forward(x)"), "12 right");
    for (const char* other : {"-self.forward(x)", "2 * self.forward(x)", "1 - self.forward(x)", "not self.forward(x)"})
        EXPECT_EQ(network(other).find("right"), std::string::npos) << other;
}

TEST(NumPyUnseen, AGradientIsNoDifferentialInAnotherLine) {
    const auto centred = [](const std::string& by) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n m; input x [n, m], g [m]\nc = x - x.mean(axis=0)\n"
                                "q = 1 / (c ** 2).mean(axis=0)\ny = g * c * q\ndg = (dy * c * q).sum(axis=0)\n"
                                "dq = (" +
                                    by + " * c).sum(axis=0)\n");
    };
    EXPECT_EQ(centred("dy * g"), "5 right, 6 right");
    EXPECT_EQ(centred("dg"), "5 right, 6 wrong");  // 0, as the differential of q is where x is fixed
}

TEST(NumPyUnseen, WhatACallReturnsIsChangedUnderAnotherName) {
    const auto network = [](const std::string& in_forward, const std::string& in_loss) {
        return check_file("a.py",
                          "# gradproof: dims n m; input x [n, m], W [m, m]; const t [n, m]\nclass Net:\n"
                          "    def forward(self, x):\n        self.x = x\n        self.y = x @ self.W\n" +
                              in_forward + "        return self.y\n    def loss(self, x, t):\n        out = self.forward(x)\n" +
                              in_loss +
                              "        self.r = out - t\n        return 0.5 * np.sum(self.r ** 2)\n"
                              "    def backward(self):\n        self.dW = self.x.T @ self.r\n")
            .proofs.at(0);
    };
    const auto is_right = [](const ProofReport& r) {
        return !r.lines.back().unread && r.lines.back().verdict == Verdict::right && r.passed_over.empty();
    };
    EXPECT_TRUE(is_right(network("", "")));
    for (const char* view : {"out[0]", "out", "out.T"})
        EXPECT_FALSE(is_right(network("", "        v = " + std::string(view) + "\n        v *= 2\n"))) << view;
    for (const char* view : {"self.y[0]", "self.y"})
        EXPECT_FALSE(is_right(network("        v = " + std::string(view) + "\n        v *= 2\n", ""))) << view;
    EXPECT_TRUE(is_right(network("", "        v = out.copy()\n        v *= 2\n")));
}

TEST(NumPyUnseen, ANameThatNothingGivesAValueInTheFunction) {
    const auto backward = [](const std::string& lines) {
        return "# gradproof: dims N D H; input X [N, D]; input V [D, H]; input W [H, D]\nimport numpy as np\n"
               "def forward(X, V, W):\n    Z = X @ V\n    A = np.tanh(Z)\n    Y = A @ W\n    return Y, (X, V, W, A)\n"
               "def backward(dY, cache):\n" +
               lines + "    return dX, dV, dW\n";
    };
    const std::string unpack = "    X, V, W, A = cache\n", first = "    dW = A.T @ dY\n",
                      local = "    dZ = (dY @ W.T) * (1 - A ** 2)\n", last = "    dV = X.T @ dZ\n    dX = dZ @ V.T\n";
    EXPECT_TRUE(all_right(backward(unpack + first + local + last)));
    for (const std::string& lines : {unpack + first + last,          // dZ is never computed
                                     unpack + first + last + local,  // or below
                                     first + unpack + local + last,  // A is used above the line that unpacks it
                                     "    X, V, W, _ = cache\n" + first + local + last})
        EXPECT_FALSE(all_right(backward(lines))) << lines;
}

TEST(NumPyUnseen, OtherPartsOfTheTextMayGiveItAValue) {
    const std::string marked =
        "# gradproof: dims n; input x [n]\ndef forward(x):\n    y = np.tanh(x)\n    return y, (x, y)\n"
        "def backward(dy, cache):\n    x, y = cache\n    dx = dy * (1 - y ** 2)\n    return dx\n";
    EXPECT_EQ(verdicts("It doesn't \"close.\n\n```python proof\n" + marked + "```\n", {}, "a.md"), "right");
    EXPECT_EQ(
        verdicts(
            "# gradproof: dims n; input x [n]\ny = np.tanh(x)\ndef backward(dy):\n    dx = dy * (1 - y ** 2)\n    return dx\n",
            {}, "a.py"),
        "right");
}

TEST(NumPyUnseen, WhereNoGradientsAreFollowedDetachChangesNothing) {
    const auto norm = [](const std::string& factor, const std::string& dx) {
        return "# gradproof: dims n d; input x [n, d]\nimport torch\nclass Norm(torch.autograd.Function):\n    @staticmethod\n"
               "    def forward(ctx, x):\n        s = " +
               factor +
               "\n        ctx.save_for_backward(x, s)\n        return x * s\n"
               "    @staticmethod\n    def backward(ctx, g):\n        x, s = ctx.saved_tensors\n        return " +
               dx + "\n";
    };
    const std::string factor = "x.pow(2).sum(-1, keepdim=True).rsqrt()";
    const std::string right = "s * (g - x * s ** 2 * (g * x).sum(-1, keepdim=True))";
    for (const char* detach : {"", ".detach()"}) {
        EXPECT_TRUE(all_right(norm(factor + detach, right))) << detach;
        EXPECT_FALSE(all_right(norm(factor + detach, "g * s"))) << detach;
    }
    const std::string pair =
        "import jax, jax.numpy as jnp\n# gradproof: dims n; input x [n]\n@jax.custom_vjp\ndef f(x):\n"
        "    return x * jax.lax.stop_gradient(jnp.tanh(x))\ndef fwd(x):\n    return f(x), x\ndef bwd(x, g):\n    return (";
    EXPECT_FALSE(all_right(pair + "g * jnp.tanh(x),)\nf.defvjp(fwd, bwd)\n"));
    EXPECT_TRUE(all_right(pair + "g * (jnp.tanh(x) + x * (1 - jnp.tanh(x) ** 2)),)\nf.defvjp(fwd, bwd)\n"));
}

TEST(NumPyUnseen, AStepThatTakesThePlaceOfASum) {
    const auto sums = [](const std::string& line) {
        return verdicts(
            "# gradproof: dims T n; input x [T, n], w [n]\nT = x.shape[0]\ny = np.zeros_like(x)\nfor t in range(T):\n"
            "    y[t] = x[t] * w\nL = np.sum(y ** 2)\ndy = 2 * y\ndw = np.zeros_like(w)\nfor t in range(T):\n"
            "    dw += dy[t] * x[t]\n" +
                line,
            {}, "a.py");
    };
    EXPECT_EQ(sums(""), "right, right");
    EXPECT_NE(sums("    dw = t\n").find("not read"), std::string::npos);
    EXPECT_NE(sums("    dw = dy[t]\n").find("not read"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::proof
