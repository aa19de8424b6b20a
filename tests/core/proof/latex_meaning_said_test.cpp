// What words beside equations in LaTeX make of them: changes, conditions, norms, columns.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// What changes a value is not passed over: the lines behind it are not judged as if it were not there.
TEST(LatexMeaning, AValueThatIsChangedIsNotTheOldOne) {
    const std::string given = "dims n m; input X [n, m], w [m], \\lambda []; const y [n]";
    const std::string loss = "\\[ L = \\|X w - y\\|^2 \\]\n", claim = "\\[ \\nabla_w L = 2 X^\\top (X w - y) \\]\n";
    for (const char* change :
         {"L \\gets L + \\lambda \\|w\\|^2", "L \\leftarrow 2 L", "L \\mathrel{+}= \\lambda \\|w\\|^2", "L \\mapsto 2 L"})
        EXPECT_EQ(tex(given, loss + "\\[ " + change + " \\]\n" + claim), "3 not read, 4 cannot tell") << change;
    EXPECT_EQ(tex(given, loss + "\\[ w \\leftarrow w - \\eta \\nabla_w L \\]\n" + claim), "4 right") << "a step of training";
}

/// Words around a condition may turn it round.
TEST(LatexMeaning, OnlyConditionsThatAreReadSayWhereALineHolds) {
    const std::string forward = "\\[ L = \\sum_{i,j} A_{ij}^2 + 3 \\sum_i A_{ii} \\]\n",
                      line = "\\frac{\\partial L}{\\partial A_{ij}} = ";
    const std::string given = "dims n; input A [n, n]";
    EXPECT_EQ(tex(given, forward + "\\[ " + line + "2 A_{ij} + 3 \\quad \\text{if } i = j \\]\n\\[ " + line +
                             "2 A_{ij}, \\quad i \\ne j \\]\n"),
              "3 right, 4 right");
    for (const char* where :
         {"\\text{except when } i = j", "\\text{if not } i = j", "\\quad \\text{if } i = j,\\ 0 \\text{ otherwise}",
          "\\quad \\text{whether or not } i = j", "\\quad \\text{unless } i = j", "\\quad \\text{if } i = j, \\text{ else } 0"})
        EXPECT_EQ(tex(given, forward + "\\[ " + line + "2 A_{ij} + 3 " + where + " \\]\n"), "3 not read") << where;
    for (const auto& [where, verdict] :
         {std::pair("i = j \\text{ or } i < j", "3 wrong"), {"i = j \\text{ and } j < n", "3 right"}})
        EXPECT_EQ(tex(given, forward + "\\[ " + line + "2 A_{ij} + 3, \\quad " + where + " \\]\n"), verdict) << where;
    EXPECT_EQ(tex(given, forward + "\\[ " + line + "2 A_{ij} + 3 \\delta_{ij} \\quad \\text{(by the chain rule)} \\]\n"),
              "3 right");
    EXPECT_EQ(tex("dims T n; input x [T, n]",
                  "\\[ L = \\sum_t \\|x_t\\|^2 \\]\n\\[ \\frac{\\partial L}{\\partial x_t} = 2 x_t, \\quad t = T \\]\n"),
              "3 right");
}

TEST(LatexMeaning, AnEqualsThatStandsTwiceIsOne) {
    EXPECT_EQ(
        tex("dims n m; input A [n, m], x [m]", "\\[ y = = A x \\]\n\\[ \\frac{\\partial y_i}{\\partial x_j} = = A_{ij} \\]\n"),
        "3 right");
    EXPECT_EQ(tex("dims n; input x [n]", "\\[ y =: f = 2 x \\]\n\\[ L = \\sum_i x_i^2 \\]\n\\[ \\nabla_x L = 2 x \\]\n"),
              "4 right");
}

