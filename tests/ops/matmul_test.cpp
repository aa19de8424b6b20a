// matmul, linear and the product kernel against plain triple loops.
#include "gradproof/ops/matmul.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "gradproof/core/kernel_choice.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/core/transforms.hpp"
#include "gradproof/ops/activations.hpp"
#include "gradproof/ops/kernels/gemm.hpp"
#include "gradproof/ops/linear.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::error_of;

template <class T>
Tensor<T> drawn(Random& rng, const Shape& shape) {
    Tensor<T> t(shape);
    for (T& x : t) {
        if constexpr (is_dual<T>)
            x = T(rng.normal(), rng.normal());
        else
            x = static_cast<T>(rng.normal());
    }
    return t;
}
template <class T>
double distance(const T& a, const T& b) {
    if constexpr (is_dual<T>)
        return std::max(std::abs(a.value - b.value), std::abs(a.tangent - b.tangent));
    else
        return std::abs(static_cast<double>(a - b));
}
template <class T>
double eps() {
    return static_cast<double>(std::numeric_limits<base_t<T>>::epsilon());
}

/// One random call: operands of rank >= 2 as matmul takes them, and where each factor of the product lies.
struct Product {
    MatmulAttrs attrs;
    Shape a, b, batch;
    Index m, n, k;

    explicit Product(Random& rng) {
        const auto size = [&] { return rng.below(12) == 0 ? Index{0} : 1 + rng.below(7); };
        m = size(), n = size(), k = size();
        attrs = {.transpose_a = rng.below(2) == 1, .transpose_b = rng.below(2) == 1};
        Shape axes;
        for (Index i = rng.below(4); i > 0; --i) axes.push_back(size());
        a = operand(rng, axes), b = operand(rng, axes);
        batch = broadcast("case", a, b);
        a.push_back(attrs.transpose_a ? k : m), a.push_back(attrs.transpose_a ? m : k);
        b.push_back(attrs.transpose_b ? n : k), b.push_back(attrs.transpose_b ? k : n);
    }
    /// The batch axes of one operand: some leading ones left out, some of size 1.
    static Shape operand(Random& rng, const Shape& axes) {
        Shape out;
        for (int i = static_cast<int>(rng.below(axes.rank() + 1)); i < axes.rank(); ++i)
            out.push_back(rng.below(3) == 0 ? 1 : axes[i]);
        return out;
    }
    /// The first element of an operand's matrix for batch entry i.
    Index matrix(const Shape& operand, Index i) const {
        const Shape own(std::span(operand.begin(), static_cast<std::size_t>(operand.rank() - 2)));
        const Shape strides = broadcast_strides(own, batch);
        Index at = 0;
        for (int axis = batch.rank() - 1; axis >= 0; --axis) {
            at += i % batch[axis] * strides[axis];
            i /= batch[axis];
        }
        return at * operand.last(0) * operand.last(1);
    }
    Index in_a(Index i, Index row, Index p) const { return matrix(a, i) + (attrs.transpose_a ? p * m + row : row * k + p); }
    Index in_b(Index i, Index p, Index column) const {
        return matrix(b, i) + (attrs.transpose_b ? column * k + p : p * n + column);
    }
};

template <class T>
class MatmulOf : public ::testing::Test {};
using Elements = ::testing::Types<float, double, Dual<double>>;
TYPED_TEST_SUITE(MatmulOf, Elements);

