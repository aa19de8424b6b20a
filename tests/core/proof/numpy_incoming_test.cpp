// Gradients that come into a function, and those that it gives back: by which input each is.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

using Told = std::vector<std::string>;

Told passed_in(const std::string& program) { return passed_because("a.py", program); }

TEST(NumPyIncoming, ALossWhoseBackwardIsGivenAGradientIsAValueAmongOthers) {
    const auto torch = [](const std::string& dz) {
        return of_program(
            "# gradproof: dims n d; input x [n, d], w [d]\nimport torch\nclass F(torch.autograd.Function):\n"
            "    @staticmethod\n    def forward(ctx, x, w):\n        t = torch.tanh(x @ w)\n"
            "        ctx.save_for_backward(x, w, t)\n        loss = t.sum()\n        return loss\n    @staticmethod\n"
            "    def backward(ctx, g):\n        x, w, t = ctx.saved_tensors\n        dz = " +
            dz + "\n        dw = x.t() @ dz\n        return torch.outer(dz, w), dw\n");
    };
    EXPECT_EQ(torch("g * (1 - t ** 2)"), "14 right, 15 right");
    EXPECT_EQ(torch("1 - t ** 2"), "14 wrong, 15 wrong");
    const auto jax = [](const std::string& dp) {
        return of_program(
            "# gradproof: dims n; input p [n]; const y [n]\nimport jax, jax.numpy as jnp\n@jax.custom_vjp\ndef mse(p, y):\n"
            "    return jnp.mean((p - y) ** 2)\ndef mse_fwd(p, y):\n    loss = jnp.mean((p - y) ** 2)\n"
            "    return loss, (p, y)\ndef mse_bwd(res, g):\n    p, y = res\n    dp = " +
            dp + "\n    return dp, None\nmse.defvjp(mse_fwd, mse_bwd)\n");
    };
    EXPECT_EQ(jax("g * 2 * (p - y) / p.size"), "11 right");
    EXPECT_EQ(jax("2 * (p - y) / p.size"), "11 wrong");
    const auto pair = [](const std::string& given, const std::string& dp) {
        return of_program(
            "# gradproof: dims n; input p [n]; const y [n]\ndef forward(p, y):\n    loss = np.mean((p - y) ** 2)\n"
            "    return loss, (p, y)\ndef backward(" +
            given + ", cache):\n    p, y = cache\n    dp = " + dp + "\n    return dp\n");
    };
    EXPECT_EQ(pair("dloss", "dloss * 2 * (p - y) / p.size"), "7 right");
    EXPECT_EQ(pair("dloss", "2 * (p - y) / p.size"), "7 wrong");
    EXPECT_EQ(pair("dout", "2 * (p - y) / p.size"), "7 wrong");
}

/// What is differentiated is what f_fwd returns, and what callers get is what f does.
TEST(NumPyIncoming, AForwardThatReturnsAnotherValueThanItsFunctionIsTold) {
    const auto scaled = [](const std::string& returned, const std::string& dx) {
        return passed_in(
            "# gradproof: dims n; input x [n], w [n]\nimport jax\n@jax.custom_vjp\ndef f(x, w):\n    return x * w\n"
            "def f_fwd(x, w):\n    return " +
            returned + ", (x, w)\ndef f_bwd(res, g):\n    x, w = res\n    dx = " + dx + " * w\n    dw = " + dx +
            " * x\n    return dx, dw\nf.defvjp(f_fwd, f_bwd)\n");
    };
    EXPECT_EQ(scaled("f(x, w)", "g"), Told{});
    EXPECT_EQ(scaled("2 * f(x, w)", "2 * g").size(), 1u);
}

/// Of a network whose layers are given gradients and whose loss is none of theirs.
TEST(NumPyIncoming, TheLossOfANetworkIsTheLoss) {
    EXPECT_EQ(of_program("# gradproof: dims n d; input x [n, d], w [d]; const y [n]\ndef affine_forward(x, w):\n    s = x @ w\n"
                         "    return s\ndef affine_backward(ds, x):\n    dw = x.T @ ds\n    return dw\ndef train(x, w, y):\n"
                         "    s = affine_forward(x, w)\n    loss = np.sum((s - y) ** 2)\n    ds = 2 * (s - y)\n"
                         "    dw = affine_backward(ds, x)\n    return loss, dw\n"),
              "6 right, 11 right");
}

