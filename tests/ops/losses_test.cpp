// log_softmax, cross_entropy and mse: values and gradients of PyTorch (float64), conventions, and errors.
#include <gtest/gtest.h>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/core/transforms.hpp"
#include "gradproof/ops/cross_entropy.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "gradproof/ops/log_softmax.hpp"
#include "gradproof/ops/mse.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::kInf;

const Tensor<double> kLogits = Tensor<double>::from({2, 4}, {0.3, -1.2, 0.8, 2.0, 1.5, 0.25, -0.75, 0.5});
const Tensor<double> kLogitsDy = Tensor<double>::from({2, 4}, {1.0, -2.0, 0.5, 0.25, 0.2, 0.4, -1.0, 2.0});
const Tensor<double> kTargets = Tensor<double>::from({2, 4}, {0.1, 0.2, 0.3, 0.4, 0.7, 0.1, 0.1, 0.1});
const Tensor<Index> kIds = Tensor<Index>::from({2}, {3, 1});

// Values are at most 8, each the result of about 20 roundings: 8 * 20 eps / 2 = 2e-14.
constexpr double kLossTolerance = 2e-14;

void expect_losses(const Tensor<double>& got, std::initializer_list<double> expected) {
    ASSERT_EQ(got.size(), static_cast<Index>(expected.size()));
    for (Index i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected.begin()[i], kLossTolerance) << "at " << i;
}

TEST(LogSoftmax, AgreesWithPyTorch) {
    const auto f = [](const auto& x) { return log_softmax(x[0], {.temperature = 0.5}); };
    const auto [y, dx] = vjp(f, Tensors{kLogits}, kLogitsDy);
    expect_losses(y, {-3.5184519501257965, -6.5184519501257965, -2.5184519501257965, -0.11845195012579648, -0.20581774533552213,
                      -2.7058177453355223, -4.705817745335522, -2.2058177453355223});
    expect_losses(dx[0], {2.0148226460274983, -3.999262023908836, 1.040292129346229, 0.944147248535109, -2.204740526958243,
                          0.5861898774290193, -2.0289360534969987, 3.6474867030262224});
}

TEST(LogSoftmax, IsTheLogarithmOfSoftmaxAlongAnyAxis) {
    Random rng(1);
    const auto x = rng.normal<double>({3, 4, 5});
    for (Index axis = -3; axis < 3; ++axis) {
        const auto y = log_softmax(x, {.axis = axis});
        const auto p = softmax(x, {.axis = axis});
        for (Index i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], std::log(p[i]), kLossTolerance);
    }
}

TEST(LogSoftmax, KeepsWhatSoftmaxUnderflows) {
    const auto y = log_softmax(Tensor<double>::from({3}, {0, -1e4, 1e30}));
    EXPECT_EQ(y[0], -1e30);
    EXPECT_EQ(y[2], 0);
    EXPECT_EQ(log_softmax(Tensor<float>::from({2}, {0, -5000}))[1], -5000.0F);
}

TEST(LogSoftmax, MaskedScoresGiveNoNaN) {
    const auto x = Tensor<double>::from({2, 3}, {0, -kInf, 0, -kInf, -kInf, -kInf});
    const auto f = [](const auto& v) { return log_softmax(v[0]); };
    const auto [y, dx] = vjp(f, Tensors{x}, ones<double>({2, 3}));
    const double half = -std::log(2.0);
    const double expected[] = {half, -kInf, half, -kInf, -kInf, -kInf};
    for (Index i = 0; i < 6; ++i) EXPECT_EQ(y[i], expected[i]);
    // dx = dy - exp(y) * 2 = 0 on the two scores that count; what is -inf is constant.
    expect_losses(dx[0], {0, 0, 0, 0, 0, 0});
    const auto lopsided = vjp(f, Tensors{x}, Tensor<double>::from({2, 3}, {1, 5, 0, 1, 1, 1})).second[0];
    expect_losses(lopsided, {0.5, 0, -0.5, 0, 0, 0});
}

