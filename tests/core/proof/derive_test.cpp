// Derived gradients: the lines a person would write, all right, for every forward of the library.
#include "gradproof/core/proof/derive/derive.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

Proof only_proof(const std::string& text) { return read_proofs("derived.proof", text).front(); }

std::vector<std::string> texts(const Derivation& d) {
    std::vector<std::string> out;
    for (const DerivedLine& l : d.lines) out.push_back(l.text);
    for (const Underived& m : d.missing) out.push_back(m.name + ": " + m.reason);
    return out;
}

std::vector<std::string> derived(const std::string& text) { return texts(derive(only_proof(text))); }

TEST(Derive, AttentionAsAPersonWritesIt) {
    EXPECT_EQ(texts(derive(from_library("attention"))), (std::vector<std::string>{
                                                            "∂L/∂A = ∂L/∂O V^T",
                                                            "∂L/∂S = A ⊙ (∂L/∂A - rowsum(∂L/∂A ⊙ A))",
                                                            "∂L/∂V = A^T ∂L/∂O",
                                                            "∂L/∂K = ∂L/∂S^T Q / sqrt(d_k)",
                                                            "∂L/∂Q = ∂L/∂S K / sqrt(d_k)",
                                                        }));
}

TEST(Derive, EveryLineIsRightUnderTheChecker) {
    const std::string text = to_text(derive(from_library("transformer_block")), {.steps = true});
    CheckOptions options;
    options.mutation = false;
    const ProofReport r = check_proof(only_proof(text), options);
    EXPECT_EQ(r.count(Verdict::right), 18) << text;
    EXPECT_EQ(static_cast<std::size_t>(r.count(Verdict::right)), r.lines.size()) << text;
}

std::string expressions(const std::string& declared, const std::string& forward) {
    return declared + "\nforward\n  " + forward + "\n";
}

/// What a derivation of one line of the forward says.
struct Rule {
    std::string declared, forward;
    std::vector<std::string> lines;
};

TEST(Derive, RuleByRule) {
    const std::vector<Rule> rules{
        {"dims n m\ninput X [n, m], b [m]", "Y = X - b", {"∂L/∂b = -sum(∂L/∂Y, axis=0)", "∂L/∂X = ∂L/∂Y"}},
        {"dims n m\ninput X [n, m], s []", "Y = s X", {"∂L/∂s = sum(∂L/∂Y ⊙ X)", "∂L/∂X = s ∂L/∂Y"}},
        {"dims n m\ninput X [n, m], z [n, 1]", "Y = X / z", {"∂L/∂z = -rowsum(∂L/∂Y ⊙ Y) / z", "∂L/∂X = ∂L/∂Y / z"}},
        {"dims n\ninput A [n, n]", "Y = A A^T", {"∂L/∂A = ∂L/∂Y A + ∂L/∂Y^T A"}},
        {"dims n\ninput x [n], A [n, n]", "y = x A", {"∂L/∂A = outer(x,∂L/∂y)", "∂L/∂x = A ∂L/∂y"}},
        {"dims n m\ninput X [n, m]", "Y = X - rowmean(X)", {"∂L/∂X = ∂L/∂Y - rowmean(∂L/∂Y)"}},
        {"dims n m\ninput X [n, m]", "y = sum(X, axis=1)", {"∂L/∂X = reshape(∂L/∂y, shape=[n,1]) ⊙ ones(n,m)"}},
        {"dims n m\ninput X [n, m]", "l = logsumexp(X, axis=0)", {"∂L/∂X = ∂L/∂l ⊙ softmax(X, axis=0)"}},
        {"dims n m k\ninput X [n, m], Y [n, k]",
         "Z = concat(X, Y, axis=1)",
         {"∂L/∂Y = ∂L/∂Z[:,m:m + k]", "∂L/∂X = ∂L/∂Z[:,0:m]"}},
        {"dims n m\ninput X [n, m]", "y = X[0]", {"∂L/∂X = concat(reshape(∂L/∂y, shape=[1,m]),zeros(n - 1,m), axis=0)"}},
        {"dims n\ninput A [n, n]", "Y = inv(A)", {"∂L/∂A = -Y^T ∂L/∂Y Y^T"}},
        {"dims n m\ninput X [n, m], W [n, m]",
         "Y = add(matmul(X, transpose(W)), neg(mul(X, W)) W^T)",
         {"∂L/∂W = ∂L/∂Y^T X - (∂L/∂Y W) ⊙ X - ∂L/∂Y^T (X ⊙ W)", "∂L/∂X = (∂L/∂Y W) ⊙ (1 - W)"}},
        {"dims n\ninput x [n]", "y[i] = x[i]^2 + Σ_j x[j]", {"∂L/∂x[i] = 2 ∂L/∂y[i] x[i] + Σ_j ∂L/∂y[j]"}},
        {"dims n m\ninput X [n, m], Y [n, m]",
         "Z[i,j] = max(X[i,j], Y[i,j])",
         {"∂L/∂Y[i,j] = ∂L/∂Z[i,j] (1 - step(X[i,j] - Y[i,j]))", "∂L/∂X[i,j] = ∂L/∂Z[i,j] step(X[i,j] - Y[i,j])"}},
    };
    for (const Rule& r : rules) EXPECT_EQ(derived(expressions(r.declared, r.forward)), r.lines) << r.forward;
}

