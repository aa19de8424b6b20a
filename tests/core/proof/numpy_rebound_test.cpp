// Functions and modules that a program in NumPy gives another meaning: what calls them below is not read.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// The gradient of the exponential is right only where np.exp is that of NumPy.
std::string exponential(const std::string& before, const std::string& call = "np.exp(x)") {
    return verdicts_by_line("a.py", "# gradproof: dims n; input x [n]\n" + before + "y = " + call + "\ndx = dy * " + call +
                                        "\ndx = 2 * dy * " + call + "\n");
}

TEST(NumPyRebound, FunctionsOfModules) {
    EXPECT_EQ(exponential("import numpy as np\n"), "4 right, 5 wrong");
    EXPECT_EQ(exponential("np.log = np.exp\n"), "2 not read, 4 right, 5 wrong");
    EXPECT_EQ(exponential("torch.backends.cudnn.deterministic = True\n"), "2 not read, 4 right, 5 wrong");
    for (const char* line : {"np.exp = lambda x: x", "np.exp = np.log", "np.log, np.exp = np.exp, np.log", "np.log = np.exp = f",
                             "setattr(np, 'exp', f)", "setattr(np, name, f)", "if fast: np.exp = f", "np.exp: Any = f",
                             "numpy.exp = f", "np.__dict__['exp'] = f"})
        EXPECT_EQ(exponential(std::string(line) + "\n"), "2 not read, 3 not read, 4 not read, 5 not read") << line;
    EXPECT_EQ(exponential("def patch():\n    np.exp = np.log\n"), "3 not read, 4 not read, 5 not read, 6 not read");
    EXPECT_EQ(exponential("torch.Tensor.exp = f\n", "x.exp()"), "2 not read, 3 not read, 4 not read, 5 not read");
    EXPECT_EQ(exponential("np.exp = np.log\n", "(x + 1)"), "2 not read, 4 wrong, 5 wrong");
}

TEST(NumPyRebound, ModulesUnderNamesOfOthers) {
    for (const char* line : {"import jax.numpy as np", "from jax import numpy as np", "import cupy as np",
                             "import autograd.numpy as np", "import math as np\nimport numpy as np", "def f(np): return np"})
        EXPECT_EQ(exponential(std::string(line) + "\n").find("not read, "), std::string::npos) << line;
    for (const char* line :
         {"import math as np", "import mine as np", "from x import y as np", "from mine import np", "from . import np",
          "import numpy as np, math as np", "import torch as np", "from mine import (exp,\n    numpy as np)"})
        EXPECT_EQ(exponential(std::string(line) + "\n").find("right"), std::string::npos) << line;
    for (const char* line : {"np = something", "np = math", "with mine() as np: pass", "for np in modules: pass"})
        EXPECT_EQ(exponential(std::string(line) + "\n").find("right"), std::string::npos) << line;
    EXPECT_EQ(exponential("import torch.nn as F\n", "F.relu(x)"), "3 not read, 4 not read, 5 not read");
    EXPECT_EQ(exponential("import numpy as torch\n", "torch.exp(x)").find("right"), std::string::npos);
}

/// What stands above is as it was, but for functions, which are called later; names of values are no modules.
TEST(NumPyRebound, OnlyLinesBelow) {
    const std::string begin = "# gradproof: dims n; input x [n], w [n]\n";
    EXPECT_EQ(
        verdicts_by_line("a.py", begin + "y = np.exp(x)\ndx = dy * np.exp(x)\nnp.exp = f\ndx = dy * np.exp(x)\ndx = dy * y\n"),
        "3 right, 4 not read, 5 not read, 6 right");
    EXPECT_EQ(verdicts_by_line("a.py", begin + "def f(v): return np.exp(v)\nnp.exp = np.log\ny = f(x)\ndx = dy * f(x)\n"),
              "3 not read, 4 not read, 5 not read");
    EXPECT_EQ(
        verdicts_by_line("a.py", begin + "F = x * w\ny = F * F.mean()\ndF = dy * F.mean() + (dy * F).mean()\ndF = dy * F\n"),
        "4 right, 5 wrong");
}

TEST(NumPyRebound, FunctionsOfPython) {
    const auto mean = [](const std::string& before) {
        return verdicts_by_line(
            "a.py", "# gradproof: dims n; input x [n]\n" + before + "L = np.sum(x * x) / len(x)\ndx = 2 * x / n\ndx = x / n\n");
    };
    EXPECT_EQ(mean(""), "3 right, 4 wrong");
    for (const char* line : {"len = foo", "from mine import len", "import foo as len", "from mine import size as len"})
        EXPECT_EQ(mean(std::string(line) + "\n").find("right"), std::string::npos) << line;
    EXPECT_EQ(mean("from mine import sum\n"), "4 right, 5 wrong");
    const auto size = [](const std::string& before) {
        return verdicts_by_line("a.py", "# gradproof: dims n; input x [n]\n" + before + "y = abs(x)\ndx = dy * np.sign(x)\n");
    };
    EXPECT_EQ(size(""), "3 right");
    for (const char* line : {"import foo as abs", "abs = np.sqrt", "from mine import f as abs", "def abs(v): return v * v"})
        EXPECT_EQ(size(std::string(line) + "\n").find("right"), std::string::npos) << line;
}

TEST(NumPyRebound, SaysWhichLine) {
    const auto reason = [](const std::string& before) {
        return lines_of("# gradproof: dims n; input x [n]\n" + before + "y = np.exp(x)\n", {}, "a.py").back().reason;
    };
    EXPECT_EQ(reason("np.exp = f\n"), "line 2 gives np.exp another meaning: what it computes is not known");
    EXPECT_EQ(reason("import math as np\n"), "line 2 gives np another meaning: what its functions compute is not known");
}

}  // namespace
}  // namespace gradproof::proof
