// One text writes in one way: rows and columns, layouts, and what a stated convention refuses.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kOf = "\\frac{\\partial L}{\\partial ";

TEST(OneConvention, RightSidesThatNeedOppositeOnesCannotBothStand) {
    const std::string given = "dims n m; input x [n], y [m], W [m, n]";
    const std::string forward = "\\[ s = \\tanh(y^\\top W x) \\]\n";  // W x and y^T W: columns
    EXPECT_EQ(tex(given, forward + "\\[ " + kOf + "W} = " + kOf + "s} (1 - s^2) y x^\\top \\]\n"), "3 right");
    EXPECT_EQ(tex(given, forward + "\\[ " + kOf + "W} = " + kOf + "s} (1 - s^2) y^\\top x \\]\n"), "3 wrong");

    const std::string unsaid = "dims n m; input x [n], y [m], P [m, n]", sum = "\\[ s = \\sum_{ij} y_i P_{ij} x_j \\]\n";
    const std::string columns = "\\[ " + kOf + "P} = " + kOf + "s} y x^\\top \\]\n";
    const std::string rows = "\\[ " + kOf + "P} = " + kOf + "s} y^\\top x \\]\n";
    EXPECT_EQ(tex(unsaid, sum + columns), "3 right");
    EXPECT_EQ(tex(unsaid, sum + rows), "3 cannot tell");  // nothing else shows rows
    EXPECT_EQ(tex(unsaid, sum + rows + rows), "3 right, 4 right");
    EXPECT_EQ(tex(unsaid, sum + columns + rows), "3 right, 4 cannot tell");
    EXPECT_EQ(tex(unsaid, sum + rows + rows + columns), "3 cannot tell, 4 cannot tell, 5 right");
    // In the notation a vector has one axis: neither is preferred.
    const std::string proof = "dims n m\ninput x [n], y [m], P [m, n]\nforward\n  s = sum(outer(y, x) ⊙ P)\nclaim\n";
    const std::string u_vt = "  ∂L/∂P = ∂L/∂s y x^T\n", ut_v = "  ∂L/∂P = ∂L/∂s y^T x\n";
    EXPECT_EQ(verdicts(proof + u_vt + ut_v), "cannot tell, cannot tell");
    EXPECT_EQ(verdicts(proof + u_vt + u_vt + ut_v), "right, right, cannot tell");
    EXPECT_EQ(tex("convention columns; " + unsaid, sum + columns + rows), "3 right, 4 wrong");
}

TEST(OneConvention, AStatedOneMindsRowsAndColumnsOfTheNotationToo) {
    const std::string given = "dims n\ninput x [n], y [n]\nforward\n  L = x^T y\nclaim\n";
    const std::string lines = "  dx = y\n  dx = y^T\n  -dx = -y^T\n  dx^T = y\n  dx^T = y^T\n";
    EXPECT_EQ(verdicts("convention columns\n" + given + lines), "right, wrong, wrong, wrong, right");
    EXPECT_EQ(verdicts(given + lines), "right, right, right, right, right");  // a vector has one axis
}

TEST(OneConvention, AColumnBesideAMatrixGoesWithItsRows) {
    const auto of = [](const std::string& forward, const std::string& claim) {
        return verdicts("convention columns\ndims n m\ninput A [n, n], B [n, m], s [n], b [m]\nforward\n  Y = " + forward +
                        "\nclaim\n  " + claim);
    };
    // What a column means, and what the notation would compute, are two values of Y, and two gradients.
    EXPECT_EQ(of("s ⊙ A", "∂L/∂A = s ⊙ ∂L/∂Y"), "not read, not read");
    EXPECT_EQ(of("A - s", "∂L/∂s = -colsum(∂L/∂Y)"), "not read, not read");
    EXPECT_EQ(of("B / s", "∂L/∂B = ∂L/∂Y / s"), "not read, not read");
    EXPECT_EQ(of("where(A > 0, A, s)", "∂L/∂A = (A > 0) ⊙ ∂L/∂Y"), "not read, not read");
    EXPECT_EQ(of("diag(s) A", "∂L/∂A = diag(s) ∂L/∂Y"), "right");
    EXPECT_EQ(of("A - s 1^T", "∂L/∂s = -rowsum(∂L/∂Y)"), "right");
    EXPECT_EQ(of("diag(s) A", "∂L/∂A = s ⊙ ∂L/∂Y"), "not read");
    EXPECT_EQ(of("B + b", "∂L/∂b = colsum(∂L/∂Y)"), "right");  // it only fits the columns
    EXPECT_EQ(verdicts("dims n\ninput A [n, n], s [n]\nforward\n  Y = s ⊙ A\nclaim\n  ∂L/∂A = s ⊙ ∂L/∂Y"), "right");
}

