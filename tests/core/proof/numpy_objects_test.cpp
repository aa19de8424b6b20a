// What objects and dicts of a program hold where a line reads it: what its own function has put there, else what others have.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"
#include "tests/core/proof/notebooks.hpp"

namespace gradproof::proof {
namespace {

TEST(NumPyObjects, AMethodReadsWhatItHasGivenTheAttributeItself) {
    const auto layer = [](const std::string& given, const std::string& behind) {
        return verdicts_in(
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
        return verdicts_in(
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
        return verdicts_in("# gradproof: dims n d; input x [n, d]\ndef dropout_forward(x, settings):\n    p = " + get +
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
        return verdicts_in(
            "# gradproof: dims n d; input x [n, d]\ndef forward(x, p):\n    eps = p.get(\"eps\", 0.1)\n"
            "    return np.sqrt(x ** 2 + eps)\ndef backward(dout, x, p):\n    eps = p.get(\"eps\", " +
            eps + ")\n    dx = dout * x / np.sqrt(x ** 2 + eps)\n    return dx\n");
    };
    EXPECT_EQ(layer("0.1"), "7 right");
    EXPECT_EQ(layer("0.2"), "6 not read, 7 not read");
}

}  // namespace
}  // namespace gradproof::proof
