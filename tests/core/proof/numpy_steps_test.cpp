// One step of a network, whose results each have a gradient from outside, and networks of characters.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// The verdicts of a program, without why.
std::string judged_steps(const std::string& declared, const std::string& lines) {
    CheckOptions options;
    options.diagnose = options.mutation = options.prove = false;
    options.draws = 2;
    return verdicts("# gradproof: " + declared + "\n" + lines, options, "a.py");
}

TEST(NumPySteps, GradientsOfTwoResultsComeInFromOutside) {
    const auto step = [](const std::string& cell, const std::string& back) {
        return "def step_forward(x, prev_c, W):\n    a = x @ W\n    f, o = np.split(sigmoid(a), 2, axis=1)\n"
               "    next_c = f * prev_c\n    next_h = o * np.tanh(next_c)\n    return next_h, next_c, (x, W, f, o, next_c, "
               "prev_c)\n"
               "def step_backward(dnext_h, dnext_c, cache):\n    x, W, f, o, next_c, prev_c = cache\n    do = dnext_h * "
               "np.tanh(next_c)\n    " +
               cell + "dnext_h * o * (1 - np.tanh(next_c) ** 2)\n    dprev_c = " + back + " * f\n    df = " + back +
               " * prev_c\n    da = np.hstack((df * f * (1 - f), do * o * (1 - o)))\n    dW = x.T @ da\n";
    };
    const std::string sizes = "dims N D H; input x [N, D], prev_c [N, H], W [D, 2*H]";
    EXPECT_EQ(judged_steps(sizes, step("dnext_c = dnext_c + ", "dnext_c")), "right, right, right, right, right, right");
    EXPECT_EQ(judged_steps(sizes, step("dnext_c += ", "dnext_c")), "right, right, right, right, right, right");
    EXPECT_EQ(judged_steps(sizes, step("dc = dnext_c + ", "dc")), "right, right, right, right, right");
    EXPECT_EQ(judged_steps(sizes, step("dc = dnext_c + ", "dnext_c")), "right, not read, wrong, wrong, right, right")
        << "the way through next_h is left out";
    EXPECT_EQ(judged_steps(sizes, step("dnext_c = ", "dnext_c")), "right, wrong, right, right, right, right");
    EXPECT_EQ(judged_steps(sizes, step("dnext_c = 2 * dnext_c + ", "dnext_c")), "right, wrong, right, right, right, right");
}

TEST(NumPySteps, ANetworkOfCharacters) {
    const auto network = [](const std::string& target, const std::string& before) {
        return "def lossFun(inputs, targets, hprev):\n    xs, hs, ps = {}, {}, {}\n    hs[-1] = np.copy(hprev)\n    loss = 0\n"
               "    for t in range(len(inputs)):\n        xs[t] = np.zeros((V, 1))\n        xs[t][inputs[t]] = 1\n"
               "        hs[t] = np.tanh(np.dot(Wxh, xs[t]) + np.dot(Whh, hs[t-1]))\n"
               "        ps[t] = np.exp(hs[t]) / np.sum(np.exp(hs[t]))\n        loss += -np.log(ps[t][targets[t], 0])\n"
               "    dWxh, dWhh = np.zeros_like(Wxh), np.zeros_like(Whh)\n    dhnext = np.zeros_like(hs[0])\n"
               "    for t in reversed(range(len(inputs))):\n        dy = np.copy(ps[t])\n        dy[" +
               target +
               "] -= 1\n        dhraw = (1 - hs[t] * hs[t]) * (dy + dhnext)\n        dWxh += np.dot(dhraw, xs[t].T)\n"
               "        dWhh += np.dot(dhraw, " +
               before +
               ".T)\n        dhnext = np.dot(Whh.T, dhraw)\n    for dparam in [dWxh, dWhh]:\n"
               "        np.clip(dparam, -5, 5, out=dparam)\n    return loss, dWxh, dWhh\n";
    };
    const std::string sizes =
        "dims V=2 T=3; input Wxh [V, V], Whh [V, V], hprev [V, 1]; const inputs [T] ~ index(V), targets [T] ~ index(V)";
    EXPECT_EQ(judged_steps(sizes, network("targets[t]", "hs[t-1]")), "right, right");
    EXPECT_EQ(judged_steps(sizes, network("targets[t]", "hs[t]")), "right, wrong");
    EXPECT_EQ(judged_steps(sizes, network("inputs[t]", "hs[t-1]")), "wrong, wrong");
}

