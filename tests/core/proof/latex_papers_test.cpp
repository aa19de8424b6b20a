// Forms of published derivations, told by verdicts: of right lines, and of wrong ones beside them.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string paper(const std::string& text) { return verdicts_by_line("a.tex", text); }
std::string shown(const std::string& equation) { return "\\[ " + equation + " \\]\n"; }

TEST(LatexPapers, SentencesStateShapesInAnyFontAndInLists) {
    const std::string lines = shown("\\mathbf{z} = \\mathbf{x} \\odot \\mathbf{y}") +
                              shown("\\nabla_{\\mathbf{y}} L = \\mathbf{x} \\odot \\nabla_{\\mathbf{z}} L") +
                              shown("\\nabla_{\\mathbf{y}} L = \\mathbf{y} \\odot \\nabla_{\\mathbf{z}} L");
    for (const char* sentence :
         {"Given $\\mathbf{x} \\in \\mathbb{R}^d$ and $\\mathbf{y} \\in \\mathbb{R}^d$.",
          "Given $\\bm{x}, \\bm{y} \\in \\mathbb{R}^d$.", "Given $\\mathbf x, \\boldsymbol y \\in \\mathbb R^d$.",
          "The inputs $x$ and $y$ are in $\\mathbb{R}^{d}$.", "Given \\(\\mathbf{x}, \\mathbf{y} \\in \\R^d\\).",
          "\\newcommand{\\vx}{\\mathbf{x}}Let $\\vx$ be a vector in $\\mathbb{R}^d$, and $y \\in \\mathbb{R}^d$."})
        EXPECT_EQ(paper(std::string(sentence) + "\n" + lines), "3 right, 4 wrong") << sentence;
    EXPECT_EQ(paper("The weights $x$ and $y \\in \\mathbb{R}^d$.\n" + lines), "3 right, 4 wrong") << "x is taken like y";
}

TEST(LatexPapers, SentencesDefine) {
    const std::string given =
        "For $Q, K, V \\in \\mathbb{R}^{n \\times d}$, let $S = QK^\\top$ and $P = \\mathrm{softmax}(S)$, so that ";
    const std::string lines =
        shown("dV = P^\\top dO") + shown("dS_{ij} = P_{ij} (dP_{ij} - D_i)") + shown("dQ = dS K") + shown("dK = dS Q");
    const std::string row_sum = "where $D_i = \\sum_j P_{ij} dP_{ij}$.\n";
    EXPECT_EQ(paper(given + "$O = PV$.\n" + lines + row_sum), "2 right, 3 right, 4 right, 5 wrong");
    EXPECT_EQ(paper(given + "\\(O = PV\\).\n" + lines + "with $D_i = \\sum_j dP_{ij}$"), "2 right, 3 wrong, 4 right, 5 wrong");
    EXPECT_EQ(paper(given + "$O = VP$.\n" + lines + row_sum),
              "1 wrong, 2 cannot tell, 3 cannot tell, 4 cannot tell, 5 cannot tell");
    // A displayed formula that says otherwise than the sentence above it is a claim.
    EXPECT_EQ(paper(given + "$O = P$.\n" + shown("O = PV") + lines + row_sum),
              "2 wrong, 3 cannot tell, 4 right, 5 right, 6 wrong");
    EXPECT_EQ(paper(given + "$O = PV$.\n" + shown("O = \\mathrm{softmax}(S) V") + lines + row_sum),
              "2 right, 3 right, 4 right, 5 right, 6 wrong");
}

