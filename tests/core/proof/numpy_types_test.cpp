// What Python does with truth values, lists and whole numbers.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

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

TEST(NumPyTypes, ConditionsInTuplesAndListsStayConditions) {
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

TEST(NumPyTypes, ListsAreJoinedBehindNamesToo) {
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

TEST(NumPyTypes, WholeNumbersOfTuplesAndLabels) {
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

TEST(NumPyTypes, LabelsThatAreCopiedHoldIntegers) {
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

TEST(NumPyTypes, PartsOfTuplesAndListsAreWhatTheyHold) {
    const auto layer = [](const std::string& above, const std::string& masks, const std::string& slope) {
        return std::string("# gradproof: dims n d; input X [n, d]\nimport numpy as np\n" + above +
                           "def forward(X):\n    out = np.maximum(X, 0) + np.maximum(X + 1, 0)\n" + masks +
                           "    return out, (X, p, q)\ndef backward(dout, cache):\n    X, p, q = cache\n    dX = dout * (" +
                           slope + ")\n    return dX\n");
    };
    for (const char* masks :
         {"    m = (X > 0, X > -1)\n    p = m[0]\n    q = m[1]\n", "    m = [X > 0, X > -1]\n    p, q = m[0], m[-1]\n",
          "    m = ((X > 0, X), (X > -1, X))\n    p = m[0][0]\n    q = m[1][0]\n"}) {
        EXPECT_EQ(of_program(layer("", masks, "p + q")).find("right"), std::string::npos) << masks;  // which is `or`
        EXPECT_TRUE(all_right(layer("", masks, "1.0 * p + q"))) << masks;
    }
    const auto doubled = [](const std::string& above, const std::string& lists, const std::string& slope) {
        return std::string("# gradproof: dims n d; input X [n, d]\nimport numpy as np\n" + above +
                           "def forward(X):\n    out = 2 * X\n    return out, X\ndef backward(dout, X):\n" + lists +
                           "    dX = dout * " + slope + "\n    return dX\n");
    };
    const std::string same = "def same(v):\n    return v\n";
    for (const auto& [above, lists, slope] : std::vector<std::array<std::string, 3>>{
             {same, "    g = same([1.0, 1.0])\n    h = same([1.0, 1.0])\n", "(g + h)[0]"},
             {"", "    t = ([1.0, 1.0], [1.0, 1.0])\n    g = t[0]\n    h = t[1]\n    c = g + h\n", "c[0]"},
             {"", "    g = [1.0, 1.0]\n    h = g.copy()\n", "(g + h)[0]"},
             {"", "    g = [1.0, 1.0]\n    h = g[:]\n", "(g + h)[0]"},
             {"", "    g = [1.0, 1.0]\n    g += g\n", "g[0]"},
             {"", "    g = [1.0, 1.0]\n    g *= 2\n", "g[0]"},
             {"def pair(v):\n    return [v, v]\n", "    a = pair(1.0)\n    b = pair(1.0)\n    c = a + b\n", "c[0]"}})
        EXPECT_EQ(of_program(doubled(above, lists, slope)).find("right"), std::string::npos) << lists;
    EXPECT_TRUE(all_right(doubled(same, "    g = same(np.array([1.0, 1.0]))\n    h = same([1.0, 1.0])\n", "(g + h)[0]")));
    EXPECT_TRUE(all_right(doubled("", "    t = ([2.0, 1.0], [1.0, 1.0])\n    g = t[0]\n", "g[0]")));
}

TEST(NumPyTypes, WhatAHelperChangesBesideItsLinesIsNotRead) {
    const auto squashed = [](const std::string& line) {
        return of_program("# gradproof: dims n d; input X [n, d]\nimport numpy as np\ndef twice(z):\n    " + line +
                          "\n    return z\ndef forward(X):\n    out = np.tanh(twice(X))\n    return out\n"
                          "def backward(dout, out):\n    dX = dout * (1 - out ** 2)\n    return dX\n");
    };
    EXPECT_EQ(squashed("print(z.shape)"), "10 right");
    for (const char* line :
         {"print((z := z * 2).shape)", "assert (z := z * 2) is not None", "print(np.multiply(z, 2, out=z))", "print(z.fill(0))"})
        EXPECT_EQ(squashed(line).find("right"), std::string::npos) << line;
}

TEST(NumPyTypes, AFunctionWithinAFunctionIsTold) {
    const std::string program =
        "# gradproof: dims n d; input x [n, d]; input g [d]\nimport numpy as np\ndef forward(x, g):\n    v = np.mean(x ** 2, "
        "axis=0)\n"
        "    s = np.sqrt(v + 1e-5)\n    out = g * x / s\n    return out, (x, g, v, s)\ndef backward(dout, cache):\n"
        "    x, g, v, s = cache\n    def double(v):\n        v = v * 2\n        return v\n    v = double(v)\n"
        "    ds = -np.sum(dout * g * x, axis=0) / s ** 2\n    dv = 0.5 / np.sqrt(v + 1e-5) * ds\n    return dv\n";
    const std::vector<std::string> told = passed_because("a.py", program);
    EXPECT_NE(std::ranges::find(told, "it stands within a function, and is read as if it stood beside it"), told.end());
}

TEST(NumPyTypes, HalfPrecisionIsTold) {
    const auto told = [](const std::string& type) {
        return passed_because("a.py",
                              "# gradproof: dims n d; input X [n, d]\nimport numpy as np\ndef forward(X):\n    out = X ** 2\n"
                              "    return out, X\ndef backward(dout, X):\n    half = dout.astype(np." +
                                  type + ")\n    dX = 2 * X * half\n    return dX\n");
    };
    EXPECT_EQ(told("float16"), std::vector<std::string>{"float16 is read as a type of all digits"});
    EXPECT_EQ(told("float32"), std::vector<std::string>{});
}

TEST(NumPyTypes, FunctionsOfConditionsHaveHalfPrecision) {
    const auto judged = [](const std::string& s) {
        return of_program("# gradproof: dims n; input x [n]\nimport numpy as np\ns = " + s +
                          "\ny = x * s\nL = np.sum(y)\ndx = s\n");
    };
    for (const char* s : {"np.exp(x > 0)", "np.tanh(x > 0)", "np.sqrt(x > 0)"})
        EXPECT_NE(judged(s).find("not read"), std::string::npos) << s;
    EXPECT_EQ(judged("np.exp(1.0 * (x > 0))"), "6 right");
    EXPECT_NE(judged("np.sum(x, axis=())").find("not read"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::proof
