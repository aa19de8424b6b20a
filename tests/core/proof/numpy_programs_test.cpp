// Programs of NumPy and PyTorch as they are written: updates, caches, classes, changes in place, masks, places.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// The verdicts of a program under what a comment declares; its lines begin at 2.
std::string program(const std::string& declared, const std::string& lines) {
    return verdicts_by_line("a.py", "# gradproof: " + declared + "\n" + lines);
}

TEST(NumPyPrograms, UpdatesBehindAllUsesArePassedOver) {
    const std::string sizes = "dims N D H; input x [N, D], W [D, H]; const y [N, H]";
    const std::string lines = "p = x @ W\nloss = ((p - y)**2).sum()\ndp = 2 * (p - y)\ndW = x.T @ dp\n";
    for (const char* update : {"W -= 0.1 * dW\n", "W = W - lr * dW\n", "W += -lr * dW\nW *= 0.99\nreturn W\n"})
        EXPECT_EQ(program(sizes, lines + update), "4 right, 5 right") << update;
    EXPECT_EQ(program(sizes, lines + "W -= 0.1 * dW\ndx = dp @ W.T\n"), "4 right, 5 not read, 6 not read, 7 not read");
    EXPECT_EQ(program(sizes, lines + "V = W\nW -= 0.1 * dW\ndx = dp @ V.T\n").find("8 right"), std::string::npos);
    EXPECT_EQ(program(sizes, "p = x @ W\nloss = ((p - y)**2).sum()\ndp = 2 * (p - y)\nW -= 1\ndW = x.T @ dp\n").find("6 right"),
              std::string::npos);
}

TEST(NumPyPrograms, ACacheKeepsWhatIsPutIntoIt) {
    const std::string sizes = "dims N D M; input x [N, D], w [D, M], b [M]";
    const std::string forward =
        "def affine_forward(x, w, b):\n    out = x.dot(w) + b\n    cache = (x, w, b)\n    return out, cache\n";
    EXPECT_EQ(program(sizes, forward + "def affine_backward(dout, cache):\n    x, w, b = cache\n    dx = dout.dot(w.T)\n"
                                       "    dw = x.T.dot(dout)\n    db = np.sum(dout, axis=0)\n    return dx, dw, db\n"),
              "8 right, 9 right, 10 right");
    EXPECT_EQ(program(sizes, forward + "def affine_backward(dout, cache):\n    x, w, b = cache\n    dx = dout.dot(w)\n"
                                       "    dw = x.T.dot(dout) / len(x)\n    db = np.sum(dout, axis=1)\n"),
              "8 wrong, 9 wrong, 10 wrong");
    EXPECT_EQ(program(sizes, forward + "def affine_backward(dout, cache):\n    a, v, c = cache\n    dx = dout @ v.T\n    dw = "
                                       "v.T @ dout\n    dw = a.T @ dout\n"),
              "8 right, 9 wrong, 10 right");
    EXPECT_EQ(program(sizes, forward + "def affine_backward(dout, cache):\n    w, x, b = cache\n    dx = dout.dot(w.T)\n")
                  .find("right"),
              std::string::npos)
        << "the names are exchanged";
    EXPECT_EQ(program("dims n; input x [n]",
                      "def relu_forward(x):\n    out = np.maximum(0, x)\n    cache = x\n    return out, "
                      "cache\ndef relu_backward(dout, cache):\n    dx, x = None, cache\n    dx = dout * (x "
                      "> 0)\n    return dx\n"),
              "8 right");
}