TEST(LatexPapers, CasesAndNumbersInSentencesDefineNothing) {
    const std::string given = "Let $W \\in \\mathbb{R}^{m \\times n}$ and $x \\in \\mathbb{R}^n$. ";
    const std::string line = shown("\\nabla_x L = W^\\top \\nabla_y L");
    EXPECT_EQ(paper(given + "Write $y = W x$.\n" + line), "2 right");
    for (const char* sentence :
         {"If $y = W x$, then", "when $y = W x$", "Suppose that $y = W x$.", "for $a = x$ and $y = W x$", "with $y = 0$",
          "with $y = W x$ or $y = W x + x$", "with $y = W x = 2$", "\\verb|$y = W x$|", "% $y = W x$", "$y = 1, \\dots, W$"})
        EXPECT_EQ(paper(given + sentence + "\n" + line), "2 not read") << sentence;
    EXPECT_EQ(paper(given + "we have $y = W x$, and now $y = 2 W x$\n" + line), "2 wrong") << "of the second";
    for (const char* sentence :
         {"For $x \\in \\mathbb{R}^n$ and $W$, $y = W x$.", "At $t = 1$, $y = W x$.", "If $n = 1$. Then $y = W x$."})
        EXPECT_EQ(paper(given + sentence + "\n" + line), "2 right") << sentence;
    EXPECT_EQ(paper(given + "If $n = 1$, $y = W x$.\n" + line), "2 not read");
    EXPECT_EQ(paper(given + "\n% gradproof: off\nWrite $y = W x$.\n% gradproof: on\n" + line), "5 not read");
    EXPECT_EQ(paper(given + "For $i = 1, \\dots, m$ write $y_i = \\sum_j W_{ij} x_j$.\n" + line), "2 right");
    const std::string recurrence = "For $A \\in \\mathbb{R}^{n \\times n}$, $x \\in \\mathbb{R}^{T \\times n}$.\n" +
                                   shown("s_t = x_t + A s_{t-1}") + shown("L = \\|s_T\\|^2") + shown("ds_t = A^\\top ds_{t+1}");
    EXPECT_EQ(paper(recurrence), "4 right") << "for any s_0";
    EXPECT_EQ(paper(recurrence + "Here $s_0 = 0$."), "4 right");
}

TEST(LatexPapers, SentencesStateNumbersAndDistributions) {
    EXPECT_EQ(
        paper("Let $r, s \\in \\mathbb{R}$ and $\\beta > 0$. The loss is $L = -\\log \\sigma(\\beta (r - s))$.\n" +
              shown("\\nabla_r L = -\\beta \\sigma(\\beta (s - r))") + shown("\\nabla_s L = \\beta \\sigma(\\beta (r - s))")),
        "2 right, 3 wrong");
    const std::string loss = "Let $z, y \\in \\mathbb{R}^K$, $p = \\mathrm{softmax}(z)$ and $L = -\\sum_k y_k \\log p_k$";
    EXPECT_EQ(paper(loss + ", where $\\sum_k y_k = 1$.\n" + shown("\\nabla_z L = p - y") + shown("\\nabla_z L = p + y")),
              "2 right, 3 wrong");
    EXPECT_EQ(paper(loss + ".\n" + shown("\\nabla_z L = p - y")), "2 wrong");
    EXPECT_EQ(
        verdicts("dims n K\ninput z [n, K]\nconst y [n, K] ~ distribution\nforward\n  loss L = -sum(y ⊙ log_softmax(z)) / n\n"
                 "claim\n  dz = (softmax(z) - y) / n\n  dz = softmax(z) - y / n\n"),
        "right, wrong");
    // Of an index it says where it runs.
    EXPECT_EQ(paper("For $x \\in \\mathbb{R}^{T \\times n}$, $h_0 = 0$ and $t > 0$:\n" + shown("h_t = h_{t-1} + x_t") +
                    shown("L = \\sum_t \\|h_t\\|^2") + shown("dx_t = dh_t") + shown("dx_t = 2 dh_t")),
              "4 right, 5 wrong");
}

TEST(LatexPapers, AChangeIsAName) {
    const std::string given =
        "The weight $W_0 \\in \\mathbb{R}^{m \\times n}$ and an update $\\Delta W = B A$ with $B \\in \\mathbb{R}^{m \\times "
        "r}$, "
        "$A \\in \\mathbb{R}^{r \\times n}$; $x \\in \\mathbb{R}^n$.\n";
    EXPECT_EQ(paper(given + shown("h = W_0 x + \\Delta W x") +
                    shown("\\frac{\\partial L}{\\partial B} = \\frac{\\partial L}{\\partial h} (A x)^\\top") +
                    shown("\\frac{\\partial L}{\\partial \\Delta W} = \\frac{\\partial L}{\\partial h} x^\\top") +
                    shown("\\nabla_{\\Delta W} L = x \\nabla_h L^\\top")),
              "3 right, 4 right, 5 wrong");
    EXPECT_EQ(paper("Let $\\Delta, s \\in \\mathbb{R}$ and $A \\in \\mathbb{R}^n$.\n" + shown("y = e^{\\Delta A}") +
                    shown("\\nabla_A L = \\Delta y \\odot \\nabla_y L") + shown("\\nabla_A L = y \\odot \\nabla_y L")),
              "3 right, 4 wrong");
}

