// Words and conditions beside formulas of LaTeX, what a symbol means by what is known of it, and repairs in the text's own way.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexMeaning, WordsBesideAFormulaMayChangeIt) {
    const std::string given = "dims n; input x [n], y [n]", forward = "\\[ L = \\tfrac12 \\|x\\|^2 + x^\\top y \\]\n";
    const std::string left = "\\[ \\frac{\\partial L}{\\partial x} = ";
    for (const char* right : {"(x + y) \\text{ times } 2", "x + y \\text{ minus } x", "x + y, \\text{ divided by } n",
                              "x + y \\text{ squared}", "x + y \\text{ (transposed)}", "x + y \\quad \\text{or } 2x",
                              "x \\text{ plus } y", "x + y \\text{ pieces }", "x + y \\quad \\text{scaled: } 2"})
        EXPECT_EQ(tex(given, forward + left + right + " \\]\n"), "3 not read") << right;
    for (const char* right :
         {"x + y \\quad \\text{(by the chain rule)}", "x + y \\text{ by symmetry}", "x + y, \\quad \\text{as claimed}",
          "x + y \\text{ for all } x", "x + y \\quad \\text{[sum rule]}", "x + y \\text{ since } y = y"})
        EXPECT_EQ(tex(given, forward + left + right + " \\]\n"), "3 right") << right;
    EXPECT_EQ(
        tex("dims n; input x [n]", "\\[ y = x^2 \\text{ divided by } n \\]\n\\[ \\nabla_x L = 2 x \\odot \\nabla_y L \\]\n"),
        "2 not read, 3 not read");
    const std::string column = forward + "\\begin{align} \\nabla_x L &= x + y ";
    EXPECT_EQ(tex(given, column + "&& \\text{sum rule, transpose, twice} \\end{align}\n"), "3 right");
    EXPECT_EQ(tex(given, column + "& \\text{times } 2 \\end{align}\n"), "3 not read");
}

TEST(LatexMeaning, AConditionOnValuesGoesForItsEntries) {
    const std::string given = "dims n; input x [n], s []";
    for (const char* forward : {"y_i = x_i, \\quad x_i > 0", "y_i = x_i \\quad (x_i > 0)", "y = x, \\quad x > 0"})
        EXPECT_EQ(tex(given, std::string("\\[ ") + forward + " \\]\n\\[ \\nabla_x L = \\nabla_y L \\]\n"),
                  "2 not read, 3 not read")
            << forward;
    EXPECT_EQ(tex(given, "\\[ y = s x, \\quad s > 0 \\]\n\\[ \\nabla_x L = s \\nabla_y L, \\quad s > 0 \\]\n"), "3 right");
    const std::string abs = "\\[ y_i = |x_i| \\]\n", left = "\\[ \\frac{\\partial y_i}{\\partial x_i} = ";
    EXPECT_EQ(tex(given, abs + left + "1, \\quad x_i > 0 \\]\n" + left + "-1 \\quad (x_i < 0) \\]\n" + left +
                             "-1 \\quad \\text{if } x_i > 0 \\]\n" + left + "1 \\]\n"),
              "3 right, 4 right, 5 wrong, 6 wrong");
}

TEST(LatexMeaning, ANumberToTheSizeTIsItsPower) {
    EXPECT_EQ(tex("dims T; input x [T], \\lambda []",
                  "\\[ R = \\lambda^T \\sum_{t=1}^T x_t \\]\n\\[ \\frac{\\partial R}{\\partial x_t} = \\lambda \\]\n"
                  "\\[ \\frac{\\partial R}{\\partial \\lambda} = T \\lambda^{T-1} \\sum_t x_t \\]\n"
                  "\\[ \\frac{\\partial R}{\\partial x_T} = \\lambda^T \\]\n"),
              "3 wrong, 4 right, 5 right");
    EXPECT_EQ(tex("dims T d; input g [T, d], m_0 [d]; const \\beta = 0.9",
                  "\\[ m_t = \\beta m_{t-1} + (1 - \\beta) g_t \\]\n\\[ m_T = \\beta^T m_0 + (1-\\beta) \\sum_{t=1}^T "
                  "\\beta^{T-t} g_t \\]\n"),
              "3 right");
    EXPECT_EQ(
        verdicts("dims T\ninput x [T], a []\nforward\n  y = a^T sum(x)\nclaim\n  da = T a^(T-1) sum(x) dy\n  da = sum(x) dy\n"),
        "right, wrong");
}

