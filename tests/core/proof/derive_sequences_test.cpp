// Backpropagation through time: sequences that are computed row by row, derived row by row.
#include <gtest/gtest.h>

#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/derive/python.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::vector<std::string> lines_by_rows(const std::string& text, const std::string& file = "a.proof") {
    std::vector<std::string> out;
    const Derivation d = derive(read_proofs(file, text).front());
    for (const DerivedLine& l : d.lines) out.push_back(l.text);
    for (const Underived& m : d.missing) out.push_back(m.name + ": " + m.reason);
    return out;
}

const std::string kRecurrent =
    "dims T n m\ninput x [T, m], s [n], W [n, n], U [n, m]\nforward\n"
    "  h[t] = tanh(W where(t > 0, h[t-1], s) + U x[t])\nloss L = sum(h ⊙ h)\n";

TEST(DerivedSequence, IsBackpropagationThroughTime) {
    EXPECT_EQ(lines_by_rows(kRecurrent), (std::vector<std::string>{
                                             "∂L/∂h[t] = where(step(T - 1 - t),W^T (∂L/∂h[t + 1] ⊙ (1 - h[t + 1]^2)),0) + 2 h[t]",
                                             "∂L/∂U = Σ_t outer(∂L/∂h[t] ⊙ (1 - h[t]^2),x[t])",
                                             "∂L/∂W = Σ_t outer(∂L/∂h[t] ⊙ (1 - h[t]^2),where(step(t),h[t - 1],s))",
                                             "∂L/∂s = W^T (∂L/∂h[0] ⊙ (1 - h[0]^2))",
                                             "∂L/∂x[t] = U^T (∂L/∂h[t] ⊙ (1 - h[t]^2))",
                                         }));
}

TEST(DerivedSequence, ALossOfOneRowIsSaidRowByRow) {
    const std::string text = kRecurrent.substr(0, kRecurrent.find("loss")) + "loss L = sum(h[T-1] ⊙ h[T-1])\n";
    EXPECT_EQ(lines_by_rows(text).at(0),
              "∂L/∂h[t] = where(step(T - 1 - t),W^T (∂L/∂h[t + 1] ⊙ (1 - h[t + 1]^2)),0) + 2 δ[t,T - 1] h[T - 1]");
}

struct Sequence {
    const char *name, *text, *file = "a.proof";
};
void PrintTo(const Sequence& s, std::ostream* out) { *out << s.name; }

