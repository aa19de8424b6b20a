// What an object begins with: what __init__, a property or a class keeps under the name of an input, and caches in brackets.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// A class whose __init__ keeps w and m in these lines; its forward is given `given`.
std::string of_class(const std::string& lines, const std::string& given = "x", const std::string& w = "self.w",
                     const std::string& before = "") {
    return "# gradproof: dims n d; input x [n, d]; input w [d]; const m [n, d] ~ binary\nimport numpy as np\nclass Layer:\n" +
           before + "    def __init__(self, w, m, v=None):\n" + lines + "    def forward(self, " + given +
           "):\n        self.x = x\n        return x * " + w +
           "\n    def backward(self, dout):\n        dw = (dout * self.x).sum(axis=0)\n        dx = dout * self.w\n" +
           "        return dx, dw\n";
}

TEST(NumPyInitial, WhatInitKeepsAsItIsGivenIsTheInput) {
    for (const char* line : {"self.w = w", "self.w = w.copy()", "self.w = np.asarray(w, dtype=np.float64)",
                             "self.w = np.array(w)", "self.w, self.m = w, m", "self.w = v.w", "self.w = v['w']",
                             "self.w = w if w is not None else np.zeros(3)", "self.w = np.random.randn(4)"})
        EXPECT_TRUE(all_right(of_class("        " + std::string(line) + "\n"))) << line;
}

TEST(NumPyInitial, AnotherValueUnderTheNameOfAnInputIsTold) {
    for (const char* line :
         {"self.w = w[:, None]", "self.w = np.exp(w)", "self.w = np.abs(w)", "self.w = softmax(w)", "self.w = w.T",
          "self.w = np.where(m, w, 0)", "self.w = 2 * v.w", "self.w = -v['w']", "self.w = m", "self.w = w\n        self.w *= 2",
          "self.w = w\n        self.w[0] = 0", "self.w = w\n        self.w.fill(0)", "self.register_buffer(\"w\", 1 - w)",
          "self.w = w\n        self.backward = lambda dout: 0"})
        EXPECT_FALSE(all_right(of_class("        " + std::string(line) + "\n"))) << line;
}

TEST(NumPyInitial, AnInputThatAMethodIsGivenIsTheKeptOneWhereAMethodKeepsIt) {
    std::string keeps = of_class("        self.w = w\n", "x, w", "w");
    keeps.replace(keeps.find("self.x = x"), 10, "self.x, self.w = x, w");
    EXPECT_TRUE(all_right(keeps));
    for (const char* line : {"self.w = w", "self.w = v", "self.w = None", "self.w = 1.0", "self.w = np.zeros(3)", "pass",
                             "self.w = w\n    def reset(self):\n        self.w = np.ones(3)"})
        EXPECT_FALSE(all_right(of_class("        " + std::string(line) + "\n", "x, w", "w"))) << line;
    EXPECT_FALSE(all_right(of_class("        self.v = v\n", "x, w", "w", "    w = np.ones(3)\n")));
}

TEST(NumPyInitial, APropertyThatReturnsWhatIsKeptIsTheInput) {
    const auto of_property = [](const std::string& kept, const std::string& returned) {
        return of_class("        self._w = " + kept + "\n    @property\n    def w(self):\n        return " + returned + "\n");
    };
    EXPECT_TRUE(all_right(of_property("w", "self._w")));
    EXPECT_FALSE(all_right(of_property("w", "np.exp(self._w)")));
    EXPECT_FALSE(all_right(of_property("np.exp(w)", "self._w")));
    EXPECT_FALSE(all_right(of_property("w", "self._v")));
}

TEST(NumPyInitial, ACacheWithinACacheIsTakenApart) {
    const auto of_cache = [](const std::string& kept, const std::string& names) {
        return "# gradproof: dims n d; input x [n, d]; input w [d]; input v [d]\nimport numpy as np\ndef forward(x, w, v):\n"
               "    a = np.tanh(x * w)\n    return a * v, " +
               kept + "\ndef backward(dout, cache):\n    " + names +
               " = cache\n    dv = (dout * a).sum(axis=0)\n    dz = dout * v * (1 - a ** 2)\n    dw = (dz * x).sum(axis=0)\n"
               "    return dz * w, dw, dv\n";
    };
    for (const char* names : {"(x, a), w, v", "[x, a], w, v", "((x), a), w, v"})
        EXPECT_TRUE(all_right(of_cache("((x, a), w, v)", names))) << names;
    EXPECT_TRUE(all_right(of_cache("(x, (a, (w, v)))", "x, (a, (w, v))")));
    for (const char* names : {"(a, x), w, v", "(x, a), v, w", "(v, a), w, x", "(x, w), a, v", "x, a, w, v", "(x, a, w), v"})
        EXPECT_FALSE(all_right(of_cache("((x, a), w, v)", names))) << names;
    EXPECT_FALSE(all_right(of_cache("(x, (a, (w, v)))", "x, (a, (v, w))")));
}