TEST(CrossEntropy, OfIdsAgreesWithPyTorch) {
    const auto f = [](const auto& x) { return cross_entropy(x[0], {.ids = kIds}); };
    const auto [y, dx] = vjp(f, Tensors{kLogits}, Tensor<double>::scalar(1));
    expect_losses(y, {1.1184745230452984});
    EXPECT_EQ(y.rank(), 0);
    expect_losses(dx[0], {0.05991038253252376, 0.013367813249035713, 0.09877552201715334, -0.17205371779871287,
                          0.28412586583983496, -0.4185965765248325, 0.029946645937486898, 0.10452406474751066});
}

TEST(CrossEntropy, WithoutReductionAgreesWithPyTorch) {
    const auto f = [](const auto& x) { return cross_entropy(x[0], {.ids = kIds, .reduction = Reduction::none}); };
    const auto [y, dx] = vjp(f, Tensors{kLogits}, Tensor<double>::from({2}, {2.0, -0.5}));
    expect_losses(y, {0.4217582772270009, 1.8151907688635958});
    expect_losses(dx[0], {0.23964153013009504, 0.05347125299614285, 0.39510208806861336, -0.6882148711948515,
                          -0.28412586583983496, 0.4185965765248325, -0.029946645937486898, -0.10452406474751066});
}

TEST(CrossEntropy, IgnoredRowsDoNotCount) {
    const auto ids = Tensor<Index>::from({2}, {3, -100});
    const auto f = [&](const auto& x) { return cross_entropy(x[0], {.ids = ids, .ignore_index = -100}); };
    const auto [y, dx] = vjp(f, Tensors{kLogits}, Tensor<double>::scalar(1));
    expect_losses(y, {0.4217582772270009});
    expect_losses(dx[0], {0.11982076506504752, 0.026735626498071426, 0.19755104403430668, -0.34410743559742574, 0, 0, 0, 0});
}

TEST(CrossEntropy, OfNothingIsZeroWithZeroGradient) {
    const auto ids = Tensor<Index>::from({2}, {9, 9});
    const auto f = [&](const auto& x) { return cross_entropy(x[0], {.ids = ids, .ignore_index = 9}); };
    const auto [y, dx] = vjp(f, Tensors{kLogits}, Tensor<double>::scalar(1));
    EXPECT_EQ(y.item(), 0);
    for (const double d : dx[0].values()) EXPECT_EQ(d, 0);
    EXPECT_EQ(cross_entropy(zeros<double>({0, 4}), {.ids = Tensor<Index>(Shape{0})}).item(), 0);
}

TEST(CrossEntropy, OfTargetsAgreesWithPyTorchAndDifferentiatesThem) {
    const auto f = [](const auto& x) { return cross_entropy(x[0], x[1], {.reduction = Reduction::sum}); };
    const auto [y, dx] = vjp(f, Tensors{kLogits, kTargets}, Tensor<double>::scalar(1));
    expect_losses(y, {2.6069490460905964});
    expect_losses(dx[0], {0.019820765065047513, -0.17326437350192858, -0.10244895596569331, 0.25589256440257424,
                          -0.1317482683203301, 0.06280684695033502, -0.040106708125026216, 0.1090481294950213});
    expect_losses(dx[1], {2.1217582772270007, 3.621758277227001, 1.6217582772270007, 0.4217582772270009, 0.5651907688635956,
                          1.8151907688635958, 2.8151907688635958, 1.5651907688635958});
}

TEST(CrossEntropy, OneHotTargetsAreTheSameAsIds) {
    Random rng(5);
    const auto x = rng.normal<double>({6, 33});
    Tensor<Index> ids(Shape{6});
    auto hot = zeros<double>({6, 33});
    for (Index r = 0; r < 6; ++r) hot[r * 33 + (ids[r] = rng.below(33))] = 1;
    const auto by_id = grad([&](const auto& v) { return cross_entropy(v[0], {.ids = ids}); }, Tensors{x});
    const auto by_target = grad([](const auto& v) { return cross_entropy(v[0], v[1]); }, Tensors{x, hot});
    for (Index i = 0; i < x.size(); ++i)
        EXPECT_NEAR(by_id[0][i], by_target[0][i], 1e-16);  // entries below 1/6: one rounding each
}

