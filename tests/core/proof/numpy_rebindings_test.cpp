// Statements that are passed over and bind a name anew which lines use that are read.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gradproof/core/proof/language/numpy/bindings.hpp"
#include "tests/core/proof/judged.hpp"
#include "tests/core/proof/notebooks.hpp"

namespace gradproof::proof {
namespace {

const std::string kDeclared = "import numpy as np\n# gradproof: dims n m; input X [n, m]\n";
const std::string kTanh =
    "def forward(X):\n    Y = np.tanh(X)\n    return Y, Y\ndef backward(dY, Y):\n    dX = dY * (1 - Y ** 2)\n    return dX\n";
const std::string kScaled =
    "k = 2.0\ndef forward(X):\n    Y = k * X\n    return Y, X\ndef backward(dY, X):\n    dX = 2.0 * dY\n    return dX\n";

/// All lines are right, but for what is told.
bool is_told(const std::string& file, const std::string& text) {
    const std::string verdicts = verdicts_by_line(file, text);
    return verdicts.find("wrong") == std::string::npos &&
           (!passed_because(file, text).empty() || verdicts.find("not read") != std::string::npos);
}
bool is_right(const std::string& file, const std::string& text) {
    const std::string verdicts = verdicts_by_line(file, text);
    return passed_because(file, text).empty() && verdicts.find("not") == std::string::npos &&
           verdicts.find("wrong") == std::string::npos;
}

std::string targets(std::string_view code) {
    std::string out;
    for (const numpy::Binding& b : numpy::bindings_of(code))
        out += (out.empty() ? "" : " ") + b.target + (b.of.empty() ? "" : "=" + b.of);
    return out;
}

TEST(NumPyRebindings, WhatStatementsBind) {
    EXPECT_EQ(targets("k = j = f(k=3)"), "k j");
    EXPECT_EQ(targets("a, (b, *c), d[i, j], e.f = rows"), "a b c d[i,j] e.f");
    EXPECT_EQ(targets("k: float = 3.0"), "k");
    EXPECT_EQ(targets("k **= 2"), "k");
    EXPECT_EQ(targets("k <<= 2"), "k");
    EXPECT_EQ(targets("print(k == 3, k <= 2, end=\"k = 3\")"), "");
    EXPECT_EQ(targets("k == 3"), "");
    EXPECT_EQ(targets("assert k == 3"), "");
    EXPECT_EQ(targets("f = lambda k=3: k"), "f");
    EXPECT_EQ(targets("for i, (x, self.y) in zip(a, b):"), "i x self.y");
    EXPECT_EQ(targets("for c[\"x in y\"] in rows: k = 3"), "c[\"xiny\"] k");
    EXPECT_EQ(targets("if (k := f(x)) > 3: j = 2"), "j k");
    EXPECT_EQ(targets("with open(a) as f, (open(b)) as (g, h):"), "f g h");
    EXPECT_EQ(targets("except (A, B) as e:"), "e");
    EXPECT_EQ(targets("else: k = 3"), "k");
    EXPECT_EQ(targets("async def f(x): return x"), "f");
    EXPECT_EQ(targets("class C(D): k = 3"), "C");
    EXPECT_EQ(targets("import a.b, c.d as e"), "a=a.b e=c.d");
    EXPECT_EQ(targets("from m import (a,\n    b as c)"), "a=m.a c=m.b");
    EXPECT_EQ(targets("try: from m import b as c"), "c=m.b");
    EXPECT_EQ(targets("from m import *"), "*=m.*");
    EXPECT_EQ(targets("del a, b[0]"), "a b[0]");
    EXPECT_EQ(targets("return k"), "");
}

/// A layer whose backward has further lines before it returns.
std::string layer(const std::string& lines, const std::string& in_forward = "") {
    return "import numpy as np\n# gradproof: dims n; input X [n, n]; input W [n, n]\ndef forward(X, W, debug=True):\n"
           "    H = X @ W\n" +
           in_forward +
           "    Y = np.tanh(H)\n    return Y, (X, W, Y)\ndef backward(dY, cache):\n    X, W, Y = cache\n"
           "    dZ = dY * (1 - Y ** 2)\n    dW = X.T @ dZ\n    dX = dZ @ W.T\n" +
           lines + "    return dX, dW\n";
}

TEST(NumPyRebindings, TargetsOfLoopsThatOnlyShow) {
    EXPECT_TRUE(all_right(layer("")));
    for (const char* loop : {"    for name, dX in [(\"dX\", dX), (\"dW\", dW)]:\n        print(name, dX.shape)\n",
                             "    for dX in (dX, dW): print(dX)\n", "    for dX in (dX, dW):\n        pass\n",
                             "    for i, (n, *dX) in enumerate(rows):\n        print(i)\n",
                             "    for i in range(2):\n        for dX in (dX, dW):\n            print(dX)\n",
                             "    for i, dX in enumerate((dX, dW)):\n        if i > 0:\n            print(i)\n",
                             "    for dX[0] in (dX, dW):\n        print(1)\n", "    with open(\"f\") as dX:\n        print(1)\n",
                             "    try:\n        print(1)\n    except ValueError as dX:\n        print(2)\n"})
        EXPECT_TRUE(is_told("a.py", layer(loop))) << loop;
    EXPECT_TRUE(is_told("a.py", layer("", "    if debug:\n        for H in (X, W):\n            print(H.shape)\n")));
    EXPECT_EQ(passed_because("a.py", layer("", "    if debug:\n        for H in (X, W):\n            print(H.shape)\n")),
              std::vector<std::string>{"it gives H another value"});
    for (const char* loop : {"    for name, g in [(\"dX\", dX), (\"dW\", dW)]:\n        print(name, g.shape)\n",
                             "    for t in range(3):\n        pass\n",
                             "    for i in range(3):\n        print(i)\n    for i in range(2):\n        print(i)\n",
                             "    for X in (X, W):\n        print(X.shape)\n", "    for Y in (X, W):\n        print(Y.shape)\n",
                             "    try:\n        print(1)\n    except ValueError as e:\n        print(e)\n"})
        EXPECT_TRUE(all_right(layer(loop))) << loop;
    EXPECT_TRUE(all_right(layer("", "    if debug:\n        for A in (X, W):\n            print(A.shape)\n")));
}

TEST(NumPyRebindings, TargetsThatAreKept) {
    const auto kept = [](const std::string& loop) {
        return kDeclared + "class Tanh:\n    def forward(self, X):\n        self.Y = np.tanh(X)\n" + loop +
               "        return self.Y\n    def backward(self, dY):\n        dX = dY * (1 - self.Y ** 2)\n        return dX\n";
    };
    EXPECT_TRUE(is_told("a.py", kept("        for self.Y in (X, X):\n            print(1)\n")));
    EXPECT_TRUE(all_right(kept("        for self.t in (X, X):\n            print(1)\n")));
    const auto in_dict = [](const std::string& loop) {
        return kDeclared + "def forward(X):\n    Y = np.tanh(X)\n    c = {\"Y\": Y}\n" + loop +
               "    return Y, c\ndef backward(dY, c):\n    Y = c[\"Y\"]\n    dX = dY * (1 - Y ** 2)\n    return dX\n";
    };
    EXPECT_TRUE(is_told("a.py", in_dict("    for c[\"Y\"] in (X, X):\n        print(1)\n")));
    EXPECT_TRUE(all_right(in_dict("    for y in (X, X):\n        print(1)\n")));
}

TEST(NumPyRebindings, ConstantsOfTheModule) {
    const std::string between = "k = 2.0\n";
    for (const char* lines :
         {"for k in [1.0, 3.0]:\n    print(k)\n", "for k in [1.0, 3.0]: pass\n", "with open(\"f\") as k:\n    pass\n",
          "from math import pi as k\n", "def k(): return 3\n", "print(k := 3.0)\n",
          "def change():\n    global k\n    k = 3.0\nchange()\n", "if __name__ == \"__main__\":\n    k = 3.0\n"})
        EXPECT_TRUE(is_told("a.py", kDeclared + kScaled + lines)) << lines;
    EXPECT_TRUE(is_told("a.py", kDeclared + between + "for k in [1.0]:\n    print(k)\n" + kScaled.substr(between.size())));
    for (const char* lines : {"for j in [1.0, 3.0]:\n    print(j)\n", "with open(\"f\") as j:\n    pass\n",
                              "from math import pi\n", "if __name__ == \"__main__\":\n    for j in range(3):\n        print(j)\n",
                              "def test_it():\n    for k in range(3):\n        print(k)\n"})
        EXPECT_TRUE(is_right("a.py", kDeclared + kScaled + lines)) << lines;
    EXPECT_TRUE(is_right("a.py", kDeclared + "for k in [1.0, 3.0]:\n    print(k)\n" + kScaled));
    const auto of_class = [](const std::string& line) {
        return kDeclared + "class Scaled:\n    k = 2.0\n" + line +
               "    def forward(self, X):\n        Y = self.k * X\n        return Y\n    def backward(self, dY):\n"
               "        dX = 2.0 * dY\n        return dX\n";
    };
    EXPECT_TRUE(is_told("a.py", of_class("    for k in (3.0,): pass\n")));
}

TEST(NumPyRebindings, FunctionsThatAreBoundAgain) {
    for (const char* lines :
         {"if fast:\n    def backward(dY, Y):\n        return dY\n", "if fast:\n    def backward(dY, Y): return dY\n",
          "if fast:\n    pass\nelse:\n    def backward(dY, Y): return dY\n", "with mine():\n    def backward(dY, Y): return dY\n",
          "for i in range(2):\n    def backward(dY, Y): return dY\n",
          "try:\n    import fast\nexcept ImportError:\n    def backward(dY, Y): return dY\n",
          "try:\n    from numpy import multiply as backward\nexcept ImportError:\n    pass\n",
          "from numpy import multiply as backward\n", "import fast as backward\n",
          "for backward in (1, 2):\n    print(backward)\n", "if fast: backward = lambda dY, Y: dY\n"})
        EXPECT_TRUE(is_told("a.py", kDeclared + kTanh + lines)) << lines;
    for (const char* lines :
         {"if fast:\n    def helper(dY, Y):\n        return dY\n", "from numpy import multiply as times\n",
          "for name in (\"forward\", \"backward\"):\n    print(name)\n", "if fast:\n    def show(backward): print(backward)\n"})
        EXPECT_TRUE(all_right(kDeclared + kTanh + lines)) << lines;
    EXPECT_TRUE(all_right(kDeclared + "try:\n    from fast import backward\nexcept ImportError:\n    pass\n" + kTanh));
    const std::string methods =
        "class Tanh:\n    def forward(self, X):\n        self.Y = np.tanh(X)\n        return self.Y\n    def backward(self, "
        "dY):\n"
        "        dX = dY * (1 - self.Y ** 2)\n        return dX\n";
    EXPECT_TRUE(all_right(kDeclared + methods));
    for (const char* lines : {"    if fast:\n        def backward(self, dY): return dY * (1 - self.Y)\n",
                              "    from fast import backward\n", "    for backward in (1, 2): pass\n", "from fast import Tanh\n"})
        EXPECT_TRUE(is_told("a.py", kDeclared + methods + lines)) << lines;
    EXPECT_TRUE(all_right(kDeclared + methods + "    if fast:\n        def show(self): print(self.Y)\n"));
}

TEST(NumPyRebindings, FunctionsOfPython) {
    const std::string mean =
        "def forward(X):\n    Y = X ** 2 / len(X)\n    return Y, X\ndef backward(dY, X):\n"
        "    dX = 2 * X * dY / X.shape[0]\n    return dX\n";
    EXPECT_TRUE(is_told("a.py", kDeclared + "if True:\n    def len(a): return 1\n" + mean));
    EXPECT_TRUE(all_right(kDeclared + "if True:\n    def max(a): return 1\n" + mean));
    std::string shows = kTanh;
    shows.insert(shows.find("    return dX"), "    print(dX, Y)\n");
    for (const char* lines : {"from operator import isub as print\n", "import operator\nprint = operator.isub\n",
                              "def print(a, b): a *= 2\n", "if True:\n    print = np.subtract\n"})
        EXPECT_TRUE(is_told("a.py", kDeclared + lines + shows)) << lines;
    for (const char* lines : {"", "from rich import print\n", "from __future__ import print_function\n"})
        EXPECT_TRUE(all_right(kDeclared + lines + shows)) << lines;
}

TEST(NumPyRebindings, CellsThatAreNotMarked) {
    const auto beside = [](const std::string& cell) { return notebook({{"code", kDeclared + kScaled}, {"code", cell}}); };
    for (const char* cell : {"k = 3.0",
                             "k += 1",
                             "k: float = 3",
                             "k, j = 3, 4",
                             "[k] = [3]",
                             "j = k = 3",
                             "(k := 3)",
                             "if True:\n    k = 3",
                             "if True: k = 3",
                             "for k in (1, 2): print(k)",
                             "def k(): return 1",
                             "from m import k",
                             "from m import *",
                             "globals()[\"k\"] = 3",
                             "def f():\n    global k\n    k = 3\nf()",
                             "forward = np.sin",
                             "forward = lambda X: (np.sin(X), X)",
                             "def forward(X): return X, X",
                             "if True:\n    def backward(dY, X): return X",
                             "import fast as backward"})
        EXPECT_TRUE(is_told("a.ipynb", beside(cell))) << cell;
    for (const char* cell : {"print(k)", "j = k", "j = lambda k: k", "def f(k):\n    k = 3\n    return k", "from numpy import *",
                             "import numpy as np", "X = np.ones((3, 2))\nY, c = forward(X)\nfor i in range(3): print(i)",
                             "sin = lambda X: (np.sin(X), np.sin(X))", "lr = 0.1\nlr = 0.2"})
        EXPECT_TRUE(is_right("a.ipynb", beside(cell))) << cell;
    const std::string first = kDeclared + kScaled.substr(0, kScaled.find("def backward")),
                      second = "# gradproof: begin\n" + kScaled.substr(kScaled.find("def backward")) + "# gradproof: end\n";
    EXPECT_TRUE(is_right("a.ipynb", notebook({{"code", first}, {"code", "print(k)"}, {"code", second}})));
    for (const char* cell : {"k = 3.0", "forward = np.sin", "from m import forward"})
        EXPECT_TRUE(is_told("a.ipynb", notebook({{"code", first}, {"code", cell}, {"code", second}}))) << cell;
    EXPECT_TRUE(is_right("a.ipynb", notebook({{"code", kDeclared + kScaled}, {"code", "j = 3"}, {"code", kDeclared + kTanh}})));
    for (const char* cell : {"k = 2.0", "k = 2.0\nprint(forward(1))", "forward = jax.jit(forward)"})
        EXPECT_TRUE(is_right("a.ipynb", beside(cell))) << cell;
    for (const char* cell : {"k = 2.0\nk = 3.0", "forward = jax.jit(other)", "forward = jax.jit(forward, True)"})
        EXPECT_TRUE(is_told("a.ipynb", beside(cell))) << cell;
}

/// p["k"] of a dict of numbers, which functions that are read use.
TEST(NumPyRebindings, DictsOfTheModule) {
    const std::string program = kDeclared +
                                "p = {\"k\": 2.0}\ndef forward(X):\n    Y = p[\"k\"] * X\n    return Y, X\n"
                                "def backward(dY, X):\n    dX = 2.0 * dY\n    return dX\n";
    EXPECT_TRUE(all_right(program));
    EXPECT_TRUE(is_told("a.py", program + "for p[\"k\"] in (1.0, 3.0):\n    print(p)\n"));
    EXPECT_TRUE(is_told("a.py", program + "for p in ({\"k\": 3.0},):\n    print(p)\n"));
    for (const char* cell : {"p[\"k\"] = 3.0", "p = {\"k\": 3.0}", "p.update(k=3.0)", "p |= {\"k\": 3.0}"})
        EXPECT_TRUE(is_told("a.ipynb", notebook({{"code", program}, {"code", cell}}))) << cell;
    for (const char* cell : {"q = dict(p)", "print(p[\"k\"], p.get(\"k\"))"})
        EXPECT_TRUE(is_right("a.ipynb", notebook({{"code", program}, {"code", cell}}))) << cell;
}

/// Tanh.backward = f, and what may give any name to something else.
TEST(NumPyRebindings, MethodsThatCellsBelowReplace) {
    const std::string program = kDeclared +
                                "class Tanh:\n    def forward(self, X):\n        self.Y = np.tanh(X)\n        return self.Y\n"
                                "    def backward(self, dY):\n        dX = dY * (1 - self.Y ** 2)\n        return dX\n";
    for (const char* cell : {"Tanh.backward = lambda self, dY: dY", "setattr(Tanh, \"backward\", f)",
                             "class Tanh:\n    def backward(self, dY): return dY", "vars()[\"Tanh\"] = Other"})
        EXPECT_TRUE(is_told("a.ipynb", notebook({{"code", program}, {"code", cell}}))) << cell;
    for (const char* cell : {"layer = Tanh()", "layer.name = \"tanh\""})
        EXPECT_TRUE(is_right("a.ipynb", notebook({{"code", program}, {"code", cell}}))) << cell;
}

TEST(NumPyRebindings, LinesOutsideOfTheMarks) {
    const auto marked = [](const std::string& program, const std::string& below) {
        return "import numpy as np\n# gradproof: begin\n" + kDeclared.substr(kDeclared.find('#')) + program +
               "# gradproof: end\n" + below;
    };
    for (const char* below :
         {"k = 3.0\n", "def forward(X):\n    return X ** 3, X\n", "if True:\n    k = 3.0\n", "forward = np.sin\n"})
        EXPECT_TRUE(is_told("a.py", marked(kScaled, below))) << below;
    for (const char* below :
         {"kk = 3.0\n", "def other(X):\n    k = 3\n    return k\n", "for i in range(3):\n    print(forward(i), k)\n"})
        EXPECT_TRUE(is_right("a.py", marked(kScaled, below))) << below;
}

TEST(NumPyRebindings, BlocksOfMarkdown) {
    const auto blocks = [](const std::vector<std::string>& all) {
        std::string out = "# Notes\n";
        for (const std::string& one : all) out += "\n```python proof\n" + one + "```\n";
        return out;
    };
    const std::string forward = kDeclared + kTanh.substr(0, kTanh.find("def backward")),
                      backward = kTanh.substr(kTanh.find("def backward"));
    const std::string again = "def forward(X):\n    return np.sin(X), np.sin(X)\n";
    EXPECT_TRUE(is_right("a.md", blocks({kDeclared + kTanh})));
    EXPECT_TRUE(is_right("a.md", blocks({forward, backward})));
    EXPECT_TRUE(is_told("a.md", blocks({kDeclared + kTanh, again})));
    EXPECT_TRUE(is_told("a.md", blocks({forward, again, backward})));
    for (const char* block : {"for k in [1.0, 3.0]:\n    print(k)\n", "from numpy import multiply as backward\n",
                              "if fast:\n    def backward(dY, X):\n        return dY\n"})
        EXPECT_TRUE(is_told("a.md", blocks({kDeclared + kScaled, block}))) << block;
    for (const char* block : {"for j in [1.0, 3.0]:\n    print(j)\n", "from numpy import multiply as times\n"})
        EXPECT_TRUE(is_right("a.md", blocks({kDeclared + kScaled, block}))) << block;
}

/// A loss and its gradient that call act(), and another derivation that defines it anew.
const std::string kAct = "def act(z):\n    return np.tanh(z)\n";
const std::string kUsesAct =
    "def loss(X):\n    A = act(X)\n    return 0.5 * np.sum(A ** 2)\ndef grad(X):\n    A = act(X)\n    dX = A * (1 - A ** 2)\n"
    "    return dX\n";
const std::string kOther =
    "def act(z):\n    return 2.0 * z\ndef loss_of_other(X):\n    A = act(X)\n    return 0.5 * np.sum(A ** 2)\n"
    "def grad_of_other(X):\n    A = act(X)\n    dX = 2.0 * A\n    return dX\n";

std::string fenced(const std::string& code, const std::string& info = "python proof") {
    return "```" + info + "\n" + code + "```\n\n";
}

TEST(NumPyRebindings, OtherDerivationsOfAFile) {
    const std::string first = kDeclared + kAct + kUsesAct, second = kDeclared + kOther;
    EXPECT_TRUE(is_told("a.ipynb", notebook({{"code", first}, {"code", second}})));
    EXPECT_TRUE(is_told("a.md", fenced(first) + fenced(second)));
    EXPECT_TRUE(is_right("a.ipynb", notebook({{"code", kDeclared + kScaled}, {"code", kDeclared + kTanh}})));
    EXPECT_TRUE(is_right("a.md", fenced(kDeclared + kScaled) + fenced(kDeclared + kTanh)));
}

TEST(NumPyRebindings, BlocksOfMarkdownThatAreNotMarked) {
    for (const char* below : {"act = lambda z: np.maximum(z, 0)\n", "act = np.sin\n", "import lib as act\n",
                              "act = decorate(act)\n", "class act:\n    pass\n", "def act(z):\n    return z\n"}) {
        EXPECT_TRUE(is_told("a.md", fenced(kDeclared + kAct + kUsesAct) + fenced(below, "python"))) << below;
        EXPECT_TRUE(is_told(
            "a.md", fenced("import numpy as np\n" + kAct, "python") + fenced(kDeclared + kUsesAct) + fenced(below, "python")))
            << below;
    }
    EXPECT_TRUE(is_right("a.md", fenced(kDeclared + kAct + kUsesAct) + fenced("print(grad(X))\n", "python")));
}

TEST(NumPyRebindings, ModulesOfOnesOwn) {
    const std::string uses = "A = F.relu(X)\nL = 0.5 * np.sum(A ** 2)\ndX = A * (X > 0)\n";
    const std::string own = "class F:\n    @staticmethod\n    def relu(x):\n        return np.maximum(0.01 * x, x)\n";
    EXPECT_TRUE(is_told("a.ipynb", notebook({{"code", "import numpy as np\n" + own}, {"code", kDeclared + uses}})));
    EXPECT_TRUE(is_told("a.md", fenced(own, "python") + fenced(kDeclared + uses)));
    for (const char* import : {"import F\n", "import nn, F\n"}) EXPECT_TRUE(is_told("a.py", import + kDeclared + uses)) << import;
    for (const char* import : {"import torch.nn.functional as F\n", "from torch.nn import functional as F\n"})
        EXPECT_TRUE(is_right("a.py", import + kDeclared + uses)) << import;
}

const std::string kNet =
    "class Net:\n    def forward(self, X):\n        self.A = np.tanh(X)\n        return self.A\n    def backward(self, dA):\n"
    "        dX = dA * (1 - self.A ** 2)\n        return dX\n";

TEST(NumPyRebindings, DecoratorsThatGiveAMethod) {
    const std::string marked =
        "import numpy as np\n# gradproof: begin\n# gradproof: dims n m; input X [n, m]\n" + kNet + "# gradproof: end\n";
    EXPECT_TRUE(
        is_told("a.py", marked + "@add_to_class(Net)\ndef forward(self, X):\n    self.A = np.sin(X)\n    return self.A\n"));
    EXPECT_TRUE(is_right("a.py", marked + "@jit\ndef other(X):\n    return X\n"));
}

TEST(NumPyRebindings, BackwardsThatCellsCallAndDerivationsWithoutOne) {
    EXPECT_TRUE(is_told(
        "a.ipynb", notebook({{"code", kDeclared + kNet}, {"code", "net = Net()\nout = net.forward(X)\nnet.backward(out - Y)"}})));
    EXPECT_TRUE(is_right("a.ipynb", notebook({{"code", kDeclared + kNet}, {"code", "loss.backward()"}})));
    EXPECT_TRUE(is_told("a.py", kDeclared + kNet +
                                    "\n# gradproof: dims n m; input X [n, m]\nclass Sin(Net):\n"
                                    "    def forward(self, X):\n        self.A = np.sin(X)\n        return self.A\n"));
}

}  // namespace
}  // namespace gradproof::proof
