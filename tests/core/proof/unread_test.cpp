// Lines that cannot be read, or do not fit, are lost alone: the others are judged, and nothing is told of what needs them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gradproof/core/proof/judge/annotations.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string of_notation(const std::string& text) { return verdicts_by_line("a.proof", text); }
/// What is said of the line that is not right.
std::string reason(const std::string& file, const std::string& text) {
    for (const ProofReport& p : check_file(file, text).proofs)
        for (const LineReport& l : p.lines)
            if (l.unread || l.verdict != Verdict::right)
                return fmt::format("{}:{}: {}", l.at ? l.at->line : l.line, l.at ? l.at->column : 0, l.reason);
    return "";
}

TEST(Unread, AClaimIsLostAlone) {
    EXPECT_EQ(of_notation(kAttention + "  dV = A^T dO\n  dA = dO V^T)\n  dA = dO V^Y\n  dQ = (dS K\n  dQ = dS K / sqrt(d)\n"
                                       "  dQ = dS K\n"),
              "8 right, 9 not read, 10 not read, 11 not read, 12 right, 13 wrong");
    EXPECT_EQ(reason("a.proof", kAttention + "  dV = A^T dO\n  dQ = dS Kx\n"), "9:11: unknown name Kx; did you mean K");
    EXPECT_EQ(reason("a.proof", kAttention + "  dQ = (dS K\n  dV = A^T dO\n"), "8:8: this bracket is never closed");
    EXPECT_EQ(reason("a.proof", kAttention + "  dQ = sofmax(dS)\n"), "8:8: unknown function sofmax; did you mean softmax");
}

TEST(Unread, ASlipMakesItsLineWrong) {
    EXPECT_EQ(of_notation(kAttention + "  dV[j,c] = Σ_i A[i,j] dO[i,q]\n  dV[j,c] = Σ_i A[i+1,j] dO[i,c]\n  dV[j] = dO[j,0]\n"
                                       "  dV = dO\n  dV[j,c] = Σ_i Σ_i A[i,j] dO[i,c]\n  dV[j,c] = Σ_i A[i,j] dO[i,c]\n"),
              "8 wrong, 9 wrong, 10 wrong, 11 wrong, 12 wrong, 13 right");
    EXPECT_EQ(reason("a.proof", kAttention + "  dV[j,c] = Σ_i A[i,j] dO[i,q]\n"),
              "8:29: unknown index q: it is neither on the left nor bound by a sum");
    EXPECT_EQ(of_notation("input X = [1, 2, 3]\nforward\n  Y = 2 X\nexpect\n  Y = [2, 4]\n  Y = [2, 4, 6]\n"),
              "5 wrong, 6 right");
}

TEST(Unread, NothingIsToldOfWhatNeedsALostLine) {
    const std::string head = "dims n\ninput x [n], w [n]\nforward\n  y = exp(x)\n";
    // The loss may run through line 5; of values, entries of Jacobians and a stated loss all is known.
    EXPECT_EQ(of_notation(head + "  z = frob(y)\nclaim\n  dx = dy ⊙ y\n  y = exp(x)\n  ∂y[i]/∂x[j] = δ[i,j] y[j]\n  z = y\n"),
              "5 not read, 7 cannot tell, 8 right, 9 right, 10 not read");
    EXPECT_EQ(of_notation(head + "  z = frob(w2)\nclaim\n  dx = dy ⊙ y\n"), "5 not read, 7 right");
    EXPECT_EQ(of_notation(head + "  z = frob(y)\n  u = y ⊙ y\nclaim\n  dy = 2 y ⊙ du\n  dz = y\n"),
              "5 not read, 8 right, 9 not read");
    EXPECT_EQ(of_notation(head + "  z = frob(w2)\n  u = z ⊙ y\nclaim\n  dx = dy ⊙ y\n"), "5 not read, 6 not read, 8 cannot tell");
    EXPECT_EQ(of_notation(head + "loss L = frob(w)\n  u = y ⊙ y\nclaim\n  dy = 2 y ⊙ du\n"), "5 not read, 8 cannot tell");
    EXPECT_EQ(of_notation(head + "loss L = sum(y)\n  z = frob(y)\nclaim\n  dx = y\n"), "6 not read, 8 right");
    EXPECT_EQ(of_notation(head + "claim\n  D = frob(dy)\n  dx = D ⊙ y\n  dx = dy ⊙ y\n"), "6 not read, 7 not read, 8 right");
}

/// What is called I is no identity, also where its line is lost.
TEST(Unread, AValueMayBeCalledI) {
    const auto dice = [](const char* overlap) {
        return fmt::format(
            "dims n\ninput p [n] ~ positive, y [n] ~ positive\nforward\n  I = {}\n  U = sum(p) + sum(y)\n  L = 1 - 2 I / "
            "U\nclaim\n"
            "  dp = -2 (y U - I) / U^2\n  dp = -2 y / U\n",
            overlap);
    };
    EXPECT_EQ(of_notation(dice("sum(p ⊙ y)")), "8 right, 9 wrong");
    EXPECT_EQ(of_notation(dice("frob(p, y)")), "4 not read, 6 not read, 8 not read, 9 cannot tell");
}

/// Without a loss the line about c is judged for one of c alone.
TEST(Unread, AForwardLineThatDoesNotFitIsWrong) {
    EXPECT_EQ(
        of_notation("dims n m d\ninput Q [n, d], K [m, d], b [m]\nforward\n  S = Q K\n  A = softmax(S)\n  c = exp(b)\nclaim\n"
                    "  dA = dA ⊙ A\n  db = dc ⊙ c\n"),
        "4 wrong, 8 cannot tell, 9 right");
    EXPECT_EQ(
        of_notation("dims n m d\ninput Q [n, d], K [m, d], b [m]\nforward\n  c = exp(b)\n  S = Q K\n  A = softmax(S)\nclaim\n"
                    "  db = dc ⊙ c\n  c = exp(b)\n"),
        "5 wrong, 8 right, 9 right");
}