TEST(OneConvention, OneLayoutOfJacobiansGoesForAText) {
    const std::string given = "dims n m; input x [n], W [m, n]", forward = "\\[ z = W x \\]\n";
    const std::string by_numerator = "\\[ \\frac{\\partial z}{\\partial x} = W \\]\n";
    const std::string by_denominator = "\\[ \\frac{\\partial z}{\\partial x} = W^\\top \\]\n";
    EXPECT_EQ(tex(given, forward + by_numerator), "3 right");
    EXPECT_EQ(tex(given, forward + by_denominator), "3 right");
    EXPECT_EQ(tex(given, forward + by_numerator + by_denominator), "3 cannot tell, 4 cannot tell");
    EXPECT_EQ(tex("layout numerator; " + given, forward + by_numerator + by_denominator), "3 right, 4 wrong");
    EXPECT_EQ(tex("layout denominator; " + given, forward + by_numerator + by_denominator), "3 wrong, 4 right");
}

TEST(OneConvention, ARowIsNoColumn) {
    const std::string given = "convention columns; dims n m; input x [n], W [m, n], b [m]";
    const std::string forward = "\\[ y = \\tanh(W x + b) \\]\n\\[ z = 2 y \\]\n";
    EXPECT_EQ(tex(given, forward + "\\[ \\nabla_y L = 2 \\nabla_z L \\]\n"), "4 right");
    EXPECT_EQ(tex(given, forward + "\\[ \\nabla_y L = 2 \\nabla_z L^\\top \\]\n"), "4 wrong");
    EXPECT_EQ(tex(given, forward + "\\[ " + kOf + "y} = 2 \\left(" + kOf + "z}\\right)^\\top \\]\n"), "4 wrong");
    EXPECT_EQ(tex("dims n; input x [n]", "\\[ y = 2 x \\]\n\\[ \\nabla_x L = 2 \\nabla_y L^\\top \\]\n"), "3 wrong");
}

TEST(OneConvention, GradientsLieAllOneWay) {
    const std::string given = "dims n m k; input x [n], W [m, n], V [k, m]", forward = "\\[ h = W x \\]\n\\[ y = V h \\]\n";
    const std::string h_as_row = "\\[ " + kOf + "h} = " + kOf + "y} V \\]\n",
                      h_as_column = "\\[ " + kOf + "h} = V^\\top " + kOf + "y} \\]\n";
    const std::string x_as_row = "\\[ " + kOf + "x} = " + kOf + "h} W \\]\n",
                      x_as_column = "\\[ " + kOf + "x} = W^\\top " + kOf + "h} \\]\n";
    EXPECT_EQ(tex(given, forward + h_as_row + x_as_row), "4 right, 5 right");
    EXPECT_EQ(tex(given, forward + h_as_column + x_as_column), "4 right, 5 right");
    EXPECT_EQ(tex(given, forward + h_as_column + x_as_row), "4 cannot tell, 5 cannot tell");
    EXPECT_EQ(tex(given, forward + h_as_column + x_as_row + x_as_column), "4 right, 5 cannot tell, 6 right");
    EXPECT_EQ(tex("layout denominator; " + given, forward + h_as_column + x_as_column), "4 right, 5 right");
    // ∇ lies as its variable does.
    EXPECT_EQ(tex(given, forward + "\\[ \\nabla_x L = \\nabla_h L W \\]\n"), "4 wrong");
    EXPECT_EQ(tex("convention columns; " + given, forward + "\\[ \\nabla_x L = \\nabla_h L W \\]\n"), "4 wrong");
}

TEST(OneConvention, ATextByTheNumeratorIsRightThroughout) {
    EXPECT_EQ(
        tex("dims n m; input x [n], W [m, n], b [m], u [m]",
            "\\[ z = W x + b \\]\n\\[ h = \\sigma(z) \\]\n\\[ s = u^\\top h \\]\n"
            "\\begin{align}\n\\frac{\\partial s}{\\partial u} &= h^\\top \\\\\n"
            "\\delta &= \\frac{\\partial s}{\\partial z} = u^\\top \\odot \\sigma'(z)^\\top \\\\\n"
            "\\frac{\\partial s}{\\partial W} &= \\delta^\\top x^\\top \\\\\n"
            "\\frac{\\partial s}{\\partial b} &= \\delta \\\\\n\\frac{\\partial s}{\\partial x} &= \\delta W\n\\end{align}\n"),
        "6 right, 7 right, 8 right, 9 right, 10 right");
}