TEST(LatexPapers, CommentsAddToSentences) {
    const std::string sentence = "Let $x \\in \\mathbb{R}^d$ and $W_0 \\in \\mathbb{R}^{m \\times d}$.\n";
    const std::string lines = shown("W' = 2 W_0") + shown("y = W' x") + shown("\\nabla_{W'} L = \\nabla_y L x^\\top") +
                              shown("\\nabla_{W_0} L = \\nabla_{W'} L");
    EXPECT_EQ(paper(sentence + "% gradproof: convention columns\n" + lines), "5 right, 6 wrong");
    EXPECT_EQ(paper(sentence + "% gradproof: dims m d\n" + lines), "5 right, 6 wrong");
    EXPECT_EQ(paper(sentence + "% gradproof: dims d; input W_0 [3, d]\n" + lines), "5 right, 6 wrong");
    EXPECT_EQ(paper("% gradproof: off\n" + sentence + "% gradproof: on\n" + lines),
              "4 not read, 5 not read, 6 not read, 7 not read");
    // What equations say is no input, and neither is a gradient.
    EXPECT_EQ(paper("For $X, Y, dY \\in \\mathbb{R}^{n \\times d}$:\n" + shown("Y = X^2") + shown("dX = 2 X \\odot dY")),
              "3 right");
}

TEST(LatexPapers, IndicatorsAndIdentitiesInAllSpellings) {
    const std::string head = "Let $x \\in \\mathbb{R}^d$.\n" + shown("u = x / \\|x\\|");
    const std::string left = "\\frac{\\partial u_i}{\\partial x_j} = (", entries = " - u_i u_j) / \\|x\\|";
    for (const char* one : {"\\delta_{ij}", "1_{i=j}", "1_{\\{i=j\\}}", "\\mathbb{I}[i=j]", "\\mathbbm{1}_{i=j}", "[i=j]",
                            "I_{ij}", "\\mathbf{1}[i \\le j \\le i]", "\\mathbb{1}\\{i = j\\}", "1[i = j]"}) {
        EXPECT_EQ(paper(head + shown(left + one + entries)), "3 right") << one;
        EXPECT_EQ(paper(head + shown(left + one + " + u_i u_j) / \\|x\\|")), "3 wrong") << one;
    }
    for (const char* one : {"1_{i \\ne j}", "[i \\le j]", "\\mathbf{1}[i \\le j < i]", "1"})
        EXPECT_EQ(paper(head + shown(left + one + entries)), "3 wrong") << one;
    for (const char* one : {"I", "\\mathbf{I}", "\\mathbb{I}", "I_d"})
        EXPECT_EQ(
            paper(head + shown(std::string("\\frac{\\partial u}{\\partial x} = \\frac{1}{\\|x\\|} (") + one + " - u u^\\top)")),
            "3 right")
            << one;
    EXPECT_EQ(
        paper("% gradproof: dims m n; input A [m, n], x [n], \\lambda []\n" + shown("y = (A^\\top A + \\lambda I) x") +
              shown("\\nabla_x L = (A^\\top A + \\lambda I) \\nabla_y L") + shown("\\nabla_x L = (A^\\top A + I) \\nabla_y L")),
        "3 right, 4 wrong");
    // An I that is a factor may be anything.
    EXPECT_EQ(paper("% gradproof: dims m n; input A [m, n]\n" + shown("y = A I")), "2 not read");
}

TEST(LatexPapers, KroneckersDeltaBesideAVectorOfErrors) {
    const std::string text = "% gradproof: dims m; input z [m], \\delta [m], D [m, m]\n" + shown("y = z^2 \\odot \\delta");
    EXPECT_EQ(paper(text + shown("\\frac{\\partial y_i}{\\partial z_j} = 2 z_i \\delta_{ij} \\delta_i") +
                    shown("\\frac{\\partial y_i}{\\partial z_j} = 2 z_i \\delta_{ij}")),
              "3 right, 4 wrong");
    EXPECT_EQ(paper("% gradproof: dims m; input z [m], \\delta [m, m]\n" + shown("y = \\delta z") +
                    shown("\\frac{\\partial y_i}{\\partial z_j} = \\delta_{ij}")),
              "3 right")
        << "a matrix";
}

