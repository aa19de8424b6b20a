// Rows of a table by their ids: forward, backward, samples, registration.
#include "gradproof/ops/gather.hpp"

#include "gradproof/core/algebra.hpp"

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

    static void check(const Tensor<Index>& ids, const Shape& table) {
        if (table.rank() == 0) shape_error("gather: table is a scalar, expected [V, ...]");
        if (!ids.defined()) value_error("gather: ids are missing; table is {}", table);
        if (ids.rank() + table.rank() - 1 > kMaxRank)
            shape_error("gather: rank of the result is {}, at most {} is supported: ids is {}, table is {}",
                        ids.rank() + table.rank() - 1, kMaxRank, ids.shape(), table);
        for (Index i = 0; i < ids.size(); ++i)
            if (ids[i] < 0 || ids[i] >= table[0])
                value_error("gather: id out of range: ids{} is {}, expected 0 <= id < {}; table is {}", position(ids.shape(), i),
                            ids[i], table[0], table);
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

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        check(a.ids, in[0].shape());
        return take(in[0], a.ids);
    }

    // y[i, :] = table[ids[i], :]:  row v of the table was read by every i with ids[i] = v, so their cotangents add up there.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, sum_by_number(dx.shape(0), a.ids, dy));
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
