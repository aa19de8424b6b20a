// Gradients that a call sets to zero, and layers that are given something else than an input.
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

}  // namespace
}  // namespace gradproof::proof