TEST(NumPyPrograms, ClassesKeepAttributes) {
    const std::string sizes = "dims B I O; input x [B, I], W [I, O], b [O]";
    const std::string head =
        "class Linear:\n    def forward(self, x):\n        self.x = x\n        y = x @ self.W + self.b\n"
        "        return y\n    def backward(self, dy):\n";
    EXPECT_EQ(
        program(sizes, head + "        self.dW = self.x.T @ dy\n        self.db = dy.sum(axis=0)\n        dx = dy @ self.W.T\n"
                              "        return dx\n"),
        "8 right, 9 right, 10 right");
    EXPECT_EQ(program(sizes, head + "        self.dW = self.x @ dy\n        self.db = dy.sum()\n        dx = dy @ self.y\n"),
              "8 wrong, 9 wrong, 10 not read");
    // What is kept is what it was then.
    const std::string kept = "h = x @ W\nself.h = h\nh = 2 * h\nL = (h**2).sum()\n";
    EXPECT_EQ(program("dims n m; input x [n, m], W [m, m]", kept + "dh = 4 * self.h\ndh = 2 * self.h\n"), "6 right, 7 wrong");
    EXPECT_EQ(program("dims n m; input x [n, m]",
                      "def forward(ctx, x):\n    y = torch.softmax(x, dim=-1)\n    ctx.save_for_backward(y)\n    return y\n"
                      "def backward(ctx, grad_output):\n    y, = ctx.saved_tensors\n"
                      "    grad_x = y * (grad_output - (grad_output * y).sum(dim=-1, keepdim=True))\n"
                      "    grad_x = y * (grad_output - (grad_output * y).sum(dim=0, keepdim=True))\n"
                      "    return grad_x\n"),
              "8 right, 9 wrong");
    EXPECT_EQ(program("dims B I O; input x [B, I], W [I, O]",
                      "class Linear:\n    def forward(self, x):\n        self.x = x\n        return x @ self.W\n"
                      "    def backward(self, dout):\n        self.dW = self.x.T @ dout\n        self.dW = dout.T @ self.x\n"),
              "7 right, 8 wrong");
    EXPECT_EQ(program("dims n m; input W1 [n, m], x [m]",
                      "Z = W1 @ x\ncache = {\"Z\": Z, \"A\": np.tanh(Z)}\ngrads = {}\ndZ = dA * (1 - cache['A']**2)\n"
                      "dZ = dA * (1 - cache['Z']**2)\ngrads = {\"dZ\": dZ, \"dW1\": np.outer(dZ, x)}\n"),
              "5 right, 6 wrong, 7 right");
    EXPECT_EQ(program("dims n m; input W1 [n, m], x [m]",
                      "Z = params['W1'] @ x\ncache[\"Z\"] = Z\nA = np.tanh(Z)\ndZ = dA * (1 - np.tanh(cache['Z'])**2)\n"
                      "grads['W1'] = np.outer(dZ, x)\ngrads['dW1'] = np.outer(x, dZ)\n"),
              "5 right, 6 right, 7 wrong");
}

TEST(NumPyPrograms, EntriesBehindAMask) {
    const std::string sizes = "dims N D; input x [N, D]", relu = "out = np.maximum(0, x)\ndx = dout.copy()\n";
    for (const char* line : {"dx[x <= 0] = 0\n", "dx[~(x > 0)] = 0\n", "dx *= (x > 0)\n", "dx[out == 0] = 0\n"})
        EXPECT_EQ(program(sizes, relu + line), "4 right") << line;
    EXPECT_EQ(program(sizes, "out = np.maximum(0, x)\nmask = x <= 0\ndx = dout.copy()\ndx[mask] = 0\ndx[~mask] = 0\n"),
              "6 wrong");
    EXPECT_EQ(program(sizes, "out = np.maximum(0, x)\nmask = x <= 0\ndx = dout.copy()\ndx[mask] = 0\n"), "5 right");
    EXPECT_EQ(program(sizes, relu + "dx[x > 0] = 0\n"), "4 wrong");
    EXPECT_EQ(program(sizes, relu + "dx[x[:, 0] <= 0] = 0\n").find("right"), std::string::npos) << "whole rows";
    EXPECT_EQ(program(sizes, "out = np.maximum(0, x)\ndx = np.zeros_like(x)\ndx[x > 0] = dout[x > 0]\n"), "4 right");
    EXPECT_EQ(program(sizes, "out = np.maximum(0, x)\ndx = np.zeros_like(x)\ndx[x > 0] = dout[x <= 0]\n").find("right"),
              std::string::npos);
    EXPECT_EQ(program(sizes, "out = x * x\nout[out > 1] = 1\ndx = 2 * x * dout * (x * x < 1)\ndx = 2 * x * dout\n"),
              "4 right, 5 wrong");
    EXPECT_EQ(program(sizes, "out = x * x\ny = out.T\nout[out > 1] = 1\ndx = 2 * x * dout\n").find("right"), std::string::npos)
        << "y is changed with it";
}