TEST(NumPySteps, EntriesAtOnePlaceOfEachStep) {
    const std::string sizes = "dims n c; input s [n, c]; const y [n] ~ index(c)";
    const auto loss = [](const std::string& change) {
        return "p = softmax(s)\nloss = 0\nfor i in range(n):\n    loss -= np.log(p[i, y[i]])\nds = p.copy()\n"
               "for i in range(n):\n    " +
               change + "\n";
    };
    EXPECT_EQ(judged_steps(sizes, loss("ds[i, y[i]] -= 1")), "right");
    EXPECT_EQ(judged_steps(sizes, loss("ds[i, y[i]] -= 2")), "wrong");
    EXPECT_EQ(judged_steps(sizes, loss("ds[y[i], i] -= 1")), "not read, not read");
}

/// In Python x[t - 1] at step 0 is the last entry.
TEST(NumPySteps, TheEntryBeforeTheFirstIsTheLast) {
    const auto pairs = [](const std::string& from, const std::string& slope) {
        return "loss = 0\nfor t in range(" + from + "T):\n    loss += x[t] * x[t - 1]\ndx = " + slope + "\n";
    };
    const std::string round = "np.roll(x, 1) + np.roll(x, -1)";
    EXPECT_EQ(judged_steps("dims T; input x [T]", pairs("", round)), "right");
    EXPECT_EQ(judged_steps("dims T; input x [T]", pairs("1, ", round)), "wrong");
    const auto further = [](const std::string& back) {
        return "y = np.zeros((T, n))\nfor t in range(T):\n    y[t] = x[t] * x[t - 2] if t > 1 else x[t]\n"
               "z = np.zeros((T, n))\nfor t in range(T):\n    z[t] = y[t - 2]\ndy = np.roll(dz, " +
               back + ", axis=0)\n";
    };
    EXPECT_EQ(judged_steps("dims T=4 n; input x [T, n]", further("-2")), "right");
    EXPECT_EQ(judged_steps("dims T=5 n; input x [T, n]", further("2")), "wrong");
    const auto recurrent = [](const std::string& first) {
        return "h = np.zeros(T)\nfor t in range(T):\n    h[t] = np.tanh(x[t] + w * h[t - 1])\nloss = np.sum(h)\ndh = "
               "np.zeros(T)\n"
               "for t in reversed(range(T)):\n    dh[t] = 1 + (dh[t + 1] * (1 - h[t + 1] ** 2) * w if t < T - 1 else 0)\ndw = 0\n"
               "for t in range(" +
               first + "T):\n    dw += dh[t] * (1 - h[t] ** 2) * h[t - 1]\n";
    };
    EXPECT_EQ(judged_steps("dims T; input x [T], w []", recurrent("1, ")), "right, right");
    EXPECT_EQ(judged_steps("dims T; input x [T], w []", recurrent("")), "right, wrong") << "h[-1] is the last state by then";
}

/// Such a loop fills rows, and is no update of parameters.
TEST(NumPySteps, RowsThatAFunctionFillsAreRead) {
    const auto squares = [](const std::string& slope) {
        return "def forward(x):\n    y = np.zeros(T)\n    for t in range(T):\n        y[t] = x[t] ** 2\n    return y\n"
               "def backward(dy, x):\n    dx = np.zeros(T)\n    for t in range(T):\n        dx[t] = " +
               slope + " * dy[t]\n    return dx\n";
    };
    EXPECT_EQ(judged_steps("dims T; input x [T]", squares("2 * x[t]")), "right");
    EXPECT_EQ(judged_steps("dims T; input x [T]", squares("x[t]")), "wrong");
}