TYPED_TEST(MatmulOf, ProductAndCotangentsEqualTripleLoops) {
    using T = TypeParam;
    const pool::PoisonScope poison;  // a fresh buffer holds NaN: what is not written, or read too early, shows
    Random rng(20);
    for (int trial = 0; trial < 400; ++trial) {
        const Product c(rng);
        const auto a = drawn<T>(rng, c.a), b = drawn<T>(rng, c.b);
        Tape<T> tape;
        const auto va = tape.leaf(a), vb = tape.leaf(b);
        const auto vy = matmul(va, vb, c.attrs);
        Shape shape = c.batch;
        shape.push_back(c.m), shape.push_back(c.n);
        ASSERT_EQ(vy.shape(), shape) << c.a.str() << " " << c.b.str();
        const auto dy = drawn<T>(rng, shape);
        tape.backward(vy, dy);

        Tensor<T> y(shape, T(0)), da(c.a, T(0)), db(c.b, T(0));
        for (Index i = 0; i < c.batch.size(); ++i)
            for (Index r = 0; r < c.m; ++r)
                for (Index s = 0; s < c.n; ++s)
                    for (Index p = 0; p < c.k; ++p) {
                        const Index at = (i * c.m + r) * c.n + s, ia = c.in_a(i, r, p), ib = c.in_b(i, p, s);
                        y[at] += a[ia] * b[ib];
                        da[ia] += dy[at] * b[ib];
                        db[ib] += dy[at] * a[ia];
                    }
        // Sums of up to n = 7 * 343 products of standard normal numbers; their partial sums stay below 10 sqrt(n), and
        // n roundings of random sign add up like sqrt(n): 10 n eps.
        const double tolerance = 24000 * eps<T>();
        const std::string call = c.a.str() + " " + c.b.str() + " " + attrs_text(c.attrs);
        for (Index i = 0; i < y.size(); ++i) ASSERT_LE(distance(vy.value()[i], y[i]), tolerance) << call << " y at " << i;
        const auto ga = tape.grad(va), gb = tape.grad(vb);
        for (Index i = 0; i < da.size(); ++i) ASSERT_LE(distance(ga[i], da[i]), tolerance) << call << " da at " << i;
        for (Index i = 0; i < db.size(); ++i) ASSERT_LE(distance(gb[i], db[i]), tolerance) << call << " db at " << i;
    }
}

template <class T>
class GemmOf : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GemmOf, Numbers);

TYPED_TEST(GemmOf, HonoursAlphaBetaAndLeadingSizes) {
    using T = TypeParam;
    Random rng(21);
    for (int flags = 0; flags < 8; ++flags) {
        const bool ta = flags & 1, tb = flags & 2, fresh = flags & 4;
        const Index m = 5, n = 6, k = 7, lda = 9, ldb = 10, ldc = 8;
        const auto a = drawn<T>(rng, {9, 9}), b = drawn<T>(rng, {10, 10});
        auto c = drawn<T>(rng, {5, 8});
        const T alpha(0.5), beta(fresh ? 0.0 : -2.0);
        if (fresh)
            for (Index i = 0; i < m; ++i)
                for (Index j = 0; j < n; ++j) c[i * ldc + j] = std::numeric_limits<T>::quiet_NaN();
        const auto before = c.clone();
        gemm(ta, tb, m, n, k, alpha, a.data(), lda, b.data(), ldb, beta, c.data(), ldc);
        for (Index i = 0; i < m; ++i)
            for (Index j = 0; j < ldc; ++j) {
                if (j >= n) {
                    EXPECT_EQ(distance(c[i * ldc + j], before[i * ldc + j]), 0) << "written beside c";
                    continue;
                }
                T sum(0);
                for (Index p = 0; p < k; ++p)
                    sum += (ta ? a[p * lda + i] : a[i * lda + p]) * (tb ? b[j * ldb + p] : b[p * ldb + j]);
                const T expected = alpha * sum + (fresh ? T(0) : beta * before[i * ldc + j]);
                EXPECT_LE(distance(c[i * ldc + j], expected), 100 * eps<T>());  // 9 roundings of numbers near 10
            }
    }
}

TYPED_TEST(GemmOf, InnerSizeZeroGivesZerosOverNan) {
    using T = TypeParam;
    Tensor<T> c({2, 3}, std::numeric_limits<T>::quiet_NaN());
    gemm(false, false, Index{2}, Index{3}, Index{0}, T(1), c.data(), Index{1}, c.data(), Index{3}, T(0), c.data(), Index{3});
    for (const T& x : c) EXPECT_EQ(distance(x, T(0)), 0);
}