/// What random forwards once went wrong with: vectors within products, indices of two sizes, terms that cancel.
TEST(Derive, EveryLineOfOddForwards) {
    const std::string declared =
        "dims n m k\ninput A [n, m], B [m, n], C [m, n], Z [n, m], D [n, m], x [n], y [n], w [m], c [], T [k, n, m]\nforward\n  ";
    for (const char* forward :
         {"y_1 = A ((B x) C x) + (A w) Z w", "S = x Z + (y ⊙ x) (A (B D))", "S[j,i] = Σ_p A[p,j] y[i]",
          "s[i] = (sin(c) + y[i]) / (2 + (y[i] + c - (x[0] + c) + c)^2)", "S[i,j] = Σ_l (Σ_p T[l,p,j]) (Σ_j2 T[l,i,j2]) A[i,j]",
          "t = trace(A B) A - (A B)^T D", "S = T w + mean(T, axis=2)", "S = sum(T, axis=0) B",
          "S = where(D > 0, A, Z ⊙ w) / (x x)", "S = A[0:1, :] ⊙ Z", "s = A[:, 0] c"}) {
        const Derivation d = derive(only_proof(declared + forward + "\n"));
        EXPECT_EQ(d.lines.size() + d.missing.size(), 10U) << forward;
        for (const Underived& m : d.missing) ADD_FAILURE() << forward << ": " << m.name << ": " << m.reason;
    }
}

/// E[x[i], i] is an entry of E, and nothing flows to the x that says which.
TEST(Derive, NothingFlowsThroughThePlaceOfAnEntry) {
    const std::string given = "dims n\ninput x [n] ~ index(n), E [n, n]\nforward\n  L = ";
    EXPECT_EQ(verdicts(given + "Σ_i E[x[i], i]\nclaim\n  dE[i,j] = (x[i] == i)\n"), "wrong");  // which derives what is right
    EXPECT_EQ(verdicts(given + "Σ_i E[i, x[i]]\nclaim\n  dE[i,j] = (x[i] == j)\n"), "right");
    EXPECT_EQ(
        verdicts("dims n k\ninput Z [n, k], y [n] ~ index(k)\nforward\n  P = softmax(Z)\n  L = -Σ_i log(P[i, y[i]]) / n\nclaim\n"
                 "  dZ[i,j] = (P[i,j] - (y[j] == i)) / n\n"),
        "wrong");
}

