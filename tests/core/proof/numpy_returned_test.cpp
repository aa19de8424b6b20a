// What functions of a program return.
#include <string>

#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string square(const std::string& returned) {
    return verdicts_by_line("a.py",
                            "# gradproof: dims n; input x [n], w [n]\ndef forward(x, w):\n    y = x * w ** 2\n    return y\n"
                            "def backward(dout, x, w):\n    dx = dout * w ** 2\n    dw = 2 * dout * x * w\n    return " +
                                returned + "\n");
}

TEST(NumPyReturned, WhatIsDoneToAGradientInAReturnIsJudged) {
    EXPECT_EQ(square("dx, dw"), "6 right, 7 right");
    EXPECT_EQ(square("3 * dx, dw"), "7 right, 8 wrong");
    EXPECT_EQ(square("(dx, -dw)"), "6 right, 8 wrong");
    EXPECT_EQ(square("{\"x\": dx, \"w\": dw / 2}"), "6 right, 8 wrong");
    EXPECT_EQ(square("dict(x=dx, w=dw / 2)"), "6 right, 8 wrong");
    EXPECT_EQ(square("dx * 1.0, dw"), "7 right, 8 right");
    EXPECT_EQ(square("np.clip_by_norm(dx), dw"), "6 right, 7 right, 8 not read");
}

TEST(NumPyReturned, AnAutogradFunctionReturnsGradientsInTheOrderOfItsInputs) {
    const auto function = [](const std::string& returned) {
        return verdicts_by_line(
            "a.py",
            "# gradproof: dims n m; input X [n, m], w [m]\nclass Product(torch.autograd.Function):\n"
            "    def forward(ctx, X, w):\n        ctx.save_for_backward(X, w)\n        return X @ w\n"
            "    def backward(ctx, grad_output):\n        X, w = ctx.saved_tensors\n"
            "        grad_X = torch.outer(grad_output, w)\n        grad_w = X.T @ grad_output\n        return " +
                returned + "\n");
    };
    EXPECT_EQ(function("grad_X, grad_w"), "8 right, 9 right");
    EXPECT_EQ(function("grad_w, grad_X"), "8 right, 9 right, 10 wrong, 10 wrong");
    EXPECT_EQ(function("grad_X, None"), "8 right, 9 right, 10 not read");
    EXPECT_EQ(function("grad_X"), "8 right, 9 right, 10 not read");
    EXPECT_EQ(function("grad_X, X.T @ grad_output * 2"), "8 right, 9 right, 10 wrong");
}

TEST(NumPyReturned, AVjpReturnsGradientsInTheOrderOfItsInputs) {
    const auto vjp = [](const std::string& returned) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n; input x [n], w [n]\ndef f_fwd(x, w):\n    y = x * w\n    return y, (x, w)\n"
                                "def f_bwd(res, dy):\n    x, w = res\n    return " +
                                    returned + "\nf.defvjp(f_fwd, f_bwd)\n");
    };
    EXPECT_EQ(vjp("(dy * w, dy * x)"), "7 right, 7 right");
    EXPECT_EQ(vjp("(dy * x, dy * w)"), "7 wrong, 7 wrong");
    EXPECT_EQ(vjp("{'x': dy * x, 'w': dy * w}"), "7 not read");
}

TEST(NumPyReturned, WhatPythonMakesAnotherValueOfIsNotRight) {
    for (const char* returned : {"~dx", "not dx", "dx or x", "dx and x", "dx > 0"}) {
        const std::string said =
            verdicts_by_line("a.py",
                             "# gradproof: dims n; input x [n]\ndef forward(x):\n    y = np.tanh(x)\n    return "
                             "y\ndef backward(x, dy):\n    dx = dy * (1 - np.tanh(x) ** 2)\n    return " +
                                 std::string(returned) + "\n");
        EXPECT_TRUE(said.ends_with("7 not read") || said.ends_with("7 wrong")) << returned << ": " << said;
    }
}