TEST(NumPyInitial, APartOfAnArrayThatIsSetChangesTheArray) {
    const auto with = [](const std::string& line) {
        return "# gradproof: dims n d; input x [n, d]; input w [d]\nimport numpy as np\ndef forward(x, w):\n    return x * w, "
               "(x, w)\n"
               "def backward(dout, cache):\n    x, w = cache\n    dw = (dout * x).sum(axis=0)\n    " +
               line + "\n    return dout * w, dw\n";
    };
    EXPECT_TRUE(all_right(with("pass")));
    for (const char* line : {"dw.flat = 0", "dw.real = 0", "w.flat = 0", "dw.data = 0 * dw", "dw.shape = (1, -1)"})
        EXPECT_FALSE(all_right(with(line))) << line;
}

TEST(NumPyInitial, WhatIsKeptComputedOfAnInputIsTold) {
    const auto passed = [](const std::string& kept, const std::string& w = "self.W") {
        return passed_because("a.py",
                              "# gradproof: dims n d; input x [n, d]; input W [d, d]\nclass Dense:\n    def __init__(self, W):\n"
                              "        self.W = W\n        " +
                                  kept + "\n    def forward(self, x):\n        self.x = x\n        return x @ " + w +
                                  "\n    def backward(self, dy):\n        dW = self.x.T @ dy\n        return dW\n");
    };
    const std::vector<std::string> told{"what is kept there is computed of the input W"};
    for (const char* kept : {"self.params = {\"W\": 0.1 * W}", "self.params = {'W': W, 'V': W.T}", "self.__dict__.update(V=W.T)",
                             "self.set_weights(W, W.T)", "self.params = dict(W=-W)"})
        EXPECT_EQ(passed(kept), told) << kept;
    for (const char* kept :
         {"self.params = {\"W\": W}", "self.m = {\"W\": np.zeros_like(W)}", "self.reset()", "self.sizes = {\"d\": W.shape[0]}"})
        EXPECT_EQ(passed(kept), std::vector<std::string>{}) << kept;
}

TEST(NumPyInitial, AnItemOfPyTorchIsSaidToKeepItsGradient) {
    const auto head = [](const std::string& lines, const std::string& module = "torch") {
        const ProofReport p = check_file("a.py", "# gradproof: dims n d; input x [n, d]; const c [n, d]\nimport " + module +
                                                     "\n" + lines + "dx = 2 * x\n")
                                  .proofs.at(0);
        return std::ranges::any_of(p.domain,
                                   [](const std::string& d) { return d.find("gradients that go through the number") != d.npos; });
    };
    EXPECT_TRUE(head("scale = (x * x).mean().item()\nL = (x / scale * c).sum()\n"));
    EXPECT_TRUE(head("scale = float((x * x).mean())\nL = (x / scale * c).sum()\n"));
    EXPECT_TRUE(head("scale = math.sqrt((x * x).sum())\nL = (x / scale * c).sum()\n"));
    EXPECT_TRUE(
        head("h = torch.zeros((n, d))\nfor t in range(n):\n    h[t] = torch.tanh(x[t] + h[t-1]) if t > 0 else torch.tanh(x[t])\n"
             "s = h.sum().item()\nL = s * (x * x).sum()\n"));  // h is computed of itself
    EXPECT_FALSE(head("loss = (x * x).sum().item()\n"));
    EXPECT_FALSE(head("half = float(0.5)\nL = half * (x * x).sum()\n"));
    EXPECT_FALSE(head("scale = (x * x).mean().item()\nL = (x / scale * c).sum()\n", "numpy as np"));
}

}  // namespace
}  // namespace gradproof::proof
