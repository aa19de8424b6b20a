// Gradients that functions return and layers keep: in which order, in what, and what stands in their place.
#include <string>

#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// Why lines of a program are passed over, whose backward returns that.
std::vector<std::string> why_passed(const std::string& returned, const std::string& before = "") {
    const std::string text =
        "# gradproof: dims n m; input X [n, m], W [m, m]\ndef layer_forward(X, W):\n    Y = X @ W\n    return Y, (X, W)\n"
        "def layer_backward(dY, cache):\n    X, W = cache\n    dX = dY @ W.T\n    dW = X.T @ dY\n" +
        before + "    return " + returned + "\n";
    EXPECT_EQ(verdicts_by_line("a.py", text), "7 right, 8 right");
    return passed_because("a.py", text);
}

TEST(NumPyReturned, GradientsInAnotherOrderAndValuesAmongThemAreTold) {
    EXPECT_EQ(why_passed("dX, dW"), std::vector<std::string>{});
    EXPECT_EQ(why_passed("dW"), std::vector<std::string>{});
    EXPECT_EQ(why_passed("dW, dX"), std::vector<std::string>{"in another order than X, W"});
    EXPECT_EQ(why_passed("dX, W"), std::vector<std::string>{"W among gradients"});
    EXPECT_EQ(why_passed("(dX, dW)"), std::vector<std::string>{});
    EXPECT_EQ(why_passed("(dW, dX)"), std::vector<std::string>{"in another order than X, W"});
    EXPECT_EQ(why_passed("[dW, dX]"), std::vector<std::string>{"in another order than X, W"});
    EXPECT_EQ(why_passed("(dX, W)"), std::vector<std::string>{"W among gradients"});
    EXPECT_EQ(why_passed("np.array(dX), np.asarray(dW)"), std::vector<std::string>{});
    EXPECT_EQ(why_passed("np.array(dW), np.asarray(dX)"), std::vector<std::string>{"in another order than X, W"});
    EXPECT_EQ(why_passed("out[0], out[1]", "    out = dW, dX\n"), std::vector<std::string>{"in another order than X, W"});
    EXPECT_EQ(why_passed("dW.copy(), dX"), std::vector<std::string>{"in another order than X, W"});
    EXPECT_EQ(why_passed("a, b", "    a, b = dW, dX\n"), std::vector<std::string>{"in another order than X, W"});
    EXPECT_EQ(why_passed("a, b", "    a, b = dX, dW\n"), std::vector<std::string>{});
    EXPECT_EQ(why_passed("{'input': dX, 'weight': dW}"), std::vector<std::string>{});
    EXPECT_EQ(why_passed("{'input': dW, 'weight': dX}"), std::vector<std::string>{"in another order than X, W"});
    EXPECT_EQ(why_passed("dict(input=dW, weight=dX)").size(), 1u);
    EXPECT_EQ(why_passed("{'W': dW, 'X': dX}"), std::vector<std::string>{});
    EXPECT_EQ(why_passed("None"), std::vector<std::string>{"it returns none of the gradients"});
    const auto appended = [](const std::string& first, const std::string& second) {
        return why_passed("grads", "    grads = []\n    grads.append(" + first + ")\n    grads.append(" + second + ")\n");
    };
    EXPECT_EQ(appended("dX", "dW"), std::vector<std::string>{});
    EXPECT_EQ(appended("dW", "dX"), std::vector<std::string>{"in another order than X, W"});
}

TEST(NumPyReturned, GradientsInAContainerAreReturned) {
    const auto returned = [](const std::string& lines) {
        return passed_because("a.py",
                              "# gradproof: dims n m; input X [n, m], W [m, m]\ndef grads_of(X, W):\n    Y = X @ W\n"
                              "    loss = np.sum(Y ** 2)\n    dY = 2 * Y\n    dX = dY @ W.T\n    dW = X.T @ dY\n" +
                                  lines);
    };
    using All = std::vector<std::string>;
    for (const char* lines :
         {"    return loss, {'X': dX, 'W': dW}\n", "    grads = {'X': dX, 'W': dW}\n    return loss, grads\n",
          "    grads = {}\n    grads['X'] = dX\n    grads['W'] = dW\n    return loss, grads\n",
          "    out = {'X': dX, 'W': dW}\n    return loss, out\n", "    out = dict(X=dX, W=dW)\n    return loss, out\n",
          "    grads = []\n    grads.append(dX)\n    grads.append(dW)\n    return loss, grads\n",
          "    result = Grads(dX, dW)\n    return loss, result\n"})
        EXPECT_EQ(returned(lines), All{}) << lines;
    EXPECT_EQ(returned("    out = {'input': dW, 'weight': dX}\n    return loss, out\n"), All{"in another order than X, W"});
    EXPECT_EQ(returned("    return loss, Y\n").size(), 1u);
}