// Sizes at which whole rows, blocks of rows, and columns of blocks of rows are the tiles, with a rest on either side.
TEST(Matmul, TilesGiveTheProductWithAnyNumberOfThreads) {
    struct Sizes {
        Index m, n, k;
    };
    Random rng(23);
    const int before = threads();
    for (const Sizes& s : {Sizes{5, 6, 7}, Sizes{1300, 70, 100}, Sizes{130, 200, 400}, Sizes{100, 70, 1500},
                           Sizes{300, 129, 2049}, Sizes{1, 4100, 2100}})
        for (int flags = 0; flags < 4; ++flags) {
            const bool ta = flags & 1, tb = flags & 2;
            const auto a = rng.normal<double>({s.m, s.k}), b = rng.normal<double>({s.k, s.n});
            Tensor<double> whole({s.m, s.n}), tiles({s.m, s.n}, NAN), again({s.m, s.n}, NAN);
            gemm(ta, tb, s.m, s.n, s.k, 1.0, a.data(), ta ? s.m : s.k, b.data(), tb ? s.k : s.n, 0.0, whole.data(), s.n);
            set_threads(1);
            gemm_tiles(ta, tb, s.m, s.n, s.k, a.data(), b.data(), tiles.data());
            set_threads(3);
            gemm_tiles(ta, tb, s.m, s.n, s.k, a.data(), b.data(), again.data());
            set_threads(before);
            for (Index i = 0; i < whole.size(); ++i)  // k roundings of sums near sqrt(k)
                ASSERT_NEAR(tiles[i], whole[i], 1e-11) << s.m << "x" << s.n << "x" << s.k << " flags " << flags << " at " << i;
            EXPECT_TRUE(std::equal(tiles.begin(), tiles.end(), again.begin()));
        }
}

TEST(Matmul, ThreadCountDoesNotChangeTheBits) {
    Random rng(22);
    const auto a = rng.normal<float>({700, 200}), b = rng.normal<float>({200, 150});
    const auto batch = rng.normal<float>({40, 64, 64}), other = rng.normal<float>({40, 64, 64});
    const int before = threads();
    set_threads(1);
    const auto one = matmul(a, b), one_batch = matmul(batch, other);
    set_threads(2);
    const auto two = matmul(a, b), two_batch = matmul(batch, other);
    set_threads(before);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin()));
    EXPECT_TRUE(std::equal(one_batch.begin(), one_batch.end(), two_batch.begin()));
}

TEST(Matmul, RowsInBlocksEqualTripleLoops) {
    Random rng(23);
    for (const bool ta : {false, true}) {
        const auto a = rng.normal<double>(ta ? Shape{150, 600} : Shape{600, 150}), b = rng.normal<double>({150, 130});
        const auto y = matmul(a, b, {.transpose_a = ta});
        for (Index i = 0; i < 600; ++i)
            for (Index j = 0; j < 130; ++j) {
                double sum = 0;
                for (Index p = 0; p < 150; ++p) sum += (ta ? a[p * 600 + i] : a[i * 150 + p]) * b[p * 130 + j];
                ASSERT_NEAR(y[i * 130 + j], sum, 150 * 10 * eps<double>());  // n eps on products below 10
            }
    }
}

TEST(Matmul, VectorsBehaveAsInNumpy) {
    const auto v = Tensor<double>::from({3}, {1, 2, 3});
    const auto w = Tensor<double>::from({3}, {4, -1, 2});
    const auto m = Tensor<double>::from({2, 3, 2}, {1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 0, -1});
    EXPECT_EQ(matmul(v, w).shape(), Shape{});
    EXPECT_EQ(matmul(v, w).item(), 8);
    EXPECT_EQ(to_string(matmul(v, m)), to_string(Tensor<double>::from({2, 2}, {4, 5, 2, 1})));
    EXPECT_EQ(to_string(matmul(m, w, {.transpose_a = true})), to_string(Tensor<double>::from({2, 2}, {6, 1, 8, -4})));
    EXPECT_EQ(matmul(v, Tensor<double>({4, 0, 3, 5})).shape(), (Shape{4, 0, 5}));
}

