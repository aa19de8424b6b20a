// Of which value a gradient of a program is that no name or another one says, and what is not read at all.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// The gradient of the state that a loop carries to the step before.
TEST(NumPyPrograms, AGradientIsCarriedFromStepToStep) {
    const auto network = [](const std::string& carried, const std::string& dh = "2 * (h[t] - y[t]) + dhnext") {
        return "# gradproof: dims T n k; input x [T, n], W [k, k], U [k, n], b [k]; const y [T, k]\n"
               "h = np.zeros((T, k))\nfor t in range(T):\n    h[t] = np.tanh(W @ h[t - 1] + U @ x[t] + b)\n"
               "loss = ((h - y) ** 2).sum()\ndW, dU, db = np.zeros_like(W), np.zeros_like(U), np.zeros_like(b)\n"
               "dhnext = np.zeros_like(b)\nfor t in reversed(range(T)):\n    dh = " +
               dh +
               "\n    dz = (1 - h[t] ** 2) * dh\n    db += dz\n    dU += np.outer(dz, x[t])\n    dW += np.outer(dz, h[t - 1] if "
               "t > 0 else np.zeros(k))\n" +
               "    dhnext = " + carried + "\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", network("W.T @ dz")), "9 right, 11 right, 12 right, 13 right");
    EXPECT_EQ(verdicts_by_line("a.py", network("W @ dz")), "9 wrong, 11 right, 12 right, 13 right");
    EXPECT_EQ(verdicts_by_line("a.py", network("W.T @ dz", "2 * (h[t] - y[t])\n    dh += dhnext")),
              "10 right, 12 right, 13 right, 14 right");
    EXPECT_EQ(verdicts_by_line("a.py", network("W.T @ dz", "2 * (h[t] - y[t])\n    dh -= dhnext")),
              "10 wrong, 12 right, 13 right, 14 right");
}

/// Scores that are shifted, and a size that has a name of its own.
TEST(NumPyPrograms, TheGradientOfShiftedScores) {
    const auto softmax = [](const std::string& change) {
        return "# gradproof: dims N D C; input X [N, D], W [D, C]; const y [N] ~ index(C)\nnum = X.shape[0]\ns = X @ W\n"
               "s -= s.max(axis=1, keepdims=True)\np = np.exp(s)\np /= p.sum(axis=1, keepdims=True)\n"
               "loss = -np.log(p[np.arange(num), y]).sum() / num\nds = p.copy()\nds[np.arange(num), y] " +
               change + "\nds /= num\ndW = X.T @ ds\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", softmax("-= 1")), "10 right, 11 right");
    EXPECT_EQ(verdicts_by_line("a.py", softmax("+= 1")), "10 wrong, 11 right");
}

/// What a backward returns without a name is the gradient by the one input that is left, or by those that are in their order.
TEST(NumPyPrograms, AGradientWithoutANameIsByTheInputThatIsLeft) {
    const std::string layer =
        "# gradproof: dims N D M; input x [N, D], W [D, M]\nclass Linear:\n    def forward(self, x):\n        self.x = x\n"
        "        return x @ self.W\n    def backward(self, dout):\n        dW = self.x.T @ dout\n";
    EXPECT_EQ(verdicts_by_line("a.py", layer + "        return dout @ self.W.T\n"), "7 right, 8 right");
    EXPECT_EQ(verdicts_by_line("a.py", layer + "        return 2 * dout @ self.W.T\n"), "7 right, 8 wrong");
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n; input a [n], b [n]\ndef forward(a, b):\n    return a * b\n"
                               "def backward(dout, a, b):\n    return dout * b, dout * a\n"),
              "5 right, 5 right");
    EXPECT_EQ(verdicts_by_line("a.py", layer + "        dx = dout @ self.W\n        return dx\n"), "7 right, 8 wrong");
    for (const std::string other : {"dW, None", "dW, {\"a\": dW}", "dW.astype(np.float32), dict(a=dW)"})
        EXPECT_EQ(verdicts_by_line("a.py", layer + "        return " + other + "\n"), "7 right") << other;
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n; input x [n]\ndef forward(x):\n    out = x ** 2\n    return out, dict(x=x)\n"
                               "def backward(dout, cache):\n    dx = 2 * x * dout\n"),
              "6 right");
}

