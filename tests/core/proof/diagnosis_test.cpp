// The diagnosis: repairs of classic mistakes, and the confusion matrix over the library of proofs.
#include <gtest/gtest.h>

#include <ctime>

#include "gradproof/core/proof/judge/bugs.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

struct Wrong {
    std::string line, kind, repair;
};

/// Each line is wrong; its diagnosis has the kind, and the repair is offered word for word ("" for none).
void expect_diagnoses(const std::string& forward, const std::vector<Wrong>& lines) {
    std::string text = forward + "claim\n";
    for (const Wrong& w : lines) text += "  " + w.line + "\n";
    const FileReport report = check_file("wrong.proof", text, {});
    ASSERT_EQ(report.proofs.at(0).lines.size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const LineReport& r = report.proofs[0].lines[i];
        EXPECT_EQ(r.verdict, Verdict::wrong) << lines[i].line;
        ASSERT_TRUE(r.diagnosis) << lines[i].line;
        EXPECT_EQ(check::key(r.diagnosis->mistake), lines[i].kind) << lines[i].line << "\n" << r.diagnosis->text;
        EXPECT_EQ(r.diagnosis->repair, lines[i].repair) << lines[i].line;
    }
}

constexpr const char* kForward =
    "dims n m d_k d_v\ninput Q [n, d_k], K [m, d_k], V [m, d_v]\nforward\n S = Q K^T / sqrt(d_k)\n A = softmax(S)\n O = A V\n";

TEST(Diagnosis, NamesConstantsAndMendsThem) {
    expect_diagnoses(kForward, {{"∂L/∂Q = ∂L/∂S K", "factor", "∂L/∂S K / sqrt(d_k)"},
                                {"∂L/∂Q = ∂L/∂S K / d_k", "factor", "∂L/∂S K / sqrt(d_k)"},
                                {"∂L/∂K = ∂L/∂S^T Q sqrt(d_k)", "factor", "∂L/∂S^T Q / sqrt(d_k)"},
                                {"∂L/∂V = 1.25 A^T ∂L/∂O", "factor", "A^T ∂L/∂O"},
                                {"∂L/∂V = -A^T ∂L/∂O", "sign", "A^T ∂L/∂O"}});
}

TEST(Diagnosis, TurnsTransposesAndOrders) {
    expect_diagnoses(kForward, {{"∂L/∂V = A ∂L/∂O", "transpose", "A^T ∂L/∂O"},
                                {"∂L/∂A = ∂L/∂O V", "transpose", "∂L/∂O V^T"},
                                {"∂L/∂A = V ∂L/∂O^T", "transpose", "∂L/∂O V^T"},
                                {"dV[j,e] = Σ_i A[j,i] dO[i,e]", "transpose", "Σ_i A[i,j] dO[i,e]"}});
}

TEST(Diagnosis, TellsMatrixProductsFromElementwiseOnes) {
    const std::string forward = "dims n m\ninput x [n], Z [n, m]\nforward\n y = x^3\n Y = tanh(Z)\nloss L = sum(y) + sum(Y)\n";
    expect_diagnoses(forward, {{"dx = 3 x^2 dy", "wrong_product", "3 x^2 ⊙ dy"},
                               {"dZ = dY (1 - Y^2)", "wrong_product", "dY ⊙ (1 - Y^2)"},
                               {"dZ = (1 - Y)(1 + Y) dY", "wrong_product", "(1 - Y) ⊙ (1 + Y) ⊙ dY"}});
    expect_diagnoses("dims n m d\ninput X [n, m], W [m, d]\nforward\n Y = X W\n", {{"dX = dY ⊙ W^T", "wrong_product", "dY W^T"}});
    expect_diagnoses("dims n\ninput a [n]\nforward\n s = softmax(a)\n",
                     {{"da = s (ds - s ds)", "wrong_product", "s ⊙ (ds - s ds)"}});
}

