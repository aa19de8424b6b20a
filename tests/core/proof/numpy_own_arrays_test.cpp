// Arrays that a function makes for itself and then changes.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kGivenRows = "import numpy as np\n# gradproof: dims n k; input Z [n, k]; const y [n] ~ index(k)\n";

std::string classifier(const std::string& lines) {
    return kGivenRows +
           "def loss_fn(Z, y):\n    S = Z - Z.max(axis=1, keepdims=True)\n"
           "    logp = S - np.log(np.exp(S).sum(axis=1, keepdims=True))\n    loss = -logp[np.arange(n), y].mean()\n"
           "    return loss\ndef loss_grad(Z, y):\n    P = np.exp(Z - Z.max(axis=1, keepdims=True))\n" +
           lines;
}
std::string judged_classifier(const std::string& lines) { return verdicts(classifier(lines), {}, "a.py"); }

const std::string kNormalised = "    P /= P.sum(axis=1, keepdims=True)\n";
const std::string kOneHot = "    Y = np.zeros((n, k))\n    Y[np.arange(n), y] = 1\n";

TEST(NumPyOwnArrays, AreDividedInPlace) {
    EXPECT_EQ(judged_classifier(kNormalised + kOneHot + "    dZ = (P - Y) / n\n    return dZ\n"), "right");
    EXPECT_EQ(judged_classifier(kNormalised + kOneHot + "    dZ = P - Y\n    return dZ\n"), "wrong");
    EXPECT_EQ(judged_classifier("    P /= P.sum(axis=0, keepdims=True)\n" + kOneHot + "    dZ = (P - Y) / n\n    return dZ\n"),
              "wrong");
    EXPECT_EQ(judged_classifier(kOneHot + "    dZ = (P - Y) / n\n    return dZ\n"), "wrong") << "it is not divided";
    EXPECT_EQ(judged_classifier("    dZ = P / n\n" + kNormalised + "    return dZ\n"), "wrong") << "it is divided below";
}

TEST(NumPyOwnArrays, HaveEntriesChanged) {
    EXPECT_EQ(judged_classifier(kNormalised + "    P[np.arange(n), y] -= 1\n    return P / n\n"), "right");
    EXPECT_EQ(judged_classifier(kNormalised + "    P[np.arange(n), y] -= 1\n    P /= n\n    dZ = P\n    return dZ\n"), "right");
    EXPECT_EQ(judged_classifier(kNormalised + "    P[np.arange(n), y] -= 2\n    return P / n\n"), "wrong");
    EXPECT_EQ(judged_classifier(kNormalised + "    P[np.arange(n), y] -= 1\n    return P\n"), "wrong");
    EXPECT_EQ(judged_classifier(kNormalised + "    Y = np.zeros((n, k))\n    Y[np.arange(n), y] = 2\n    dZ = (P - Y) / n\n"),
              "wrong");
}

/// What has another name, or is kept elsewhere, changes there too.
TEST(NumPyOwnArrays, ThatHaveAnotherNameAreNotRead) {
    const auto judged = [&](const std::string& between, const std::string& used) {
        return judged_classifier(between + kNormalised + kOneHot + "    dZ = (" + used + " - Y) / n\n    return dZ\n");
    };
    EXPECT_EQ(judged("    Q = P.copy()\n", "(P + 0 * Q)"), "right");
    EXPECT_EQ(judged("    Q = P.copy()\n", "Q"), "wrong");
    for (const char* between :
         {"    Q = P\n", "    Q = P.T\n", "    Q = [P]\n", "    Q = {'P': P}\n", "    Q = P[:2]\n", "    Q = (P, Z)\n"}) {
        const std::string found = judged(between, "P");
        EXPECT_EQ(found.find("right"), std::string::npos) << between << found;
    }
    EXPECT_NE(
        verdicts(kGivenRows + "def f(Z):\n    loss = np.sum(Z ** 2)\n    return loss\ndef f_grad(Z):\n    P = Z\n    P *= 2\n"
                              "    dZ = P\n    return dZ\n",
                 {}, "a.py"),
        "right")
        << "Z changes, too";
}

/// What a line that is not read changes is not known from there on.
TEST(NumPyOwnArrays, ThatOtherLinesMayChangeAreNotRead) {
    const std::string scale = "    A *= 2\n    return A\n";
    for (const char* line : {"R = P.reshape(n, k)\n    R *= 2", "G = P\n    G -= Y", "for R in [P]:\n        R *= 2",
                             "np.multiply(P, 2, out=P)", "P[0] = 0", "if n > 2:\n        P *= 2", "Y = np.zeros((n, k))",
                             "Y = np.zeros((n, k), dtype=int)", "f = lambda: P\n    P *= 2", "P.sort()"}) {
        const std::string found =
            judged_classifier(kNormalised + kOneHot + "    " + line + "\n    dZ = (P - Y) / n\n    return dZ\n");
        EXPECT_EQ(found.find("right"), std::string::npos) << line << ": " << found;
    }
    const std::string by_call = verdicts(
        classifier(kNormalised + kOneHot + "    Q = scale(P)\n    dZ = (P - Y) / n\n    return dZ\ndef scale(A):\n" + scale), {},
        "a.py");
    EXPECT_EQ(by_call.find("right"), std::string::npos) << by_call;
}