TEST(CrossEntropy, MaskedScoresGiveNoNaN) {
    const auto x = Tensor<double>::from({2, 3}, {0, -kInf, 0, -kInf, -kInf, -kInf});
    const auto ids = Tensor<Index>::from({2}, {0, 1});
    const auto f = [&](const auto& v) { return cross_entropy(v[0], {.ids = ids, .reduction = Reduction::none}); };
    const auto [y, dx] = vjp(f, Tensors{x}, ones<double>({2}));
    EXPECT_NEAR(y[0], std::log(2.0), kLossTolerance);
    EXPECT_EQ(y[1], kInf);  // every class has probability 0
    expect_losses(dx[0], {-0.5, 0, 0.5, 0, 0, 0});

    const auto targets = Tensor<double>::from({2, 3}, {0.5, 0, 0.5, 0, 0, 0});
    const auto g = [](const auto& v) { return cross_entropy(v[0], v[1], {.reduction = Reduction::none}); };
    const auto [dense, dd] = vjp(g, Tensors{x, targets}, ones<double>({2}));
    EXPECT_NEAR(dense[0], std::log(2.0), kLossTolerance);
    EXPECT_EQ(dense[1], 0);  // no target mass
    expect_losses(dd[0], {0, 0, 0, 0, 0, 0});
    expect_losses(dd[1], {std::log(2.0), 0, std::log(2.0), 0, 0, 0});
}

TEST(CrossEntropy, HugeScoresKeepTheirTies) {
    const auto x = Tensor<double>::from({1, 3}, {1e30, 1e30, -1e30});
    const auto [y, dx] = vjp([](const auto& v) { return cross_entropy(v[0], {.ids = Tensor<Index>::from({1}, {0})}); },
                             Tensors{x}, Tensor<double>::scalar(1));
    EXPECT_NEAR(y.item(), std::log(2.0), kLossTolerance);
    expect_losses(dx[0], {-0.5, 0.5, 0});
}

template <class T>
void expect_long_rows_agree_with_the_readable_path() {
    constexpr Index n = 7001;  // several pieces of the kernel and a ragged end
    Tensor<T> x({5, n});
    Random rng(6);
    for (Index i = 0; i < n; ++i) {
        x[i] = static_cast<T>(i) / 100;          // the maximum grows in every piece
        x[n + i] = static_cast<T>(n - i) / 100;  // it is in the first
        x[2 * n + i] = i < 4500 ? -std::numeric_limits<T>::infinity() : static_cast<T>(rng.normal());
        x[3 * n + i] = i == 6000 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(rng.normal());
        x[4 * n + i] = -std::numeric_limits<T>::infinity();
    }
    const auto f = [](const auto& v) {
        return cross_entropy(v[0], {.ids = Tensor<Index>::from({5}, {7000, 3, 5000, 1, 2}), .reduction = Reduction::none});
    };
    const auto dy = Tensor<T>::from({5}, {1, -2, 0.5, 1, 1});
    for (const std::string& arch : archs()) {
        const ArchScope on(arch);
        const auto [y, dx] = vjp(f, std::vector{x}, dy);
        const KernelScope reference("plain");
        const auto [plain, dplain] = vjp(f, std::vector{x}, dy);
        // Sums of 7001 terms in running sums of 2048 / 64 terms at most: 40 roundings, with those of the exponentials.
        const T tolerance = 64 * std::numeric_limits<T>::epsilon();
        const auto same = [=](T a, T b, T scale) {
            return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= tolerance * scale;
        };
        for (Index r = 0; r < 5; ++r)
            EXPECT_TRUE(same(y[r], plain[r], 16)) << arch << " row " << r << ": " << y[r] << ", " << plain[r];
        for (Index i = 0; i < 5 * n; ++i)
            ASSERT_TRUE(same(dx[0][i], dplain[0][i], std::abs(dplain[0][i])))
                << arch << " at " << i / n << ", " << i % n << ": " << dx[0][i] << ", " << dplain[0][i];
    }
}
TEST(CrossEntropy, LongRowsAgreeWithTheReadablePath) {
    expect_long_rows_agree_with_the_readable_path<float>();
    expect_long_rows_agree_with_the_readable_path<double>();
}

