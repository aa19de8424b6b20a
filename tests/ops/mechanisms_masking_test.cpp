// The mechanisms where they are causal: what is not finite reaches the pairs of a query and a key it sees, and no others.
#include <gtest/gtest.h>

#include <functional>

#include <fmt/format.h>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/additive_attention.hpp"
#include "gradproof/ops/bilinear_attention.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "gradproof/ops/linear_attention.hpp"
#include "gradproof/ops/relative_attention.hpp"
#include "gradproof/ops/sigmoid_attention.hpp"
#include "tests/ops/waves.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::D;
using testing::kInf, testing::kNaN;
using V = Var<double>;
using Vars = std::vector<V>;

constexpr Index kLength = 70, kWidth = 3;  // more than a block of linear attention
constexpr double kMaskedNear = 1e-13;

struct Causal {
    std::string name;
    std::vector<Shape> more;  ///< inputs beside q, k and v
    std::function<V(const Vars&)> run;
};
std::vector<Causal> causal_mechanisms() {
    return {
        {"sigmoid", {}, [](const Vars& x) { return sigmoid_attention(x[0], x[1], x[2], {.causal = true}); }},
        {"bilinear",
         {{kWidth, kWidth}},
         [](const Vars& x) { return bilinear_attention(x[0], x[1], x[2], x[3], {.causal = true}); }},
        {"linear", {}, [](const Vars& x) { return linear_attention(x[0], x[1], x[2], {.causal = true}); }},
        {"additive", {{kWidth}}, [](const Vars& x) { return additive_attention(x[0], x[1], x[2], x[3], {.causal = true}); }},
        {"relative",
         {{5, kWidth}, {5, kWidth}},
         [](const Vars& x) { return relative_attention(x[0], x[1], x[2], x[3], x[4], {.causal = true}); }},
    };
}

struct Inputs {
    std::vector<D> x;
    D dy;
};
Inputs drawn_inputs(const Causal& c) {
    Inputs in;
    for (int i = 0; i < 3; ++i) in.x.push_back(Random(3).stream(static_cast<std::uint64_t>(i)).normal<double>({kLength, kWidth}));
    for (const Shape& s : c.more) in.x.push_back(Random(3).stream(in.x.size()).normal<double>(s));
    in.dy = Random(4).normal<double>({kLength, kWidth});
    return in;
}
/// y, dq, dk, dv.
std::vector<D> results_of(const Causal& c, const Inputs& in) {
    Tape<double> tape;
    Vars x;
    for (const D& t : in.x) x.push_back(tape.leaf(t));
    const V y = c.run(x);
    tape.backward(y, in.dy);
    return {y.value(), tape.grad(x[0]), tape.grad(x[1]), tape.grad(x[2])};
}
void fill_row(D& x, Index row, double value) { std::fill_n(x.data() + row * kWidth, kWidth, value); }
/// `in` with one row of an input filled.
Inputs spoilt(const Inputs& in, std::size_t input, Index row, double value) {
    Inputs out = in;
    out.x[input] = in.x[input].clone();
    fill_row(out.x[input], row, value);
    return out;
}
/// Rows [begin, end) of a and b.
void expect_rows_near(const D& a, const D& b, Index begin, Index end, const std::string& what) {
    for (Index i = begin * kWidth; i < end * kWidth; ++i)
        ASSERT_LE(std::abs(a[i] - b[i]), kMaskedNear) << what << ", row " << i / kWidth;
}

TEST(CausalMechanisms, AKeyReachesExactlyTheQueriesThatSeeIt) {
    for (const Causal& c : causal_mechanisms())
        for (const Index at : {Index{2}, Index{66}}) {
            const Inputs in = drawn_inputs(c);
            const std::vector<D> clean = results_of(c, in);
            for (const double bad : {kNaN, kInf})
                for (const std::size_t input : {1u, 2u}) {
                    const std::vector<D> r = results_of(c, spoilt(in, input, at, bad));
                    const std::string what = fmt::format("{}, input {} is {} at {}", c.name, input, bad, at);
                    expect_rows_near(r[0], clean[0], 0, at, what + ": y");
                    expect_rows_near(r[1], clean[1], 0, at, what + ": dq");
                    for (Index i = at * kWidth; i < kLength * kWidth && std::isnan(bad); ++i)
                        ASSERT_TRUE(std::isnan(r[0][i])) << what;
                }
        }
}

TEST(CausalMechanisms, AKeyThatNoQuerySeesHasNoGradient) {
    constexpr Index kQueries = 4, kKeys = 6;
    for (const Causal& c : causal_mechanisms()) {
        Inputs in = drawn_inputs(c);
        in.x[0] = Random(5).normal<double>({kQueries, kWidth}), in.dy = Random(6).normal<double>({kQueries, kWidth});
        in.x[1] = Random(7).normal<double>({kKeys, kWidth}), in.x[2] = Random(8).normal<double>({kKeys, kWidth});
        const std::vector<D> clean = results_of(c, in);
        for (const double bad : {kNaN, kInf})
            for (const std::size_t input : {1u, 2u}) {
                const std::vector<D> r = results_of(c, spoilt(in, input, kQueries, bad));
                const std::string what = fmt::format("{}, input {} is {}: ", c.name, input, bad);
                expect_rows_near(r[0], clean[0], 0, kQueries, what + "y");
                expect_rows_near(r[1], clean[1], 0, kQueries, what + "dq");
                for (const std::size_t i : {2u, 3u}) {
                    expect_rows_near(r[i], clean[i], 0, kKeys, what + (i == 2 ? "dk" : "dv"));
                    for (Index e = kQueries * kWidth; e < kKeys * kWidth; ++e) EXPECT_EQ(r[i][e], 0) << what << i;
                }
            }
    }
}

TEST(CausalMechanisms, AQueryReachesNoLaterKey) {
    for (const Causal& c : causal_mechanisms())
        for (const Index at : {Index{2}, Index{66}}) {
            const Inputs in = drawn_inputs(c);
            const std::vector<D> clean = results_of(c, in);
            Inputs query = in, cotangent = in;
            query.x[0] = in.x[0].clone();
            cotangent.dy = in.dy.clone();
            fill_row(query.x[0], at, kNaN);
            fill_row(cotangent.dy, at, kNaN);
            for (const Inputs* changed : {&query, &cotangent}) {
                const std::vector<D> r = results_of(c, *changed);
                for (const std::size_t i : {2u, 3u}) {
                    expect_rows_near(r[i], clean[i], at + 1, kLength,
                                     fmt::format("{}, at {}: {}", c.name, at, i == 2 ? "dk" : "dv"));
                    EXPECT_TRUE(std::isnan(r[i][0])) << c.name;
                }
            }
        }
}

}  // namespace
}  // namespace gradproof
