// Arrays that are kept for later and changed under another name, and what NumPy holds in arrays of True, False and whole numbers.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"
#include "tests/core/proof/notebooks.hpp"

namespace gradproof::proof {
namespace {

TEST(NumPyKept, WhatAnObjectKeepsIsChangedUnderAnotherName) {
    const auto layer = [](const std::string& change) {
        return all_right(
            "import numpy as np\n# gradproof: dims n d k; input x [n, d], w [d, k]\nclass Layer:\n"
            "    def forward(self, x):\n        self.x = x\n        self.h = np.tanh(x @ self.w)\n        y = self.h\n" +
            change +
            "        return y\n    def backward(self, dy):\n        dz = dy * (1 - self.h ** 2)\n"
            "        self.dw = self.x.T @ dz\n        return dz @ self.w.T\n");
    };
    EXPECT_TRUE(layer("        y = 1 * y\n"));
    for (const char* change : {"        y *= 2\n", "        y += 1\n", "        y[y < 0] = 0\n"})
        EXPECT_FALSE(layer(change)) << change;
}

TEST(NumPyKept, WhatIsReturnedIsChangedByTheNextLine) {
    const std::string given = "import numpy as np\n# gradproof: dims n d; input x [n, d]\ndef forward(x):\n    z = np.sin(x)\n";
    const std::string backward = "def backward(dy, x):\n    dx = dy * np.cos(x)\n    return dx\n";
    EXPECT_TRUE(all_right(given + "    y = z\n    return y, x\n" + backward));
    EXPECT_FALSE(all_right(given + "    y = z\n    z *= 2\n    return y, x\n" + backward));
}

TEST(NumPyKept, AListOfAnArrayThatIsChanged) {
    const auto loop = [](const std::string& step) {
        return all_right(
            "import numpy as np\n# gradproof: dims T H; input x [T, H], W [H, H]\nzs = []\nloss = 0.0\n"
            "for t in range(T):\n    z = x[t] @ W\n" +
            step +
            "    loss += np.sum(zs[t] ** 2)\ndW = np.zeros_like(W)\nfor t in reversed(range(T)):\n    dz = 2 * zs[t]\n"
            "    dW += np.outer(x[t], dz)\n");
    };
    EXPECT_TRUE(loop("    zs.append(z)\n"));
    EXPECT_TRUE(loop("    z *= 1\n    zs.append(z)\n"));
    EXPECT_FALSE(loop("    zs.append(z)\n    z *= 1\n"));
    EXPECT_FALSE(loop("    zs.append(z)\n    z[0] = 0\n"));
}

/// In a loop, too, where each step has names of its own.
TEST(NumPyKept, AnotherNameOfAnArrayOfALoop) {
    const auto elementwise = [](const std::string& forward, const std::string& backward) {
        return all_right(
            "import numpy as np\n# gradproof: dims n d; input x [n, d], w [d]\ndef forward(x, w):\n"
            "    out = np.zeros(x.shape)\n    for i in range(len(x)):\n        z = x[i] * w\n" +
            forward +
            "        out[i] = np.tanh(z)\n    return out, (x, w, out)\ndef backward(dout, cache):\n"
            "    x, w, out = cache\n    dx = np.zeros_like(x)\n    dw = np.zeros_like(w)\n"
            "    for i in range(len(x)):\n        dz = dout[i] * (1 - out[i] ** 2)\n" +
            backward + "        dx[i] = dz * w\n        dw += dz * x[i]\n    return dx, dw\n");
    };
    EXPECT_TRUE(elementwise("", ""));
    EXPECT_TRUE(elementwise("        u = 2 * z.reshape(-1)\n        u -= u.mean()\n", ""));
    for (const char* name : {"z.reshape(-1)", "np.reshape(z, -1)", "z.reshape(2, -1).T", "np.split(z, 2)[0]",
                             "z if i > 0 else 0 * z", "z.astype(float, copy=False)", "[z][0]", "z[:2]"})
        EXPECT_FALSE(elementwise(fmt::format("        u = {}\n        u -= u.mean()\n", name), "")) << name;
    EXPECT_FALSE(elementwise("        u, v = np.split(z, [1])\n        u *= 0.5\n", ""));
    EXPECT_FALSE(elementwise("", "        u = dz.reshape(-1)\n        u *= 0.5\n"));
    for (const char* other : {"dx", "dz", "w", "out"})
        EXPECT_FALSE(elementwise("", fmt::format("        dout = {}\n", other))) << other;
}

/// Behind a loop prev of prev = h[t] is the last row of h.
TEST(NumPyKept, TheLastRowUnderAnotherName) {
    const auto network = [](const std::string& behind) {
        return all_right(
            "import numpy as np\n# gradproof: dims T d k; input x [T, d], U [d, k], W [k, k]\n"
            "def forward(x, U, W):\n    T, k = len(x), len(W)\n    h = np.zeros((T, k))\n    prev = np.zeros(k)\n"
            "    for t in range(T):\n        h[t] = np.tanh(x[t] @ U + prev @ W)\n        prev = h[t]\n" +
            behind +
            "    return h, (x, U, W, h)\ndef backward(dout, cache):\n    x, U, W, h = cache\n    T, k = h.shape\n"
            "    dx = np.zeros_like(x)\n    dU = np.zeros_like(U)\n    dW = np.zeros_like(W)\n"
            "    dnext = np.zeros(k)\n    for t in reversed(range(T)):\n"
            "        da = (dout[t] + dnext) * (1 - h[t] ** 2)\n        hp = h[t - 1] if t > 0 else np.zeros(k)\n"
            "        dx[t] = U @ da\n        dU += np.outer(x[t], da)\n        dW += np.outer(hp, da)\n"
            "        dnext = W @ da\n    return dx, dU, dW\n");
    };
    EXPECT_TRUE(network(""));
    EXPECT_TRUE(network("    last = 2 * prev\n    last /= 2\n"));
    for (const char* line : {"prev /= 2", "prev -= prev.mean()", "last = prev\n    last *= 2", "u = prev[:]\n    u *= 2"})
        EXPECT_FALSE(network(fmt::format("    {}\n", line))) << line;
}

TEST(NumPyKept, OneLineClassesWithinFunctions) {
    const auto layer = [](const std::string& line) {
        return all_right(
            "import numpy as np\n# gradproof: dims n d k; input X [n, d], W [d, k]\ndef forward(X, W):\n"
            "    out = X @ W\n    return out, (X, W)\ndef backward(dout, cache):\n    X, W = cache\n"
            "    dz = dout * 1.0\n    dW = X.T @ dz\n    dX = dz @ W.T\n" +
            line + "    return dX, dW\n");
    };
    EXPECT_TRUE(layer(""));
    for (const char* line : {"class dW: pass", "def dz(): pass", "import math as dz", "class s: W = 2"})
        EXPECT_FALSE(layer(fmt::format("    {}\n", line))) << line;
}

TEST(NumPyKept, TrueAndFalseStayThat) {
    const auto count = [](const std::string& value) {
        return all_right("import numpy as np\n# gradproof: dims n; input x [n]\nk = " + value +
                         "\nL = np.sum(k * x)\ndx = k * 1.0\n");
    };
    EXPECT_TRUE(count("np.maximum(1.0 * (x > 0), x < -1) + (x > 1)"));
    for (const char* value :
         {"np.maximum(x > 0, x < -1) + (x > 1)", "np.abs(x > 0) + (x > 1)", "np.where(x > 2, x > 0, x < 1) + (x > 1)",
          "(x > 0)[::-1] + (x > 1)", "np.einsum('i,i->i', x > 0, x < 1)"})
        EXPECT_FALSE(count(value)) << value;
}

TEST(NumPyKept, OfConditionsEinsumIsRefusedInOneLine) {
    EXPECT_EQ(refused_as("# gradproof: dims n; input x [n]\nc = np.einsum('i,i->i', x > 0, x < 1)\n", "a.py"),
              "conditions are no numbers in NumPy: einsum of them says whether any holds; write 1.0 * (x > 0)");
}

TEST(NumPyKept, WholeNumbersCutOffWhatIsPutIntoThem) {
    const auto slope = [](const std::string& start) {
        return all_right(
            "import numpy as np\n# gradproof: dims n; input x [n]\ny = np.where(x > 0, x, 0.1 * x)\nL = np.sum(y ** 2)\ns = " +
            start + "\ns[x <= 0] = 0.1\ndx = 2 * y * s\n");
    };
    EXPECT_TRUE(slope("np.where(x > 0, 1.0, 0.0)"));
    for (const char* start : {"np.where(x > 0, 1, 0)", "1 * (x > 0)"}) EXPECT_FALSE(slope(start)) << start;
}

TEST(NumPyKept, WholeNumbersOfSumsAndOfGradients) {
    const auto slope = [](const std::string& made) {
        return verdicts("# gradproof: dims n; input x [n]; const a []\ny = np.where(x > 0, x, a * x)\nslope = " + made +
                            "\nslope[x <= 0] = a\ndx = dy * slope\n",
                        {}, "a.py");
    };
    EXPECT_EQ(slope("(x > 0) + 0.0"), "right");
    for (const char* made : {"(x > 0) + 0", "-(1 * (x <= 0)) + 1", "(x > 0) ** 1", "np.add(x > 0, 0)", "np.subtract(1, x <= 0)"})
        EXPECT_EQ(slope(made).find("right"), std::string::npos) << made;
    const auto rows = [](const std::string& made) {
        return verdicts("# gradproof: dims n m k; input E [n, m]; const at [k] ~ index(n)\ny = E[at]\ndE = " + made +
                            "\nnp.add.at(dE, at, dy)\n",
                        {}, "a.py");
    };
    EXPECT_EQ(rows("np.zeros_like(E)"), "right");
    EXPECT_EQ(rows("np.full(E.shape, 0.0)"), "right");
    EXPECT_EQ(rows("np.full(E.shape, 0)").find("right"), std::string::npos);
}

TEST(NumPyKept, AListThatHasTwoNamesOrStaysForTheNextCall) {
    const auto network = [](const std::string& parameter, const std::string& line) {
        return "# gradproof: dims T n; input x [T, n], w [n]\ndef f(x, w" + parameter + "):\n    T = len(x)\n    hs = []\n" +
               "    for t in range(T):\n" + line +
               "        h = np.tanh(x[t] * w)\n        hs.append(h)\n    L = 0.0\n    for t in range(T):\n"
               "        L += np.sum(hs[t])\n    dw = np.zeros_like(w)\n    for t in range(T):\n"
               "        dw += (1 - hs[t] ** 2) * x[t]\n    return L, dw\n";
    };
    EXPECT_EQ(verdicts(network("", ""), {}, "a.py"), "right");
    EXPECT_EQ(verdicts(network("", "        q = hs\n        q += hs\n"), {}, "a.py").find("right"), std::string::npos);
    std::string kept = network(", hs=[]", "");
    kept.erase(kept.find("    hs = []\n"), std::string("    hs = []\n").size());
    EXPECT_EQ(passed_because("a.py", kept), std::vector<std::string>{"hs is one for all calls"});
}

TEST(NumPyKept, TransposeOfNumPyNamesAllAxes) {
    const auto product = [](const std::string& import) {
        return verdicts_by_line("a.py",
                                import +
                                    "\n# gradproof: dims n; input x [n, n], w [n, n]\ny = x @ w\ndx = dy @ w.transpose(0, 1)\n"
                                    "dw = x.T @ dy\n");
    };
    EXPECT_EQ(product("import numpy as np"), "4 wrong, 5 right");
    EXPECT_EQ(product("import torch"), "4 right, 5 right");
}

TEST(NumPyKept, AnotherThingIsReturnedThanAGradient) {
    const auto returned = [](const std::string& what) {
        return passed_because(
                   "a.py",
                   "import numpy as np\n# gradproof: dims n d; input x [n, d], W [d, d]\ndef loss_grad(x, W):\n"
                   "    h = np.tanh(x @ W)\n    loss = np.sum(h ** 2)\n    dz = 2 * h * (1 - h ** 2)\n    dx = dz @ W.T\n"
                   "    dW = x.T @ dz\n    return loss, dx, " +
                       what + "\n")
            .size();
    };
    EXPECT_EQ(returned("dW"), 0u);
    for (const char* what : {"h", "dz"}) EXPECT_EQ(returned(what), 1u) << what;
}

TEST(NumPyKept, ACheckThatWrites) {
    const auto passed = [](const std::string& line) {
        return passed_because("a.py",
                              "import numpy as np\n# gradproof: dims n; input x [n]\ny = 2 * x\ndx = 2 * dy\n" + line + "\n")
            .size();
    };
    for (const char* line :
         {"assert np.isfinite(dx).all()", "assert dx.ndim == 1 and dx.shape == x.shape", "assert dx is not None"})
        EXPECT_EQ(passed(line), 0u) << line;
    for (const char* line : {"assert dx.ndim == 1 and dx.fill(0) is None", "assert np.negative(dx, out=dx) is not None",
                             "print(np.mean(x, 0, None, dx))"})
        EXPECT_EQ(passed(line), 1u) << line;
}

TEST(NumPyKept, RowsOfZerosBegin) {
    EXPECT_EQ(verdicts_by_line(
                  "a.py",
                  "import numpy as np\n# gradproof: dims T H; input x [T, H], W [H, H]\nh = np.zeros((T + 1, H))\n"
                  "for t in range(T):\n    h[t + 1] = np.tanh(x[t] + h[t] @ W)\nloss = np.sum(h ** 2)\n"
                  "dW = np.zeros_like(W)\ndnext = np.zeros(H)\nfor t in reversed(range(T)):\n"
                  "    da = (2 * h[t + 1] + dnext) * (1 - h[t + 1] ** 2)\n    dW += np.outer(h[t], da)\n    dnext = W @ da\n"),
              "11 right");
}

TEST(NumPyKept, TheLastElementOfAListThatGrows) {
    const auto slope = [](const std::string& dnext) {
        return verdicts_by_line(
            "a.py",
            "import numpy as np\n# gradproof: dims T H; input x [T, H], W [H, H]\nhs = [np.zeros(H)]\nloss = 0.0\n"
            "for t in range(T):\n    hs.append(np.tanh(x[t] @ W + hs[-1]))\n    loss += np.sum(hs[-1] ** 2)\n"
            "dW = np.zeros_like(W)\ndnext = np.zeros(H)\nfor t in reversed(range(T)):\n"
            "    da = (2 * hs[t + 1] + dnext) * (1 - hs[t + 1] ** 2)\n    dW += np.outer(x[t], da)\n    dnext = " +
                dnext + "\n");
    };
    EXPECT_EQ(slope("da"), "12 right");
    EXPECT_EQ(slope("2 * da"), "12 wrong");
}

TEST(NumPyKept, CellsBetweenMarkedOnesAreTold) {
    const auto told = [](const std::string& between) {
        const FileReport r = check_file("a.ipynb", notebook({{"code", "# gradproof: dims n; input x [n]\ny = 2 * x"},
                                                             {"code", between},
                                                             {"code", "# gradproof:\ndx = 2 * dy"}}));
        return r.proofs.at(0).passed_over;
    };
    EXPECT_EQ(told("print(y)").size(), 0u);
    EXPECT_EQ(told("z = np.tanh(y) + y.mean()\nplt.plot(x, y)\nassert len(y) > 2").size(), 0u);
    for (const char* line : {"y.sort()", "np.random.shuffle(y)", "np.add(y, 1, out=y)", "z = y", "train(y)", "from mine import y",
                             "(y := 2)", "%run mine.py", "print(y.sort())", "for y in [1]: pass", "exec('y = 2')"})
        EXPECT_EQ(told(line).size(), 1u) << line;
    ASSERT_EQ(told("y *= 2").size(), 1u);
    EXPECT_EQ(told("y *= 2")[0].in, "cell 2");
}

/// A class that keeps its loss, and returns it.
TEST(NumPyKept, ALossThatAnObjectReturns) {
    const auto net = [](const std::string& name, const std::string& slope) {
        return verdicts(
            "import numpy as np\n# gradproof: dims n d h; input X [n, d], W [d, h]; const T [n, h]\n"
            "class Net:\n    def __init__(self, W):\n        self.W = W\n    def forward(self, X):\n"
            "        self.X = X\n        self.Y = np.tanh(X @ self.W)\n        self." +
                name + " = 0.5 * np.sum((self.Y - T) ** 2)\n        return self." + name +
                "\n    def backward(self):\n        dY = self.Y - T\n        dZ = dY * (1 - self.Y ** 2)\n"
                "        self.dW = " +
                slope + "\n        return self.dW\n",
            {}, "a.py");
    };
    EXPECT_EQ(net("loss", "self.X.T @ dZ"), "right, right");
    EXPECT_EQ(net("cost", "self.X.T @ dZ"), "right, right");
    EXPECT_EQ(net("loss", "self.X.T @ (dY + dZ)"), "right, wrong");
    EXPECT_EQ(net("loss", "2 * self.X.T @ dZ"), "right, wrong");
}

/// A recurrence whose steps put tuples into a list: `made` above the loop, `kept` in it, `behind` it.
std::string with_tuples_kept(const std::string& made, const std::string& kept, const std::string& behind) {
    return "# gradproof: dims T n; input x [T, n], h0 [n], W [n, n], b [n]\n" + made + "def forward(x, h0, W, b):\n    " +
           (made.empty() ? "caches = []" : "pass") +
           "\n    h = h0\n    for t in range(x.shape[0]):\n        prev = h\n        h = np.tanh(W @ prev + x[t])\n" + kept +
           behind +
           "    loss = 0.5 * np.sum(h * h)\n    return loss, (x, W, h, caches)\ndef backward(cache):\n    x, W, hl, caches = "
           "cache\n"
           "    dW = np.zeros_like(W)\n    dx = np.zeros_like(x)\n    db = hl\n    dh = hl\n"
           "    for t in reversed(range(x.shape[0])):\n        xt, prev, h = caches[t]\n        dz = dh * (1 - h ** 2)\n"
           "        dx[t] = dz\n        dW += np.outer(dz, prev)\n        dh = W.T @ dz\n    dh0 = dh\n    return dx, dh0, dW, "
           "db\n";
}

TEST(NumPyKept, ATupleOfALoopHoldsTheArrayThatIsChangedBehindIt) {
    const std::string kept = "        caches.append((x[t], prev, h))\n";
    EXPECT_TRUE(all_right(with_tuples_kept("", kept, "    h = h + b\n")));
    for (const char* behind : {"    h += b\n", "    h -= h.mean()\n"})
        EXPECT_NE(of_program(with_tuples_kept("", kept, behind)).find("not read"), std::string::npos) << behind;
    EXPECT_TRUE(all_right(with_tuples_kept("", "        caches.append((x[t], prev, h.copy()))\n", "    h += b\n")));
}

TEST(NumPyKept, ASecondAppendOfAStepMovesTheOnesBehindIt) {
    const std::string kept = "        caches.append((x[t], prev, h))\n", other = "        caches.append((x[t], h, h))\n";
    for (const std::string& twice : {kept + kept, other + kept})
        EXPECT_NE(of_program(with_tuples_kept("", twice, "    h = h + b\n")).find("not read"), std::string::npos) << twice;
}

TEST(NumPyKept, AListThatIsMadeOutsideOfTheFunctionHoldsWhatEarlierCallsAppended) {
    const std::string kept = "        caches.append((x[t], prev, h))\n";
    const std::string program = with_tuples_kept("caches = []\n", kept, "    h = h + b\n");
    EXPECT_EQ(passed_because("a.py", program),
              std::vector<std::string>{"caches is not made in this function: it holds what earlier calls appended, too"});
    EXPECT_TRUE(passed_because("a.py", with_tuples_kept("", kept, "    h = h + b\n")).empty());
}

TEST(NumPyKept, AConditionThatAnObjectKeepsIsRead) {
    const auto relu = [](const std::string& forward, const std::string& gradient) {
        return verdicts_by_line(
            "a.py", "# gradproof: dims n d; input x [n, d]\nimport numpy as np\nclass ReLU:\n    def forward(self, x):\n" +
                        forward + "        return out\n    def backward(self, dout):\n        dx = " + gradient +
                        "\n        return dx\n");
    };
    const std::string kept = "        self.mask = x > 0\n", of_name = "        mask = x > 0\n        self.mask = mask\n";
    for (const std::string& mask : {kept, of_name}) {
        EXPECT_TRUE(relu(mask + "        out = x * self.mask\n", "dout * self.mask").ends_with("right")) << mask;
        EXPECT_TRUE(relu(mask + "        out = np.where(self.mask, x, 0)\n", "dout * ~self.mask").ends_with("wrong")) << mask;
        EXPECT_TRUE(relu(mask + "        out = x * self.mask\n", "dout * (self.mask + self.mask)").ends_with("not read")) << mask;
    }
}

}  // namespace
}  // namespace gradproof::proof
