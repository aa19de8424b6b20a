// Classes: a second layer in the file, gradients that do not leave the object, what objects share; and what loops over a list
// change.
#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/report_rows.hpp"
#include "gradproof/core/proof/language/numpy/function_pairs.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kSquare = R"(# gradproof: dims n d; input x [n, d]
import numpy as np
class Square:
    def forward(self, x):
        self.x = x
        y = x ** 2
        return y
    def backward(self, dy):
        dx = 2 * dy * self.x
        return dx
)";
std::vector<std::string> told_in(const std::string& program) { return passed_because("a.py", program); }

TEST(NumPyLayers, ASecondClassIsALayerOfItsOwn) {
    EXPECT_TRUE(told_in(kSquare).empty());
    const std::string cube = "    def forward(self, x):\n        self.x = x\n        y = x ** 3\n        return y\n";
    const std::vector<std::string> told{fmt::format("a second class has a forward: {}", numpy::kSeveral)};
    EXPECT_EQ(told_in(kSquare + "class Cube(Square):\n" + cube), told);
    EXPECT_EQ(told_in(kSquare + "class Cube:\n" + cube).front(), told.front());
    EXPECT_TRUE(told_in(kSquare + "class Box:\n    def show(self):\n        print(1)\n").empty());
}

TEST(NumPyLayers, WhatAllObjectsOfAClassShareIsTold) {
    const auto layer = [](const std::string& held) {
        std::string program = kSquare;
        program.insert(program.find("    def forward"), "    " + held + "\n");
        program.replace(program.find("self.x = x"), 10, "self.kept[\"x\"] = x");
        program.replace(program.rfind("self.x"), 6, "self.kept[\"x\"]");
        return told_in(program);
    };
    EXPECT_EQ(layer("kept = {}"), (std::vector<std::string>{"all objects of the class have one kept"}));
    EXPECT_EQ(layer("kept = dict()"), (std::vector<std::string>{"all objects of the class have one kept"}));
    EXPECT_TRUE(layer("def __init__(self):\n        self.kept = {}").empty());
}

const std::string kScale = R"(# gradproof: dims n d; input x [n, d], w [d], b [d]
import numpy as np
class Scale:
    def __init__(self, w, b):
        self.w, self.b = w, b
        self.dw = np.zeros_like(w)
    def forward(self, x):
        self.x = x
        y = x * self.w + self.b
        return y
    def backward(self, dy):
        {0}dw = (dy * self.x).sum(axis=0)
        self.db = dy.sum(axis=0)
        dx = dy * self.w
        return dx{1}
)";

TEST(NumPyLayers, AGradientThatIsNotKeptIsTold) {
    const auto scale = [](const std::string& owner, const std::string& rest) {
        return told_in(fmt::format(fmt::runtime(kScale), owner, rest));
    };
    EXPECT_EQ(scale("", ""), (std::vector<std::string>{"dw is neither returned nor kept, and other lines use self.dw"}));
    EXPECT_TRUE(scale("self.", "").empty());
    const std::vector<std::string> getter{"what this function returns is not read"};
    EXPECT_EQ(scale("self.", "\n    def get_grads(self):\n        return [self.db, self.dw]").at(0), getter[0]);
    EXPECT_EQ(scale("self.", "\n    def grad_w(self):\n        return self.db"), getter);
}

TEST(NumPyLayers, ALoopOverAListThatChangesGradientsIsNoUpdate) {
    const std::string function = R"(# gradproof: dims n d m; input x [n, d], w [d, m]
import numpy as np
def forward(x, w):
    y = x @ w
    return y
def backward(dy, x, w):
    dx = dy @ w.T
    dw = x.T @ dy
    outs = [dx, dw]
    for g in outs:
        {0}
    return dx, dw
)";
    for (const char* change : {"g /= len(dy)", "g *= 0", "g -= g.mean()", "g **= 2", "g += 1e-3"}) {
        const FileReport r = check_file("a.py", fmt::format(fmt::runtime(function), change));
        EXPECT_TRUE(r.unread() > 0 || !r.proofs[0].passed_over.empty()) << change << "\n" << to_text(r);
    }
    const std::string forward =
        "# gradproof: dims n d m; input x [n, d], w [d, m]\nimport numpy as np\ndef forward(x, w):\n"
        "    y = x @ w\n    outs = [y]\n    for o in outs:\n        o *= 2\n    return y\n"
        "def backward(dy, x, w):\n    dw = x.T @ dy\n    return dw\n";
    EXPECT_GT(check_file("a.py", forward).unread(), 0);
}

}  // namespace
}  // namespace gradproof::proof
