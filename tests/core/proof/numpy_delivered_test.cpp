// What programs do with the gradients that their lines compute: the names they are kept under, and what is returned.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

using Told = std::vector<std::string>;

/// A linear layer whose backward has these lines.
std::string layer(const std::string& backward) {
    return "# gradproof: dims n d k; input X [n, d]; input W [d, k]; input b [k]\nimport numpy as np\nclass Linear:\n"
           "    def __init__(self, W, b):\n        self.W, self.b = W, b\n        self.dW = np.zeros_like(W)\n"
           "        self.db = np.zeros_like(b)\n    def forward(self, X):\n        self.X = X\n        return X @ self.W + "
           "self.b\n"
           "    def backward(self, dout):\n" +
           backward;
}
Told told(const std::string& backward) { return passed_because("a.py", layer(backward)); }

const std::string kKept = "        self.dW = self.X.T @ dout\n        self.db = dout.sum(axis=0)\n        dX = dout @ self.W.T\n",
                  kLocal = "        dW = self.X.T @ dout\n        db = dout.sum(axis=0)\n        dX = dout @ self.W.T\n";

TEST(NumPyDelivered, WhatIsKeptOrReturnedByItsOwnNameIsNotTold) {
    EXPECT_EQ(told(kKept + "        return dX, self.dW, self.db\n"), Told{});
    EXPECT_EQ(told(kKept + "        return dX\n"), Told{});
    EXPECT_EQ(told(kLocal + "        self.dW, self.db = dW, db\n        return dX\n"), Told{});
    EXPECT_EQ(told(kLocal + "        self.dW += dW\n        self.db += db\n        return dX\n"), Told{});
}

TEST(NumPyDelivered, TwoNamesOfOneGradientAreTold) {
    const std::string forgotten =
        "        dW = self.X.T @ dout\n        self.db = dout.sum(axis=0)\n        dX = dout @ self.W.T\n";
    EXPECT_EQ(told(forgotten + "        return dX, self.dW, self.db\n"),
              Told{"dW and self.dW are read as one gradient, and no line gives one to the other"});
    EXPECT_EQ(
        passed_because("a.py",
                       "# gradproof: dims n d k; input X [n, d]; input W [d, k]; input y [n, k]\nimport numpy as np\n"
                       "def loss_grad(W, X, y):\n    dW = np.zeros_like(W)\n    r = X @ W - y\n    loss = 0.5 * np.sum(r ** 2)\n"
                       "    grad_W = X.T @ r\n    return loss, dW\n"),
        Told{"grad_W and dW are read as one gradient, and no line gives one to the other"});
}

TEST(NumPyDelivered, ANameThatTakesWhatIsKeptIsTold) {
    EXPECT_EQ(told(kLocal + "        self.dW = dW\n        db = self.db\n        return dX, self.dW, db\n"),
              Told{"db and self.db are read as one gradient, and no line gives one to the other"});
}

TEST(NumPyDelivered, AnEntryOfADictBesideOneOfAnotherKeyIsTold) {
    const auto loss_and = [](const std::string& dict, const std::string& key) {
        return passed_because("a.py",
                              "# gradproof: dims n d; input X [n, d]; input w [d]; input y [n]\nimport numpy as np\n"
                              "def loss_and_grads(X, w, y):\n    r = X @ w - y\n    loss = 0.5 * np.sum(r ** 2)\n    grads = " +
                                  dict + "\n    grads[" + key + "] = X.T @ r\n    return loss, grads\n");
    };
    EXPECT_EQ(loss_and(R"({"w": np.zeros_like(w)})", R"("dw")"),
              Told{"grads[\"dw\"] and grads[\"w\"] are read as one gradient, and no line gives one to the other"});
    EXPECT_EQ(loss_and(R"({"w": np.zeros_like(w)})", "'w'"), Told{});
    EXPECT_EQ(loss_and("{}", R"("dw")"), Told{});
}

TEST(NumPyDelivered, OtherThingsThanGradientsThatAreReturnedAreTold) {
    EXPECT_EQ(told(kKept + "        return dX, self.W\n"), Told{"self.W is returned, where gradients are computed"});
    EXPECT_EQ(told(kKept + "        return dX, self.W, self.db\n"), Told{"the gradient by b beside W"});
    EXPECT_EQ(told(kKept + "        return dX, dX\n"), Told{"dX is returned twice"});
    EXPECT_EQ(told(kKept + "        return dX, {}\n"), Told{"{} is returned, where gradients are computed"});
}

TEST(NumPyDelivered, GradientsComputedInATupleAreTold) {
    const auto is_told = [](const std::string& grads) {
        const Told all = told(kLocal + "        self.grads = " + grads + "\n        return dX\n");
        return std::ranges::find(all, "gradients that are computed in a tuple are not judged") != all.end();
    };
    EXPECT_FALSE(is_told("(dW, db)"));
    EXPECT_TRUE(is_told("(dW / len(self.X), db)"));
    EXPECT_TRUE(is_told("dW, db * 2"));
}

}  // namespace
}  // namespace gradproof::proof