TEST(Derive, ARecurrenceLeadsBackFromTheNextStep) {
    EXPECT_EQ(derived("dims T n d\ninput X [T, d], W [d, n], U [n, n], h [n]\nforward\n"
                      "  H[t,i] = tanh(Σ_c X[t,c] W[c,i] + where(t > 0, Σ_k H[t-1,k] U[k,i], Σ_k h[k] U[k,i]))\n  Y = H ⊙ H\n"),
              (std::vector<std::string>{
                  "∂L/∂H[t,i] = where(step(T - 1 - t),Σ_j ∂L/∂H[t + 1,j] (1 - H[t + 1,j]^2) U[i,j],0) + 2 ∂L/∂Y[t,i] H[t,i]",
                  "∂L/∂h[k] = Σ_{t,i} ∂L/∂H[t,i] (1 - H[t,i]^2) where(step(t),0,1) U[k,i]",
                  "∂L/∂U[k,i] = Σ_t ∂L/∂H[t,i] (1 - H[t,i]^2) where(step(t),H[t - 1,k],h[k])",
                  "∂L/∂W[c,i] = Σ_t ∂L/∂H[t,i] (1 - H[t,i]^2) X[t,c]",
                  "∂L/∂X[t,c] = Σ_i ∂L/∂H[t,i] (1 - H[t,i]^2) W[c,i]",
              }));
}

TEST(Derive, InverseAndDeterminant) {
    EXPECT_EQ(derived("dims n d\ninput D [n, n], y [n], s [] ~ positive\nforward\n"
                      "  K = s exp(-D ⊙ D) + eye(n)\n  α = inv(K) y\nloss L = y α / 2 + logdet(K) / 2\n"),
              (std::vector<std::string>{
                  "∂L/∂α = y / 2",
                  "∂L/∂K = inverse(K)^T / 2 - inverse(K)^T outer(∂L/∂α,y) inverse(K)^T",
                  "∂L/∂s = sum(∂L/∂K ⊙ exp(-D ⊙ D))",
                  "∂L/∂y = inverse(K)^T ∂L/∂α + α / 2",
                  "∂L/∂D = -2 s ∂L/∂K ⊙ exp(-D ⊙ D) ⊙ D",
              }));
}

TEST(Derive, WhatHasNoRuleIsOneClearLineAndTheOthersStay) {
    EXPECT_EQ(derived("dims n d\ninput X [n, d], v [d], t [n]\nforward\n  p = prod_i(t[i])\n  Y = p X\n  z = Y v\n"),
              (std::vector<std::string>{"∂L/∂Y = outer(∂L/∂z,v)", "∂L/∂p = sum(∂L/∂Y ⊙ X)", "∂L/∂v = Y^T ∂L/∂z",
                                        "∂L/∂X = p ∂L/∂Y", "t: no rule yet for prod_i(t[i])"}));
}

TEST(Derive, OnlyWhatIsAskedForAndWhatItIsMadeOf) {
    EXPECT_EQ(texts(derive(from_library("attention"), {.wrt = {"V"}})), (std::vector<std::string>{"∂L/∂V = A^T ∂L/∂O"}));
    EXPECT_EQ(derive(from_library("attention"), {.wrt = {"Q"}}).lines.size(), 3U);
    try {
        derive(from_library("low_rank"), {.wrt = {"α"}});
        ADD_FAILURE();
    } catch (const ValueError& e) {
        EXPECT_NE(std::string(e.what()).find("no gradient of α"), std::string::npos) << e.what();
    }
}

