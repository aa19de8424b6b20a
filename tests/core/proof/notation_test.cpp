// The notation: what is read, what it means, the verdicts, and the errors with their places.
#include <gtest/gtest.h>

#include <atomic>

#include <nlohmann/json.hpp>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

FileReport checked(const std::string& text, CheckOptions options = {}) { return check_file("a.proof", text, options); }
/// Why a file is refused where one line of it is.
std::string error_in_notation(const std::string& text) { return refusal_of("a.proof", text); }

constexpr const char* kLayer = "dims n m d\ninput X [n, m], W [m, d], b [d]\nforward\n  Y = X W + b\n";

TEST(Notation, EveryWayToWriteAProductATransposeAndAGradient) {
    for (const char* claim : {"∂L/∂X = ∂L/∂Y W^T",
                              "dL/dX = dL/dY @ W'",
                              "∂Loss/∂X = ∂Loss/∂Y · Wᵀ",
                              "grad(X) = ∇Y W^⊤",
                              "dX = dY W^{T}",
                              "∂L / ∂X = (∂L/∂Y) (W^T)",
                              "dLoss/dX = dL/dY ⋅ W^T",
                              "dX[i,j] = Σ_k dY[i,k] W[j,k]",
                              "dX[i,j] = sum_k(dY[i,k] × W[j,k])",
                              "dX[i,j] = Σₖ dY[i,k] W[j,k]",
                              "dX[i,j] = Σ_{k} dY[i,k] ⊙ W[j,k]",
                              "∂L/∂X[a,c] = Σ_p ∂L/∂Y[a,p] W[c,p]",
                              "dX = -(−dY W^T)",
                              "dX = 2 dY W^T / 2",
                              "dX = dY W^T √4 / sqrt(4)",
                              "dW = X^T dY",
                              "db = colsum(dY)",
                              "db = sum(dY, axis=0)",
                              "db[j] = Σ_i dY[i,j]",
                              "∂Y[i,j]/∂X[k,l] = δ[i,k] W[l,j]",
                              "∂Y[i,j]/∂b[k] = delta[j,k]",
                              "dX = matmul(dY, W, transpose_b=true)",
                              "dX[0,j] = Σ_k dY[0,k] W[j,k]",
                              "rowsum(dY ⊙ Y) = rowsum(Y .* dY)"})
        EXPECT_EQ(verdicts(std::string(kLayer) + "claim\n  " + claim + "\n"), "right") << claim;
}

TEST(Notation, FunctionsMeanWhatTheirNamesSay) {
    const std::string head = "input A = [[1, 2, 4], [3, 5, 9]], v = [1, 2, 3]\nexpect\n";
    for (const char* line : {"sum(A) = 24",
                             "mean(A, axis=0) = [2, 3.5, 6.5]",
                             "rowmax(A) = [[4], [9]]",
                             "colmean(A) = [[2, 3.5, 6.5]]",
                             "var(v) = 0.6667",
                             "norm(v) = 3.7417",
                             "rownorm(A)[0,0] = 4.583",
                             "diag(v) = [[1,0,0],[0,2,0],[0,0,3]]",
                             "diag(diag(v)) = v",
                             "trace(diag(v)) = 6",
                             "outer(v, v)[1,2] = 6",
                             "eye(2) = [[1,0],[0,1]]",
                             "ones(2,1) = [[1],[1]]",
                             "zeros(2) = [0, 0]",
                             "causal(2,3) = [[0, -∞, -inf], [0, 0, -∞]]",
                             "concat(A, A, axis=1)[1] = [3,5,9,3,5,9]",
                             "where(A - 1, A, 7 A) = [[7,2,4],[3,5,9]]",
                             "softmax([0, ln2])[1] = 0.6667",
                             "v² = [1,4,9]",
                             "v³ = v^3",
                             "√(4 v)[0] = 2",
                             "max(v, 2) = [2,2,3]",
                             "mod(v, 2) = [1,0,1]",
                             "logsumexp(v) = 3.4076",
                             "σ(0) = 0.5",
                             "A[:,1] = [2, 5]",
                             "A[1,:] = [3,5,9]",
                             "A[0] = [1, ...]",
                             "pi = 3.14",
                             "e = 2.7183",
                             "v^T v = 14",
                             "A v = [17, 40]",
                             "A * A = A^2",
                             "A ∘ 2 = A + A",
                             "-v + v = 0 v",
                             "exp(v - v) = ones(3)"}) {
        std::string text = line;
        if (const auto at = text.find("ln2"); at != std::string::npos) text.replace(at, 3, "log(2)");
        EXPECT_EQ(verdicts(head + "  " + text + "\n"), "right") << line;
    }
}

