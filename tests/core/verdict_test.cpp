// The three verdicts: at kinks, where differences cannot tell, and far from 0.
#include "gradproof/core/check/contracts.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace gradproof::check {
namespace {

enum class Shaped { kink, wrong_at_kink, declared_kink, saturated, rippled, jagged, not_a_number };

Shaped shaped = Shaped::kink;

/// |x| where `shaped` speaks of kinks, 1 + 1e-9 x where it saturates, 1e-4 sin(1e4 x) where it is rippled, x with jumps of 0.01
/// that neither the backward nor dual numbers see where it is jagged.
struct Edge {
    static constexpr OpInfo info{
        .name = "edge", .inputs = "x", .forward = "y = |x|", .backward = "dx = sign(x) dy", .saves = "x", .source = "tests"};
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> x;
        static void fields(auto& s, auto&& f) { f("x", s.x); }
    };
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        saved.x = in[0];
        Tensor<T> y(in[0].shape());
        using std::sin;
        for (Index i = 0; i < y.size(); ++i)
            y[i] = shaped == Shaped::saturated ? T(1) + T(1e-9) * in[0][i]
                   : shaped == Shaped::rippled ? T(1e-4) * sin(T(1e4) * in[0][i])
                   : shaped == Shaped::jagged  ? in[0][i] + T(0.01 * std::fmod(1e9 * static_cast<double>(primal(in[0][i])), 1.0))
                                               : where(in[0][i] >= T(0), in[0][i], -in[0][i]);
        return y;
    }
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        Tensor<T> g(dy.shape());
        for (Index i = 0; i < g.size(); ++i) {
            const double x = static_cast<double>(primal(saved.x[i]));
            const bool is_kink = x == 0 && (shaped < Shaped::saturated || shaped == Shaped::not_a_number);
            const double at_zero = shaped == Shaped::wrong_at_kink ? 3 : shaped == Shaped::not_a_number ? NAN : 0;
            const double slope = shaped == Shaped::saturated ? 1e-9
                                 : shaped == Shaped::rippled ? std::cos(1e4 * x)
                                 : shaped == Shaped::jagged  ? 1
                                 : x > 0                     ? 1
                                                             : -1;
            g[i] = T(is_kink ? at_zero : slope) * dy[i];
        }
        dx.add(0, g);
    }
    static std::vector<Sample<Edge>> samples() {
        if (shaped == Shaped::saturated || shaped == Shaped::rippled || shaped == Shaped::jagged) return {{"smooth", {}, {{5}}}};
        Sample<Edge> kink{"kink", {}, {Tensor<double>::from({3}, {1, 0, -2})}};
        if (shaped == Shaped::declared_kink || shaped == Shaped::wrong_at_kink)
            kink.excuse = {.finite_differences = true, .why = "a kink at 0"};
        return {kink, {"smooth", {}, {{Shape{4}, Distribution::nonzero}}}};
    }
    static std::vector<ErrorSample<Edge>> error_samples() { return {{"two inputs", {}, {{3}, {3}}, "takes 1 input"}}; }
};

OpReport check_edge(Shaped kind) {
    shaped = kind;
    return check_op(make_entry<Edge>("tests/edge.cpp"), {.seed = 3});
}

TEST(Verdict, CannotTellAtAKink) {
    const OpReport op = check_edge(Shaped::kink);
    EXPECT_EQ(op.verdict(), Verdict::cannot_tell);
    for (const Contract c : {Contract::adjoint, Contract::difference}) {
        EXPECT_EQ(op.mark(c), '?') << name(c);
        EXPECT_NE(op.of(c).front()->reason.find("kink at d(x)[1]"), std::string::npos) << op.of(c).front()->reason;
    }
}

TEST(Verdict, ADeclaredKinkAsksThatTheClaimLiesBetweenTheSides) {
    EXPECT_EQ(check_edge(Shaped::declared_kink).verdict(), Verdict::right);
    EXPECT_EQ(check_edge(Shaped::wrong_at_kink).mark(Contract::adjoint), 'X');
}

TEST(Verdict, ANaNIsWrongAndNeverSkipped) { EXPECT_EQ(check_edge(Shaped::not_a_number).mark(Contract::adjoint), 'X'); }