TEST(Diagnosis, ANumberForEveryEntryIsSpread) {
    expect_diagnoses("dims n\ninput x [n]\nforward\n y = x + x\n m = mean(y)\n",
                     {{"dy = dm / n", "lost_axis", "dm / n ones(n)"}});
}

TEST(Diagnosis, OfAGradientThatIsZeroSaysSoAndRepairsNothing) {
    const std::string head = "dims n\ninput x [n], y [n]\nforward\n z = x ⊙ y\n w = x + y\nloss L = sum(w)\nclaim\n ";
    for (const char* line : {"dz = dw", "dz = y"}) {
        const LineReport r = check_file("a.proof", head + line + "\n").proofs.at(0).lines.at(0);
        ASSERT_TRUE(r.diagnosis) << line;
        EXPECT_EQ(r.diagnosis->text, "∂L/∂z is 0: no path leads from z to the loss") << line;
        EXPECT_EQ(r.diagnosis->repair, "") << line;
    }
    const LineReport r = check_file("a.proof", head + "dx = 0\n").proofs.at(0).lines.at(0);
    ASSERT_TRUE(r.diagnosis);
    EXPECT_EQ(r.diagnosis->text.find("dz"), std::string::npos) << "every line of zeros is dz: " << r.diagnosis->text;
}

TEST(Diagnosis, ATermThatCancelsIsNotCountedTwice) {
    const auto text = [](const char* line) {
        const std::string head = "dims n m d\ninput X [n, m], W [m, d]\nforward\n Z = X W\nclaim\n ";
        return check_file("a.proof", head + line + "\n").proofs.at(0).lines.at(0).diagnosis.value().text;
    };
    EXPECT_EQ(text("dW = X^T dZ - X^T dZ"), "X^T dZ is added and subtracted");
    EXPECT_EQ(text("dW = X^T dZ + X^T dZ"), "X^T dZ is counted twice");
}

TEST(Diagnosis, SeesTheRowTermOfTheSoftmax) {
    const std::string right = "A ⊙ (∂L/∂A - rowsum(∂L/∂A ⊙ A))";
    expect_diagnoses(kForward, {{"∂L/∂S = A ⊙ ∂L/∂A", "missing_row_term", right},
                                {"∂L/∂S = A ⊙ (∂L/∂A - rowmean(∂L/∂A ⊙ A))", "wrong_row_term", right},
                                {"∂L/∂S = A ⊙ (∂L/∂A - rowsum(∂L/∂A))", "wrong_row_term", right},
                                {"∂L/∂S = A ⊙ (∂L/∂A + rowsum(∂L/∂A ⊙ A))", "sign", right},
                                {"∂L/∂S = A ⊙ (1 - A) ⊙ ∂L/∂A", "diagonal_only", right},
                                {"dS[i,j] = A[i,j] dA[i,j]", "missing_row_term", "A[i,j] (dA[i,j] - Σ_k A[i,k] dA[i,k])"},
                                {"∂A[i,j]/∂S[i,k] = A[i,j] δ[j,k]", "missing_row_term", "A[i,j] (δ[j,k] - A[i,k])"},
                                {"∂A[i,j]/∂S[i,k] = A[i,j] (1 - A[i,j])", "diagonal_only", "A[i,j] (δ[j,k] - A[i,k])"}});
}

constexpr const char* kPaths =
    "dims n d h\ninput X [n, d], W_Q [d, h], W_K [d, h], W_V [d, h], b [h]\nforward\n Q = X W_Q + b\n K = X W_K\n V = X W_V\n A "
    "= softmax(Q K^T / √h)\n H = tanh(A V)\n Y = A H\n";

