// What objects and dicts of a program hold where a line reads it: what its own function has put there, else what others have.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"
#include "tests/core/proof/notebooks.hpp"

namespace gradproof::proof {
namespace {

TEST(NumPyObjects, AMethodReadsWhatItHasGivenTheAttributeItself) {
    const auto layer = [](const std::string& given, const std::string& behind) {
        return of_program(
            "# gradproof: dims n; input x [n, n], w [n, n]\nclass Layer:\n    def __init__(self, w):\n        self.w = w\n"
            "    def forward(self, x):\n        self.x = x\n        self.h = np.tanh(x @ self.w)\n        return self.h\n"
            "    def backward(self, dout):\n        dz = dout * (1 - self.h ** 2)\n" +
            given + "        dw = self.x.T @ dz\n        return dz @ self.w.T, dw\n" + behind);
    };
    EXPECT_EQ(layer("", ""), "11 right, 12 right");
    for (const char* value : {"dz", "self.h", "self.w"})
        EXPECT_EQ(layer(fmt::format("        self.x = {}\n", value), ""), "12 wrong, 13 right") << value;
    EXPECT_EQ(layer("        self.x = self.x\n", ""), "12 right, 13 right");
    EXPECT_EQ(layer("        self.w = self.x\n", ""), "12 right, 13 wrong");
}

TEST(NumPyObjects, MethodsThatGiveAnAttributeDifferentValues) {
    const auto layer = [](const std::string& above, const std::string& below) {
        return "import numpy as np\n# gradproof: dims n; input x [n, n], w [n, n]; const y [n, n]\nclass Layer:\n"
               "    def forward(self, x):\n        self.x = x\n        return x @ self.w\n" +
               above + "    def backward(self, dout):\n        dw = self.x.T @ dout\n        return dout @ self.w.T, dw\n" +
               below;
    };
    const std::string other = "    def load(self, y):\n        self.x = y\n";
    EXPECT_TRUE(all_right(layer("", "")));
    EXPECT_TRUE(all_right(layer("    def again(self, x):\n        self.x = x\n", "")));
    EXPECT_EQ(verdicts_by_line("a.py", layer(other, "")), "10 not read, 11 not read") << "which of the two is not known";
    EXPECT_EQ(passed_because("a.py", layer("", other)).size(), 1U);
    const std::string one = layer("", "");
    const std::size_t at = one.find("class Layer");
    EXPECT_TRUE(all_right(one.substr(0, at) + "class Other:\n" + other + one.substr(at))) << "another object";
}

TEST(NumPyObjects, AContextHoldsWhatTheBackwardPutsThere) {
    const auto function = [](const std::string& given) {
        return of_program(
            "# gradproof: dims n; input x [n, n], w [n, n]\nclass F(torch.autograd.Function):\n    @staticmethod\n"
            "    def forward(ctx, x, w):\n        ctx.x = x\n        ctx.w = w\n        ctx.h = torch.tanh(x @ w)\n"
            "        return ctx.h\n    @staticmethod\n    def backward(ctx, dout):\n        dz = dout * (1 - ctx.h ** 2)\n" +
            given + "        dw = ctx.x.T @ dz\n        dx = dz @ ctx.w.T\n        return dx, dw\n");
    };
    EXPECT_EQ(function(""), "12 right, 13 right");
    EXPECT_EQ(function("        ctx.x = ctx.h\n"), "13 wrong, 14 right");
    EXPECT_EQ(function("        ctx.w = dout\n"), "13 right, 14 wrong");
}

/// p of f.get("p", 0.5) is that by default, as a parameter is.
TEST(NumPyObjects, ANumberOfASettingIsADefault) {
    const auto layer = [](const std::string& get, const std::string& mask, const std::string& gradient) {
        return of_program("# gradproof: dims n d; input x [n, d]\ndef dropout_forward(x, settings):\n    p = " + get +
                          "\n    mask = " + mask + "\n    return x * mask / (1 - p), (mask, p)\n" +
                          "def dropout_backward(dout, cache):\n    mask, p = cache\n    dx = " + gradient + "\n    return dx\n");
    };
    const std::string get = "settings.get(\"p\", 0.5)", mask = "np.random.rand(*x.shape) > p";
    EXPECT_EQ(layer(get, mask, "dout * mask / (1 - p)"), "8 right");
    EXPECT_EQ(layer(get, mask, "dout * mask / p"), "8 cannot tell") << "right where p is 0.5";
    EXPECT_EQ(layer("settings.get('p', 0.5) / 2", mask, "dout * mask / (1 - p)"), "8 right");
    EXPECT_EQ(layer("settings.get('p', 0.5) / 2", mask, "dout * mask / (1 - 2 * p)"), "8 wrong");
}

TEST(NumPyObjects, SettingsOfAnotherDefaultAreTwoConstants) {
    const auto layer = [](const std::string& eps) {
        return of_program(
            "# gradproof: dims n d; input x [n, d]\ndef forward(x, p):\n    eps = p.get(\"eps\", 0.1)\n"
            "    return np.sqrt(x ** 2 + eps)\ndef backward(dout, x, p):\n    eps = p.get(\"eps\", " +
            eps + ")\n    dx = dout * x / np.sqrt(x ** 2 + eps)\n    return dx\n");
    };
    EXPECT_EQ(layer("0.1"), "7 right");
    EXPECT_EQ(layer("0.2"), "6 not read, 7 not read");
}

/// A layer whose forward keeps a dict, and whose backward reads x, W and out of it.
std::string with_dict(const std::string& made, const std::string& returned, const std::string& unpacked = "") {
    return "# gradproof: dims n d; input x [n, d], W [d, d]\ndef f_forward(x, W):\n    h = x @ W\n    out = np.tanh(h)\n" + made +
           "    return out, " + returned + "\ndef f_backward(dout, cache):\n" + unpacked +
           "    x, W, out = cache['x'], cache['W'], cache['out']\n    dh = dout * (1 - out ** 2)\n    dW = x.T @ dh\n"
           "    dx = dh @ W.T\n    return dx, dW\n";
}

TEST(NumPyObjects, DictsHoldWhatIsPutIntoThem) {
    const std::string begun = "    cache = {'x': x, 'W': W}\n", whole = "    cache = {'x': x, 'W': W, 'out': out}\n";
    const std::vector<std::pair<std::string, std::string>> right{
        {"", "{'x': x, 'W': W, 'out': out}"},
        {"", "dict(x=x, W=W, out=out)"},
        {begun + "    cache['out'] = out\n", "cache"},
        {begun + "    cache.update(out=out)\n", "cache"},
        {begun + "    cache |= {'out': out}\n", "cache"},
        {begun + "    cache = {**cache, 'out': out}\n", "cache"},
        {begun, "dict(cache, out=out)"},
        {begun, "cache | {'out': out}"},
        {whole + "    c = cache.copy()\n    c['x'] = h\n", "cache"},
        {"    saved = {'x': x, 'W': W, 'out': out}\n", "saved"},
    };
    for (const auto& [made, returned] : right) EXPECT_TRUE(all_right("import numpy as np\n" + with_dict(made, returned))) << made;
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"", "{'x': h, 'W': W, 'out': out}"},
        {"", "dict(x=x, W=W, out=h)"},
        {whole + "    cache['x'] = h\n", "cache"},
        {whole + "    cache.update(x=h)\n", "cache"},
        {whole + "    cache |= {'x': h}\n", "cache"},
        {whole, "{**cache, 'x': h}"},
        {whole, "dict(cache, x=h)"},
        {whole + "    c = cache\n    c['x'] = h\n", "cache"},
        {whole + "    c = dict(cache)\n    c['x'] = h\n", "c"},
        {"    saved = {'x': h, 'W': W, 'out': out}\n    cache = {'x': x, 'W': W, 'out': out}\n", "saved"},
    };
    for (const auto& [made, returned] : wrong)
        EXPECT_EQ(of_program(with_dict(made, returned)).find("right"), std::string::npos) << made << returned;
}

