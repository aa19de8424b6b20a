// The oracles against a Jacobian known by hand, the drawing of samples, and what a report prints.
#include "gradproof/core/check/contracts.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gradproof/ops/softmax.hpp"
#include "tests/support.hpp"

namespace gradproof::check {
namespace {

const Function kSoftmax = [](const Tensors& x) { return softmax(x[0]); };
const DualFunction kDualSoftmax = [](const DualTensors& x) { return softmax(x[0]); };

/// The worst norm-wise error of a Jacobian over random rows of scores, and the worst of entries down to 1e-3 of the largest.
struct Errors {
    double norm_wise = 0, entry = 0;
};
template <class Column>
Errors worst_of(int cases, const Column& column) {
    Random random(11);
    Errors out;
    for (int n = 0; n < cases; ++n) {
        const Index size = 2 + random.below(7);
        const Tensors x{random.normal<double>({size})};
        const Tensor<double> truth = softmax_jacobian(softmax(x[0]));
        double gap = 0, all = 0, top = 0;
        for (const double t : truth) top = std::max(top, std::abs(t));
        for (Index k = 0; k < size; ++k) {
            const Tensor<double> c = column(x, Entry{0, k});
            for (Index i = 0; i < size; ++i) {
                const double t = truth[i * size + k], e = std::abs(c[i] - t);
                gap += e * e;
                all += t * t;
                if (std::abs(t) > 1e-3 * top) out.entry = std::max(out.entry, e / std::abs(t));
            }
        }
        out.norm_wise = std::max(out.norm_wise, std::sqrt(gap / all));
    }
    return out;
}

TEST(Oracle, DualNumbersDefendThirteenDigits) {
    const Errors e = worst_of(500, [](const Tensors& x, Entry at) { return dual_column(kDualSoftmax, x, at); });
    EXPECT_LE(e.norm_wise, 1e-13);
    EXPECT_LE(e.entry, 1e-11);
}

TEST(Oracle, FourthOrderDifferencesDefendNineDigits) {
    EXPECT_LE(
        worst_of(500, [](const Tensors& x, Entry at) { return difference(kSoftmax, x, at, Stencil::fourth_order); }).norm_wise,
        1e-9);
}

TEST(Oracle, CentralDifferencesDefendEightDigits) {
    EXPECT_LE(worst_of(500, [](const Tensors& x, Entry at) { return difference(kSoftmax, x, at, Stencil::central); }).norm_wise,
              1e-8);
}

TEST(Oracle, StepsAreExactAndFollowTheSizeOfX) {
    // A linear function has no truncation error: what is left is rounding of the values, eps |x| / h.
    const Function identity = [](const Tensors& x) { return x[0].clone(); };
    for (const double x : {0.0, 0.1, -3.7, 1e-9, 12345.678, 1e10}) {
        const Tensor<double> d = difference(identity, {Tensor<double>({1}, x)}, {0, 0}, Stencil::fourth_order);
        EXPECT_EQ(d[0], 1.0) << x;
        EXPECT_GE(step(Stencil::fourth_order, x), 0.7 * std::pow(2e-16, 0.2) * std::max(1.0, std::abs(x)));
    }
}

TEST(Oracle, DirectionsAgreeWithTheJacobian) {
    Random random(3);
    const Tensors x{random.normal<double>({2, 5})}, v = normal_like(x, random);
    const Along along = difference_along(kSoftmax, x, v, Stencil::fourth_order);
    const Tensor<double> exact = dual_along(kDualSoftmax, x, along.direction);
    const Tensor<double> j = jacobian(kDualSoftmax, x, 0);
    for (Index i = 0; i < 10; ++i) {
        double sum = 0;
        for (Index k = 0; k < 10; ++k) sum += j[i * 10 + k] * along.direction[0][k];
        EXPECT_NEAR(exact[i], sum, 1e-15);
        EXPECT_NEAR(along.derivative[i], exact[i], 1e-11);
        EXPECT_NEAR(along.direction[0][i], v[0][i], 1e-10);
    }
}

TEST(Oracle, RefusesEntriesThatAreNotThere) {
    const Tensors x{ones<double>({2})};
    EXPECT_THROW(difference(kSoftmax, x, {0, 2}, Stencil::central), ValueError);
    EXPECT_THROW(dual_column(kDualSoftmax, x, {1, 0}), ValueError);
}

TEST(Oracle, OneSidedDerivativesDifferAtAKinkOnly) {
    const Function f = [](const Tensors& x) {
        Tensor<double> y(x[0].shape());
        for (Index i = 0; i < y.size(); ++i) y[i] = std::abs(x[0][i]) + x[0][i] * x[0][i];
        return y;
    };
    const Tensors x{Tensor<double>::from({2}, {0, 0.5})};
    const OneSided kink = one_sided(f, x, {0, 0}), smooth = one_sided(f, x, {0, 1});
    EXPECT_NEAR(kink.left[0], -1, 1e-9);
    EXPECT_NEAR(kink.right[0], 1, 1e-9);
    EXPECT_NEAR(smooth.left[1], 2, 1e-9);
    EXPECT_NEAR(smooth.right[1], 2, 1e-9);
}

/// The claimed gradient of <u, softmax(x)>, times `factor`.
Tensors claim(const Tensors& x, const Tensor<double>& u, double factor) {
    const Tensor<double> j = softmax_jacobian(softmax(x[0]));
    Tensor<double> g = zeros_like(x[0]);
    for (Index i = 0; i < g.size(); ++i)
        for (Index k = 0; k < g.size(); ++k) g[k] += factor * u[i] * j[i * g.size() + k];
    return {g};
}

TEST(Oracle, TaylorFindsScaleBugsOfAThousandthAndNoOthers) {
    Random random(17);
    int false_alarms = 0, caught = 0;
    constexpr int kCases = 200;
    for (int n = 0; n < kCases; ++n) {
        const Tensors x{random.normal<double>({4 + random.below(5)})};
        const Tensor<double> u = random.normal<double>(x[0].shape());
        false_alarms += !taylor(kSoftmax, x, u, claim(x, u, 1), random).right();
        caught += !taylor(kSoftmax, x, u, claim(x, u, 1.001), random).right();
    }
    EXPECT_EQ(false_alarms, 0);
    EXPECT_EQ(caught, kCases);
}

TEST(Oracle, TaylorCallsALinearFunctionExact) {
    Random random(1);
    const Function twice = [](const Tensors& x) {
        Tensor<double> y = x[0].clone();
        for (double& v : y) v *= 2;
        return y;
    };
    const Tensor<double> u = ones<double>({3});
    EXPECT_TRUE(taylor(twice, {ones<double>({3})}, u, {Tensor<double>({3}, 2)}, random).exact);
    EXPECT_FALSE(taylor(twice, {ones<double>({3})}, u, {Tensor<double>({3}, 2.01)}, random).right());
}

TEST(Oracle, AdjointIsScaledByTheSizesAndSeesAThousandth) {
    Random random(5);
    const Tensors x{random.normal<double>({7})}, v = normal_like(x, random);
    const Tensor<double> u = random.normal<double>({7});
    const Tensor<double> jv = dual_along(kDualSoftmax, x, v);
    EXPECT_LE(adjoint(u, jv, claim(x, u, 1), v).error(), 1e-14);
    EXPECT_GE(adjoint(u, jv, claim(x, u, 1.001), v).error(), 1e-6);
}

TEST(Distribution, KeepsWhatItPromises) {
    const std::vector<Arg> args{{{4, 30}, Distribution::distinct},
                                {{50}, Distribution::positive},
                                {{50}, Distribution::unit},
                                {{50}, Distribution::nonzero},
                                Arg::absent(),
                                Tensor<double>::from({2}, {7, 8})};
    const Tensors x = draw(args, Random(9));
    std::vector<double> sorted(x[0].begin(), x[0].end());
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 1; i < sorted.size(); ++i) EXPECT_GE(sorted[i] - sorted[i - 1], 0.1);
    for (const double v : x[1]) EXPECT_TRUE(v >= 0.5 && v <= 2);
    for (const double v : x[2]) EXPECT_TRUE(std::abs(v) <= 0.9);
    for (const double v : x[3]) EXPECT_TRUE(std::abs(v) >= 0.5 && std::abs(v) <= 2);
    EXPECT_FALSE(x[4].defined());
    EXPECT_EQ(x[5][1], 8);
    EXPECT_TRUE(same_bits(x, draw(args, Random(9))));
    EXPECT_FALSE(same_bits(x, draw(args, Random(10))));
}

TEST(Distribution, NamesInputsAsThePageDoes) {
    const OpInfo info{.name = "f", .inputs = "q mask? xs...", .forward = "", .backward = "", .saves = "", .source = ""};
    EXPECT_EQ(input_names(info, 4), (std::vector<std::string>{"q", "mask", "xs0", "xs1"}));
}

TEST(Report, IsTheSameForTheSameSeed) {
    const std::vector<const OpEntry*> ops{&registry().find("softmax")};
    const auto strip = [](const Report& r) {
        auto j = nlohmann::json::parse(json(r));
        j["seconds"] = 0;
        for (auto& op : j["ops"]) op["ms"] = 0;
        return j.dump();
    };
    EXPECT_EQ(strip(check_ops(ops, {.seed = 4})), strip(check_ops(ops, {.seed = 4})));
    EXPECT_NE(strip(check_ops(ops, {.seed = 4})), strip(check_ops(ops, {.seed = 5})));
}

TEST(Report, JsonHasItsSchemaAndTheNonVacuityNumbers) {
    const auto j = nlohmann::json::parse(json(check_ops({&registry().find("softmax")}, {.seed = 4})));
    EXPECT_EQ(j["schema"], 2);
    EXPECT_EQ(j["seed"], 4);
    EXPECT_EQ(j["verdict"], "right");
    const auto& op = j["ops"][0];
    EXPECT_EQ(op["contracts"].size(), 15u);
    EXPECT_EQ(op["contracts"][0]["mark"], "+");
    EXPECT_GT(op["entries"], 0);
    EXPECT_GT(op["gradient_norm"], 0.0);
    EXPECT_EQ(op["mutants"]["planted"], op["mutants"]["caught"]);
}

TEST(Report, ColourOnlyWhereAsked) {
    const Report report = check_ops({&registry().find("softmax")}, {});
    EXPECT_EQ(table(report, {}).find('\033'), std::string::npos);
    EXPECT_NE(table(report, {.colour = true}).find('\033'), std::string::npos);
}

using testing::ProgramRun;
using testing::run_program;

TEST(CheckCommand, ExitsByTheVerdictAndPrintsPlainlyIntoAPipe) {
    const ProgramRun right = run_program("check --op softmax");
    EXPECT_EQ(right.status, 0) << right.text;
    EXPECT_NE(right.text.find("1 op: 1 right, 0 wrong, 0 cannot tell"), std::string::npos) << right.text;
    EXPECT_NE(right.text.find("gradient entries compared, random incoming gradients"), std::string::npos);
    EXPECT_EQ(right.text.find('\033'), std::string::npos);
}

TEST(CheckCommand, RefusesBadUsage) {
    const ProgramRun unknown = run_program("check --op sofmax"), both = run_program("check --all-ops --op softmax"),
                     none = run_program("check");
    EXPECT_EQ(unknown.status, 2);
    EXPECT_NE(unknown.text.find("did you mean softmax"), std::string::npos) << unknown.text;
    EXPECT_EQ(both.status, 2);
    EXPECT_EQ(none.status, 2);
}

}  // namespace
}  // namespace gradproof::check