TEST(Verdict, CannotTellWhereDifferencesDrownInRounding) {
    const OpReport op = check_edge(Shaped::saturated);
    EXPECT_EQ(op.mark(Contract::adjoint), '+');
    EXPECT_EQ(op.mark(Contract::difference), '?');
    EXPECT_NE(op.of(Contract::difference).front()->reason.find("saturated"), std::string::npos);
}

TEST(Verdict, StepsAreAsShortAsTheFunctionAsks) {
    const OpReport op = check_edge(Shaped::rippled);
    EXPECT_EQ(op.mark(Contract::adjoint), '+');
    EXPECT_EQ(op.mark(Contract::difference), '+');
}

TEST(Verdict, CannotTellWhereDifferencesDoNotSettle) {
    const OpReport op = check_edge(Shaped::jagged);
    EXPECT_EQ(op.mark(Contract::adjoint), '+');
    EXPECT_EQ(op.mark(Contract::difference), '?');
}

enum class Curve { sine, softmax };

Curve planted_curve = Curve::sine;
double planted_slope = 1, planted_size = 1;

/// sin or softmax of rows at numbers around `planted_size`, with a gradient that is off by a factor.
struct Far {
    static constexpr OpInfo info{
        .name = "far", .inputs = "x", .forward = "y = f(x)", .backward = "dx = f' dy", .saves = "x", .source = "tests"};
    using Attrs = NoFields;
    template <Scalar T>
    using Saved = SavedInput<T>;
    template <Scalar T>
    static Tensor<T> value(const Tensor<T>& x) {
        using std::exp, std::sin;
        Tensor<T> y(x.shape());
        if (planted_curve == Curve::sine) {
            for (Index i = 0; i < x.size(); ++i) y[i] = sin(x[i]);
            return y;
        }
        const Index n = x.dim(1);
        for (Index row = 0; row < x.dim(0); ++row) {
            T top = x[row * n], sum(0);
            for (Index k = row * n; k < (row + 1) * n; ++k) top = where(x[k] > top, x[k], top);
            for (Index k = row * n; k < (row + 1) * n; ++k) sum += y[k] = exp(x[k] - top);
            for (Index k = row * n; k < (row + 1) * n; ++k) y[k] = y[k] / sum;
        }
        return y;
    }
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        saved.x = in[0];
        return value(in[0]);
    }
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        using std::cos;
        if (!dx.needs(0)) return;
        Tensor<T> g(dy.shape());
        const Tensor<T> y = value(saved.x);
        const Index n = g.dim(1);
        for (Index k = 0; k < g.size(); ++k) {
            T sum(0);
            for (Index i = k - k % n; i < k - k % n + n; ++i) sum += y[i] * dy[i];
            g[k] = T(planted_slope) * (planted_curve == Curve::sine ? cos(saved.x[k]) * dy[k] : y[k] * (dy[k] - sum));
        }
        dx.add(0, g);
    }
    static std::vector<Sample<Far>> samples() {
        Random random(5);
        Tensor<double> x = random.normal<double>({3, 5}), far = x.clone();
        for (double& v : far) v += planted_size;
        return {{"around", {}, {far}}, {"near", {}, {{2, 3}}}};
    }
    static std::vector<ErrorSample<Far>> error_samples() { return {{"two inputs", {}, {{3}, {3}}, "takes 1 input"}}; }
};

const OpEntry& far_op() {
    static const OpEntry entry = make_entry<Far>("tests/far.cpp");
    return entry;
}

TEST(Verdict, SineAndSoftmaxAreRightFarFromZeroAndAHundredthOffIsWrong) {
    for (const Curve f : {Curve::sine, Curve::softmax})
        for (const double size : {300.0, 1e3, 1e4, -1e4, 1e6}) {
            planted_curve = f;
            planted_size = size;
            planted_slope = 1;
            const Report right = check_ops({&far_op()}, {.seed = 2});
            EXPECT_EQ(right.verdict(), Verdict::right) << size << '\n' << table(right, {});
            planted_slope = 1.01;
            const Report wrong = check_ops({&far_op()}, {.seed = 2});
            EXPECT_EQ(wrong.ops[0].mark(Contract::adjoint), 'X') << size;
            EXPECT_EQ(wrong.ops[0].of(Contract::difference).front()->verdict, Verdict::wrong) << size << '\n' << table(wrong, {});
        }
}

}  // namespace
}  // namespace gradproof::check