std::string given_gradients(const std::string& lines) {
    return "# gradproof: dims n d k; input h [n, d], W [d, k]\ndef forward(h, W):\n    a = np.tanh(h)\n    out = a @ W\n"
           "    return out, (h, a, W)\ndef backward(dout, cache):\n    h, a, W = cache\n    da = dout @ W.T\n    dW = a.T @ "
           "dout\n" +
           lines;
}

TEST(NumPyIncoming, AGradientByAnInnerValueInThePlaceOfAnInputsIsTold) {
    const Told told{"da is returned, and no line computes the gradient by h"};
    EXPECT_EQ(passed_in(given_gradients("    return da, dW\n")), told);
    EXPECT_EQ(passed_in(given_gradients("    return [da, dW]\n")), told);
    EXPECT_EQ(passed_in(given_gradients("    dh = da * (1 - a ** 2)\n    return dh, dW\n")), Told{});
    EXPECT_EQ(passed_in(given_gradients("    return {'a': da, 'W': dW}\n")), Told{});
    EXPECT_EQ(
        passed_in(
            "# gradproof: dims n d h; input x [n, d], p [n, h], W [d, h]\ndef cell(x, p, W):\n    c = np.tanh(x @ W + p)\n"
            "    return c, (x, p, W, c)\ndef cell_backward(dc, cache):\n    x, p, W, c = cache\n    da = dc * (1 - c ** 2)\n"
            "    dW = x.T @ da\n    dx = da @ W.T\n    return dx, da, dW\n"),
        Told{"da is returned, and no line computes the gradient by p"});
}

TEST(NumPyIncoming, ExpressionsAreThoseOfTheInputsThatAreLeft) {
    const auto layer = [](const std::string& returned) {
        return of_program(
            "# gradproof: dims n d k; input x [n, d], W [d, k]\ndef forward(x, W):\n    z = x @ W\n    out = np.tanh(z)\n"
            "    return out, (x, W, out)\ndef backward(dout, cache):\n    x, W, out = cache\n"
            "    dz = dout * (1 - out ** 2)\n    return " +
            returned + "\n");
    };
    EXPECT_EQ(layer("dz @ W.T, x.T @ dz"), "8 right, 9 right, 9 right");
    EXPECT_EQ(layer("x.T @ dz, dz @ W.T"), "8 right, 9 wrong, 9 wrong");
    EXPECT_EQ(layer("dz @ W.T, 2 * x.T @ dz"), "8 right, 9 right, 9 wrong");
    EXPECT_EQ(of_program("# gradproof: dims n d; input x [n, d]\ndef forward(x):\n    a = x - x.mean(axis=1, keepdims=True)\n"
                         "    out = np.tanh(a)\n    return out, out\ndef backward(dout, out):\n    da = dout * (1 - out ** 2)\n"
                         "    return da - da.mean(axis=1, keepdims=True)\n"),
              "7 right, 8 right");
}

TEST(NumPyIncoming, WhatStandsBesideANamedGradientIsThatOfItsPlace) {
    const auto difference = [](const std::string& returned) {
        return of_program(
            "# gradproof: dims n; input a [n], b [n]\ndef forward(a, b):\n    out = a - b\n    return out, (a, b)\n"
            "def backward(dout, cache):\n    a, b = cache\n    da = 1.0 * dout\n    return " +
            returned + "\n");
    };
    EXPECT_EQ(difference("da, -da"), "7 right, 8 right");
    for (const char* other : {"da, da.copy()", "da, 1.0 * da", "da, da[:]", "da, np.array(da)"})
        EXPECT_EQ(difference(other), "7 right, 8 wrong") << other;
    const auto affine = [](const std::string& returned) {
        return "# gradproof: dims n d m; input x [n, d], w [d, m], b [m]\ndef forward(x, w, b):\n    out = x @ w + b\n"
               "    return out, (x, w, b)\ndef backward(dout, cache):\n    x, w, b = cache\n    dx = dout @ w.T\n"
               "    dw = x.T @ dout\n    return " +
               returned + "\n";
    };
    EXPECT_EQ(of_program(affine("dx, dw, dout.sum(axis=0)")), "7 right, 8 right, 9 right");
    EXPECT_EQ(of_program(affine("dx, dw, dout.mean(axis=0)")), "7 right, 8 right, 9 wrong");
    EXPECT_EQ(passed_in(affine("dx, dw, None")), Told{"None is returned for the gradient by b, which is an input"});
}

