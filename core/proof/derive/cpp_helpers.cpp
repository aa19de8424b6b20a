// What a page in C++ brings along beside the words of core/algebra.hpp.
#include <algorithm>

#include "gradproof/core/proof/derive/cpp_text.hpp"

namespace gradproof::proof {
namespace {

struct Helper {
    std::string_view name, needs, text;
    bool of_entries = false;  ///< the text is of a number, and a tensor has it for each entry
};
/// Each after those that it needs.
constexpr auto kHelpers = std::to_array<Helper>({
    {"each", "", R"page(template <Scalar Element, class F>
Tensor<Element> each(const Tensor<Element>& x, F f) {
    Tensor<Element> y(x.shape());
    for (Index i = 0; i < x.size(); ++i) y[i] = f(x[i]);
    return y;
}
)page"},
    {"put", "", R"page(template <Scalar Element>
void put(Tensor<Element>& y, const std::vector<Index>& at, const Tensor<Element>& row) {
    Index first = 0, count = y.size();
    for (std::size_t i = 0; i < at.size(); ++i) {
        count /= y.dim(static_cast<int>(i));
        first += at[i] * count;
    }
    for (Index i = 0; i < count; ++i) y[first + i] = row[row.size() == 1 ? 0 : i];
}
)page"},
    {"whole", "", R"page(inline Index whole(double x) { return static_cast<Index>(std::llround(x)); }
)page"},
    {"step", "each", R"page(template <class V>
V step(const V& x) {
    return V(x > V(0) ? 1.0 : 0.0);
}
)page",
     true},
    {"sign", "each", R"page(template <class V>
V sign(const V& x) {
    return V(static_cast<double>((x > V(0)) - (x < V(0))));
}
)page",
     true},
    {"whole_part", "each", R"page(template <class V>
V whole_part(const V& x) {
    return V(std::floor(static_cast<double>(primal(x))));
}
)page",
     true},
    {"remainder_of", "whole_part", R"page(template <class V, class W>
auto remainder_of(const V& a, const W& b) {
    return a - whole_part(a / b) * b;
}
)page"},
    {"relu", "each", R"page(template <class V>
V relu(const V& x) {
    return x > V(0) ? x : V(0);
}
)page",
     true},
    {"magnitude", "each sign", R"page(template <class V>
V magnitude(const V& x) {
    return x * sign(x);
}
)page"},
    {"sine", "each", R"page(template <class V>
V sine(const V& x) {
    return sin(x);
}
)page",
     true},
    {"cosine", "each", R"page(template <class V>
V cosine(const V& x) {
    return cos(x);
}
)page",
     true},
    {"error_function", "each", R"page(template <class V>
V error_function(const V& x) {
    return erf(x);
}
)page",
     true},
    {"logistic", "", R"page(template <class V>
V logistic(const V& x) {
    return V(1) / (V(1) + exp(-x));
}
template <Scalar Element>
Tensor<Element> logistic(const Tensor<Element>& x) {
    return sigmoid(x);
}
)page"},
    {"softplus", "each", R"page(template <class V>
V softplus(const V& x) {
    return x > V(0) ? x + log1p(exp(-x)) : log1p(exp(x));
}
)page",
     true},
    {"silu", "logistic", R"page(template <class V>
V silu(const V& x) {
    return x * logistic(x);
}
)page"},
    {"gelu", "error_function", R"page(template <class V>
V gelu(const V& x) {
    return x * (error_function(x / std::sqrt(2.0)) + 1.0) / 2.0;
}
)page"},
    {"square", "", R"page(template <class V>
V square(const V& x) {
    return x * x;
}
)page"},
    {"power", "each", R"page(template <class V>
V power(const V& x, double p) {
    return pow(x, static_cast<base_t<V>>(p));
}
template <Scalar Element>
Tensor<Element> power(const Tensor<Element>& x, double p) {
    return each(x, [=](const Element& v) { return power(v, p); });
}
)page"},
    {"nonzero", "", R"page(template <Scalar Element>
Tensor<bool> nonzero(const Tensor<Element>& x) {
    Tensor<bool> y(x.shape());
    for (Index i = 0; i < x.size(); ++i) y[i] = !(x[i] == Element(0));
    return y;
}
)page"},
    {"larger", "nonzero step", R"page(template <class V>
V larger(const V& a, const V& b) {
    return a > b ? a : b;
}
template <Scalar Element>
Tensor<Element> larger(const Tensor<Element>& a, const Tensor<Element>& b) {
    return where(nonzero(step(a - b)), a, b);
}
)page"},
    {"smaller", "nonzero step", R"page(template <class V>
V smaller(const V& a, const V& b) {
    return a > b ? b : a;
}
template <Scalar Element>
Tensor<Element> smaller(const Tensor<Element>& a, const Tensor<Element>& b) {
    return where(nonzero(step(a - b)), b, a);
}
)page"},
    {"without_axis", "", R"page(template <Scalar Element>
Tensor<Element> without_axis(const Tensor<Element>& x, int axis) {
    Shape shape;
    for (int i = 0; i < x.rank(); ++i)
        if (i != axis) shape.push_back(x.dim(i));
    return x.reshape(shape);
}
)page"},
    {"centred", "",
     R"page(/// Its mean is taken off twice: what rounding leaves of it the first time may be multiplied by large numbers.
template <Scalar Element>
Tensor<Element> centred(const Tensor<Element>& x, const Axes& axes) {
    const Tensor<Element> around = x - mean(x, axes);
    return around - mean(around, axes);
}
)page"},
    {"variance", "square", R"page(template <Scalar Element>
Tensor<Element> variance(const Tensor<Element>& x, const Axes& axes) {
    return mean(square(x - mean(x, axes)), axes);
}
)page"},
    {"length", "square", R"page(template <Scalar Element>
Tensor<Element> length(const Tensor<Element>& x, const Axes& axes) {
    return sqrt(sum(square(x), axes));
}
)page"},
    {"log_sum_exp", "", R"page(template <Scalar Element>
Tensor<Element> log_sum_exp(const Tensor<Element>& x, const Axes& axes) {
    const Tensor<Element> shift = exp_shift(x, axes);
    return log(sum(exp(x - shift), axes)) + shift;
}
)page"},
    {"softmax_over", "", R"page(template <Scalar Element>
Tensor<Element> softmax_over(const Tensor<Element>& x, Index axis) {
    const Tensor<Element> e = exp(x - exp_shift(x, axis));
    return divide_or_zero(e, sum(e, axis));
}
)page"},
    {"log_softmax_over", "log_sum_exp", R"page(template <Scalar Element>
Tensor<Element> log_softmax_over(const Tensor<Element>& x, Index axis) {
    return x - log_sum_exp(x, Axes{axis});
}
)page"},
    {"turned", "", R"page(template <Scalar Element>
Tensor<Element> turned(const Tensor<Element>& x) {
    Axes order;
    for (int i = 0; i < x.rank(); ++i) order.push_back(i);
    std::swap(order[x.rank() - 1], order[x.rank() - 2]);
    return transpose(x, order);
}
)page"},
    {"unit_matrix", "", R"page(template <Scalar Element>
Tensor<Element> unit_matrix(Index n, Index m) {
    Tensor<Element> y(Shape{n, m}, Element(0));
    for (Index i = 0; i < std::min(n, m); ++i) y.at({i, i}) = Element(1);
    return y;
}
)page"},
    {"causal_mask", "", R"page(template <Scalar Element>
Tensor<Element> causal_mask(Index n, Index m) {
    Tensor<Element> y(Shape{n, m}, Element(0));
    for (Index i = 0; i < n; ++i)
        for (Index j = i + 1; j < m; ++j) y.at({i, j}) = Element(-HUGE_VAL);
    return y;
}
)page"},
    {"diagonal", "unit_matrix without_axis", R"page(template <Scalar Element>
Tensor<Element> diagonal(const Tensor<Element>& x) {
    const Tensor<Element> unit = unit_matrix<Element>(x.shape().last(), x.shape().last());
    if (x.rank() == 1) return x * unit;
    return without_axis(sum(where(equal(unit, number<Element>(1)), x, 0), -1), x.rank() - 1);
}
)page"},
    {"outer_product", "", R"page(template <Scalar Element>
Tensor<Element> outer_product(const Tensor<Element>& u, const Tensor<Element>& v) {
    return u.reshape(Shape{u.size(), 1}) * v;
}
)page"},
    {"kronecker", "", R"page(template <Scalar Element>
Tensor<Element> kronecker(const Tensor<Element>& a, const Tensor<Element>& b) {
    const Tensor<Element> y = a.reshape(Shape{a.dim(0), 1, a.dim(1), 1}) * b.reshape(Shape{1, b.dim(0), 1, b.dim(1)});
    return y.reshape(Shape{a.dim(0) * b.dim(0), a.dim(1) * b.dim(1)});
}
)page"},
    {"range_of", "", R"page(template <Scalar Element>
Tensor<Element> range_of(Index n) {
    Tensor<Element> y(Shape{n});
    for (Index i = 0; i < n; ++i) y[i] = Element(static_cast<double>(i));
    return y;
}
)page"},
    {"joined", "", R"page(template <Scalar Element>
Tensor<Element> joined(const std::vector<Tensor<Element>>& parts, int axis) {
    Shape shape = parts.at(0).shape();
    shape[axis] = 0;
    for (const Tensor<Element>& p : parts) shape[axis] += p.dim(axis);
    Tensor<Element> y(shape, Element(0));
    Index at = 0;
    for (const Tensor<Element>& p : parts) {
        set_part(y, {.axis = axis, .start = at, .count = p.dim(axis)}, p);
        at += p.dim(axis);
    }
    return y;
}
)page"},
    {"running_sum", "", R"page(template <Scalar Element>
Tensor<Element> running_sum(const Tensor<Element>& x, int axis) {
    Tensor<Element> y = x.clone();
    for (Index i = 1; i < x.dim(axis); ++i) set_entry(y, axis, i, entry(y, axis, i - 1) + entry(x, axis, i));
    return y;
}
)page"},
    {"running_product", "", R"page(template <Scalar Element>
Tensor<Element> running_product(const Tensor<Element>& x, int axis) {
    Tensor<Element> y = x.clone();
    for (Index i = 1; i < x.dim(axis); ++i) set_entry(y, axis, i, entry(y, axis, i - 1) * entry(x, axis, i));
    return y;
}
)page"},
});