TEST(NumPyObjects, ADictBehindALineThatIsNotReadIsNotKnown) {
    const std::string whole = "    cache = {'x': x, 'W': W, 'out': out}\n";
    for (const char* line : {"cache.pop('x')", "cache['x'] *= 2", "cache.setdefault('x', h)", "update(cache)", "del cache['x']",
                             "for k in cache: cache[k] = 2 * cache[k]", "cache = {k: 2 * v for k, v in cache.items()}"})
        EXPECT_EQ(of_program(with_dict(whole + "    " + line + "\n", "cache")).find("right"), std::string::npos) << line;
    for (const char* line : {"cache = {k: v / 2 for k, v in cache.items()}", "cache['x'] = dout", "cache.update(out=dout)"})
        EXPECT_EQ(of_program(with_dict(whole, "cache", fmt::format("    {}\n", line))).find("right"), std::string::npos) << line;
    EXPECT_TRUE(all_right("import numpy as np\n" + with_dict(whole + "    print(cache['x'], cache.keys())\n", "cache")));
}

TEST(NumPyObjects, OfADictNothingIsComputed) {
    for (const char* line : {"dh = dout * cache", "dh = dout * cache[k]", "dh = np.sum(cache)", "dh = cache.T"})
        EXPECT_NE(of_program(with_dict("", "dict(x=x, W=W, out=out)", fmt::format("    {}\n", line))).find("not read"),
                  std::string::npos)
            << line;
}

