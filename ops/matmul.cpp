// Matrix product: the plan of a batched product, forward, backward, samples, registration.
#include "gradproof/ops/matmul.hpp"

#include "gradproof/ops/kernels/gemm.hpp"

namespace gradproof {
namespace {

/// Strides over `batch`, in elements, of an operand whose own batch axes are `own` and whose matrices hold `matrix` elements.
Shape batch_strides(const Shape& own, const Shape& batch, Index matrix) {
    Shape strides = broadcast_strides(own, batch);
    for (Index& s : strides) s *= matrix;
    return strides;
}

/// What both directions need: y [batch, m, n] = a [batch, m, k] b [batch, k, n], strides 0 along broadcast axes.
struct Plan {
    Index m = 1, n = 1, k = 1;
    Shape batch, a, b, y;
    Shape y_shape;

    Plan(const MatmulAttrs& attrs, const Shape& as, const Shape& bs) {
        if (as.rank() == 0 || bs.rank() == 0)
            shape_error("matmul: a scalar has no axis to sum over: a is {}, b is {}; use mul", as, bs);
        const bool row = as.rank() == 1, column = bs.rank() == 1;
        if (row && attrs.transpose_a) value_error("matmul: transpose_a is true for a vector: a is {}, b is {}", as, bs);
        if (column && attrs.transpose_b) value_error("matmul: transpose_b is true for a vector: a is {}, b is {}", as, bs);
        k = as.last(attrs.transpose_a ? 1 : 0);
        if (!row) m = as.last(attrs.transpose_a ? 0 : 1);
        const Index inner = column ? bs.last() : bs.last(attrs.transpose_b ? 0 : 1);
        if (!column) n = bs.last(attrs.transpose_b ? 1 : 0);
        if (inner != k)
            shape_error("matmul: inner sizes differ: a is {}{}, b is {}{} ({} != {})", as, attrs.transpose_a ? " transposed" : "",
                        bs, attrs.transpose_b ? " transposed" : "", k, inner);
        if (as.rank() > 2 || bs.rank() > 2) add_batch(as, bs);
        y_shape = batch;
        if (!row) y_shape.push_back(m);
        if (!column) y_shape.push_back(n);
        if (!batch.empty()) fold(attrs, as);
    }

    void add_batch(const Shape& as, const Shape& bs) {
        const auto leading = [](const Shape& s) {
            return Shape(std::span(s.begin(), static_cast<std::size_t>(std::max(s.rank() - 2, 0))));
        };
        const Shape a_batch = leading(as), b_batch = leading(bs);
        const int rank = std::max(a_batch.rank(), b_batch.rank());
        for (int i = 0; i < rank; ++i) {
            const int ia = i - rank + a_batch.rank(), ib = i - rank + b_batch.rank();
            const Index da = ia < 0 ? 1 : a_batch[ia], db = ib < 0 ? 1 : b_batch[ib];
            if (da != db && da != 1 && db != 1)
                shape_error("matmul: batch axes do not broadcast: a is {}, b is {} ({} != {})", as, bs, da, db);
            batch.push_back(da == 1 ? db : da);
        }
        a = batch_strides(a_batch, batch, m * k);
        b = batch_strides(b_batch, batch, k * n);
        y = batch_strides(batch, batch, m * n);
    }

    /// Where the last batch axes share one b, their matrices a lie under each other: one product with more rows.
    void fold(const MatmulAttrs& attrs, const Shape& as) {
        if (attrs.transpose_a) return;
        int keep = batch.rank();
        const int lead = batch.rank() + 2 - as.rank();  // batch axes that a lacks
        while (keep > 0) {
            const int axis = keep - 1;
            const bool dense = batch[axis] == 1 || (axis >= lead && as.rank() > 2 && as[axis - lead] == batch[axis]);
            if (!dense || (b[axis] != 0 && batch[axis] != 1)) break;
            m *= batch[axis];
            --keep;
        }
        const auto first = [&](const Shape& s) { return Shape(std::span(s.begin(), static_cast<std::size_t>(keep))); };
        batch = first(batch), a = first(a), b = first(b), y = first(y);
    }
};

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
        static void fields(auto& s, auto&& f) {
            f("a", s.a);
            f("b", s.b);
        }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& attrs, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 2);
        const Plan p(attrs, in[0].shape(), in[1].shape());
        Tensor<T> y(p.y_shape);
        saved.a = in[0];
        saved.b = in[1];
        gemm({.ta = attrs.transpose_a,
              .tb = attrs.transpose_b,
              .m = p.m,
              .n = p.n,
              .k = p.k,
              .batch = p.batch,
              .a = p.a,
              .b = p.b,
              .c = p.y},
             in[0].data(), in[1].data(), y.data());
        return y;
    }

    // y = a b, for each batch entry:  da = dy bᵀ,  db = aᵀ dy;  an operand stored transposed gets its cotangent transposed:
    // a = a'ᵀ gives da' = (dy bᵀ)ᵀ = b dyᵀ, and b = b'ᵀ gives db' = dyᵀ a.
    template <Scalar T>
    static void backward(const Attrs& attrs, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&a = saved.a, &b = saved.b;
        const bool ta = attrs.transpose_a, tb = attrs.transpose_b;
        const Plan p(attrs, a.shape(), b.shape());
        const Index count = p.batch.size();
        if (dx.needs(0)) {
            Tensor<T> g(a.shape());
            const bool sums = g.size() != count * p.m * p.k;
            if (ta)
                gemm({tb, true, p.k, p.m, p.n, p.batch, p.b, p.y, p.a, sums, g.size()}, b.data(), dy.data(), g.data());
            else
                gemm({false, !tb, p.m, p.k, p.n, p.batch, p.y, p.b, p.a, sums, g.size()}, dy.data(), b.data(), g.data());
            dx.add(0, std::move(g));
        }
        if (dx.needs(1)) {
            Tensor<T> g(b.shape());
            const bool sums = g.size() != count * p.k * p.n;
            if (tb)
                gemm({true, ta, p.n, p.k, p.m, p.batch, p.y, p.a, p.b, sums, g.size()}, dy.data(), a.data(), g.data());
            else
                gemm({!ta, false, p.k, p.n, p.m, p.batch, p.a, p.y, p.b, sums, g.size()}, a.data(), dy.data(), g.data());
            dx.add(1, std::move(g));
        }
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
