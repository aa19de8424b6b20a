// Beside a wrong line that nothing simple repairs stands what is right, derived; beside no other.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gradproof/core/proof/judge/annotations.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

CheckOptions quick() {
    CheckOptions out;
    out.mutation = out.prove = false;
    return out;
}

TEST(DerivedBeside, AWrongGradientOrAnEntryOfIt) {
    const std::vector<LineReport> lines =
        lines_of(kAttention + "  dS = exp(tanh(S)) - 0.37\n  dS[i,j] = sin(S[i,j]) + 0.37\n  dV = tanh(V) + 0.1\n");
    for (const LineReport& l : lines) EXPECT_EQ(l.verdict, Verdict::wrong) << l.text;
    EXPECT_EQ(lines.at(0).derived, "∂L/∂S = A ⊙ (∂L/∂A - rowsum(∂L/∂A ⊙ A))");
    EXPECT_EQ(lines.at(1).derived, lines.at(0).derived);
    EXPECT_EQ(lines.at(2).derived, "∂L/∂V = A^T ∂L/∂O");
}

TEST(DerivedBeside, NothingWhereALineIsRightOrRepairedOrNoGradient) {
    for (const LineReport& l : lines_of(kAttention + "  dV = A^T dO\n  dA = -dO V^T\n  O = tanh(V) + 0.1\n  dS = ?\n"
                                                     "  ∂A[i,j]/∂S[i,k] = sin(A[i,j])\n  skip \"no\"\n  dQ = Q\n"))
        EXPECT_EQ(l.derived, "") << l.text;
    CheckOptions chain;
    chain.chain = true;
    EXPECT_EQ(lines_of(kAttention + "  dV = tanh(V) + 0.1\n", chain).at(0).derived, "");
    CheckOptions undiagnosed;
    undiagnosed.diagnose = false;
    EXPECT_EQ(lines_of(kAttention + "  dV = tanh(V) + 0.1\n", undiagnosed).at(0).derived, "");
}

TEST(DerivedBeside, NothingWhereThereIsNoRuleOrTheForwardIsNotRead) {
    const auto only = [](const std::string& text) { return lines_of(text).back(); };
    const std::string product = "dims n\ninput x [n], t []\nforward\n  y = t prod_i(x[i])\nclaim\n";
    EXPECT_EQ(only(product + "  dx = sin(x) + 0.3\n").verdict, Verdict::wrong);
    EXPECT_EQ(only(product + "  dx = sin(x) + 0.3\n").derived, "");
    EXPECT_EQ(only("dims n\ninput x [n], w [n]\nforward\n  y = exp(x\n  z = w\nclaim\n  dw = sin(w) + 0.3\n").derived, "");
    // The gradient that comes in is given, not derived.
    EXPECT_EQ(only(product + "  dy = sin(y) + 0.3\n").derived, "");
}

TEST(DerivedBeside, ALongForwardIsNotDerived) {
    const auto derived = [](int terms) {
        std::string text = "dims n\ninput x [n]\nforward\n  y = x", sum;
        for (int i = 0; i < terms; ++i) sum += " + y / 16";
        text += "\n  z = y" + sum + "\n  w = z" + sum + "\n  v = w" + sum + "\nclaim\n  dx = sin(x) + 0.3\n";
        CheckOptions options = quick();
        options.draws = 1;
        return lines_of(text, options).at(0).derived;
    };
    EXPECT_NE(derived(10), "");
    EXPECT_EQ(derived(250), "");
}

TEST(DerivedBeside, ReportsHaveItInTheNotationOfTheFile) {
    const FileReport report = check_file("a.proof", kAttention + "  dS = exp(tanh(S)) - 0.37\n  dV = A^T dO\n");
    const std::string derived = "derived  ∂L/∂S = A ⊙ (∂L/∂A - rowsum(∂L/∂A ⊙ A))";
    EXPECT_NE(to_text(report).find(" " + derived + "\n"), std::string::npos) << to_text(report);
    const auto json = nlohmann::json::parse(to_json(report));
    EXPECT_EQ(json["lines"].at(0u)["derived"], derived.substr(9));
    EXPECT_FALSE(json["lines"].at(1u).contains("derived"));
    EXPECT_NE(to_github({{report, {}}}).find("; " + derived), std::string::npos);
    const std::string tex =
        "% gradproof: dims n m; input \\hat{X} [n, m], W^K [m]\n\\begin{align}\n y &= \\hat{X} W^K \\\\\n"
        "\\frac{\\partial L}{\\partial W^K} &= \\tanh(W^K) + 0.1\n\\end{align}\n";
    EXPECT_EQ(lines_of(tex, {}, "a.tex").at(0).derived,
              "\\frac{\\partial L}{\\partial W^K} = \\hat{X}^\\top \\frac{\\partial L}{\\partial y}");
}

/// Every claim about a gradient is made one that nothing repairs; what is derived beside it is right of the same forward.
TEST(DerivedBeside, WhatIsDerivedIsRight) {
    for (const std::string name : {"cross_entropy", "rms_norm"}) {
        Proof p = read_proofs(name, library_text(name)).front();
        std::erase_if(p.lines, [](const JudgedLine& l) { return l.left->kind != Kind::gradient; });
        ASSERT_GT(p.lines.size(), 1U);
        for (JudgedLine& l : p.lines) l.right = sum(call("sin", {l.right}), '+', number(0.37));
        const std::vector<LineReport> lines = lines_of(written(p, Notation::notation), quick());
        p.lines.clear();
        std::string text = written(p, Notation::notation) + "claim\n";
        for (const LineReport& l : lines) {
            EXPECT_NE(l.derived, "") << name << ": " << l.text;
            text += "  " + l.derived + "\n";
        }
        for (const LineReport& l : lines_of(text, quick())) EXPECT_EQ(l.verdict, Verdict::right) << l.text;
    }
}

}  // namespace
}  // namespace gradproof::proof
