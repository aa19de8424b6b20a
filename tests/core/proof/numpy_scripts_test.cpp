// Scripts as they are written for courses: losses with their gradients in one function, names that each function has for itself,
// branches of training.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string scripted(const std::string& declared, const std::string& lines) {
    return verdicts_by_line("a.py", "# gradproof: " + declared + "\n" + lines);
}

TEST(NumPyScripts, AGradientMayBeginAtZeroBeforeTheForward) {
    const std::string sizes = "dims N D C; input W [D, C]; const X [N, D], y [N] ~ index(C), reg []";
    const auto naive = [](const std::string& change, const std::string& mean) {
        return "loss = 0.0\ndW = np.zeros_like(W)\nfor i in range(N):\n    scores = X[i].dot(W)\n    scores -= np.max(scores)\n"
               "    p = np.exp(scores) / np.sum(np.exp(scores))\n    loss += -np.log(p[y[i]])\n    p[y[i]] " +
               change + " 1\n    dW += np.outer(X[i], p)\nloss /= N\n" + mean +
               "loss += reg * np.sum(W * W)\ndW += 2 * reg * W\n";
    };
    EXPECT_EQ(scripted(sizes, naive("-=", "dW /= N\n")), "14 right");
    EXPECT_EQ(scripted(sizes, naive("-=", "")), "13 wrong");
    EXPECT_EQ(scripted(sizes, naive("+=", "dW /= N\n")), "14 wrong");
    const auto margins = [](const std::string& sums) {
        return "dW = np.zeros(W.shape)\nscores = X.dot(W)\ncorrect = scores[np.arange(N), y].reshape(-1, 1)\n"
               "margins = np.maximum(0, scores - correct + 1)\nmargins[np.arange(N), y] = 0\nloss = np.sum(margins) / N\n"
               "binary = (margins > 0).astype(float)\nbinary[np.arange(N), y] = " +
               sums + "\ndW = X.T.dot(binary) / N\n";
    };
    EXPECT_EQ(scripted(sizes, margins("-binary.sum(axis=1)")), "10 right");
    EXPECT_EQ(scripted(sizes, margins("binary.sum(axis=1)")), "10 wrong");
    EXPECT_EQ(scripted(sizes, "dW = np.zeros(W.shape)\nloss = (X @ W).sum()\n"), "2 not read, 3 not read")
        << "nothing is added to it";
}

TEST(NumPyScripts, AFunctionHasNamesOfItsOwn) {
    const auto norm = [](const std::string& again) {
        return "def forward(x, w):\n    mean = x.mean(-1, keepdims=True)\n    d = x - mean\n"
               "    rstd = (d ** 2).mean(-1, keepdims=True) ** -0.5\n    norm = d * rstd\n    out = norm * w\n"
               "    return out, (x, w, mean, rstd)\ndef backward(dout, cache):\n    x, w, mean, rstd = cache\n    norm = " +
               again + "\n    dw = (dout * norm).sum(axis=0)\n    dnorm = dout * w\n";
    };
    const std::string sizes = "dims n m; input x [n, m], w [m]";
    EXPECT_EQ(scripted(sizes, norm("(x - mean) * rstd")), "12 right, 13 right");
    EXPECT_EQ(scripted(sizes, norm("(x - mean) / rstd")), "11 not read, 12 not read, 13 not read") << "of which norm is dnorm?";
    const auto square = [](const std::string& again) {
        return "def forward(x):\n    h = x * x\n    y = 3 * h\n    return y\ndef backward(dy, x):\n    h = " + again +
               "\n    dx = dy * h\n";
    };
    EXPECT_EQ(scripted("dims n; input x [n]", square("6 * x")), "8 right");
    EXPECT_EQ(scripted("dims n; input x [n]", square("x * x")), "8 wrong");
}

TEST(NumPyScripts, GradientsOfWhatACacheCallsOtherwise) {
    const auto norm = [](const std::string& slope) {
        return "def forward(x):\n    sample_mean = x.mean(axis=0)\n    out = x - sample_mean\n    cache = (x, sample_mean)\n"
               "    return out, cache\ndef backward(dout, cache):\n    x, mean = cache\n    dmean = " +
               slope + "\n    dx = dout + dmean / len(x)\n";
    };
    EXPECT_EQ(scripted("dims n m; input x [n, m]", norm("-dout.sum(axis=0)")), "9 right, 10 right");
    EXPECT_EQ(scripted("dims n m; input x [n, m]", norm("dout.sum(axis=0)")), "9 wrong, 10 right");
}

TEST(NumPyScripts, TheBranchOfTrainingIsRead) {
    const auto layer = [](const std::string& slope) {
        return "def forward(x, g, mode):\n    if mode == 'train':\n        out = g * x\n    elif mode == 'test':\n        out = "
               "x\n"
               "    else:\n        raise ValueError(mode)\n    running = 0.9 * running + x.mean()\n    return out, x\n"
               "def backward(dout, cache, mode):\n    if mode == 'train':\n        dg = " +
               slope + "\n    else:\n        dg = 0\n    dx = dout * g\n";
    };
    EXPECT_EQ(scripted("dims n; input x, g [n]", layer("dout * x")), "9 not read, 13 right, 16 right");
    EXPECT_EQ(scripted("dims n; input x, g [n]", layer("dout * g")), "9 not read, 13 wrong, 16 right");
    EXPECT_EQ(scripted("dims n; input x, g [n]", "y = g * x\nif not training:\n    y = x\ndx = dy * g\n").find("right"),
              std::string::npos);
}

