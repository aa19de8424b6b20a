// What functions of a program return.
#include <string>

#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string square(const std::string& returned) {
    return verdicts_by_line("a.py",
                            "# gradproof: dims n; input x [n], w [n]\ndef forward(x, w):\n    y = x * w ** 2\n    return y\n"
                            "def backward(dout, x, w):\n    dx = dout * w ** 2\n    dw = 2 * dout * x * w\n    return " +
                                returned + "\n");
}

TEST(NumPyReturned, WhatIsDoneToAGradientInAReturnIsJudged) {
    EXPECT_EQ(square("dx, dw"), "6 right, 7 right");
    EXPECT_EQ(square("3 * dx, dw"), "7 right, 8 wrong");
    EXPECT_EQ(square("(dx, -dw)"), "6 right, 8 wrong");
    EXPECT_EQ(square("{\"x\": dx, \"w\": dw / 2}"), "6 right, 8 wrong");
    EXPECT_EQ(square("dict(x=dx, w=dw / 2)"), "6 right, 8 wrong");
    EXPECT_EQ(square("dx * 1.0, dw"), "7 right, 8 right");
    EXPECT_EQ(square("np.clip_by_norm(dx), dw"), "6 right, 7 right, 8 not read");
}

TEST(NumPyReturned, AnAutogradFunctionReturnsGradientsInTheOrderOfItsInputs) {
    const auto function = [](const std::string& returned) {
        return verdicts_by_line(
            "a.py",
            "# gradproof: dims n m; input X [n, m], w [m]\nclass Product(torch.autograd.Function):\n"
            "    def forward(ctx, X, w):\n        ctx.save_for_backward(X, w)\n        return X @ w\n"
            "    def backward(ctx, grad_output):\n        X, w = ctx.saved_tensors\n"
            "        grad_X = torch.outer(grad_output, w)\n        grad_w = X.T @ grad_output\n        return " +
                returned + "\n");
    };
    EXPECT_EQ(function("grad_X, grad_w"), "8 right, 9 right");
    EXPECT_EQ(function("grad_w, grad_X"), "8 right, 9 right, 10 wrong, 10 wrong");
    EXPECT_EQ(function("grad_X, None"), "8 right, 9 right");
    EXPECT_EQ(function("grad_X"), "8 right, 9 right, 10 not read");
    EXPECT_EQ(function("grad_X, X.T @ grad_output * 2"), "8 right, 9 right, 10 wrong");
}

TEST(NumPyReturned, AVjpReturnsGradientsInTheOrderOfItsInputs) {
    const auto vjp = [](const std::string& returned) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n; input x [n], w [n]\ndef f_fwd(x, w):\n    y = x * w\n    return y, (x, w)\n"
                                "def f_bwd(res, dy):\n    x, w = res\n    return " +
                                    returned + "\nf.defvjp(f_fwd, f_bwd)\n");
    };
    EXPECT_EQ(vjp("(dy * w, dy * x)"), "7 right, 7 right");
    EXPECT_EQ(vjp("(dy * x, dy * w)"), "7 wrong, 7 wrong");
}

TEST(NumPyReturned, ALossThatIsChangedInTheReturnIsNotTheLoss) {
    const auto loss = [](const std::string& returned) {
        return verdicts_by_line("a.py", "# gradproof: dims n; input x [n]\ndef loss(x):\n    L = np.sum(x ** 2)\n    return " +
                                            returned + "\ndef grad(x):\n    dx = 2 * x\n    return dx\n");
    };
    EXPECT_EQ(loss("L"), "6 right");
    EXPECT_EQ(loss("L / 2"), "4 not read, 6 right");
    EXPECT_EQ(loss("L + np.sum(x)"), "4 not read, 6 right");
}

TEST(NumPyReturned, AFunctionThatComputesLossAndGradientIsRead) {
    const auto both = [](const std::string& returned) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n m; input X [n, m], w [m], y [n]\ndef loss_and_grad(X, w, y):\n"
                                "    r = X @ w - y\n    loss = np.sum(r ** 2)\n    dw = 2 * X.T @ r\n    return " +
                                    returned + "\n");
    };
    EXPECT_EQ(both("loss, dw"), "5 right");
    EXPECT_EQ(both("loss, dw / 2"), "6 wrong");
    EXPECT_EQ(both("loss + 0.1 * np.sum(w ** 2), dw"), "5 right, 6 not read");
}

}  // namespace
}  // namespace gradproof::proof
