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
    EXPECT_EQ(why_passed("dW"), std::vector<std::string>{"the gradient by X, which is computed, is not returned"});
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
    EXPECT_EQ(kept("    grads = {**grads, 'W': X}\n").at(0), told.at(0));
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

TEST(NumPyReturned, ACacheThatIsNotReturnedIsNotWhatABackwardIsGiven) {
    const auto layer = [](const std::string& beside) {
        return "# gradproof: dims n m; input X [n, m], w [m]\ndef f_forward(X, w):\n    Y = X * w\n    cache = (X, w)\n    "
               "return Y, " +
               beside +
               "\ndef f_backward(dY, cache):\n    X, w = cache\n    dX = dY * w\n    dw = (dY * X).sum(axis=0)\n"
               "    return dX, dw\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", layer("cache")), "8 right, 9 right");
    for (const char* other : {"w", "(w, X)"})
        EXPECT_EQ(verdicts_by_line("a.py", layer(other)), "7 not read, 8 not read, 9 not read") << other;
    EXPECT_EQ(verdicts_by_line("a.py", layer("{k: -v for k, v in cache.items()}")), "5 not read, 8 cannot tell, 9 cannot tell");
    EXPECT_EQ(passed_because("a.py", layer("cache[::-1]")),
              std::vector<std::string>{"it returns no cache, which line 6 is given"});
}

TEST(NumPyReturned, AValueThatIsChangedWhereItIsReturnedIsTold) {
    const auto returned = [](const std::string& beside) {
        return passed_because(
            "a.py",
            "# gradproof: dims n c; input z [n, c]; const Y [n, c] ~ onehot\ndef forward(z, Y):\n    e = np.exp(z)\n"
            "    p = e / e.sum(axis=1, keepdims=True)\n    loss = -np.sum(Y * np.log(p))\n    return loss, " +
                beside + "\ndef backward(p, Y):\n    dz = p - Y\n    return dz\n");
    };
    EXPECT_EQ(returned("p"), std::vector<std::string>{});
    EXPECT_EQ(returned("p.shape"), std::vector<std::string>{});
    EXPECT_EQ(returned("np.log(p)"), std::vector<std::string>{"it returns no p, which line 7 is given"});
}

TEST(NumPyReturned, ABackwardWithoutAReturnIsTold) {
    const std::string two =
        "# gradproof: dims n d; input x [n, d], w [d]\ndef forward(x, w):\n    return x * w, (x, w)\n"
        "def backward(dout, cache):\n    x, w = cache\n    dx = dout * w\n    dw = (dout * x).sum(axis=0)\n";
    EXPECT_EQ(passed_because("a.py", two + "    return dx, dw\n"), std::vector<std::string>{});
    EXPECT_EQ(passed_because("a.py", two), std::vector<std::string>{"it returns none of the gradients"});
}

TEST(NumPyReturned, WhatAStepComputesIsNoGradientOfTheWhole) {
    const auto returned = [](const std::string& last) {
        return passed_because("a.py",
                              "# gradproof: dims T n; input x [T, n], w [n], b [n]\ndef f(x, w, b):\n    T = x.shape[0]\n"
                              "    y = np.zeros_like(x)\n    for t in range(T):\n        y[t] = x[t] * w + b\n    return y\n"
                              "def f_backward(dy, x, w, b):\n    T = x.shape[0]\n    dw = np.zeros_like(w)\n"
                              "    db = np.zeros_like(b)\n    for t in range(T):\n        da = dy[t]\n"
                              "        dw += da * x[t]\n        db += da\n    return dw, " +
                                  last + "\n");
    };
    EXPECT_EQ(returned("db"), std::vector<std::string>{});
    EXPECT_EQ(returned("da"), std::vector<std::string>{"da where the gradient by b, which is computed, is not returned"});
    EXPECT_EQ(returned("t"), std::vector<std::string>{"t where the gradient by b, which is computed, is not returned"});
}

TEST(NumPyReturned, TheLossStandsBeforeOrBehindGradientsAndOnce) {
    const auto returned = [](const std::string& all) {
        return passed_because("a.py",
                              "# gradproof: dims n m; input X [n, m], w [m]\ndef f(X, w):\n    Y = X * w\n"
                              "    active = Y > 0\n    count = X.shape[0]\n    loss = np.sum(Y ** 2)\n    dX = 2 * Y * w\n    dw "
                              "= (2 * Y * X).sum(axis=0)\n    return " +
                                  all + "\n");
    };
    EXPECT_EQ(returned("loss, dX, dw"), std::vector<std::string>{});
    EXPECT_EQ(returned("dX, dw, loss"), std::vector<std::string>{});
    EXPECT_EQ(returned("dX, loss, dw"), std::vector<std::string>{"loss among gradients"});
    EXPECT_EQ(returned("count, dX, dw"), std::vector<std::string>{"count among gradients"});
    EXPECT_EQ(returned("loss, dX, None"),
              std::vector<std::string>{"None where the gradient by w, which is computed, is not returned"});
    EXPECT_EQ(returned("{'x': dX, 'w': None}"),
              std::vector<std::string>{"None where the gradient by w, which is computed, is not returned"});
    EXPECT_EQ(returned("dX"), std::vector<std::string>{"the gradient by w, which is computed, is not returned"});
    EXPECT_EQ(returned("loss, dX"), std::vector<std::string>{"the gradient by w, which is computed, is not returned"});
    EXPECT_EQ(returned("loss, dX, f"), std::vector<std::string>{"f where the gradient by w, which is computed, is not returned"});
    EXPECT_EQ(returned("loss, dX, active"),
              std::vector<std::string>{"active where the gradient by w, which is computed, is not returned"});
    EXPECT_EQ(returned("loss, dX, loss"),
              std::vector<std::string>{"loss where the gradient by w, which is computed, is not returned"});
}

TEST(NumPyReturned, ParametersInThePlaceOfGradientsAreTold) {
    const auto returned = [](const std::string& what) {
        return passed_because("a.py",
                              "# gradproof: dims n m; input x [n, m], W [m, m]\nclass Net:\n    def __init__(self, W):\n"
                              "        self.params = {'W': W}\n        self.grads = {}\n    def forward(self, x):\n"
                              "        self.x = x\n        y = x @ self.params['W']\n        return y\n"
                              "    def backward(self, dy):\n        self.grads['W'] = self.x.T @ dy\n        return " +
                                  what + "\n");
    };
    EXPECT_EQ(returned("self.grads"), std::vector<std::string>{});
    EXPECT_EQ(returned("self.params"), std::vector<std::string>{"self.params among gradients"});
}

TEST(NumPyReturnedOrder, AnotherNumberThanTheLossIsTold) {
    const auto told = [](const std::string& returned) {
        return passed_because(
            "a.py",
            "# gradproof: dims n d; input X [n, d], w [d]; const y [n]\ndef forward(X, w, y):\n    n = X.shape[0]\n"
            "    r = X @ w - y\n    data = np.sum(r ** 2) / n\n    loss = data + 0.5 * np.sum(w * w)\n    return " +
                returned +
                "\ndef backward(cache):\n    X, w, r = cache\n    n = X.shape[0]\n    dr = 2 * r / n\n"
                "    dw = X.T @ dr + w\n    dX = np.outer(dr, w)\n    return dX, dw\n");
    };
    EXPECT_EQ(told("data, (X, w, r)"), std::vector<std::string>{"data is returned, and the gradients are of loss"});
    EXPECT_EQ(told("loss, (X, w, r)"), std::vector<std::string>{});
}

}  // namespace
}  // namespace gradproof::proof