TEST(Notation, AStatementGoesOnAfterAnOperatorAndInsideBrackets) {
    const std::string text =
        "dims n,\n     m\ninput X [n, m] # a comment, with [\nforward\n Y = tanh(X) +\n   X\nclaim dX = dY ⊙ (1 -\n   tanh(X)^2) "
        "# and\n";
    EXPECT_NE(error_in_notation(text + "   + dY\n").find("a line begins with +"), std::string::npos)
        << "a line that begins with an operator is a statement of its own";
    EXPECT_EQ(verdicts(text + " dX = dY ⊙ (1 - tanh(X)^2) +   # the next line\n   dY\n"), "wrong, right");
}

TEST(Notation, ASlashReadsLeftToRight) {
    EXPECT_EQ(verdicts("input a = 8, b = 4, c = 2\nexpect\n a / b c = 4\n a / (b c) = 1\n -a^2 = -64\n 2 a b = 64\n"),
              "right, right, right, right");
}

TEST(Verdicts, ExpectationsAgreeToHalfAUnitOfTheirLastDigit) {
    const std::string head = "input x = [0.1049, 2]\nexpect\n";
    EXPECT_EQ(verdicts(head + " x = [0.105, 2]\n x = [0.10, 2.0]\n x = [0.1, ...]\n x[0] = 0.11\n x = [0.2, 2]\n"),
              "right, right, right, wrong, wrong");
    const FileReport r = checked(head + " x[0] = 0.11\n x[0] = 0.7\n");
    EXPECT_EQ(r.proofs[0].lines[0].diagnosis->mistake, Mistake::rounding);
    EXPECT_EQ(r.proofs[0].lines[1].diagnosis->mistake, Mistake::values);
    EXPECT_EQ(verdicts("input x [2]\nexpect\n x = [1, 2]\n"), "cannot tell");
}

TEST(Verdicts, AWrongLineDoesNotSpoilTheNextUnlessChained) {
    const std::string text =
        "dims n m\ninput X [n, m]\nforward\n Y = tanh(X)\n Z = exp(Y)\nclaim\n dY = dZ\n dX = dY ⊙ (1 - Y^2)\n";
    EXPECT_EQ(verdicts(text), "wrong, right");
    CheckOptions chain;
    chain.chain = true;
    EXPECT_EQ(verdicts(text, chain), "wrong, wrong");
}

TEST(Verdicts, KinksVacuityAndMissingPathsAreNotCalledRight) {
    EXPECT_EQ(verdicts("input X = [0, 2]\nforward\n Y = relu(X)\nclaim\n dX = dY ⊙ step(X)\n"), "cannot tell");
    EXPECT_EQ(verdicts("input X [3, 4]\nforward\n A = softmax(X)\n loss L = sum(A)\nclaim\n dX = A ⊙ (dA - rowsum(dA ⊙ A))\n"),
              "cannot tell")
        << "the gradient of a sum of softmax is 0: anything would do";
    EXPECT_EQ(verdicts("input X [3, 4]\nforward\n A = softmax(X)\n loss L = sum(A)\nclaim\n dX = 0\n"), "right")
        << "that it is 0 is a claim";
    EXPECT_EQ(verdicts("input X [3, 0]\nforward\n A = exp(X)\nclaim\n dX = dA ⊙ A\n"), "cannot tell");
    EXPECT_EQ(checked("input X [3]\nforward\n Y = X\n").verdict(), Verdict::cannot_tell) << "nothing is claimed";
}

TEST(Verdicts, AClaimWhoseShapesDoNotFitIsWrongAndSaysHow) {
    const FileReport r = checked(std::string(kLayer) + "claim\n dX[i,j] = Y\n dX = X^T dY\n dX = dY\n");
    EXPECT_EQ(r.count(Verdict::wrong), 3);
    EXPECT_NE(r.proofs[0].lines[0].reason.find("it needs 2 indices here"), std::string::npos) << r.proofs[0].lines[0].reason;
    EXPECT_NE(r.proofs[0].lines[1].reason.find("shapes differ: claimed [m, d]"), std::string::npos)
        << r.proofs[0].lines[1].reason;
    EXPECT_NE(r.proofs[0].lines[2].reason.find("shapes differ: claimed [n, d]"), std::string::npos)
        << r.proofs[0].lines[2].reason;
}

