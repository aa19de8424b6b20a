// The kernel of small products, on every instruction set that has one, against sums in long double; and when gemm takes it.
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gradproof/core/random.hpp"
#include "gradproof/core/tensor.hpp"
#include "gradproof/ops/kernels/gemm.hpp"
#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof {
namespace {

/// c = alpha op(a) op(b) + beta c with rows further apart than they are long.
template <class T>
struct SmallProduct {
    bool ta, tb, fresh;
    Index m, n, k, lda, ldb, ldc;
    T alpha, beta;
    Tensor<T> a, b, c;

    SmallProduct(Random& rng, Index largest) {
        ta = rng.below(2) == 1, tb = rng.below(2) == 1, fresh = rng.below(2) == 1;
        m = 1 + rng.below(largest), n = 1 + rng.below(largest), k = 1 + rng.below(2 * largest);
        lda = (ta ? m : k) + rng.below(3), ldb = (tb ? k : n) + rng.below(3), ldc = n + rng.below(3);
        alpha = rng.below(2) == 1 ? T(1) : T(-0.5), beta = fresh ? T(0) : T(0.75);
        a = rng.normal<T>({ta ? k : m, lda}), b = rng.normal<T>({tb ? n : k, ldb}), c = rng.normal<T>({m, ldc});
        if (fresh) c.fill(std::numeric_limits<T>::quiet_NaN());
    }
    long double at(Index i, Index j) const {
        long double sum = 0;
        for (Index p = 0; p < k; ++p)
            sum += static_cast<long double>(ta ? a[p * lda + i] : a[i * lda + p]) * (tb ? b[j * ldb + p] : b[p * ldb + j]);
        return alpha * sum + (fresh ? 0 : static_cast<long double>(beta) * c[i * ldc + j]);
    }
    template <class Run>
    Tensor<T> run(Run f) const {
        Tensor<T> out = c.clone();
        f(ta, tb, m, n, k, alpha, a.data(), lda, b.data(), ldb, beta, out.data(), ldc);
        return out;
    }
};

template <class T>
struct ProductKernel : ::testing::Test {};
using ProductScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ProductKernel, ProductScalars, );

TYPED_TEST(ProductKernel, EqualsSumsInLongDoubleAndWritesNothingBesideC) {
    using T = TypeParam;
    for (const std::string& arch : archs()) {
        const ArchScope on(arch);
        const auto kernel = kernels<T>().product;
        if (!kernel) continue;
        Random rng(41);
        for (int draw = 0; draw < 120; ++draw) {
            const SmallProduct<T> x(rng, draw % 2 ? 20 : 150);
            const Tensor<T> c = x.run(kernel), again = x.run(kernel);
            // k + 2 roundings of random sign of sums below 5 sqrt(k).
            const double tolerance = 5.0 * static_cast<double>(x.k + 2) * static_cast<double>(std::numeric_limits<T>::epsilon());
            for (Index i = 0; i < x.m; ++i)
                for (Index j = 0; j < x.ldc; ++j) {
                    const T got = c[i * x.ldc + j];
                    const auto where = [&] {
                        return fmt::format("{} {}{} {}x{}x{} at [{}, {}]", arch, x.ta, x.tb, x.m, x.k, x.n, i, j);
                    };
                    if (j >= x.n) {
                        ASSERT_TRUE(x.fresh ? std::isnan(got) : got == x.c[i * x.ldc + j]) << where() << ": written beside c";
                        continue;
                    }
                    ASSERT_LE(std::abs(static_cast<double>(got - x.at(i, j))), tolerance) << where();
                    ASSERT_EQ(got, again[i * x.ldc + j]) << where() << ": other bits in an equal call";
                }
        }
    }
}

/// Sizes on both sides of what gemm gives to the kernel.
TYPED_TEST(ProductKernel, NanAndInfinityGoWhereTheyGoInBlas) {
    using T = TypeParam;
    const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    Random rng(42);
    for (const auto& size : {std::array<Index, 3>{8, 16, 64}, {33, 20, 40}, {300, 70, 65}})
        for (int flags = 0; flags < 4; ++flags) {
            const Index m = size[0], n = size[1], k = size[2];
            const bool ta = flags & 1, tb = flags & 2;
            Tensor<T> a = rng.normal<T>({m * k}), b = rng.normal<T>({k * n}), ours({m * n}, nan), blas({m * n}, nan);
            a[m * k / 2] = inf, a[m * k - 1] = nan, b[k * n / 3] = -inf, b[0] = T(0);
            const auto run = [&](Tensor<T>& c) {
                gemm(ta, tb, m, n, k, T(1), a.data(), ta ? m : k, b.data(), tb ? k : n, T(0), c.data(), n);
            };
            run(ours);
            const KernelScope reference("plain");  // BLAS
            run(blas);
            for (Index i = 0; i < m * n; ++i) {
                ASSERT_EQ(std::isnan(ours[i]), std::isnan(blas[i]))
                    << m << "x" << k << "x" << n << " " << ta << tb << " at " << i;
                if (std::isinf(blas[i])) {
                    ASSERT_EQ(ours[i], blas[i]) << "at " << i;
                }
            }
        }
}

}  // namespace
}  // namespace gradproof
