// Forwards that return an expression: the gradient that a backward is given is that of the whole of it.
#include <string>

#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string function(const std::string& returned, const std::string& gradient, const std::string& by = "grad_output") {
    return verdicts_by_line("a.py",
                            "# gradproof: dims n d; input x [n, d], w [d]\nclass F(torch.autograd.Function):\n"
                            "    def forward(ctx, x):\n        z = x * 3\n        output = torch.tanh(z)\n"
                            "        ctx.save_for_backward(output)\n        return " +
                                returned + "\n    def backward(ctx, " + by +
                                "):\n        output, = ctx.saved_tensors\n        return " + gradient + "\n");
}

TEST(NumPyOutputs, TheGradientThatComesInIsThatOfWhatIsReturned) {
    EXPECT_EQ(function("output", "3 * grad_output * (1 - output ** 2)"), "10 right");
    EXPECT_EQ(function("output * 2", "6 * grad_output * (1 - output ** 2)"), "10 right");
    EXPECT_EQ(function("output * 2", "3 * grad_output * (1 - output ** 2)"), "10 wrong");
    EXPECT_EQ(function("output.T", "3 * grad_output.T * (1 - output ** 2)"), "10 right");
    EXPECT_EQ(function("output.T", "3 * grad_output * (1 - output ** 2)"), "10 wrong");
    EXPECT_EQ(function("-output", "-3 * doutput * (1 - output ** 2)", "doutput"), "10 right");
    EXPECT_EQ(function("-output", "3 * doutput * (1 - output ** 2)", "doutput"), "10 wrong");
    EXPECT_EQ(function("z", "3 * doutput * (1 - output ** 2)", "doutput"), "10 wrong");  // by its place
}

TEST(NumPyOutputs, WhatIsReturnedAndNotReadHasNoKnownGradient) {
    EXPECT_EQ(function("mylib.pool(output)", "3 * grad_output * (1 - output ** 2)"), "7 not read, 10 not read");
    EXPECT_EQ(function("mylib.pool(output)", "3 * doutput * (1 - output ** 2)", "doutput"), "7 not read, 10 not read");
}

std::string block(const std::string& returned, const std::string& given, const std::string& gradient) {
    return verdicts_by_line("a.py", "# gradproof: dims n d; input x [n, d]\ndef block(x):\n    y = np.tanh(x)\n    return " +
                                        returned + "\ndef block_backward(" + given + "):\n    dx = " + gradient +
                                        "\n    return dx\n");
}

TEST(NumPyOutputs, OfSeveralTheFirstHasTheGradient) {
    EXPECT_EQ(block("x + y, y", "dy, y", "dy * (2 - y ** 2)"), "6 right");
    EXPECT_EQ(block("x + y, y", "dy, y", "dy * (1 - y ** 2)"), "6 wrong");
    EXPECT_EQ(block("(x + y, y)", "dout, y", "dout * (2 - y ** 2)"), "6 right");
    EXPECT_EQ(block("y.sum(), (x, y)", "dout, cache", "dout * (1 - np.tanh(x) ** 2)"), "6 right");
    EXPECT_EQ(block("y.mean(), (x, y)", "dout, cache", "dout * (1 - np.tanh(x) ** 2)"), "6 wrong");
}

TEST(NumPyOutputs, WhichOfTheValuesIsNotSaid) {
    EXPECT_EQ(block("x + y, y", "dy, x", "dy * (1 - np.tanh(x) ** 2)"), "6 not read");
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n d; input x [n, d]\ndef forward(x):\n    y = np.tanh(x)\n    z = 2 * y\n"
                               "    return z, y\ndef backward(dz, y):\n    dx = 2 * dz * (1 - y ** 2)\n    return dx\n"),
              "7 right");
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n d; input x [n, d]\ndef forward(x):\n    y = np.tanh(x)\n    z = 2 * y\n"
                               "    return z, x\ndef backward(dy, x):\n    dx = dy * (1 - np.tanh(x) ** 2)\n    return dx\n"),
              "7 not read");
}

