// Proofs by residues: right lines of the kinds that derivations have are proved, and nothing wrong ever is.
#include "gradproof/core/proof/prove/prove.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/bugs.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

CheckOptions unplanted() {
    CheckOptions out;
    out.mutation = false;
    return out;
}

struct OpaqueIn {
    const char* name;
    const char* text;
    std::vector<std::string> opaque{};
};

const std::vector<OpaqueIn> kProved = {
    {"linear", "dims n m k\ninput X [n, m], W [m, k]\nforward\n  Y = X W\nclaim\n  dW = X^T dY\n"},
    {"softmax", "dims n m\ninput S [n, m]\nforward\n  A = softmax(S)\nclaim\n  dS = A ⊙ (dA - rowsum(dA ⊙ A))\n"},
    {"attention with a causal mask",
     "dims n d\ninput Q [n, d], K [n, d], V [n, d]\nforward\n  S = Q K^T / sqrt(d) + causal(n, n)\n  A = softmax(S)\n  O = A V\n"
     "claim\n  dQ = (A ⊙ (dO V^T - rowsum(dO V^T ⊙ A))) K / sqrt(d)\n"},
    {"softmax less the largest",
     "dims n m\ninput S [n, m]\nforward\n  E = exp(S - rowmax(S))\n  A = E / rowsum(E)\nclaim\n"
     "  dS = A ⊙ (dA - rowsum(dA ⊙ A))\n"},
    {"weights made again from the log of their sum",
     "dims n m d\ninput S [n, m], V [m, d]\nforward\n  L = logsumexp(S, axis=-1, keep=true)\n  P = exp(S - L)\n  O = P V\nclaim\n"
     "  dS = P ⊙ (dO V^T - rowsum(dO ⊙ O))\n",
     {"log"}},
    {"layer norm",
     "dims n d\ninput X [n, d], g [d]\nforward\n  R = 1 / sqrt(rowvar(X) + 1e-5)\n  H = (X - rowmean(X)) ⊙ R\n  Y = g ⊙ "
     "H\nclaim\n"
     "  dX = R ⊙ (dH - rowmean(dH) - H ⊙ rowmean(dH ⊙ H))\n"},
    {"unit rows",
     "dims n d\ninput X [n, d]\nforward\n  Y = X / rownorm(X)\nclaim\n  dX = (dY - Y ⊙ rowsum(Y ⊙ dY)) / rownorm(X)\n"},
    {"relu6", "dims n\ninput X [n]\nforward\n  Y = min(max(4 X, 0), 6)\nclaim\n  dX = 4 dY ⊙ step(4 X) ⊙ step(6 - 4 X)\n"},
    {"gelu",
     "dims n\ninput X [n]\nforward\n  Y = gelu(X)\nclaim\n"
     "  dX = dY ⊙ (0.5 (1 + erf(X / sqrt(2))) + X ⊙ exp(-X^2 / 2) / sqrt(2 pi))\n",
     {"erf", "pi"}},
    {"a chain of tanh",
     "dims n\ninput X [n]\nforward\n  Y = tanh(X)\n  Z = tanh(Y)\nclaim\n  dX = dZ ⊙ (1 - Z^2) ⊙ (1 - Y^2)\n",
     {"exp of exp"}},
    {"an angle", "dims n\ninput X [n]\nforward\n  Y = sin(X) ⊙ cos(X)\nclaim\n  dX = dY ⊙ (1 - 2 sin(X)^2)\n", {"sin and cos"}},
    {"cross-entropy",
     "dims n m\ninput S [n, m]\nconst T [n, m] ~ onehot\nforward\n  loss L = -sum(T ⊙ log_softmax(S)) / n\nclaim\n"
     "  dS = (softmax(S) - T) / n\n"},
    {"a Jacobian", "dims m\ninput s [m]\nforward\n  a = softmax(s)\nclaim\n  ∂a[i]/∂s[j] = a[i] (δ[i,j] - a[j])\n"},
    {"index form with a sum",
     "dims n m k\ninput A [n, m], B [m, k]\nforward\n  C[i,j] = Σ_l A[i,l] B[l,j]\nclaim\n  dA[i,l] = Σ_j dC[i,j] B[l,j]\n"},
    {"a power", "dims n\ninput X [n] ~ positive\nforward\n  Y = X^0.3\nclaim\n  dX = 0.3 X^(0.3 - 1) ⊙ dY\n", {"power"}},
    {"beside a mask of -1e9",
     "dims n m\ninput S [n, m]\nconst M [n, m] ~ onehot\nforward\n  A = softmax(S - 1e9 M)\nclaim\n"
     "  dS = A ⊙ (dA - rowsum(dA ⊙ A))\n"},
};