/// The gradient that comes in is that of what comes back: by h[t] the loss goes through the later steps, too.
TEST(NumPyReturned, OfStepsThatAreReturnedTheGradientGoesBackThroughThem) {
    const auto judged = [](const std::string& body) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims T n m; input x [T, m], w [m, n], u [n, n]\ndef forward(x, w, u):\n"
                                "    h = np.zeros((T, n))\n    for t in range(T):\n"
                                "        h[t] = np.tanh(x[t] @ w + h[t - 1] @ u)\n    return h, (x, w, u, h)\n"
                                "def backward(dh, cache):\n    x, w, u, h = cache\n    dw = np.zeros((m, n))\n" +
                                    body + "    return dw\n");
    };
    EXPECT_EQ(judged("    dnext = np.zeros(n)\n    for t in reversed(range(T)):\n"
                     "        da = (dh[t] + dnext) * (1 - h[t] ** 2)\n        dw += np.outer(x[t], da)\n"
                     "        dnext = da @ u.T\n"),
              "13 right");
    EXPECT_EQ(
        judged("    for t in reversed(range(T)):\n        da = dh[t] * (1 - h[t] ** 2)\n        dw += np.outer(x[t], da)\n"),
        "12 wrong");
}

TEST(NumPyReturned, OfStepsOutsideOfFunctionsTheGradientComesInLikewise) {
    const auto judged = [](const std::string& above, const std::string& gradient) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims T n; input x [T, n], a [], h0 [n]\ny = np.zeros((T + 1, n))\ny[0] = h0\n"
                                "for t in range(T):\n    y[t + 1] = a * y[t] + x[t]\n" +
                                    above + "da = 0.0\ng = np.zeros(n)\nfor t in reversed(range(T)):\n    g = " + gradient +
                                    "\n    da += np.sum(g * y[t])\n");
    };
    EXPECT_EQ(judged("", "dy[t + 1] + a * g"), "10 right");
    EXPECT_EQ(judged("", "dy[t + 1]"), "10 wrong");
    EXPECT_EQ(judged("loss = np.sum(y ** 2)\n", "2 * y[t + 1] + a * g"), "11 right");
}

TEST(NumPyReturned, AGradientWithinTheForwardIsNoneOfItsInputs) {
    const auto returned = [](const std::string& what) {
        return passed_because(
            "a.py",
            "# gradproof: dims n m k; input x [n, m], w [m, k]\ndef forward(x, w):\n    z = x @ w\n"
            "    out = np.tanh(z)\n    return out, (x, w, out)\ndef backward(dout, cache):\n    x, w, out = cache\n"
            "    dz = dout * (1 - out ** 2)\n    dx = dz @ w.T\n    dw = x.T @ dz\n    return " +
                what + "\n");
    };
    using All = std::vector<std::string>;
    EXPECT_EQ(returned("dx, dw"), All{});
    EXPECT_EQ(returned("dz, dw"), All{"the gradient by z in the place of one by what the function is given"});
    EXPECT_EQ(returned("dz"), All{"the gradient by z in the place of one by what the function is given"});
}

TEST(NumPyReturned, AVjpIsGivenWhatItsForwardKeeps) {
    const auto judged = [](const std::string& kept, const std::string& name) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n m; input x [n, m]\n@jax.custom_vjp\ndef f(x):\n    return jnp.tanh(x)\n"
                                "def f_fwd(x):\n    y = jnp.tanh(x)\n    return y, " +
                                    kept + "\ndef f_bwd(" + name +
                                    ", g):\n    return (g * (1 - y ** 2),)\nf.defvjp(f_fwd, f_bwd)\n");
    };
    EXPECT_EQ(judged("y", "y"), "9 right");
    EXPECT_EQ(judged("x", "y"), "9 not read");
}

TEST(NumPyReturned, ALossThatIsChangedInTheReturnIsNotTheLoss) {
    const auto loss = [](const std::string& returned) {
        return verdicts_by_line("a.py", "# gradproof: dims n; input x [n]\ndef loss(x):\n    L = np.sum(x ** 2)\n    return " +
                                            returned + "\ndef grad(x):\n    dx = 2 * x\n    return dx\n");
    };
    EXPECT_EQ(loss("L"), "6 right");
    EXPECT_EQ(loss("L / 2"), "4 not read, 6 right");
    EXPECT_EQ(loss("L + np.sum(x)"), "4 not read, 6 right");
}