TEST(CrossEntropy, UniformScoresCostTheLogarithmOfTheVocabulary) {
    constexpr Index kVocabulary = 50000;
    const auto ids = Tensor<Index>::from({2}, {17, 49999});
    // float: 50 000 ones are summed exactly, so only the logarithm rounds (10.8 eps = 6e-7).
    EXPECT_NEAR(cross_entropy(Tensor<float>({2, kVocabulary}, 0.25F), {.ids = ids}).item(), std::log(50000.0), 1e-6);
}

TEST(CrossEntropy, IsTheSameForEveryThreadCount) {
    Random rng(2);
    const auto x = rng.normal<double>({64, 3000});
    Tensor<Index> ids(Shape{64});
    for (Index& id : ids) id = rng.below(3000);
    const auto f = [&](const auto& v) { return cross_entropy(v[0], {.ids = ids}); };
    const int before = threads();
    set_threads(1);
    const auto one = grad(f, Tensors{x});
    set_threads(3);
    const auto three = grad(f, Tensors{x});
    set_threads(before);
    for (Index i = 0; i < x.size(); ++i) ASSERT_EQ(one[0][i], three[0][i]);
}

TEST(Mse, AgreesWithPyTorch) {
    const auto f = [](const auto& x) { return mse(x[0], x[1]); };
    const auto [y, dx] = vjp(f, Tensors{kLogits, kTargets}, Tensor<double>::scalar(1));
    expect_losses(y, {0.794375});
    expect_losses(dx[0], {0.05, -0.35, 0.125, 0.4, 0.2, 0.0375, -0.2125, 0.1});
    expect_losses(dx[1], {-0.05, 0.35, -0.125, -0.4, -0.2, -0.0375, 0.2125, -0.1});
}

TEST(Mse, SumIsTheMeanTimesTheCount) {
    EXPECT_NEAR(mse(kLogits, kTargets, {.reduction = Reduction::sum}).item(), 8 * 0.794375, kLossTolerance);
    EXPECT_NEAR(mse(kLogits, kTargets, {.reduction = Reduction::none})[3], 2.56, kLossTolerance);
    EXPECT_EQ(mse(zeros<double>({0}), zeros<double>({0})).item(), 0);
}

// The error samples of the five pages that share ops/kernels/row_loops.hpp, as the registry has them.
TEST(RowOps, ErrorSamplesThrowTheirMessage) {
    for (const char* name : {"log_softmax", "layer_norm", "rms_norm", "cross_entropy", "mse"}) {
        const OpEntry& op = registry().find(name);
        for (const ErrorCase& e : op.error_samples()) {
            std::vector<Var<double>> values;
            for (const Arg& a : e.args)
                values.push_back(a.present ? Var<double>(a.values.defined() ? a.values : ones<double>(a.shape)) : Var<double>());
            std::vector<const Var<double>*> in;
            for (const auto& v : values) in.push_back(&v);
            try {
                call<double>(op.table<double>(), e.attrs.get(), in);
                ADD_FAILURE() << name << ": " << e.name << " did not throw";
            } catch (const std::invalid_argument& error) {
                EXPECT_NE(std::string(error.what()).find(e.message), std::string::npos)
                    << name << ": " << e.name << ": " << error.what();
            }
        }
    }
}

}  // namespace
}  // namespace gradproof
