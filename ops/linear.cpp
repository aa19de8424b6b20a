// f(x W + b): formula, forward, backward, samples, registration.
#include "gradproof/ops/linear.hpp"

#include "gradproof/core/algebra.hpp"
#include "gradproof/ops/activation_forms.hpp"
#include "gradproof/ops/map.hpp"

namespace gradproof {
namespace {

/// run(form) with the formula of an activation; not for none.
template <class Run>
auto with_form(Activation f, Run run) {
    switch (f) {
        case Activation::relu: return run(forms::Relu{});
        case Activation::gelu: return run(forms::Gelu{});
        case Activation::gelu_tanh: return run(forms::GeluTanh{});
        case Activation::silu: return run(forms::Silu{});
        case Activation::tanh: return run(forms::Tanh{});
        case Activation::sigmoid: return run(forms::Sigmoid{});
        case Activation::none: break;
    }
    value_error("linear: activation is {}, expected 0 to {}", static_cast<int>(f), names(f).size() - 1);
}

/// f of each element.
template <class T>
Tensor<T> activate(Activation f, const Tensor<T>& u) {
    return with_form(f, [&](auto form) { return map(u, [form](const T& v) { return form.value(v); }); });
}
/// f'; kept is y or u, whichever f' is a function of.
template <class T>
Tensor<T> slope(Activation f, const Tensor<T>& kept) {
    return with_form(f, [&](auto form) { return map(kept, [form](const T& v) { return form.slope(v); }); });
}
bool slope_is_of_output(Activation f) {
    return with_form(f, [](auto form) { return form.kOfOutput; });
}

struct Linear {
    static constexpr OpInfo info{
        .name = "linear",
        .inputs = "x w b?",
        .forward = "u = x w + b; y = f(u)",
        .backward = "du = f'(u) dy; dx = du wᵀ; dw = xᵀ du; db = sum of du over rows",
        .saves = "x w u y",
        .source = "Giles 2008, section 2.2.1",
    };
    using Attrs = LinearAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, w;
        Tensor<T> u, y;  // one of them, with an activation
    };

    template <Scalar T>
    static void check(const Attrs& a, const Inputs<T>& in) {
        if (a.activation != Activation::none) slope_is_of_output(a.activation);
        if (in.size() != 3)
            expect_inputs(info, in, 2);
        else if (!in.has(0) || !in.has(1))
            shape_error("linear: x and w must be given");
        const Shape &x = in[0].shape(), &w = in[1].shape();
        if (x.rank() == 0) shape_error("linear: x is a scalar, expected [..., in]; w is {}", w);
        if (w.rank() != 2) shape_error("linear: w is {}, expected [in, out]; x is {}", w, x);
        if (x.last() != w[0]) shape_error("linear: inner sizes differ: x is {}, w is {} ({} != {})", x, w, x.last(), w[0]);
        if (in.has(2) && !(in[2].shape() == Shape{w[1]}))
            shape_error("linear: b is {}, expected [{}] for w {}", in[2].shape(), w[1], w);
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        check(a, in);
        saved.x = in[0];
        saved.w = in[1];
        Tensor<T> u = matmul(in[0], in[1]);
        if (in.has(2)) u = std::move(u) + in[2];
        if (a.activation == Activation::none) return u;
        const Tensor<T> y = activate(a.activation, u);
        (slope_is_of_output(a.activation) ? saved.y : saved.u) = slope_is_of_output(a.activation) ? y : u;
        return y;
    }

    // y = f(u):          du = f'(u) dy, made once for all three
    // u = x w + b:       dx = du wᵀ,  dw = xᵀ du,  db = sum of the rows of du
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const auto& [x, w, u, y] = saved;
        const Tensor<T> du = a.activation == Activation::none ? dy : slope(a.activation, u.defined() ? u : y) * dy;
        if (dx.needs(0)) dx.add(0, matmul(du, mT(w)));
        if (dx.needs(1)) dx.add(1, matmul(mT(rows(x)), rows(du)));
        if (dx.needs(2)) dx.add(2, du);
    }

    /// All axes but the last, flattened.
    template <class T>
    static Tensor<T> rows(const Tensor<T>& x) {
        Index m = 1;
        for (int i = 0; i + 1 < x.rank(); ++i) m *= x.dim(i);
        return x.reshape({m, x.shape().last()});
    }

