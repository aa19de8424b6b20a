// Gradients that a call sets to zero, layers that are given something else than an input, and what integers cut off.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

using Told = std::vector<std::string>;

/// A layer with a zero_grad() of these lines, the end of its backward, and what follows.
std::string layer(const std::string& zero, const std::string& end, const std::string& behind) {
    return "# gradproof: dims n d h; input X [n, d], W [d, h], b [h]\nimport numpy as np\n\nclass Linear:\n"
           "    def __init__(self, W, b):\n        self.W = W\n        self.b = b\n    def zero_grad(self):\n" +
           zero +
           "    def forward(self, X):\n        self.X = X\n        return X @ self.W + self.b\n"
           "    def backward(self, dY):\n        self.dW = self.X.T @ dY\n        self.db = dY.sum(axis=0)\n"
           "        dX = dY @ self.W.T\n" +
           end + "        return dX\n" + behind;
}
Told told(const std::string& text) { return passed_because("a.py", text); }

const std::string kZeros = "        self.dW = np.zeros_like(self.W)\n        self.db = np.zeros_like(self.b)\n";
TEST(NumPyWiped, CallsThatSetGradientsToZeroAreTold) {
    const std::string run =
        "\ndef run(X, W, b, dY):\n    layer = Linear(W, b)\n    layer.forward(X)\n    dX = layer.backward(dY)\n"
        "    layer.zero_grad()\n    return dX, layer.dW, layer.db\n";
    for (const char* zero : {"        self.dW = np.zeros_like(self.W)\n", "        self.dW = None\n", "        self.dW *= 0\n",
                             "        self.dW = np.zeros(self.W.shape)\n"})
        EXPECT_EQ(told(layer(zero, "", run)), Told{"it sets dW to zero, computed above and not used since"}) << zero;
    EXPECT_EQ(told(layer(kZeros, "        self.zero_grad()\n", "")),
              Told{"it sets dW, db to zero, computed above and not used since"});
    EXPECT_EQ(told(layer(kZeros, "        self.finish()\n", "\n    def finish(self):\n        self.zero_grad()\n")).size(), 1u);
    EXPECT_EQ(told(layer("        self.grads = {}\n", "        self.grads = {\"W\": self.dW}\n        self.zero_grad()\n", "")),
              Told{"it sets grads to zero, computed above and not used since"});
}

TEST(NumPyWiped, CallsBeforeGradientsAndBehindTheirUseAreNone) {
    EXPECT_EQ(told(layer(kZeros, "",
                         "\ndef run(X, W, b, dY):\n    layer = Linear(W, b)\n    layer.zero_grad()\n    layer.forward(X)\n"
                         "    dX = layer.backward(dY)\n    return dX, layer.dW, layer.db\n")),
              Told{});
    EXPECT_EQ(told(layer(kZeros, "",
                         "\n    def step(self, lr):\n        self.W = self.W - lr * self.dW\n"
                         "        self.b = self.b - lr * self.db\n        self.zero_grad()\n")),
              Told{});
}

TEST(NumPyWiped, MembersThatAreNoGradientsMayBeReset) {
    EXPECT_EQ(told(layer("        self.depth = 0\n", "        self.count(1)\n        self.zero_grad()\n",
                         "\n    def count(self, n):\n        self.depth = self.depth + n\n")),
              Told{});
}

TEST(NumPyWiped, LayersOfWhatIsComputedOfAnInputAreTold) {
    const auto of = [](const std::string& given) {
        return told(layer(kZeros, "",
                          "\ndef run(X, W, b, T):\n    layer = Linear(" + given +
                              ", b)\n    out = layer.forward(X)\n    layer.backward(out - T)\n"
                              "    return layer.dW, layer.db\n"));
    };
    const Told another{"what it is given is computed of W, and the gradients in it are by that"};
    for (const char* given : {"W / np.sqrt(W.shape[0])", "0.5 * W", "W ** 2", "-W", "W.T"})
        EXPECT_EQ(of(given), another) << given;
    EXPECT_EQ(of("W"), Told{});
}

TEST(NumPyWiped, LabelsThatAreCopiedHoldIntegers) {
    const auto with = [](const std::string& made, const std::string& first = "0.9") {
        return of_program(
            "# gradproof: dims n d; input X [n, d], w [d]; const y [n] ~ binary\ndef forward(X, w, y):\n"
            "    p = 1 / (1 + np.exp(-(X @ w)))\n    t = np.where(y == 1, " +
            first +
            ", 0.0)\n"
            "    loss = -np.mean(t * np.log(p) + (1 - t) * np.log(1 - p))\n    return loss, p\n"
            "def backward(X, w, y, p):\n    t = " +
            made + "\n    t[y == 1] = " + first +
            "\n    t[y == 0] = 0.0\n"
            "    dz = (p - t) / len(y)\n    dw = X.T @ dz\n    return dw\n");
    };
    for (const char* made : {"y.copy()", "np.array(y)", "2 * y - 1", "np.abs(y)"})
        EXPECT_EQ(with(made).find("13 right"), std::string::npos) << made << " " << with(made);
    for (const char* made : {"y.astype(float)", "1.0 * y", "p.copy()"}) EXPECT_EQ(with(made), "12 right") << made;
}

