// Derivations printed in another notation, and read from it again: by tree where the notation has it all, by value in NumPy.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "gradproof/core/proof/derive/numpy_proof.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"
#include "tests/core/proof/judged.hpp"
#include "tests/paths.hpp"

namespace gradproof::proof {
namespace {

using gradproof::testing::count_of, gradproof::testing::error_of;

Proof from_text(const std::string& text, const std::string& file = "a.proof") { return read_proofs(file, text).at(0); }

/// Every value of the forward is the same in the same draws, in the order of the lines.
void expect_same_values(const Proof& a, const Proof& b) {
    const Plan of_a(a), of_b(b);
    for (int draw = 0; draw < 2; ++draw) {
        const Instance x(a, of_a, {}, draw), y(b, of_b, {}, draw);
        const auto values = [](const Proof& p) {
            std::vector<std::string> out;
            for (const Assignment& f : p.forward)
                if (!f.inner) out.push_back(f.name);
            return out;
        };
        const std::vector<std::string> left = values(a), right = values(b);
        ASSERT_EQ(left.size(), right.size());
        for (std::size_t i = 0; i < left.size(); ++i) {
            const Tensor<double>& u = x.scope().values.at(left[i]).value();
            const Tensor<double>& v = y.scope().values.at(right[i]).value();
            ASSERT_EQ(u.shape(), v.shape()) << left[i];
            for (Index k = 0; k < u.size(); ++k) EXPECT_NEAR(u[k], v[k], 1e-12 * (1 + std::abs(u[k]))) << left[i];
        }
    }
}

/// What NumPy has no words for, a line of the forward each.
const std::set<std::string> kNotInNumpy{"conv1d", "embedding", "relative_positions", "sinusoidal_positions"};

TEST(Print, TheLibraryInNumpyIsReadBack) {
    CheckOptions quick;
    quick.mutation = quick.prove = quick.diagnose = false;
    quick.draws = 2;
    for (const std::string& name : some_library_names(6)) {
        const Proof p = from_library(name);
        if (kNotInNumpy.contains(name)) {
            EXPECT_TRUE(error_of([&] { to_numpy(p); }).starts_with("print: NumPy has no words for ")) << name;
            continue;
        }
        SCOPED_TRACE(name);
        const std::string text = to_numpy(p);
        const Proof again = from_text(text, "a.py");
        expect_same_values(p, again);
        const auto judged = std::ranges::count(p.lines, JudgedLine::State::judged, &JudgedLine::state);
        EXPECT_EQ(static_cast<long>(again.lines.size()) + count_of(text, "\n# not in NumPy: "), judged) << text;
        const ProofReport report = check_proof(again, quick);
        EXPECT_EQ(report.count(Verdict::right), static_cast<int>(again.lines.size())) << text;
    }
}

TEST(Print, InNumpyAsPeopleWriteIt) {
    EXPECT_EQ(to_numpy(from_text(
                  "title \"Scores\"\ndims n m d\ninput Q [n, d], K [m, d] ~ positive\nconst M = causal(n, m)\nforward\n"
                  "  S = 2 Q K^T / √d + M\n  A = softmax(S)\n  z[i] = Σ_j A[i,j]² S[i,j] / 3\n  W[i,j] = exp(A[i,j]) - z[i]\n"
                  "loss J = mean(W)\nclaim\n  ∂J/∂W = ones(n, m) / (n m)\n  ∂J/∂A[i,j] = -Σ_k ∂J/∂S[i,k] K[j,k] δ[i,j]\n"
                  "  ∂W[i,j]/∂z[k] = -δ[i,k]\n  D = rowsum(∂J/∂W)\n  ∂J/∂z[i] = -D[i,0]\n")),
              R"(# gradproof: title "Scores"
# gradproof: dims n m d
# gradproof: input Q [n, d]
# gradproof: input K [m, d] ~ positive
# gradproof: const M = causal(n,m)

S = 2 * Q @ K.T / np.sqrt(d) + M
A = softmax(S, axis=-1)
z = np.sum(A**2 * S / 3, axis=-1)
W = np.exp(A) - z[:, None]
# gradproof: loss J
J = np.mean(W)
dW = np.ones((n, m)) / (n * m)
dA = -np.sum(dS[:, None, :] * K * np.eye(n)[:, :, None], axis=-1)
# not in NumPy: ∂W[i,j]/∂z[k] = -δ[i,k]
D = np.sum(dW, axis=-1, keepdims=True)
dz = -D[:, 0]
)");
}

TEST(Print, SumsOfProductsAreEinsum) {
    const std::string numpy = to_numpy(from_text(
        "dims n m p\ninput A [n, m], B [m, p], c []\nforward\n  C[i,j] = Σ_k A[i,k] B[k,j] / c\n  D[j,i] = 2 C[i,j]\n"));
    EXPECT_NE(numpy.find("C = np.einsum(\"ik,kj->ij\", A, B) / c\n"), std::string::npos) << numpy;
    EXPECT_NE(numpy.find("D = 2 * C.T\n"), std::string::npos) << numpy;
    const std::string sizes =
        to_numpy(from_text("dims n m\ninput A [n, m], c [n]\nforward\n  s[i] = Σ_k A[i,k] k\n  loss L = Σ_k c[k] k + sum(s)\n"));
    EXPECT_NE(sizes.find("np.sum(c * np.arange(n))"), std::string::npos) << "k of c is not as long as k of A: " << sizes;
    const Proof python =
        from_text("# gradproof: dims n m k; input A [n,m], B [m,k]\nC = np.einsum('ij,jk->ik', A**2, B) + 1\n", "a.py");
    EXPECT_NE(written(python, Notation::notation).find("C = einsum(\"ij,jk->ik\", A^2, B) + 1\n"), std::string::npos);
    EXPECT_NE(to_numpy(python).find("C = (np.einsum(\"ij,jk->ik\", A**2, B)) + 1\n"), std::string::npos) << to_numpy(python);
    for (const auto& [file, text] : {std::pair{"a.proof", written(python, Notation::notation)}, {"a.py", to_numpy(python)}})
        expect_same_values(python, from_text(text, file));
    EXPECT_TRUE(error_of([&] { written(python, Notation::latex); }).starts_with("einsum has no words in LaTeX"));
}

TEST(Print, NamesAreThoseOfPython) {
    const std::string numpy = to_numpy(from_text(
        "dims n₁\ninput W₁ [n₁], lambda [], ℓ [n₁]\nforward\n  np = lambda W₁ ⊙ ℓ\nclaim\n  ∂L/∂W₁ = lambda ∂L/∂np ⊙ ℓ\n"));
    EXPECT_NE(numpy.find("# gradproof: dims n1\n# gradproof: input W1 [n1]\n"), std::string::npos) << numpy;
    EXPECT_NE(numpy.find("np_ = lambda_ * W1 * ell\ndW1 = lambda_ * dnp_ * ell\n"), std::string::npos) << numpy;
}

TEST(Print, WhatNumpyHasNoWordsForIsOneLine) {
    const auto refused = [](const std::string& forward) {
        return error_of([&] { to_numpy(from_text("dims n m\ninput X [n, m], w [n]\nforward\n  " + forward + "\n")); });
    };
    EXPECT_EQ(refused("H[t,i] = where(t > 0, H[t-1,i], 0) + X[t,i]"),
              "print: NumPy has no words for steps that need those before them in  H[t,i] = where(t > 0, H[t-1,i], 0) + X[t,i]");
    EXPECT_EQ(refused("z[i] = X[i, mod(i, 2)]"), "print: NumPy has no words for X[i, mod(i, 2)] in  z[i] = X[i, mod(i, 2)]");
    EXPECT_EQ(refused("Y = rms_norm(X)"), "print: NumPy has no words for rms_norm(X) in  Y = rms_norm(X)");
    EXPECT_EQ(error_of([] { to_numpy(from_text("dims n=2\ninput X = [1, 2]\nexpect\n  sum(X) = 3\n")); }),
              "print: without a forward there is nothing that NumPy has words for");
}

/// Those with names of their own among the claims too.
TEST(Print, EveryProofOfTheTestsIsReadBackFromTheNotationAndMarkdown) {
    int proofs = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(GRADPROOF_SOURCE_DIR "/tests/proofs")) {
        const std::string file = entry.path().string(), end = entry.path().extension().string();
        if (end != ".tex" && end != ".proof" && end != ".py") continue;
        std::ifstream in(file, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        std::vector<Proof> all;
        if (error_of([&] { all = read_proofs(file, text); }) != "no error") continue;
        for (const Proof& p : all) {
            SCOPED_TRACE(file);
            const std::string plain = written(p, Notation::notation);
            EXPECT_EQ(error_of([&] { EXPECT_EQ(written(from_text(plain), Notation::notation), plain); }), "no error") << plain;
            EXPECT_EQ(error_of([&] { EXPECT_EQ(written(from_text(in_markdown(p), "a.md"), Notation::notation), plain); }),
                      "no error");
            ++proofs;
        }
    }
    EXPECT_GT(proofs, 20);
}

TEST(Print, DifferentialsStayDifferentials) {
    const std::string text =
        "dims n m\ninput A [m, n], X [n, m]\nforward\n  Y = A X\n  f = tr(Y)\nclaim\n  dY = A dX\n  df = tr(A dX)\n"
        "  df = tr(A dX) / 2\n  ∂f/∂X = A^T\n";
    const std::string plain = written(from_text(text), Notation::notation);
    EXPECT_NE(plain.find("  dY = A dX\n  df = trace(A dX)\n"), std::string::npos) << plain;
    EXPECT_EQ(verdicts(plain), verdicts(text));
    EXPECT_EQ(verdicts(written(from_text(text), Notation::latex), {}, "a.tex"), verdicts(text));
    EXPECT_NE(written(from_text("dims n\ninput x [n]\nforward\n  y = exp(x)\nclaim\n  dx = dy ⊙ y\n"), Notation::notation)
                  .find("  ∂L/∂x = ∂L/∂y ⊙ y\n"),
              std::string::npos);
}

TEST(Print, NamesAmongTheClaimsAreDefinedBeforeTheyAreUsed) {
    const std::string text =
        "dims n m\ninput X [n, m]\nforward\n  Y = softmax(X)\nclaim\n  P = ∂L/∂Y ⊙ Y\n  D[i] = Σ_j P[i,j]\n  ∂L/∂X[i,j] = P[i,j] "
        "- Y[i,j] D[i]\n";
    for (const auto& [file, printed] : {std::pair{"a.proof", written(from_text(text), Notation::notation)},
                                        {"a.tex", written(from_text(text), Notation::latex)},
                                        {"a.py", to_numpy(from_text(text))}}) {
        const FileReport report = check_file(file, printed);
        EXPECT_EQ(report.verdict(), Verdict::right) << printed << to_text(report);
        EXPECT_EQ(report.count(Verdict::right), 1) << printed;
    }
}

TEST(Print, FormulasOfTheNotationCountFromZeroInLatexAsCellsDo) {
    const Names names = names_of(read_proofs("a.proof", "input X [2, 2]\nforward\n  Y[i,j] = X[i,j] X[i,1]\n").at(0));
    EXPECT_EQ(in_latex("Y[i,0] = X[i,0] X[i,1]", names), "Y_{i,0} = X_{i,0} X_{i,1}");
}

TEST(Print, WithoutASpellingNamesAreNoIndices) {
    const Proof p = read_proofs("a.proof", "dims n m\ninput V [n, m]\nforward\n  y[i] = Σ_j V[i,j] / (n - 1)\n").at(0);
    EXPECT_EQ(latex::text_of(*p.forward.at(0).value, LatexSpelling{}), "\\sum_{j} \\frac{V_{i,j}}{n - 1}");
}

TEST(Print, BracketsGrowWithFractionsAndNoneStandsInAnother) {
    const auto last = [](const std::string& formula) {
        return latex::text_of(
            *from_text("dims n\ninput x, g [n]\nforward\n  y = x ⊙ g\nclaim\n  dx = " + formula + "\n").lines.at(0).right,
            LatexSpelling{});
    };
    const std::string dy = "\\frac{\\partial L}{\\partial y}";
    EXPECT_EQ(last("(dy + x) ⊙ g"), "\\left(" + dy + " + x\\right) \\odot g");
    EXPECT_EQ(last("(x + g) ⊙ g"), "(x + g) \\odot g");
    EXPECT_EQ(last("dy / g"), dy + " / g");
    EXPECT_EQ(last("x / g"), "\\frac{x}{g}");
    EXPECT_EQ(last("sum(dy ⊙ g) x"), "\\operatorname{sum}\\left(" + dy + " \\odot g\\right) x");
}

}  // namespace
}  // namespace gradproof::proof