/// Over the library, in sizes drawn anew for each seed. A few may be cannot tell: a value next to a pole.
TEST(Verdicts, ThousandsOfRightClaimsAreNeverCalledWrong) {
    const Index kSeeds = testing::kSampled ? 1 : testing::thorough() ? 28 : 7;
    const std::vector<std::string> names = library_names();
    std::atomic<int> claims = 0, wrong = 0, cannot = 0;
    parallel_for(kSeeds * static_cast<Index>(names.size()), 1, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            const std::string& name = names[static_cast<std::size_t>(i) % names.size()];
            CheckOptions options;
            options.mutation = false;
            options.draws = 2;
            options.draw.seed = 1000 + static_cast<std::uint64_t>(i) / names.size();
            for (const Proof& p : read_proofs(name + ".proof", library_text(name))) {
                const ProofReport r = check_proof(p, options);
                claims += static_cast<int>(r.lines.size());
                wrong += r.count(Verdict::wrong);
                cannot += r.count(Verdict::cannot_tell);
                if (r.count(Verdict::wrong) > 0)
                    ADD_FAILURE() << name << " with seed " << options.draw.seed << ", line " << r.first_wrong()->line;
            }
        }
    });
    EXPECT_GT(claims, kSeeds * 357);
    EXPECT_EQ(wrong, 0);
    EXPECT_LE(cannot * 500, claims.load());
}

TEST(Verdicts, LargeNumbersOnTheWayDoNotExcuseAWrongClaim) {
    EXPECT_EQ(verdicts("input X [3, 4]\nforward\n Y = 1e9 X\n Z = 1e-9 Y ⊙ Y / 1e9\nclaim\n dX = 2 X ⊙ dZ\n dX = 2.00001 X ⊙ "
                       "dZ\n dX = X ⊙ dZ\n"),
              "right, wrong, wrong");
}

TEST(Verdicts, AStatedLossTakesThePlaceOfTheRandomCotangent) {
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m], T [n, m]\nforward\n E = X - T\n loss L = sum(E^2) / (n m)\nclaim\n dX = 2 E / "
                       "(n m)\n ∂L/∂T = -2 (X - T) / (n m)\n ∂L/∂L = 1\n"),
              "right, right, right");
}

TEST(Verdicts, SkippedLinesAreShownAndNotJudged) {
    const FileReport r = checked(std::string(kLayer) + "claim\n skip \"not yet written\"\n dX = dY Nonsense(\n)\n dX = dY W^T\n");
    EXPECT_TRUE(r.proofs[0].lines[0].skipped);
    EXPECT_EQ(r.proofs[0].lines[0].reason, "not yet written");
    EXPECT_EQ(r.verdict(), Verdict::right);
}

TEST(Draws, SizesAreDistinctAndTheSeedDecidesThem) {
    const std::string text =
        "dims a b c d=3 e=(a b)\ninput X [a, b, c], Y [c, d], Z [e]\nforward\n S = X Y\nclaim\n dX = dS Y^T\n";
    std::set<Index> seen;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Proof p = read_proofs("a.proof", text)[0];
        const Plan plan(p);
        InstanceOptions options;
        options.seed = seed;
        const Instance draw(p, plan, options, 0), again(p, plan, options, 0);
        const auto& s = draw.sizes();
        EXPECT_EQ(s, again.sizes());
        std::set<Index> distinct{s.at("a"), s.at("b"), s.at("c"), s.at("d"), s.at("e")};
        EXPECT_EQ(distinct.size(), 5u) << "seed " << seed;
        EXPECT_EQ(s.at("e"), s.at("a") * s.at("b"));
        seen.insert(s.at("a"));
    }
    EXPECT_GT(seen.size(), 2u);
}