/// The same for tensors, of those that are so.
std::string over_entries(const Helper& h) {
    if (!h.of_entries) return "";
    return fmt::format(R"page(template <Scalar Element>
Tensor<Element> {0}(const Tensor<Element>& x) {{
    return each(x, [](const Element& v) {{ return {0}(v); }});
}}
)page",
                       h.name);
}

}  // namespace

std::vector<std::string_view> cpp_helper_names() {
    std::vector<std::string_view> out;
    for (const Helper& h : kHelpers) out.push_back(h.name);
    return out;
}

std::string cpp_helpers(const std::set<std::string>& names) {
    std::set<std::string> all = names;
    for (std::size_t i = kHelpers.size(); i-- > 0;) {  // what a helper needs stands before it
        if (!all.contains(std::string(kHelpers[i].name))) continue;
        std::string needs(kHelpers[i].needs);
        for (std::size_t at = 0; at < needs.size();) {
            const std::size_t end = std::min(needs.find(' ', at), needs.size());
            all.insert(needs.substr(at, end - at));
            at = end + 1;
        }
    }
    std::string out;
    for (const Helper& h : kHelpers)
        if (all.contains(std::string(h.name))) out += std::string(h.text) + over_entries(h) + "\n";
    return out;
}

}  // namespace gradproof::proof