TEST(NumPyOwnArrays, ThatOtherLinesMayChangeAreNotReturned) {
    EXPECT_EQ(judged_classifier(kNormalised + kOneHot + "    return (P - Y) / n\n"), "right");
    for (const char* line : {"P = np.negative(P, out=P)", "Q = P.T\n    Q /= 2", "if n > 2:\n        P *= 2", "P[0] = 0"})
        for (const char* returned : {"return (P - Y) / n", "P -= Y\n    P /= n\n    return P"}) {
            const std::string found = judged_classifier(kNormalised + kOneHot + "    " + line + "\n    " + returned + "\n");
            EXPECT_EQ(found.find("right"), std::string::npos) << line << ": " << found;
            EXPECT_EQ(found.find("wrong"), std::string::npos) << line << ": " << found;
        }
}

/// What a loop that is not read changes of the rows it goes through, whatever else it is given.
TEST(NumPyOwnArrays, ThatALoopGoesThrough) {
    const auto judged = [&](const std::string& loop) {
        return judged_classifier(kNormalised + kOneHot + "    " + loop + "\n    dZ = (P - Y) / n\n    return dZ\n");
    };
    EXPECT_EQ(judged("for q in P:\n        q[...] = 0").find("right"), std::string::npos);
    EXPECT_EQ(judged("for q, r in zip(P, Z):\n        q *= 2").find("right"), std::string::npos);
    EXPECT_NE(judged("for q in P:\n        seq[0] = q.max()").find("right"), std::string::npos) << "q[ of seq[";
}

TEST(NumPyOwnArrays, ThatAreComputedAnew) {
    const std::string again = "    P = P / P.sum(axis=1, keepdims=True)\n";
    EXPECT_EQ(judged_classifier(again + kOneHot + "    dZ = (P - Y) / n\n    return dZ\n"), "right");
    EXPECT_EQ(judged_classifier(again + "    P *= 2\n" + kOneHot + "    dZ = (P - Y) / n\n    return dZ\n"), "wrong");
    EXPECT_EQ(judged_classifier(again + again + "    P = 2 * P\n" + kOneHot + "    dZ = (P / 2 - Y) / n\n    return dZ\n"),
              "right");
    EXPECT_EQ(judged_classifier("    Q = P\n" + again + kOneHot + "    dZ = (Q - Y) / n + 0 * P\n    return dZ\n"), "wrong")
        << "Q stays as it is";
    EXPECT_EQ(judged_classifier("    P = Z\n    P = P * 1\n    P -= 1\n    dZ = P\n    return dZ\n"), "wrong");
}

/// An array that is returned in the place of a gradient is claimed to be one, also where it was changed in place.
TEST(NumPyOwnArrays, ThatAreReturned) {
    const auto layer = [](const std::string& lines, const std::string& returned) {
        return verdicts(
            "import numpy as np\n# gradproof: dims n m d; input X [n, m], W [m, d]\ndef forward(X, W):\n"
            "    Y = np.tanh(X @ W)\n    return Y\ndef backward(dY, X, W, Y):\n    dZ = dY * (1 - Y ** 2)\n"
            "    dW = X.T @ dZ\n    A = dZ @ W.T\n" +
                lines + "    return " + returned + ", dW\n",
            {}, "a.py");
    };
    EXPECT_EQ(layer("    A *= 2\n    A /= 2\n", "A"), "right, right");
    EXPECT_EQ(layer("    A *= 2\n", "A"), "right, wrong");
    EXPECT_EQ(layer("    A = np.clip(A, -1, 1)\n", "A"), "right, wrong");
    EXPECT_EQ(layer("    A = A * 1\n", "A"), "right, right");
    EXPECT_NE(layer("    k = 1 / n\n", "k"), "right") << "k is no gradient";
}

/// The forward has one of that name, which stays as it is.
TEST(NumPyOwnArrays, OfTheNameOfAValueOfTheForward) {
    const auto pair = [](const std::string& lines) {
        return verdicts(kGivenRows +
                            "def loss_fn(Z, y):\n    P = np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)\n"
                            "    return -np.log(P[np.arange(n), y]).mean()\ndef grad_fn(Z, y):\n    P = np.exp(Z)\n" +
                            lines,
                        {}, "a.py");
    };
    EXPECT_EQ(pair(kNormalised + "    P[np.arange(n), y] -= 1\n    return P / n\n"), "right");
    EXPECT_EQ(pair("    P[np.arange(n), y] -= 1\n    return P / n\n"), "wrong");
    EXPECT_EQ(pair(kNormalised + "    P[np.arange(n), y] += 1\n    return P / n\n"), "wrong");
}

TEST(NumPyOwnArrays, OneHotRowsBeforeAnythingElse) {
    const auto script = [](const std::string& at, const std::string& slope) {
        return verdicts(kGivenRows + "Y = np.zeros((n, k))\nY[np.arange(n), " + at +
                            "] = 1\nloss = 0.5 * np.sum((Z - Y) ** 2)\ndZ = " + slope + "\n",
                        {}, "a.py");
    };
    EXPECT_EQ(script("y", "Z - Y"), "right");
    EXPECT_EQ(script("y", "Z + Y"), "wrong");
    EXPECT_EQ(script("y", "Z - 2 * Y"), "wrong");
}

}  // namespace
}  // namespace gradproof::proof