TEST(Diagnosis, NamesThePathsThatAreMissingOrDoubled) {
    expect_diagnoses(kPaths, {{"dX = dQ W_Q^T + dK W_K^T", "missing_path", "dQ W_Q^T + dK W_K^T + dV W_V^T"},
                              {"dX = dV W_V^T", "missing_path", "dV W_V^T + dQ W_Q^T + dK W_K^T"},
                              {"dX = dQ W_Q^T + dK W_K^T + dV W_V^T + dV W_V^T", "double_path", "dQ W_Q^T + dK W_K^T + dV W_V^T"},
                              {"dX = dQ W_Q^T + dK W_K^T + 2 dV W_V^T", "double_path", ""},
                              {"dX = dQ W_Q^T + dK W_K^T - dV W_V^T", "sign", "dQ W_Q^T + dK W_K^T + dV W_V^T"}});
}

TEST(Diagnosis, FindsSumsAndChainFactors) {
    expect_diagnoses(kPaths, {{"db = dQ", "missing_sum", "colsum(dQ)"},
                              {"db = colmean(dQ)", "factor", "colsum(dQ)"},
                              {"dV = A^T dH", "missing_chain_factor", "A^T (dH ⊙ (1 - H^2))"}});
}

TEST(Diagnosis, FindsSlopesThatAreMissingOrAnother) {
    const std::string gates = "dims n m\ninput a [n, m], b [n, m]\nforward\n g = tanh(a)\n C = g ⊙ b\n Y = b ⊙ tanh(C)\n";
    expect_diagnoses(gates, {{"dC = dY", "missing_chain_factor", "dY ⊙ b ⊙ (1 - tanh(C)^2)"},
                             {"dC = dY ⊙ b", "missing_chain_factor", "dY ⊙ b ⊙ (1 - tanh(C)^2)"},
                             {"da = dg ⊙ g ⊙ (1 - g)", "wrong_name", "dg ⊙ (1 - g^2)"},
                             {"db = dY ⊙ C + dC ⊙ g", "missing_chain_factor", "dY ⊙ tanh(C) + dC ⊙ g"}});
    expect_diagnoses(
        "dims n h m\ninput Q [n, h, 2], K [m, h, 2]\nforward\n S[i,j] = Σ_{a,b} Q[i,a,b] K[j,a,b]\n",
        {{"S[i,j] = Σ_a (Q[i,a,0] K[j,a,0] + K[j,a,1])", "missing_chain_factor", "Σ_a (Q[i,a,0] K[j,a,0] + K[j,a,1] Q[i,a,1])"},
         {"∂S[i,j]/∂Q[i,a,b] = K[a,j,b]", "permuted_axes", "K[j,a,b]"}});
}

TEST(Diagnosis, FindsRowTermsOutsideTheSoftmax) {
    expect_diagnoses(
        "dims n m\ninput Z [n, m], x [m]\nforward\n r = rownorm(Z)\n U = Z / r\n y = softmax(x)\n Y = log_softmax(U)\n O = Y y\n",
        {{"dZ = dU / r", "missing_row_term", "dU / r - U ⊙ rowsum(dU / r ⊙ U)"},
         {"dU = dY - rowsum(dY)", "wrong_row_term", "dY - rowsum(dY) ⊙ exp(Y)"},
         {"dU = dY - exp(Y) ⊙ rowmean(dY)", "wrong_row_term", "dY - exp(Y) ⊙ rowsum(dY)"},
         {"∂Y[i,j]/∂U[i,k] = δ[j,k]", "missing_row_term", "δ[j,k] - exp(Y[i,k])"},
         {"∂y/∂x = diag(y)", "missing_row_term", "diag(y) - outer(y,y)"}});
}

TEST(Diagnosis, PutsAxesBackInOrder) {
    expect_diagnoses(
        "dims n t d c=t*d\ninput Q [n, c]\nforward\n q = transpose(reshape(Q, shape=[n, t, d]), perm=[1, 0, 2])\n Y = tanh(q)\n",
        {{"dQ = reshape(dq, shape=[n, c])", "permuted_axes", "reshape(transpose(dq, perm=[1, 0, 2]), shape=[n, c])"}});
    expect_diagnoses("dims n\ninput x [n], A [n, n]\nforward\n f = x^T A x\n", {{"∂f/∂x = 2 A x", "transpose", "(A + A^T) x"}});
}