/// Of inputs of which no gradient is returned.
TEST(NumPyIncoming, FewerGradientsThanInputsAreOfThoseThatTheyMayBeOf) {
    const auto shifted = [](const std::string& returned) {
        return "# gradproof: dims n d; input w [d], v [d], X [n, d]; const y [n]\ndef loss_and_grad(w, v, X, y):\n"
               "    r = X @ (w - v) - y\n    loss = 0.5 * np.mean(r ** 2)\n    dw = X.T @ r / len(y)\n    return " +
               returned + "\n";
    };
    EXPECT_EQ(of_program(shifted("loss, dw, -dw")), "5 right, 6 right");
    for (const char* other : {"loss, dw, dw.copy()", "loss, dw, 2 * dw", "loss, dw, -dw / 2"})
        EXPECT_EQ(of_program(shifted(other)), "5 right, 6 wrong") << other;
    const auto regression = [](const std::string& returned) {
        return "# gradproof: dims n d; input w [d], c [], X [n, d]; const y [n]\ndef loss_and_grad(w, c, X, y):\n"
               "    r = X @ w + c - y\n    loss = 0.5 * np.sum(r ** 2)\n    dr = r\n    return loss, " +
               returned + "\n";
    };
    EXPECT_EQ(of_program(regression("X.T @ dr, dr.sum()")), "5 right, 6 right, 6 right");
    EXPECT_EQ(of_program(regression("X.T @ dr, dr.mean()")), "5 right, 6 right, 6 wrong");
    EXPECT_EQ(of_program(regression("dr.sum(), X.T @ dr")), "5 right, 6 not read") << "an order that no inputs have";
}

TEST(NumPyIncoming, AGradientInThePlaceOfAnotherIsJudgedAsThatOne) {
    const auto of_two = [](const std::string& sign, const std::string& returned) {
        return of_program("# gradproof: dims n; input a [n], b [n]\ndef forward(a, b):\n    out = a " + sign +
                          " b\n    return out\ndef backward(dout):\n    da = 1.0 * dout\n    return " + returned + "\n");
    };
    EXPECT_EQ(of_two("-", "1.0 * da, da"), "7 right, 7 wrong");
    EXPECT_EQ(of_two("-", "da, da"), "6 right, 7 wrong");
    EXPECT_EQ(of_two("+", "da, da"), "6 right, 7 right");
}

TEST(NumPyIncoming, InputsByWhichNoLineIsAGradientAreSaid) {
    const auto said = [](const std::string& declared, const std::string& lines) {
        const std::string text = "# gradproof: dims n d m; " + declared + "\ny = x @ w + b\n" + lines;
        return check_file("a.py", text).proofs.at(0).not_claimed;
    };
    const std::string all = "input x [n, d], w [d, m], b [m]";
    EXPECT_EQ(said(all, "dx = dy @ w.T\n"), (Told{"w", "b"}));
    EXPECT_EQ(said(all, "dx = dy @ w.T\ndw = x.T @ dy\ndb = dy.sum(0)\n"), Told{});
    EXPECT_EQ(said("input x [n, d], w [d, m]; const b [m]", "dx = dy @ w.T\ndw = x.T @ dy\n"), Told{});
    EXPECT_EQ(said(all + ", z [n]", "dx = dy @ w.T\ndw = x.T @ dy\ndb = dy.sum(0)\n"), Told{}) << "nothing uses z";
    EXPECT_EQ(said(all, "dx = dy @ w.T\ndw = unknown(x)\n"), Told{}) << "what is not read may be that";
}

TEST(NumPyIncoming, WhatAForwardAboveReturnsIsWhatACallGives) {
    const auto softmax = [](const std::string& returned, const std::string& slope) {
        return of_program(
            "# gradproof: dims n d k; input X [n, d], W [d, k]; const Y [n, k] ~ onehot\ndef forward(X, W):\n    Z = X @ W\n"
            "    Z = Z - np.max(Z, axis=1, keepdims=True)\n    E = np.exp(Z)\n" +
            returned + "def loss_and_grad(X, W, Y):\n    P = forward(X, W)\n    loss = -np.sum(Y * np.log(P))\n    dZ = " +
            slope + "\n    dW = X.T @ dZ\n    return loss, dW\n");
    };
    const std::string named = "    S = E / E.sum(axis=1, keepdims=True)\n    return S\n";
    EXPECT_EQ(softmax("    return E / E.sum(axis=1, keepdims=True)\n", "P - Y"), "10 right, 11 right");
    EXPECT_EQ(softmax("    return E / E.sum(axis=1, keepdims=True)\n", "Y - P"), "10 wrong, 11 right");
    EXPECT_EQ(softmax(named, "P - Y"), "11 right, 12 right");
    EXPECT_EQ(softmax(named, "Y - P"), "11 wrong, 12 right");
}