TEST(NumPyReturned, AFunctionThatComputesLossAndGradientIsRead) {
    const auto both = [](const std::string& returned) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n m; input X [n, m], w [m], y [n]\ndef loss_and_grad(X, w, y):\n"
                                "    r = X @ w - y\n    loss = np.sum(r ** 2)\n    dw = 2 * X.T @ r\n    return " +
                                    returned + "\n");
    };
    EXPECT_EQ(both("loss, dw"), "5 right");
    EXPECT_EQ(both("loss, dw / 2"), "6 wrong");
    EXPECT_EQ(both("loss + 0.1 * np.sum(w ** 2), dw"), "5 right, 6 not read");
}

std::string product(const std::string& lines) {
    return verdicts_by_line("a.py",
                            "# gradproof: dims n m; input X [n, n], W [n, n]\ndef forward(X, W):\n    return X @ W\n"
                            "def backward(dout, X, W):\n    dX = dout @ W.T\n    dW = X.T @ dout\n" +
                                lines);
}

TEST(NumPyReturned, AKeySaysWhoseGradientItIs) {
    EXPECT_EQ(product("    return {\"X\": dX, \"W\": dW}\n"), "5 right, 6 right");
    EXPECT_EQ(product("    return {\"X\": dW, \"W\": dX}\n"), "5 right, 6 right, 7 wrong, 7 wrong");
    EXPECT_EQ(product("    return dict(X=dX, W=dX)\n"), "5 right, 6 right, 7 wrong");
    EXPECT_EQ(product("    grads = {\"X\": dX, \"W\": dW}\n    return {k: 2 * v for k, v in grads.items()}\n"),
              "5 right, 6 right, 8 not read");
}

TEST(NumPyReturned, GradientsThatALoopChangesAreNotRead) {
    EXPECT_EQ(product("    for g in (dX, dW):\n        g *= 2\n    return dX, dW\n"), "5 right, 6 right, 7 not read");
    EXPECT_EQ(product("    for g in (dX, dW):\n        g *= scale\n    return dX, dW\n"), "5 right, 6 right");
    EXPECT_EQ(product("    for g in (dX, dW):\n        np.clip(g, -1, 1, out=g)\n    return dX, dW\n"), "5 right, 6 right");
    EXPECT_EQ(product("    if n > 3:\n        return dX, 2 * dW\n    return dX, dW\n"), "5 right, 6 right, 7 not read");
}

TEST(NumPyReturned, GradientsKeptUnderEachOthersNamesAreWrong) {
    const auto kept = [](const std::string& line) {
        return verdicts_by_line(
            "a.py",
            "# gradproof: dims n d h; input X [n, d], W1 [d, h], W2 [h]\nclass Net:\n"
            "    def forward(self, X):\n        self.X = X\n        self.H = np.tanh(X @ self.W1)\n"
            "        self.Y = self.H @ self.W2\n        return self.Y\n    def backward(self, dY):\n"
            "        dW2 = self.H.T @ dY\n        dW1 = self.X.T @ (np.outer(dY, self.W2) * (1 - self.H ** 2))\n"
            "        " +
                line + "\n");
    };
    EXPECT_EQ(kept("self.dW1, self.dW2 = dW1, dW2"), "9 right, 10 right");
    EXPECT_EQ(kept("self.dW1, self.dW2 = dW2, dW1"), "9 right, 10 right, 11 wrong, 11 wrong");
    EXPECT_EQ(kept("self.W1.grad, self.W2.grad = dW2, dW1"), "9 right, 10 right, 11 wrong, 11 wrong");
}