TEST(Diagnosis, NamesTheForwardItIsTheGradientOf) {
    expect_diagnoses("dims n m d\ninput Q [n, d], K [m, d], R [n, m, d]\nforward\n S[i,j] = Σ_c Q[i,c] (K[j,c] + R[i,j,c])\n",
                     {{"dQ = dS K", "missing_path", ""}});
}

TEST(Diagnosis, SeesLeaksThroughMasks) {
    expect_diagnoses(
        "dims n m d\ninput X [n, m]\nconst D [n, m] ~ onehot\nconst M = causal(3, 3)\ninput S [3, 3]\nforward\n Y = D ⊙ X\n A = "
        "softmax(S + M)\n Z = sum(Y) A\n",
        {{"dX = dY", "mask_leak", "dY ⊙ D"},
         {"dS = softmax(S) ⊙ (dA - rowsum(dA ⊙ A))", "mask_after_softmax", "softmax(S + M) ⊙ (dA - rowsum(dA ⊙ A))"}});
}

TEST(Diagnosis, NamesComparisons) {
    expect_diagnoses("dims n m\ninput X [n, m]\nforward\n Y = relu(X)\n", {{"dX = dY ⊙ (X < 0)", "comparison", "dY ⊙ step(X)"}});
}

TEST(Diagnosis, SaysSoWhenNothingSimpleExplainsIt) {
    const FileReport report = check_file(
        "a.proof",
        "dims n m\ninput X [n, m]\nforward\n Y = tanh(X)\n Z = Y ⊙ exp(X)\nclaim\n dX = sin(X) + 3 cos(Y) / (2 + X^2)\n", {});
    const LineReport& line = report.proofs.at(0).lines.at(0);
    EXPECT_EQ(line.verdict, Verdict::wrong);
    EXPECT_EQ(line.diagnosis->mistake, Mistake::none);
    EXPECT_NE(line.diagnosis->text.find("no simple explanation"), std::string::npos);
}

// Of each kind every so many; `gradproof proofs --diagnosis` plants them all. Sanitizers are slow.
const int kStride = testing::kSampled ? 80 : 6;

/// Classic mistakes in every right claim of the library: at least 98 % get their true name, and 90 % of each kind.
TEST(Diagnosis, NamesPlantedBugsInTheLibrary) {
    Confusion all;
    for (const std::string& name : library_names())
        for (const Proof& p : read_proofs(name + ".proof", library_text(name))) all.add(confusion(p, {}, kStride));
    for (const std::string& m : all.missed) std::printf("%s\n", m.c_str());
    std::printf("%s", all.table().c_str());
    EXPECT_GT(all.planted, kStride > 10 ? 200 : 600);
    EXPECT_GE(all.named, all.planted * 98 / 100);
    for (const auto& [kind, said] : all.counts) {
        int planted = 0;
        for (const auto& [name, n] : said) planted += n;
        const auto hit = said.find(kind);
        EXPECT_GE(hit == said.end() ? 0 : hit->second, planted * 90 / 100) << kind;
    }
}