TEST(Matmul, CotangentsOfVectorsHaveTheirShapes) {
    const auto v = Tensor<double>::from({2}, {3, 5});
    const auto m = Tensor<double>::from({2, 2}, {1, 2, 3, 4});
    const auto f = [](const auto& x) { return matmul(matmul(x[0], x[1]), x[0]); };  // vᵀ M v
    const auto [y, g] = vjp(f, std::vector{v, m}, Tensor<double>::scalar(1));
    EXPECT_EQ(y.item(), 9 + 15 * 5 + 4 * 25);
    EXPECT_EQ(to_string(g[0]), "[31, 55]");  // (M + Mᵀ) v = [[2, 5], [5, 8]] [3, 5]
    EXPECT_EQ(g[1].at({0, 1}), 15);          // v_0 v_1
}

TEST(Matmul, ErrorsNameShapes) {
    const auto t = [](const Shape& s) { return zeros<double>(s); };
    EXPECT_EQ(error_of([&] { matmul(t({2, 3}), t({4, 5})); }), "matmul: inner sizes differ: a is [2, 3], b is [4, 5] (3 != 4)");
    EXPECT_EQ(error_of([&] {
                  matmul(t({3, 2}), t({4, 5}), {.transpose_a = true});
              }),
              "matmul: inner sizes differ: a is [3, 2] transposed, b is [4, 5] (3 != 4)");
    EXPECT_EQ(error_of([&] {
                  matmul(t({3, 2, 2}), t({2, 2, 2}));
              }),
              "matmul: batch axes do not broadcast: a is [3, 2, 2], b is [2, 2, 2] (3 != 2)");
    EXPECT_THROW(matmul(t({3}), t({3, 2}), {.transpose_a = true}), ValueError);
    EXPECT_THROW(matmul(t({}), t({3, 2})), ShapeError);
}

TEST(Linear, MatchesHandValues) {
    const auto x = Tensor<double>::from({2, 2}, {1, 2, 3, 4});
    const auto w = Tensor<double>::from({2, 3}, {1, 0, -1, 2, 1, 0});
    const auto b = Tensor<double>::from({3}, {10, 20, 30});
    EXPECT_EQ(to_string(linear(x, w)), to_string(Tensor<double>::from({2, 3}, {5, 2, -1, 11, 4, -3})));
    EXPECT_EQ(to_string(linear(x, w, b)), to_string(Tensor<double>::from({2, 3}, {15, 22, 29, 21, 24, 27})));
    const auto dy = Tensor<double>::from({2, 3}, {1, 0, 2, 0, 1, 1});
    const auto g = vjp([](const auto& v) { return linear(v[0], v[1], v[2]); }, std::vector{x, w, b}, dy).second;
    EXPECT_EQ(to_string(g[0]), to_string(Tensor<double>::from({2, 2}, {-1, 2, -1, 1})));
    EXPECT_EQ(to_string(g[1]), to_string(Tensor<double>::from({2, 3}, {1, 3, 5, 2, 4, 8})));
    EXPECT_EQ(to_string(g[2]), "[1, 1, 3]");
}

TEST(Linear, WithoutBiasTakesGradientsOfBothInputs) {
    const auto x = Tensor<double>::from({1, 2}, {1, 2}), w = Tensor<double>::from({2, 1}, {3, 4});
    const auto g = vjp([](const auto& v) { return linear(v[0], v[1]); }, std::vector{x, w}, ones<double>({1, 1})).second;
    EXPECT_EQ(to_string(g[0]), "[[3, 4]]");
    EXPECT_EQ(to_string(g[1]), to_string(Tensor<double>::from({2, 1}, {1, 2})));
}

TEST(Linear, NoInputFeaturesGiveTheBias) {
    const pool::PoisonScope poison;
    const auto y = linear(Tensor<float>({2, 0}), Tensor<float>({0, 3}), Tensor<float>::from({3}, {1, 2, 3}));
    EXPECT_EQ(to_string(y), to_string(Tensor<float>::from({2, 3}, {1, 2, 3, 1, 2, 3})));
    EXPECT_EQ(linear(Tensor<float>({2, 0}), Tensor<float>({0, 3}))[5], 0);
}

