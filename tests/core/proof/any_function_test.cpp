// Functions that are declared and not given: function f, then f(X) and f'(X).
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kLayer =
    "dims n d\nfunction f g\ninput W [n, d], x [d], b [n]\nforward\n  z = W x + b\n  y = f(z)\n  u = g(y)\nloss L = "
    "sum(u)\nclaim\n";

TEST(AnyFunction, ItsDerivativeIsAllThatIsKnown) {
    EXPECT_EQ(
        verdicts(kLayer + "  dz = dy ⊙ f'(z)\n  dz = dy ⊙ f(z)\n  dz = dy ⊙ g'(z)\n  dz = dy ⊙ f'(y)\n  dz = dy\n  dy = g'(y)\n"),
        "right, wrong, wrong, wrong, wrong, right");
    EXPECT_EQ(
        verdicts(kLayer +
                 "  dW = outer(dy ⊙ f'(z), x)\n  db = dy ⊙ f'(z)\n  dx = W^T (dy ⊙ f'(z))\n  ∂y[i]/∂z[j] = δ[i,j] f'(z[i])\n"
                 "  ∂y[i]/∂z[j] = f'(z[i])\n"),
        "right, right, right, right, wrong");
    // What holds of one function alone is wrong.
    EXPECT_EQ(
        verdicts("dims n\nfunction f\ninput z [n]\nforward\n  y = f(z)\nclaim\n  dz = dy ⊙ (1 - y^2)\n  dz = dy ⊙ y ⊙ (1 - y)\n"),
        "wrong, wrong");
}

TEST(AnyFunction, IsProvedAndSaid) {
    const std::string text = to_text(check_file("a.proof", kLayer + "  dz = dy ⊙ f'(z)\n  dz = dy ⊙ f(z)\n", {}));
    EXPECT_NE(text.find("for any smooth f of one number, any smooth g of one number"), std::string::npos) << text;
    EXPECT_NE(text.find("proved"), std::string::npos) << text;
    EXPECT_EQ(text.find("any f"), std::string::npos) << text;
}

TEST(AnyFunction, IsReadInLatexAndNumPy) {
    EXPECT_EQ(verdicts_by_line("a.tex",
                               "% gradproof: dims n d; function \\phi; input x [d], W [n, d], b [n]\n"
                               "\\[ z = W x + b, \\quad y = \\phi(z), \\quad L = \\sum_i y_i^2 \\]\n"
                               "\\[ \\frac{\\partial L}{\\partial z} = \\frac{\\partial L}{\\partial y} \\odot \\phi'(z) \\]\n"
                               "\\[ \\frac{\\partial L}{\\partial z_i} = 2 y_i \\phi'(z_i) \\]\n"
                               "\\[ \\frac{\\partial L}{\\partial z_i} = 2 \\phi'(z_i) \\]\n"
                               "\\[ \\frac{\\partial L}{\\partial x} = W^\\top \\left( \\frac{\\partial L}{\\partial y} \\odot "
                               "\\phi'(z) \\right) \\]\n"),
              "3 right, 4 right, 5 wrong, 6 right");
    EXPECT_EQ(verdicts_by_line(
                  "a.py",
                  "# gradproof: dims n d\n# gradproof: function f\n# gradproof: input W [n, d], x [d]\nz = W @ x\ny = f(z)\n"
                  "dz = dy * f_prime(z)\ndz = dy * f(z)\ndx = W.T @ (dy * df(z))\n"),
              "6 right, 7 wrong, 8 right");
}

TEST(AnyFunction, ASecondDerivativeFollowsFromIt) {
    EXPECT_EQ(verdicts("function f\ninput x []\nforward\n  loss L = f(x)\nclaim\n  ∂²L/∂x² = f'(x)\n"), "wrong");
    EXPECT_EQ(
        verdicts_by_line(
            "a.tex",
            "% gradproof: function f; input x []\n\\[ y = f(x)^2 \\]\n"
            "\\[ \\frac{\\partial y}{\\partial x} = 2 f(x) f'(x) \\]\n\\[ \\frac{\\partial y}{\\partial x} = f'(x)^2 \\]\n"),
        "3 right, 4 wrong");
}

TEST(AnyFunction, IsWrittenAndReadBack) {
    const Proof p = read_proofs("a.proof", kLayer + "  dz = dy ⊙ f'(z)\n").at(0);
    for (const Notation n : {Notation::notation, Notation::latex})
        EXPECT_EQ(read_back(p, n), written(p, Notation::notation)) << written(p, n);
}

TEST(AnyFunction, BadDeclarationsAreTold) {
    EXPECT_EQ(refused_as("dims n\ninput f [n]\nfunction f\nforward\n  y = f\n"), "f is already defined");
    EXPECT_EQ(refused_as("dims n\nfunction\ninput x [n]\n"), "expected names of functions: function f g");
    EXPECT_EQ(refused_as("dims n\ninput x [n]\nforward\n  y = foo(x)\n"),
              "unknown function foo: for any smooth function, write  function foo  above the forward");
    EXPECT_NE(refused_as("% gradproof: dims n; input x [n]\n\\[ y = \\phi(x) \\]\n", "a.tex")
                  .find("unknown function \\phi: for any smooth function, write  % gradproof: function \\phi"),
              std::string::npos);
}

TEST(AnyFunction, MayChooseTheOtherSideOfABranch) {
    const std::string head = "dims n\nfunction f\ninput x [n]\n";
    EXPECT_EQ(verdicts(head + "loss L = sum(f(x)) max(f(1), f(2))\nclaim\n  dx = f'(x) f(2)\n  dx = f'(x) max(f(1), f(2))\n"),
              "cannot tell, cannot tell");
    EXPECT_EQ(verdicts(head + "forward\n  c = f(0)\nloss L = sum(f(x)) abs(c)\nclaim\n  dx = -f'(x) c\n"), "cannot tell");
    EXPECT_EQ(verdicts(head + "loss L = sum(f(x)) f(1)\nclaim\n  dx = f'(x) f(1)\n"), "right");
}

}  // namespace
}  // namespace gradproof::proof