TEST(NumPyObjects, ContainersThatGrowEndInALine) {
    const auto grown = [](const std::string& first, const std::string& line, int times) {
        std::string lines = "    " + first + "\n";
        for (int i = 0; i < times; ++i) lines += "    " + fmt::format(fmt::runtime(line), i) + "\n";
        return of_program(with_dict(lines, "{'x': x, 'W': W, 'out': out}"));
    };
    for (const char* line : {"t = t + t", "t = (t, t)", "t = (*t, *t)", "t += t"})
        EXPECT_NE(grown("t = (x,)", line, 60).find("not read"), std::string::npos) << line;
    EXPECT_NE(grown("c = {{}}", "c = dict(c, a{}=x)", 150).find("not read"), std::string::npos);
    EXPECT_EQ(grown("c = {'x': x}", "c = c | c", 60).find("not read"), std::string::npos);
    std::string joined = "c";
    for (int i = 0; i < 60; ++i) joined += " | c";
    EXPECT_NE(grown("c = {'x': x}", "c = " + joined + " | x", 1).find("not read"), std::string::npos);
}

TEST(NumPyObjects, TuplesArePutTogether) {
    const auto layer = [](const std::string& made, const std::string& returned, const std::string& unpacked) {
        return of_program(
            "# gradproof: dims n d; input x [n, d], W [d, d]\ndef f_forward(x, W):\n    h = x @ W\n"
            "    out = np.tanh(h)\n    cache = (x, W)\n    cache" +
            made + "\n    return out, " + returned + "\ndef f_backward(dout, cache):\n    " + unpacked +
            "\n    dh = dout * (1 - out ** 2)\n    dx = dh @ W.T\n    return dx\n");
    };
    const std::string three = "x, W, out = cache", all = "10 right, 11 right";
    EXPECT_EQ(layer(" += (out,)", "cache", three), all);
    EXPECT_EQ(layer(" = cache + (out,)", "cache", three), all);
    EXPECT_EQ(layer(" = (*cache, out)", "cache", three), all);
    EXPECT_EQ(layer(" = cache", "cache + (out,)", three), all);
    EXPECT_EQ(layer(" = cache", "(cache, out)", "(x, W), out = cache"), all);
    EXPECT_EQ(layer(" = cache + (out,)", "cache", "out = cache[2]"), all);
    EXPECT_EQ(layer(" = cache + (out,)", "cache", "out = cache[-1]"), all);
    EXPECT_EQ(layer(" = cache + (out,)", "cache", "W, out = cache[1:]"), all);
    EXPECT_EQ(layer(" = cache + (h,)", "cache", "out = cache[2]"), "9 not read, 10 not read, 11 cannot tell");
    EXPECT_EQ(layer(" = cache + (h,)", "cache", "out = cache[3]").substr(0, 24), "9 not read, 10 not read,");
    for (const char* none : {"out = cache[:-4]", "out = cache[2:1]", "out = cache[-4]", "out = cache[0.5]"})
        EXPECT_EQ(layer(" = (out, x, W)", "cache", none).substr(0, 24), "9 not read, 10 not read,") << none;
    EXPECT_EQ(layer(" = cache", "cache - (out,)", three).find("right"), std::string::npos);
}

