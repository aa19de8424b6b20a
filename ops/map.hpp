// Loops over elements, shared by the pages of elementwise ops and reductions: maps, broadcasting, the unary op template.
//
//   for_each_broadcast(y.shape(), a.shape(), b.shape(), [=](Index o, Index i, Index j) { out[o] = x[i] + z[j]; });
//   const Tensor<T> y = broadcast_map("add", a, b, [](const T& p, const T& q) { return p + q; });
//
// Plain loops, not expressions: on a 4 x 4 tensor building an expression costs more than the arithmetic.
#pragma once

#include <array>

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// Two operands laid over an output, as nested loops from the innermost out; axes that step alike are merged into one.
struct BroadcastLoops {
    int depth = 0;
    std::array<Index, kMaxRank> dims{}, a{}, b{};  // sizes, and strides of either operand: 0 along its broadcast axes
};

inline BroadcastLoops broadcast_loops(const Shape& out, const Shape& a, const Shape& b) {
    BroadcastLoops loops;
    Index step_a = 1, step_b = 1;
    for (int from_end = 0; from_end < out.rank(); ++from_end) {
        const Index dim = out.last(from_end);
        const Index dim_a = from_end < a.rank() ? a.last(from_end) : 1;
        const Index dim_b = from_end < b.rank() ? b.last(from_end) : 1;
        const Index stride_a = dim_a == 1 ? 0 : step_a, stride_b = dim_b == 1 ? 0 : step_b;
        step_a *= dim_a;
        step_b *= dim_b;
        if (dim == 1) continue;
        const auto last = static_cast<std::size_t>(loops.depth - 1), next = static_cast<std::size_t>(loops.depth);
        if (loops.depth > 0 && stride_a == loops.a[last] * loops.dims[last] && stride_b == loops.b[last] * loops.dims[last]) {
            loops.dims[last] *= dim;
            continue;
        }
        loops.dims[next] = dim;
        loops.a[next] = stride_a;
        loops.b[next] = stride_b;
        ++loops.depth;
    }
    if (loops.depth == 0) {
        loops.dims[0] = 1;
        loops.depth = 1;
    }
    return loops;
}

/// Calls at(o, i, j) once for each element o of `out`; i and j are where it reads in a and in b, which broadcast to `out`.
template <class At>
void for_each_broadcast(const Shape& out, const Shape& a, const Shape& b, At at) {
    const Index size = out.size();
    if (a == out && b == out) {
        for (Index o = 0; o < size; ++o) at(o, o, o);
        return;
    }
    if (size == 0) return;
    const BroadcastLoops loops = broadcast_loops(out, a, b);
    const Index n = loops.dims[0];
    const bool step_a = loops.a[0] != 0, step_b = loops.b[0] != 0;
    std::array<Index, kMaxRank> index{};
    Index i = 0, j = 0;
    for (Index o = 0; o < size; o += n) {
        // One loop for each way to step, so that each can be vectorised.
        if (step_a && step_b)
            for (Index k = 0; k < n; ++k) at(o + k, i + k, j + k);
        else if (step_a)
            for (Index k = 0; k < n; ++k) at(o + k, i + k, j);
        else if (step_b)
            for (Index k = 0; k < n; ++k) at(o + k, i, j + k);
        else
            for (Index k = 0; k < n; ++k) at(o + k, i, j);
        for (int d = 1; d < loops.depth; ++d) {
            const auto g = static_cast<std::size_t>(d);
            i += loops.a[g];
            j += loops.b[g];
            if (++index[g] < loops.dims[g]) break;
            index[g] = 0;
            i -= loops.a[g] * loops.dims[g];
            j -= loops.b[g] * loops.dims[g];
        }
    }
}

/// f of each element.
template <class T, class F>
Tensor<T> map(const Tensor<T>& x, F f) {
    Tensor<T> y(x.shape());
    const T* in = x.data();
    T* out = y.data();
    const Index n = x.size();
    for (Index i = 0; i < n; ++i) out[i] = f(in[i]);
    return y;
}

/// f of each pair of elements, under NumPy broadcasting. Errors: ShapeError with the op's name.
template <class T, class F>
Tensor<T> broadcast_map(std::string_view op, const Tensor<T>& a, const Tensor<T>& b, F f) {
    Tensor<T> y(a.shape() == b.shape() ? a.shape() : broadcast(op, a.shape(), b.shape()));
    const T* p = a.data();
    const T* q = b.data();
    T* out = y.data();
    for_each_broadcast(y.shape(), a.shape(), b.shape(), [=](Index o, Index i, Index j) { out[o] = f(p[i], q[j]); });
    return y;
}

/// What a unary op keeps for its backward: from which of its two ends the slope is computed.
enum class Keep { nothing, input, output };

