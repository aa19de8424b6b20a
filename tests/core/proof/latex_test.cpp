// Derivations in LaTeX: excerpts as they are typeset, single forms, and what cannot be read.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "gradproof/core/proof/checker.hpp"
#include "gradproof/core/proof/language/understood.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/core/proof/judged.hpp"
#include "tests/paths.hpp"

namespace gradproof::proof {
namespace {

const std::string kDeclared = "% gradproof: dims n m d; input X [n,d], Y [n,d], W [d,m], x [n], y [n], c []\n";
/// What is understood of the last line of a text with these equations.
std::string understood_as(const std::string& equations) {
    const std::string all = understood(read_proofs("a.tex", kDeclared + equations));
    const std::size_t last = all.rfind('\n', all.size() - 2) + 1;
    return all.substr(last + 16, all.size() - last - 17);
}
std::string formula(const std::string& text) { return understood_as("\\[ " + text + " \\]"); }
std::string claim(const std::string& text) { return understood_as("\\[ Z = X + Y \\] \\[ " + text + " \\]"); }
std::string first_line_of_error(const std::string& text, const std::string& file = "a.tex") {
    const std::string all = gradproof::testing::error_of([&] { read_proofs(file, text); });
    return all.substr(0, all.find('\n'));
}
std::string error_of_formula(const std::string& text) { return first_line_of_error(kDeclared + "\\[ " + text + " \\]"); }

/// Each line of the excerpts that is judged ends in the comment "% right" or "% wrong", decided before it was run.
TEST(Latex, ExcerptsAreJudgedAsTheirMarksSay) {
    int lines = 0, files = 0;
    CheckOptions options;
    options.diagnose = options.mutation = !testing::kSampled;  // verdicts alone take a fraction of the time
    for (const auto& entry : std::filesystem::directory_iterator(GRADPROOF_SOURCE_DIR "/tests/proofs/latex")) {
        std::ifstream in(entry.path());
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        std::vector<std::string> marks;
        for (std::size_t at = 0; at < text.size();) {
            const std::string line = text.substr(at, text.find('\n', at) - at);
            marks.emplace_back(line.ends_with("% right") ? "right" : line.ends_with("% wrong") ? "wrong" : "");
            at += line.size() + 1;
        }
        const std::string name = entry.path().filename().string();
        ++files;
        for (const ProofReport& p : check_file(name, text, options).proofs)
            for (const LineReport& l : p.lines) {
                std::string& mark = marks.at(static_cast<std::size_t>(l.line) - 1);
                EXPECT_EQ(check::name(l.verdict), mark) << name << ":" << l.line << ": " << l.text << "\n  " << l.reason;
                mark.clear();
                ++lines;
            }
        for (std::size_t i = 0; i < marks.size(); ++i) EXPECT_EQ(marks[i], "") << name << ":" << i + 1 << " was not judged";
    }
    EXPECT_GE(files, 25);
    EXPECT_GE(lines, 100);
}

TEST(Latex, FormulasMeanWhatTheyMeanInTheNotation) {
    const std::vector<std::pair<std::string, std::string>> same{
        {"Z = X^\\top Y / \\sqrt{d}", "Z = X^T Y / sqrt(d)"},
        {"Z = \\frac{X^T Y}{\\sqrt d}", "Z = (X^T Y) / sqrt(d)"},
        {"\\mathbf{Z} = \\mathbf{X} \\odot \\boldsymbol Y", "Z = X ⊙ Y"},
        {"Z := X^{\\mathsf T} \\cdot Y^\\intercal{}", "Z = X^T Y^T"},
        {"Z = \\operatorname{softmax}\\left( X W \\right)", "Z = softmax(X W)"},
        {"Z = \\mathrm{ReLU}(X) + \\text{softmax}(X, \\mathrm{axis}=0)", "Z = relu(X) + softmax(X, axis=0)"},
        {"\\hat y = \\tanh^2 (c y) - \\log y", "y_hat = tanh(c y)^2 - log(y)"},
        {"z_i = \\sum_{j} X_{ij} Y_{i,j} x_i", "z[i] = Σ_j X[i,j] Y[i,j] x[i]"},
        {"z_i = \\sum_{j=1}^{d} X_{ij}^2", "z[i] = Σ_{j=1}^{d} X[i,j]^2"},
        {"z_i = \\sum_{j<i} x_j", "z[i] = Σ_j where(step(i - j),x[j],0)"},
        {"z_i = \\sum_{j \\neq i} x_j", "z[i] = Σ_j where(1 - δ[j,i],x[j],0)"},
        {"z_i = \\sum_{j=2}^{i} x_j", "z[i] = Σ_j where((1 - step(1 - j)) ⊙ (1 - step(j - i)),x[j],0)"},
        {"z_i = \\max_j X_{ij} + x_1 + i", "z[i] = max_j(X[i,j]) + x[0] + (i + 1)"},
        {"z = \\lVert x \\rVert_2^2 + \\|y\\| + |c|", "z = norm(x)^2 + norm(y) + abs(c)"},
        {"z = \\langle x, y \\rangle e^{c}", "z = sum(x ⊙ y) exp(c)"},
        {"Z = X^{-1/2} \\times \\frac12", "Z = X^(-1 / 2) ⊙ (1 / 2)"},
        {"z = \\tfrac1n \\left\\| x - y \\right\\|^2", "z = (1 / n) norm(x - y)^2"},
        {"z = 10^{-5} + x \\, 2", "z = 1e-5 + x 2"},
        {"z_i = \\begin{cases} x_i & x_i > 0 \\\\ y_i & \\text{else} \\end{cases}", "z[i] = where(step(x[i]),x[i],y[i])"},
        {"Z = X I_d W", "Z = X eye(d) W"},
        {"Z = \\boxed{\\underbrace{X}_{\\text{input}} W}", "Z = X W"},
        {"z = \\sigma(x) + \\sqrt[3]{y}", "z = σ(x) + y^(1 / 3)"},
    };
    for (const auto& [latex, notation] : same) EXPECT_EQ(formula(latex), notation) << latex;
    for (const auto& [latex, notation] : std::vector<std::pair<std::string, std::string>>{
             {"\\frac{\\partial \\mathcal{L}}{\\partial X} = \\nabla_Z \\mathcal{L}", "∂L/∂X = ∂L/∂Z"},
             {"dX = \\partial L / \\partial Z", "∂L/∂X = ∂L/∂Z"},
             {"\\mathrm{d}X_{ij} = \\frac{\\mathrm{d}L}{\\mathrm{d}Z_{ij}}", "∂L/∂X[i,j] = ∂L/∂Z[i,j]"},
             {"\\mathbf{dX}^\\top = (\\nabla_Z L)^\\top", "∂L/∂X^T = ∂L/∂Z^T"},
             {"\\frac{\\partial Z_{ij}}{\\partial X_{kl}} = \\delta_{ik} \\delta_{jl}", "∂Z[i,j]/∂X[k,l] = δ[i,k] δ[j,l]"},
             {"\\partial_X \\ell = \\frac{d\\ell}{dZ}", "∂L/∂X = ∂L/∂Z"}})
        EXPECT_EQ(claim(latex), notation) << latex;
}

TEST(Latex, NamesAreThoseOfTheFile) {
    const std::string head =
        "% gradproof: dims n d_{model}; input W^Q [n, d_{model}], W^Q_1 [n], \\hat{y} [n], \\alpha [], h_{t-1} [n], x' [n]\n\\[ "
        "z = ";
    const auto of = [&](const std::string& right) {
        const std::string all = understood(read_proofs("a.tex", head + right + "\\]"));
        return all.substr(all.rfind("z = "));
    };
    EXPECT_EQ(of("\\alpha W^Q"), "z = α W_Q\n");
    EXPECT_EQ(of("{W^Q}^\\top \\hat y + (W^{Q})^\\top h_{t-1}"), "z = W_Q^T y_hat + W_Q^T h_tm1\n");
    EXPECT_EQ(of("W^Q_1 \\odot x'"), "z = W_Q_1 ⊙ x_prime\n");
    EXPECT_EQ(of("W^Q_1^2 \\odot x'"), "z = W_Q_1^2 ⊙ x_prime\n");
}

TEST(Latex, EquationsStandInRowsChainsAndLists) {
    const std::string claims =
        "\\begin{align*} Z &= X W, & V &= Z^2 \\\\ \\nabla_Z L &= 2 Z \\odot \\nabla_V L \\\\ &= \\nabla_V L \\odot Z "
        "\\odot 2 \\nonumber \\\\ \\nabla_X L &= \\nabla_Z L \\\\ &\\quad \\cdot W^\\top \\end{align*}";
    EXPECT_EQ(verdicts_by_line("a.tex", kDeclared + claims), "2 right, 2 right, 2 right");
    EXPECT_EQ(verdicts_by_line(
                  "a.tex",
                  kDeclared +
                      "$$ Z = X W \\text{ and } V = Z^2, \\quad n \\ge 1 $$ text $a = b$ \\(c = d\\)\n\n\\[ \\nabla_Z L = Z \\]"),
              "4 wrong");
    EXPECT_EQ(verdicts_by_line(
                  "a.tex",
                  kDeclared +
                      "\\begin{gather} Z = \\left( X \\right. \\\\ \\left. + Y \\right) W \\\\ \\nabla_X L =\\\\ \\nabla_Z L W^T "
                      "\\end{gather}"),
              "2 right");
    EXPECT_EQ(
        verdicts_by_line(
            "a.tex",
            kDeclared + "\\[ Z_{ij} = X_{ij} Y_{ij}, \\quad i = 1, \\dots, n \\] \\[ \\nabla_X L = Y \\odot \\nabla_Z L \\]"),
        "2 right");
    EXPECT_EQ(
        verdicts_by_line(
            "a.tex", kDeclared + "\\[ Z = X W \\]\n% gradproof: ignore\n\\[ \\frobnicate = 1 \\]\n% gradproof: off\n\\[ ? \\]\n"
                                 "% gradproof: on\n% gradproof: skip \"later\"\n\\[ dX = 0 \\] \\[ dX = dZ W^T \\]"),
        "9 skipped, 9 right");
}

TEST(Latex, WhatLatexDefinesIsNotProvidedAnew) {
    const std::string text = "\\providecommand{\\log}{\\exp} Let $x \\in \\mathbb{R}^n_{>0}$.\n\\[ L = \\sum_i \\log x_i \\]\n";
    EXPECT_EQ(verdicts_by_line("a.tex", text + "\\[ \\frac{\\partial L}{\\partial x_i} = \\exp(x_i) \\]\n"), "3 wrong");
    EXPECT_EQ(verdicts_by_line("a.tex", text + "\\[ \\frac{\\partial L}{\\partial x_i} = 1 / x_i \\]\n"), "3 right");
}

TEST(Latex, WhatIsSaidOfSigmaIsNotPassedOver) {
    const auto lines = [](const std::string& said) {
        return verdicts_by_line(
            "a.tex",
            "Let $x \\in \\mathbb{R}^n$ and\n\\[ y = \\sigma(x) \\]\n" + said +
                "\n\\[ \\frac{\\partial L}{\\partial x} = \\frac{\\partial L}{\\partial y} \\odot y \\odot (1 - y) \\]\n");
    };
    EXPECT_EQ(lines(""), "4 right");
    for (const char* said :
         {"where $\\sigma$ is the identity.", "where $\\sigma$ denotes the square.", "Let $\\sigma$ be the cube root."})
        EXPECT_EQ(lines(said).find("right"), std::string::npos) << said;
}

TEST(Latex, BracketsAboveAreNoPowerAndBarsAroundAMatrixItsDeterminant) {
    const std::string layers =
        "Let $a, w \\in \\mathbb{R}^d$.\n\\[ y = w^\\top a^{[2]} \\]\n"
        "\\[ \\frac{\\partial y}{\\partial a} = 2 w \\odot a \\]\n";
    EXPECT_EQ(verdicts_by_line("a.tex", layers), "2 not read, 3 not read");
    const std::string bars =
        "Let $a, b \\in \\mathbb{R}$.\n\\[ D = \\left| \\begin{array}{cc} a^2 & b \\\\ b & 1 \\end{array} \\right| \\]\n"
        "\\[ \\frac{\\partial D}{\\partial a} = 2 a, \\quad \\frac{\\partial D}{\\partial b} = 2 b \\]\n";
    EXPECT_EQ(verdicts_by_line("a.tex", bars), "3 right, 3 wrong");
}

TEST(Latex, MacrosAreExpanded) {
    for (const char* macros : {"\\newcommand{\\g}[2]{\\frac{\\partial #1}{\\partial #2}}\\newcommand\\Lo{\\mathcal{L}}",
                               "\\def\\g#1#2{\\frac{\\partial #1}{\\partial #2}}\\let\\Lo=L",
                               "\\newcommand*{\\g}[2]{\\nabla_{#2} #1}\\renewcommand{\\Lo}{\\mathcal L}",
                               "\\providecommand{\\g}[2]{\\gg{#1}{#2}}\\newcommand{\\gg}[2]{\\nabla_{#2}#1}\\def\\Lo{L}"})
        EXPECT_EQ(verdicts_by_line("a.tex", kDeclared + macros + "\\[ Z = X W \\] \\[ \\g{\\Lo}{X} = \\g\\Lo Z W^\\top \\]"),
                  "2 right")
            << macros;
    EXPECT_EQ(understood_as(
                  "\\DeclareMathOperator{\\sm}{softmax}\\DeclarePairedDelimiter{\\norm}{\\lVert}{\\rVert}\\newcommand{\\p}[2][2]"
                  "{#2^{#1}}"
                  "\\[ z = \\sm(x) \\norm*{x} + \\p{x} + \\p[3]{x} \\]"),
              "z = softmax(x) norm(x) + x^2 + x^3");
    EXPECT_EQ(error_of_formula("Z = \\foo"),
              "a.tex:2:8: \\foo is not known here: define it with \\newcommand, or leave the equation out by  "
              "% gradproof: ignore");
    EXPECT_EQ(first_line_of_error(kDeclared + "\\def\\a{\\b}\\def\\b{\\a}\\[ Z = \\a \\]"),
              "a.tex:2:28: \\a is defined by itself, or through more than 32 macros (kDeepestMacros)");
    EXPECT_EQ(first_line_of_error(kDeclared + "\\newcommand{\\a}[2]{#1}\\[ Z = \\a X \\]"),
              "a.tex:2:30: \\a takes 2 arguments, got 1");
    std::string doubling = kDeclared + "\\def\\za{X+X}";
    for (char c = 'a'; c < 'z'; ++c) doubling += fmt::format("\\def\\z{0}{{\\z{1}+\\z{1}}}", static_cast<char>(c + 1), c);
    EXPECT_NE(first_line_of_error(doubling + "\\[ Z = \\zz \\]").find("make more than 262144 tokens (kMostTokens)"),
              std::string::npos);
}

TEST(Latex, WrongLinesAreToldAndMendedInLatex) {
    const FileReport report = check_file("a.tex",
                                         "% gradproof: dims n m d; input \\mathbf{Q} [n,d], K^{(1)} [m,d]\n\\begin{align}\n"
                                         "S &= \\mathbf{Q} {K^{(1)}}^\\top / \\sqrt{d} \\label{a}\\\\\n"
                                         "\\nabla_{\\mathbf{Q}} L &= \\nabla_S L\\, K^{(1)} \\tag{2}\n\\end{align}\n");
    const LineReport& line = report.proofs.at(0).lines.at(0);
    EXPECT_EQ(line.line, 4);
    EXPECT_EQ(line.text, "\\nabla_{\\mathbf{Q}} L = \\nabla_S L\\, K^{(1)}");
    ASSERT_TRUE(line.diagnosis);
    EXPECT_EQ(line.diagnosis->repair, "\\nabla_{S} L K^{(1)} / \\sqrt{d}");
}

TEST(Latex, ShapesAreTakenFromSentences) {
    const std::string prose = "Let $Q, K \\in \\mathbb{R}^{n \\times d}$ and $\\mathbf{v}_1 \\in \\R^{n}$, $b\\in\\mathbb{R}$.\n";
    const std::string equations =
        "\\[ S = Q K^\\top / \\sqrt{d} \\] where $S \\in \\mathbb{R}^{n \\times n}$,\n\\[ u = S \\mathbf{v}_1 + b \\]\n";
    EXPECT_EQ(verdicts_by_line("a.tex",
                               prose + equations +
                                   "\\[ \\nabla_Q L = \\nabla_S L K / \\sqrt{d}, \\quad \\nabla_Q L = \\nabla_S L^\\top K \\]\n"
                                   "\\[ \\nabla_{\\mathbf{v}_1} L = S^\\top \\nabla_u L \\]\n"),
              "4 right, 4 wrong, 5 right");
    EXPECT_NE(first_line_of_error("Let $x \\in \\mathcal{X}$. \\[ y = \\foo x^2 \\]").find("nothing says what the inputs are"),
              std::string::npos);
}

TEST(Latex, AGradientIsOfWhateverItNames) {
    const std::string head = "% gradproof: dims n; input x [n]; const A [n,n]\n";
    const std::vector<std::string> ways{"\\nabla_x f",
                                        "\\nabla f",
                                        "\\partial_x f",
                                        "\\frac{\\partial f}{\\partial x}",
                                        "\\frac{df}{dx}",
                                        "\\nabla_x (x^\\top A x)",
                                        "\\nabla_x \\left( x^\\top A x \\right)",
                                        "\\frac{\\partial (x^\\top A x)}{\\partial x}",
                                        "\\frac{\\partial x^\\top A x}{\\partial x}",
                                        "\\frac{\\partial}{\\partial x} x^\\top A x"};
    for (const char* f : {"f", "f(x)"})
        for (std::string way : ways) {
            if (way.ends_with(" f")) way.replace(way.size() - 1, 1, f);
            const std::string line = " \\[ " + way + " = ";
            EXPECT_EQ(verdicts_by_line(
                          "a.tex", head + "\\[ " + f + " = x^\\top A x \\]" + line + "(A + A^\\top) x \\]" + line + "2 A x \\]"),
                      "2 right, 2 wrong")
                << f << ": " << way;
        }
    EXPECT_EQ(verdicts_by_line("a.tex",
                               "% gradproof: dims n; input \\theta [n], A [n,n]\n\\[ f(\\theta) = \\theta^\\top A \\theta \\] "
                               "\\[ \\nabla f(\\theta) = (A + A^\\top) \\theta \\]"),
              "2 right");
    EXPECT_EQ(
        verdicts_by_line("a.tex", kDeclared + "\\[ Z = X W \\] \\[ \\frac{\\partial}{\\partial X} L = \\nabla_Z L W^\\top \\]"),
        "2 right");
    EXPECT_NE(first_line_of_error("% gradproof: dims n; input x [n], A [n,n]\n\\[ f = x^\\top A x \\] \\[ \\nabla f = 2 x \\]")
                  .find("f has several inputs: say by which the gradient is taken, as \\nabla_X"),
              std::string::npos);
    EXPECT_NE(first_line_of_error(head + "\\[ f = x^\\top x \\] \\[ \\frac{\\partial^3 f}{\\partial x^3} = 2 \\]")
                  .find("derivatives of a higher order than the second are not read"),
              std::string::npos);
    // Products with the loss left out, and a loss with its arguments.
    EXPECT_EQ(verdicts_by_line("a.tex", kDeclared + "\\[ Z = X W \\] \\[ \\nabla_X = \\nabla_Z W^\\top \\]"), "2 right");
    EXPECT_EQ(
        verdicts_by_line("a.tex", head + "\\[ L(x) = x^\\top x \\] \\[ \\nabla_x L(x) = 2 x, \\quad \\nabla L(x) = 2 x \\]"),
        "2 right, 2 right");
    EXPECT_EQ(
        verdicts_by_line("a.tex", head + "\\[ p = e^x / (1 + e^x) \\] \\[ \\nabla_x = \\nabla_p \\odot p \\odot (1 - p) \\]"),
        "2 right");
}

TEST(Latex, StandsInFencesOfMarkdown) {
    EXPECT_EQ(verdicts_by_line("a.md", "text\n```latex proof\n" + kDeclared + "\\[ Z = X W \\]\n\\[ dX = dZ W \\]\n```\n"),
              "5 wrong");
    EXPECT_EQ(
        verdicts_by_line(
            "a.md",
            "```proof\ninput X [2, 3]\n```\n> ~~~tex proof\n> \\[ Z = X^2 \\]\n> ~~~\n```proof\nclaim\n dX = 2 X ⊙ dZ\n```\n"),
        "9 right");
    EXPECT_EQ(verdicts_by_line("a.md", "```proof\ninput x = 2\nexpect\n x = 2\n```\n```latex\n\\[ ? \\]\n```\n"),
              "4 cannot tell");
}

TEST(Latex, WhatCannotBeReadIsOneLineWithItsPlace) {
    for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
             {"Z = X + ", "expected a name, a number, a function or an opening bracket"},
             {"Z = (X", "this ( is never closed"},
             {"Z = X)", "this ) closes nothing"},
             {"Z = \\frac{X}", "expected the denominator: \\frac{a}{b}"},
             {"Z = X_", "nothing stands behind _"},
             {"Z = X W^H", "H is not known here"},
             {"Z = Q W", "Q is not known here: say what it is, as  % gradproof: input Q [n, d]"},
             {"Z = \\sinh X", "\\sinh is not known here"},
             {"Z = \\log x y", "it is not clear what \\log is taken of: put that in brackets"},
             {"Z = \\sum X", "expected the index that \\sum runs over: \\sum_j"},
             {"Z = \\frac{\\partial^3 L}{\\partial X^3}", "derivatives of a higher order than the second are not read"},
             {"Z = \\frac{\\partial^2 L}{\\partial X}", "a second derivative says what it is taken by twice"},
             {"Z = \\frac{\\partial L}{\\partial}", "a derivative says of what and by what"},
             {"Z = x_0", "entries are counted from 1, got 0"},
             {"Q, V = X, Y", "several names on the left of one =: write an equation for each"},
             {"Z =", "nothing stands on the right of ="},
             {"= Z", "a line begins with =, and no equation stands above it"},
             {"Z = \\begin{cases} x", "\\begin{cases} is never ended"},
             {"Z = \\begin{tikzcd} x \\end{tikzcd}", "tikzcd is not read inside a formula: cases and matrices are"},
             {"X = Y", ""},
         })
        EXPECT_NE(error_of_formula(text).find(expected), std::string::npos) << text << "\n  " << error_of_formula(text);
    EXPECT_EQ(first_line_of_error(kDeclared + "\\begin{align} Z = X"),
              "a.tex:2:1: \\begin{align} is never ended: expected \\end{align}");
    EXPECT_EQ(first_line_of_error(kDeclared + "\\begin{align} Z = {X \\end{align}"), "a.tex:2:19: this { is never closed");
    EXPECT_EQ(first_line_of_error(kDeclared + "$$ Z = X} $$"), "a.tex:2:9: this } closes nothing");
    EXPECT_EQ(first_line_of_error("% gradproof: dimz n\n"),
              "a.tex:1:14: expected dims, function, input, const, loss, title, forward, claim, expect, ignore, skip, off, "
              "on, indices, convention, layout or einstein; did you mean dims");
    EXPECT_EQ(first_line_of_error(
                  "\\begin{align} S &= \\foo \\frac{Q K^\\top}{\\sqrt{m}} \\\\ A &= \\operatorname{softmax}(S) V_h \\end{align}"),
              "a.tex:1:15: nothing says what the inputs are; write above it, with their shapes:  % gradproof: dims n d m; input "
              "Q [n, d], "
              "K [n, d], V [n, d]");
    EXPECT_EQ(first_line_of_error("text only"),
              "a.tex:1:1: no equations: they are read from equation, align, gather, $$ and \\[");
}

