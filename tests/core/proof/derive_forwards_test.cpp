// Forwards that people ask for beside those of the library: each is derived, and each line of it is right.
#include <iterator>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "gradproof/core/proof/derive/derive.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

struct Forward {
    const char *name, *text;
};
void PrintTo(const Forward& f, std::ostream* out) { *out << f.name; }

const Forward kForwards[] = {
    {"Batch norm", R"page(dims n d
input X [n, d], g [d], b [d]
const ε = 1e-5
forward
  μ = colmean(X)
  v = colvar(X)
  Y = g ⊙ (X - μ) / √(v + ε) + b
)page"},
    {"Group norm", R"page(dims n g c
input X [n, g, c], γ [g, c], β [g, c]
const ε = 1e-5
forward
  μ = mean(X, axis=2, keep=true)
  N = (X - μ) / √(var(X, axis=2, keep=true) + ε)
  Y = γ ⊙ N + β
)page"},
    {"RMS norm", R"page(dims n d
input X [n, d], g [d]
const ε = 1e-6
forward
  r = √(rowmean(X²) + ε)
  Y = X / r ⊙ g
)page"},
    {"GRU through T steps", R"page(dims T h
input A [T, h], B [T, h], C [T, h], P [h, h], Q [h, h], R [h, h], s [h]
forward
  H[t,i] = (1 - σ(A[t,i] + Σ_k where(t > 0, H[t-1,k], s[k]) P[k,i])) where(t > 0, H[t-1,i], s[i]) +
         σ(A[t,i] + Σ_k where(t > 0, H[t-1,k], s[k]) P[k,i]) ⊙
         tanh(C[t,i] + σ(B[t,i] + Σ_k where(t > 0, H[t-1,k], s[k]) Q[k,i]) Σ_k where(t > 0, H[t-1,k], s[k]) R[k,i])
  Y = H ⊙ H
)page"},
    {"LSTM through T steps", R"page(dims T h
input A [T, h], B [T, h], G [T, h], O [T, h], c [h]
forward
  C[t,i] = σ(A[t,i]) where(t > 0, C[t-1,i], c[i]) + σ(B[t,i]) tanh(G[t,i])
  H = σ(O) ⊙ tanh(C)
)page"},
    {"Gated linear attention", R"page(dims T d e
input Q [T, d], K [T, d], V [T, e], G [T, d]
forward
  A = σ(G)
  S[t,i,j] = A[t,i] where(t > 0, S[t-1,i,j], 0) + K[t,i] V[t,j]
  O[t,j] = Σ_i Q[t,i] S[t,i,j]
)page"},
    {"Contrastive loss", R"page(dims n d
input X [n, d], Y [n, d], τ [] ~ positive
forward
  U = X / rownorm(X)
  V = Y / rownorm(Y)
  S = U V^T / τ
loss L = (-trace(log_softmax(S)) - trace(log_softmax(S^T))) / (2 n)
)page"},
    {"Distillation", R"page(dims n v
input Z [n, v]
const Z_T [n, v], y [n, v] ~ onehot
const T = 2, a = 0.3
forward
  P = softmax(Z_T / T)
  D = -rowsum(P ⊙ log_softmax(Z / T))
  C = -rowsum(y ⊙ log_softmax(Z))
loss L = mean(a T² D + (1 - a) C)
)page"},
    {"DPO", R"page(dims n
input a [n], b [n]
const a_r [n], b_r [n]
const β = 0.1
forward
  m = β ((a - a_r) - (b - b_r))
loss L = -mean(log(σ(m)))
)page"},
    {"PPO", R"page(dims n
input l [n] ~ uniform(-1, 1)
const l_o [n] ~ uniform(-1, 1), A [n]
const ε = 0.2
forward
  r = exp(l - l_o)
loss L = -mean(min(r ⊙ A, clip(r, 1 - ε, 1 + ε) ⊙ A))
)page"},
    {"VAE", R"page(dims n d z
input X [n, d], M [n, z], G [n, z], W [z, d]
const N [n, z]
forward
  Z = M + exp(G / 2) ⊙ N
  R = Z W
  E = rowsum((X - R)²) / 2
  D = -rowsum(1 + G - M² - exp(G)) / 2
loss L = mean(E + D)
)page"},
    {"Focal loss", R"page(dims n v
input Z [n, v]
const T [n, v] ~ onehot
const γ = 2
forward
  P = softmax(Z)
  p = rowsum(T ⊙ P)
loss L = -mean((1 - p)^γ ⊙ log(p))
)page"},
    {"Gaussian process", R"page(dims n d
input X [n, d], y [n], s [] ~ positive, ℓ [] ~ positive, v [] ~ positive
forward
  D[i,j] = Σ_c (X[i,c] - X[j,c])²
  K = v exp(-D / (2 ℓ²)) + s eye(n)
  α = inv(K) y
loss L = y α / 2 + logdet(K) / 2 + n log(2 pi) / 2
)page"},
    {"Sinkhorn step", R"page(dims n m
input C [n, m], a [n] ~ positive, b [m] ~ positive, g [m]
const ε = 0.5
forward
  f = ε log(a) - ε logsumexp((g - C) / ε, axis=1)
  h = ε log(b) - ε logsumexp((reshape(f, shape=[n, 1]) - C) / ε, axis=0)
  P[i,j] = exp((f[i] + h[j] - C[i,j]) / ε)
loss L = sum(P ⊙ C)
)page"},
    {"Attention with soft cap", R"page(dims n m d e
input Q [n, d], K [m, d], V [m, e]
forward
  S = 30 tanh(Q K^T / (30 √d))
  A = softmax(S)
  O = A V
)page"},
    {"Layer norm as an op", R"page(dims n d
input X [n, d], g [d], b [d]
forward
  Y = layer_norm(X, g, b)
)page"},
    {"RMS norm as an op", R"page(dims n d
input X [n, d], g [d]
forward
  Y = rms_norm(X, g)
)page"},
    {"Squared error as an op", R"page(dims n m
input X [n, m], Y [n, m]
forward
  y = mse(X, Y)
)page"},
    {"Linear layer as an op", R"page(dims n d k
input X [n, d], W [d, k], b [k]
forward
  Y = linear(X, W, b)
)page"},
    {"Grouped heads by their number", R"page(dims h g r n m d
input Q [h, n, d], K [g, m, d], V [g, m, d]
forward
  S[a,i,j] = Σ_k Q[a,i,k] K[floor(a/r),j,k] / √d
  A = softmax(S)
  O[a,i,k] = Σ_j A[a,i,j] V[floor(a/r),j,k]
)page"},
    {"Grouped heads by their group", R"page(dims g r n m d
input Q [g, r, n, d], K [g, m, d], V [g, m, d]
forward
  S[a,b,i,j] = Σ_k Q[a,b,i,k] K[a,j,k] / √d
  A = softmax(S)
  O[a,b,i,k] = Σ_j A[a,b,i,j] V[a,j,k]
)page"},
    {"Attention with rotary positions", R"page(dims n m h e
input Q [n, h, 2], K [m, h, 2], V [m, e]
const α [n, h] ~ uniform(-3, 3), β [m, h] ~ uniform(-3, 3)
forward
  q[i,a,b] = Q[i,a,b] cos(α[i,a]) + where(b, Q[i,a,0], -Q[i,a,1]) sin(α[i,a])
  k[j,a,b] = K[j,a,b] cos(β[j,a]) + where(b, K[j,a,0], -K[j,a,1]) sin(β[j,a])
  S[i,j] = Σ_{a,b} q[i,a,b] k[j,a,b] / √(2 h)
  A = softmax(S)
  O = A V
)page"},
    {"Running product", R"page(dims n m
input X [n, m] ~ positive
forward
  Y = cumprod(X)
)page"},
    {"Kronecker product", R"page(dims n m p q
input A [n, m], B [p, q]
forward
  Y = kron(A, B)
)page"},
    {"Solve", R"page(dims n m
input A [n, n], B [n, m]
forward
  Y = solve(A, B)
)page"},
    {"vec", R"page(dims n m
input A [n, m]
forward
  y = vec(A)
)page"},
    {"Clip", R"page(dims n
input X [n]
forward
  Y = clip(X, -1, 1)
)page"},
    {"Cross-entropy as an op", R"page(dims n v
input Z [n, v]
const T [n, v] ~ onehot
forward
  Y = cross_entropy(Z, T)
)page"},
};

class DeriveForwards : public ::testing::TestWithParam<Forward> {};

TEST_P(DeriveForwards, EveryGradientIsDerivedAndRight) {
    const Derivation d = derive(read_proofs("forward.proof", GetParam().text).front());
    for (const Underived& m : d.missing) ADD_FAILURE() << m.name << ": " << m.reason;
    CheckOptions options;
    options.mutation = options.diagnose = false;
    const ProofReport r = check_proof(read_proofs("derived.proof", to_text(d)).front(), options);
    EXPECT_EQ(static_cast<std::size_t>(r.count(Verdict::right)), d.lines.size()) << to_text(d);
}
/// With sanitizers, whose sources are the same, without the longest.
std::vector<Forward> some_forwards() {
    std::vector<Forward> out(std::begin(kForwards), std::end(kForwards));
    if (testing::kSampled) std::erase_if(out, [](const Forward& f) { return std::string_view(f.name) == "PPO"; });
    return out;
}
INSTANTIATE_TEST_SUITE_P(All, DeriveForwards, ::testing::ValuesIn(some_forwards()), [](const auto& of) {
    std::string out;
    for (const char c : std::string(of.param.name))
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) out += c;
    return out;
});

}  // namespace
}  // namespace gradproof::proof