TEST(NumPyOutputs, ANumberIsTheLossOfABackwardThatIsGivenNoGradient) {
    const auto entropy = [](const std::string& given, const std::string& gradient) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n d; input z [n, d]; const y [n, d] ~ onehot\ndef ce(z, y):\n"
                                "    out = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)\n"
                                "    return -np.sum(y * np.log(out)) / n, out\ndef ce_grad(" +
                                    given + "):\n    dz = " + gradient + "\n    return dz\n");
    };
    EXPECT_EQ(entropy("out, y", "(out - y) / n"), "6 right");
    EXPECT_EQ(entropy("out, y", "out - y"), "6 wrong");
    EXPECT_EQ(entropy("out, y, dout=1", "dout * (out - y) / n"), "6 right");
    EXPECT_EQ(entropy("out, y, dout=1", "dout * (out - y)"), "6 wrong");
}

TEST(NumPyOutputs, GradientsOfLayersWithinStayTheirs) {
    const auto net = [](const std::string& returned, const std::string& order) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n d m k; input X [n, d], W1 [d, m], W2 [m, k]\ndef forward(X, W1, W2):\n"
                                "    h = np.maximum(0, X @ W1)\n    y = h @ W2\n    return " +
                                    returned + "\n" + order);
    };
    const std::string head = "def head_backward(dy, h, W2):\n    dh = dy @ W2.T\n    return dh\n",
                      relu = "def relu_backward(dh, h, X):\n    dW1 = X.T @ (dh * (h > 0))\n    return dW1\n";
    EXPECT_EQ(net("y", head + relu), "7 right, 10 right");
    EXPECT_EQ(net("y", relu + head), "7 right, 10 right");
}

TEST(NumPyOutputs, AFunctionThatIsCalledAGradientReturnsIt) {
    const auto of = [](const std::string& function) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n d; input X [n, d], W [d]; const T [n]\ndef f(X, T, W):\n"
                                "    A = np.tanh(X @ W)\n    L = np.sum((A - T) ** 2)\n    return L\n" +
                                    function);
    };
    const std::string right = "X.T @ (2 * (np.tanh(X @ W) - T) * (1 - np.tanh(X @ W) ** 2))";
    EXPECT_EQ(of("def grad_W(X, T, W):\n    return " + right + "\n"), "7 right");
    EXPECT_EQ(of("def dW(X, T, W):\n    return X.T @ (np.tanh(X @ W) - T)\n"), "7 wrong");
    EXPECT_EQ(of("def grad_W(X, T, W): return " + right + "\n"), "6 right");
    EXPECT_EQ(of("def grad_W(X, T, W):\n    A = np.tanh(X @ W)\n    return X.T @ (A - T)\n"), "8 wrong");
    EXPECT_EQ(of("def grad_W(X, T, W):\n    A = np.tanh(X @ W)\n    g = X.T @ (A - T)\n    return g\n"), "9 wrong");
    EXPECT_EQ(of("def grad(W):\n    return 2 * " + right + "\n"), "7 wrong");
    EXPECT_EQ(of("def grad(W):\n    dW = " + right + "\n    return dW\n"), "7 right");
}

TEST(NumPyOutputs, ThePlaceOfAGradientSaysWhatItIs) {
    EXPECT_EQ(function("output * 2", "6 * g * (1 - output ** 2)", "g"), "10 right");
    EXPECT_EQ(function("output * 2", "3 * g * (1 - output ** 2)", "g"), "10 wrong");
    const auto layer = [](const std::string& factor) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n d; input X [n, d], W [d, d]\nclass Layer:\n    def forward(self, X):\n"
                                "        self.X = X\n        self.Y = np.tanh(X @ W)\n        return 2 * self.Y\n"
                                "    def backward(self, grad):\n        dX = " +
                                    factor + " * grad * (1 - self.Y ** 2) @ W.T\n        return dX\n");
    };
    EXPECT_EQ(layer("2"), "8 right");
    EXPECT_EQ(layer("1"), "8 wrong");
    const auto vjp = [](const std::string& factor) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n; input x [n]\ndef f_fwd(x):\n    y = jnp.tanh(x)\n    return 3 * y, (x, y)\n"
                                "def f_bwd(res, g):\n    x, y = res\n    return (" +
                                    factor + " * g * (1 - y ** 2),)\nf.defvjp(f_fwd, f_bwd)\n");
    };
    EXPECT_EQ(vjp("3"), "7 right");
    EXPECT_EQ(vjp("1"), "7 wrong");
}