TEST(NumPyIncoming, AnInputMayBeShiftedByItsMaximum) {
    const auto softmax = [](const std::string& shift) {
        return of_program("# gradproof: dims n k; input z [n, k]\ndef forward(z):\n    z = z - " + shift +
                          "\n    e = np.exp(z)\n    p = e / e.sum(axis=1, keepdims=True)\n    return p\n"
                          "def backward(dp, p):\n    dz = p * (dp - (dp * p).sum(axis=1, keepdims=True))\n    return dz\n");
    };
    EXPECT_EQ(softmax("z.max(axis=1, keepdims=True)"), "8 right");
    EXPECT_EQ(softmax("z.max(axis=0, keepdims=True)"), "8 wrong") << "other columns are scaled by it";
    EXPECT_EQ(softmax("1"), "3 not read, 4 not read, 5 not read, 8 not read") << "dz may be by either z";
}

TEST(NumPyIncoming, ACacheMayHoldWhatIsComputedInIt) {
    const auto layer = [](const std::string& cache, const std::string& mask) {
        return of_program(
            "# gradproof: dims n d m; input x [n, d], w [d, m]\ndef forward(x, w):\n    z = x @ w\n"
            "    out = np.maximum(0, z)\n" +
            cache + "def backward(dout, cache):\n    x, w, mask = cache\n    dz = dout * " + mask +
            "\n    dx = dz @ w.T\n    dw = x.T @ dz\n    return dx, dw\n");
    };
    const std::string kept = "    cache = (x, w, z > 0)\n    return out, cache\n", returned = "    return out, (x, w, z > 0)\n";
    EXPECT_EQ(layer(kept, "mask"), "9 right, 10 right, 11 right");
    EXPECT_EQ(layer(returned, "mask"), "8 right, 9 right, 10 right");
    EXPECT_EQ(layer(returned, "(1 - mask)"), "8 wrong, 9 right, 10 right");
    EXPECT_EQ(layer("    return out, (x, w, x > 0)\n", "mask"), "8 wrong, 9 right, 10 right") << "another shape";
}

TEST(NumPyIncoming, WhatACacheHoldsIsThatOfItsLine) {
    const auto layer = [](const std::string& cache, const std::string& then, const std::string& gradient) {
        return of_program("# gradproof: dims n d m; input x [n, d], w [d, m]\ndef forward(x, w):\n    h = x @ w\n    " + cache +
                          "\n    " + then + "\n    return h, kept\ndef backward(dout, kept):\n    x, w, g = kept\n    da = " +
                          gradient + "\n    dw = x.T @ da\n    return da @ w.T, dw\n");
    };
    EXPECT_EQ(layer("kept = (x, w, 1 - h ** 2)", "h = np.tanh(h)", "dout * g"), "10 wrong, 11 wrong");
    EXPECT_EQ(layer("kept = (x, w, 1 - np.tanh(h) ** 2)", "h = np.tanh(h)", "dout * g"), "10 right, 11 right");
    EXPECT_EQ(layer("kept = (x, w, np.cos(h))", "h = np.sin(h)", "dout * g"), "10 right, 11 right");
    EXPECT_EQ(layer("kept = (x, w, h.copy())", "h *= 3", "3 * dout + 0 * g"), "10 right, 11 right");
}

/// With another value, or another function, of that name.
TEST(NumPyIncoming, ACallOfAForwardIsThatOfWhatItIsGiven) {
    const auto judged = [](const std::string& parameters, const std::string& before) {
        return of_program(
            "# gradproof: dims n k; input z [n, k]; const Y [n, k]\ndef forward(z):\n    return 1 / (1 + np.exp(-z))\n"
            "def loss_grad(" +
            parameters + "):\n" + before +
            "    p = forward(z)\n    loss = 0.5 * np.sum((p - Y) ** 2)\n    dz = (p - Y) * p * (1 - p)\n"
            "    return loss, dz\n");
    };
    EXPECT_EQ(judged("z, Y", ""), "7 right");
    EXPECT_EQ(judged("z, Y, forward", ""), "5 not read, 6 not read, 7 not read");
    EXPECT_EQ(judged("z, Y", "    z = z - z.max(axis=1, keepdims=True)\n"), "6 not read, 7 not read, 8 not read");
    EXPECT_EQ(of_program("# gradproof: dims n k; input z [n, k]; const Y [n, k]\ndef forward(z):\n    return np.tanh(z)\n"
                         "def loss(z, Y):\n    p = forward(z)\n    return 0.5 * np.sum((p - Y) ** 2)\n"
                         "def grad(z, Y):\n    p = forward(z)\n    dz = (p - Y) * (1 - p ** 2)\n    return dz\n"),
              "9 right")
        << "two functions call it";
}

