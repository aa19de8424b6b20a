// Inverse, determinant and its logarithm: formulas, forward, backward, samples, registration.
#include "gradproof/ops/linear_algebra.hpp"

#include "gradproof/core/algebra.hpp"
#include "gradproof/core/elimination.hpp"

namespace gradproof {
namespace {

/// dy [...] beside matrices [..., n, n].
template <class T>
Tensor<T> as_matrices(const Tensor<T>& dy) {
    Shape s = dy.shape();
    s.push_back(1);
    s.push_back(1);
    return dy.reshape(s);
}
/// x with its last two axes exchanged.
template <class T>
Tensor<T> transposed(const Tensor<T>& x) {
    Axes perm;
    for (int i = 0; i < x.rank(); ++i) perm.push_back(i);
    std::swap(perm[x.rank() - 1], perm[x.rank() - 2]);
    return transpose(x, perm);
}

template <class Op>
std::vector<Sample<Op>> matrices(bool has_no_slope_when_empty = true) {
    const Excuse empty{.zero_gradient = has_no_slope_when_empty, .why = "no entries"};
    return {
        {"one matrix", {}, {{3, 3}}},
        {"batch", {}, {Tensor<double>::from({2, 3, 2, 2}, {2,    0.3, -0.4, 1.5, 1,   0.5, -0.2, 3,   -1.5, 0.4, 0.6, 2.5,
                                                           1.25, -1,  0.5,  2,   3.5, 0.2, 1.1,  1.2, -2,   0.7, 0.1, -1.6})}},
        {"rows to exchange", {}, {Tensor<double>::from({3, 3}, {0, 2, 1, 1, 1e-9, 3, 4, 0.5, -1})}},
        {"size 1", {}, {{1, 1}}},
        {"no rows", {}, {{2, 0, 0}}, empty},
        {"no matrices", {}, {{0, 2, 2}}, empty},
    };
}

template <class Op>
std::vector<ErrorSample<Op>> matrix_error_samples() {
    static const std::string name(Op::info.name), square = name + ": expected square matrices [..., n, n]: x is [",
                                                  wide = square + "2, 3]", vector = square + "3]",
                                                  two = name + ": takes 1 input (x), got 2";
    return {
        {"not square", {}, {{2, 3}}, wide},
        {"vector", {}, {{3}}, vector},
        {"two inputs", {}, {{2, 2}, {2, 2}}, two},
    };
}

struct Inverse {
    static constexpr OpInfo info{
        .name = "inverse",
        .inputs = "x",
        .forward = "y = x⁻¹",
        .backward = "dx = -yᵀ dy yᵀ",
        .saves = "y",
        .source = "Giles 2008, section 2.2.3",
    };
    using Attrs = NoFields;
    template <Scalar T>
    using Saved = SavedOutput<T>;

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        return saved.y = inverses(info.name, in[0]);
    }

    // x y = 1 gives dx y + x dy = 0, so the differential of y is -y dx y, and  dx = -yᵀ dy yᵀ.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, -matmul(mT(saved.y), matmul(dy, mT(saved.y))));
    }

    static std::vector<Sample<Inverse>> samples() { return matrices<Inverse>(); }
    static std::vector<ErrorSample<Inverse>> error_samples() { return matrix_error_samples<Inverse>(); }
};

struct Det {
    static constexpr OpInfo info{
        .name = "det",
        .inputs = "x",
        .forward = "y = det x",
        .backward = "dx = dy y x⁻ᵀ",
        .saves = "x y",
        .source = "Giles 2008, section 2.2.4",
    };
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, y;
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        saved.x = in[0];
        return saved.y = determinants(info.name, in[0]);
    }

    // Jacobi's formula: d det x = det x tr(x⁻¹ dx), so  dx = dy y x⁻ᵀ.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, as_matrices(dy * saved.y) * transposed(inverses(info.name, saved.x)));
    }

    static std::vector<Sample<Det>> samples() { return matrices<Det>(); }
    static std::vector<ErrorSample<Det>> error_samples() { return matrix_error_samples<Det>(); }
};

struct LogDet {
    static constexpr OpInfo info{
        .name = "logdet",
        .inputs = "x",
        .forward = "y = log |det x|",
        .backward = "dx = dy x⁻ᵀ",
        .saves = "x",
        .source = "Giles 2008, section 2.2.4",
    };
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> x;
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        saved.x = in[0];
        return log_determinants(info.name, in[0]);
    }

    // d log |det x| = tr(x⁻¹ dx), so  dx = dy x⁻ᵀ.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, as_matrices(dy) * transposed(inverses(info.name, saved.x)));
    }

    static std::vector<Sample<LogDet>> samples() { return matrices<LogDet>(); }
    static std::vector<ErrorSample<LogDet>> error_samples() { return matrix_error_samples<LogDet>(); }
};

}  // namespace

GRADPROOF_OP(Inverse);
GRADPROOF_FUNCTION_1(inverse, Inverse);
GRADPROOF_OP(Det);
GRADPROOF_FUNCTION_1(det, Det);
GRADPROOF_OP(LogDet);
GRADPROOF_FUNCTION_1(logdet, LogDet);

}  // namespace gradproof