/// What is printed in LaTeX and in the notation is read as what it was, over the whole library.
TEST(Latex, ProofsArePrintedAndReadBack) {
    for (const std::string& name : library_names())
        for (const Proof& p : read_proofs(name + ".proof", library_text(name)))
            for (const Notation n : {Notation::latex, Notation::notation}) {
                std::string again;
                const std::string error = gradproof::testing::error_of([&] { again = read_back(p, n); });
                EXPECT_EQ(error, "no error") << name << "\n" << written(p, n);
                for (std::size_t at; (at = again.find("∞")) != std::string::npos;) again.replace(at, 3, "inf");
                for (std::size_t at; (at = again.find("π")) != std::string::npos;) again.replace(at, 2, "pi");
                EXPECT_EQ(again, written(p, Notation::notation));
            }
}

TEST(Latex, TheShapeOfAStatedValueIsPrinted) {
    const Proof p = read_proofs("a.proof", "dims n=2\ninput X [n] = [1, 2]\nforward\nloss L = sum(X)").at(0);
    for (const Notation n : {Notation::latex, Notation::notation})
        EXPECT_NE(written(p, n).find("input X [n] = [1,2]"), std::string::npos) << written(p, n);
}

TEST(Latex, HostileTextsEndSoon) {
    const int kMany = testing::kSampled ? 1 : 10;
    const std::string open = kDeclared + "\\[ Z = ";
    for (const std::string& text : {open + times(50000 * kMany, "X+") + "X \\]",
                                    open + times(10000 * kMany, "{") + "X",
                                    open + times(150, "{") + "X" + times(150, "}") + "\\]",
                                    open + times(150, "(") + "X" + times(150, ")") + "\\]",
                                    open + times(1000, "\\sqrt") + " X \\]",
                                    open + times(300, "\\frac1") + " X \\]",
                                    times(20000 * kMany, "\\begin{align}"),
                                    kDeclared + times(30000 * kMany, "$$"),
                                    kDeclared + times(10000 * kMany, "\\[ a \\]"),
                                    kDeclared + "\\[" + times(6000 * kMany, "a = ") + "\\]",
                                    kDeclared + times(2000 * kMany, "\\[ dX = 0 \\]"),
                                    kDeclared + "\\newcommand{\\a}{" + times(50000 * kMany, "{"),
                                    kDeclared + "\\verb",
                                    kDeclared + "\\begin{verbatim}",
                                    open + times(5000, "X_{X_") + "\\]",
                                    open + times(100, "\\hat{") + "X" + times(100, "}") + "\\]",
                                    times(20000 * kMany, "% gradproof: on\n"),
                                    open + times(60, "\\left(\\begin{cases}") + "\\]",
                                    open + "\\text{" + times(10000 * kMany, "$"),
                                    open + times(10000 * kMany, "-") + "X \\]",
                                    open + times(10000 * kMany, "'") + "\\]",
                                    open + "X" + times(10000 * kMany, "'") + "\\]",
                                    open + "X" + times(5000 * kMany, "^2") + "\\]"}) {
        const std::string all = gradproof::testing::error_of([&] { read_proofs("a.tex", text); });
        EXPECT_EQ(all.find("never"), all.find("never")) << text.substr(0, 80);
    }
}

}  // namespace
}  // namespace gradproof::proof