TEST(NumPyOutputs, RowsThatALoopFillsAreReturnedAsOtherValuesAre) {
    const auto rows = [](const std::string& returned) {
        return verdicts(
            "# gradproof: dims T D; input x [T, D], c [D]\ndef forward(x, c):\n    T, D = x.shape\n    y = np.zeros((T, D))\n"
            "    for t in range(T):\n        y[t] = c * x[t] ** 2\n    return " +
                returned +
                ", (x, c)\ndef backward(dy, cache):\n    x, c = cache\n    dx = dy * c * 2 * x\n"
                "    dc = (dy * x ** 2).sum(axis=0)\n    return dx, dc\n",
            {}, "a.py");
    };
    EXPECT_EQ(rows("y"), "right, right");
    for (const char* other : {"2 * y", "y[::-1]", "np.tanh(y)", "y[-1]", "x"}) {
        const std::string judged = rows(other);
        EXPECT_EQ(judged.find("right"), std::string::npos) << other << ": " << judged;
    }
}

TEST(NumPyOutputs, ABufferThatIsMadeAnewInOrBelowItsLoop) {
    const auto network = [](const std::string& in_loop, const std::string& below,
                            const std::string& buffer = "np.zeros_like(x)") {
        return verdicts(
            "# gradproof: dims T D; input x [T, D], w [D]\nT, D = x.shape\ny = np.zeros((T, D))\nfor t in range(T):\n" + in_loop +
                "    y[t] = np.tanh(x[t] * w)\nL = np.sum(y)\ndx = " + buffer +
                "\ndw = np.zeros_like(w)\n"
                "for t in range(T):\n    da = 1 - y[t] ** 2\n    dx[t] = da * w\n    dw += da * x[t]\n" +
                below,
            {}, "a.py");
    };
    EXPECT_EQ(network("", ""), "right, right");
    EXPECT_EQ(network("", "", "x * 0"), "right, right");
    EXPECT_EQ(network("    y = np.zeros((T, D))\n", "").find("right, right"), std::string::npos);
    for (const char* below : {"dx = np.zeros_like(x)\n", "dx = 0 * dx\n"})
        EXPECT_NE(network("", below).find("not read"), std::string::npos) << below;
}

TEST(NumPyOutputs, ASizeIsNoOutputAndOutputsHaveAnOrder) {
    const auto two = [](const std::string& returned) {
        return "# gradproof: dims N D; input x [N, D], g [D]\ndef f_forward(x, g):\n    N, D = x.shape\n    y = x * g\n    z = x "
               "+ g\n"
               "    return " +
               returned +
               ", (x, g)\ndef f_backward(dy, dz, cache):\n    x, g = cache\n    dx = dy * g + dz\n"
               "    dg = (dy * x + dz).sum(axis=0)\n    return dx, dg\n";
    };
    EXPECT_EQ(verdicts(two("y, z"), {}, "a.py"), "right, right");
    EXPECT_EQ(passed_because("a.py", two("y, z")), std::vector<std::string>{});
    EXPECT_EQ(passed_because("a.py", two("z, y")).size(), 1u);
    const std::string size =
        "# gradproof: dims N D; input x [N, D], g [D]\ndef f_forward(x, g):\n    N, D = x.shape\n    y = x * g\n"
        "    return D, (x, g)\ndef f_backward(dy, cache):\n    x, g = cache\n    dx = dy * g\n    return dx\n";
    EXPECT_EQ(verdicts(size, {}, "a.py").find("right"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::proof