TEST(NumPyReturned, ARowThatNoLoopAssignsStaysZero) {
    const auto rows = [](const std::string& start, const std::string& range) {
        return verdicts_by_line("a.py", "# gradproof: dims n d; input X [n, d]\nL = np.sum(X ** 2)\ndX = " + start +
                                            "\nfor i in " + range + ":\n    dX[i] = 2 * X[i]\n");
    };
    EXPECT_EQ(rows("np.zeros((n, d))", "range(n)"), "5 right");
    EXPECT_EQ(rows("np.zeros((n, d))", "reversed(range(n))"), "5 right");
    for (const char* range : {"range(1, n)", "range(n - 1)", "range(n - 1, 0, -1)", "range(1)"})
        EXPECT_EQ(rows("np.zeros((n, d))", range), "5 right, 3 wrong") << range;
    EXPECT_EQ(rows("np.zeros((n + 1, d))", "range(n)"), "3 not read, 5 right");
    EXPECT_EQ(rows("np.zeros((n, d), dtype=int)", "range(n)"), "3 not read, 5 right");
    EXPECT_EQ(rows("np.full((n, d), 0)", "range(n)"), "3 not read, 5 right");
    EXPECT_EQ(rows("np.full((n, d), 0.0)", "range(n)"), "5 right");
}

TEST(NumPyReturned, ALayerReturnsTheGradientByItsInput) {
    const auto layer = [](const std::string& returned) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n d h; input X [n, d], W [d, h]\nclass Lin:\n    def forward(self, X):\n"
                                "        self.X = X\n        return X @ self.W\n    def backward(self, dout):\n"
                                "        self.dW = self.X.T @ dout\n        dX = dout @ self.W.T\n        return " +
                                    returned + "\n");
    };
    EXPECT_EQ(layer("dX"), "7 right, 8 right");
    for (const char* other : {"dout", "self.dW", "self.X", "self.W"})
        EXPECT_EQ(layer(other), "7 right, 8 right, 9 wrong") << other;
    EXPECT_EQ(layer("dX, self.dW"), "7 right, 8 right");
    EXPECT_EQ(layer("None"), "7 right, 8 right, 9 not read");
}

TEST(NumPyReturned, DefaultsThatDifferAreTwoConstants) {
    const auto scaled = [](const std::string& forward, const std::string& backward) {
        return verdicts_by_line("a.py", "# gradproof: dims n; input x [n]\ndef forward(x, " + forward +
                                            "):\n    y = x * a\n    return y\n" + "def backward(dy, x, " + backward +
                                            "):\n    dx = dy * a\n    return dx\n");
    };
    EXPECT_EQ(scaled("a=0.5", "a=0.5"), "6 right");
    EXPECT_EQ(scaled("a=0.5", "a=0.25"), "6 not read");
    EXPECT_EQ(scaled("a=0.5", "a=None"), "6 not read");
    const auto member = [](const std::string& value) {
        return verdicts_by_line(
            "a.py", "# gradproof: dims n; input x [n]\nclass Scale:\n    def __init__(self, a=4.0):\n        self.a = " + value +
                        "\n    def forward(self, x):\n        y = self.a * x\n        return y\n" +
                        "    def backward(self, dy):\n        dx = 4.0 * dy\n        return dx\n");
    };
    EXPECT_EQ(member("a"), "9 cannot tell");  // by default it is 4
    for (const char* other : {"1 / a", "-a", "max(a, 5)", "0.3"}) EXPECT_EQ(member(other), "6 not read, 9 not read") << other;
}

TEST(NumPyReturned, LinesRunInTheirOrder) {
    const std::string head = "# gradproof: dims n d; input X [n, d], w [d]\nY = X * w\nL = np.sum(Y ** 2)\n";
    EXPECT_EQ(verdicts_by_line("a.py", head + "dY = 2 * Y\ndX = dY * w\n"), "4 right, 5 right");
    EXPECT_EQ(verdicts_by_line("a.py", head + "dX = dY * w\ndY = 2 * Y\n"), "4 not read, 5 right");
    EXPECT_EQ(verdicts_by_line("a.py", head + "dY = np.zeros_like(Y)\ndX = dY * w\ndY += 2 * Y\n"), "5 not read, 6 right");
    const std::string rows =
        "# gradproof: dims T d; input x [T, d]\nL = np.sum(x ** 3)\ndx = []\nfor t in reversed(range(T)):\n"
        "    dx.append(3 * x[t] ** 2)\n";
    EXPECT_EQ(verdicts_by_line("a.py", rows).find("right"), std::string::npos);
}

