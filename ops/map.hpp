// Ops that work element by element: the template for their pages, and the samples they are checked on.
#pragma once

#include <algorithm>

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// f of each element.
template <class T, class F>
Tensor<T> map(const Tensor<T>& x, F f) {
    Tensor<T> y(x.shape());
    std::transform(x.begin(), x.end(), y.begin(), f);
    return y;
}

/// What a unary op keeps for its backward: the input or the output, from which its slope is computed.
enum class Keep { nothing, input, output };

/// An op y = value(x) on each element, with dx = slope * dy. Its page is a struct `Op : Unary<Op, keep, Attrs>` with `info`,
/// `T value(x)`, samples, and `T slope(x)` for Keep::input, `slope(y)` for Keep::output, `slope()` for Keep::nothing. With Attrs:
/// `value(attrs, x)`, `slope(attrs, x)` and, if attributes can be wrong, `void check(attrs)`. Unary has error_samples() already.
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
            std::transform(saved.kept.begin(), saved.kept.end(), dy.begin(), g.begin(), [&](const T& at, const T& d) {
                if constexpr (has_attrs)
                    return Op::slope(a, at) * d;
                else
                    return Op::slope(at) * d;
            });
            dx.add(0, std::move(g));
        }
    }

    static std::vector<ErrorSample<Op>> error_samples() {
        return {
            {"no input", {}, {}, "takes 1 input"},
            {"two inputs", {}, {{3}, {3}}, "takes 1 input"},
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
