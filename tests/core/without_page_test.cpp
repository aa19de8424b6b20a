// Ops that have no page, being for double, or float and double, alone: what they are held to, and how far that goes.
#include <gtest/gtest.h>

#include "gradproof/core/check/black_box.hpp"
#include "tests/support.hpp"

namespace gradproof::check {
namespace {

enum class Fault { none, gradient, both, float_value, state, out_of_bounds, at_large };
Fault fault = Fault::none;
Tensor<double> last;

/// y = x^3
struct Cube {
    static constexpr OpInfo info{
        .name = "cube", .inputs = "x", .forward = "y = x^3", .backward = "dx = 3 x^2 dy", .saves = "x", .source = "tests"};
    using Attrs = NoFields;
    template <Scalar T>
    using Saved = SavedInput<T>;
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>& saved) {
        expect_inputs(info, x, 1);
        saved.x = x[0];
        Tensor<T> y(x[0].shape());
        for (Index i = 0; i < y.size(); ++i) y[i] = x[0][i] * x[0][i] * x[0][i];
        if (fault == Fault::both || (fault == Fault::float_value && std::is_same_v<T, float>))
            for (T& v : y) v *= T(1.01);
        if (fault == Fault::state) last = cast<double>(x[0]);
        return y;
    }
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T> x = fault == Fault::state ? cast<T>(last) : saved.x;
        Tensor<T> g(dy.shape());
        for (Index i = 0; i < g.size(); ++i) {
            g[i] = T(3) * x[i] * x[i] * dy[i];
            if (fault == Fault::both) g[i] *= T(1.01);
            if (fault == Fault::gradient) g[i] *= T(1 + 1e-6);
            if (fault == Fault::at_large && x[i] > T(500)) g[i] = T(0);
        }
        if (fault == Fault::out_of_bounds) g.data()[g.size()] = T(0);
        if (dx.needs(0)) dx.add(0, g);
    }
    static std::vector<Sample<Cube>> samples() { return {{"rows", {}, {{3, 5}}}}; }
    static std::vector<ErrorSample<Cube>> error_samples() { return {{"two inputs", {}, {{3}, {3}}, "takes 1 input"}}; }
};

template <class... Types>
OpReport checked(Fault with, const Options& options = {.seed = 3}) {
    static const OpEntry entry = make_entry<Cube, Types...>("tests/cube.cpp");
    fault = with;
    const OpReport report = check_op(entry, options);
    fault = Fault::none;
    return report;
}

std::string text_of(const OpReport& op) {
    Report report;
    report.ops.push_back(op);
    return table(report, {});
}

TEST(WithoutPage, HeldToItsOwnDifferencesAndSaidToBeWeaker) {
    const OpReport right = checked<double>(Fault::none);
    EXPECT_EQ(right.verdict(), Verdict::right) << text_of(right);
    ASSERT_EQ(right.kernels.size(), 1u);
    const KernelReport& k = right.kernels[0];
    EXPECT_EQ(k.against, "differences of its own forward: the weaker evidence, for the forward is its own witness");
    EXPECT_EQ(k.mark(Contract::kernel_value), '-');
    for (const Contract c :
         {Contract::kernel_gradient, Contract::saved, Contract::linear, Contract::needed, Contract::unchanged, Contract::errors,
          Contract::layout, Contract::deterministic, Contract::independent, Contract::in_bounds})
        EXPECT_EQ(k.mark(c), '+') << name(c);
    EXPECT_GT(right.entries, 15);  // its own sample, and what the checker adds
    EXPECT_GT(right.gradient_norm, 0);
    const std::string text = text_of(right);
    EXPECT_NE(text.find("cube: no page"), std::string::npos) << text;
    EXPECT_NE(text.find("; against differences of its own forward: the weaker evidence"), std::string::npos) << text;
}

TEST(WithoutPage, FaultsAreSeen) {
    const struct {
        Fault fault;
        Contract contract;
        const char* reason;
    } kFaults[] = {
        {Fault::gradient, Contract::kernel_gradient,
         "the backward is at fault: d(x) of the op (claimed) is not that of differences of its own forward (true), as double"},
        {Fault::at_large, Contract::kernel_gradient, "the backward is at fault"},
        {Fault::state, Contract::independent, "the op keeps what it should save"},
        {Fault::out_of_bounds, Contract::in_bounds, "the backward writes past the end of d(x)"},
    };
    for (const auto& f : kFaults) {
        const OpReport r = checked<double>(f.fault);
        EXPECT_EQ(r.kernels[0].mark(f.contract), 'X') << f.reason << "\n" << text_of(r);
        EXPECT_NE(text_of(r).find(f.reason), std::string::npos) << text_of(r);
    }
}

TEST(WithoutPage, FloatIsHeldToDouble) {
    EXPECT_EQ((checked<float, double>(Fault::none).verdict()), Verdict::right) << text_of(checked<float, double>(Fault::none));
    EXPECT_EQ((checked<float, double>(Fault::none).kernels[0].mark(Contract::kernel_value)), '+');
    EXPECT_EQ((checked<float, double>(Fault::float_value).kernels[0].mark(Contract::kernel_value)), 'X');
    EXPECT_EQ((checked<float, double>(Fault::gradient).kernels[0].mark(Contract::kernel_gradient)), 'X');
    EXPECT_EQ(checked<float>(Fault::none).verdict(), Verdict::cannot_tell);
}

TEST(WithoutPage, OnlyWhatKnowsTheFunctionSeesAFaultOfTheForward) {
    EXPECT_EQ(checked<double>(Fault::both).verdict(), Verdict::right);  // as said, it is its own witness
    Options options{.seed = 3};
    options.against = std::make_shared<Against>(
        against_function("cube.proof", [](const KernelCall&, const std::vector<Tensor<BoundedDual>>& x) {
            Tensor<BoundedDual> y(x[0].shape());
            for (Index i = 0; i < y.size(); ++i) y[i] = x[0][i] * x[0][i] * x[0][i];
            return y;
        }));
    EXPECT_EQ(checked<double>(Fault::none, options).verdict(), Verdict::right) << text_of(checked<double>(Fault::none, options));
    const OpReport wrong = checked<double>(Fault::both, options);
    EXPECT_EQ(wrong.kernels[0].mark(Contract::kernel_value), 'X');
    EXPECT_NE(text_of(wrong).find("the forward is at fault: y of the op (claimed) is not that of cube.proof (true)"),
              std::string::npos)
        << text_of(wrong);
}

TEST(WithoutPage, DualNumbersAreRefusedInOneLine) {
    static const OpEntry entry = make_entry<Cube, double>("tests/cube.cpp");
    EXPECT_EQ(testing::error_of([] { entry.table<Dual<double>>(); }),
              "cube: it has no page: it is for float or double alone, and has no dual numbers");
}

}  // namespace
}  // namespace gradproof::check