TEST(NumPyReturned, WhatIsNotRunOrNotReturnedIsNotRight) {
    const std::string head =
        "# gradproof: dims n; input x [n], w [n]\ndef forward(x, w):\n    return x * w\n"
        "def backward(dout, x, w):\n    dx = dout * w\n";
    EXPECT_EQ(verdicts_by_line("a.py", head + "    return dx\n    dw = dout * x\n"), "5 right, 7 not read");
    EXPECT_EQ(verdicts_by_line("a.py", head + "    if x is None:\n        return x\n    dw = dout * x\n    return dx, dw\n"),
              "5 right, 8 right");
    EXPECT_EQ(verdicts_by_line("a.py", head + "    dw = dout * x\n    return dx, dx\n"), "5 right, 6 right, 7 not read");
    EXPECT_EQ(verdicts_by_line("a.py", head + "    dw = dout * x\n    out = {\"x\": dx, \"w\": dx}\n    return out\n"),
              "5 right, 6 right, 7 wrong");
    const std::string function =
        "# gradproof: dims n; input x [n]\nclass Square(torch.autograd.Function):\n"
        "    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return x ** 2\n"
        "    def backward(ctx, grad_output):\n        x, = ctx.saved_tensors\n"
        "        grad_x = 2 * x * grad_output\n";
    EXPECT_EQ(verdicts_by_line("a.py", function + "        return grad_x\n"), "8 right");
    EXPECT_EQ(verdicts_by_line("a.py", function + "        ctx.grads = grad_x\n"), "6 not read, 8 right");
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n; input x [n]\nif training is False:\n    y = 3 * x\nL = np.sum(y)\n"
                               "dx = 3 * x\n")
                  .find("right"),
              std::string::npos);
}
TEST(NumPyReturned, ALoopThatReturnsIsNotReadAsAllOfItsSteps) {
    const auto rows = [](const std::string& body) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n m; input A [n, m], V [m]\ndef forward(A, V):\n    o = A @ V\n    return o\n"
                                "def backward(do, A, V):\n    dV = np.zeros_like(V)\n    for i in range(n):\n" +
                                    body);
    };
    const std::string adds = "        dV += A[i] * do[i]\n";
    EXPECT_EQ(rows(adds + "    return dV\n"), "8 right");
    EXPECT_EQ(rows(adds + "        return dV\n"), "7 not read");
    EXPECT_EQ(rows(adds + "        if i == 1:\n            return dV\n    return dV\n"), "7 not read, 11 not read");
    EXPECT_EQ(rows("        return A.T @ do\n    dV = A.T @ do\n    return dV\n"), "7 not read, 9 right");
    EXPECT_EQ(rows("        if i > n:\n            return None\n    dV = A.T @ do\n    return dV\n"), "10 right");
}

TEST(NumPyReturned, ALoopOverStepsThatReturnsIsNotRead) {
    const auto steps = [](const std::string& forward, const std::string& backward) {
        return verdicts_by_line(
            "a.py",
            "# gradproof: dims T m; input x [T, m], W [m, m], h0 [m]\ndef f(x, W, h0):\n    h = np.zeros((T + 1, m))\n"
            "    h[0] = h0\n    L = 0\n    for t in range(T):\n        h[t + 1] = np.tanh(x[t] + h[t] @ W)\n"
            "        L += np.sum(h[t + 1])\n" +
                forward +
                "    dW = np.zeros_like(W)\n    dn = np.zeros_like(h0)\n    for t in reversed(range(T)):\n"
                "        da = (1 + dn) * (1 - h[t + 1] ** 2)\n        dW += np.outer(h[t], da)\n        dn = da @ W.T\n" +
                backward);
    };
    EXPECT_EQ(steps("", "    return L, dW\n"), "13 right");
    EXPECT_EQ(steps("", "        return L, dW\n"), "11 not read");
    EXPECT_EQ(steps("        return L\n", "    return L, dW\n"), "4 not read, 6 not read, 12 not read, 14 not read");
}

