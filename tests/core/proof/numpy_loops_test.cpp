// Loops of NumPy that carry values from step to step, forwards and back.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kOfANetwork = "# gradproof: dims T D H; input x [T, D], Wx [D, H], Wh [H, H], h0 [H], G [T, H]\n";

/// The way back through a network whose state at step t is `state`, and before it `earlier`.
std::string way_back(const std::string& state, const std::string& earlier, const std::string& carried = "da @ Wh.T") {
    return "dWx, dWh = np.zeros_like(Wx), np.zeros_like(Wh)\ndhnext = np.zeros_like(h0)\nfor t in reversed(range(T)):\n"
           "    dh = G[t] + dhnext\n    da = dh * (1 - " +
           state + " ** 2)\n    dWx += np.outer(x[t], da)\n    dWh += np.outer(" + earlier + ", da)\n    dhnext = " + carried +
           "\ndh0 = dhnext\n";
}

TEST(NumPyLoops, ListsAndArraysWithOneRowMoreThanTheLoopHasSteps) {
    const std::string step = "np.tanh(x[t] @ Wx + h[t] @ Wh)";
    const std::string list = kOfANetwork + "h = [h0]\nfor t in range(T):\n    h.append(" + step +
                             ")\nL = 0\nfor t in range(T):\n    L += np.sum(G[t] * h[t + 1])\n";
    EXPECT_EQ(verdicts_by_line("a.py", list + way_back("h[t + 1]", "h[t]")), "11 right, 13 right, 14 right, 16 right");
    EXPECT_EQ(verdicts_by_line("a.py", list + way_back("h[t + 1]", "h[t + 1]")), "11 right, 13 right, 14 wrong, 16 right");
    EXPECT_EQ(verdicts_by_line("a.py", list + way_back("h[t]", "h[t]")), "11 wrong, 13 wrong, 14 wrong, 16 wrong");
    const std::string array = kOfANetwork + "h = np.zeros((T + 1, H))\nh[0] = h0\nfor t in range(T):\n    h[t + 1] = " + step +
                              "\nL = np.sum(G * h[1:])\n";
    EXPECT_EQ(verdicts_by_line("a.py", array + way_back("h[t + 1]", "h[t]")), "10 right, 12 right, 13 right, 15 right");
    EXPECT_EQ(verdicts_by_line("a.py", array + way_back("h[t + 1]", "h[t]", "da @ Wh")),
              "10 wrong, 12 right, 13 right, 15 wrong");
}

TEST(NumPyLoops, AStateAtMinusOneStandsBeforeTheFirst) {
    const std::string forward = kOfANetwork +
                                "h = {}\nh[-1] = h0\nL = 0.0\nfor t in range(T):\n    h[t] = np.tanh(x[t] @ Wx + h[t - 1] @ Wh)\n"
                                "    L += np.sum(G[t] * h[t])\n";
    EXPECT_EQ(verdicts_by_line("a.py", forward + way_back("h[t]", "h[t - 1]")), "11 right, 13 right, 14 right, 16 right");
    EXPECT_EQ(verdicts_by_line("a.py", forward + way_back("h[t]", "h[t]")), "11 right, 13 right, 14 wrong, 16 right");
}

/// In an array of T rows h[-1] is the last row, which the loop overwrites; one of T + 1 keeps it.
TEST(NumPyLoops, AStateAtMinusOneOfAnArray) {
    const auto forward = [](const std::string& rows) {
        return kOfANetwork + "h = np.zeros((" + rows +
               ", H))\nh[-1] = h0\nL = 0.0\nfor t in range(T):\n    h[t] = np.tanh(x[t] @ Wx + h[t - 1] @ Wh)\n"
               "    L += np.sum(G[t] * h[t])\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", forward("T + 1") + way_back("h[t]", "h[t - 1]")),
              "11 right, 13 right, 14 right, 16 right");
    EXPECT_EQ(verdicts_by_line("a.py", forward("T") + way_back("h[t]", "h[t - 1]")), "11 right, 13 right, 14 wrong, 16 right");
}

