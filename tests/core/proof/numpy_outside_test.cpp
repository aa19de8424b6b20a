// Names that a function takes from outside, values that an object keeps from its beginning, and results without a gradient.
#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/report_rows.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

using Reasons = std::vector<std::string>;

Reasons said_of(const std::string& program) { return passed_because("a.py", program); }

std::string linear_layer(const std::string& backward, const std::string& above = "") {
    return "# gradproof: dims n d m; input X [n, d]; input W [d, m]\nimport numpy as np\n" + above +
           "class Linear:\n    def __init__(self, W):\n        self.W = W\n    def forward(self, X):\n        self.X = X\n"
           "        return X @ self.W\n    def backward(self, dout):\n        self.dW = " +
           backward + "\n        return dout @ self.W.T\n";
}

TEST(NumPyOutside, WhatOthersAreGivenAndThisFunctionTakesFromOutsideIsTold) {
    const Reasons told{"X is taken from outside of the function, and others are given it"};
    EXPECT_TRUE(said_of(linear_layer("self.X.T @ dout")).empty());
    EXPECT_EQ(said_of(linear_layer("X.T @ dout")), told);
    EXPECT_EQ(said_of(linear_layer("X.T @ dout", "X = np.random.randn(6, 4)\n")), told);
    const auto pair = [](const std::string& parameters, const std::string& number = "lam", const std::string& above = "") {
        return said_of("# gradproof: dims n d; input X [n, d]; input w [d]; const y [n]\n" + above +
                       "def loss_fn(w, X, y, lam):\n    loss = np.sum((X @ w - y) ** 2) + lam * np.sum(w ** 2)\n    return loss\n"
                       "def grad_fn(" +
                       parameters + "):\n    dw = 2 * X.T @ (X @ w - y) + 2 * " + number + " * w\n    return dw\n");
    };
    EXPECT_TRUE(pair("w, X, y, lam").empty());
    EXPECT_EQ(pair("w, X, y", "lam", "lam = 0.1\n"),
              Reasons{"lam is taken from outside of the function, and others are given it"});
    EXPECT_EQ(pair("w, y, lam"), told);
}

TEST(NumPyOutside, FunctionsThatAllTakeItFromOutsideAndThoseWithinOthersAreNot) {
    EXPECT_TRUE(said_of("# gradproof: dims n d; input X [n, d]; input w [d]; const y [n]\ndef loss_fn(w):\n"
                        "    loss = np.sum((X @ w - y) ** 2)\n    return loss\ndef grad_fn(w):\n    dw = 2 * X.T @ (X @ w - y)\n"
                        "    return dw\n")
                    .empty());
    EXPECT_TRUE(
        said_of("# gradproof: dims n; input x [n]; input w [n]\ndef forward(x, w):\n    y = x * w\n    def backward(dy):\n"
                "        dx = dy * w\n        dw = dy * x\n        return dx, dw\n    return y, backward\n")
            .size() < 2);
}

TEST(NumPyOutside, TheSizeOfOtherArraysThanItIsGivenIsTold) {
    const auto mean = [](const std::string& size, const std::string& above = "") {
        return said_of("# gradproof: dims n d; input X [n, d]; const y [n]; input w [d]\n" + above +
                       "def loss_fn(w, X, y):\n    r = X @ w - y\n    return np.mean(r ** 2)\ndef grad_fn(w, X, y):\n"
                       "    r = X @ w - y\n    dw = 2 * X.T @ r / " +
                       size + "\n    return dw\n");
    };
    EXPECT_TRUE(mean("len(y)").empty());
    EXPECT_TRUE(mean("X.shape[0]").empty());
    EXPECT_EQ(mean("n"), Reasons{"n is taken from outside of the function, which is given arrays of that size"});
}

std::string ridge_class(const std::string& initial, const std::string& number) {
    return "# gradproof: dims n d; input X [n, d]; const y [n]; input w [d]\nclass Ridge:\n    def __init__(self, X, w):\n"
           "        self.w = w\n" +
           initial +
           "    def loss(self, w, X, y):\n        self.r = X @ w - y\n        return np.mean(self.r ** 2)\n"
           "    def grad(self, X):\n        dw = 2 * X.T @ self.r / " +
           number + "\n        return dw\n";
}

TEST(NumPyOutside, WhatAnObjectKeepsFromItsBeginningWhereMethodsAreGivenItIsTold) {
    EXPECT_TRUE(said_of(ridge_class("", "len(self.r)")).empty());
    EXPECT_EQ(said_of(ridge_class("        self.n = X.shape[0]\n", "self.n")),
              Reasons{"self.n is X.shape[0] of __init__, and methods are given other arrays"});
    EXPECT_EQ(said_of(ridge_class("        self.n = n\n", "self.n")).front(),
              "self.n is n of __init__, and methods are given other arrays");
    const auto problem = [](const std::string& w) {
        return said_of(
            "# gradproof: dims n d; input X [n, d]; const y [n]; input w [d]\nclass Problem:\n"
            "    def __init__(self, X, y, w):\n        self.X = X\n        self.y = y\n        self.w = w\n"
            "    def loss(self, w):\n        return 0.5 * np.sum((self.X @ w - self.y) ** 2)\n"
            "    def grad(self, w):\n        dw = self.X.T @ (self.X @ " +
            w + " - self.y)\n        return dw\n");
    };
    EXPECT_TRUE(problem("w").empty());
    EXPECT_EQ(problem("self.w"), Reasons{"no line of it sets self.w to the w that a method is given"});
}

