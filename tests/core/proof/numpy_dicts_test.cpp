// Parameters and gradients in dictionaries, updates of all of them, calls between the functions of a script, and its loss.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string script(const std::string& declared, const std::string& lines) {
    return verdicts_by_line("a.py", "# gradproof: " + declared + "\n" + lines);
}

TEST(NumPyDicts, ParametersOfAnObject) {
    const std::string sizes = "dims B D H; input x [B, D], W [D, H], b [H]; const t [B, H]";
    const auto net = [](const std::string& bias, const std::string& back) {
        return "class Net:\n    def __init__(self):\n        self.params = {'W': np.random.randn(3, 4), 'b': np.zeros(4)}\n"
               "    def loss(self, x, t):\n        W, b = self.params['W'], self.params['b']\n        y = x @ W + b\n"
               "        loss = ((y - t) ** 2).sum()\n        dy = 2 * (y - t)\n        grads = {}\n"
               "        grads['W'] = x.T @ dy\n        grads['b'] = " +
               bias + "\n        dx = dy @ " + back + "\n        return loss, grads\n";
    };
    EXPECT_EQ(script(sizes, net("dy.sum(axis=0)", "self.params['W'].T")), "9 right, 11 right, 12 right, 13 right");
    EXPECT_EQ(script(sizes, net("dy.sum(axis=1)", "self.params['W']")), "9 right, 11 right, 12 wrong, 13 wrong");
    EXPECT_EQ(script(sizes, net("grads['W'].sum(axis=0)", "grads['W'].T")), "9 right, 11 right, 12 wrong, 13 wrong");
    EXPECT_EQ(script("dims n; input w, x [n]",
                     "w = params['w']\ny = w * x\ngrads['x'] = dy * params['w']\n"
                     "grads['w'] = dy * grads['x']\n"),
              "4 right, 5 wrong");
}

TEST(NumPyDicts, MembersOfAnObjectMayBeGradients) {
    const std::string forward =
        "class Layer:\n    def forward(self, x):\n        self.z = x @ self.w\n        self.y = "
        "np.tanh(self.z)\n        return self.y\n    def backward(self, dy):\n";
    EXPECT_EQ(
        script("dims n m; input x [n, m], w [m]", forward + "        self.dz = dy * (1 - self.y ** 2)\n"
                                                            "        self.dw = x.T @ self.dz\n        self.dw = x.T @ self.z\n"),
        "8 right, 9 right, 10 wrong");
}

TEST(NumPyDicts, UpdatesOfAllParametersChangeNothing) {
    const std::string sizes = "dims n m; input x [n, m], w [m]; const y [n]";
    const std::string lines = "p = x @ w\nloss = ((p - y) ** 2).sum()\ngrads = {}\ndp = 2 * (p - y)\ngrads['w'] = x.T @ dp\n";
    for (const char* update :
         {"for k in params:\n    params[k] -= lr * grads[k]\n", "for k, v in self.params.items():\n    v -= lr * grads[k]\n",
          "for p_, g in zip([w], [dw]):\n    np.clip(g, -1, 1, out=g)\nfor p_, g, m_ in zip([w], [dw], [mw]):\n    m_ += g * g\n"
          "    p_ -= lr * g / np.sqrt(m_)\n"})
        EXPECT_EQ(script(sizes, lines + update), "5 right, 6 right") << update;
    EXPECT_EQ(script(sizes, lines + "for k in params:\n    params[k] -= lr * grads[k]\ndx = np.outer(dp, w)\n"),
              "5 right, 6 right, 7 not read, 9 not read");
    EXPECT_EQ(script(sizes, lines + "for k in params:\n    grads[k] += reg * params[k]\n"), "5 right, 6 not read, 7 not read");
}

TEST(NumPyDicts, AGradientThatNothingUsesIsNoUpdate) {
    const std::string lines = "y = x * w + b\ngrads['b'] = dy.sum(axis=";
    EXPECT_EQ(script("dims n m; input x [n, m], w, b [m]", lines + "0)\n"), "3 right");
    EXPECT_EQ(script("dims n m; input x [n, m], w, b [m]", lines + "1)\n"), "3 wrong");
}

