// The samples that the checker adds to those of a page: what they find, and what is said where an op does not take them.
#include "gradproof/core/check/contracts.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace gradproof::check {
namespace {

enum class Square { right, gives_up_far_out, divides_by_zero, refuses_zeros, overflows };

Square square = Square::right;

/// y = x^2, right on the samples of its page.
struct Squared {
    static constexpr OpInfo info{
        .name = "squared", .inputs = "x", .forward = "y = x^2", .backward = "dx = 2 x dy", .saves = "x", .source = "tests"};
    using Attrs = NoFields;
    template <Scalar T>
    using Saved = SavedInput<T>;
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        saved.x = in[0];
        Tensor<T> y(in[0].shape());
        for (Index i = 0; i < y.size(); ++i) {
            const double x = static_cast<double>(primal(in[0][i]));
            if (square == Square::refuses_zeros && x == 0) value_error("squared: x is 0 at {}", i);
            y[i] = square == Square::overflows && std::abs(x) > 100 ? in[0][i] * T(1e300) * T(1e300) : in[0][i] * in[0][i];
        }
        return y;
    }
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        Tensor<T> g(dy.shape());
        for (Index i = 0; i < g.size(); ++i) {
            const T& x = saved.x[i];
            g[i] = square == Square::divides_by_zero ? T(2) * (x * x) / x * dy[i] : T(2) * x * dy[i];
            if (square == Square::gives_up_far_out && std::abs(static_cast<double>(primal(x))) > 500) g[i] = T(0);
        }
        dx.add(0, g);
    }
    static std::vector<Sample<Squared>> samples() { return {{"rows", {}, {{3, 5}}}}; }
    static std::vector<ErrorSample<Squared>> error_samples() { return {{"two inputs", {}, {{3}, {3}}, "takes 1 input"}}; }
};

/// The report with what is said of the sample that the checker adds under this name.
std::pair<Report, std::string> check_squared(Square kind, const std::string& sample) {
    static const OpEntry entry = make_entry<Squared>("tests/squared.cpp");
    square = kind;
    Report report = check_ops({&entry}, {.seed = 4});
    square = Square::right;
    std::string said;
    for (const ContractResult& f : report.ops[0].findings)
        if (f.added && f.contract == Contract::adjoint && f.sample == "rows, " + sample) said = f.reason;
    return {std::move(report), said};
}

TEST(AddedSamples, AreLargeValuesZerosTiesAndOneValue) {
    const Report report = check_squared(Square::right, "").first;
    EXPECT_EQ(report.verdict(), Verdict::right) << table(report, {});
    std::string names;
    for (const ContractResult& f : report.ops[0].findings)
        if (f.added && f.contract == Contract::difference && !f.excused) names += f.sample + "; ";
    EXPECT_EQ(names,
              "rows, times 30; rows, times 1e3; rows, times 1e4; rows, times 1e5; rows, plus 1e4; rows, zeros; "
              "rows, some zeros; rows, ties; rows, one value; ");
    EXPECT_NE(table(report, {}).find("9 samples judged, 0 not"), std::string::npos) << table(report, {});
}

TEST(AddedSamples, FindWhatThePagesSamplesDoNot) {
    const auto [far, said_far] = check_squared(Square::gives_up_far_out, "times 1e4");
    EXPECT_EQ(far.verdict(), Verdict::wrong);
    EXPECT_EQ(said_far, "the claimed gradient is not the one dual numbers give");
    const auto [zero, said_zero] = check_squared(Square::divides_by_zero, "zeros");
    EXPECT_EQ(zero.verdict(), Verdict::wrong);
    EXPECT_EQ(said_zero, "the claimed gradient is not the one dual numbers give");
    EXPECT_EQ(table(zero, {}).find("why:"), std::string::npos) << "values that are alike give no advice";
}

TEST(AddedSamples, MayBeRefusedOrOverflowAndThatIsSaid) {
    const auto [refuses, why] = check_squared(Square::refuses_zeros, "zeros");
    EXPECT_EQ(refuses.verdict(), Verdict::right) << table(refuses, {});
    EXPECT_EQ(why, "it is refused: squared: x is 0 at 0");
    EXPECT_NE(table(refuses, {}).find("squared: not judged: \"rows, zeros\": it is refused: squared: x is 0 at 0"),
              std::string::npos)
        << table(refuses, {});
    const auto [large, said] = check_squared(Square::overflows, "times 1e4");
    EXPECT_EQ(large.verdict(), Verdict::right) << table(large, {});
    EXPECT_NE(said.find("] is "), std::string::npos) << said;
}

}  // namespace
}  // namespace gradproof::check