TEST(NumPyOutside, TiedValuesOfAnObjectAreTold) {
    const auto network = [](const std::string& initial, const std::string& behind) {
        return said_of(
            "# gradproof: dims n d m; input x [n, d]; input W [d, m]; input V [m, d]\nclass Net:\n"
            "    def __init__(self, W, V):\n        self.W = W\n        self.V = V\n" +
            initial +
            "    def forward(self, x):\n        self.x = x\n        self.h = np.tanh(x @ self.W)\n"
            "        return self.h @ self.V\n    def backward(self, dout):\n        self.dV = self.h.T @ dout\n"
            "        dz = dout @ self.V.T * (1 - self.h ** 2)\n        self.dW = self.x.T @ dz\n"
            "        return dz @ self.W.T\n" +
            behind);
    };
    EXPECT_TRUE(network("", "net = Net(A, B)\n").empty());
    EXPECT_EQ(network("", "net = Net(np.random.randn(3, 4), np.random.randn(4, 3))\n"), Reasons{"it may change an array"});
    const Reasons tied{"W and V are given the same A"};
    EXPECT_EQ(network("", "net = Net(A, A.T)\n"), tied);
    EXPECT_EQ(network("", "net = Net(W=A, V=A.T)\n"), tied);
    EXPECT_EQ(network("        self.W0 = W\n", ""), Reasons{"self.W and self.W0 are one value, until one of them is set anew"});
}

std::vector<std::string> domain_of(const std::string& program) { return check_file("a.py", program).proofs[0].domain; }

TEST(NumPyOutside, ValuesThatAreReturnedAndGetNoGradientAreSaid) {
    const auto step = [](const std::string& returned, const std::string& given, const std::string& more) {
        return domain_of(
            "# gradproof: dims n d; input x [n, d]; input c [n, d]\ndef step_forward(x, c):\n    u = x * c\n"
            "    v = np.tanh(u)\n    return " +
            returned + "\ndef step_backward(" + given + ", cache):\n    x, c, u, v = cache\n    du = " + more +
            "dv * (1 - v ** 2)\n    dx = du * c\n    dc = du * x\n    return dx, dc\n");
    };
    EXPECT_EQ(step("v, (x, c, u, v)", "dv", ""), Reasons{});
    EXPECT_EQ(step("v, u, (x, c, u, v)", "dv", ""), Reasons{"a loss of v alone, as no gradient of u comes in"});
}

TEST(NumPyOutside, WhichOfSeveralLossesIsTakenIsSaid) {
    const auto losses = [](const std::string& more, const std::string& returned) {
        return "# gradproof: dims n d; input X [n, d]; input w [d]; const y [n]\ndef f(X, w, y):\n    p = X @ w\n"
               "    mse = np.mean((p - y) ** 2)\n" +
               more + "    dw = 2 * X.T @ (p - y) / len(y)\n    return " + returned + "\n";
    };
    EXPECT_EQ(domain_of(losses("", "mse, dw")), Reasons{});
    EXPECT_EQ(domain_of(losses("    reg = np.sum(w ** 2)\n", "mse, reg, dw")), Reasons{"mse as the loss, as none is stated"});
    const std::string metric = losses("    rmse = np.sqrt(mse)\n", "mse, dw");
    EXPECT_EQ(verdicts_by_line("a.py", metric), "6 right");
    EXPECT_EQ(domain_of(losses("    rmse = np.sqrt(mse)\n", "rmse, dw")), Reasons{"rmse as the loss, as none is stated"});
}

TEST(NumPyOutside, ALossThatIsReturnedBesideOthersIsRead) {
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n d; input X [n, d]; input w [d]; const y [n]\ndef loss_fn(w, X, y):\n"
                               "    p = X @ w\n    return np.mean((p - y) ** 2), p\ndef grad_fn(X, y, p):\n"
                               "    dp = 2 * (p - y) / len(y)\n    dw = X.T @ dp\n    return dw\n"),
              "6 right, 7 right");
}

TEST(NumPyOutside, AGradientThatIsZeroInTheBeginningIsNoClaim) {
    for (const char* zero : {"0", "0.0", "None", "np.zeros_like(W)"}) {
        std::string program = linear_layer("self.X.T @ dout");
        program.insert(program.find("    def forward"), std::string("        self.dW = ") + zero + "\n");
        EXPECT_EQ(verdicts_by_line("a.py", program), "11 right, 12 right") << zero;
    }
}

}  // namespace
}  // namespace gradproof::proof