const Sequence kSequences[] = {
    {"LSTM", R"page(dims T n m
input x [T, m], s [n], z [n], W_i [n, n], W_f [n, n], W_o [n, n], W_g [n, n], U_i [n, m], U_f [n, m], U_o [n, m], U_g [n, m], b [n]
forward
  i[t] = σ(W_i where(t > 0, h[t-1], s) + U_i x[t])
  f[t] = σ(W_f where(t > 0, h[t-1], s) + U_f x[t] + b)
  o[t] = σ(W_o where(t > 0, h[t-1], s) + U_o x[t])
  g[t] = tanh(W_g where(t > 0, h[t-1], s) + U_g x[t])
  c[t] = f[t] ⊙ where(t > 0, c[t-1], z) + i[t] ⊙ g[t]
  h[t] = o[t] ⊙ tanh(c[t])
loss L = sum(h ⊙ h)
)page"},
    {"GRU", R"page(dims T n m
input x [T, m], s [n], P [n, n], Q [n, n], R [n, n], A [n, m], B [n, m], C [n, m]
forward
  z[t] = σ(P where(t > 0, h[t-1], s) + A x[t])
  r[t] = σ(Q where(t > 0, h[t-1], s) + B x[t])
  k[t] = tanh(R (r[t] ⊙ where(t > 0, h[t-1], s)) + C x[t])
  h[t] = (1 - z[t]) ⊙ where(t > 0, h[t-1], s) + z[t] ⊙ k[t]
  y = h ⊙ h
)page"},
    {"Rows on the left of matrices", R"page(dims T n m
input x [T, m], W [n, n], U [m, n], V [n, m]
forward
  h[t] = tanh(where(t > 0, h[t-1], 0) W + x[t] U)
  p[t] = softmax(h[t] V)
loss L = -Σ_t log(p[t,0]) / T
)page"},
    {"Linear attention", R"page(dims T d e
convention columns
input q [T, d], k [T, d], v [T, e], λ [T]
forward
  S[t] = λ[t] where(t > 0, S[t-1], 0) + k[t] v[t]^T
  o[t] = S[t]^T q[t]
)page"},
    {"Loss of the last step", R"page(dims T n m
input x [T, m], s [n], W [n, n], U [n, m]
forward
  h[t] = tanh(W where(t > 0, h[t-1], s) + U x[t])
loss L = ‖h[T-1]‖²
)page"},
    {"Attention over the states", R"page(dims T n m
input x [T, m], s [n], q [n], W [n, n], U [n, m]
forward
  h[t] = tanh(W where(t > 0, h[t-1], s) + U x[t])
  e[t] = q h[t]
  a = softmax(e)
  c = Σ_t a[t] h[t]
loss L = ‖c‖²
)page"},
    {"State and input together", R"page(dims T n m
input x [T, m], s [n], W [n, n + m], b [n]
forward
  h[t] = tanh(W concat(where(t > 0, h[t-1], s), x[t]) + b)
loss L = sum(h ⊙ h)
)page"},
    {"Two steps back", R"page(dims T n m
input x [T, m], W [n, n], U [n, m]
forward
  h[t] = tanh(W where(t > 1, h[t-2], 0) + U x[t])
loss L = sum(h ⊙ h)
)page"},
    {"A loss by entries", R"page(dims T n m
input x [T, m], s [n], W [n, n], U [n, m], y [T, n]
forward
  h[t] = tanh(W where(t > 0, h[t-1], s) + U x[t])
loss L = Σ_{t,i} (h[t,i] - y[t,i])² / 2
)page"},
    {"Language model", R"page(dims T n m
input x [T, m], s [n], W [n, n], U [n, m], V [m, n]
const y [T] ~ index(m)
forward
  h[t] = tanh(W where(t > 0, h[t-1], s) + U x[t])
  z[t] = V h[t]
loss L = Σ_t (logsumexp(z[t]) - z[t,y[t]])
)page"},
    {"A batch at each step", R"page(dims B T n m
input x [T, B, m], s [B, n], W [n, n], U [m, n], b [n]
forward
  h[t] = tanh(where(t > 0, h[t-1], s) W + x[t] U + b)
  y = h[T-1]
)page"},
    {"Two indices", R"page(dims b T n
input x [b, T, n], W [n, n], s [n]
forward
  h[c,t] = tanh(W where(t > 0, h[c,t-1], s) + x[c,t])
loss L = sum(h ⊙ h)
)page"},
    {"Any function", R"page(dims T n m
function φ
input x [T, m], s [n], W [n, n], U [n, m]
forward
  h[t] = φ(W where(t > 0, h[t-1], s) + U x[t])
loss L = sum(h ⊙ h)
)page"},
    {"Normalised rows", R"page(dims T n m
input x [T, m], s [n], W [n, n], U [n, m], g [n]
forward
  a[t] = W where(t > 0, h[t-1], s) + U x[t]
  h[t] = tanh(g ⊙ (a[t] - mean(a[t])) / √(var(a[t]) + 0.1))
loss L = sum(h ⊙ h)
)page"},
    {"Typeset", R"page(% gradproof: dims T n m k; input x [T, m], y [T, k], h_0 [n], W [n, n], U [n, m], V [k, n], b [n]
\[ h_t = \tanh(W h_{t-1} + U x_t + b), \quad t = 1, \dots, T \]
\[ \hat y_t = V h_t \]
\[ L = \frac{1}{2} \sum_t \lVert \hat y_t - y_t \rVert^2 \]
)page",
     "a.tex"},
};