/// y, dx, dw and db of y = f(x) for the same draws each time.
template <class T, class F>
std::vector<Tensor<T>> linear_both_ways(Index m, Index inner, Index n, const F& f) {
    Random rng(31);
    const std::vector<Tensor<T>> xs{rng.normal<T>({m, inner}), rng.normal<T>({inner, n}), rng.normal<T>({n})};
    auto [y, out] = vjp(f, xs, rng.normal<T>({m, n}));
    out.push_back(y);
    return out;
}

TYPED_TEST(MatmulOf, LinearWithAnActivationIsTheTwoOpsBitForBit) {
    using T = TypeParam;
    if constexpr (std::is_floating_point_v<T>) {
        const auto expect_same = [](Activation f, const auto& op) {
            // One block of rows, and three of which the last is ragged.
            for (const Index m : {7, 700}) {
                const auto one =
                    linear_both_ways<T>(m, 5, 203, [f](const auto& v) { return linear(v[0], v[1], v[2], {.activation = f}); });
                const auto two = linear_both_ways<T>(m, 5, 203, [&op](const auto& v) { return op(linear(v[0], v[1], v[2])); });
                for (std::size_t i = 0; i < one.size(); ++i)
                    for (Index j = 0; j < one[i].size(); ++j)
                        ASSERT_EQ(one[i][j], two[i][j]) << names(f)[static_cast<std::size_t>(f)] << " " << i << " at " << j;
            }
        };
        expect_same(Activation::none, [](const auto& u) { return u; });
        expect_same(Activation::relu, [](const auto& u) { return relu(u); });
        expect_same(Activation::gelu, [](const auto& u) { return gelu(u); });
        expect_same(Activation::gelu_tanh, [](const auto& u) { return gelu(u, {.form = GeluForm::tanh}); });
        expect_same(Activation::silu, [](const auto& u) { return silu(u); });
        expect_same(Activation::tanh, [](const auto& u) { return tanh(u); });
        expect_same(Activation::sigmoid, [](const auto& u) { return sigmoid(u); });
    }
}

TEST(Linear, ThreadCountDoesNotChangeTheBits) {
    const int before = threads();
    for (const bool readable : {false, true}) {
        const auto run = [&](int count) {
            std::optional<KernelScope> scope;
            if (readable) scope.emplace("plain");
            set_threads(count);
            return linear_both_ways<float>(
                4096, 64, 64, [](const auto& v) { return linear(v[0], v[1], v[2], {.activation = Activation::gelu}); });
        };
        const auto one = run(1);
        for (int repeat = 0; repeat < 5; ++repeat) {
            const auto two = run(2);
            for (std::size_t i = 0; i < one.size(); ++i)
                EXPECT_TRUE(std::equal(one[i].begin(), one[i].end(), two[i].begin())) << i << readable;
        }
    }
    set_threads(before);
}

TEST(Linear, SavesOnlyWhatTheSlopeIsAFunctionOf) {
    const auto saved = [](Activation f) {
        Tape<double> tape;
        linear(tape.leaf(ones<double>({2, 3})), tape.leaf(ones<double>({3, 4})), {.activation = f});
        return tape.saved_bytes();
    };
    const std::size_t plain = saved(Activation::none);
    for (const Activation f :
         {Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu, Activation::tanh, Activation::sigmoid})
        EXPECT_EQ(saved(f), plain + 2 * 4 * sizeof(double)) << names(f)[static_cast<std::size_t>(f)];
}

TEST(Linear, ErrorsNameShapes) {
    const auto t = [](const Shape& s) { return zeros<double>(s); };
    EXPECT_EQ(error_of([&] { linear(t({4, 3}), t({2, 5})); }), "linear: inner sizes differ: x is [4, 3], w is [2, 5] (3 != 2)");
    EXPECT_EQ(error_of([&] { linear(t({4, 3}), t({3, 5}), t({3})); }), "linear: b is [3], expected [5] for w [3, 5]");
    EXPECT_THROW(linear(t({4, 3}), t({3})), ShapeError);
}

}  // namespace
}  // namespace gradproof
