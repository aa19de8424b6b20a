// Matrix product: formula, forward, backward, samples, registration.
#include "gradproof/ops/matmul.hpp"

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

struct Matmul {
    static constexpr OpInfo info{
        .name = "matmul",
        .inputs = "a b",
        .forward = "y = a b",
        .backward = "da = dy bᵀ; db = aᵀ dy",
        .saves = "a b",
        .source = "Giles 2008, section 2.2.1",
    };
    using Attrs = MatmulAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> a, b;
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& attrs, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 2);
        saved = {in[0], in[1]};
        return matmul(Matrix<T>(in[0], attrs.transpose_a), Matrix<T>(in[1], attrs.transpose_b));
    }

    /// A vector as one row, or as one column.
    template <class T>
    static Tensor<T> matrix(const Tensor<T>& x, bool column) {
        return x.rank() > 1 ? x : x.reshape(column ? Shape{-1, 1} : Shape{1, -1});
    }

    // y = a b, for each batch entry:  da = dy bᵀ,  db = aᵀ dy;  an operand stored transposed gets its cotangent transposed:
    // a = a'ᵀ gives da' = (dy bᵀ)ᵀ = b dyᵀ, and b = b'ᵀ gives db' = dyᵀ a.  An operand that was broadcast gets their sum.
    template <Scalar T>
    static void backward(const Attrs& attrs, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const bool ta = attrs.transpose_a, tb = attrs.transpose_b, row = saved.a.rank() == 1, column = saved.b.rank() == 1;
        const Tensor<T> a = matrix(saved.a, false), b = matrix(saved.b, true);
        Shape y = dy.shape();
        if (column) y.push_back(1);
        if (row) y = with_row(y);
        const Tensor<T> d = dy.reshape(y);
        const auto add = [&](int i, const Tensor<T>& x, const Matrix<T>& p, const Matrix<T>& q) {
            dx.add(i, matmul_to(x.shape(), p, q).reshape(dx.shape(i)));
        };
        if (dx.needs(0)) ta ? add(0, a, {b, tb}, mT(d)) : add(0, a, d, {b, !tb});
        if (dx.needs(1)) tb ? add(1, b, mT(d), {a, ta}) : add(1, b, {a, !ta}, d);
    }
    /// [..., n] -> [..., 1, n]
    static Shape with_row(Shape s) {
        const Index last = s.last();
        s[s.rank() - 1] = 1;
        s.push_back(last);
        return s;
    }

    static std::vector<Sample<Matmul>> samples() {
        const Excuse empty{.zero_gradient = true, .why = "no entries"};
        return {
            {"matrices", {}, {{2, 3}, {3, 5}}},
            {"a transposed", {.transpose_a = true}, {{3, 2}, {3, 5}}},
            {"b transposed", {.transpose_b = true}, {{2, 3}, {5, 3}}},
            {"both transposed", {.transpose_a = true, .transpose_b = true}, {{3, 2}, {5, 3}}},
            {"dot product", {}, {{4}, {4}}},
            {"row times matrices", {}, {{3}, {2, 3, 4}}},
            {"matrices times column", {}, {{2, 4, 3}, {3}}},
            {"transposed matrices times column", {.transpose_a = true}, {{2, 3, 4}, {3}}},
            {"row times transposed", {.transpose_b = true}, {{3}, {4, 3}}},
            {"batch", {}, {{4, 2, 3}, {4, 3, 5}}},
            {"batch with one b", {}, {{2, 4, 3, 5}, {5, 6}}},
            {"batch with one b transposed", {.transpose_b = true}, {{4, 2, 3}, {5, 3}}},
            {"batch of transposed a with one b", {.transpose_a = true}, {{4, 3, 2}, {3, 5}}},
            {"batch with one a", {}, {{2, 3}, {4, 3, 5}}},
            {"both broadcast", {}, {{2, 1, 4, 3}, {5, 3, 6}}},
            {"b shared by the inner batch", {.transpose_b = true}, {{2, 3, 4, 5}, {2, 1, 6, 5}}},
            {"size 1", {}, {{1, 1}, {1, 1}}},
            {"rank 8", {}, {{1, 2, 1, 1, 1, 2, 3, 4}, {2, 1, 4, 2}}},
            {"inner size 0", {}, {{2, 0}, {0, 3}}, empty},
            {"no rows", {.transpose_b = true}, {{0, 3}, {4, 3}}, empty},
            {"empty batch against one", {}, {{0, 2, 3}, {1, 3, 4}}, empty},
        };
    }
    static std::vector<ErrorSample<Matmul>> error_samples() {
        return {
            {"inner sizes", {}, {{2, 3}, {4, 5}}, "matmul: inner sizes differ: a is [2, 3], b is [4, 5] (3 != 4)"},
            {"inner sizes transposed", {.transpose_b = true}, {{2, 3}, {3, 5}}, "b is [3, 5] transposed (3 != 5)"},
            {"batch axes",
             {},
             {{2, 4, 3}, {5, 3, 1}},
             "matmul: batch axes do not broadcast: a is [2, 4, 3], b is [5, 3, 1] (2 != 5)"},
            {"scalar", {}, {Arg(Shape{}), {3, 2}}, "matmul: a scalar"},
            {"vector a transposed", {.transpose_a = true}, {{3}, {3, 2}}, "matmul: transpose_a is true for a vector"},
            {"vector b transposed", {.transpose_b = true}, {{2, 3}, {3}}, "matmul: transpose_b is true for a vector"},
            {"one input", {}, {{2, 3}}, "matmul: takes 2 inputs"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Matmul);
GRADPROOF_FUNCTION_2(matmul, Matmul);

}  // namespace gradproof