class DerivedSequences : public ::testing::TestWithParam<Sequence> {};

TEST_P(DerivedSequences, HaveEveryGradientAndEachIsRight) {
    const Derivation d = derive(read_proofs(GetParam().file, GetParam().text).front());
    for (const Underived& m : d.missing) ADD_FAILURE() << m.name << ": " << m.reason;
    CheckOptions options;
    options.mutation = options.diagnose = false;
    const ProofReport r = check_proof(read_proofs("derived.proof", to_text(d)).front(), options);
    EXPECT_EQ(static_cast<std::size_t>(r.count(Verdict::right)), d.lines.size()) << to_text(d);
}
INSTANTIATE_TEST_SUITE_P(All, DerivedSequences, ::testing::ValuesIn(kSequences), [](const auto& of) {
    std::string out;
    for (const char c : std::string(of.param.name))
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) out += c;
    return out;
});

TEST(DerivedSequence, FirstStepIsNoOtherValue) {
    const Derivation d = derive(read_proofs("a.tex",
                                            "% gradproof: dims T n; input x [T, n], h_0 [n], W [n, n]\n"
                                            "\\[ h_t = W h_{t-1} + x_t, \\quad L = \\sum_t \\|h_t\\|^2 \\]\n")
                                    .front());
    EXPECT_EQ(verdicts(to_latex(d), {}, "a.tex"), "right, right, right, right") << to_latex(d);
}

/// Printed, h_{0} is the first row of h: the value h_0 that stands before it has another name then.
TEST(DerivedSequence, FirstRowAndFirstStateLookDifferent) {
    const std::string text = R"page(dims T n
input x [T, n], h_0 [n], W [n, n]
forward
  h[t] = tanh(W where(t > 0, h[t-1], h_0) + x[t])
loss L = sum(h ⊙ h) + sum(h[0] ⊙ h_0)
claim
  ∂L/∂h_0 = W^T (∂L/∂h[0] ⊙ (1 - h[0]^2)) + h[0]
)page";
    const Proof p = read_proofs("a.proof", text).front();
    const std::string printed = written(p, Notation::latex), derived = to_latex(derive(p), {.steps = true});
    for (const std::string& shown : {printed, derived}) {
        EXPECT_EQ(shown.find("h_0"), std::string::npos) << shown;
        EXPECT_NE(shown.find("h_{\\mathrm{init}}"), std::string::npos) << shown;
    }
    EXPECT_EQ(verdicts(printed, {}, "a.tex"), "right") << printed;
    EXPECT_EQ(verdicts(derived, {}, "a.tex"), "right, right, right, right") << derived;
    const std::string without_rows = text.substr(0, text.find(" + sum(h[0]")) + "\n";
    EXPECT_NE(written(read_proofs("a.proof", without_rows).front(), Notation::latex).find("h_0"), std::string::npos);
}

TEST(DerivedSequence, TangentsGoForward) {
    const Derivation d = derive_tangents(read_proofs("a.proof", kRecurrent).front());
    EXPECT_EQ(d.missing.size(), 0U);
    ASSERT_EQ(d.lines.size(), 2U);
    EXPECT_NE(d.lines[0].text.find("W where(step(t),dh[t - 1],ds)"), std::string::npos) << d.lines[0].text;
}

TEST(DerivedSequence, AProgramGoesStepByStep) {
    const std::string text = to_python(read_proofs("a.proof", kRecurrent).front(), PythonTarget::numpy);
    for (const std::string& part :
         {std::string("    for t in range(T):\n        h[t] = np.tanh("),
          std::string("    for t in reversed(range(T)):\n        dh[t] = "), std::string("for t in range(T))")})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace gradproof::proof