TEST(NumPyDicts, CallsOfFunctionsThatAreReadWhereTheyStand) {
    const std::string sizes = "dims n d; input x [n, d], w [d]; const y [n]";
    const auto program = [](const std::string& call, const std::string& slope) {
        return "def forward(params, x):\n    z = x @ params['w']\n    out = np.tanh(z)\n    return out, (x, z)\n"
               "def loss_fn(params, x, y):\n    " +
               call +
               "\n    return np.mean((out - y) ** 2)\ndef backward(params, cache, y, out):\n    x, z = cache\n"
               "    dout = 2 * (out - y) / y.shape[0]\n    dz = dout * " +
               slope + "\n    grads = {'w': x.T @ dz}\n    return grads\n";
    };
    EXPECT_EQ(script(sizes, program("out, _ = forward(params, x)", "(1 - out ** 2)")), "11 right, 12 right, 13 right");
    EXPECT_EQ(script(sizes, program("out, _ = forward(params, x)", "(1 - z ** 2)")), "11 right, 12 wrong, 13 right");
    EXPECT_EQ(script(sizes, program("out, cache = forward(params, 2 * x)", "(1 - out ** 2)")).find("right"), std::string::npos);
}

TEST(NumPyDicts, TheLossOfAScript) {
    const std::string sizes = "dims n d; input x [n, d], w [d]; const y [n]";
    const std::string right = "dp = 2 * (p - y) / n\n", wrong = "dp = 2 * (p - y)\n";
    EXPECT_EQ(script(sizes, "p = x @ w\ncost = np.mean((p - y) ** 2)\n" + right + wrong), "4 right, 5 wrong");
    EXPECT_EQ(script(sizes, "p = x @ w\ndata_loss = np.mean((p - y) ** 2)\nr = p - y\n" + right + wrong), "5 right, 6 wrong");
    EXPECT_EQ(script(sizes, "p = x @ w\nv = np.mean((p - y) ** 2)\n" + right + wrong), "4 right, 5 wrong");
    EXPECT_EQ(script(sizes, "p = x @ w\nout = np.mean((p - y) ** 2)\ndp = dout * 2 * (p - y) / n\n" + right), "4 right, 5 wrong")
        << "a gradient comes in";
}

TEST(NumPyDicts, ATrainingLoopThatGoesOnWithADict) {
    const auto training = [](const std::string& slope) {
        return "for i in range(0, num_passes):\n    W, V = model['W'], model['V']\n    a = np.tanh(x @ W)\n    p = np.exp(a @ "
               "V)\n"
               "    probs = p / p.sum(axis=1, keepdims=True)\n    data_loss = -np.sum(np.log(probs[range(n), y]))\n"
               "    delta = probs\n    delta[range(n), y] -= 1\n    dV = a.T @ delta\n    dW = x.T @ (delta @ V.T * " +
               slope + ")\n    W -= 0.1 * dW\n    V -= 0.1 * dV\n    model = {'W': W, 'V': V}\n";
    };
    const std::string sizes = "dims n d h c; input x [n, d], W [d, h], V [h, c]; const y [n] ~ index(c)";
    EXPECT_EQ(script(sizes, training("(1 - a ** 2)")), "10 right, 11 right");
    EXPECT_EQ(script(sizes, training("(1 - a)")), "10 right, 11 wrong");
}

TEST(NumPyDicts, ALoopThatCallsTheProgramAndUpdates) {
    const auto script_of = [](const std::string& slope, const std::string& behind) {
        return "def propagate(w, X, Y):\n    A = np.tanh(np.dot(X, w))\n    cost = np.sum((A - Y) ** 2)\n    dw = " + slope +
               "\n    cost = np.squeeze(np.array(cost))\n    grads = {\"dw\": dw}\n    return grads, cost\n"
               "def optimize(w, X, Y, steps):\n    costs = []\n    for i in range(steps):\n"
               "        grads, cost = propagate(w, X, Y)\n        dw = grads[\"dw\"]\n        w = w - 0.1 * dw\n"
               "        if i % 100 == 0:\n            costs.append(cost)\n    params = {\"w\": w}\n" +
               behind;
    };
    const std::string sizes = "dims n m; input w [n], X [m, n]; const Y [m]", right = "X.T @ (2 * (A - Y) * (1 - A ** 2))";
    EXPECT_EQ(script(sizes, script_of(right, "    return params, costs\n")), "5 right");
    EXPECT_EQ(script(sizes, script_of("X.T @ (2 * (A - Y))", "    return params, costs\n")), "5 wrong");
    EXPECT_EQ(script(sizes, script_of(right, "    dX = np.outer(A, w)\n")).find("right"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::proof