/// Where the loop fills h[t + 1], h[-1] is its last row and not what the first step goes on from.
TEST(NumPyLoops, AStateAtMinusOneIsNoneOfTheFirstStep) {
    const auto forward = [](const std::string& first) {
        return kOfANetwork + "h = np.zeros((T + 1, H))\nh[" + first +
               "] = h0\nL = 0.0\nfor t in range(T):\n    h[t + 1] = np.tanh(x[t] @ Wx + h[t] @ Wh)\n    L += np.sum(G[t] * h[t + "
               "1])\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", forward("0") + way_back("h[t + 1]", "h[t]")), "11 right, 13 right, 14 right, 16 right");
    EXPECT_EQ(verdicts_by_line("a.py", forward("-1") + way_back("h[t + 1]", "h[t]")).find("right"), std::string::npos);
}

/// What is computed of itself from step to step is a sequence, on both ways.
TEST(NumPyLoops, NamesThatGoOnFromStepToStep) {
    const auto network = [](const std::string& carried, const std::string& first = "h0") {
        return "# gradproof: dims N T D H; input x [N, T, D], Wx [D, H], Wh [H, H], h0 [N, H]\n"
               "def forward(x, h0, Wx, Wh):\n    N, T, D = x.shape\n    h = np.zeros((N, T, h0.shape[1]))\n    prev = h0\n"
               "    for t in range(T):\n        prev = np.tanh(x[:, t, :] @ Wx + prev @ Wh)\n        h[:, t, :] = prev\n"
               "    return h, (x, h0, Wx, Wh, h)\n"
               "def backward(dh, cache):\n    x, h0, Wx, Wh, h = cache\n    dx, dWh = np.zeros_like(x), np.zeros_like(Wh)\n"
               "    dprev = np.zeros_like(h0)\n    for t in reversed(range(x.shape[1])):\n        dht = dh[:, t, :] + dprev\n"
               "        before = " +
               first +
               " if t == 0 else h[:, t - 1, :]\n        da = dht * (1 - h[:, t, :] ** 2)\n"
               "        dx[:, t, :] = da @ Wx.T\n        dWh += before.T @ da\n        dprev = " +
               carried + "\n    dh0 = dprev\n    return dx, dh0, dWh\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", network("da @ Wh.T")), "18 right, 19 right, 21 right");
    EXPECT_EQ(verdicts_by_line("a.py", network("da @ Wh")), "18 wrong, 19 wrong, 21 wrong");
    EXPECT_EQ(verdicts_by_line("a.py", network("da @ Wh.T", "np.zeros_like(h0)")), "18 right, 19 wrong, 21 right");
}

TEST(NumPyLoops, TheLastStateAloneIsUsed) {
    const auto network = [](const std::string& guard, const std::string& carried = "da @ Wh.T") {
        return "# gradproof: dims T D H C; input x [T, D], Wx [D, H], Wh [H, H], V [H, C]; const y [C] ~ onehot\n"
               "h = np.zeros(H)\nhs = []\nfor t in range(T):\n    h = np.tanh(x[t] @ Wx + h @ Wh)\n    hs.append(h)\n"
               "p = softmax(h @ V)\nloss = -np.sum(y * np.log(p))\nds = p - y\ndV = np.outer(h, ds)\ndh = ds @ V.T\n"
               "dWx, dWh = np.zeros_like(Wx), np.zeros_like(Wh)\nfor t in reversed(range(T)):\n"
               "    da = dh * (1 - hs[t] ** 2)\n    dWx += np.outer(x[t], da)\n    if " +
               guard + ":\n        dWh += np.outer(hs[t - 1], da)\n    dh = " + carried + "\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", network("t > 0")), "10 right, 11 right, 15 right, 17 right");
    EXPECT_EQ(verdicts_by_line("a.py", network("t > 1")), "10 right, 11 right, 15 right, 17 wrong");
    EXPECT_EQ(verdicts_by_line("a.py", network("t > 0", "dh @ Wh.T")), "10 right, 11 right, 15 wrong, 17 wrong");
}