TEST(NumPyScripts, WordsOfLosses) {
    const std::string sizes = "dims n c; input s [n, c]; const y [n] ~ index(c)";
    const std::string forward = "p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)\n";
    EXPECT_EQ(scripted(sizes, forward + "t = np.full((n, c), 0.1 / c)\nt[np.arange(n), y] += 0.9\nloss = -(t * np.log(p)).sum()\n"
                                        "ds = p - t\nds = p - 0.9 * t\n"),
              "6 right, 7 wrong");
    EXPECT_EQ(scripted("dims n; input s [n, n]", forward + "labels = np.arange(n)\nloss = -np.mean(np.log(p[labels, labels]))\n"
                                                           "ds = (p - np.eye(n)) / n\nds = (p - 1) / n\n"),
              "5 right, 6 wrong");
    EXPECT_EQ(scripted(sizes,
                       "m = s.max(1, keepdims=True)\nz = s - m\nds = dz - F.one_hot(s.max(1).indices, num_classes=c) * "
                       "dz.sum(1, keepdims=True)\nds = dz\n"),
              "4 right, 5 wrong");
}

/// dZ of the sum over the examples, and dW of their mean.
TEST(NumPyScripts, AFactorThatLaterLinesMakeUpFor) {
    const auto network = [](const std::string& mean) {
        return "Z1 = W1 @ X\nA1 = np.tanh(Z1)\nZ2 = W2 @ A1\nA2 = sigmoid(Z2)\n"
               "cost = -np.sum(Y * np.log(A2) + (1 - Y) * np.log(1 - A2)) / m\ndZ2 = A2 - Y\ndW2 = " +
               mean + "dZ2 @ A1.T\ndZ1 = (W2.T @ dZ2) * (1 - A1 ** 2)\ndW1 = " + mean + "dZ1 @ X.T\n";
    };
    const std::string sizes = "dims n h c m; input X [n, m], W1 [h, n], W2 [c, h]; const Y [c, m] ~ binary";
    EXPECT_EQ(scripted(sizes, network("1 / m * ")), "7 wrong, 8 right, 9 right, 10 right");
    EXPECT_EQ(scripted(sizes, network("1 / n * ")), "7 wrong, 8 wrong, 9 right, 10 wrong");
    EXPECT_EQ(scripted(sizes, network("")), "7 wrong, 8 right, 9 right, 10 right") << "each by the true gradient above it";
}

TEST(NumPyScripts, ABackwardMayStateTheLossAndStepAnOptimiser) {
    const auto net = [](const std::string& slope) {
        return "class Net:\n    def forward(self, X):\n        self.X = X\n        self.out = X @ self.W\n        return "
               "self.out\n"
               "    def backward(self, y):\n        loss = np.mean((self.out - y) ** 2)\n        dout = " +
               slope +
               " * (self.out - y) / n\n        dW = self.X.T @ dout\n        self.m = 0.9 * self.m + 0.1 * dW\n"
               "        self.W -= self.lr * self.m\n        return loss\n";
    };
    const std::string sizes = "dims n d; input X [n, d], W [d]; const y [n]";
    EXPECT_EQ(scripted(sizes, net("2")), "9 right, 10 right");
    EXPECT_EQ(scripted(sizes, net("1")), "9 wrong, 10 right");
}

TEST(NumPyScripts, ARegressionWithNoiseWithoutAComment) {
    const auto regression = [](const std::string& mean) {
        return "rng = np.random.default_rng(0)\nn, d = 64, 3\nX = rng.normal(size=(n, d))\nw0 = np.array([1.0, -2.0, 0.5])\n"
               "y = X @ w0 + 0.1 * rng.normal(size=n)\nw = np.zeros(d)\nb = 0.0\nfor epoch in range(100):\n    e = X @ w + b - "
               "y\n"
               "    loss = np.mean(e ** 2)\n    dw = 2 / n * X.T @ e\n    db = 2 * " +
               mean + "\n    w -= lr * dw\n    b -= lr * db\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", regression("np.mean(e)")), "11 right, 12 right");
    EXPECT_EQ(verdicts_by_line("a.py", regression("np.sum(e)")), "11 right, 12 wrong");
}

TEST(NumPyScripts, AxesOfFourAreExchanged) {
    const auto heads = [](const std::string& back) {
        return "q = (x @ W).view(B, T, H, D).transpose(1, 2)\ny = (q * q).transpose(1, 2).contiguous().view(B, T, H * D)\n"
               "dq = 2 * q * dy." +
               back + "\n";
    };
    const std::string sizes = "dims B=2 T=3 H=2 D=2; input x [B, T, H*D], W [H*D, H*D]";
    EXPECT_EQ(scripted(sizes, heads("view(B, T, H, D).transpose(1, 2)")), "4 right");
    EXPECT_EQ(scripted(sizes, heads("view(B, H, T, D)")), "4 wrong");
}

}  // namespace
}  // namespace gradproof::proof