/// What a step function returns several of is read where a loop calls it, and a list keeps what each step gives to the way back.
TEST(NumPySteps, AStepFunctionIsReadWhereALoopCallsIt) {
    const auto network = [](const std::string& slope, const std::string& weights, const std::string& carried) {
        return "def step_forward(x, prev_h, Wx, Wh):\n    next_h = np.tanh(x @ Wx + prev_h @ Wh)\n"
               "    return next_h, (x, prev_h, next_h)\n"
               "def step_backward(dnext_h, cache, Wx, Wh):\n    x, prev_h, next_h = cache\n    dz = dnext_h * " +
               slope + "\n    return dz @ Wx.T, dz @ Wh.T, x.T @ dz, " + weights +
               ".T @ dz\n"
               "def forward(x, h0, Wx, Wh):\n    h = np.zeros((N, T, H))\n    caches = []\n    prev_h = h0\n"
               "    for t in range(T):\n        prev_h, cache = step_forward(x[:, t], prev_h, Wx, Wh)\n"
               "        h[:, t] = prev_h\n        caches.append(cache)\n    return h, caches\n"
               "def backward(dh, caches, Wx, Wh):\n    dx = np.zeros_like(x)\n    dprev_h = np.zeros((N, H))\n"
               "    dWx, dWh = np.zeros_like(Wx), np.zeros_like(Wh)\n    for t in reversed(range(T)):\n"
               "        dx[:, t], dprev_h, dWx_t, dWh_t = step_backward(dh[:, t] + " +
               carried + ", caches[t], Wx, Wh)\n        dWx += dWx_t\n        dWh += dWh_t\n    dh0 = dprev_h\n";
    };
    const std::string sizes = "dims N=2 T=3 D=2 H=2; input x [N, T, D], h0 [N, H], Wx [D, H], Wh [H, H]";
    EXPECT_EQ(judged_steps(sizes, network("(1 - next_h ** 2)", "prev_h", "dprev_h")), "right, right, right, right");
    EXPECT_EQ(judged_steps(sizes, network("(1 - next_h)", "prev_h", "dprev_h")), "wrong, wrong, wrong, wrong");
    EXPECT_EQ(judged_steps(sizes, network("(1 - next_h ** 2)", "next_h", "dprev_h")), "right, right, wrong, right");
    EXPECT_EQ(judged_steps(sizes, network("(1 - next_h ** 2)", "prev_h", "2 * dprev_h")), "wrong, wrong, wrong, wrong");
}

TEST(NumPySteps, TheGradientOfTheLastStateIsGivenAndGoesOn) {
    const auto network = [](const std::string& slope) {
        return "def step(x, h, u):\n    n = np.tanh(x + h * u)\n    return n, (h, n)\n"
               "def forward(x, h0, u):\n    h = h0\n    caches = []\n    for t in range(T):\n"
               "        h, cache = step(x[t], h, u)\n        caches.append(cache)\n    return h, caches\n"
               "def backward(dh, caches, u):\n    du = np.zeros_like(u)\n    dx = np.zeros_like(x)\n"
               "    for t in reversed(range(T)):\n        before, n = caches[t]\n        da = dh * " +
               slope + "\n        dx[t] = da\n        du += da * before\n        dh = da * u\n    dh0 = dh\n";
    };
    const std::string sizes = "dims T=3 H=2; input x [T, H], h0, u [H]";
    EXPECT_EQ(judged_steps(sizes, network("(1 - n ** 2)")), "right, right, right");
    EXPECT_EQ(judged_steps(sizes, network("(1 - before ** 2)")), "wrong, wrong, wrong");
}

/// Of a row that a step computes, a part.
TEST(NumPySteps, PartsOfWhatAStepComputes) {
    const auto gates = [](const std::string& slope) {
        return "h = np.zeros((T, H))\nfor t in range(T):\n    a = x[t] @ W\n    h[t] = np.tanh(a[0:H]) * a[H:2*H]\n"
               "loss = h.sum()\ndx = np.zeros_like(x)\nfor t in range(T):\n    a = x[t] @ W\n    g = np.tanh(a[0:H])\n    "
               "da = np.concatenate((a[H:2*H] * " +
               slope + ", g))\n    dx[t] = W @ da\n";
    };
    EXPECT_EQ(judged_steps("dims T=3 D=2 H=2; input x [T, D], W [D, 2*H]", gates("(1 - g ** 2)")), "right");
    EXPECT_EQ(judged_steps("dims T=3 D=2 H=2; input x [T, D], W [D, 2*H]", gates("(1 - g)")), "wrong");
}

