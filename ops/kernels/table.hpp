// The table of fast paths: one function pointer for each, filled once for every instruction set.
//
//   const Kernels<float>& k = kernels<float>();     // ops/kernels/kernels.hpp
//   k.exp(x.data(), y.data(), x.size());
//
// To add one: a member of Kernels, and its line of fill() in a source of simd/; for a new source its fill_NAME, declared in
// GRADPROOF_DECLARE_FILL here and called in kernels.cpp; its use is in ops/kernels/NAME.cpp, of maps that go entry by entry in
// maps.cpp, of activations behind a linear layer in linear.cpp too. Its test is in tests/ops/kernels_test.cpp or
// row_kernels_test.cpp, on every instruction set. What it needs of a vector beyond what is used already is written for processors
// without xsimd in simd/plain_vector.hpp. A word of core/algebra that it makes faster: FastMaps in core/algebra/products.hpp.
//
// This header is read by sources compiled for several instruction sets: it holds no inline function and includes no
// library that does, so nothing of one instruction set can be linked into the code of another.
#pragma once

#include <cstdint>

#include "gradproof/ops/kernels/attention_table.hpp"

namespace gradproof {

/// One step of Adam. decay is added to the gradient (times the parameter); shrink multiplies the parameter (AdamW).
template <class T>
struct AdamStep {
    T rate;  ///< learning rate / (1 - beta1^t)
    T beta1, beta2;
    T root_bias2;  ///< sqrt(1 - beta2^t)
    T eps;
    T decay = T(0);
    T shrink = T(1);
    T scale = T(1);  ///< of the gradient
};
/// One step of SGD: u = momentum u + scale g + decay p; p -= rate u.
template <class T>
struct SgdStep {
    T rate;
    T momentum = T(0);
    T decay = T(0);
    T scale = T(1);
};

/// Every fast path. Data is contiguous, pointers need no alignment; an output may be an input (same address), nothing else
/// may overlap. NaN goes through everything. Each sums in one fixed order, so equal calls give equal bits.
template <class T>
struct Kernels {
    using Index = std::int64_t;
    using Map = void (*)(const T* x, T* y, Index n);
    using Zip = void (*)(const T* a, const T* b, T* y, Index n);

    // y = f(x)
    Map exp, tanh, sigmoid, silu, gelu, gelu_tanh, relu;
    // dx = f'(.) dy; tanh and sigmoid take their own output y, the others their input x
    void (*tanh_backward)(const T* y, const T* dy, T* dx, Index n);
    void (*sigmoid_backward)(const T* y, const T* dy, T* dx, Index n);
    void (*silu_backward)(const T* x, const T* dy, T* dx, Index n);
    void (*gelu_backward)(const T* x, const T* dy, T* dx, Index n);
    void (*gelu_tanh_backward)(const T* x, const T* dy, T* dx, Index n);
    void (*relu_backward)(const T* x, const T* dy, T* dx, Index n);  // slope 0 at 0
    Zip add, sub, mul;

    // x is [rows, n]: y[c] = sum_r x
    void (*sum_columns)(const T* x, Index stride, T* y, Index rows, Index n);

    // Softmax of x / t along rows; a row of -inf gives zeros (log_softmax: -inf), and zero gradients.
    void (*softmax)(const T* x, T* y, Index rows, Index n, T t);
    void (*softmax_backward)(const T* y, const T* dy, T* dx, Index rows, Index n, T t);
    void (*log_softmax)(const T* x, T* y, Index rows, Index n, T t);
    void (*log_softmax_backward)(const T* y, const T* dy, T* dx, Index rows, Index n, T t);

    // Of one row: shift = max(x), or 0 where that is -inf; sum = sum_i exp(x - shift).
    void (*sum_exp)(const T* x, T* shift, T* sum, Index n);
    // y = factor exp(x - shift)
    void (*scaled_exp)(const T* x, T shift, T factor, T* y, Index n);

    // xhat = (x - mean) rstd, rstd = 1 / sqrt(var + eps), y = xhat gamma + beta. gamma, beta and xhat may be null.
    // Where var + eps = 0, rstd is 0.
    void (*layer_norm)(const T* x, const T* gamma, const T* beta, T* y, T* xhat, T* rstd, Index rows, Index n, T eps);
    // dgamma and dbeta, where not null, are added to.
    void (*layer_norm_backward)(const T* xhat, const T* rstd, const T* gamma, const T* dy, T* dx, T* dgamma, T* dbeta, Index rows,
                                Index n);
    // y = x rstd gamma, rstd = 1 / sqrt(mean(x^2) + eps), 0 for 1/0. gamma may be null.
    void (*rms_norm)(const T* x, const T* gamma, T* y, T* rstd, Index rows, Index n, T eps);
    void (*rms_norm_backward)(const T* x, const T* rstd, const T* gamma, const T* dy, T* dx, T* dgamma, Index rows, Index n);

    void (*adam)(const AdamStep<T>& step, const T* g, T* p, T* m, T* v, Index n);
    void (*sgd)(const SgdStep<T>& step, const T* g, T* p, T* u, Index n);

    // c = alpha op(a) op(b) + beta c as gemm in ops/kernels/gemm.hpp, k > 0; null where BLAS is as fast at every size.
    void (*product)(bool ta, bool tb, Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta,
                    T* c, Index ldc);

    AttentionKernels<T> attention;
};

// Each source in ops/kernels/simd/ fills its part, once for each instruction set it was compiled for.
#define GRADPROOF_DECLARE_FILL(arch)                    \
    namespace kernels_##arch {                          \
        void fill_maps(Kernels<float>&) noexcept;       \
        void fill_maps(Kernels<double>&) noexcept;      \
        void fill_rows(Kernels<float>&) noexcept;       \
        void fill_rows(Kernels<double>&) noexcept;      \
        void fill_norms(Kernels<float>&) noexcept;      \
        void fill_norms(Kernels<double>&) noexcept;     \
        void fill_steps(Kernels<float>&) noexcept;      \
        void fill_steps(Kernels<double>&) noexcept;     \
        void fill_products(Kernels<float>&) noexcept;   \
        void fill_products(Kernels<double>&) noexcept;  \
        void fill_attention(Kernels<float>&) noexcept;  \
        void fill_attention(Kernels<double>&) noexcept; \
    }
GRADPROOF_DECLARE_FILL(baseline)
GRADPROOF_DECLARE_FILL(avx2)
GRADPROOF_DECLARE_FILL(avx512)
#undef GRADPROOF_DECLARE_FILL

}  // namespace gradproof