TEST(NumPyReturned, GradientsInAContainerThatIsMadeAnewAreTold) {
    const auto kept = [](const std::string& line) {
        return passed_because(
            "a.py",
            "# gradproof: dims n m; input X [n, m], W [m, m]\ndef grads_of(X, W):\n    loss = np.sum((X @ W) ** 2)\n"
            "    grads = {}\n    grads['X'] = 2 * X @ W @ W.T\n    grads['W'] = 2 * X.T @ X @ W\n" +
                line + "    return loss, grads\n");
    };
    const std::vector<std::string> told{"grads holds gradients, and is made anew"};
    EXPECT_EQ(kept(""), std::vector<std::string>{});
    EXPECT_EQ(kept("    grads = scaled(grads)\n"), told);
    EXPECT_EQ(kept("    grads = {**grads, 'W': X}\n"), told);
    EXPECT_EQ(kept("    grads |= {'W': X}\n"), told);
    EXPECT_EQ(kept("    grads = {k: g / 2 for k, g in grads.items()}\n"), told);
}

TEST(NumPyReturned, GradientsThatALayerKeepsStandInTheOrderOfItsParameters) {
    const auto layer = [](const std::string& kept, const std::string& behind = "") {
        return passed_because(
            "a.py",
            "# gradproof: dims n m; input X [n, m], W [m, m], b [m]\nclass Layer:\n    def __init__(self, W, b):\n"
            "        self.W, self.b = W, b\n    def forward(self, X):\n        self.X = X\n"
            "        return X @ self.W + self.b\n    def backward(self, dY):\n        self.dW = self.X.T @ dY\n"
            "        self.db = dY.sum(axis=0)\n" +
                kept + "        return dY @ self.W.T\n" + behind);
    };
    const std::vector<std::string> order{"in another order than W, b"};
    EXPECT_EQ(layer(""), std::vector<std::string>{});
    EXPECT_EQ(layer("        self.grads = [self.dW, self.db]\n"), std::vector<std::string>{});
    EXPECT_EQ(layer("        self.grads = [self.db, self.dW]\n"), order);
    const std::string pairs = "    def pairs(self):\n        return ";
    EXPECT_EQ(layer("", pairs + "[(self.W, self.dW), (self.b, self.db)]\n").size(), 1u);  // not read
    EXPECT_EQ(layer("", pairs + "[(self.W, self.db), (self.b, self.dW)]\n").at(0), "the gradient by b beside W");
    EXPECT_EQ(layer("", pairs + "self.dW, self.db\n"), std::vector<std::string>{});
    EXPECT_EQ(layer("", pairs + "self.db, self.dW\n"), order);
}

TEST(NumPyReturned, AValueInThePlaceOfAGradientThatTakesAnEntryIsTold) {
    const auto returned = [](const std::string& given) {
        return passed_because("a.py",
                              "# gradproof: dims n d; input x [n, d]; input w [d]\ndef forward(x, w):\n    h = np.tanh(x * w)\n"
                              "    y = h.sum(axis=1)\n    return y, (x, w, h)\ndef backward(dy, cache):\n    x, w, h = cache\n"
                              "    da = dy[:, None] * (1 - h ** 2)\n    dx = da * w\n    dw = np.sum(da[:, :] * x, axis=0)\n"
                              "    return " +
                                  given + "\n")
            .size();
    };
    EXPECT_EQ(returned("dx, dw"), 0u);
    EXPECT_EQ(returned("dx, da"), 1u);
    EXPECT_EQ(returned("dx, h"), 1u);
}

TEST(NumPyReturned, ClippedGradientsThatAreReturnedAreTold) {
    EXPECT_EQ(why_passed("dX, dW").size(), 0u);
    EXPECT_EQ(why_passed("dX, dW", "    for g in (dX, dW):\n        np.clip(g, 0, 5, out=g)\n"),
              std::vector<std::string>{"it changes what is returned"});
}

}  // namespace
}  // namespace gradproof::proof
