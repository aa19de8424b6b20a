// Rows of a table by their ids: forward, backward, samples, registration.
#include "gradproof/ops/gather.hpp"

namespace gradproof {
namespace {

struct Gather {
    static constexpr OpInfo info{
        .name = "gather",
        .inputs = "table",
        .forward = "y[i..., :] = table[ids[i...], :]",
        .backward = "dtable[v, :] = sum of dy[i..., :] where ids[i...] = v",
        .saves = "",
        .source = "Bengio et al. 2003, section 2",
    };
    using Attrs = GatherAttrs;
    template <Scalar T>
    using Saved = NoFields;

    /// The shape of y.
    static Shape check(const Tensor<Index>& ids, const Shape& table) {
        if (table.rank() == 0) shape_error("gather: table is a scalar, expected [V, ...]");
        if (!ids.defined()) value_error("gather: ids are missing; table is {}", table);
        if (ids.rank() + table.rank() - 1 > kMaxRank)
            shape_error("gather: rank of the result is {}, at most {} is supported: ids is {}, table is {}",
                        ids.rank() + table.rank() - 1, kMaxRank, ids.shape(), table);
        for (Index i = 0; i < ids.size(); ++i)
            if (ids[i] < 0 || ids[i] >= table[0])
                value_error("gather: id out of range: ids{} is {}, expected 0 <= id < {}; table is {}", position(ids.shape(), i),
                            ids[i], table[0], table);
        Shape y = ids.shape();
        for (int a = 1; a < table.rank(); ++a) y.push_back(table[a]);
        return y;
    }

    /// The index of the i-th element, as it is written in brackets.
    static Shape position(const Shape& shape, Index i) {
        Shape at = shape;
        for (int a = shape.rank() - 1; a >= 0; --a) {
            at[a] = i % shape[a];
            i /= shape[a];
        }
        return at;
    }

    static Index row_size(const Shape& table) {
        Index n = 1;
        for (int a = 1; a < table.rank(); ++a) n *= table[a];
        return n;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        const Tensor<T>& table = in[0];
        Tensor<T> y(check(a.ids, table.shape()));
        const Index n = row_size(table.shape());
        for (Index i = 0; i < a.ids.size(); ++i) std::copy_n(table.data() + a.ids[i] * n, n, y.data() + i * n);
        return y;
    }

    // y[i, :] = table[ids[i], :]:  row v of the table was read by every i with ids[i] = v, so their cotangents add up there.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        Tensor<T> g = zeros<T>(dx.shape(0));
        const Index n = row_size(g.shape());
        for (Index i = 0; i < a.ids.size(); ++i) {
            T* row = g.data() + a.ids[i] * n;
            const T* from = dy.data() + i * n;
            for (Index c = 0; c < n; ++c) row[c] += from[c];
        }
        dx.add(0, std::move(g));
    }

    static std::vector<Sample<Gather>> samples() {
        const auto ids = [](const Shape& shape, std::initializer_list<Index> values) {
            return Attrs{.ids = Tensor<Index>::from(shape, values)};
        };
        const Excuse empty{.zero_gradient = true, .why = "no entries"};
        return {
            {"rows, one twice and one never", ids({4}, {2, 0, 2, 3}), {{5, 3}}},
            {"batch of ids", ids({2, 3}, {1, 1, 0, 3, 2, 1}), {{4, 5}}},
            {"one id", ids({}, {2}), {{3, 4}}},
            {"table of scalars", ids({3}, {1, 4, 1}), {{6}}},
            {"table of matrices", ids({2}, {2, 0}), {{3, 2, 4}}},
            {"size 1", ids({1}, {0}), {{1, 1}}},
            {"no ids", ids({0, 2}, {}), {{3, 2}}, empty},
            {"rows of size 0", ids({2}, {1, 0}), {{3, 0}}, empty},
        };
    }
    static std::vector<ErrorSample<Gather>> error_samples() {
        const auto ids = [](const Shape& shape, std::initializer_list<Index> values) {
            return Attrs{.ids = Tensor<Index>::from(shape, values)};
        };
        return {
            {"id too large",
             ids({2, 3}, {0, 1, 2, 3, 7, 1}),
             {{5, 2}},
             "gather: id out of range: ids[1, 1] is 7, expected 0 <= id < 5; table is [5, 2]"},
            {"negative id", ids({2}, {0, -1}), {{5, 2}}, "gather: id out of range: ids[1] is -1"},
            {"empty table", ids({1}, {0}), {{0, 2}}, "expected 0 <= id < 0"},
            {"missing ids", {}, {{5, 2}}, "gather: ids are missing"},
            {"scalar table", ids({1}, {0}), {Arg(Shape{})}, "gather: table is a scalar"},
            {"rank above 8", ids({1, 1, 1, 1, 1, 1, 1, 1}, {0}), {{2, 3}}, "gather: rank of the result is 9"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Gather);
GRADPROOF_FUNCTION_1(gather, Gather);

}  // namespace gradproof