/// What a method returns, under the name of the attribute that it has or is given.
TEST(NumPyObjects, WhatMethodsReturn) {
    const std::string head =
        "# gradproof: dims n d m; input x [n, d], W [d, m]\nclass Layer:\n    def __init__(self, W):\n"
        "        self.W = W\n";
    const auto kept = [&](const std::string& gradient) {
        return of_program(head + "    def forward(self, x):\n        self.cache = (x, self.W)\n        return x @ self.W\n" +
                          "    def get(self):\n        return self.cache\n    def backward(self, dout):\n" +
                          "        x, W = self.get()\n        dW = " + gradient + "\n        return dout @ W.T, dW\n");
    };
    EXPECT_EQ(kept("x.T @ dout"), "12 right, 13 right");
    EXPECT_EQ(kept("2 * x.T @ dout").substr(0, 8), "12 wrong");
    const auto called = [&](const std::string& gradient) {
        return of_program(head + "    def forward(self, x):\n        return np.tanh(x @ self.W)\n    def __call__(self, x):\n" +
                          "        self.x = x\n        self.out = self.forward(x)\n        return self.out\n" +
                          "    def backward(self, dout):\n        dz = dout * " + gradient +
                          "\n        dW = self.x.T @ dz\n        return dz @ self.W.T, dW\n");
    };
    EXPECT_EQ(called("(1 - self.out ** 2)"), "13 right, 14 right");
    EXPECT_EQ(called("(1 - self.out)"), "13 wrong, 14 wrong");
}

TEST(NumPyObjects, EachOfSeveralResultsHasItsName) {
    const auto program = [](const std::string& names, const std::string& gradient) {
        return of_program(
            "# gradproof: dims n; input x [n]\ndef pair(x):\n    h = 2 * x\n    g = np.sin(x)\n    return h, g\n"
            "def forward(x):\n    " +
            names + " = pair(x)\n    out = a * b\n    return out\ndef backward(dout, x):\n    dx = dout * " + gradient +
            "\n    return dx\n");
    };
    EXPECT_EQ(program("a, b", "(2 * np.sin(x) + 2 * x * np.cos(x))"), "11 right");
    EXPECT_EQ(program("b, a", "(2 * np.sin(x) + 2 * x * np.cos(x))"), "11 right");
    EXPECT_EQ(program("a, b", "2 * np.sin(x)"), "11 wrong");
}

TEST(NumPyObjects, GradientsOfALayerStandInTheOrderOfItsParameters) {
    const auto layer = [](const std::string& returned) {
        return passed_because("a.py",
                              "import numpy as np\n# gradproof: dims n; input x [n, n], W [n, n], V [n, n]\nclass Layer:\n"
                              "    def __init__(self, W, V):\n        self.W, self.V = W, V\n    def forward(self, x):\n"
                              "        self.x = x\n        self.h = x @ self.W\n        return self.h @ self.V\n"
                              "    def backward(self, dout):\n        dV = self.h.T @ dout\n        dh = dout @ self.V.T\n"
                              "        dW = self.x.T @ dh\n        dx = dh @ self.W.T\n        return " +
                                  returned + "\n");
    };
    for (const char* returned : {"dx, dW, dV", "dx, (dW, dV)"})
        EXPECT_EQ(layer(returned), std::vector<std::string>{}) << returned;
    for (const char* returned : {"dx, dV, dW", "dx, [dV, dW]"})
        EXPECT_EQ(layer(returned), std::vector<std::string>{"in another order than W, V"}) << returned;
}

