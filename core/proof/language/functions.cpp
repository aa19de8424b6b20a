// Calls of the notation, each through registered ops.
#include "gradproof/core/proof/language/functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gradproof/core/proof/language/any_function.hpp"
#include "gradproof/core/quad.hpp"

namespace gradproof::proof {
namespace {

constexpr auto kElementwise =
    std::to_array<std::string_view>({"exp", "log", "tanh", "sigmoid", "σ",     "relu", "gelu", "silu", "softplus", "erf", "sin",
                                     "cos", "abs", "sqrt", "mod",     "floor", "sign", "step", "min",  "max",      "sg"});
constexpr auto kOther = std::to_array<std::string_view>(
    {"softmax", "log_softmax", "sum",         "mean",    "var",    "logsumexp", "norm",         "rowsum", "rowmean", "rowmax",
     "rowvar",  "rownorm",     "colsum",      "colmean", "colmax", "colvar",    "colnorm",      "diag",   "trace",   "outer",
     "eye",     "ones",        "zeros",       "range",   "causal", "concat",    "where",        "grad",   "reshape", "printed",
     "kron",    "axis_size",   "expand_dims", "squeeze", "argmax", "onehot",    "onehot_argmax"});

template <class T>
Var<T> constant(const Shape& shape, double value) {
    return Tensor<T>(shape, T(value));
}

template <class T>
Index size_of(std::string_view function, const Var<T>& x) {
    const double value = x.shape().empty() ? primal(x.value()[0]) : std::numeric_limits<double>::quiet_NaN();
    if (!(value >= 0 && value <= 1e6 && value == std::floor(value)))
        value_error("{}: a size is {}, expected a whole number from 0 to 10^6", function, value);
    return static_cast<Index>(value);
}

void expect_count(const std::string& name, std::size_t got, std::size_t least, std::size_t most) {
    if (got < least || got > most)
        value_error("{}: takes {} argument{}, got {}", name,
                    least == most ? std::to_string(least) : fmt::format("{} to {}", least, most), most == 1 ? "" : "s", got);
}

/// axis= and keep= of the notation are axes= and keep_dims= of the ops.
std::vector<OptionValue> reduction_options(const std::string& name, std::vector<OptionValue> options) {
    for (OptionValue& o : options) {
        if (o.name == "axis")
            o.name = "axes";
        else if (o.name == "keep")
            o.name = "keep_dims";
        else if (o.name != "axes" && o.name != "keep_dims" && o.name != "correction")
            value_error("{}: no attribute named {}; it takes axis and keep", name, o.name);
    }
    return options;
}

template <class T>
Var<T> reduce_axis(std::string_view op, const Var<T>& x, Index axis) {
    if (x.shape().rank() < -axis) shape_error("the argument has {} axes, expected at least {}", x.shape().rank(), -axis);
    if (op == "norm") return apply_op<T>("sqrt", {reduce_axis<T>("sum", apply_op<T>("mul", {x, x}), axis)});
    return apply_op<T>(op, {x}, {{"axes", axis}, {"keep_dims", true}});
}

/// Errors: ValueError for an array that is larger than the budget.
void expect_elements(std::string_view name, const Shape& shape) {
    if (const Index n = checked_size(shape); n > kMostElements)
        value_error("{}: {} elements, at most {} (kMostElements)", name, n, kMostElements);
}

template <class T>
Var<T> eye(std::string_view name, Index n, Index m) {
    expect_elements(name, {n, m});
    Tensor<T> y(Shape{n, m}, T(0));
    for (Index i = 0; i < std::min(n, m); ++i) y[i * m + i] = T(1);
    return y;
}

template <class T>
Var<T> diagonal(const Var<T>& x) {
    const Shape& s = x.shape();
    if (s.rank() == 1) return apply_op<T>("mul", {x, eye<T>("diag", s[0], s[0])});
    if (s.rank() < 2 || s.last() != s.last(1)) shape_error("diag: expected a vector or square matrices: the argument is {}", s);
    return apply_op<T>("sum", {apply_op<T>("mul", {x, eye<T>("diag", s.last(), s.last())})}, {{"axes", Index{-1}}});
}

template <class T>
Var<T> outer(const Var<T>& u, const Var<T>& v) {
    if (u.shape().rank() != 1 || v.shape().rank() != 1)
        shape_error("outer: expected two vectors: u is {}, v is {}", u.shape(), v.shape());
    const auto column = apply_op<T>("reshape", {u}, {{"shape", std::vector<double>{static_cast<double>(u.shape()[0]), 1.0}}});
    return apply_op<T>("mul", {column, v});
}

/// a [n, m] and b [p, q] to [n p, m q]: b times each entry of a, in its place.
template <class T>
Var<T> kronecker(const Var<T>& a, const Var<T>& b) {
    const Shape &x = a.shape(), &y = b.shape();
    const bool vectors = x.rank() == 1 && y.rank() == 1;
    if (!vectors && (x.rank() != 2 || y.rank() != 2))
        shape_error("kron: expected two matrices, or two vectors: a is {}, b is {}", x, y);
    const auto shaped = [](const Var<T>& v, std::initializer_list<Index> shape) {
        return apply_op<T>("reshape", {v}, {{"shape", std::vector<double>(shape.begin(), shape.end())}});
    };
    if (vectors) return shaped(apply_op<T>("mul", {shaped(a, {x[0], 1}), shaped(b, {1, y[0]})}), {x[0] * y[0]});
    const Var<T> all = apply_op<T>("mul", {shaped(a, {x[0], 1, x[1], 1}), shaped(b, {1, y[0], 1, y[1]})});
    return shaped(all, {x[0] * y[0], x[1] * y[1]});
}

template <class T>
Var<T> causal(Index n, Index m) {
    expect_elements("causal", {n, m});
    Tensor<T> y(Shape{n, m}, T(0));
    for (Index i = 0; i < n; ++i)
        for (Index j = i + 1; j < m; ++j) y[i * m + j] = T(-std::numeric_limits<double>::infinity());
    return y;
}

template <class T>
Var<T> filled(const std::string& name, const std::vector<Var<T>>& sizes, double value) {
    expect_count(name, sizes.size(), 1, kMaxRank);
    Shape shape;
    for (const Var<T>& s : sizes) shape.push_back(size_of(name, s));
    expect_elements(name, shape);
    return constant<T>(shape, value);
}

/// The size of an axis; with one of size 1 more, or without it.
template <class T>
Var<T> of_axis(const std::string& name, const std::vector<Var<T>>& a, const std::vector<OptionValue>& options) {
    expect_count(name, a.size(), 1, 1);
    const Shape& s = a[0].shape();
    const Index* const given = options.size() == 1 && options[0].name == "axis" ? std::get_if<Index>(&options[0].value) : nullptr;
    if (given == nullptr) value_error("{}: takes an option axis, one whole number", name);
    const bool grows = name == "expand_dims";
    const int axis = normal_axis(name, *given, s.rank() + (grows ? 1 : 0));
    if (name == "axis_size") return constant<T>({}, static_cast<double>(s[axis]));
    if (name == "squeeze" && s[axis] != 1) shape_error("squeeze: axis {} of {} is not of size 1", *given, s);
    std::vector<double> shape(s.begin(), s.end());
    if (grows)
        shape.insert(shape.begin() + axis, 1);
    else
        shape.erase(shape.begin() + axis);
    return apply_op<T>("reshape", {a[0]}, {{"shape", shape}});
}

/// 0, 1, ... n - 1: positions.
template <class T>
Var<T> range(const std::vector<Var<T>>& sizes) {
    expect_count("range", sizes.size(), 1, 1);
    filled<T>("range", sizes, 0);
    Tensor<T> y(Shape{size_of("range", sizes[0])});
    for (Index i = 0; i < y.size(); ++i) y[i] = T(static_cast<double>(i));
    return y;
}

/// What a comparison knows nothing of. Residues that vary have no value, and are none.
template <class T>
bool is_nan(const T& x) {
    return !std::is_same_v<T, Modular> && primal(x) != primal(x);
}

/// Of values alone, not differentiable: steps and integer parts.
template <class T, class F>
Var<T> step_function(const Var<T>& x, F f) {
    Tensor<T> y(x.shape());
    for (Index i = 0; i < y.size(); ++i) y[i] = is_nan(x.value()[i]) ? x.value()[i] : f(x.value()[i]);
    return y;
}
template <class T>
T is_above(const T& x) {
    return T(x > T(0) ? 1.0 : 0.0);
}

template <class T>
Var<T> select(const std::vector<Var<T>>& a) {
    expect_count("where", a.size(), 3, 3);
    Tensor<bool> mask(a[0].shape());
    for (Index i = 0; i < mask.size(); ++i) mask[i] = !(a[0].value()[i] == T(0));
    const Var<T> y = apply_op<T>("where", {a[1], a[2]}, {{"mask", mask}});
    if (std::none_of(a[0].value().begin(), a[0].value().end(), is_nan<T>)) return y;
    Tensor<T> unknown(a[0].shape(), T(0));
    for (Index i = 0; i < unknown.size(); ++i)
        if (is_nan(a[0].value()[i])) unknown[i] = a[0].value()[i];
    return apply_op<T>("add", {y, unknown});
}

/// Where the largest entry along an axis stands, of equal ones the first; constant, as steps are.
template <class T>
Var<T> argmax(const Var<T>& x, const std::vector<OptionValue>& options) {
    const Index* const given = options.size() == 1 && options[0].name == "axis" ? std::get_if<Index>(&options[0].value) : nullptr;
    if (!options.empty() && given == nullptr) value_error("argmax: takes an option axis, one whole number");
    const int axis = normal_axis("argmax", given ? *given : -1, x.shape().rank());
    Shape shape;
    Index inner = 1;
    for (int a = 0; a < x.shape().rank(); ++a) {
        if (a != axis) shape.push_back(x.shape()[a]);
        if (a > axis) inner *= x.shape()[a];
    }
    const Index n = x.shape()[axis];
    if (n == 0) shape_error("argmax: axis {} of {} has no entries", axis, x.shape());
    Tensor<T> y(shape);
    for (Index i = 0; i < y.size(); ++i) {
        const T* const first = x.value().data() + i / inner * n * inner + i % inner;
        Index best = 0;
        for (Index k = 1; k < n; ++k)
            if (first[k * inner] > first[best * inner]) best = k;
        y[i] = T(static_cast<double>(best));
    }
    return y;
}

/// 1 at each of those places of n, else 0.
template <class T>
Var<T> onehot(const Var<T>& at, Index n) {
    Shape shape = at.shape();
    shape.push_back(n);
    expect_elements("onehot", shape);
    Tensor<T> y(shape, T(0));
    for (Index i = 0; i < at.value().size(); ++i) {
        bool found = false;
        for (Index k = 0; k < n; ++k) {
            if (!(at.value()[i] == T(static_cast<double>(k)))) continue;
            y[i * n + k] = T(1);
            found = true;
        }
        if (!found) value_error("onehot: an entry is {}, expected a whole number from 0 to {}", primal(at.value()[i]), n - 1);
    }
    return y;
}

/// a mod b, elementwise with broadcasting: constant but for the slope 1 in a.
template <class T>
Var<T> modulo(const Var<T>& a, const Var<T>& b) {
    const Var<T> quotient = step_function(apply_op<T>("div", {a, b}), whole_part<T>);
    return apply_op<T>("sub", {a, apply_op<T>("mul", {quotient, b})});
}

}  // namespace

bool is_elementwise(std::string_view name) {
    return is_any_function(name) || std::find(kElementwise.begin(), kElementwise.end(), name) != kElementwise.end();
}
bool is_builtin(std::string_view name) {
    return is_elementwise(name) || std::find(kOther.begin(), kOther.end(), name) != kOther.end();
}
std::vector<std::string> builtin_names() {
    std::vector<std::string> out(kElementwise.begin(), kElementwise.end());
    out.insert(out.end(), kOther.begin(), kOther.end());
    for (const auto& e : registry().all()) out.emplace_back(e->info.name);
    return out;
}

template <class T>
Var<T> apply(const std::string& name, const std::vector<Var<T>>& a, std::vector<OptionValue> options) {
    const auto no_options = [&] {
        if (!options.empty()) value_error("{}: takes no options, got {}", name, options.front().name);
    };
    for (const std::string_view op : {"sum", "mean", "max", "var", "logsumexp"}) {
        if (name == op && (name != "max" || a.size() == 1)) {
            expect_count(name, a.size(), 1, 1);
            return apply_op<T>(op, a, reduction_options(name, std::move(options)));
        }
        if (name.size() > 3 && std::string_view(name).substr(3) == op && (name.starts_with("row") || name.starts_with("col"))) {
            no_options();
            expect_count(name, a.size(), 1, 1);
            return reduce_axis<T>(op, a[0], name.starts_with("row") ? -1 : -2);
        }
    }
    if (name == "rownorm" || name == "colnorm") {
        no_options();
        expect_count(name, a.size(), 1, 1);
        return reduce_axis<T>("norm", a[0], name == "rownorm" ? -1 : -2);
    }
    if (name == "norm") {
        expect_count(name, a.size(), 1, 1);
        return apply_op<T>("sqrt",
                           {apply_op<T>("sum", {apply_op<T>("mul", {a[0], a[0]})}, reduction_options(name, std::move(options)))});
    }
    if (name == "softmax" || name == "log_softmax" || name == "gelu" || name == "concat" || name == "reshape")
        return apply_op<T>(name, a, options);
    if (name == "axis_size" || name == "expand_dims" || name == "squeeze") return of_axis(name, a, options);
    if (name == "inverse" && a.size() == 1 && a[0].shape().empty())  // of a number
        return apply_op<T>("div", {constant<T>({}, 1), a[0]});
    if (name == "σ") return apply<T>("sigmoid", a, std::move(options));
    if (is_any_function(name)) {
        no_options();
        expect_count(std::string(shown_function(name)), a.size(), 1, 1);
        return any_function_value(name, a[0]);
    }
    if (name == "where" && !(options.size() == 1 && options[0].name == "mask")) {
        no_options();
        return select(a);
    }
    if (name == "argmax" || name == "onehot_argmax") {
        expect_count(name, a.size(), 1, 1);
        const Var<T> at = argmax(a[0], options);
        return name == "argmax" ? at : onehot(at, a[0].shape().last());
    }
    const bool of_two = name == "max" || name == "min";  // of one argument, max is the reduction above
    if (!of_two && (!is_builtin(name) || registry().has(name))) return apply_op<T>(name, a, options);
    no_options();
    if (name == "eye") {
        expect_count(name, a.size(), 1, 2);
        const Index n = size_of(name, a[0]), m = size_of(name, a.back());
        return eye<T>(name, n, m);
    }
    if (name == "causal") {
        expect_count(name, a.size(), 1, 2);
        return causal<T>(size_of(name, a[0]), size_of(name, a.back()));
    }
    if (name == "ones" || name == "zeros") return filled<T>(name, a, name == "ones" ? 1 : 0);
    if (name == "range") return range(a);
    if (name == "outer") {
        expect_count(name, a.size(), 2, 2);
        return outer(a[0], a[1]);
    }
    if (name == "kron") {
        expect_count(name, a.size(), 2, 2);
        return kronecker(a[0], a[1]);
    }
    if (name == "mod") {
        expect_count(name, a.size(), 2, 2);
        return modulo(a[0], a[1]);
    }
    if (of_two) {
        expect_count(name, a.size(), 2, 2);
        const Var<T> above = step_function(apply_op<T>("sub", {a[0], a[1]}), is_above<T>);
        return name == "max" ? select<T>({above, a[0], a[1]}) : select<T>({above, a[1], a[0]});
    }
    if (name == "onehot") {
        expect_count(name, a.size(), 2, 2);
        return onehot(a[0], size_of(name, a[1]));
    }
    expect_count(name, a.size(), 1, 1);
    if (name == "sg") return a[0];  // in claims; in the forward it is a value of its own
    if (name == "diag") return diagonal(a[0]);
    if (name == "trace" && a[0].shape().empty()) return a[0];
    if (name == "trace" && a[0].shape().rank() == 1)
        shape_error("trace: expected square matrices: the argument is {}", a[0].shape());
    if (name == "trace") return apply_op<T>("sum", {diagonal(a[0])}, {{"axes", Index{-1}}});
    if (name == "floor") return step_function(a[0], whole_part<T>);
    if (name == "sign") return step_function(a[0], sign_of<T>);
    if (name == "step") return step_function(a[0], is_above<T>);
    value_error("{}: no such function", name);
}

template Var<double> apply(const std::string&, const std::vector<Var<double>>&, std::vector<OptionValue>);
template Var<Dual<Bounded<double>>> apply(const std::string&, const std::vector<Var<Dual<Bounded<double>>>>&,
                                          std::vector<OptionValue>);
template Var<Dual<Bounded<Quad>>> apply(const std::string&, const std::vector<Var<Dual<Bounded<Quad>>>>&,
                                        std::vector<OptionValue>);
template Var<Modular> apply(const std::string&, const std::vector<Var<Modular>>&, std::vector<OptionValue>);

}  // namespace gradproof::proof
