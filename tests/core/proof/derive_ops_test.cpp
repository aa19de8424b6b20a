// Ops as a forward of one line: each is derived, as what it is made of, or has no formula for its gradients in one line.
#include <gtest/gtest.h>

#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/registry.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

struct OneLine {
    const char *given, *call;
};
void PrintTo(const OneLine& f, std::ostream* out) { *out << f.call; }

constexpr const char* kPositive = "input X [n, m] ~ positive";
constexpr const char* kAny = "input X [n, m]";
constexpr const char* kTwo = "input X [n, m], Z [n, m] ~ positive";
constexpr const char* kHeads = "dims b h d e\ninput Q [b, h, n, d], K [b, h, m, d], V [b, h, m, e]";
constexpr const char* kSelf = "dims b h d e\ninput Q [b, h, n, d], K [b, h, n, d], V [b, h, n, e]";
constexpr const char* kOneHead = "dims d e\ninput Q [n, d], K [m, d], V [m, e]";
constexpr const char* kOneSelf = "dims d e\ninput Q [n, d], K [n, d], V [n, e]";
constexpr const char* kSteps = "dims b d e r=3 s=(n + 5)\ninput X [b, s, d], W [r, d, e], c [e]";

const OneLine kDerived[] = {
    {kAny, "abs(X)"},
    {kTwo, "add(X, Z)"},
    {"dims d e\ninput Q [n, d], K [m, d], V [m, e], a [d]", "additive_attention(Q, K, V, a)"},
    {"dims b d e\ninput Q [b, n, d], K [b, m, d], V [b, m, e], a [d]", "additive_attention(Q, K, V, a)"},
    {"dims d e\ninput Q [n, d], K [n, d], V [n, e], a [d]", "additive_attention(Q, K, V, a, causal=true)"},
    {"input s [n]", "alibi(s, queries=4, keys=5, offset=2)"},
    {kHeads, "attention(Q, K, V)"},
    {kHeads, "attention(Q, K, V, scale=0.5)"},
    {kHeads, "attention(Q, K, V, softcap=5)"},
    {"dims b h d e\ninput Q [b, h, n, d], K [b, h, m, d], V [b, h, m, e], M [n, m]", "attention(Q, K, V, M)"},
    {kSelf, "attention(Q, K, V, causal=true)"},
    {kSelf, "attention(Q, K, V, window_left=1, window_right=2)"},
    {kSelf, "attention(Q, K, V, causal=true, window_left=1, softcap=3)"},
    {"dims d e f\ninput Q [n, d], K [m, e], V [m, f], W [d, e]", "bilinear_attention(Q, K, V, W)"},
    {"dims d e f\ninput Q [n, d], K [n, e], V [n, f], W [d, e]", "bilinear_attention(Q, K, V, W, scale=0.3, causal=true)"},
    {"dims d\ninput X [n, m], Z [n, d]", "concat(X, Z, axis=1)"},
    {kSteps, "conv1d(X, W, c)"},
    {kSteps, "conv1d(X, W, c, dilation=2)"},
    {kSteps, "conv1d(X, W, c, left=2, right=1)"},
    {kSteps, "conv1d(X, W)"},
    {kAny, "cos(X)"},
    {"input X [n, m]\nconst T [n, m] ~ onehot", "cross_entropy(X, T)"},
    {kPositive, "cumprod(X)"},
    {kAny, "cumsum(X, axis=0)"},
    {"input X [n, n]", "det(X)"},
    {kTwo, "div(X, Z)"},
    {kAny, "erf(X)"},
    {kAny, "exp(X)"},
    {kAny, "gather(X, ids=[1, 0, 1])"},
    {kAny, "gelu(X)"},
    {"input X [n, n]", "inverse(X)"},
    {"input X [n, m], g [m], b [m]", "layer_norm(X, g, b)"},
    {"dims d\ninput X [n, m], W [m, d], b [d]", "linear(X, W, b)"},
    {kOneHead, "linear_attention(Q, K, V)"},
    {kOneSelf, "linear_attention(Q, K, V, causal=true)"},
    {kPositive, "log(X)"},
    {"input X [n, m], t [] ~ positive", "log_softmax(X, temperature=t)"},
    {"input X [n, n]", "logdet(X)"},
    {kAny, "logsumexp(X)"},
    {"dims d\ninput X [n, m], Z [m, d]", "matmul(X, Z)"},
    {kAny, "max(X)"},
    {kAny, "mean(X)"},
    {"input X [n, m], T [n, m]", "mse(X, T)"},
    {kTwo, "mul(X, Z)"},
    {kAny, "neg(X)"},
    {kPositive, "pow(X, exponent=3)"},
    {kAny, "relu(X)"},
    {kAny, "reshape(X, shape=[m, n])"},
    {"input X [n, m], g [m]", "rms_norm(X, g)"},
    {kAny, "scale(X, factor=3)"},
    {kAny, "sigmoid(X)"},
    {kOneHead, "sigmoid_attention(Q, K, V)"},
    {kOneSelf, "sigmoid_attention(Q, K, V, causal=true, bias=0.3, scale=2)"},
    {kAny, "silu(X)"},
    {kAny, "sin(X)"},
    {kAny, "slice(X, axis=0, start=0, stop=2)"},
    {kAny, "slice(X, axis=1, start=1)"},
    {"input X [n, m], t [] ~ positive", "softmax(X, temperature=t)"},
    {kAny, "softplus(X)"},
    {kPositive, "sqrt(X)"},
    {"input X [n, m], Y [n, m], Z [n, m]", "stack(X, Y, Z)"},
    {"input X [n, m], Y [n, m]", "stack(X, Y, axis=-1)"},
    {kTwo, "sub(X, Z)"},
    {kAny, "sum(X)"},
    {kAny, "tanh(X)"},
    {"dims d\ninput X [n, m, d]", "transpose(X, perm=[1, 2, 0])"},
    {kAny, "var(X)"},
    {"input X [n, m], Z [n, m]\nconst M [n, m]", "where(M > 0, X, Z)"},
};