/// An op y = value(x) on each element, with dx = slope * dy. Its page is a struct `Op : Unary<Op, keep, Attrs>` that has
/// `info`, `T value(x)`, `T slope(x)` (or slope(y), slope(), after what is kept), samples and error samples; with an
/// Attrs, `value(attrs, x)`, `slope(attrs, x)` and, where it can be wrong, `void check(attrs)`.
template <class Op, Keep keep, class OpAttrs = NoFields>
struct Unary {
    using Attrs = OpAttrs;
    template <class T>
    struct Kept {
        Tensor<T> kept;
        static void fields(auto& s, auto&& f) { f(Op::info.saves, s.kept); }
    };
    template <Scalar T>
    using Saved = std::conditional_t<keep == Keep::nothing, NoFields, Kept<T>>;
    static constexpr bool has_attrs = !std::is_same_v<Attrs, NoFields>;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, [[maybe_unused]] Saved<T>& saved) {
        expect_inputs(Op::info, in, 1);
        if constexpr (requires { Op::check(a); }) Op::check(a);
        Tensor<T> y = values(a, in[0]);
        if constexpr (keep == Keep::input) saved.kept = in[0];
        if constexpr (keep == Keep::output) saved.kept = y;
        return y;
    }

    template <Scalar T>
    static Tensor<T> values([[maybe_unused]] const Attrs& a, const Tensor<T>& x) {
        return map(x, [&](const T& v) {
            if constexpr (has_attrs)
                return Op::value(a, v);
            else
                return Op::value(v);
        });
    }

    // y = value(x), element by element, so  dx = value'(x) * dy.
    template <Scalar T>
    static void backward([[maybe_unused]] const Attrs& a, [[maybe_unused]] const Saved<T>& saved, const Tensor<T>& dy,
                         Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        if constexpr (keep == Keep::nothing) {
            dx.add(0, map(dy, [&](const T& d) {
                       if constexpr (has_attrs)
                           return Op::template slope<T>(a) * d;
                       else
                           return Op::template slope<T>() * d;
                   }));
        } else {
            Tensor<T> g(dy.shape());
            const T* at = saved.kept.data();
            const T* d = dy.data();
            T* out = g.data();
            const Index n = g.size();
            for (Index i = 0; i < n; ++i) {
                if constexpr (has_attrs)
                    out[i] = Op::slope(a, at[i]) * d[i];
                else
                    out[i] = Op::slope(at[i]) * d[i];
            }
            dx.add(0, std::move(g));
        }
    }

    static std::vector<ErrorSample<Op>> error_samples() {
        return {
            {"no input", {}, {}, "takes 1 inputs"},
            {"two inputs", {}, {{3}, {3}}, "takes 1 inputs"},
        };
    }
};

/// The shapes every unary op is checked on.
template <class Op>
std::vector<Sample<Op>> unary_samples(Distribution draw = Distribution::normal, const typename Op::Attrs& attrs = {}) {
    return {
        {"matrix", attrs, {Arg({3, 5}, draw)}},
        {"rank 4", attrs, {Arg({2, 1, 3, 4}, draw)}},
        {"scalar", attrs, {Arg(Shape{}, draw)}},
        {"size 1", attrs, {Arg({1, 1}, draw)}},
        {"size 0", attrs, {Arg({0, 4}, draw)}, {.zero_gradient = true, .why = "no entries"}},
    };
}

/// The pairs of shapes every broadcasting binary op is checked on.
template <class Op>
std::vector<Sample<Op>> binary_samples(Distribution second = Distribution::normal) {
    return {
        {"same shape", {}, {{3, 5}, Arg({3, 5}, second)}},
        {"row", {}, {{3, 5}, Arg({5}, second)}},
        {"column", {}, {{3, 5}, Arg({3, 1}, second)}},
        {"row and column", {}, {{1, 5}, Arg({3, 1}, second)}},
        {"scalar on the right", {}, {{2, 3}, Arg(Shape{}, second)}},
        {"scalar on the left", {}, {Arg(Shape{}), Arg({2, 3}, second)}},
        {"two scalars", {}, {Arg(Shape{}), Arg(Shape{}, second)}},
        {"middle axes", {}, {{2, 1, 4, 3}, Arg({5, 1, 3}, second)}},
        {"longer on the right", {}, {{4, 1}, Arg({2, 3, 1, 5}, second)}},
        {"size 1", {}, {{1}, Arg({1, 1}, second)}},
        {"size 0", {}, {{0, 3}, Arg({3}, second)}, {.zero_gradient = true, .why = "no entries"}},
        {"size 0 from size 1", {}, {{1, 3}, Arg({0, 1}, second)}, {.zero_gradient = true, .why = "no entries"}},
    };
}
template <class Op>
std::vector<ErrorSample<Op>> binary_error_samples() {
    return {
        {"last sizes differ", {}, {{2, 3}, {4}}, "shapes do not broadcast: a is [2, 3], b is [4] (3 != 4)"},
        {"inner sizes differ", {}, {{2, 3, 5}, {4, 5}}, "shapes do not broadcast: a is [2, 3, 5], b is [4, 5] (3 != 4)"},
        {"size 0 against 2", {}, {{0}, {2}}, "shapes do not broadcast: a is [0], b is [2]"},
        {"one input", {}, {{3}}, "takes 2 inputs"},
    };
}

}  // namespace gradproof