TEST(LatexMeaning, TheNormIsTheOneThatASentenceNames) {
    const auto judged = [](const std::string& said, const std::string& claim) {
        return of_tex("Let $x \\in \\mathbb{R}^n$ and $X \\in \\mathbb{R}^{m \\times n}$, " + said +
                      "\n\\[ f = \\|x\\|, \\quad g = \\|X\\|^2 \\]\n\\[ " + claim + " \\]\n");
    };
    for (const char* said : {"where $\\|\\cdot\\|$ denotes the 1-norm.", "let $\\|x\\|$ be the $\\ell_1$ norm.",
                             "with $\\|\\cdot\\|$ the $L^1$ norm."}) {
        const auto of_vector = [&](const char* claim) {
            return of_tex("Let $x \\in \\mathbb{R}^n$, " + std::string(said) + "\n\\[ f = \\|x\\| \\]\n\\[ " + claim + " \\]\n");
        };
        EXPECT_EQ(of_vector("\\nabla_x f = \\mathrm{sign}(x)"), "3 right") << said;
        EXPECT_EQ(of_vector("\\nabla_x f = x / \\|x\\|"), "3 wrong") << said;
    }
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$, where $\\|\\cdot\\|$ is the infinity norm.\n\\[ f = \\|x\\| \\]\n"
                     "\\[ \\nabla_x f = x / \\|x\\| \\]\n"),
              "3 wrong");
    EXPECT_EQ(judged("where $\\|\\cdot\\|$ denotes the Frobenius norm.", "\\nabla_X g = 2 X"), "3 right");
    EXPECT_EQ(judged("where $\\|\\cdot\\|$ denotes the spectral norm.", "\\nabla_X g = 2 X"), "2 not read, 3 not read");
    EXPECT_EQ(judged("where $\\|\\cdot\\|$ is the Euclidean norm.", "\\nabla_x f = x / \\|x\\|"), "3 right");
    EXPECT_EQ(judged("and we penalise the 1-norm elsewhere.", "\\nabla_x f = x / \\|x\\|"), "3 right");
    for (const char* said : {"We could take $\\|x\\|$ as the 1-norm.", "If $\\|x\\|$ is the 1-norm, it changes."})
        EXPECT_EQ(
            of_tex("Let $x \\in \\mathbb{R}^n$. " + std::string(said) + "\n\\[ f = \\|x\\| \\]\n\\[ \\nabla_x f = x / f \\]\n"),
            "3 right")
            << said;
    // A vector whose 1-norm is 1 is no unit vector.
    EXPECT_EQ(of_tex("Let $x, y \\in \\mathbb{R}^n$, where $\\|\\cdot\\|$ is the 1-norm, and $\\|x\\| = 1$.\n"
                     "\\[ f = x^\\top y / \\|x\\|_2 \\]\n\\[ \\nabla_x f = y - f x \\]\n"),
              "3 cannot tell");
}

TEST(LatexMeaning, TheSoftmaxActsOnColumnsWhereThatIsSaid) {
    const auto judged = [](const std::string& said) {
        const std::string text = "Let $S, C \\in \\mathbb{R}^{n \\times m}$. " + said +
                                 "\n\\[ P = \\mathrm{softmax}(S), \\quad L = \\sum_{ij} C_{ij} P_{ij} \\]\n"
                                 "\\[ \\frac{\\partial L}{\\partial S_{ij}} = P_{ij} (C_{ij} - \\sum_k C_{kj} P_{kj}), \\quad "
                                 "\\frac{\\partial L}{\\partial S_{ij}} = P_{ij} (C_{ij} - \\sum_k C_{ik} P_{ik}) \\]\n";
        CheckOptions quick;
        quick.diagnose = quick.mutation = false;
        return verdicts(text, quick, "a.tex");
    };
    for (const char* said : {"The softmax acts on columns.", "The softmax is applied to the columns of $S$.",
                             "The columns of $P$ sum to one.", "The softmax is taken along the first axis."})
        EXPECT_EQ(judged(said), "right, wrong") << said;
    for (const char* said : {"The columns of $C$ sum to one.", "The softmax acts on rows."})
        EXPECT_EQ(judged(said), "wrong, right") << said;
}

}  // namespace
}  // namespace gradproof::proof