TEST(NumPyIncoming, ANumberInThePlaceOfAGradientIsJudged) {
    const auto affine = [](const std::string& last) {
        return of_program(
            "# gradproof: dims n m; input x [n, m], b [m]\ndef forward(x, b):\n    out = x + b\n    return out, x\n"
            "def backward(dout, cache):\n    dx = 1.0 * dout\n    return dx, " +
            last + "\n");
    };
    EXPECT_EQ(affine("0"), "6 right, 7 wrong");
    EXPECT_EQ(affine("dout.sum(axis=0)"), "6 right, 7 right");
}

/// A mask that is added to the scores changes nothing of how far they are scaled.
TEST(NumPyIncoming, AGradientIsUnscaledBehindAMaskToo) {
    const auto attention = [](const std::string& mask, const std::string& unscale) {
        return of_program(
            "# gradproof: dims n d; input Q [n, d], K [n, d]; const M [n, n]\ndef forward(Q, K):\n"
            "    d = Q.shape[-1]\n    S = Q @ K.T / np.sqrt(d)\n" +
            mask +
            "    E = np.exp(S)\n    A = E / E.sum(axis=-1, keepdims=True)\n    return A, (Q, K, A)\n"
            "def backward(dA, cache):\n    Q, K, A = cache\n    d = Q.shape[-1]\n"
            "    dS = A * (dA - (dA * A).sum(axis=-1, keepdims=True))\n    dS /= " +
            unscale + "\n    dQ = dS @ K\n    dK = dS.T @ Q\n    return dQ, dK\n");
    };
    EXPECT_EQ(attention("", "np.sqrt(d)"), "11 right, 12 right, 13 right, 14 right");
    EXPECT_EQ(attention("    S = S + M\n", "np.sqrt(d)"), "12 right, 13 right, 14 right, 15 right");
    EXPECT_EQ(attention("    S = S + M\n", "d"), "13 wrong, 14 wrong, 15 wrong");
}

/// ds of ds = a * (...) / np.sqrt(d) before dq = ds @ k is the gradient of what is scaled; that of the scores where both are
/// scaled, and where it is returned.
TEST(NumPyIncoming, AGradientIsUnscaledInOneLine) {
    const auto attention = [](const std::string& by, const std::string& product = "dS @ K",
                              const std::string& returned = "dQ, dK") {
        return of_program(
            "# gradproof: dims n m d; input Q [n, d], K [m, d]\ndef forward(Q, K):\n    scale = 1 / np.sqrt(Q.shape[-1])\n"
            "    S = (Q @ K.T) * scale\n    E = np.exp(S)\n    A = E / E.sum(axis=-1, keepdims=True)\n    return A, (Q, K, A)\n"
            "def backward(dA, cache):\n    Q, K, A = cache\n    d = Q.shape[-1]\n"
            "    dS = A * (dA - (dA * A).sum(axis=-1, keepdims=True))" +
            by + "\n    dQ = " + product + "\n    dK = dS.T @ Q\n    return " + returned + "\n");
    };
    EXPECT_EQ(attention(" / np.sqrt(d)"), "11 right, 12 right, 13 right");
    EXPECT_EQ(attention(" / d"), "11 wrong, 12 wrong, 13 wrong");
    EXPECT_EQ(attention(""), "11 right, 12 wrong, 13 wrong");
    EXPECT_EQ(attention(" / np.sqrt(d)", "dS @ K / np.sqrt(d)"), "11 wrong, 12 right, 13 right");
    EXPECT_EQ(attention(" / np.sqrt(d)", "dS @ K", "dQ, dK, dS"), "11 wrong, 12 right, 13 right");
    EXPECT_EQ(attention(" / np.sqrt(d)", "dS.T @ K"), "11 right, 12 wrong, 13 right");
}