/// What stands before % and // is told without the sign.
TEST(NumPyPrograms, TheTextOfARemainderIsAllOfIt) {
    const Proof p = read_proofs("a.py", "# gradproof: dims n; input x [n], w [n]\ny = x * w % 3\nz = x * w // 2 * y\n").at(0);
    const Expr& y = *p.find("y")->value;
    EXPECT_EQ(y.source, "x * w % 3");
    EXPECT_EQ(y.children[0]->source, "x * w");
    const Expr& z = *p.find("z")->value;
    EXPECT_EQ(z.children[0]->source, "x * w // 2");
}

TEST(NumPyPrograms, AnUpdateGoesDownItsOwnGradient) {
    const std::string head =
        "# gradproof: dims n d; input X [n, d], V [n, d], w [d], v [d]\nL = np.sum((X @ w) ** 2 + (V @ v) ** 2)\n"
        "dw = 2 * X.T @ (X @ w)\ndv = 2 * V.T @ (V @ v)\n";
    const auto updated = [&](const std::string& lines) { return verdicts_by_line("a.py", head + lines); };
    for (const char* right : {"w -= 0.1 * dw\nv -= 0.1 * dv\n", "w += -0.1 * dw\n", "w = w - lr * dw\n",
                              "for p, g in zip([w, v], [dw, dv]):\n    p -= 0.1 * g\n"})
        EXPECT_EQ(updated(right), "3 right, 4 right") << right;
    for (const char* wrong :
         {"w -= 0.1 * dv\n", "w += 0.1 * dw\n", "w = w + lr * dw\n", "for p, g in zip([w, v], [dv, dw]):\n    p -= 0.1 * g\n",
          "for p, g in zip([w, v], [dw, dv]):\n    p += 0.1 * g\n"})
        EXPECT_EQ(updated(wrong), "3 right, 4 right, 5 not read") << wrong;
    EXPECT_EQ(updated("w += 0.1 * dw  # gradient ascent\n"), "3 right, 4 right");
}

TEST(NumPyPrograms, AFunctionThatABranchDefinesAnewIsNotRead) {
    const std::string head = "# gradproof: dims n; input X [n, n], W [n, n]\ndef f(A, B):\n    return A @ B\n";
    const std::string lines = "L = np.sum(f(X, W) ** 2)\ndW = 2 * X.T @ (X @ W)\n";
    EXPECT_EQ(verdicts_by_line("a.py", head + lines), "5 right");
    EXPECT_EQ(verdicts_by_line("a.py", head + "if True:\n    def f(A, B):\n        return B @ A\n" + lines).find("right"),
              std::string::npos);
}

TEST(NumPyPrograms, CausalAttentionMaskedAsInPyTorch) {
    const auto attention = [](const std::string& mask, const std::string& masked) {
        return "# gradproof: dims n d; input q [n, d]; input k [n, d]; input v [n, d]\nimport math, torch\n"
               "class Attention(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, q, k, v):\n"
               "        s = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])\n        mask = " +
               mask + "\n        s = " + masked +
               "\n        p = torch.softmax(s, dim=-1)\n        ctx.save_for_backward(q, k, v, p)\n        return p @ v\n"
               "    @staticmethod\n    def backward(ctx, do):\n        q, k, v, p = ctx.saved_tensors\n"
               "        dv = p.transpose(-2, -1) @ do\n        dp = do @ v.transpose(-2, -1)\n"
               "        ds = p * (dp - (dp * p).sum(dim=-1, keepdim=True))\n"
               "        dq = ds @ k / math.sqrt(q.shape[-1])\n        dk = ds.transpose(-2, -1) @ q / math.sqrt(q.shape[-1])\n"
               "        return dq, dk, dv\n";
    };
    const std::string above = "torch.triu(torch.ones_like(s), diagonal=1).bool()";
    for (const char* masked : {"s.masked_fill(mask, float('-inf'))", "s.masked_fill(mask, float(\"-inf\"))",
                               "torch.masked_fill(s, mask, -torch.inf)", "torch.where(mask, -1e9, s)"})
        EXPECT_TRUE(all_right(attention(above, masked))) << masked;
    for (const char* masked : {"s.masked_fill(mask, 0.0)", "s.masked_fill_(mask, float('-inf'))", "s.masked_fill(mask)"})
        EXPECT_FALSE(all_right(attention(above, masked))) << masked;
    const std::string whole = "torch.triu(torch.ones_like(s)).bool()";  // of the first row nothing is left, and PyTorch gives NaN
    EXPECT_EQ(verdicts(attention(whole, "s.masked_fill(mask, float('-inf'))"), {}, "a.py"),
              "cannot tell, cannot tell, cannot tell, cannot tell, cannot tell");
}

}  // namespace
}  // namespace gradproof::proof
