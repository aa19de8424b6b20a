// Cross-entropy: formula, forward, backward, samples, registration.
#include "gradproof/ops/cross_entropy.hpp"

#include <cmath>

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

/// Attributes of a sample.
CrossEntropyAttrs with_ids(const Shape& shape, std::initializer_list<Index> ids, Reduction reduction = Reduction::mean,
                           std::optional<Index> ignore_index = {}) {
    return {.ids = Tensor<Index>::from(shape, ids), .ignore_index = ignore_index, .reduction = reduction};
}
CrossEntropyAttrs without_ids(Reduction reduction = Reduction::mean) { return {.reduction = reduction}; }

struct CrossEntropy {
    static constexpr OpInfo info{
        .name = "cross_entropy",
        .inputs = "scores targets?",
        .forward = "y = mean(sum(targets * (log(sum(exp(scores))) - scores))); targets = onehot(ids) where ids are given",
        .backward = "dscores = (softmax(scores) * sum(targets) - targets) dy/N; dtargets = (log(sum(exp(scores))) - scores) dy/N",
        .saves = "scores max sum targets",
        .source = "Good 1952",
    };
    using Attrs = CrossEntropyAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> scores, max, sum, targets;
    };

    static bool ignored(const Attrs& a, Index r) { return a.ignore_index && a.ids[r] == *a.ignore_index; }

    /// What each row's loss is multiplied by: 1, or one over the rows that count.
    static double weight(const Attrs& a, Index rows) {
        if (a.reduction != Reduction::mean) return 1;
        Index counted = rows;
        if (a.ids.defined())
            for (Index r = 0; r < rows; ++r) counted -= ignored(a, r);
        return counted > 0 ? 1 / static_cast<double>(counted) : 0;
    }

    template <Scalar T>
    static void check(const Attrs& a, const Inputs<T>& in) {
        if (in.size() < 1 || in.size() > 2 || !in.has(0))
            shape_error("cross_entropy: takes 1 or 2 inputs ({}), got {}", info.inputs, in.size());
        const Shape& s = in[0].shape();
        if (s.rank() == 0) shape_error("cross_entropy: scores is {}, expected rank 1 or more", s);
        if (in.has(1) == a.ids.defined())
            value_error("cross_entropy: {}: expected either ids or targets",
                        in.has(1) ? "ids and targets are both given" : "no ids and no targets");
        if (in.has(1)) {
            if (!(in[1].shape() == s))
                shape_error("cross_entropy: targets do not fit scores: scores is {}, targets is {}", s, in[1].shape());
            if (a.ignore_index)
                value_error("cross_entropy: ignore_index is {}, but targets have no ids to ignore", *a.ignore_index);
            return;
        }
        const Shape rows = reduced_shape(s, {s.rank() - 1}, false);
        if (!(a.ids.shape() == rows))
            shape_error("cross_entropy: ids do not fit scores: scores is {}, ids is {}, expected {}", s, a.ids.shape(), rows);
        for (Index r = 0; r < a.ids.size(); ++r)
            if (!ignored(a, r) && (a.ids[r] < 0 || a.ids[r] >= s.last()))
                value_error("cross_entropy: id out of range: ids[{}] is {}, expected 0 to {}", r, a.ids[r], s.last() - 1);
    }

    /// The targets, one-hot where ids are given; a row that is ignored has none.
    template <Scalar T>
    static Tensor<T> targets(const Attrs& a, const Saved<T>& saved) {
        if (!a.ids.defined()) return saved.targets;
        Tensor<T> t = zeros_like(saved.scores);
        for (Index r = 0; r < a.ids.size(); ++r)
            if (!ignored(a, r)) t[r * t.shape().last() + a.ids[r]] = T(1);
        return t;
    }

    static Tensor<bool> ignored_rows(const Attrs& a, const Shape& rows) {
        Tensor<bool> out(rows, false);
        for (Index r = 0; a.ids.defined() && r < out.size(); ++r) out[r] = ignored(a, r);
        return out;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        check(a, in);
        const Tensor<T>& s = saved.scores = in[0];
        if (in.has(1)) saved.targets = in[1];
        saved.max = exp_shift(s, -1);
        saved.sum = sum(exp(s - saved.max), -1);
        const Tensor<T> t = targets(a, saved);
        const Tensor<T> of_masked = where(equal(t, number<T>(0)), 0, t * INFINITY);  // what asks nothing of a score of -inf
        const Tensor<T> all = sum(where(isneginf(s), of_masked, t * (log(saved.sum) - (s - saved.max))), -1);
        const Tensor<T> losses = where(ignored_rows(a, all.shape()), 0, all);
        if (a.reduction == Reduction::none) return losses.reshape(reduced_shape(s.shape(), {s.rank() - 1}, false));
        return (sum(losses, Axes{}) * weight(a, losses.size())).reshape({});
    }

    // loss = sum(t * (lse(s) - s)):  dloss/ds_i = sum(t) softmax(s)_i - t_i,  dloss/dt_i = lse(s) - s_i.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&s = saved.scores, &total = saved.sum;
        const Tensor<T> d = (a.reduction == Reduction::none ? dy.reshape(total.shape()) : dy) * weight(a, total.size());
        if (dx.needs(0)) {
            const Tensor<T> t = targets(a, saved);
            Tensor<bool> none = equal(total, number<T>(0));  // a row of -inf has no softmax, one that is ignored no loss
            const Tensor<bool> ignored = ignored_rows(a, none.shape());
            for (Index r = 0; r < none.size(); ++r) none[r] = none[r] || ignored[r];
            dx.add(0, where(none, 0, (exp(s - saved.max) * divide_or_zero(sum(t, -1), total) - t) * d));
        }
        if (dx.needs(1)) dx.add(1, where(isneginf(s), 0, (log(total) - (s - saved.max)) * d));
    }

    static std::vector<Sample<CrossEntropy>> samples() {
        const double inf = INFINITY;
        return {
            {"ids", with_ids({3}, {4, 0, 2}), {{3, 5}}},
            {"ids of rank 2, sum", with_ids({2, 3}, {1, 0, 3, 3, 2, 1}, Reduction::sum), {{2, 3, 4}}},
            {"ids, none", with_ids({3}, {1, 1, 3}, Reduction::none), {{3, 4}}},
            {"one row", with_ids({}, {2}), {{11}}},
            {"ignored rows", with_ids({4}, {-100, 2, 0, -100}, Reduction::mean, -100), {{4, 3}}},
            {"ignored class", with_ids({3}, {0, 2, 1}, Reduction::none, 0), {{3, 4}}},
            {"targets", without_ids(), {{3, 5}, {{3, 5}, Distribution::positive}}},
            {"targets of either sign, none", without_ids(Reduction::none), {{2, 3, 4}, {2, 3, 4}}},
            {"targets, one row, sum", without_ids(Reduction::sum), {{9}, {{9}, Distribution::positive}}},
            {"all ignored", with_ids({2}, {7, 7}, Reduction::mean, 7), {{2, 3}}, {.zero_gradient = true, .why = "no row counts"}},
            {"size 1", with_ids({3}, {0, 0, 0}), {{3, 1}}, {.zero_gradient = true, .why = "one class is certain"}},
            {"no rows", with_ids({0}, {}), {{0, 4}}, {.zero_gradient = true, .why = "no entries"}},
            {"no classes", without_ids(), {{3, 0}, {3, 0}}, {.zero_gradient = true, .why = "no entries"}},
            {"masked scores",
             with_ids({2}, {2, 0}),
             {Tensor<double>::from({2, 3}, {0.3, -inf, 1.1, 0.5, 0.1, -inf})},
             {.finite_differences = true, .why = "scores of -inf have no neighbourhood"}},
            {"huge scores",
             with_ids({2}, {0, 2}, Reduction::none),
             {Tensor<double>::from({2, 3}, {1e30, 1e30, -1e30, -1e30, -1e30, 1e30})},
             {.finite_differences = true, .why = "a step of relative size 1e-3 moves a score of 1e30 by 1e27"}},
        };
    }
    static std::vector<ErrorSample<CrossEntropy>> error_samples() {
        return {
            {"id too large", with_ids({2}, {0, 3}), {{2, 3}}, "cross_entropy: id out of range: ids[1] is 3, expected 0 to 2"},
            {"negative id", with_ids({2}, {-1, 0}), {{2, 3}}, "cross_entropy: id out of range: ids[0] is -1"},
            {"ids of another shape",
             with_ids({3}, {0, 0, 0}),
             {{2, 3}},
             "cross_entropy: ids do not fit scores: scores is [2, 3], ids is [3]"},
            {"targets of another shape", without_ids(), {{2, 3}, {3, 2}}, "cross_entropy: targets do not fit scores"},
            {"neither", without_ids(), {{2, 3}}, "cross_entropy: no ids and no targets"},
            {"both", with_ids({2}, {0, 1}), {{2, 3}, {2, 3}}, "cross_entropy: ids and targets are both given"},
            {"targets with ignore_index", {.ignore_index = 0}, {{2, 3}, {2, 3}}, "cross_entropy: ignore_index is 0"},
            {"scalar", with_ids({}, {0}), {Arg(Shape{})}, "cross_entropy: scores is []"},
            {"three inputs", {}, {{3}, {3}, {3}}, "cross_entropy: takes 1 or 2 inputs"},
        };
    }
};

}  // namespace

GRADPROOF_OP(CrossEntropy);
GRADPROOF_FUNCTION_1(cross_entropy, CrossEntropy);
GRADPROOF_FUNCTION_2(cross_entropy, CrossEntropy);

}  // namespace gradproof
