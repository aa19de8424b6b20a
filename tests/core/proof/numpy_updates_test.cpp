// Lines of a program that change parameters by gradients: they are not judged, which the report says, and those that go up the
// gradient or change it are told.
#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/report_rows.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kLine = "# gradproof: dims N D; input X [N, D]; input w [D]; input b []; const y [N]; const lr [] ~ positive\n";
const std::string kTwoGradients =
    kLine + "r = X @ w + b - y\nloss = np.mean(r ** 2)\ndw = 2 * X.T @ r / N\ndb = 2 * np.mean(r)\n";

/// Without that it is not run.
std::string totals_of(const std::string& program) {
    const std::string all = totals(check_file("a.py", program));
    return all.substr(0, all.find("; read, not run"));
}
/// Behind two gradients in lines 4 and 5.
std::string updated(const std::string& lines) { return totals_of(kTwoGradients + lines); }
/// The same in lines 5 and 6, in a function.
std::string in_function(const std::string& head, const std::string& rest) {
    return totals_of(
        kLine + "def " + head +
        ":\n    r = X @ w + b - y\n    loss = np.mean(r ** 2)\n    dw = 2 * X.T @ r / len(y)\n    db = 2 * np.mean(r)\n" + rest);
}
/// Which a loop calls.
std::string trained(const std::string& lines) {
    return in_function("grad(w, b)", "    return dw, db\nfor i in range(100):\n" + lines);
}

TEST(NumPyUpdates, AreNotJudgedAndTheReportSaysSo) {
    EXPECT_EQ(updated(""), "all right: 2");
    EXPECT_EQ(updated("w -= lr * dw\nb -= lr * db\n"), "all right: 2; updates in lines 6, 7 are not judged");
    EXPECT_EQ(
        updated("params = {'w': w, 'b': b}\ngrads = {'w': dw, 'b': db}\nfor k in params:\n    params[k] += lr * grads[k]\n"),
        "2 right; 1 not read");
    EXPECT_EQ(updated("for p, g in zip((w, b), (dw, db)):\n    p -= lr * g\n"), "all right: 2; updates in line 6 are not judged");
    EXPECT_EQ(trained("    gw, gb = grad(w, b)\n    w -= lr * gw\n    b -= lr * gb\n"),
              "all right: 2; updates in line 8 are not judged");
    EXPECT_EQ(trained("    g = grad(w, b)\n    w += lr * g[0]\n"), "all right: 2; updates in line 8 are not judged");
    const std::string json = to_json(check_file("a.py", kTwoGradients + "w -= lr * dw\n"));
    EXPECT_NE(json.find(R"("updates":[{"line":6,"text":"w -= lr * dw"}])"), std::string::npos) << json;
}

TEST(NumPyUpdates, OfAllMarkedPartsAreSaid) {
    EXPECT_EQ(totals_of("# gradproof: begin\n" + kTwoGradients +
                        "w -= lr * dw\n# gradproof: end\nprint(loss)\n"
                        "# gradproof: begin\ndX = 2 * np.outer(r, w) / N\n# gradproof: end\n"),
              "all right: 3; updates in line 7 are not judged");
}

TEST(NumPyUpdates, ThatGoUpAreToldUnlessTheProgramMaximisesSomething) {
    const std::string relu = "# np.maximum\n";
    EXPECT_EQ(updated(relu + "w -= lr * dw\n"), "all right: 2; updates in line 7 are not judged");
    EXPECT_EQ(updated(relu + "w += lr * dw\n"), "2 right; 1 not read");
    EXPECT_EQ(updated("# log_prob\nw += lr * dw\n"), "2 right; 1 not read");  // a loss falls
    EXPECT_EQ(updated("# gradient ascent\nw += lr * dw\n"), "all right: 2; updates in line 7 are not judged");
    EXPECT_EQ(trained("    gw, gb = grad(w, b)\n    w += lr * gw\n    b -= lr * gb\n"), "2 right; 1 not read");
    EXPECT_EQ(trained("    gw, gb = grad(w, b)\n    w -= lr * gb\n    b -= lr * gb\n"), "2 right; 1 not read");
}

TEST(NumPyUpdates, ByAStateGoTheWayThatTheStateGoes) {
    EXPECT_EQ(updated("v = 0.9 * v + dw\nw -= lr * v\n"), "all right: 2; updates in lines 6, 7 are not judged");
    EXPECT_EQ(updated("v = 0.9 * v - lr * dw\nw += v\n"), "all right: 2; updates in lines 6, 7 are not judged");
    EXPECT_EQ(updated("v = 0.9 * v - lr * dw\nw -= v\n"), "2 right; 1 not read; updates in line 6 are not judged");
    EXPECT_EQ(updated("v = 0.9 * v + dw\nw += lr * v\n"), "2 right; 1 not read; updates in line 6 are not judged");
}

TEST(NumPyUpdates, OfGradientsInALoopAreNone) {
    const auto changed = [](const std::string& change) {
        return in_function("grad(w, b, n_batch)", "    for g in (dw, db):\n        " + change + "\n    return dw, db\n");
    };
    EXPECT_EQ(changed("g /= n_batch"), "all right: 2; right if what is passed over in line 7 changes nothing");
    EXPECT_EQ(changed("g *= n_batch"), "all right: 2; right if what is passed over in line 7 changes nothing");
    EXPECT_EQ(changed("g[...] = 0"), "2 right; 1 not read");
    EXPECT_EQ(updated("for p, g in zip((w, b), (dw, db)):\n    g += 0.1 * p\n"), "0 right; 3 not read");
    EXPECT_EQ(updated("for p in (w, b):\n    p.grad *= 2\n"), "2 right; 1 not read");
}

TEST(NumPyUpdates, ThatAFunctionReturnsAreNoGradients) {
    const auto step = [](const std::string& returned) { return in_function("step(w, b)", "    return " + returned + "\n"); };
    EXPECT_EQ(step("w - lr * dw, b - lr * db"), "all right: 2");
    EXPECT_EQ(step("w + lr * dw, b - lr * db"), "2 right; 1 not read");
    EXPECT_EQ(step("w - lr * db, b - lr * db"), "2 right; 1 not read");
}

TEST(NumPyUpdates, OfAGradientItselfAreJudged) {
    const std::string square = "# gradproof: dims n; input a [n], b [n]\nc = a * b\nL = np.sum(c ** 2)\nc.grad = 2 * c\n";
    EXPECT_EQ(verdicts_by_line("a.py", square + "a.grad = b * c.grad\na.grad = a.grad / 2\n"), "4 right, 6 wrong");
    EXPECT_EQ(verdicts_by_line("a.py", square + "a.grad = a.grad + b * c.grad\n"), "4 right, 5 not read");
    EXPECT_EQ(verdicts_by_line("a.py", square + "a.grad = np.zeros_like(a)\na.grad = a.grad + b * c.grad\n"), "4 right, 6 right");
    EXPECT_EQ(verdicts_by_line("a.py", square + "a.grad = np.zeros_like(a)\na.grad = a.grad + a * c.grad\n"), "4 right, 6 wrong");
}

}  // namespace
}  // namespace gradproof::proof