TEST(LatexPapers, PrimesOfFunctionsAreClaimsAboutTheirDerivatives) {
    const std::string scalar = "Let $x \\in \\mathbb{R}$.\n", f = shown("f(x) = x \\sigma(x)");
    const std::string slope = shown("f'(x) = \\sigma(x) + x \\sigma(x) (1 - \\sigma(x))");
    EXPECT_EQ(paper(scalar + f + slope + shown("f'(x) = \\sigma(x)^2")), "3 right, 4 wrong");
    EXPECT_EQ(paper(scalar + shown("f'(x) = \\sigma(x)^2") + f + slope), "2 wrong, 4 right");
    EXPECT_EQ(paper(scalar + f + shown("f''(x) = 7") + shown("f'(3) = 7")), "3 not read, 4 not read");
    const std::string g = "Let $x \\in \\mathbb{R}^n$.\n" + shown("g(x) = \\tanh(x)") + shown("y = g(x) \\odot x");
    EXPECT_EQ(paper(g + shown("g'(x) = 1 - \\tanh(x)^2") + shown("g'(x) = 1 - \\tanh(x)") +
                    shown("\\nabla_x L = (g(x) + x \\odot g'(x)) \\odot \\nabla_y L") +
                    shown("\\nabla_x L = (g(x) - x \\odot g'(x)) \\odot \\nabla_y L")),
              "4 right, 5 wrong, 6 right, 7 wrong");
    EXPECT_EQ(paper("Let $x \\in \\mathbb{R}^n$.\n" + shown("g(x) = \\operatorname{softmax}(x)") +
                    shown("g'(x) = g(x) \\odot (1 - g(x))")),
              "3 not read")
        << "not entry by entry";
    EXPECT_EQ(paper("% gradproof: dims n; input W [n, n], W' [n, n]\n" + shown("V = W W'") +
                    shown("\\nabla_W L = \\nabla_V L W'^\\top") + shown("\\nabla_W L = \\nabla_V L W'")),
              "3 right, 4 wrong")
        << "a name";
}

TEST(LatexPapers, SumsWithAConditionOfTwoIndices) {
    const std::string w = "Let $w \\in \\mathbb{R}^{n \\times n}$.\n";
    EXPECT_EQ(paper(w + shown("Z = \\sum_{k \\neq l} w_{kl}^2") +
                    shown("\\frac{\\partial Z}{\\partial w_{ij}} = 2 w_{ij}, \\quad i \\neq j") +
                    shown("\\frac{\\partial Z}{\\partial w_{ij}} = 2 w_{ij}") +
                    shown("\\frac{\\partial Z}{\\partial w_{ij}} = w_{ij}, \\quad i \\neq j")),
              "3 right, 4 wrong, 5 wrong");
    const std::string x = "Let $x \\in \\mathbb{R}^n$.\n";
    EXPECT_EQ(paper(x + shown("s = \\sum_{i<j} x_i x_j^2") +
                    shown("\\frac{\\partial s}{\\partial x_k} = \\sum_{j>k} x_j^2 + 2 x_k \\sum_{i<k} x_i") +
                    shown("\\frac{\\partial s}{\\partial x_k} = \\sum_{j>k} x_j^2")),
              "3 right, 4 wrong");
    // The index that is on the left stays.
    EXPECT_EQ(paper(x + shown("y_i = \\sum_{i \\ne j} x_j") + shown("\\frac{\\partial y_i}{\\partial x_j} = 1 - \\delta_{ij}") +
                    shown("\\frac{\\partial y_i}{\\partial x_j} = 1")),
              "3 right, 4 wrong");
    EXPECT_EQ(paper(x + shown("s = \\log \\sum_{j \\ne t} e^{x_j}")), "2 not read") << "t may be a label";
    EXPECT_EQ(paper(w + x + shown("z_i = w_{ij} x_j") + shown("\\nabla_x L = w^\\top \\nabla_z L")), "3 not read, 4 not read");
}

TEST(LatexPapers, SumsBetweenNumbers) {
    for (const char* from : {"k=0", "k=1"})
        EXPECT_EQ(paper("Let $c \\in \\mathbb{R}$.\n" + shown("f = \\sum_{" + std::string(from) + "}^{5} c^k") +
                        shown("\\frac{\\partial f}{\\partial c} = \\sum_{k=1}^{5} k c^{k-1}") +
                        shown("\\frac{\\partial f}{\\partial c} = \\sum_{k=1}^{4} k c^{k-1}")),
                  "3 right, 4 wrong")
            << from;
    EXPECT_EQ(paper("% gradproof: dims n=4; input x [n]\n" + shown("f = \\sum_{k=1}^{3} x_k^2") +
                    shown("\\frac{\\partial f}{\\partial x_k} = 2 x_k, \\quad k \\le 3") +
                    shown("\\frac{\\partial f}{\\partial x_k} = 2 x_k")),
              "3 right, 4 wrong");
}

TEST(LatexPapers, ProductsBetweenNumbersAreNotRead) {
    EXPECT_EQ(paper("Let $W \\in \\mathbb{R}^{d \\times d}$.\n" + shown("Y = \\prod_{k=1}^{3} W")), "2 not read");
}