TEST(NumPyIncoming, AFunctionOfGradientsMayComputeTheLossOfAForwardAbove) {
    const auto network = [](const std::string& slope) {
        return of_program(
            "# gradproof: dims n d m; input x [n, d], W [d, m], v [m]; const y [n]\ndef forward(x, W, v):\n"
            "    h = np.tanh(x @ W)\n    out = h @ v\n    return out, h\ndef loss_and_grads(x, y, W, v):\n"
            "    out, h = forward(x, W, v)\n    r = out - y\n    loss = 0.5 * np.sum(r ** 2)\n    dv = h.T @ r\n"
            "    dz = np.outer(r, v) * " +
            slope + "\n    dW = x.T @ dz\n    return loss, dW, dv\n");
    };
    EXPECT_EQ(network("(1 - h ** 2)"), "10 right, 12 right");
    EXPECT_EQ(network("(1 - h)"), "10 right, 12 wrong");
}

TEST(NumPyIncoming, ANamedPartInAnotherPlaceIsTold) {
    const auto affine = [](const std::string& returned) {
        return passed_in(
            "# gradproof: dims n d m; input x [n, d], W [d, m], b [m]\ndef forward(x, W, b):\n    out = x @ W + b\n"
            "    return out, (x, W)\ndef backward(dout, cache):\n    x, W = cache\n    dx = dout @ W.T\n"
            "    dW = x.T @ dout\n    return " +
            returned + "\n");
    };
    EXPECT_EQ(affine("dx, dout.sum(axis=0), dW"), Told{"in another order than x, W, b"});
    EXPECT_EQ(affine("dx, dW, dout.sum(axis=0)"), Told{});
}

TEST(NumPyIncoming, AMethodThatReturnsNothingIsTold) {
    const auto layer = [](const std::string& line) {
        return passed_in(
            "import numpy as np\nclass Relu:\n    # gradproof: dims n; input x [n]\n    def forward(self, x):\n"
            "        self.x = x\n        return np.maximum(x, 0)\n    def backward(self, dout):\n" +
            line);
    };
    EXPECT_EQ(layer("        dx = dout * (self.x > 0)\n"), Told{"dx is neither returned nor kept"});
    EXPECT_EQ(layer("        dx = dout * (self.x > 0)\n        return dx\n"), Told{});
    EXPECT_EQ(layer("        dx = dout * (self.x > 0)\n        self.grads.append(dx)\n"), Told{});
    EXPECT_EQ(layer("        self.dx = dout * (self.x > 0)\n"), Told{});
}

TEST(NumPyIncoming, AParameterIsNotChangedByTheGradientOfWhatIsComputedOfIt) {
    const auto trained = [](const std::string& value, const std::string& step) {
        return of_program("# gradproof: dims n d; input X [n, d], v [d]; const y [n]\nfor i in range(9):\n    w = " + value +
                          "\n    r = X @ w - y\n    loss = np.sum(r ** 2)\n    dw = 2 * X.T @ r\n    " + step + "\n");
    };
    EXPECT_EQ(trained("np.exp(v)", "v -= 0.1 * dw"), "6 right, 7 not read");
    EXPECT_EQ(trained("np.exp(v)", "v -= 0.1 * dw * w"), "6 right");
    EXPECT_EQ(trained("np.exp(v)", "dv = dw * w; v -= 0.1 * dv"), "6 right, 7 right");
    EXPECT_EQ(trained("v", "v -= 0.1 * dw"), "6 right");
}

TEST(NumPyIncoming, ASizeThatNothingAssignsIsTold) {
    const auto mean = [](const std::string& head, const std::string& first) {
        return passed_in("# gradproof: dims n d; input x [n, d]\n" + head +
                         "def forward(x):\n    out = x.mean(axis=0)\n    return out, x.shape\ndef backward(dout, shape):\n" +
                         first + "    dx = np.ones(shape) * dout / n\n    return dx\n");
    };
    EXPECT_EQ(mean("", ""), Told{"n is a size of the comments alone, and nothing of the program assigns it"});
    EXPECT_EQ(mean("", "    n = shape[0]\n"), Told{});
    EXPECT_EQ(mean("n = 7\n", ""), Told{});
    EXPECT_EQ(mean("from sizes import *\n", ""), Told{});
}

}  // namespace
}  // namespace gradproof::proof
