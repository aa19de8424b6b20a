// Deriving from texts as they are: with claims that cannot be read, and with what they say once of how they write.
#include <algorithm>

#include <gtest/gtest.h>

#include "gradproof/core/proof/derive/derive.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

Derivation of_this(const std::string& file, const std::string& text) {
    return derive(read_proofs(file, text, Unreadable::loses_line).front());
}

std::vector<std::string> lines_from(const std::string& file, const std::string& text) {
    std::vector<std::string> out;
    const Derivation d = of_this(file, text);
    for (const DerivedLine& l : d.lines) out.push_back(l.text);
    for (const Underived& m : d.missing) out.push_back(m.name + ": " + m.reason);
    return out;
}

/// Why a text cannot be derived.
std::string not_derived(const std::string& file, const std::string& text) {
    return gradproof::testing::error_of([&] { of_this(file, text); });
}

TEST(DerivedText, AClaimThatCannotBeReadDoesNotMatter) {
    const std::vector<std::string> lines{"∂L/∂Y = 2 Y", "∂L/∂W = X^T ∂L/∂Y", "∂L/∂X = ∂L/∂Y W^T"};
    const std::string head = "dims n d m\ninput X [n, d], W [d, m]\nforward\n  Y = X W\nloss L = sum(Y ⊙ Y)\n";
    EXPECT_EQ(lines_from("a.proof", head + "claim\n  dW = X^T (dY\n  dX = dQ\n"), lines);
    EXPECT_EQ(lines_from("a.tex",
                         "% gradproof: dims n d m; input X [n, d], W [d, m]\n\\[ Y = X W, \\quad L = \\sum_{ij} Y_{ij}^2 \\]\n"
                         "\\[ \\frac{\\partial L}{\\partial W} = X^\\top ( \\unknown{Q} \\]\n"),
              lines);
}

TEST(DerivedText, AForwardLineThatCannotBeReadDoesWhereTheLossNeedsIt) {
    const std::string head = "dims n d\ninput X [n, d], W [d, d]\nforward\n  Y = X W\n", lost = "  Z = Y (W\n";
    EXPECT_EQ(lines_from("a.proof", head + lost + "loss L = sum(Y)\n"),
              (std::vector<std::string>{"∂L/∂Y = ones(n,d)", "∂L/∂W = X^T ones(n,d)", "∂L/∂X = ones(n,d) W^T"}));
    for (const std::string& loss : {std::string(), std::string("loss L = sum(Z)\n")}) {
        const std::string why = not_derived("a.proof", head + lost + loss);
        EXPECT_NE(why.find("the loss may run through this line: no gradient can be derived without it"), std::string::npos)
            << loss << why;
    }
    EXPECT_NE(not_derived("a.proof", "input X [2]\nforward\n  Y = (X\n").find("a.proof:3:"), std::string::npos);
}

/// Of two columns the left one is transposed: w^T x, and u^T A v.
TEST(DerivedText, ProductsOfColumnsAreWrittenWithATranspose) {
    const auto by = [](const std::string& x, const std::string& loss) {
        const Derivation d =
            of_this("a.tex",
                    "% gradproof: dims n d; input X [n, d], A [d, d], u [d], v [d], w [d]; const y [n] ~ signs\n\\[ L = " + loss +
                        " \\]\n");
        const auto found = std::ranges::find(d.lines, x, &DerivedLine::name);
        return found == d.lines.end() ? "none" : text_of(*found->right);
    };
    EXPECT_EQ(by("w", "\\sum_i (w^\\top x_i)^2"), "2 Σ_i (w^T X[i]) X[i]");
    EXPECT_EQ(by("w", "\\sum_i \\log(1 + \\exp(-y_i w^\\top x_i))"), "-(Σ_i sigmoid(-y[i] w^T X[i]) y[i] X[i])");
    EXPECT_EQ(by("w", "\\sum_i \\max(0, 1 - y_i w^\\top x_i)"), "-(Σ_i step(1 - y[i] w^T X[i]) y[i] X[i])");
    EXPECT_EQ(by("v", "(u^\\top A v)^2"), "2 (u^T A v) A^T u");
    EXPECT_EQ(by("w", "-\\sum_i (y_i \\log \\sigma(w^\\top x_i) + (1 - y_i) \\log(1 - \\sigma(w^\\top x_i)))"),
              "Σ_i (σ(w^T X[i]) - y[i]) X[i]");
}