/// dh is that of h before, and of what relu is taken of behind.
TEST(NumPyPrograms, AGradientThatGoesOnToTheValueBefore) {
    const std::string sizes = "dims N D H C; input X [N, D], W1 [D, H], W2 [H, C]";
    const std::string relu = "h = np.maximum(0, X @ W1)\nout = h @ W2\ndh = dout @ W2.T\n";
    for (const char* line : {"dh[h <= 0] = 0\n", "dh = dh * (h > 0)\n", "dh *= h > 0\n"}) {
        EXPECT_EQ(program(sizes, relu + line + "dW1 = X.T @ dh\ndX = dh @ W1.T\ndX = dh @ W1\n"),
                  "4 right, 5 right, 6 right, 7 right, 8 wrong")
            << line;
        EXPECT_EQ(program(sizes, "h = np.maximum(0, X @ W1)\nout = h @ W2\ndh = dout @ W2\n" + std::string(line)),
                  "4 wrong, 5 right")
            << line;
    }
    EXPECT_EQ(program(sizes, relu + "dh[h > 0] = 0\n"), "4 right, 5 wrong");
    EXPECT_EQ(
        program(sizes, "h = X @ W1\nh = np.tanh(h)\nout = h @ W2\ndh = dout @ W2.T\ndh = dh * (1 - h**2)\ndW1 = X.T @ dh\n"),
        "5 right, 6 right, 7 right");
    EXPECT_EQ(program(sizes, "h = X @ W1\nh = np.tanh(h)\nout = h @ W2\ndh = dout @ W2.T\ndh = dh * (1 - h)\ndW1 = X.T @ dh\n"),
              "5 right, 6 wrong, 7 right");
    // Where h has had another value, dh goes back to that.
    const std::string twice = "dims n m; input x [n, m], W [m, m]; const k [n, m]",
                      dropout = "h = x @ W\nh = h * k\nL = (h**2).sum()\n";
    EXPECT_EQ(program(twice, dropout + "dh = 2 * h\ndh = dh * k\ndW = x.T @ dh\n"), "5 right, 6 right, 7 right");
    EXPECT_EQ(program(twice, dropout + "dh = 2 * h\ndh = dh * h\ndW = x @ dh\n"), "5 right, 6 wrong, 7 wrong");
    EXPECT_EQ(program(twice, dropout + "dh = h.copy()\ndh *= 2\ndh = dh * k\n"), "6 right, 7 right");
    EXPECT_EQ(
        program(twice, "h = x @ W\nh = h + x\nL = (h**2).sum()\ndh = h.copy()\ndh += h\ndW = x.T @ dh\ndx = dh @ W.T + dh\n"),
        "6 right, 7 right, 8 right");
}

