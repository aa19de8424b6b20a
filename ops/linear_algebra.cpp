// Inverse, determinant and its logarithm: formulas, forward, backward, samples, registration.
#include "gradproof/ops/linear_algebra.hpp"

#include "gradproof/core/algebra.hpp"
#include "gradproof/core/elimination.hpp"

namespace gradproof {
namespace {

/// The size n of the matrices in the last two axes.
Index order_of(std::string_view op, const Shape& s) {
    if (s.rank() < 2 || s.last() != s.last(1)) shape_error("{}: expected square matrices [..., n, n]: x is {}", op, s);
    return s.last();
}

/// x [..., n, n] as [batch, n, n], the batch axes of x apart.
struct Batch {
    Shape axes;
    Index count = 1, n = 0;
    Batch(std::string_view op, const Shape& s) : n(order_of(op, s)) {
        for (int i = 0; i + 2 < s.rank(); ++i) {
            axes.push_back(s[i]);
            count *= s[i];
        }
    }
};

constexpr auto kLarger = [](const auto& a, const auto& b) { return abs(a) > abs(b); };

[[noreturn]] void refuse_singular(std::string_view op, Index which, Index count) {
    if (count == 1) value_error("{}: x is singular", op);
    value_error("{}: matrix {} of {} in x is singular", op, which, count);
}

/// Inverses of the matrices. Errors: ValueError for one that is singular.
template <class T>
Tensor<T> inverses(std::string_view op, const Tensor<T>& x) {
    const Batch batch(op, x.shape());
    Tensor<T> a = x.clone(), y(x.shape(), T(0));
    const Index size = batch.n * batch.n;
    for (Index m = 0; m < batch.count; ++m) {
        for (Index i = 0; i < batch.n; ++i) y[m * size + i * batch.n + i] = T(1);
        if (!eliminate(a.data() + m * size, batch.n, y.data() + m * size, batch.n, kLarger).regular)
            refuse_singular(op, m, batch.count);
    }
    return y;
}

/// f of the elimination of each matrix.
template <class T, class F>
Tensor<T> of_each(std::string_view op, const Tensor<T>& x, F f) {
    const Batch batch(op, x.shape());
    Tensor<T> a = x.clone(), y(batch.axes);
    for (Index m = 0; m < batch.count; ++m)
        y[m] = f(eliminate<T>(a.data() + m * batch.n * batch.n, batch.n, nullptr, 0, kLarger), m, batch);
    return y;
}

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
    std::swap(perm[static_cast<std::size_t>(x.rank() - 1)], perm[static_cast<std::size_t>(x.rank() - 2)]);
    return transpose(x, perm);
}

template <class Op>
std::vector<ErrorSample<Op>> errors_of_shapes(std::string name) {
    return {
        {"not square", {}, {{2, 3}}, name + ": expected square matrices [..., n, n]: x is [2, 3]"},
        {"vector", {}, {{3}}, name + ": expected square matrices"},
        {"two inputs", {}, {{2, 2}, {2, 2}}, name + ": takes 1 input (x), got 2"},
    };
}

template <class Op>
std::vector<Sample<Op>> matrices(bool has_no_slope_when_empty = true) {
    const Excuse empty{.zero_gradient = has_no_slope_when_empty, .why = "no entries"};
    return {
        {"one matrix", {}, {{3, 3}}},
        {"batch", {}, {{2, 3, 2, 2}}},
        {"rows to exchange", {}, {Tensor<double>::from({3, 3}, {0, 2, 1, 1, 1e-9, 3, 4, 0.5, -1})}},
        {"size 1", {}, {{1, 1}}},
        {"no rows", {}, {{2, 0, 0}}, empty},
        {"no matrices", {}, {{0, 2, 2}}, empty},
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
    static std::vector<ErrorSample<Inverse>> error_samples() {
        auto out = errors_of_shapes<Inverse>("inverse");
        out.push_back({"singular", {}, {Tensor<double>::from({2, 2}, {1, 2, 2, 4})}, "inverse: x is singular"});
        out.push_back(
            {"one singular of two", {}, {Tensor<double>::from({2, 1, 1}, {1, 0})}, "inverse: matrix 1 of 2 in x is singular"});
        return out;
    }
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
        return saved.y = of_each(info.name, in[0], [](const Eliminated<T>& e, Index, const Batch&) {
                   T product(e.negated ? -1 : 1);
                   for (const T& p : e.pivots) product *= p;
                   return e.regular ? product : T(0);
               });
    }

    // Jacobi's formula: d det x = det x tr(x⁻¹ dx), so  dx = dy y x⁻ᵀ.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, as_matrices(dy * saved.y) * transposed(inverses(info.name, saved.x)));
    }

    static std::vector<Sample<Det>> samples() { return matrices<Det>(); }
    static std::vector<ErrorSample<Det>> error_samples() { return errors_of_shapes<Det>("det"); }
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
        return of_each(info.name, in[0], [](const Eliminated<T>& e, Index m, const Batch& batch) {
            if (!e.regular) refuse_singular(info.name, m, batch.count);
            T total(0);
            for (const T& p : e.pivots) total += log(abs(p));
            return total;
        });
    }

    // d log |det x| = tr(x⁻¹ dx), so  dx = dy x⁻ᵀ.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, as_matrices(dy) * transposed(inverses(info.name, saved.x)));
    }

    static std::vector<Sample<LogDet>> samples() { return matrices<LogDet>(); }
    static std::vector<ErrorSample<LogDet>> error_samples() {
        auto out = errors_of_shapes<LogDet>("logdet");
        out.push_back({"singular", {}, {Tensor<double>::from({2, 2}, {1, 2, 2, 4})}, "logdet: x is singular"});
        return out;
    }
};

}  // namespace

GRADPROOF_OP(Inverse);
GRADPROOF_FUNCTION_1(inverse, Inverse);
GRADPROOF_OP(Det);
GRADPROOF_FUNCTION_1(det, Det);
GRADPROOF_OP(LogDet);
GRADPROOF_FUNCTION_1(logdet, LogDet);

}  // namespace gradproof
