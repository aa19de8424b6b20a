// Golden values and edges of the elementary functions. References: PyTorch 1.13, float64.
#include "gradproof/ops/functions.hpp"

#include "tests/ops/elementwise_case.hpp"

namespace gradproof {
namespace {

template <class F>
void expect_map(F f, const Tensor<double>& x, const std::vector<double>& y, const std::vector<double>& slope) {
    expect_near(f(x), x.shape(), y);
    expect_near(pullback([&](const auto& v) { return f(v[0]); }, {x}, ones<double>(x.shape()))[0], x.shape(), slope);
}

TEST(Functions, MatchReferenceValues) {
    const auto x = Tensor<double>::from({6}, {-2.5, -0.75, 0.0, 0.3, 1.7, 4.0});
    const std::vector<double> exps{0.0820849986238988, 0.4723665527410147, 1.0,
                                   1.3498588075760032, 5.473947391727199,  54.598150033144236};
    const std::vector<double> sines{-0.5984721441039564, -0.6816387600233341, 0.0,
                                    0.29552020666133955, 0.9916648104524686,  -0.7568024953079282};
    const std::vector<double> cosines{-0.8011436155469337, 0.7316888688738209,   1.0,
                                      0.955336489125606,   -0.12884449429552464, -0.6536436208636119};
    std::vector<double> minus_sines;
    for (const double s : sines) minus_sines.push_back(-s);
    expect_map([](const auto& v) { return exp(v); }, x, exps, exps);
    expect_map([](const auto& v) { return sin(v); }, x, sines, cosines);
    expect_map([](const auto& v) { return cos(v); }, x, cosines, minus_sines);
    expect_map([](const auto& v) { return erf(v); }, x,
               {-0.999593047982555, -0.7111556336535151, 0.0, 0.3286267594591274, 0.9837904585907745, 0.9999999845827421},
               {0.00217828423035271, 0.6429310691952074, 1.1283791670955126, 1.031260909618963, 0.0627110404968684,
                1.2698234671866558e-07});
    expect_map([](const auto& v) { return abs(v); }, x, {2.5, 0.75, 0, 0.3, 1.7, 4.0}, {-1, -1, 0, 1, 1, 1});
    const auto p = Tensor<double>::from({5}, {0.25, 0.75, 1.0, 2.5, 9.0});
    expect_map([](const auto& v) { return log(v); }, p,
               {-1.3862943611198906, -0.2876820724517809, 0.0, 0.9162907318741551, 2.1972245773362196},
               {4, 4.0 / 3, 1, 0.4, 1.0 / 9});
    expect_map([](const auto& v) { return sqrt(v); }, p, {0.5, 0.8660254037844386, 1.0, 1.5811388300841898, 3.0},
               {1.0, 0.5773502691896258, 0.5, 0.31622776601683794, 1.0 / 6});
}

TEST(Functions, FollowIeeeAtTheEdges) {
    expect_near(exp(Tensor<double>::from({2}, {-INFINITY, INFINITY})), {2}, {0, INFINITY});
    expect_near(log(Tensor<double>::from({2}, {0, INFINITY})), {2}, {-INFINITY, INFINITY});
    expect_near(sqrt(Tensor<double>::from({2}, {0, INFINITY})), {2}, {0, INFINITY});
    EXPECT_TRUE(std::isnan(log(Tensor<double>::scalar(-1)).item()));
    EXPECT_TRUE(std::isnan(sqrt(Tensor<double>::scalar(-1)).item()));
}

TEST(Functions, SecondDerivativesComeFromTheSameBackward) {
    // sin'' = -sin, by a Hessian-vector product of the sum of one element.
    const Tensors x{Tensor<double>::from({1}, {0.3})}, v{Tensor<double>::from({1}, {2})};
    const auto [g, h] = hvp([](const auto& z) { return sin(z[0]); }, x, v);
    EXPECT_NEAR(g[0][0], std::cos(0.3), 2e-16);
    EXPECT_NEAR(h[0][0], -2 * std::sin(0.3), 4e-16);
}

}  // namespace
}  // namespace gradproof