TEST(NumPyReturned, AGradientThatIsOnlyComputedWhereItIsNeededIsRead) {
    const auto needed = [](const std::string& of_x, const std::string& of_w, const std::string& dx = "grad_output @ W.t()") {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n m d; input X [n, m], W [m, d]\nclass F(torch.autograd.Function):\n"
                                "    def forward(ctx, X, W):\n        ctx.save_for_backward(X, W)\n        return X @ W\n"
                                "    def backward(ctx, grad_output):\n        X, W = ctx.saved_tensors\n"
                                "        grad_X = grad_W = None\n        if ctx.needs_input_grad[" +
                                    of_x + "]:\n            grad_X = " + dx + "\n        if ctx.needs_input_grad[" + of_w +
                                    "]:\n            grad_W = X.t() @ grad_output\n        return grad_X, grad_W\n");
    };
    EXPECT_EQ(needed("0", "1"), "10 right, 12 right");
    EXPECT_EQ(needed("0", "1", "2 * grad_output @ W.t()"), "10 wrong, 12 right");
    EXPECT_EQ(needed("1", "0"), "9 not read, 11 not read, 13 not read");
}

TEST(NumPyReturned, AForwardThatReturnsItsInputIsNotTheOneOfTheGradient) {
    const auto layer = [](const std::string& returned) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n m; input X [n, m], W [m, m]\ndef layer_forward(X, W):\n"
                                "    out = X @ W\n    return " +
                                    returned +
                                    ", (X, W)\ndef layer_backward(dout, cache):\n    X, W = cache\n    dX = dout @ W.T\n"
                                    "    return dX\n");
    };
    EXPECT_EQ(layer("out"), "7 right");
    EXPECT_EQ(layer("X"), "7 not read");
}

/// self.h = out - X behind out: the gradient that comes in is that of what is returned.
TEST(NumPyReturned, ValuesBehindWhatIsReturnedAreNotTheLoss) {
    const auto residual = [](const std::string& dx) {
        return verdicts_by_line(
            "a.py",
            "# gradproof: dims n d; input X [n, d], W [d, d]\nclass Residual:\n    def forward(self, X, W):\n"
            "        self.W = W\n        out = X + np.tanh(X @ W)\n        self.h = out - X\n        return out\n"
            "    def backward(self, dout):\n        dz = dout * (1 - self.h ** 2)\n        dX = " +
                dx + "\n        return dX\n");
    };
    EXPECT_EQ(residual("dout + dz @ self.W.T"), "10 right");
    EXPECT_EQ(residual("dz @ self.W.T"), "10 wrong");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$, $W \\in \\mathbb{R}^{n \\times n}$. The layer computes\n\\[ y = x + W x, "
                     "\\qquad r = y - "
                     "x. \\]\nThen\n\\[ \\frac{\\partial L}{\\partial x} = W^\\top \\frac{\\partial L}{\\partial y}. \\]\n"),
              "4 wrong");
}

/// dV = dU; dV += ... changes dU, too.
TEST(NumPyReturned, GradientsThatAreOneArrayAreTold) {
    const auto told = [](const std::string& lines) {
        return passed_because(
                   "a.py",
                   "# gradproof: dims n m; input U, V [n, m]; const y [n, m]\nloss = np.sum((U + V) * y) + np.sum(V ** 2)\n"
                   "dU = 1 * y\n" +
                       lines)
            .size();
    };
    EXPECT_EQ(told("dV = dU + 2 * V\n"), 0u);
    EXPECT_EQ(told("dV = dU\ndV += 2 * V\n"), 1u);
    EXPECT_EQ(told("dV = dU[:]\ndV += 2 * V\n"), 1u);
}

/// scale=1.0 of a forward: that a backward leaves it out is right for that number alone.
TEST(NumPyReturned, DefaultsThatLinesAreRightForAreSaid) {
    const auto domain = [](const std::string& parameter) {
        return check_file("a.py", "# gradproof: dims n d; input X [n, d], W [d, d]\ndef forward(X, W, " + parameter +
                                      "):\n    out = scale * (X @ W)\n    return out, (X, W)\ndef backward(dout, cache):\n"
                                      "    X, W = cache\n    dX = dout @ W.T\n    return dX\n")
            .proofs.at(0)
            .domain;
    };
    EXPECT_EQ(domain("scale=1.0"), std::vector<std::string>{"scale = 1"});
}

}  // namespace
}  // namespace gradproof::proof
