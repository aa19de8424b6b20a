// Cross-entropy: formula, forward, backward, samples, registration.
#include "gradproof/ops/cross_entropy.hpp"

#include "gradproof/ops/row_loops.hpp"

namespace gradproof {
namespace {

template <class T>
bool minus_infinite(const T& x) {
    return primal(x) == -std::numeric_limits<base_t<T>>::infinity();
}

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
        static void fields(auto& s, auto&& f) {
            f("scores", s.scores);
            f("max", s.max);
            f("sum", s.sum);
            f("targets", s.targets);
        }
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
    static Shape check(const Attrs& a, const Inputs<T>& in) {
        if (in.size() < 1 || in.size() > 2 || !in.has(0))
            shape_error("cross_entropy: takes 1 or 2 inputs ({}), got {}", info.inputs, in.size());
        const Shape& s = in[0].shape();
        if (s.rank() == 0) shape_error("cross_entropy: scores is {}, expected rank 1 or more", s);
        const Shape rows = reduced_shape(s, {s.rank() - 1}, false);
        if (in.has(1) == a.ids.defined())
            value_error("cross_entropy: {}: expected either ids or targets",
                        in.has(1) ? "ids and targets are both given" : "no ids and no targets");
        if (in.has(1)) {
            if (!(in[1].shape() == s))
                shape_error("cross_entropy: targets do not fit scores: scores is {}, targets is {}", s, in[1].shape());
            if (a.ignore_index)
                value_error("cross_entropy: ignore_index is {}, but targets have no ids to ignore", *a.ignore_index);
            return rows;
        }
        if (!(a.ids.shape() == rows))
            shape_error("cross_entropy: ids do not fit scores: scores is {}, ids is {}, expected {}", s, a.ids.shape(), rows);
        for (Index r = 0; r < a.ids.size(); ++r)
            if (!ignored(a, r) && (a.ids[r] < 0 || a.ids[r] >= s.last()))
                value_error("cross_entropy: id out of range: ids[{}] is {}, expected 0 to {}", r, a.ids[r], s.last() - 1);
        return rows;
    }

    /// shift = max(s), or 0 where that is -inf; sum = sum(exp(s - shift)).
    template <Scalar T>
    static void sum_exp(const T* s, Index n, T& shift, T& sum) {
        const auto m = row_max<T>(n, [&](Index i) { return s[i]; });
        // The shift is a constant: its tangent would cancel.
        const T by = minus_infinite(m) ? T(0) : T(m);
        sum = row_sum<T>(n, [&](Index i) { return T(exp(s[i] - by)); });
        shift = by;
    }
    /// out = scale exp(s - shift)
    template <Scalar T>
    static void scaled_exp(const T* s, Index n, const T& shift, const T& scale, T* out) {
        for (Index i = 0; i < n; ++i) out[i] = scale * exp(s[i] - shift);
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        const Shape row_shape = check(a, in);
        const Index rows = row_shape.size(), n = in[0].shape().last();
        saved.scores = in[0];
        saved.max = Tensor<T>(Shape{rows});
        saved.sum = Tensor<T>(Shape{rows});
        if (in.has(1)) saved.targets = in[1];
        Tensor<T> losses(row_shape);
        const T* scores = in[0].data();
        const T* targets = in.has(1) ? in[1].data() : nullptr;
        T *maxima = saved.max.data(), *sums = saved.sum.data(), *out = losses.data();
        for_rows(rows, n, [&](Index r) {
            const T* s = scores + r * n;
            sum_exp(s, n, maxima[r], sums[r]);
            const T shift = maxima[r], sum = sums[r];
            if (primal(sum) == 0) {  // every score is -inf: else the largest adds 1
                const bool asked =
                    targets ? std::any_of(targets + r * n, targets + (r + 1) * n, [](const T& t) { return primal(t) != 0; })
                            : !ignored(a, r);
                out[r] = asked ? std::numeric_limits<T>::infinity() : T(0);
                return;
            }
            const T lse = log(sum);  // of the shifted scores
            if (targets) {
                const T* t = targets + r * n;
                out[r] = row_sum<T>(n, [&](Index i) {
                    return minus_infinite(s[i]) && primal(t[i]) == 0 ? T(0) : T(t[i] * (lse - (s[i] - shift)));
                });
            } else {
                out[r] = ignored(a, r) ? T(0) : T(lse - (s[a.ids[r]] - shift));
            }
        });
        if (a.reduction == Reduction::none) return losses;
        return Tensor<T>::scalar(row_sum<T>(rows, [&](Index r) { return out[r]; }) * T(static_cast<base_t<T>>(weight(a, rows))));
    }

    // loss = sum(t * (lse(s) - s)):  dloss/ds_i = sum(t) softmax(s)_i - t_i,  dloss/dt_i = lse(s) - s_i.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>& scores = saved.scores;
        const Index rows = saved.sum.size(), n = scores.shape().last();
        const T w(static_cast<base_t<T>>(weight(a, rows)));
        const bool each = a.reduction == Reduction::none;
        const T* targets = saved.targets.defined() ? saved.targets.data() : nullptr;
        const T *all = scores.data(), *dys = dy.data(), *maxima = saved.max.data(), *sums = saved.sum.data();
        if (dx.needs(0)) {
            Tensor<T> g(scores.shape());
            T* gs = g.data();
            for_rows(rows, n, [&](Index r) {
                const T* s = all + r * n;
                T* out = gs + r * n;
                if (primal(sums[r]) == 0 || (!targets && ignored(a, r))) {
                    std::fill(out, out + n, T(0));
                    return;
                }
                const T d = dys[each ? r : 0] * w;
                const T mass = targets ? row_sum<T>(n, [&](Index i) { return targets[r * n + i]; }) : T(1);
                scaled_exp(s, n, maxima[r], T(d * mass / sums[r]), out);
                if (targets)
                    for (Index i = 0; i < n; ++i) out[i] -= d * targets[r * n + i];
                else
                    out[a.ids[r]] -= d;
            });
            dx.add(0, std::move(g));
        }
        if (dx.needs(1)) {
            Tensor<T> g(scores.shape());
            T* gs = g.data();
            for_rows(rows, n, [&](Index r) {
                const T d = dys[each ? r : 0] * w, lse = log(sums[r]);
                for (Index i = r * n; i < (r + 1) * n; ++i)
                    gs[i] = minus_infinite(all[i]) ? T(0) : T(d * (lse - (all[i] - maxima[r])));
            });
            dx.add(1, std::move(g));
        }
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
