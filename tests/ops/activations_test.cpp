// Golden values and edges of the activations. References: PyTorch 1.13, float64.
#include "gradproof/ops/activations.hpp"

#include "tests/ops/elementwise_case.hpp"

namespace gradproof {
namespace {

const Tensor<double> kArguments = Tensor<double>::from({6}, {-2.5, -0.75, 0.0, 0.3, 1.7, 4.0});

template <class F>
void expect_map(F f, const std::vector<double>& y, const std::vector<double>& slope) {
    expect_near(f(kArguments), {6}, y);
    expect_near(pullback([&](const auto& v) { return f(v[0]); }, {kArguments}, ones<double>({6}))[0], {6}, slope);
    expect_near(f(cast<float>(kArguments)), {6}, y, 8);  // the input 0.3 is rounded too
}

TEST(Activations, MatchReferenceValues) {
    expect_map([](const auto& x) { return tanh(x); },
               {-0.9866142981514303, -0.6351489523872873, 0.0, 0.2913126124515909, 0.935409070603099, 0.999329299739067},
               {0.02659222668316057, 0.5965858082813315, 1.0, 0.9151369618266292, 0.1250098706334466, 0.0013409506830259165});
    expect_map([](const auto& x) { return sigmoid(x); },
               {0.07585818002124355, 0.320821300824607, 0.5, 0.574442516811659, 0.8455347349164652, 0.9820137900379085},
               {0.07010371654510815, 0.21789499376181404, 0.25, 0.24445831169074586, 0.13060574696620808, 0.017662706213291107});
    expect_map([](const auto& x) { return relu(x); }, {0, 0, 0, 0.3, 1.7, 4.0}, {0, 0, 0, 1, 1, 1});
    expect_map([](const auto& x) { return gelu(x); },
               {-0.015524163314440398, -0.16997051428265111, 0.0, 0.1853734266566858, 1.6242387133104768, 3.9998733150326675},
               {-0.03761108590814519, 0.0007742782607648158, 0.5, 0.7323277668271099, 1.1153179687821648, 1.0005036496612265});
    expect_map([](const auto& x) { return gelu(x, {.form = GeluForm::tanh}); },
               {-0.015084266089998577, -0.17003944483437966, 0.0, 0.18537092354275922, 1.624105895551156, 3.9999297540518075},
               {-0.03795157621266618, 0.0010617438625856457, 0.5, 0.7322954516388018, 1.115914631452605, 1.000335123197122});
    expect_map([](const auto& x) { return silu(x); },
               {-0.18964545005310887, -0.24061597561845527, 0.0, 0.1723327550434977, 1.437409049357991, 3.928055160151634},
               {-0.09940111134152683, 0.1574000555032465, 0.5, 0.6477800103188829, 1.067564504759019, 1.0526646148910728});
    expect_map(
        [](const auto& x) { return softplus(x); },
        {0.07888973429254956, 0.3868710061149, 0.6931471805599453, 0.854355244468527, 1.8677860293862658, 4.0181499279178094},
        {0.07585818002124355, 0.320821300824607, 0.5, 0.574442516811659, 0.8455347349164652, 0.9820137900379085});
}

TEST(Activations, StayFiniteFarOut) {
    const auto x = Tensor<float>::from({4}, {1e30F, -1e30F, 100, -100});
    expect_near(tanh(x), {4}, {1, -1, 1, -1});
    expect_near(sigmoid(x), {4}, {1, 0, 1, 0});
    expect_near(softplus(x), {4}, {1e30, 0, 100, 0});
    expect_near(silu(x), {4}, {1e30, 0, 100, 0});
    expect_near(gelu(x), {4}, {1e30, 0, 100, 0});
    expect_near(gelu(x, {.form = GeluForm::tanh}), {4}, {1e30, 0, 100, 0});
    Tape<float> tape;
    const auto v = tape.leaf(x);
    const auto y = gelu(v, {.form = GeluForm::tanh});
    tape.backward(y, ones<float>({4}));
    expect_near(tape.grad(v), {4}, {1, 0, 1, 0});
}

TEST(Activations, KeepRelativePrecisionInTheLeftTail) {
    // mpmath, 30 digits: -10 P(-10), sigmoid(-40), softplus(-40) = log1p(exp(-40)).
    const auto relative = [](double got, double expected) { return std::abs(got / expected - 1); };
    EXPECT_LE(relative(gelu(Tensor<double>::scalar(-10)).item(), -7.619853024160526e-23),
              1e-14);  // erfc at 7: the argument's rounding times 2 * 7^2
    EXPECT_LE(relative(sigmoid(Tensor<double>::scalar(-40)).item(), 4.248354255291589e-18), 1e-15);
    EXPECT_LE(relative(softplus(Tensor<double>::scalar(-40)).item(), 4.248354255291589e-18), 1e-15);
}

TEST(Activations, SmoothOnesHaveTheirSlopeAtZeroInForwardModeToo) {
    const Tensors x{Tensor<double>::from({2}, {0.0, -0.0})}, v{ones<double>({2})};
    expect_near(jvp([](const auto& z) { return sigmoid(z[0]); }, x, v).second, {2}, {0.25, 0.25});
    expect_near(jvp([](const auto& z) { return softplus(z[0]); }, x, v).second, {2}, {0.5, 0.5});
    expect_near(jvp([](const auto& z) { return silu(z[0]); }, x, v).second, {2}, {0.5, 0.5});
    expect_near(jvp([](const auto& z) { return relu(z[0]); }, x, v).second, {2}, {0, 0});
}

TEST(Activations, ReluPassesNaNOn) { EXPECT_TRUE(std::isnan(relu(Tensor<double>::scalar(NAN)).item())); }

TEST(Activations, GeluFormIsReadByName) {
    GeluAttrs attrs;
    set_attr("gelu", attrs, "form", std::string("tanh"));
    EXPECT_EQ(attrs.form, GeluForm::tanh);
    EXPECT_EQ(attrs_text(attrs), "form=tanh");
    EXPECT_EQ(error_of([&] { set_attr("gelu", attrs, "form", std::string("quick")); }),
              "gelu: form is quick, expected one of exact, tanh");
}

}  // namespace
}  // namespace gradproof