TEST(Derive, StepsSayTheRulesAndTheGradientsOnTheWay) {
    const std::string text = to_text(derive(from_library("attention"), {.wrt = {"K"}}), {.steps = true});
    EXPECT_NE(text.find("# quotient rule, matrix product, transpose on S = Q K^T / sqrt(d_k)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("#     quotient rule on Q K^T / sqrt(d_k): Q K^T gets ∂L/∂S / sqrt(d_k)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("#     matrix product on Q K^T: K^T gets Q^T ∂L/∂S / sqrt(d_k)\n"), std::string::npos) << text;
}

TEST(Derive, InLatexTheRulesStandBesideTheLines) {
    EXPECT_EQ(to_latex(derive(only_proof(expressions("title \"Rows\"\ndims n m\ninput S [n, m]", "A = softmax(S)")))),
              R"page(% gradproof: indices from 0
% gradproof: title "Rows"
% gradproof: dims n m
% gradproof: input S [n, m]
% gradproof: forward
\begin{align*}
  A &= \operatorname{softmax}(S)
\end{align*}
% gradproof: claim
\begin{align*}
  \frac{\partial L}{\partial S} &= A \odot \left(\frac{\partial L}{\partial A} - \operatorname{rowsum}\left(\frac{\partial L}{\partial A} \odot A\right)\right) && \text{softmax}
\end{align*}
)page");
}

TEST(Derive, WhatIsWrittenAsLatexAndMarkdownIsReadBackAndRight) {
    CheckOptions options;
    options.mutation = options.diagnose = false;
    options.draws = 2;
    for (const std::string& name : some_library_names(6)) {
        const Derivation d = derive(from_library(name));
        const DeriveStyle report{.steps = true};
        for (const auto& [file, text] : {std::pair{"a.tex", to_latex(d, report)}, std::pair{"a.md", to_markdown(d, report)}}) {
            const std::vector<Proof> read = read_proofs(file, text);
            ASSERT_EQ(read.size(), 1U) << text;
            const ProofReport r = check_proof(read[0], options);
            EXPECT_EQ(static_cast<std::size_t>(r.count(Verdict::right)), d.lines.size()) << text;
            EXPECT_EQ(r.lines.size(), d.lines.size()) << text;
        }
    }
}

std::vector<std::string> derived_from(const std::string& file, const std::string& text) {
    return texts(derive(read_proofs(file, text).front()));
}

TEST(Derive, FromLatexAndPythonInTheNamesThatStandThere) {
    const std::string tex =
        "% gradproof: dims n m d; input \\hat{Q} [n,d], W^K [m,d]\n\\begin{align}\n"
        "S_h &= \\hat{Q} {W^K}^\\top / \\sqrt{d} \\\\ \\Omega &= \\sigma(S_h)\n\\end{align}\n";
    const std::string python =
        "# gradproof: dims n m d; input Q_hat [n, d], W_K [m, d]\n"
        "S_h = Q_hat @ W_K.T / np.sqrt(d)\nΩ = sigmoid(S_h)\n";
    const std::vector<std::string> expected{"∂L/∂S_h = ∂L/∂Ω ⊙ Ω ⊙ (1 - Ω)", "∂L/∂W_K = ∂L/∂S_h^T Q_hat / sqrt(d)",
                                            "∂L/∂Q_hat = ∂L/∂S_h W_K / sqrt(d)"};
    EXPECT_EQ(derived_from("a.tex", tex), expected);
    EXPECT_EQ(derived_from("a.py", python), expected);
    const std::string written = to_latex(derive(read_proofs("a.tex", tex).front()));
    EXPECT_NE(written.find("\\frac{\\partial L}{\\partial \\hat{Q}} &= \\frac{\\partial L}{\\partial S_h} W^K / "),
              std::string::npos)
        << written;
}

TEST(Derive, TangentsAreAcceptedByCheckAsTheyArePrinted) {
    for (const char* name : {"attention", "softmax_rows", "batch_norm"}) {
        const FileReport report = check_file("a.proof", to_text(derive_tangents(from_library(name))));
        EXPECT_EQ(report.verdict(), Verdict::right) << to_text(report);
        EXPECT_EQ(report.proofs.at(0).lines.at(0).read_as, "read as differentials");
    }
}

TEST(Derive, ForwardModeOfTheLibrary) {
    EXPECT_EQ(
        texts(derive_tangents(from_library("attention"))),
        (std::vector<std::string>{"dS = (dQ K^T + Q dK^T) / sqrt(d_k)", "dA = A ⊙ (dS - rowsum(A ⊙ dS))", "dO = dA V + A dV"}));
    for (const std::string& name : some_library_names(6))
        for (const Underived& m : derive_tangents(from_library(name)).missing)
            ADD_FAILURE() << name << ": " << m.name << ": " << m.reason;
}

TEST(Derive, HessianVectorProducts) {
    const auto of = [](const std::string& text, const std::string& x) { return texts(derive_hessian(only_proof(text), x)); };
    EXPECT_EQ(of("dims n\ninput x [n]\nconst A [n, n]\nforward\nloss L = x A x / 2\n", "x"),
              (std::vector<std::string>{"G_x = (A x + x A) / 2", "dG_x = A dx / 2 + dx A / 2"}));
    EXPECT_EQ(texts(derive_hessian(from_library("cross_entropy"), "Z")),
              (std::vector<std::string>{"G_Z = (P - T) / n", "dP = P ⊙ (dZ - rowsum(P ⊙ dZ))", "dG_Z = dP / n"}));
    EXPECT_EQ(of("dims n\ninput x [n], w [n]\nforward\nloss L = Σ_i w[i] exp(x[i])\n", "x"),
              (std::vector<std::string>{"G_x[i] = w[i] exp(x[i])", "dG_x[i] = w[i] exp(x[i]) dx[i]"}));
    for (const std::string& name : some_library_names(6)) {
        const Proof p = from_library(name);
        if (!p.forward.back().is_loss) continue;
        const std::string& x = std::ranges::find(p.given, true, &Given::differentiable)->name;
        for (const Underived& m : derive_hessian(p, x).missing) ADD_FAILURE() << name << ": " << m.name << ": " << m.reason;
    }
    EXPECT_EQ(testing::error_of([&] { derive_hessian(from_library("attention"), "Q"); }),
              "a Hessian needs a loss, and O is not stated as one: loss O = ...");
    EXPECT_EQ(testing::error_of([&] { derive_hessian(from_library("cross_entropy"), "P"); }),
              "a Hessian is taken by an input, and P is computed");
}

std::size_t parts_of_line(const ExprPtr& left, const ExprPtr& right) { return parts_of(*left) + parts_of(*right); }

/// How long the author's claim about the same gradient is: the shortest in the form of the line, or else in the other one.
std::size_t parts_of_claim(const Proof& p, const DerivedLine& l) {
    std::size_t same = 0, any = 0;
    for (const JudgedLine& claim : p.lines) {
        const bool by_entries = claim.left->kind == Kind::index;
        const Expr& of = by_entries ? *claim.left->children[0] : *claim.left;
        if (of.kind != Kind::gradient || of.name != l.name) continue;
        const std::size_t parts = parts_of_line(claim.left, claim.right);
        any = any == 0 ? parts : std::min(any, parts);
        if (by_entries == (l.left->kind == Kind::index)) same = same == 0 ? parts : std::min(same, parts);
    }
    return same > 0 ? same : any;
}

/// Prints a row for each proof: lines, and the line that is longest beside the author's.
TEST(Derive, EveryForwardOfTheLibraryNoLongerThanItsAuthorHasIt) {
    const std::set<std::string> longer{"rope"};  // its author has the derivative by a position from how q turns
    std::size_t lines = 0;
    for (const std::string& name : some_library_names(6))
        for (const Proof& p : read_proofs(name + ".proof", library_text(name))) {
            const Derivation d = derive(p);
            for (const Underived& m : d.missing) ADD_FAILURE() << name << ": " << m.name << ": " << m.reason;
            lines += d.lines.size();
            double longest = 0;
            std::string row;
            for (const DerivedLine& l : d.lines) {
                const std::size_t claimed = parts_of_claim(p, l);
                if (claimed == 0) continue;
                const double ratio = static_cast<double>(parts_of_line(l.left, l.right)) / static_cast<double>(claimed);
                if (ratio <= longest) continue;
                longest = ratio;
                row = l.text;
            }
            fmt::print("{:24} {:>2} lines, at most {:.2f} of the author's: {}\n", name, d.lines.size(), longest, row);
            if (!longer.contains(name)) {
                EXPECT_LE(longest, 1.5) << name << ": " << row;
            }
        }
    fmt::print("{} lines\n", lines);
}

}  // namespace
}  // namespace gradproof::proof