TEST(NumPyPrograms, ValuesAreComputedAnew) {
    const std::string sizes = "dims n m; input s [n, m]", p = "p = np.exp(s - s.max(-1, keepdims=True))\n";
    const std::string right = "ds = p * (dp - (dp * p).sum(-1, keepdims=True))\n", wrong = "ds = p * dp\n";
    EXPECT_EQ(program(sizes, p + "p /= p.sum(-1, keepdims=True)\n" + right + wrong), "4 right, 5 wrong");
    EXPECT_EQ(program(sizes, p + "p = p / p.sum(-1, keepdims=True)\n" + right + wrong), "4 right, 5 wrong");
    EXPECT_EQ(program(sizes, p + "q = p\np /= p.sum(-1, keepdims=True)\n" + right), "5 right");
    EXPECT_EQ(program(sizes, p + "q = p\np /= p.sum(-1, keepdims=True)\nds = q * (dp - (dp * p).sum(-1, keepdims=True))\n"),
              "5 not read");
    const std::string loss = "loss = (s**2).sum()\nloss /= n\nloss += 0.5 * s.sum()\n";
    EXPECT_EQ(program(sizes, loss + "ds = 2 * s / n + 0.5\nds = 2 * s + 0.5\nds = 2 * s / n\n"), "5 right, 6 wrong, 7 wrong");
    EXPECT_EQ(program(sizes, "y = s.detach() * s\ny = y.detach() * s\ny = y.detach() * y\ndy = dy\nds = y * 2\n").find("right"),
              std::string::npos);
    // The array that dx is another name of is changed with it.
    EXPECT_EQ(program(sizes, "y = s * s\nt = dy\nds = t\nds *= 2 * s\nds = 2 * s * dy\n"), "5 right, 6 not read");
    EXPECT_EQ(program(sizes, "y = s * s\nz = y[:, None]\ny *= 2\nL = z.sum()\nds = 2 * s\n").find("right"), std::string::npos);
    EXPECT_EQ(program(sizes, "y = s.copy()\ny *= 2\nds = 2 * dy\n"), "4 right");
    EXPECT_EQ(program(sizes, "z = s * s\ny = z + s\ndz = dy\ndz *= 2\nds = dy + 2 * s * dz\n").find("6 right"),
              std::string::npos);
}

TEST(NumPyPrograms, EntriesAtPlaces) {
    const std::string sizes = "dims n c; input Z [n, c]; const t [n] ~ index(c)";
    const std::string forward = "P = softmax(Z, axis=1)\nloss = -np.log(P[np.arange(n), t]).mean()\ndZ = P.copy()\n";
    EXPECT_EQ(program(sizes, forward + "dZ[np.arange(n), t] -= 1\ndZ /= n\n"), "6 right");
    EXPECT_EQ(program(sizes, forward + "dZ[range(n), t] -= 1\n"), "5 wrong");
    EXPECT_EQ(program(sizes, forward + "dZ[np.arange(n), t] += 1\ndZ /= n\n"), "6 wrong");
    EXPECT_EQ(program(sizes, forward + "dZ[:, t] -= 1\ndZ /= n\n").find("right"), std::string::npos);
    const std::string rows = "dims V D N; input E [V, D]; const idx [N] ~ index(V)";
    EXPECT_EQ(program(rows, "X = E[idx]\ndE = np.eye(V)[idx].T @ dX\ndE = dX\n"), "3 right, 4 wrong");
    EXPECT_EQ(program(rows, "X = E[idx]\ndE = np.zeros_like(E)\nnp.add.at(dE, idx, dX)\n"), "4 right");
    EXPECT_EQ(program(rows, "X = E[idx]\ndE = np.zeros_like(E)\ndE[idx] += dX\n").find("right"), std::string::npos)
        << "of two rows at one place, one is lost";
}

TEST(NumPyPrograms, WhatIsComputedAgainInTheBackward) {
    EXPECT_EQ(program("dims n; input x [n]",
                      "def forward(x):\n    y = np.log(1 + np.exp(x))\n    return y\ndef backward(x, dy):\n"
                      "    t = np.exp(x)\n    dx = dy * t / (1 + t)\n    dx = dy / (1 + t)\n"),
              "7 right, 8 wrong");
    EXPECT_EQ(program("dims n d; input x [n, d], w [d]",
                      "z = x @ w\nloss = (z**2).sum()\ndL_dz = 2 * z\ndLdw = x.T @ dL_dz\n"
                      "dL_dw = x.T @ z\nd_x = np.outer(dL_dz, w)\n"),
              "4 right, 5 right, 6 wrong, 7 right");
}