TEST(LatexMeaning, TwoColumnsBesideEachOtherAreNoNumber) {
    const std::string given = "dims n; input x [n], y [n], a []", forward = "\\[ L = a x^\\top y \\]\n";
    for (const char* right : {"x^\\top y", "x \\cdot y", "\\langle x, y \\rangle", "y^\\top x"})
        EXPECT_EQ(tex(given, forward + "\\[ \\frac{\\partial L}{\\partial a} = " + right + " \\]\n"), "3 right") << right;
    EXPECT_EQ(tex(given, forward + "\\[ \\frac{\\partial L}{\\partial a} = x y \\]\n"), "3 wrong");
}

TEST(LatexMeaning, DerivativesOfExpressionsByEntries) {
    const std::string forward = "\\[ \\pi_a = \\frac{e^{\\theta_a}}{\\sum_b e^{\\theta_b}} \\]\n";
    const std::string left = "\\[ \\frac{\\partial \\log \\pi_i}{\\partial \\theta_j} = ";
    EXPECT_EQ(
        tex("dims A; input \\theta [A]", forward + left + "\\delta_{ij} - \\pi_j \\]\n" + left + "\\delta_{ij} - \\pi_i \\]\n" +
                                             "\\[ \\nabla_\\theta L = \\pi \\odot \\nabla_\\pi L - \\pi \\sum_a \\pi_a "
                                             "\\frac{\\partial L}{\\partial \\pi_a} \\]\n"),
        "3 right, 4 wrong, 5 right");
    EXPECT_EQ(tex("dims n; input x [n]",
                  "\\[ f = \\sum_i x_i^4 \\]\n\\[ \\nabla f(x) = 4 x^3 \\]\n\\[ \\nabla_x f(x) = 4 x^3 \\]\n"
                  "\\[ \\nabla f(x) = 3 x^3 \\]\n"),
              "3 right, 4 right, 5 wrong");
}

TEST(LatexMeaning, LabelsCountFromOneAsEntriesDo) {
    const std::string given = "dims n c; input z [n, c]; const y [n] ~ index(c)",
                      left = "\\[ \\frac{\\partial L}{\\partial z_{ij}} = ";
    EXPECT_EQ(tex(given, "\\[ L = -\\sum_i z_{i,y_i} \\]\n" + left + "-\\mathbf{1}[j = y_i] \\]\n" + left +
                             "-\\mathbf{1}[j = y_i + 1] \\]\n"),
              "3 right, 4 wrong");
}

TEST(LatexMeaning, RepairsCountFromOneToo) {
    const auto repaired = [](const std::string& line) {
        const ProofReport r = check_proof(read_proofs("a.tex",
                                                      "% gradproof: dims T d; input r [T], x [T, d], \\gamma [] ~ positive\n"
                                                      "\\[ R = \\sum_{t=1}^T \\gamma^{t-1} r_t \\]\n\\[ m = 2 x \\]\n" +
                                                          line)
                                              .at(0),
                                          {});
        return r.lines.at(0).repair ? text_of(*r.lines[0].repair) : r.lines[0].reason;
    };
    EXPECT_EQ(repaired("\\[ \\frac{\\partial R}{\\partial r_t} = \\gamma^{t-2} \\]"), "\\gamma \\gamma^{t - 2}");
    EXPECT_EQ(repaired("\\[ m_T = 3 x_T \\]"), "2 x_{T}");
}

TEST(LatexMeaning, RepairsAreWrittenAsTheirTextIs) {
    const auto repaired = [](const std::string& given, const std::string& lines) {
        const ProofReport r = check_proof(read_proofs("a.tex", "% gradproof: " + given + "\n" + lines).at(0), {});
        return r.lines.at(0).repair ? text_of(*r.lines[0].repair) : "";
    };
    EXPECT_EQ(repaired("dims n m; input W [n, m], x [m]", "\\[ y = W x \\]\n\\[ \\nabla_x L = W \\nabla_y L \\]\n"),
              "W^\\top \\nabla_{y} L");
    const std::string norm =
        "\\[ \\mu_j = \\frac{1}{n} \\sum_i x_{ij}, \\quad \\sigma_j^2 = \\frac{1}{n} \\sum_i (x_{ij} - \\mu_j)^2 \\]\n"
        "\\[ y_{ij} = (x_{ij} - \\mu_j) (\\sigma_j^2 + 0.001) \\]\n";
    EXPECT_EQ(repaired("dims n d; input x [n, d]",
                       norm + "\\[ \\frac{\\partial L}{\\partial x_{ij}} = \\frac{\\partial L}{\\partial y_{ij}} \\]\n")
                  .find("\\sigma_{j} +"),
              std::string::npos);
    EXPECT_EQ(repaired("dims n d; input x [n, d]", norm + "\\[ y_{ij} = 2 (x_{ij} - \\mu_j) (\\sigma_j^2 + 0.001) \\]\n"),
              "(x_{i,j} - \\mu_{j}) (\\sigma^2_{j} + 0.001)");
}

}  // namespace
}  // namespace gradproof::proof