// Repairs stand wherever a right line has to, not in the usual draws only; what does not belong is left out first.
TEST(Diagnosis, RepairsStandInFurtherDraws) {
    const auto repair = [](const std::string& text) {
        const LineReport line = check_proof(read_proofs("a.proof", text).at(0), {}).lines.at(0);
        return line.diagnosis ? line.diagnosis->repair : "none";
    };
    const std::string gates = "input x [], y []\nforward\n  w = min(relu(x), relu(y))\nclaim\n";
    EXPECT_EQ(repair(gates + "  w = relu(min(x, y)) (x + y > 0.1)\n"), "relu(min(x, y))");
    EXPECT_EQ(repair(gates + "  w = relu(min(x, y)) + relu(x - 100) (y < -100)\n"), "relu(min(x, y))");
    EXPECT_EQ(repair("input x [], y []\nforward\n  a = max(x, y)\nclaim\n  a = max(x, y) + relu(x - 2 y) relu(y - 1)\n"),
              "max(x, y)");
    EXPECT_EQ(repair("dims n\ninput x [n]\nforward\n  y = x ⊙ x\nclaim\n  y = max(x^2, 1e-12)\n"), "x^2");
    EXPECT_EQ(repair("dims n\ninput x [n], w [n]\nforward\n  r = x ⊙ w\nclaim\n  r = x ⊙ w + 1e-13\n"), "x ⊙ w");
    EXPECT_EQ(repair("dims d\ninput a [d], p [d], n [d]\nforward\n  l = relu(‖a - p‖² - ‖a - n‖² + 1)\nclaim\n"
                     "  ∂l/∂a = 2 (n - p) (l > 0) (‖a‖ > 0.1)\n"),
              "2 (n - p) (l > 0)");
    EXPECT_EQ(repair("dims m\ninput z [m]\nforward\n  h = relu(z)\nclaim\n  ∂h/∂z = diag(z > 0.001)\n"), "diag(step(z))");
    EXPECT_EQ(repair("dims n k\ninput S [n, k]\nconst y [n] ~ index(k)\nforward\n"
                     "  M[i,j] = where(j == y[i], 0, relu(S[i,j] - S[i,y[i]] + 1))\nloss L = sum(M) / n\nclaim\n"
                     "  ∂L/∂S[i,j] = where(j == y[i], -min(Σ_c (M[i,c] > 0), 3), (M[i,j] > 0)) / n\n"),
              "where(j == y[i],-(Σ_c (M[i,c] > 0)),M[i,j] > 0) / n");
}

// The dual clip of a policy gradient: no gradient is put into a comparison to make a line fit.
TEST(Diagnosis, NoGradientDecidesABranch) {
    const LineReport line =
        check_proof(read_proofs("a.proof",
                                "dims n\ninput r [n] ~ uniform(0.1, 5)\nconst A [n] ~ uniform(-2, -0.1)\nconst c = 3\n"
                                "const e = 0.2\nforward\n  s = min(r ⊙ A, clip(r, 1 - e, 1 + e) ⊙ A)\n"
                                "loss L = -mean(max(s, c A))\nclaim\n  dr = -A ⊙ (r < 1 + e) / n\n")
                        .at(0),
                    {})
            .lines.at(0);
    EXPECT_EQ(line.verdict, Verdict::wrong);
    ASSERT_TRUE(line.diagnosis);
    EXPECT_EQ(line.diagnosis->repair.find("step(ds"), std::string::npos) << line.diagnosis->repair;
    EXPECT_EQ(line.diagnosis->text.find("ds"), std::string::npos) << line.diagnosis->text;
}

// Where each change of a line takes long to judge, the search ends, and says so.
TEST(Diagnosis, OfLongSequencesEndsInTime) {
    if (gradproof::testing::kSampled) GTEST_SKIP() << "left to the other builds";
    const std::string text =
        "dims T=200 n m\ninput x [T,m], s [n], W [n,n], U [n,m]\nforward\n"
        "  h[t] = tanh(W where(t > 0, h[t-1], s) + U x[t])\nloss L = sum(h ⊙ h)\nclaim\n"
        "  ∂L/∂W = Σ_t outer(∂L/∂h[t] ⊙ (1 - h[t]^2),where(t > 0,h[t],s))\n"
        "  ∂L/∂x[t] = U^T (∂L/∂h[t] ⊙ (1 + h[t]) ⊙ (1 - h[t]^3))\n";
    const std::clock_t start = std::clock();  // of the processor: others may use it too
    CheckOptions options;
    options.to_explain = std::chrono::seconds(1);
    EXPECT_EQ(check_file("a.proof", text, options).count(Verdict::wrong), 2);
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 60);
}

}  // namespace
}  // namespace gradproof::proof