/// df is the gradient of what the sigmoid is taken of, which its name does not say: that line is wrong, and what is computed of
/// it, in this step and in others, is the gradient of what it says.
TEST(NumPySteps, GatesWhoseGradientsAreTakenBeforeTheSigmoid) {
    const auto cell = [](const std::string& slope, const std::string& with, const std::string& back) {
        return "h = np.zeros((T, n))\nc = np.zeros((T, n))\nf = np.zeros((T, n))\nfor t in range(T):\n"
               "    h_prev = h[t-1] if t > 0 else h0\n    c_prev = c[t-1] if t > 0 else c0\n"
               "    f[t] = 1 / (1 + np.exp(-(W @ x[t] + U @ h_prev)))\n    c[t] = f[t] * c_prev + (1 - f[t])\n"
               "    h[t] = np.tanh(c[t])\nloss = 0.5 * np.sum(h ** 2)\ndW = np.zeros_like(W)\ndU = np.zeros_like(U)\n"
               "dh_next = np.zeros(n)\ndc_next = np.zeros(n)\nfor t in reversed(range(T)):\n"
               "    h_prev = h[t-1] if t > 0 else h0\n    c_prev = c[t-1] if t > 0 else c0\n    dh = h[t] + dh_next\n"
               "    dc = dh * (1 - h[t] ** 2) + dc_next\n    df = dc * (c_prev - 1) * " +
               slope + "\n    dW += np.outer(df, x[t])\n    dU += np.outer(df, " + with + ")\n    dh_next = " + back +
               " @ df\n    dc_next = dc * f[t]\n";
    };
    const std::string sizes = "dims T=3 n=2 m=2; input x [T, m], h0 [n], c0 [n], W [n, m], U [n, n]";
    const std::string slope = "f[t] * (1 - f[t])";
    EXPECT_EQ(judged_steps(sizes, cell(slope, "h_prev", "U.T")), "right, right, wrong, right, right");
    const std::vector<LineReport> told = lines_of("# gradproof: " + sizes + "\n" + cell(slope, "h_prev", "U.T"), {}, "a.py");
    ASSERT_TRUE(told.at(2).diagnosis);
    EXPECT_EQ(told.at(2).diagnosis->text, "f[t] ⊙ ((1 - f[t])) is too much: so it is the gradient of what f is a function of");
    EXPECT_EQ(told.at(3).read_as, "right with ∂L/∂f[t] as line 21 computes it");
    EXPECT_EQ(judged_steps(sizes, cell("f[t]", "h_prev", "U.T")), "wrong, right, wrong, wrong, wrong");
    EXPECT_EQ(judged_steps(sizes, cell(slope, "h[t]", "U.T")), "right, right, wrong, right, wrong");
    EXPECT_EQ(judged_steps(sizes, cell(slope, "h_prev", "U")), "wrong, right, wrong, wrong, wrong");
}

TEST(NumPySteps, WhatIsCarriedBackStartsFromTheRowOfTheLastStep) {
    const auto lines = [](const std::string& start, const std::string& state) {
        return verdicts_by_line("a.py",
                                "import numpy as np\n# gradproof: dims T k m; input x [T, m], W [k, m], U [k, k]\n"
                                "h = np.zeros((T + 1, k))\nfor t in range(T):\n"
                                "    h[t + 1] = np.tanh(W @ x[t] + U @ h[t])\nloss = np.sum(h[-1] ** 2) / 2\n"
                                "dU = np.zeros_like(U)\ndh = " +
                                    start +
                                    "\nfor t in range(T - 1, -1, -1):\n    da = dh * (1 - h[t + 1] ** 2)\n"
                                    "    dU += np.outer(da, " +
                                    state + ")\n    dh = U.T @ da\n");
    };
    EXPECT_EQ(lines("h[T]", "h[t]"), "11 right");
    EXPECT_EQ(lines("h[-1]", "h[t]"), "11 right");
    EXPECT_EQ(lines("2 * h[T]", "h[t]"), "11 wrong");
    EXPECT_EQ(lines("h[T]", "h[t + 1]"), "11 wrong");
}

TEST(NumPySteps, NegativeIndicesCountFromTheEnd) {
    const std::string given =
        "import numpy as np\n# gradproof: dims n m; input S [n, m], w [m]\nL = np.sum(S[-1] * w) + np.sum(S[:, -2])\n";
    EXPECT_EQ(verdicts_by_line("a.py", given + "dw = S[-1]\n"), "4 right");
    EXPECT_EQ(verdicts_by_line("a.py", given + "dw = S[0]\n"), "4 wrong");
}

