// layer_norm and rms_norm: values and gradients of PyTorch (float64), conventions, and errors.
#include <gtest/gtest.h>

#include "gradproof/core/random.hpp"
#include "gradproof/core/transforms.hpp"
#include "gradproof/ops/layer_norm.hpp"
#include "gradproof/ops/rms_norm.hpp"

namespace gradproof {
namespace {

const Tensor<double> kRows = Tensor<double>::from({2, 4}, {0.3, -1.2, 0.8, 2.0, 1.5, 0.25, -0.75, 0.5});
const Tensor<double> kRowsDy = Tensor<double>::from({2, 4}, {1.0, -2.0, 0.5, 0.25, 0.2, 0.4, -1.0, 2.0});
const Tensor<double> kGain = Tensor<double>::from({4}, {1.5, -0.5, 2.0, 0.75});
const Tensor<double> kBias = Tensor<double>::from({4}, {0.1, 0.2, -0.3, 0.4});

// Values are of order 1 and each passes through about 3 n + 10 roundings with n = 4: 22 eps = 5e-15.
constexpr double kNormTolerance = 5e-15;

void expect_rows(const Tensor<double>& got, std::initializer_list<double> expected) {
    ASSERT_EQ(got.size(), static_cast<Index>(expected.size()));
    for (Index i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected.begin()[i], kNormTolerance) << "at " << i;
}

TEST(LayerNorm, AgreesWithPyTorch) {
    const auto f = [](const auto& x) { return layer_norm(x[0], x[1], x[2]); };
    const auto [y, dx] = vjp(f, Tensors{kRows, kGain, kBias}, kRowsDy);
    expect_rows(y, {-0.12874698697853593, 0.929811815598186, 0.26642111061351775, 1.3966833004064783, 2.2083293303070874,
                    0.27808627149285514, -3.111105773742783, 0.5171294072392827});
    expect_rows(dx[0], {0.4653833406055943, -0.29950806113847794, 0.13940241235257478, -0.3052776918196908, -1.036047531227443,
                        0.045706373253844634, -0.8380229846010792, 1.8283641425746775});
    expect_rows(dx[1], {0.12861258605525439, 2.8567782451984605, 1.547158164524771, 0.6445728527735797});
    expect_rows(dx[2], {1.2, -1.6, -0.5, 2.25});
}

TEST(LayerNorm, WithoutGainAndBiasAgreesWithPyTorch) {
    const auto f = [](const auto& x) { return layer_norm(x[0], {.eps = 0.1}); };
    const auto [y, dx] = vjp(f, Tensors{kRows}, kRowsDy);
    expect_rows(y, {-0.14701859902924014, -1.4071780192798704, 0.27303454105430336, 1.2811620772548076, 1.3072340109917853,
                    -0.14524822344353167, -1.3072340109917853, 0.14524822344353172});
    expect_rows(dx[0], {0.9890796920008622, -0.7043811257289772, 0.2934072109935117, -0.578105777265397, -0.9163508172690655,
                        0.07599485108437948, -0.9428264428081401, 1.7831824089928263});
}

TEST(LayerNorm, TakesABiasWithoutAGain) {
    // Through the registry an absent input is an undefined tensor.
    const OpEntry& op = registry().find("layer_norm");
    const AnyAttrs attrs = op.default_attrs();
    Tape<double> tape;
    const Var<double> x = tape.leaf(kRows), absent, bias = tape.leaf(kBias);
    const Var<double>* in[] = {&x, &absent, &bias};
    const Var<double> y = call<double>(op.table<double>(), attrs.get(), in);
    tape.backward(y, kRowsDy);
    const auto plain = layer_norm(kRows);
    for (Index i = 0; i < y.value().size(); ++i) EXPECT_EQ(y.value()[i], plain[i] + kBias[i % 4]);
    expect_rows(tape.grad(bias), {1.2, -1.6, -0.5, 2.25});
}

/// The gradients of gain and bias over many rows in T, by what runs there by itself.
template <class T, class F>
std::vector<Tensor<double>> gradients_over_rows(F norm, std::vector<Tensor<double>> parameters) {
    Random rng(11);
    const Tensor<double> x = rng.normal<double>({100'000, 3}), dy = rng.uniform<double>({100'000, 3}, 1, 2);
    Tape<T> tape;
    std::vector<Var<T>> leaves{tape.leaf(cast<T>(x))};
    for (const auto& p : parameters) leaves.push_back(tape.leaf(cast<T>(p)));
    tape.backward(norm(leaves), cast<T>(dy));
    std::vector<Tensor<double>> out;
    for (std::size_t i = 1; i < leaves.size(); ++i) out.push_back(cast<double>(tape.grad(leaves[i])));
    return out;
}

/// Added up one after the other, numbers of 10^5 rows lose two digits of a float's seven.
template <class F>
void expect_exact_over_rows(F norm, const std::vector<Tensor<double>>& parameters) {
    const auto truth = gradients_over_rows<double>(norm, parameters), got = gradients_over_rows<float>(norm, parameters);
    for (std::size_t i = 0; i < truth.size(); ++i)
        for (Index k = 0; k < 3; ++k)
            EXPECT_NEAR(got[i][k], truth[i][k], 0.05) << i << " at " << k;  // of terms that add up to 1e5
}
TEST(Norms, GradientsOfGainAndBiasAddUpManyRowsPairwise) {
    const Tensor<double> gain = Tensor<double>::from({3}, {1.5, -0.5, 2.0}), bias = Tensor<double>::from({3}, {0.1, 0.2, -0.3});
    expect_exact_over_rows([](const auto& v) { return layer_norm(v[0], v[1], v[2]); }, {gain, bias});
    expect_exact_over_rows([](const auto& v) { return rms_norm(v[0], v[1]); }, {gain});
}

TEST(LayerNorm, RowsHaveMeanZeroAndVarianceOneFarFromZero) {
    Random rng(7);
    const auto y = layer_norm(rng.normal<double>({3, 100}, 1e6, 1), {.eps = 0});
    for (Index r = 0; r < 3; ++r) {
        double mean = 0, square = 0;
        for (Index i = 0; i < 100; ++i) mean += y[r * 100 + i] / 100, square += y[r * 100 + i] * y[r * 100 + i] / 100;
        EXPECT_NEAR(mean, 0, 1e-9);  // the mean of values near 1e6 is known to about 1e6 eps = 2e-10
        EXPECT_NEAR(square, 1, 1e-12);
    }
}

TEST(LayerNorm, ARowWithoutVarianceIsZeroNotNaN) {
    const auto f = [](const auto& x) { return layer_norm(x[0], {.eps = 0}); };
    const auto [y, dx] = vjp(f, Tensors{Tensor<double>({1, 3}, 2.0)}, ones<double>({1, 3}));
    expect_rows(y, {0, 0, 0});
    expect_rows(dx[0], {0, 0, 0});
}

TEST(RmsNorm, AgreesWithPyTorch) {
    const auto f = [](const auto& x) { return rms_norm(x[0], x[1]); };
    const auto [y, dx] = vjp(f, Tensors{kRows, kGain}, kRowsDy);
    expect_rows(y, {0.36232518253086765, 0.4831002433744902, 1.2882673156653075, 1.2077506084362257, 2.545568120687731,
                    -0.14142045114931842, -1.697045413791821, 0.42426135344795524});
    expect_rows(dx[0], {1.1911123367690926, 0.8717201589593502, 0.7607983478451283, 0.040047014940306186, -1.099667007963139,
                        -0.46611873695916, -1.5431891730283431, 1.2173533835513197});
    expect_rows(dx[1], {0.5809592044456093, 2.0455373344174155, 1.1705895358122373, 1.533947145339956});
}

TEST(RmsNorm, ARowOfZerosIsZeroNotNaN) {
    const auto f = [](const auto& x) { return rms_norm(x[0], {.eps = 0}); };
    const auto [y, dx] = vjp(f, Tensors{zeros<double>({1, 3})}, ones<double>({1, 3}));
    expect_rows(y, {0, 0, 0});
    expect_rows(dx[0], {0, 0, 0});
}

TEST(Norms, FloatStaysWithinAFewRoundingsOfDouble) {
    Random rng(3);
    const auto x = rng.normal<double>({40, 700});
    const auto wide = layer_norm(x);
    const auto narrow = layer_norm(cast<float>(x));
    // |xhat| < 5 and the deviation is summed pairwise in eight accumulators of at most 32 terms each: a few eps of 6e-8 each.
    for (Index i = 0; i < x.size(); ++i) EXPECT_NEAR(narrow[i], wide[i], 5 * 8 * 6e-8);
}

}  // namespace
}  // namespace gradproof