const std::string kEquations =
    "% gradproof: dims n m d; input Q [n,d], K [m,d], V [m,d]\n"
    "\\begin{align} S &= Q K^\\top / \\sqrt{d} \\\\ P &= \\mathrm{softmax}(S) \\\\ O &= P V \\end{align}\n";

TEST(Unread, EquationsOfLatexAreLostAlone) {
    EXPECT_EQ(verdicts_by_line("a.tex", kEquations + "\\begin{align}\n\\nabla_V L &= P^\\top \\nabla_O L \\\\\n"
                                                     "\\nabla_P L &= \\nabla_O L \\starfish V^\\top \\\\\n"
                                                     "\\nabla_P L &= \\frac{\\nabla_O L V^\\top \\\\\n"
                                                     "\\nabla_Q L &= \\nabla_S L K \\end{align}\n"),
              "4 right, 5 not read, 6 not read, 7 wrong");
    EXPECT_EQ(
        verdicts_by_line("a.tex", kEquations + "\\[ x_{t+1} = x_t - \\eta g_t \\]\n\\[ \\nabla_V L = P^\\top \\nabla_O L \\]\n"),
        "3 not read, 4 right");
    EXPECT_EQ(verdicts_by_line("a.tex", kEquations + "\\[ Z = \\bigstar O \\]\n\\[ \\nabla_V L = P^\\top \\nabla_O L \\]\n"),
              "3 not read, 4 cannot tell");
    EXPECT_EQ(verdicts_by_line("a.tex", kEquations + "\\[ \\nabla_V L = \\foo\n = P^\\top \\nabla_O L\n = P \\nabla_O L \\]\n"),
              "3 not read, 4 right, 5 wrong");
    EXPECT_EQ(reason("a.tex", kEquations + "\\[ \\nabla_V L = P^\\top \\nabla_O X \\]\n"),
              "3:33: X is not known here: say what it is, as  % gradproof: input X [n, d]");
}

TEST(Unread, LinesOfNumPyAreLostAloneAndWhatTheyChangeIsNotKnown) {
    const std::string head = "# gradproof: dims n; input x [n], w [n]\ny = x * w\n";
    EXPECT_EQ(verdicts_by_line("a.py", head + "dx = mystery(dy)\ndw = dy * x\n"), "3 not read, 4 right");
    EXPECT_EQ(verdicts_by_line("a.py", head + "z = mystery(q)\ndx = dy * w\ndw = dy * z\n"), "3 not read, 4 right, 5 not read");
    EXPECT_EQ(verdicts_by_line("a.py", head + "z = mystery(y)\ndx = dy * w\n"), "3 not read, 4 cannot tell");
    EXPECT_EQ(verdicts_by_line("a.py", head + "dx = np.zeros(n)\nfor i in [1, 2]:\n    dx += dy\ndw = dy * x\n"),
              "4 not read, 6 right");
    EXPECT_EQ(verdicts_by_line("a.py", head + "u = y * 2\nw *= 2\nz = u * 3\ndu = 3 * dz\ndy = 2 * du\ndx = dy * w\n"),
              "4 not read, 6 right, 7 right, 8 not read");
    EXPECT_EQ(verdicts_by_line("a.py", head + "if True:\n    y = x\nelse:\n    y = w\ndx = dy * w\n"),
              "3 not read, 5 not read, 7 not read");
}

TEST(Unread, ReportsNameThePlace) {
    const FileReport r = check_file("a.proof", kAttention + "  dV = A^T dO\n  dQ = dS Kx\n");
    EXPECT_EQ(r.verdict(), Verdict::wrong);
    EXPECT_EQ(r.unread(), 1);
    const std::string text = to_text(r, {.only_wrong = true});
    EXPECT_NE(text.find("  not read  dQ = dS Kx   unknown name Kx; did you mean K\n"), std::string::npos) << text;
    EXPECT_NE(text.find("at 9:11\n1 right; 1 not read\n"), std::string::npos) << text;
    const auto j = nlohmann::json::parse(to_json(r));
    EXPECT_EQ(j["not_read"], 1);
    EXPECT_EQ(j["wrong"], 0);
    EXPECT_EQ(j["first_wrong_line"], nullptr);
    EXPECT_EQ(j["lines"][1]["verdict"], "not read");
    EXPECT_EQ(j["lines"][1]["at"]["column"], 11);
    EXPECT_NE(to_github({{r, {}}}).find("::error file=a.proof,line=9,col=11,title=gradproof%3A cannot be read::dQ = dS Kx"),
              std::string::npos)
        << to_github({{r, {}}});
    EXPECT_NE(to_junit({{r, {}}}).find("errors=\"1\""), std::string::npos);
}

TEST(Unread, DeclarationsAndWhatNeverEndsRefuseTheFile) {
    for (const auto& [file, text] : std::vector<std::pair<std::string, std::string>>{
             {"a.proof", "input X [n, m\nforward\n Y = X\nclaim\n dX = dY\n"},
             {"a.proof", "title \"open\nforward\n Y = 1\n"},
             {"a.tex", kEquations + "\\begin{align} \\nabla_V L = P^\\top \\nabla_O L\n"},
             {"a.tex", "% gradproof: input X [n\n\\[ Y = X \\]\n"},
             {"a.py", "# gradproof: input x [n]\ny = x\n\"\"\" open\n"}})
        EXPECT_THROW(check_file(file, text), ProofError) << text;
}

}  // namespace
}  // namespace gradproof::proof