    static std::vector<Sample<Linear>> samples() {
        const Excuse empty{.zero_gradient = true, .why = "no entries"};
        return {
            {"rows", {}, {{4, 3}, {3, 5}, {5}}},
            {"no bias", {}, {{4, 3}, {3, 5}}},
            {"absent bias", {}, {{4, 3}, {3, 5}, Arg::absent()}},
            {"one row", {}, {{3}, {3, 2}, {2}}},
            {"batch", {}, {{2, 4, 3}, {3, 5}, {5}}},
            {"rank 5", {}, {{2, 1, 3, 2, 4}, {4, 6}, {6}}},
            {"size 1", {}, {{1, 1}, {1, 1}, {1}}},
            {"no input features: y is the bias", {}, {{4, 0}, {0, 3}, {3}}},
            {"no rows", {}, {{0, 3}, {3, 2}, {2}}, empty},
            {"no output features", {}, {{4, 3}, {3, 0}, {0}}, empty},
            {"relu", {.activation = Activation::relu}, {{4, 3}, {3, 5}, {5}}},
            {"relu, no bias", {.activation = Activation::relu}, {{2, 3, 3}, {3, 7}}},
            {"relu at its kink",
             {.activation = Activation::relu},
             {Tensor<double>::from({2, 1}, {0, 1}), Tensor<double>::from({1, 3}, {1, -2, 3}),
              Tensor<double>::from({3}, {0, 2, -1})},
             {.finite_differences = true, .why = "slopes to the left and right of 0 differ"}},
            {"gelu", {.activation = Activation::gelu}, {{4, 3}, {3, 5}, {5}}},
            {"gelu, no bias", {.activation = Activation::gelu}, {{3, 1, 5}, {5, 17}}},
            {"gelu_tanh", {.activation = Activation::gelu_tanh}, {{4, 3}, {3, 5}, {5}}},
            {"gelu_tanh, no bias", {.activation = Activation::gelu_tanh}, {{7, 2}, {2, 3}}},
            {"silu", {.activation = Activation::silu}, {{4, 3}, {3, 5}, {5}}},
            {"silu, no bias", {.activation = Activation::silu}, {{2, 3, 3}, {3, 11}}},
            {"tanh", {.activation = Activation::tanh}, {{4, 3}, {3, 5}, {5}}},
            {"tanh, no bias", {.activation = Activation::tanh}, {{5, 1}, {1, 9}}},
            {"sigmoid", {.activation = Activation::sigmoid}, {{4, 3}, {3, 5}, {5}}},
            {"sigmoid, no bias", {.activation = Activation::sigmoid}, {{3}, {3, 13}}},
            {"gelu, no input features: y is f of the bias", {.activation = Activation::gelu}, {{4, 0}, {0, 3}, {3}}},
            {"tanh, no rows", {.activation = Activation::tanh}, {{0, 3}, {3, 2}, {2}}, empty},
            {"silu, no output features", {.activation = Activation::silu}, {{4, 3}, {3, 0}, {0}}, empty},
        };
    }
    static std::vector<ErrorSample<Linear>> error_samples() {
        return {
            {"inner sizes", {}, {{4, 3}, {2, 5}}, "linear: inner sizes differ: x is [4, 3], w is [2, 5] (3 != 2)"},
            {"rank of w", {}, {{4, 3}, {3}}, "linear: w is [3], expected [in, out]"},
            {"scalar", {}, {Arg(Shape{}), {3, 2}}, "linear: x is a scalar"},
            {"size of b", {}, {{4, 3}, {3, 5}, {3}}, "linear: b is [3], expected [5]"},
            {"rank of b", {}, {{4, 3}, {3, 5}, {1, 5}}, "linear: b is [1, 5], expected [5]"},
            {"one input", {}, {{4, 3}}, "linear: takes 2 inputs"},
            {"inner sizes, with an activation",
             {.activation = Activation::gelu},
             {{4, 3}, {2, 5}, {5}},
             "linear: inner sizes differ: x is [4, 3], w is [2, 5]"},
            {"size of b, with an activation",
             {.activation = Activation::relu},
             {{4, 3}, {3, 5}, {3}},
             "linear: b is [3], expected [5]"},
            {"no such activation",
             {.activation = static_cast<Activation>(7)},
             {{4, 3}, {3, 5}},
             "linear: activation is 7, expected 0 to 6"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Linear);
GRADPROOF_FUNCTION_2(linear, Linear);
GRADPROOF_FUNCTION_3(linear, Linear);

}  // namespace gradproof