TEST(Prover, ProvesWhatDerivationsHave) {
    for (const OpaqueIn& e : kProved) {
        const LineReport l = lines_of(e.text, unplanted()).at(0);
        EXPECT_EQ(l.verdict, Verdict::right) << e.name << ": " << l.reason;
        ASSERT_TRUE(l.proved) << e.name;
        EXPECT_LT(l.proved->error_log2, -80) << e.name;
        EXPECT_GT(l.proved->error_log2, -130) << e.name;
        EXPECT_EQ(l.proved->opaque, e.opaque) << e.name;
    }
}

TEST(Prover, LeavesOpenWhatItCannotEvaluate) {
    const LineReport op =
        lines_of("dims n d\ninput X [n, d], g [d], b [d]\nforward\n  Y = layer_norm(X, g, b)\nclaim\n  db = colsum(dY)\n",
                 unplanted())
            .at(0);
    EXPECT_EQ(op.verdict, Verdict::right);
    EXPECT_FALSE(op.proved) << "layer_norm has no form in residues";
    const LineReport wrong = lines_of("dims n\ninput X [n]\nforward\n  Y = X ⊙ X\nclaim\n  dX = X ⊙ dY\n", unplanted()).at(0);
    EXPECT_EQ(wrong.verdict, Verdict::wrong);
    EXPECT_FALSE(wrong.proved);
}

TEST(Prover, IsInTheReport) {
    const std::string text = "dims n\ninput X [n]\nforward\n  Y = log(X ⊙ X)\nclaim\n  dX = 2 log(e) dY / X\n  dX = 2 dY / X\n";
    const FileReport r = check_proof(text, {});
    EXPECT_NE(to_text(r).find("proved, error < 2^-"), std::string::npos) << to_text(r);
    EXPECT_NE(to_json(r).find(R"("proof":{"opaque":[],"error_log2":-1)"), std::string::npos) << to_json(r);
    CheckOptions chained;
    chained.chain = true;
    EXPECT_EQ(to_text(check_proof(text, chained)).find("proved"), std::string::npos);
}

/// Every change of a right side that the judge finds wrong, and some ten thousand there are.
TEST(Prover, ProvesNothingThatIsWrong) {
    int wrong = 0, right = 0, proved = 0;
    std::string open;
    for (std::size_t n = 0; n < library_names().size(); n += testing::kSampled ? 6 : 1)
        for (const std::string name = library_names()[n]; const Proof& p : read_proofs(name + ".proof", library_text(name))) {
            const CheckOptions options;
            const Plan plan(p, options.draw.bind);
            std::vector<std::unique_ptr<Instance>> draws;
            for (int i = 0; i < options.draws; ++i) draws.push_back(std::make_unique<Instance>(p, plan, options.draw, i));
            for (const JudgedLine& line : p.lines) {
                const Claim claim(line, p, draws);
                std::optional<Prover> prover;  // a new one before the work it may do is spent
                const auto is_proved = [&](const ExprPtr& e) {
                    constexpr int kBugs = 8;
                    if (wrong % kBugs == 0 || !prover) prover.emplace(p, plan, options.draw, draws);
                    return prover->prove(claim, e).outcome == ByResidues::Outcome::proved;
                };
                ++right;
                if (is_proved(line.right))
                    ++proved;
                else
                    open += "\n  " + name + ": " + line.text;
                for (const Bug& bug : classic_bugs(claim, plan)) {
                    ++wrong;
                    EXPECT_FALSE(is_proved(bug.result)) << name << ": " << text_of(*bug.result);
                }
                std::vector<ExprPtr> bugs = planted_bugs(line.right);
                for (const Place& at : places(line.right)) {
                    bugs.push_back(at.with(product(number(1.001), '*', at.node)));
                    bugs.push_back(at.with(sum(at.node, '+', number(0.001))));
                }
                for (const ExprPtr& bug : bugs) {
                    if (claim.holds(bug)) continue;
                    ++wrong;
                    EXPECT_FALSE(is_proved(bug)) << name << ": " << text_of(*bug);
                }
            }
        }
    RecordProperty("wrong", wrong);
    RecordProperty("proved", proved);
    EXPECT_GE(wrong, testing::kSampled ? 1000 : 10000);
    EXPECT_GE(proved * 10, right * 9) << proved << " of " << right << open;
    std::printf("%d of %d right lines proved, none of %d wrong ones%s\n", proved, right, wrong, open.c_str());
}

}  // namespace
}  // namespace gradproof::proof