/// A name that one branch alone assigns has the value of an earlier step where the branch is not taken.
TEST(NumPyLoops, ANameThatOneBranchAloneAssigns) {
    const auto program = [](const std::string& branches) {
        return "# gradproof: dims T H; input x [T, H], G [T, H]\nh = np.zeros((T, H))\nfor t in range(T):\n    h[t] = x[t] ** 2\n"
               "loss = (h * G).sum()\ndx = np.zeros_like(x)\nfor t in range(T):\n" +
               branches + "    dx[t] = 2 * x[t] * g\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", program("    if t == 0:\n        g = G[t]\n    else:\n        g = G[t]\n")), "12 right");
    EXPECT_EQ(verdicts_by_line("a.py", program("    g = G[t]\n    if t == 0:\n        g = G[t]\n")), "11 right");
    const std::string once = verdicts_by_line("a.py", program("    if t == 0:\n        g = G[t]\n"));
    EXPECT_EQ(once.find("right"), std::string::npos) << once;
}

/// for epoch in range(1000): the lines within are those of one step, whatever the parameters are.
TEST(NumPyLoops, ALoopThatTrainsIsReadOnce) {
    const auto program = [](const std::string& dw, const std::string& more = "") {
        return "# gradproof: dims n d; input X [n, d], w [d]; const y [n]\nrate = 0.1\nfor epoch in range(1000):\n"
               "    p = X @ w\n    loss = np.mean((p - y) ** 2)\n    if epoch % 100 == 0:\n        print(epoch, loss)\n"
               "    losses.append(loss)\n" +
               more + "    dp = 2 * (p - y) / y.shape[0]\n    dw = " + dw + "\n    w -= rate * dw\n";
    };
    EXPECT_EQ(verdicts_by_line("a.py", program("X.T @ dp")), "9 right, 10 right");
    EXPECT_EQ(verdicts_by_line("a.py", program("X.T @ p")), "9 right, 10 wrong");
    // What goes on from round to round is no such loop.
    const std::string more = verdicts_by_line("a.py", program("X.T @ dp", "    m = 0.9 * m + loss\n"));
    EXPECT_EQ(more.find("right"), std::string::npos) << more;
}

TEST(NumPyLoops, WhatIsAddedUpGoesOnFromStepToStep) {
    const auto judged = [](const std::string& declared, const std::string& lines) {
        return verdicts("# gradproof: " + declared + "\n" + lines, CheckOptions{}, "a.py");
    };
    const std::string cox =
        "risk = 0.0\nL = 0.0\nfor i in range(n):\n    risk += np.exp(eta[i])\n    L += np.log(risk) - eta[i]\n";
    EXPECT_EQ(judged("dims n; input eta [n]", cox + "deta = n * np.exp(eta) / np.sum(np.exp(eta)) - 1\n"), "wrong");
    EXPECT_EQ(judged("dims n; input eta [n]",
                     cox + "deta = np.exp(eta) * np.cumsum((1 / np.cumsum(np.exp(eta), axis=0))[::-1], axis=0)[::-1] - 1\n"),
              "right");
    const std::string attention =
        "S = np.zeros((d, e))\nL = 0\nfor t in range(T):\n    S += np.outer(k[t], v[t])\n    L += np.sum(q[t] @ S)\n";
    const std::string sizes = "dims T d e; input q [T, d]; input k [T, d]; input v [T, e]";
    EXPECT_EQ(judged(sizes, attention + "dv = np.ones((T, e)) * (k @ q.sum(0))[:, None]\n"), "wrong");
    EXPECT_EQ(judged(sizes, attention + "dv = np.ones((T, e)) * np.sum(k * np.cumsum(q[::-1], axis=0)[::-1], axis=1)[:, None]\n"),
              "right");
    const std::string euler = "x = x0.copy()\nfor t in range(T):\n    x += 0.1 * (u[t] - x)\nL = np.sum(x)\n";
    EXPECT_EQ(judged("dims T n; input x0 [n]; input u [T, n]", euler + "du = 0.1 * np.ones((T, n))\n"), "wrong");
    EXPECT_EQ(judged("dims T n; input x0 [n]; input u [T, n]", euler + "dx0 = 0.9 ** T * np.ones(n)\n"), "right");
    // what only adds up is a sum over all steps, as before
    EXPECT_EQ(judged("dims T; input r [T]", "L = 0\nfor t in range(T):\n    L += r[t] ** 2\ndr = 2 * r\n"), "right");
}