Proof proof_of(const OneLine& f) {
    return read_proofs("op.proof", fmt::format("dims n m\n{}\nforward\n  OUT = {}\n", f.given, f.call)).front();
}
Derivation derivation_of(const OneLine& f) { return derive(proof_of(f)); }

class DerivedOp : public ::testing::TestWithParam<OneLine> {};

TEST_P(DerivedOp, HasEveryGradient) {
    const Proof p = proof_of(GetParam());
    const Derivation d = derive(p);
    for (const Underived& m : d.missing) ADD_FAILURE() << m.name << ": " << m.reason;
    EXPECT_EQ(d.lines.size(), static_cast<std::size_t>(std::ranges::count(p.given, true, &Given::differentiable)));
}
std::vector<OneLine> sampled_ops() {
    std::vector<OneLine> out;
    for (std::size_t i = 0; i < std::size(kDerived); i += testing::kSampled ? 5 : 1) out.push_back(kDerived[i]);
    return out;
}
INSTANTIATE_TEST_SUITE_P(All, DerivedOp, ::testing::ValuesIn(sampled_ops()),
                         [](const auto& of) { return "Line" + std::to_string(of.index); });

/// A new op is put above, or here with the reason.
TEST(DerivedOps, AreAllOpsButThese) {
    const std::set<std::string> others{
        "dropout",        "masked_fill",
        "hard_attention",         // take an array of choices, which the notation cannot give
        "lstm",           "rnn",  // steps within one value
        "rotary",         "relative_attention",
    };
    std::set<std::string> derived;
    for (const OneLine& f : kDerived) derived.insert(std::string(f.call).substr(0, std::string(f.call).find('(')));
    for (const auto& op : registry().all()) {
        const std::string name(op->info.name);
        EXPECT_NE(derived.contains(name), others.contains(name)) << name;
    }
}

TEST(DerivedOps, ACallWithoutAFormulaIsOneClearLine) {
    const auto missing = [](const OneLine& f) { return derivation_of(f).missing.at(0).reason; };
    EXPECT_EQ(missing({kHeads, "attention(Q, K, V, causal=true)"}), "no rule yet for attention");
    EXPECT_EQ(missing({"dims d=4\ninput X [n, d]", "rotary(X)"}), "no rule yet for rotary");
    EXPECT_EQ(missing({kSteps, "conv1d(X, W, padding=same)"}), "no rule yet for conv1d");
}

TEST(DerivedOps, AreDerivedAsPeopleWriteThem) {
    const auto line = [](const OneLine& f, std::size_t i) { return derivation_of(f).lines.at(i).text; };
    EXPECT_EQ(line({kHeads, "attention(Q, K, V)"}, 0), "∂L/∂V = softmax(Q K^T / sqrt(d))^T ∂L/∂OUT");
    EXPECT_EQ(line({"input X [n, m], Y [n, m]", "stack(X, Y)"}, 0), "∂L/∂Y = reshape(∂L/∂OUT[1:2], shape=[n,m])");
    EXPECT_EQ(line({kAny, "gather(X, ids=[1, 0])"}, 0), "∂L/∂X = onehot([1,0],n)^T ∂L/∂OUT");
    EXPECT_EQ(line({kSteps, "conv1d(X, W, c)"}, 2), "∂L/∂X[i,j,h] = Σ_{t,o,k} δ[j,t + k] ∂L/∂OUT[i,t,o] W[k,h,o]");
    EXPECT_EQ(line({"input X [n, m], t [] ~ positive", "softmax(X, temperature=t)"}, 0),
              "∂L/∂t = -sum(OUT ⊙ (∂L/∂OUT - rowsum(∂L/∂OUT ⊙ OUT)) ⊙ X) / t^2");
}

}  // namespace
}  // namespace gradproof::proof