/// The gradient by the scores of a step, in two lines.
TEST(NumPySteps, AStepMayChangeTheGradientItHasComputed) {
    const auto network = [](const std::string& change) {
        return verdicts_by_line(
            "a.py",
            "# gradproof: dims T n m; input X [T, n], W [m, n]; const k [T] ~ index(m)\nloss = 0\ny, p = {}, {}\n"
            "for t in range(T):\n    y[t] = W @ X[t]\n    p[t] = np.exp(y[t]) / np.sum(np.exp(y[t]))\n"
            "    loss += -np.log(p[t][k[t]])\ndW = np.zeros_like(W)\nfor t in range(T):\n"
            "    dy = np.copy(p[t])\n" +
                change + "    dW += np.outer(dy, X[t])\n");
    };
    EXPECT_EQ(network("    dy[k[t]] -= 1\n"), "11 right, 12 right");
    EXPECT_EQ(network("    dy[k[t]] -= 2\n"), "11 wrong, 12 right");
    EXPECT_EQ(network("    dy[k[t]] += 1\n"), "11 wrong, 12 right");
    EXPECT_EQ(network("    dy[k[t]] -= 1\n    dy /= T\n"), "12 wrong, 13 right");
    EXPECT_EQ(network("    dy[k[t]] -= 1\n    dy *= 1\n"), "12 right, 13 right");
}

TEST(NumPySteps, AGradientThatIsScaledAsTheValueWasIsThatOfWhatWasScaled) {
    const auto attention = [](const std::string& forward, const std::string& change, const std::string& dq) {
        return verdicts_by_line("a.py", "# gradproof: dims T d; input q [T, d], k [T, d]; const c []\ns = " + forward +
                                            "\np = np.exp(s)\nloss = np.sum(p ** 2)\ndp = 2 * p\nds = dp * p\n" + change +
                                            "\ndq = " + dq + "\n");
    };
    const std::string by_root = "q @ k.T / np.sqrt(d)";
    EXPECT_EQ(attention(by_root, "ds = ds / np.sqrt(d)", "ds @ k"), "5 right, 6 right, 7 right, 8 right");
    EXPECT_EQ(attention(by_root, "ds /= np.sqrt(d)", "ds @ k"), "5 right, 6 right, 7 right, 8 right");
    EXPECT_EQ(attention("c * (q @ k.T)", "ds *= c", "ds @ k"), "5 right, 6 right, 7 right, 8 right");
    EXPECT_EQ(attention("q @ k.T / np.sqrt(q.shape[1])", "ds /= np.sqrt(k.shape[-1])", "ds @ k"),
              "5 right, 6 right, 7 right, 8 right");
    EXPECT_EQ(attention("q @ k.T / np.sqrt(q.shape[1])", "ds /= np.sqrt(k.shape[0])", "ds @ k"), "5 right, 7 wrong, 8 wrong");
    EXPECT_EQ(attention(by_root, "ds = ds / np.sqrt(d)", "ds @ k / np.sqrt(d)"), "5 right, 6 right, 7 right, 8 wrong");
    EXPECT_EQ(attention(by_root, "ds = ds / np.sqrt(T)", "ds @ k"), "5 right, 7 wrong, 8 wrong");
    EXPECT_EQ(attention("q @ k.T", "ds = ds / np.sqrt(d)", "ds @ k"), "5 right, 7 wrong, 8 right");  // as line 7 computes it
    const auto by_name = [&](const std::string& change) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims T d; input q [T, d], k [T, d]\nscale = 1.0 / np.sqrt(q.shape[1])\n"
                                "s = (q @ k.T) * scale\np = np.exp(s)\nloss = np.sum(p ** 2)\ndp = 2 * p\nds = dp * p\n" +
                                    change + "\ndq = ds @ k\n");
    };
    EXPECT_EQ(by_name("ds *= scale"), "6 right, 7 right, 8 right, 9 right");
    EXPECT_EQ(by_name("ds /= np.sqrt(d)"), "6 right, 7 right, 8 right, 9 right");
    EXPECT_EQ(by_name("ds *= np.sqrt(d)"), "6 right, 8 wrong, 9 wrong");
}

}  // namespace
}  // namespace gradproof::proof