TEST(OneConvention, AForwardSaysWhatAProductOfVectorsIs) {
    const std::string given = "dims d; input x [d], y [d], k [d], v [d], q [d]";
    EXPECT_EQ(tex(given,
                  "\\[ o = y y^\\top x \\]\n\\[ \\nabla_x L = y y^\\top \\nabla_o L \\]\n"
                  "\\[ \\nabla_x L = y^\\top y \\nabla_o L \\]\n\\[ \\nabla_x L = (y^\\top \\nabla_o L) y \\]\n"),
              "3 right, 4 wrong, 5 right");
    EXPECT_EQ(tex(given,
                  "\\[ S = k v^\\top \\]\n\\[ o = S^\\top q \\]\n\\[ \\nabla_v L = (k^\\top q) \\nabla_o L \\]\n"
                  "\\[ \\nabla_v L = k (q^\\top \\nabla_o L) \\]\n"),
              "4 right, 5 wrong");
    // Rows, where the forward fits only so; with rows alone s = q k^\top is a number.
    EXPECT_EQ(tex("dims n m; input x [n], W [n, m]",
                  "\\[ y = x W \\]\n\\[ \\nabla_W L = x^\\top \\nabla_y L \\]\n\\[ \\nabla_W L = x \\nabla_y L^\\top \\]\n"),
              "3 right, 4 wrong");
}

TEST(OneConvention, DoubledBarsAreANorm) {
    const std::string given = "dims d; input x [d], z [d]";
    const std::string of = "\\frac{\\partial L}{\\partial y}";
    for (const char* bars : {"||x||", "\\left|\\left|x\\right|\\right|", "\\lVert x \\rVert", "| | x | |"})
        EXPECT_EQ(tex(given, "\\[ y = " + std::string(bars) + "^2 x \\]\n\\[ \\nabla_x L = 3 " + bars + "^2 " + of +
                                 " \\]\n\\[ \\nabla_x L = " + bars + "^2 " + of + " + 2 x (x^\\top " + of + ") \\]\n"),
                  "3 wrong, 4 right")
            << bars;
    EXPECT_EQ(tex(given, "\\[ y = |x||z| \\]\n\\[ \\nabla_x L = \\operatorname{sign}(x) \\odot |z| \\odot " + of + " \\]\n"),
              "2 not read, 3 not read");
}

TEST(OneConvention, ADivisorOfSeveralFactorsIsAskedFor) {
    const std::string gaussian = "dims n; input x [n], \\mu [n], \\sigma []";
    const std::string divided = "\\[ \\ell = \\sum_i (-(x_i - \\mu_i)^2 / 2 \\sigma^2) \\]\n";
    EXPECT_EQ(tex(gaussian, divided + "\\[ \\frac{\\partial \\ell}{\\partial \\mu} = (x - \\mu) / \\sigma^2 \\]\n"),
              "3 cannot tell");
    EXPECT_EQ(tex(gaussian, divided + "\\[ \\frac{\\partial \\ell}{\\partial \\mu} = \\sigma^2 (x - \\mu) \\]\n"),
              "3 cannot tell");
    const std::string cosine = "dims n; input u [n], v [n]", of = "\\[ s = u^\\top v / \\|u\\| \\|v\\| \\]\n";
    EXPECT_EQ(
        tex(cosine, of + "\\[ \\nabla_u L = \\nabla_s L (v / (\\|u\\| \\|v\\|) - u (u^\\top v) / (\\|u\\|^3 \\|v\\|)) \\]\n"),
        "3 cannot tell");
    const std::string squares = "dims n; input x [n], y [n]";
    EXPECT_EQ(tex(squares, "\\[ \\ell = 1/2n \\sum_i (x_i - y_i)^2 \\]\n\\[ \\nabla_x \\ell = (x - y) / n \\]\n"),
              "3 cannot tell");
    // These read in one way: a half, \cdot, and what is no number together.
    EXPECT_EQ(tex(squares, "\\[ \\ell = 1/2 \\|x - y\\|^2 \\]\n\\[ \\nabla_x \\ell = x - y \\]\n"), "3 right");
    EXPECT_EQ(tex(squares, "\\[ \\ell = 1/n \\cdot \\|x - y\\|^2 \\]\n\\[ \\nabla_x \\ell = 2 (x - y) / n \\]\n"), "3 right");
    EXPECT_EQ(tex("dims n m d; input Q [n, d], K [m, d]",
                  "\\[ S = 1/\\sqrt{d} Q K^\\top \\]\n\\[ \\nabla_Q L = \\nabla_S L K / \\sqrt{d} \\]\n"),
              "3 right");
    EXPECT_EQ(tex(squares, "\\[ \\ell = \\frac{1}{2n} \\sum_i (x_i - y_i)^2 \\]\n\\[ \\nabla_x \\ell = (x - y) / n \\]\n"),
              "3 right");
}

