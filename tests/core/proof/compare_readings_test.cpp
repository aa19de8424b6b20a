// Arrays held to a text that may be read in two ways: right in one of them and wrong in the other, they cannot be told.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/compare.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

using T = Tensor<double>;

/// The verdict on arrays by their names, and why they cannot be told.
std::string judged(const std::string& formula, const Bindings& bindings, const std::map<std::string, T>& arrays) {
    std::vector<NamedArray> theirs;
    for (const auto& [name, value] : arrays) theirs.push_back({name, from_tensor(value)});
    const std::string shapes =
        "Let $A \\in \\mathbb{R}^{n \\times n}$, $p, q \\in \\mathbb{R}^n_{>0}$, $x, s \\in \\mathbb{R}$, $s > 0$ and\n";
    const CompareReport r = compare(read_proofs("a.tex", shapes + "\\[ L = " + formula + ". \\]\n").at(0), bindings, theirs);
    std::string out(check::name(r.verdict()));
    for (const check::ComparedArray& a : r.results.arrays)
        if (!a.doubt.empty()) out += "; " + a.doubt;
    return out;
}

TEST(CompareReadings, OfPowersOfMatrices) {
    const T a = T::from({2, 2}, {1, 2, -3, 0.5});
    const std::string why = ", and wrong with powers of square matrices as products: write A A, or A \\odot A";
    EXPECT_EQ(judged("\\mathrm{tr}(A^2)", {{"A", a}}, {{"dA", T::from({2, 2}, {2, 0, 0, 1})}}),
              "cannot tell; it is right with line 2 as it is read here" + why);
    EXPECT_EQ(judged("\\mathrm{tr}(A^2)", {{"A", a}}, {{"dA", T::from({2, 2}, {2, -6, 4, 1})}}),
              "cannot tell; it is wrong with line 2 as it is read here, and right with powers of square matrices as products: "
              "write A A, or "
              "A \\odot A");
    EXPECT_EQ(judged("\\mathrm{tr}(A^2)", {{"A", a}}, {{"dA", T::from({2, 2}, {2, 4, -6, 1})}}), "wrong");
    EXPECT_EQ(judged("\\mathrm{tr}(A A)", {{"A", a}}, {{"dA", T::from({2, 2}, {2, -6, 4, 1})}}), "right");
}

TEST(CompareReadings, OfTheNotation) {
    const Bindings given{{"A", T::from({2, 2}, {1, 2, 3, 4})}, {"x", T::from({2}, {5, 7})}};
    const auto verdict = [&](const std::string& y, const T& value) {
        const std::string text = "dims n\ninput A [n, n], x [n]\nforward\n  y = " + y + "\n";
        return compare(read_proofs("a.proof", text).at(0), given, {{"y", from_tensor(value)}}).verdict();
    };
    const T of_entries = T::from({2}, {33, 157}), of_product = T::from({2}, {105, 229});
    EXPECT_EQ(verdict("A² x", of_entries), check::Verdict::cannot_tell);
    EXPECT_EQ(verdict("A² x", of_product), check::Verdict::cannot_tell);
    EXPECT_EQ(verdict("A² x", T::from({2}, {33, 158})), check::Verdict::wrong);
    EXPECT_EQ(verdict("A A x", of_product), check::Verdict::right);
    EXPECT_EQ(verdict("(A ⊙ A) x", of_entries), check::Verdict::right);
}

TEST(CompareReadings, OfWhatStandsBehindASlash) {
    const T x = T::from({}, {0.5}), s = T::from({}, {2});
    const double within = std::exp(-0.0625), behind = std::exp(-0.25);
    EXPECT_EQ(judged("e^{-x^2/2s}", {{"x", x}, {"s", s}}, {{"L", T::from({}, {within})}}).substr(0, 11), "cannot tell");
    EXPECT_EQ(judged("e^{-x^2/2s}", {{"x", x}, {"s", s}}, {{"L", T::from({}, {behind})}}).substr(0, 11), "cannot tell");
    EXPECT_EQ(judged("e^{-x^2/(2s)}", {{"x", x}, {"s", s}}, {{"L", T::from({}, {within})}}), "right");
    EXPECT_EQ(judged("e^{-x^2/(2s)}", {{"x", x}, {"s", s}}, {{"L", T::from({}, {behind})}}), "wrong");
}

TEST(CompareReadings, OfAFunctionBeforeAQuotient) {
    const T p = T::from({2}, {0.25, 0.5}), q = T::from({2}, {0.75, 3});
    double inside = 0, before = 0;
    for (Index i = 0; i < 2; ++i) {
        inside += p[i] * std::log(p[i] / q[i]);
        before += p[i] * std::log(p[i]) / q[i];
    }
    for (const double value : {inside, before})
        EXPECT_EQ(judged("\\sum_i p_i \\log p_i / q_i", {{"p", p}, {"q", q}}, {{"L", T::from({}, {value})}}).substr(0, 11),
                  "cannot tell");
    EXPECT_EQ(judged("\\sum_i p_i \\log (p_i / q_i)", {{"p", p}, {"q", q}}, {{"L", T::from({}, {inside})}}), "right");
    EXPECT_EQ(judged("\\sum_i p_i \\log \\frac{p_i}{q_i}", {{"p", p}, {"q", q}}, {{"L", T::from({}, {before})}}), "wrong");
}

TEST(CompareReadings, OfFunctionsOfMatrices) {
    const T a = T::from({2, 2}, {1, 2, -3, 0.5});
    double sum = 0;
    for (const double x : a) sum += std::exp(x);
    EXPECT_NE(judged("\\sum_{ij} (e^{A})_{ij}", {{"A", a}}, {{"L", T::from({}, {sum})}}).find("the matrix exponential"),
              std::string::npos);
}

}  // namespace
}  // namespace gradproof::proof