TEST(NumPyPrograms, LaterLinesThatAreNotReadLeaveEarlierOnes) {
    const std::string sizes = "dims n m k; input x [n, m], W [m, k]", lines = "y = x @ W\ndW = x.T @ dy\n";
    EXPECT_EQ(program(sizes, lines + "dW.shape\n"), "3 right");
    EXPECT_EQ(program(sizes, lines + "dW = mystery(x)\n"), "3 right, 4 not read");
    EXPECT_EQ(program(sizes, lines + "dW = dW + mystery(x)\n"), "3 not read, 4 not read");
    EXPECT_EQ(program(sizes, lines + "mystery(dW)\n"), "3 not read, 4 not read");
    EXPECT_EQ(program(sizes, lines + "for i in [1, 2]:\n    dW += 1\n"), "3 not read, 4 not read");
    EXPECT_EQ(program(sizes, "y = 3 * x\ng = dy\ng @= W\ndx = 3 * dy\n").find("right"), std::string::npos);
}

TEST(NumPyPrograms, FurtherWords) {
    const std::string sizes = "dims n m; input X [n, m]";
    EXPECT_EQ(program(sizes, "y = X.max(axis=1, keepdims=True)\ndX = dy * (X == y)\ndX = dy * (X != y)\n"), "3 right, 4 wrong");
    EXPECT_EQ(
        program(sizes, "v = np.var(X, axis=0)\ndX = 2 * dv * (X - X.mean(0)) / n\ndX = 2 * dv * (X - X.mean(0)) / (n - 1)\n"),
        "3 right, 4 wrong");
    EXPECT_EQ(program(sizes,
                      "v = torch.var(X, dim=0)\ndX = 2 * dv * (X - X.mean(0)) / n\ndX = 2 * dv * (X - X.mean(0)) / (n - "
                      "1)\n"),
              "3 wrong, 4 right");
    EXPECT_EQ(program(sizes, "s = np.std(X, axis=0)\ndX = ds * (X - X.mean(0)) / (n * s)\n"), "3 right");
    EXPECT_EQ(program(sizes,
                      "Y = np.tril(np.ones((n, n))) @ X\ndX = np.triu(np.ones((n, n))) @ dY\ndX = np.tril(np.ones((n, n))) "
                      "@ dY\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(program(sizes, "Y = np.tril(X, -1)\ndX = np.tril(dY, k=-1)\ndX = np.tril(dY)\n"), "3 right, 4 wrong");
    EXPECT_EQ(program(sizes, "Y = X[::-1]\ndX = dY[::-1]\ndX = dY[:, ::-1]\n"), "3 right, 4 wrong");
    EXPECT_EQ(program(sizes, "Y = X[:, 1:] - X[:, :-1]\nL = (Y**2).sum()\ndY = 2 * (X[:, 1:] - X[:, :-1])\n"), "4 right");
    EXPECT_EQ(program(sizes,
                      "Y = np.where((X > -1) & (X < 1), X, 0)\ndX = dY * ((X > -1) & (X < 1))\ndX = dY * ((X > -1) | (X < "
                      "1))\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(program(sizes, "Y = F.leaky_relu(X, 0.2)\ndX = dY * np.where(X > 0, 1, 0.2)\ndX = dY * np.where(X > 0, 1, 0.01)\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(program(sizes, "Y = np.subtract(X, 1) * (n // 2)\ndX = dY * np.floor(n / 2)\n"), "3 right");
}

TEST(NumPyPrograms, ContractionsOfManyAxes) {
    const std::string batched =
        "S = np.einsum('bhid,bhjd->bhij', Q, K) / np.sqrt(d)\nP = softmax(S, axis=-1)\n"
        "O = np.einsum('bhij,bhjd->bhid', P, V)\n";
    EXPECT_EQ(program("dims b h n m d; input Q [b, h, n, d], K [b, h, m, d], V [b, h, m, d]",
                      batched + "dV = np.einsum('bhij,bhid->bhjd', P, dO)\ndV = np.einsum('bhij,bhjd->bhid', P, dO)\n"
                                "dP = np.einsum('bhid,bhjd->bhij', dO, V)\n"),
              "5 right, 6 wrong, 7 right");
    EXPECT_EQ(program("dims G R n d; input Q [G, R, n, d], K [G, n, d], V [G, n, d]",
                      "S = np.einsum('grid,gjd->grij', Q, K) / np.sqrt(d)\nP = softmax(S, axis=-1)\n"
                      "O = np.einsum('grij,gjd->grid', P, V)\ndV = np.einsum('grij,grid->gjd', P, dO)\n"
                      "dS = P * (np.einsum('grid,gjd->grij', dO, V) - (dO * O).sum(-1, keepdims=True))\n"
                      "dK = np.einsum('grij,grid->gjd', dS, Q) / np.sqrt(d)\ndK = np.einsum('grij,grid->gjd', dS, Q)\n"),
              "5 right, 6 right, 7 right, 8 wrong");
    // Each row of X by each of the matrices.
    EXPECT_EQ(program("dims r b n p; input X [r, n], W [b, n, p]",
                      "Y = np.dot(X, W)\ndW = np.einsum('in,imp->mnp', X, dY)\ndX = np.einsum('imp,mnp->in', dY, W)\n"
                      "dX = np.einsum('imp,mnp->in', dY, W) / b\n"),
              "3 right, 4 right, 5 wrong");
    EXPECT_EQ(program("dims n c; input Z [n, c]; const t [n] ~ index(c)",
                      "loss = F.cross_entropy(Z, t, reduction='sum')\ndZ = torch.softmax(Z, dim=1) - F.one_hot(t, c)\n"
                      "dZ = (torch.softmax(Z, dim=1) - F.one_hot(t, c)) / n\n"),
              "3 right, 4 wrong");
}

TEST(NumPyPrograms, RepairsAreInNumPyWhateverValuesAreCalled) {
    const auto repairs = [](const std::string& text) {
        std::string out;
        for (const LineReport& l : lines_of(text, {}, "a.py")) out += l.diagnosis ? l.diagnosis->repair + "; " : "";
        return out;
    };
    EXPECT_EQ(repairs("# gradproof: dims n m; input x [n, m]\nvar = (x**2).mean(-1, keepdims=True)\ny = x * var\n"
                      "dvar = (dy * x).mean(-1, keepdims=True)\n"),
              "m * np.mean(dy * x, axis=-1, keepdims=True); ");
    EXPECT_EQ(repairs("# gradproof: dims n d h; input X [n, d], W [d, h]\nz = np.maximum(0, X @ W)\ny = z * z\ndz = 2 * z * dy\n"
                      "dz[z <= 0] = 0\ndW = X @ dz\n"),
              "X.T @ dz; ");
}

TEST(NumPyPrograms, RolledRoundedAndLogarithmsToOtherBases) {
    EXPECT_EQ(program("dims n; input x [n]", "y = x * np.roll(x, 1)\ndx = dy * np.roll(x, 1) + np.roll(dy * x, -1)\n"),
              "3 right");
    EXPECT_EQ(program("dims n; input x [n]", "y = x * np.roll(x, 1)\ndx = dy * np.roll(x, 1) + np.roll(dy * x, 1)\n"), "3 wrong");
    EXPECT_EQ(program("dims n d; input X [n, d]",
                      "Y = X**2 * np.roll(X, 2, axis=1)\n"
                      "dX = 2 * X * np.roll(X, 2, axis=1) * dY + np.roll(dY * X**2, -2, axis=1)\n"),
              "3 right");
    EXPECT_EQ(program("dims n d; input X [n, d]", "Y = X * np.roll(X, 1)\n"), "2 not read");
    const std::string quantized = "q = np.round(x / s)\ny = q * s\n";
    EXPECT_EQ(program("dims n; input x [n]; input s [] ~ positive", quantized + "ds = (dy * q).sum()\n"), "4 right");
    EXPECT_EQ(program("dims n; input x [n]; input s [] ~ positive", quantized + "ds = (dy * (q - x / s)).sum()\n"), "4 wrong");
    const std::string log2 = "y = np.log2(x)\ndx = dy / ";
    EXPECT_EQ(program("dims n; input x [n] ~ positive", log2 + "(x * np.log(2))\n"), "3 right");
    EXPECT_EQ(program("dims n; input x [n] ~ positive", log2 + "x\n"), "3 wrong");
}

/// mean = x.mean() hides no further x.mean(), nor np.mean(x); max = np.max(x) neither.
TEST(NumPyPrograms, ValuesAreCalledAsFunctionsAre) {
    const std::string text =
        "# gradproof: dims n d; input x [n, d]\nmean = x.mean(axis=1, keepdims=True)\nmax = np.max(np.abs(x))\n"
        "var = ((x - mean) ** 2).mean(axis=1, keepdims=True)\ny = (x - mean) / np.sqrt(var + 1e-5)\nz = y / np.mean(var)\n"
        "dy = dz / np.mean(var)\ndy = dz / np.mean(mean)\n";
    EXPECT_EQ(verdicts(text, {}, "a.py"), "right, wrong");
    const Proof p = read_proofs("a.py", text).at(0);
    const std::string plain = written(p, Notation::notation);
    EXPECT_NE(plain.find("  mean1 = mean(x, axis=1, keep=true)\n"), std::string::npos) << plain;
    EXPECT_NE(plain.find("  var1 = mean((x - mean1)^2, axis=1, keep=true)\n"), std::string::npos) << plain;
    EXPECT_EQ(verdicts(plain), "right, wrong") << plain;
    EXPECT_EQ(verdicts(written(p, Notation::latex), {}, "a.tex"), "right, wrong");
}

TEST(NumPyPrograms, LogicalFunctionsOfConditions) {
    const std::string given =
        "# gradproof: dims n d; input x [n, d], w [n, d]\nimport torch.nn.functional as F\n"
        "inside = np.logical_and(x > -1, x < 1)\ny = np.where(inside, x, 0.0)\nu = F.normalize(w, dim=-1)\nout = y * u\n";
    EXPECT_EQ(verdicts_by_line("a.py", given + "du = dout * y\ndx = dout * u * inside\n"
                                               "dx = dout * u * np.logical_not(np.logical_or(x <= -1, x >= 1))\n"
                                               "dx = dout * u * np.logical_or(x > -1, x < 1)\n"),
              "7 right, 8 right, 9 right, 10 wrong");
    EXPECT_EQ(
        verdicts_by_line("a.py", given + "du = dout * y\ns = np.sqrt((w ** 2).sum(-1, keepdims=True))\nm = np.maximum(s, 1e-12)\n"
                                         "dw = (du - u * (u * du).sum(-1, keepdims=True) * (s > 1e-12)) / m\n"
                                         "dw = (du - u * (w * du).sum(-1, keepdims=True) * (s > 1e-12)) / m\n"),
        "7 right, 10 right, 11 wrong");
    EXPECT_EQ(refused_as("# gradproof: dims n; input x [n]\ny = np.logical_and(x, x > 0)\n", "a.py"),
              "logical_and is read of conditions only: x > 0");
}

/// The largest score that a masked softmax takes away changes nothing of its own accord.
TEST(NumPyPrograms, ACausalMaskThatIsLargeAndTheLargestTakenAway) {
    EXPECT_TRUE(
        all_right("# gradproof: dims n d; input Q [n, d], K [n, d], V [n, d]\nimport numpy as np\ndef forward(Q, K, V):\n"
                  "    n, d = Q.shape\n    mask = np.tril(np.ones((n, n)))\n    S = Q @ K.T / np.sqrt(d)\n"
                  "    S = np.where(mask == 0, -1e9, S)\n    E = np.exp(S - S.max(1, keepdims=True))\n"
                  "    A = E / E.sum(1, keepdims=True)\n    O = A @ V\n    return O, (Q, K, V, A)\ndef backward(dO, cache):\n"
                  "    Q, K, V, A = cache\n    n, d = Q.shape\n    dV = A.T @ dO\n    dA = dO @ V.T\n"
                  "    dZ = A * (dA - (dA * A).sum(1, keepdims=True))\n    dQ = dZ @ K / np.sqrt(d)\n"
                  "    dK = dZ.T @ Q / np.sqrt(d)\n    return dQ, dK, dV\n"));
}

}  // namespace
}  // namespace gradproof::proof