TEST(LatexPapers, PlusAsASuperscriptIsPartOfAName) {
    EXPECT_EQ(
        paper("% gradproof: dims n; input u [n], v^+ [n]\n" + shown("s = \\sum_i u_i v^+_i") +
              shown("\\frac{\\partial L}{\\partial v^+} = u \\frac{\\partial L}{\\partial s}") +
              shown("\\frac{\\partial L}{\\partial v^{+}} = 2 u \\frac{\\partial L}{\\partial s}") + shown("\\nabla_u L += v^+")),
        "3 right, 4 wrong, 5 not read");
    EXPECT_EQ(paper("% gradproof: dims n; input K [n, n], P [n, n]\n" + shown("P^{+} = K P") +
                    shown("\\nabla_P L = K^\\top \\nabla_{P^{+}} L") + shown("\\nabla_P L = K \\nabla_{P^{+}} L")),
              "3 right, 4 wrong");
}

TEST(LatexPapers, NamesBesideOthers) {
    const std::string z = "Let $z, e \\in \\mathbb{R}^n$.\n" + shown("z_q = z + 2 e");
    EXPECT_EQ(paper(z + shown("\\nabla_e L = 2 \\nabla_{z_q} L") + shown("\\nabla_e L = \\nabla_{z_q} L")), "3 right, 4 wrong");
    EXPECT_EQ(paper("Let $z \\in \\mathbb{R}^n$.\n" + shown("y = z^2") + shown("z_i = 0")), "3 wrong") << "a claim, and no name";
}

TEST(LatexPapers, DisplaysAndChainsAsNotesTypesetThem) {
    const std::string x = "Let $x \\in \\mathbb{R}^n$.\n";
    EXPECT_EQ(paper(x + "$$\n\\begin{align*} y &= x^2 \\\\\n \\nabla_x L &= 2 x \\odot \\nabla_y L \\\\\n \\nabla_x L &= x "
                        "\\odot \\nabla_y L "
                        "\\end{align*}\n$$\n"),
              "4 right, 5 wrong");
    EXPECT_EQ(paper(x + shown("y = \\sum_i x_i^2") +
                    "\\begin{align}\n & \\sum_i x_i^2 + y \\\\\n &= 2 y \\\\\n &= 3 y\n\\end{align}\n"),
              "4 right, 6 wrong");
}

TEST(LatexPapers, WhatAnEquationSaysByItsEntriesIsNoInput) {
    const std::string given = "Let $D \\in \\mathbb{R}^{n \\times n}$, $c \\in \\mathbb{R}$, $x \\in \\mathbb{R}^n$.\n";
    EXPECT_EQ(paper(given + shown("D_{ij} = \\begin{cases} c^{i-j}, & i \\ge j \\\\ 0, & i < j \\end{cases}") + shown("y = D x") +
                    shown("\\nabla_x L = D^\\top \\nabla_y L")),
              "2 not read, 3 not read, 4 not read");
}

TEST(LatexPapers, TheCommentToWriteNamesWhatStandsThere) {
    const std::string all = gradproof::testing::error_of([] {
        read_proofs("a.tex", shown("\\mathbf{z}_i = \\mathbf{W} \\mathbf{x}_i^\\top + n b_k \\foo") +
                                 shown("\\mathbf{dx} = \\mathbf{dz}"));
    });
    EXPECT_NE(all.find("% gradproof: dims n d; input \\mathbf{W} [n, d], \\mathbf{x} [n, d], b [n, d]\n"), std::string::npos)
        << all;
}

TEST(LatexPapers, RowsThatAreTransposedFirst) {
    const std::string given = "% gradproof: convention columns; dims n d; input q [n, d], v [n, d]\n";
    for (const char* row : {"v^\\top_t", "v_t^\\top"})
        EXPECT_EQ(paper(given + shown("y_t = q_t " + std::string(row) + " q_t") +
                        shown("\\frac{\\partial L}{\\partial v_t} = q_t (q_t^\\top \\frac{\\partial L}{\\partial y_t})") +
                        shown("\\frac{\\partial L}{\\partial v_t} = v_t (q_t^\\top \\frac{\\partial L}{\\partial y_t})")),
                  "3 right, 4 wrong")
            << row;
    EXPECT_EQ(paper("% gradproof: dims n; input g [n], v [n]\n" + shown("y = g^\\top v") +
                    shown("\\nabla_g L = \\|v\\| \\cos(g, v) \\nabla_y L")),
              "3 not read");
}

}  // namespace
}  // namespace gradproof::proof