TEST(Markdown, BlocksAreCheckedInPlaceAndGoOnOrBeginAnew) {
    const FileReport r =
        check_file("notes.md",
                   "# Notes\n\n```proof\ninput X [2, 3]\nforward\n Y = exp(X)\n```\ntext\n```cpp\nint x;\n```\n```proof\nclaim\n "
                   "dX = dY ⊙ Y\n dX = dY\n```\n````proof\ninput Z [4]\nforward\n W = Z + Z\nclaim\n dZ = dW\n````\n",
                   {});
    ASSERT_EQ(r.proofs.size(), 2u);
    EXPECT_EQ(r.proofs[0].lines[1].line, 15);
    EXPECT_EQ(r.proofs[1].lines[0].line, 22);
    EXPECT_EQ(r.count(Verdict::wrong), 2);
}

TEST(Json, HasTheDocumentedFields) {
    const auto j = nlohmann::json::parse(to_json(
        checked("title \"T\"\ndims n m d_k\ninput Q [n, d_k], K [m, d_k]\nforward\n S = Q K^T / sqrt(d_k)\nclaim\n dQ = dS "
                "K\n dK = dS^T Q / sqrt(d_k)\n ∂S[i,j]/∂Q[i,k] = K[j,k] / sqrt(d_k)\n")));
    EXPECT_EQ(j["schema"], 1);
    EXPECT_EQ(j["title"], "T");
    EXPECT_EQ(j["draws"], 5);
    EXPECT_EQ(j["right"], 2);
    EXPECT_EQ(j["wrong"], 1);
    EXPECT_EQ(j["first_wrong_line"], 7);
    EXPECT_EQ(j["mutation"]["caught"], j["mutation"]["planted"]);
    EXPECT_GT(j["entries_compared"], 100);
    EXPECT_EQ(j["lines"][0]["diagnosis"]["kind"], "factor");
    EXPECT_EQ(j["lines"][0]["diagnosis"]["factor"], "sqrt(d_k)");
    EXPECT_EQ(j["lines"][0]["diagnosis"]["repair"], "dS K / sqrt(d_k)");
    EXPECT_EQ(j["lines"][0]["worst"]["index"].size(), 2u);
    EXPECT_EQ(j["lines"][2]["kind"], "jacobian");
}

struct Bad {
    std::string text, message;
};