/// dh of a forward whose last row is returned.
TEST(NumPyObjects, TheLastRowsGradientIsWhatALoopBackBeginsWith) {
    const auto network = [](const std::string& factor) {
        return of_program(
            "# gradproof: dims L n d; input x [n, d], W [L, d, d]\ndef forward(x, W):\n    L = W.shape[0]\n"
            "    h = np.zeros((L + 1,) + x.shape)\n    h[0] = x\n    for i in range(L):\n"
            "        h[i + 1] = np.tanh(h[i] @ W[i])\n    return h[L], (W, h)\ndef backward(dout, cache):\n"
            "    W, h = cache\n    dW = np.zeros_like(W)\n    dh = dout\n    for i in reversed(range(L)):\n"
            "        dz = dh * " +
            factor + "\n        dW[i] = h[i].T @ dz\n        dh = dz @ W[i].T\n    return dh, dW\n");
    };
    EXPECT_EQ(network("(1 - h[i + 1] ** 2)"), "15 right, 17 right");
    EXPECT_EQ(network("(1 - h[i] ** 2)"), "15 wrong, 17 wrong");
}

TEST(NumPyObjects, NamesOfAClassBodyAreNoNamesOutsideOfIt) {
    const auto with = [](const std::string& attributes, const std::string& factor, const std::string& uses = "s") {
        return "import numpy as np\n# gradproof: dims n; input x [n]\ns = 2.0\n" + attributes + "def forward(x):\n    y = x * " +
               uses + "\n    return y\ndef backward(dy):\n    dx = dy * " + factor + "\n    return dx\n";
    };
    for (const char* attributes :
         {"class Config:\n    s = 3.0\n",
          "@dataclass\nclass Config:\n    \"\"\"settings\"\"\"\n    lr: float = 0.1\n    s: float = 3.0\n",
          "class Kind(IntEnum):\n    s = 3\n", "class Layer:\n    s = 3.0\n    def f(self, x):\n        return x\n"}) {
        EXPECT_TRUE(all_right(with(attributes, "2.0"))) << attributes;
        EXPECT_TRUE(of_program(with(attributes, "3.0")).ends_with("wrong")) << attributes;
    }
    EXPECT_EQ(passed_because("a.py", with("class Config:\n    s = 3.0\n", "2.0", "s * Config.s / 3")).size(), 1U);
}

TEST(NumPyObjects, GradientsThatBeginAtZeroAreAddedTo) {
    const auto layer = [](const std::string& initial, const std::string& backward, const std::string& more = "") {
        return "# gradproof: dims n d m; input x [n, d], W [d, m]\nimport numpy as np\nclass Linear:\n    def __init__(self, "
               "W):\n"
               "        self.W = W\n        " +
               initial +
               "\n    def forward(self, x):\n        self.x = x\n        return x @ self.W\n    def backward(self, dout):\n" +
               backward + "        dx = dout @ self.W.T\n        return dx\n" + more;
    };
    const std::string adds = "        self.dW += self.x.T @ dout\n", zero = "self.dW = np.zeros_like(W)",
                      zero_grad = "    def zero_grad(self):\n        self.dW.fill(0)\n";
    EXPECT_TRUE(all_right(layer(zero, adds)));
    EXPECT_TRUE(all_right(layer(zero, adds, zero_grad)));
    EXPECT_TRUE(all_right(layer(zero, "        dW = self.x.T @ dout\n        self.dW += dW\n")));
    const std::string dict = R"(self.grads = {"W": np.zeros_like(W)})",
                      adds_entry = "        self.grads[\"W\"] += self.x.T @ dout\n",
                      zero_all =
                          "    def zero_grad(self):\n        for k in self.grads:\n            self.grads[k] = "
                          "np.zeros_like(self.grads[k])\n";
    EXPECT_TRUE(all_right(layer(dict, adds_entry, zero_all)));
    EXPECT_FALSE(all_right(layer(zero, adds, "    def zero(self):\n        self.W.fill(0)\n")));
    EXPECT_EQ(of_program(layer(zero, "        self.dW += 2 * self.x.T @ dout\n")), "11 wrong, 12 right");
    EXPECT_EQ(of_program(layer(zero, adds + adds)).substr(0, 8), "12 wrong");
    for (const char* initial : {"self.dW = np.ones_like(W)", "self.dW = np.zeros_like(W)\n        self.dW[0] = 1",
                                "self.dW = np.zeros_like(W)\n        self.dW += W"})
        EXPECT_NE(of_program(layer(initial, adds)).find("not read"), std::string::npos) << initial;
    EXPECT_NE(of_program(layer(zero, adds, "    def again(self, dout):\n" + adds)).find("not read"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::proof