TEST(NumPyWiped, DefaultsOfTrainingAreTheSame) {
    const auto with = [](const std::string& other) {
        return told(
            "# gradproof: dims n d; input X [n, d], W [d, d]\ndef forward(X, W, training=True):\n    H = X @ W\n"
            "    if training:\n        Y = np.maximum(H, 0)\n    else:\n        Y = H\n    return Y, H\n"
            "def backward(dY, X, W, H, training=" +
            other +
            "):\n    if training:\n        dH = dY * (H > 0)\n    else:\n"
            "        dH = dY\n    dW = X.T @ dH\n    dX = dH @ W.T\n    return dX, dW\n");
    };
    EXPECT_EQ(with("True"), Told{});
    EXPECT_EQ(with("False"), Told{"another default than training of line 2"});
}

/// Two slopes whose sum is used, kept and combined so.
std::string slopes(const std::string& kept, const std::string& taken, const std::string& sum) {
    return of_program(
        "# gradproof: dims n d; input X [n, d], W [d, d]\ndef forward(X, W):\n    Z = X @ W\n"
        "    out = np.maximum(Z, 0) + np.maximum(Z - 1, 0)\n    cache = " +
        kept +
        "\n    return out, cache\n"
        "def backward(dout, cache):\n    " +
        taken + "\n    dZ = dout * (" + sum + ")\n    dW = X.T @ dZ\n    return dW\n");
}

TEST(NumPyWiped, ConditionsInTuplesAndListsStayConditions) {
    const auto not_right = [](const std::string& verdicts) { return verdicts.find("9 right") == std::string::npos; };
    EXPECT_TRUE(not_right(slopes("(X, W, Z > 0, Z > 1)", "X, W, on, over = cache", "on + over")));
    EXPECT_TRUE(not_right(slopes("X, W, (Z > 0), (Z > 1)", "X, W, on, over = cache", "on + over")));
    const auto below = [&](const std::string& line, const std::string& sum) {
        return of_program(
            "# gradproof: dims n; input Z [n]\ndef forward(Z):\n    out = np.maximum(Z, 0) + np.maximum(Z - 1, 0)\n"
            "    return out, Z\ndef backward(dout, Z):\n    " +
            line + "\n    dZ = dout * (" + sum + ")\n    return dZ\n");
    };
    for (const auto& [line, sum] : std::vector<std::pair<std::string, std::string>>{{"a, b = Z > 0, Z > 1", "a + b"},
                                                                                    {"[a, b] = [Z > 0, Z > 1]", "a + b"},
                                                                                    {"m = (Z > 0, Z > 1)", "m[0] + m[1]"},
                                                                                    {"m = [Z > 0, Z > 1]", "m[0] + m[1]"}})
        EXPECT_EQ(below(line, sum).find("7 right"), std::string::npos) << line;
    EXPECT_EQ(below("a, b = Z > 0, Z > 1", "1.0 * a + b"), "7 right");
    EXPECT_EQ(slopes("(X, W, (Z > 0).astype(float), 1.0 * (Z > 1))", "X, W, on, over = cache", "on + over"), "9 right, 10 right");
    EXPECT_EQ(slopes("(X, W, Z > 0, Z > 1)", "X, W, on, over = cache", "on.astype(float) + over"), "9 right, 10 right");
}

TEST(NumPyWiped, ListsAreJoinedBehindNamesToo) {
    const auto with = [](const std::string& lines) {
        return of_program(
            "# gradproof: dims n d; input A [n, d], W [d, d], V [d, d]\ndef forward(A, W, V):\n    H = np.tanh(A @ W)\n"
            "    out = H @ V\n    loss = 0.5 * np.sum(out ** 2) + 0.05 * (np.sum(W ** 2) + np.sum(V ** 2))\n"
            "    return loss, (A, W, V, H, out)\ndef backward(cache):\n    A, W, V, H, out = cache\n"
            "    dZ = out @ V.T * (1 - H ** 2)\n    data = [A.T @ dZ, H.T @ out]\n    decay = [0.1 * W, 0.1 * V]\n" +
            lines + "    return dW, dV\n");
    };
    EXPECT_EQ(with("    total = data + decay\n    dW = total[0]\n    dV = total[1]\n").find("right"), std::string::npos);
    EXPECT_EQ(with("    data += [0.1 * W, 0.1 * V]\n    dW = data[0]\n    dV = data[1]\n").find("right"), std::string::npos);
    EXPECT_EQ(with("    twice = data * 2\n    dW = twice[0]\n    dV = twice[1]\n").find("right"), std::string::npos);
    EXPECT_EQ(with("    dW = data[0] + decay[0]\n    dV = data[1] + decay[1]\n"), "12 right, 13 right");
}

TEST(NumPyWiped, WholeNumbersOfTuplesAndLabels) {
    const auto with = [](const std::string& line) {
        return of_program("# gradproof: dims n d; input X [n, d], w [d]; const y [n] ~ binary\ndef loss_grad(X, w, y):\n    " +
                          line +
                          "\n    c[y == 1] = 2.5\n    p = 1 / (1 + np.exp(-(X @ w)))\n"
                          "    loss = -np.sum(c * (y * np.log(p) + (1 - y) * np.log(1 - p)))\n"
                          "    dw = X.T @ ((1 + 1.5 * y) * (p - y))\n    return loss, dw\n");
    };
    for (const char* line :
         {"c, n = np.full(len(y), 1), len(y)", "c, n = np.ones_like(y), len(y)", "c = 1 + y", "c = np.maximum(y, 1)"})
        EXPECT_EQ(with(line).find("right"), std::string::npos) << line;
    for (const char* line : {"c = np.ones(len(y))", "c = 1.0 + y", "c, n = np.ones(len(y)), len(y)"})
        EXPECT_EQ(with(line), "7 right") << line;
}

}  // namespace
}  // namespace gradproof::proof