TEST(NumPyLoops, RepairsNameNothingThatTheReaderMadeUp) {
    const FileReport report = check_file("a.py",
                                         "# gradproof: dims T; input u [T]\nv = 0.0\nfor t in range(T):\n"
                                         "    v += 0.1 * (u[t] - v)\nL = v\ndu = 0.1 * np.ones(T)\n");
    EXPECT_EQ(to_text(report).find("of each step"), std::string::npos) << to_text(report);
}

/// dX *= 2 at each step changes what the steps before have put there.
TEST(NumPyLoops, AGradientThatEachStepScalesIsNotRead) {
    const auto product = [](const std::string& line) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n d m; input X [n, d], W [d, m], G [n, m]\nY = X @ W\nL = np.sum(G * Y)\n"
                                "dX = np.zeros_like(X)\nfor i in range(n):\n    dX[i] = G[i] @ W.T\n" +
                                    line);
    };
    EXPECT_EQ(product("dX *= 1\n"), "6 right");
    EXPECT_EQ(product("dX *= 2\n"), "6 wrong");
    EXPECT_EQ(product("dX *= X\n"), "6 not read, 7 not read");
    EXPECT_EQ(product("dX = 2 * dX\n"), "6 wrong");
    EXPECT_EQ(product("    dX *= 2\n").find("right"), std::string::npos);
}

TEST(NumPyLoops, FlippedArraysAreRead) {
    const auto flipped = [](const std::string& value, const std::string& gradient) {
        return verdicts_by_line("a.py", "# gradproof: dims n m; input X [n, m], G [n, m]\nY = " + value +
                                            "\nL = np.sum(G * Y)\ndX = " + gradient + "\n");
    };
    EXPECT_EQ(flipped("np.flip(X, axis=0)", "np.flipud(G)"), "4 right");
    EXPECT_EQ(flipped("np.flip(X, -1)", "np.fliplr(G)"), "4 right");
    EXPECT_EQ(flipped("np.flip(X)", "G[::-1, ::-1]"), "4 right");
    EXPECT_EQ(flipped("np.flip(X)", "np.flip(G, 0)"), "4 wrong");
    EXPECT_EQ(flipped("np.flip(X, 2)", "G"), "2 not read, 3 not read, 4 not read");
}

TEST(NumPyLoops, EntriesOfDictsAreAddedTo) {
    const auto judged = [](const std::string& zeros, const std::string& lines, const std::string& behind = "") {
        return verdicts(
            "# gradproof: dims T n; input x [T, n]; input W [n, n]; input b [n]\nimport numpy as np\n"
            "def forward(x, W, b):\n    y = np.tanh(x @ W + b)\n    return y, (x, W, y)\n"
            "def backward(dy, cache):\n    x, W, y = cache\n    grads = " +
                zeros + "\n    for t in range(x.shape[0]):\n        dz = dy[t] * (1 - y[t] ** 2)\n" + lines + behind +
                "    return grads\n",
            CheckOptions{}, "a.py");
    };
    const std::string zeros = R"({"W": np.zeros_like(W), "b": np.zeros(W.shape[0])})",
                      right = "        grads[\"W\"] += np.outer(x[t], dz)\n        grads['b'] += dz\n";
    EXPECT_EQ(judged(zeros, right), "right, right");
    EXPECT_EQ(judged(zeros, "        grads[\"W\"] += np.outer(dz, x[t])\n        grads['b'] += dz\n"), "wrong, right");
    EXPECT_EQ(judged(R"({"W": np.ones_like(W), "b": 0})", right), "wrong, right");
    EXPECT_EQ(judged("{k: np.zeros_like(v) for k, v in params.items()}", right), "right, right");
    EXPECT_EQ(judged("{k: np.zeros_like(v) for k, v in params.items()}", right + "        grads['b'] += dz\n"), "right, wrong");
    EXPECT_NE(judged("{k: np.ones_like(v) for k, v in params.items()}", right).find("not read"), std::string::npos);
    EXPECT_EQ(judged(zeros, right, "    grads[\"W\"] /= 2\n"), "right, wrong");
    for (const char* not_read : {"        grads['b'] = dz\n", "        grads['b'] *= 2\n", "        others['b'] += dz\n"})
        EXPECT_NE(judged(zeros, right + not_read).find("not read"), std::string::npos) << not_read;
}

}  // namespace
}  // namespace gradproof::proof