TEST(OneConvention, AForwardThatFitsWithColumnsOnlyHasThem) {
    const std::string given = "dims m n; input u [m], v [n], A [m, n], s [n]", outer = "\\[ S = A + u v^\\top \\]\n";
    const std::string lines = "\\[ \\nabla_u L = \\nabla_S L\\, v \\]\n\\[ \\nabla_u L = v^\\top \\nabla_S L^\\top \\]\n";
    EXPECT_EQ(tex(given, outer + lines), "3 right, 4 wrong");
    EXPECT_EQ(tex("dims m n; input u [m], v [n], A [n, m]", "\\[ S = A + v^\\top u \\]\n\\[ \\nabla_u L = v \\nabla_S L \\]\n"),
              "3 right");
    // A line that fits in neither way takes nothing from the others.
    EXPECT_EQ(tex(given, outer + "\\[ B = A + s u^\\top \\]\n\\[ C = 2 S \\]\n\\[ dA = 2 dC \\]\n"), "3 wrong, 5 right");
}

TEST(OneConvention, FunctionsOfSquareMatricesAreAskedFor) {
    const std::string square = "dims n d; input A [n, n], X [n, d], x [n]";
    const std::string slip = "\\[ \\nabla_A L = e^{A} \\odot (\\nabla_y L\\, x^\\top) \\]\n";
    EXPECT_EQ(tex(square, "\\[ y = e^{A} x \\]\n" + slip), "3 cannot tell");
    EXPECT_EQ(tex(square, "\\[ y = \\exp(A) x \\]\n" + slip), "3 cannot tell");
    EXPECT_EQ(tex(square, "With an elementwise $\\exp$:\n\\[ y = \\exp(A) x \\]\n" + slip), "4 right");
    EXPECT_EQ(tex(square, "\\[ Y = e^{X} \\]\n\\[ \\nabla_X L = e^{X} \\odot \\nabla_Y L \\]\n"), "3 right");
    EXPECT_EQ(tex("dims n; input W [n, n], x [n], p []",
                  "\\[ y = W^p x \\]\n\\[ \\nabla_W L = p W^{p-1} \\odot (\\nabla_y L\\, x^\\top) \\]\n"),
              "3 cannot tell");
    EXPECT_EQ(
        tex("dims n; input x [n] ~ positive, p []", "\\[ y = x^p \\]\n\\[ \\nabla_x L = p x^{p-1} \\odot \\nabla_y L \\]\n"),
        "3 right");
}

TEST(OneConvention, AMisplacedSlopeIsNotRightFromLeftToRight) {
    const std::string given = "dims n m; input x [n], W [m, n]", forward = "\\[ y = \\tanh(W x) \\]\n";
    EXPECT_EQ(tex(given, forward + "\\[ " + kOf + "x} = (1 - y^2) \\odot W^\\top " + kOf + "y} \\]\n"), "3 cannot tell");
    EXPECT_EQ(tex(given, forward + "\\[ " + kOf + "x} = W^\\top ((1 - y^2) \\odot " + kOf + "y}) \\]\n"), "3 right");
    EXPECT_EQ(tex("dims b n m; input X [b, n], W [n, m]",
                  "\\[ Y = \\tanh(X W) \\]\n\\[ " + kOf + "X} = " + kOf + "Y} \\odot (1 - Y^2) W^\\top \\]\n"),
              "3 right");
}

TEST(OneConvention, WithOneAxisAVectorIsNeither) {
    const std::string proof = "dims n\ninput x [n], A [n, n]\nforward\n  y = x A\n  z = A x\n  o = y + z\nclaim\n";
    EXPECT_EQ(verdicts(proof + "  ∂L/∂A = outer(x, ∂L/∂o) + outer(∂L/∂o, x)\n  ∂L/∂x = A ∂L/∂o + ∂L/∂o A\n"), "right, right");
    EXPECT_EQ(tex("dims n; input x [n], A [n, n]", "\\[ f = x A x \\]\n\\[ " + kOf + "x} = " + kOf + "f} (A x + x A) \\]\n"),
              "3 right");
}

TEST(OneConvention, ATransposedVectorBesideAColumnIsSaid) {
    const LineReport line = lines_of(
                                "dims n m\ninput W [n, m], x [m]\nforward\n  z = W x\n  y = tanh(z)\nclaim\n"
                                "  (∂L/∂x)^T = W^T ∂L/∂z\n")
                                .at(0);
    EXPECT_EQ(line.verdict, Verdict::right);
    EXPECT_NE(line.read_as.find("right if a vector has one axis: "), std::string::npos) << line.read_as;
}

}  // namespace
}  // namespace gradproof::proof