TEST(DerivedText, KeepsHowVectorsLie) {
    const std::string tex = "% gradproof: dims m n; input u [m], v [n]\n\\[ S = u v^\\top \\]\n";
    EXPECT_EQ(lines_from("a.tex", tex), (std::vector<std::string>{"∂L/∂v = ∂L/∂S^T u", "∂L/∂u = ∂L/∂S v"}));
    const std::string in_notation = to_text(of_this("a.tex", tex));
    EXPECT_NE(in_notation.find("convention columns\n"), std::string::npos) << in_notation;
    EXPECT_EQ(verdicts(in_notation), "right, right") << in_notation;
    EXPECT_EQ(verdicts(to_latex(of_this("a.tex", tex)), {}, "a.tex"), "right, right");

    const std::string rows =
        "dims m n\nconvention rows\nlayout denominator\ninput u [m], v [n], w [n]\nforward\n"
        "  S = 2 u^T v\n  y = S w\nloss L = y y^T\n";
    const std::string of_rows = to_text(of_this("a.proof", rows));
    EXPECT_NE(of_rows.find("convention rows\nlayout denominator\n"), std::string::npos) << of_rows;
    EXPECT_EQ(verdicts(of_rows), "right, right, right, right, right") << of_rows;
}

TEST(DerivedText, VectorsStandWhereTheyLie) {
    const std::string head = "% gradproof: dims m n; input u [m], v [n], x [m], y [n]\n";
    for (const char* forward :
         {"\\[ S = u v^\\top, \\quad L = x^\\top S y \\]\n", "\\[ S = u^\\top v, \\quad L = x S y^\\top \\]\n"}) {
        const std::string latex = to_latex(of_this("a.tex", head + forward));
        EXPECT_EQ(verdicts(latex, {}, "a.tex"), "right, right, right, right, right") << latex;
    }
}

TEST(DerivedText, SaysNothingOfVectorsWhereNoLineNeedsIt) {
    const std::string text = to_text(of_this("a.tex", "% gradproof: dims n; input u [n], v [n]\n\\[ s = u \\odot v \\]\n"));
    EXPECT_EQ(text.find("convention"), std::string::npos) << text;
}

TEST(DerivedText, KeepsHowFarIndicesRun) {
    const std::string text =
        to_text(of_this("a.proof", "dims m n\ninput v [m]\nforward\n  r[i,j] = v[j] for i < n\nloss L = sum(r ⊙ r)\n"));
    EXPECT_NE(text.find("r[i,j] = v[j] for i < n"), std::string::npos) << text;
    EXPECT_EQ(verdicts(text), "right, right") << text;
}

TEST(DerivedText, DeclaredFunctionsHaveTheirSlopes) {
    EXPECT_EQ(
        lines_from("a.tex",
                   "% gradproof: dims n d; function \\phi; input x [d], W [n, d]\n\\[ z = W x, \\quad y_i = \\phi(z_i), "
                   "\\quad L = \\sum_i y_i^2 \\]\n"),
        (std::vector<std::string>{"∂L/∂y = 2 y", "∂L/∂z[i] = ∂L/∂y[i] φ'(z[i])", "∂L/∂W = outer(∂L/∂z,x)", "∂L/∂x = W^T ∂L/∂z"}));
}

TEST(DerivedText, ALastNumberCalledLIsTheLoss) {
    const std::string head = "dims n d\ninput X [n, d], w [d]\nforward\n  y = X w\n";
    const std::vector<std::string> of_the_loss{"∂L/∂y = 2 y", "∂L/∂w = X^T ∂L/∂y", "∂L/∂X = outer(∂L/∂y,w)"};
    EXPECT_EQ(lines_from("a.proof", head + "  L = sum(y^2)\n"), of_the_loss);
    EXPECT_EQ(lines_from("a.proof", head + "loss L = sum(y^2)\n"), of_the_loss);
    EXPECT_EQ(lines_from("a.proof", head + "  J = sum(y^2)\n").at(0), "∂L/∂y = 2 ∂L/∂J y");
}

}  // namespace
}  // namespace gradproof::proof