TEST(ProofErrors, NameThePlaceWhatWasExpectedAndTheNearestName) {
    const std::string head = kLayer;
    for (const Bad& bad : std::vector<Bad>{
             {"\xff\xfe", "a.proof:1:1: not UTF-8: byte 0xff"},
             {std::string("a\0b", 3), "a zero byte"},
             {"", "no statements"},
             {"forwrd\n", "1:1: expected title, dims, input, const, forward, claim or expect; did you mean forward"},
             {"input x []\ny = 2 x\n",
              "2:1: expected title, dims, input, const, forward, claim or expect: what is computed stands below a line forward, "
              "what is claimed below a line claim"},
             {head + "claim\n  dX = dY Wx^T\n", "6:11: unknown name Wx; did you mean W"},
             {head + "claim\n  dX = dY W^T +\n", "expected a name, a number, a function or an opening bracket"},
             {head + "claim\n  dX = (dY W^T\n", "6:8: this bracket is never closed"},
             {head + "claim\n  dX = dY W^T)\n", "6:14: expected an operator or the end of the statement"},
             {head + "claim\n  dX = sofmax(dY)\n", "6:8: unknown function sofmax; did you mean softmax"},
             {head + "claim\n  dX = softmax\n", "softmax is a function: write softmax(...)"},
             {head + "claim\n  dX[i,j] = Σ_k dY[i,k] W[j,q]\n",
              "6:29: unknown index q: it is neither on the left nor bound by a sum"},
             {head + "claim\n  dX[i,j] = Σ dY[i,j]\n", "expected the index that is summed over: Σ_k"},
             {head + "claim\n  dX == dY W^T\n", "an equation has one ="},
             {head + "claim\n  dX = dY W^T ** 2\n", "a power is written with ^"},
             {head + "claim\n  dX = dY . W\n", "write ⊙ for a product entry by entry"},
             {head + "claim\n  ∂L/∂Z = X\n", "6:3: unknown name Z in a gradient"},
             {head + "claim\n  ∂X[i,j]/∂Y[k,l] = 0\n", "X is not computed after Y"},
             {head + "claim\n  dX = δ[i,j]\n", "unknown name i"},
             {head + "  Y = X\n", "5:3: Y is already defined"},
             {head + "  Z = X X\n", "5:7: matrix product: shapes do not fit: X is [n, m]"},
             {head + "  Z = W + X\n", "shapes do not fit"},
             {head + "  Z = Z2\n", "unknown name Z2"},
             {head + "  Z = dX\n", "gradients belong to claims"},
             {head + "  Z = ∂L/∂X\n", "gradients belong to claims"},
             {head + "  Z = softmax(X, axs=0)\n", "softmax: no attribute named axs; did you mean axis"},
             {head + "  Z = softmax(X, axis=7)\n", "axis"},
             {head + "  Z = sum(X, Y)\n", "sum: takes 1 argument, got 2"},
             {head + "  Z[i,i] = X[i,i]\n", "index i stands twice on the left"},
             {head + "  Z[i,j] = X[i,j] + X[j,i]\n", "runs over"},
             {head + "  Z[i,j] = X[i,j+1]\n", "index j is not used at an axis"},
             {head + "  Z[i,j] = X[i,j] X[i+1,j]\n", "is out of range"},
             {head + "  Z[i] = Σ_i X[i,0]\n", "bound"},
             {head + "  sum = X\n", "sum has a meaning of its own"},
             {head + "  loss L = X\n", "expected one number"},
             {"dims n n\n", "n is already defined"},
             {"dims n=3.5\ninput X [n]\nforward\n Y = X\n", "expected a whole number"},
             {"dims n=(m 2)\n", "unknown name m"},
             {"dims n=100000000\ninput X [n, n]\n", "expected a whole number from 0 to 1048576"},
             {"input X [9999, 9999]\nforward\n Y = X\nclaim\n dX = dY\n", "at most 1048576 elements"},
             {"input X [99, 99]\nforward\n Y[i] = Σ_{j,k,l} X[i,j] X[k,l] X[j,k]\nclaim\n dX = 0\n", "more than 4194304 steps"},
             {"input X\n", "expected the shape of X"},
             {"input X [3] ~ nrmal\n", "did you mean normal"},
             {"input X [3] ~ uniform(2,1)\nforward\n Y = X\nclaim\n dX = dY\n", "the first is not below the second"},
             {"input X [3] ~ uniform(2)\n", "~ uniform takes 2 parameters, got 1"},
             {"input X = [[1,2],[3]]\nforward\n Y = X\nclaim\n dX = dY\n", "its parts differ"},
             {"input X = [1, inf]\nforward\n Y = X\nclaim\n dX = dY\n", "expected finite numbers"},
             {"input X = 1e999\n", "does not fit a double"},
             {"const M [3, 3] ~ onehot\ninput X [3, 3]\nforward\n Y = M X\nclaim\n dM = X\n",
              "M is a constant: it takes no gradient"},
             {"claim\n x = 3\n", "a claim without a forward"},
             {"skip \"why\"\n", "skip stands before a line"},
             {"title \"unclosed\n", "a quoted text is never closed"},
             {"input X = [1,2,3]\nexpect\n X = [1,2]\n", "axis 0 has 3 entries, 2 are stated"},
             {"input X [3]\nforward\n Y = " + std::string(10000, '(') + "X\n", "nested deeper than 100"},
             {"input X [3]\nforward\n Y = X" + std::string(10000, '\'') + "\n", "nested deeper than 256 (kDeepest)"},
         }) {
        EXPECT_NE(error_in_notation(bad.text).find(bad.message), std::string::npos)
            << bad.text.substr(0, 200) << "\nsays: " << error_in_notation(bad.text).substr(0, 300)
            << "\nexpected: " << bad.message;
    }
    EXPECT_NE(gradproof::testing::error_of([] { check_file("a.md", "no proofs here", {}); }).find("no proofs"),
              std::string::npos);
}

TEST(ProofErrors, LongAndDeepTextsAreRefusedOrChecked) {
    std::string sum = "X", sigmas, minuses(9999, '-');
    for (int i = 0; i < 20000; ++i) sum += "+X";
    for (int i = 0; i < 5000; ++i) sigmas += "Σ_k ";
    EXPECT_EQ(verdicts("input X [3]\nforward\n Y = " + sum + "\nclaim\n dX = 20001 dY\n"), "right");
    EXPECT_EQ(verdicts("input X [3]\nforward\n Y = " + minuses + "X\nclaim\n dX = -dY\n"), "right");
    EXPECT_NE(error_in_notation("input X [3]\nforward\n Y = " + sigmas + "X[k]\n").find("nested deeper"), std::string::npos);
    EXPECT_NE(error_in_notation(std::string(kLongestFile + 1, ' ')).find("bytes, at most 4194304 are read"), std::string::npos);
}

TEST(ProofReport, SaysOnceThatItCannotTell) {
    const FileReport r =
        check_file("a.proof", "input X = [0, 2]\nforward\n Y = relu(X)\nclaim\n dX = dY ⊙ step(X)\n dX = dY ⊙ step(X)\n");
    const std::string text = to_text(r);
    EXPECT_NE(text.find("  cannot tell  dX = dY ⊙ step(X)  a kink or tie"), std::string::npos) << text;
    EXPECT_NE(text.find("\n0 right; 2 cannot tell\n"), std::string::npos) << text;
}

/// Draws whose errors differ by rounding only: the worst entry is that of the first.
TEST(ProofReport, TheWorstEntryOfATieIsTheFirst) {
    for (const char* factor : {"3", "7", "1.1", "0.3", "1.7", "5.3"}) {
        const Proof p = read_proofs("a.proof", std::string(kLayer) + "claim\n dX = " + factor + " dY W^T\n").at(0);
        CheckOptions one, many;
        one.draws = 1;
        const auto first = check_proof(p, one).lines.at(0).worst, all = check_proof(p, many).lines.at(0).worst;
        ASSERT_TRUE(first && all);
        EXPECT_EQ(all->index, first->index) << factor;
        EXPECT_EQ(all->truth, first->truth) << factor;
    }
}

/// Whether it is one number is worked out once for each value: a chain took minutes.
TEST(Notation, ALossBehindALongChainIsReadInNoTime) {
    std::string text = "dims n\ninput x [n]\nforward\n  y0[i] = x[i]\n";
    for (int k = 1; k < 41; ++k) text += fmt::format("  y{1}[i] = y{0}[i] / 2 + y{0}[i] / 2\n", k - 1, k);
    EXPECT_EQ(verdicts(text + "  L = Σ_i y40[i]\nclaim\n  dy39[i] = 1\n  dy39[i] = 2\n"), "right, wrong");
}

/// As a text writes it that does not know the word loss.
TEST(Notation, ALastNumberCalledLIsTheLoss) {
    const std::string head = "dims n m\ninput W [n, m], x [m]\nconst t [n] ~ onehot\nforward\n  y = W x\n  p = softmax(y)\n";
    const std::string claims = "claim\n  dy = p - t\n  dx = W^T (p - t)\n  dy = dL (p - t)\n  dy = 2 (p - t)\n  ∂L/∂y = p\n";
    for (const std::string loss : {"  L = -sum(t ⊙ log(p))\n", "  L = -Σ_i t[i] log(p[i])\n", "  c = t ⊙ log(p)\n  L = -sum(c)\n",
                                   "  c[i] = t[i] log(p[i])\n  L = -Σ_i c[i]\n", "loss L = -sum(t ⊙ log(p))\n"})
        EXPECT_EQ(verdicts(head + loss + claims), "right, right, right, wrong, wrong") << loss;
    // Whatever a sum or a mean over all of it is of, it is one number.
    for (const std::string loss :
         {"  L = -sum(rowsum(t ⊙ log(p)))\n", "  L = -sum(t ⊙ log(p + eps - eps))\n", "  L = -trace(outer(t, log(p)))\n",
          "  L = cross_entropy(reshape(y, shape=[1, n]), reshape(t, shape=[1, n]))\n"})
        EXPECT_EQ(verdicts("const eps = 1e-7\n" + head + loss + claims), "right, right, right, wrong, wrong") << loss;
    // Of an array, and of a number by another name, a gradient comes in.
    EXPECT_EQ(verdicts(head + "  L = t ⊙ p\nclaim\n  dp = t\n  dp = dL ⊙ t\n"), "wrong, right");
    EXPECT_EQ(verdicts(head + "  J = sum(t ⊙ p)\nclaim\n  dp = t\n  dp = dJ t\n"), "wrong, right");
    EXPECT_EQ(
        verdicts("dims n m\ninput X [n, m]\nforward\n  h[t] = tanh(X[t])\n  L = Σ_t h[t]\nclaim\n  dh[t] = dL\n  dh[t] = 1\n"),
        "right, wrong");
}

}  // namespace
}  // namespace gradproof::proof
