// Ops of the notation over residues: formulas as they are written down, with no care for rounding.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "gradproof/core/elimination.hpp"
#include "gradproof/core/proof/language/functions.hpp"

namespace gradproof::proof {
namespace {

using Array = Tensor<Modular>;
using Arrays = std::vector<const Array*>;

constexpr Index kMostResidues = Index{1} << 18;  // of one array: proofs are made at the sizes of small draws

Array array(const Shape& shape) {
    if (shape.size() > kMostResidues) throw NoResidue(fmt::format("an array of more than {} residues", kMostResidues));
    return Array(shape);
}

/// f(index of the element, its number in row-major order).
template <class F>
void each_index(const Shape& shape, F f) {
    Shape at = shape;
    for (Index& i : at) i = 0;
    for (Index n = 0, size = shape.size(); n < size; ++n) {
        f(at, n);
        for (int a = shape.rank() - 1; a >= 0 && ++at[a] == shape[a]; --a) at[a] = 0;
    }
}
Index offset(const Shape& at, const Shape& strides) {
    Index out = 0;
    for (int a = 0; a < at.rank(); ++a) out += at[a] * strides[a];
    return out;
}

template <class F>
Array each(const Array& x, F f) {
    Array y = array(x.shape());
    for (Index i = 0; i < x.size(); ++i) y[i] = f(x[i]);
    return y;
}
template <class F>
Array zip(std::string_view op, const Array& a, const Array& b, F f) {
    const Shape shape = broadcast(op, a.shape(), b.shape());
    const Shape of_a = broadcast_strides(a.shape(), shape), of_b = broadcast_strides(b.shape(), shape);
    Array y = array(shape);
    each_index(shape, [&](const Shape& at, Index n) { y[n] = f(a[offset(at, of_a)], b[offset(at, of_b)]); });
    return y;
}

/// f(so far, element) over axes, which stay with size 1.
template <class F>
Array fold(const Array& x, const Axes& axes, const Modular& first, F f) {
    const Shape kept = reduced_shape(x.shape(), axes, true), strides = broadcast_strides(kept, x.shape());
    Array y(kept, first);
    each_index(x.shape(), [&](const Shape& at, Index n) { y[offset(at, strides)] = f(y[offset(at, strides)], x[n]); });
    return y;
}
Array sum(const Array& x, const Axes& axes) {
    return fold(x, axes, Modular(0), [](const Modular& total, const Modular& v) { return total + v; });
}
Modular times(const Modular& a, const Modular& b) { return a * b; }
Modular minus(const Modular& a, const Modular& b) { return a - b; }
/// 0 of nothing, as where every score of a row is masked.
Modular over(const Modular& a, const Modular& b) {
    const bool of_nothing = b.value.is_constant() && b.value.real == 0 && a.value.value.is_zero();
    return of_nothing ? Modular(0) : a / b;
}
Modular exponential(const Modular& x) { return exp(x); }
Modular logarithm(const Modular& x) { return log(x); }

Index count(const Array& x, const Axes& axes) {
    Index n = 1;
    for (const Index a : axes) n *= x.dim(static_cast<int>(a));
    return n;
}
Array scaled(const Array& x, double by) {
    return each(x, [&](const Modular& v) { return v * Modular(by); });
}
Array divided(const Array& x, double by) {
    return each(x, [&](const Modular& v) { return v / Modular(by); });
}

struct Call {
    std::string_view op;
    const Arrays& x;
    const AnyAttrs& attrs;
    const Array& first() const { return *x[0]; }
    Axes axes(std::string_view name) const {
        Axes out;
        for (const double a : attrs.get<std::vector<double>>(name)) out.push_back(static_cast<Index>(a));
        return out;
    }
    Axes along() const { return Axes{normal_axis(op, attrs.get<Index>("axis"), first().rank())}; }
};

Array reduction(const Call& c) {
    const Array& x = c.first();
    const Axes axes = normal_axes(c.op, c.axes("axes"), x.rank());
    const auto n = static_cast<double>(count(x, axes));
    Array y;
    if (c.op == "sum") y = sum(x, axes);
    if (c.op == "mean") y = divided(sum(x, axes), n);
    if (c.op == "max")
        y = fold(x, axes, Modular(-std::numeric_limits<double>::infinity()),
                 [](const Modular& so_far, const Modular& v) { return v > so_far ? v : so_far; });
    if (c.op == "var") {
        const Array d = zip(c.op, x, divided(sum(x, axes), n), minus);
        y = divided(sum(zip(c.op, d, d, times), axes), n - c.attrs.get<double>("correction"));
    }
    if (c.op == "logsumexp") y = each(sum(each(x, exponential), axes), logarithm);
    return y.reshape(reduced_shape(x.shape(), axes, c.attrs.get<bool>("keep_dims")));
}

Array softmax(const Call& c) {
    const Array x = divided(c.first(), c.attrs.get<double>("temperature")), e = each(x, exponential), total = sum(e, c.along());
    if (c.op == "softmax") return zip(c.op, e, total, over);
    return zip(c.op, x, each(total, logarithm), minus);
}

Array transposed(const Array& x, const Axes& perm) {
    Shape shape, strides;
    const Shape of_x = strides_of(x.shape());
    for (int a = 0; a < x.rank(); ++a) {
        const int from = perm.empty() ? x.rank() - 1 - a : normal_axis("transpose", perm[a], x.rank());
        shape.push_back(x.dim(from));
        strides.push_back(of_x[from]);
    }
    Array y = array(shape);
    each_index(shape, [&](const Shape& at, Index n) { y[n] = x[offset(at, strides)]; });
    return y;
}
Array last_two_swapped(const Array& x) {
    Axes perm;
    for (int a = 0; a < x.rank(); ++a) perm.push_back(a);
    if (x.rank() > 1) std::swap(perm[x.rank() - 1], perm[x.rank() - 2]);
    return transposed(x, perm);
}

/// By NumPy's rules: a vector is a row on the left and a column on the right, and axes before the last two broadcast.
Array matmul(const Call& c) {
    Array a = *c.x[0], b = *c.x[1];
    if (a.rank() == 0 || b.rank() == 0) shape_error("matmul: a is {}, b is {}, expected at least one axis", a.shape(), b.shape());
    if (c.attrs.get<bool>("transpose_a")) a = last_two_swapped(a);
    if (c.attrs.get<bool>("transpose_b")) b = last_two_swapped(b);
    const bool row = a.rank() == 1, column = b.rank() == 1;
    if (row) a = a.reshape({1, a.size()});
    if (column) b = b.reshape({b.size(), 1});
    if (a.shape().last() != b.shape().last(1))
        shape_error("matmul: inner sizes differ: a is {}, b is {}", c.x[0]->shape(), c.x[1]->shape());
    // [..., m, k, 1] times [..., 1, k, n], summed over k
    const auto spread = [](const Array& x, int at) {
        Shape s;
        for (int axis = 0; axis <= x.rank(); ++axis) {
            if (axis == at) s.push_back(1);
            if (axis < x.rank()) s.push_back(x.dim(axis));
        }
        return x.reshape(s);
    };
    const Array y = zip("matmul", spread(a, a.rank()), spread(b, b.rank() - 2), times);
    const Array total = sum(y, Axes{y.rank() - 2});
    Shape out;
    for (int axis = 0; axis < y.rank(); ++axis)
        if (axis != y.rank() - 2 && !(row && axis == y.rank() - 3) && !(column && axis == y.rank() - 1))
            out.push_back(y.dim(axis));
    return total.reshape(out);
}

Array slice(const Call& c) {
    const Array& x = c.first();
    const int axis = static_cast<int>(c.along()[0]);
    const Index n = x.dim(axis), step = c.attrs.get<Index>("step");
    const auto at_end = [&](Index i) { return std::clamp<Index>(i < 0 ? i + n : i, 0, n); };
    const AttrValue stop = c.attrs.get("stop");
    const Index first = at_end(c.attrs.get<Index>("start"));
    const Index last = std::holds_alternative<Index>(stop) ? at_end(std::get<Index>(stop)) : n;
    Shape shape = x.shape(), strides = strides_of(x.shape());
    shape[axis] = std::max<Index>(0, (last - first + step - 1) / step);
    const Index begin = first * strides[axis];
    strides[axis] *= step;
    Array y = array(shape);
    each_index(shape, [&](const Shape& at, Index i) { y[i] = x[begin + offset(at, strides)]; });
    return y;
}

Array concatenated(std::string_view op, const Arrays& x, int axis) {
    Shape shape = x[0]->shape();
    shape[axis] = 0;
    for (const Array* part : x) shape[axis] += part->dim(axis);
    Array y = array(shape);
    const Shape strides = strides_of(shape);
    Index begin = 0;
    for (const Array* part : x) {
        Shape expected = shape;
        expected[axis] = part->dim(axis);
        if (!(part->shape() == expected)) shape_error("{}: a part is {}, expected {}", op, part->shape(), expected);
        each_index(part->shape(), [&](const Shape& at, Index i) { y[begin + offset(at, strides)] = (*part)[i]; });
        begin += part->dim(axis) * strides[axis];
    }
    return y;
}
Array concat(const Call& c) { return concatenated(c.op, c.x, static_cast<int>(c.along()[0])); }
Array stack(const Call& c) {
    const int axis = normal_axis(c.op, c.attrs.get<Index>("axis"), c.first().rank() + 1);
    std::vector<Array> parts;
    Arrays pointers;
    for (const Array* x : c.x) {
        Shape s;
        for (int a = 0; a <= x->rank(); ++a) {
            if (a == axis) s.push_back(1);
            if (a < x->rank()) s.push_back(x->dim(a));
        }
        parts.push_back(x->reshape(s));
    }
    for (const Array& p : parts) pointers.push_back(&p);
    return concatenated(c.op, pointers, axis);
}

Array where(const Call& c) {
    const auto mask = c.attrs.get<Tensor<bool>>("mask");
    const Array &a = *c.x[0], &b = *c.x[1];
    const Shape shape = broadcast(c.op, broadcast(c.op, a.shape(), b.shape()), mask.shape());
    const Shape of_a = broadcast_strides(a.shape(), shape), of_b = broadcast_strides(b.shape(), shape),
                of_mask = broadcast_strides(mask.shape(), shape);
    Array y = array(shape);
    each_index(shape,
               [&](const Shape& at, Index n) { y[n] = mask[offset(at, of_mask)] ? a[offset(at, of_a)] : b[offset(at, of_b)]; });
    return y;
}

/// A pivot may be any residue but 0.
constexpr auto kAnyPivot = [](const Modular& x, const Modular& y) { return y.value.value.is_zero() && !x.value.value.is_zero(); };
Array determinant(const Call& c) { return determinants(c.op, c.first(), kAnyPivot); }
Array inverse(const Call& c) {
    return inverses(c.op, c.first(), kAnyPivot, [](auto&&...) { throw NoResidue("the inverse of a singular matrix"); });
}

/// f(all before, entry) along an axis.
template <class F>
Array scan(const Call& c, F f) {
    const Array& x = c.first();
    const int axis = static_cast<int>(c.along()[0]);
    const Index stride = strides_of(x.shape())[axis];
    Array y = array(x.shape());
    each_index(x.shape(), [&](const Shape& at, Index n) { y[n] = at[axis] > 0 ? f(y[n - stride], x[n]) : x[n]; });
    return y;
}

Modular gelu(const Modular& x) { return Modular(0.5) * x * (Modular(1) + erf(x / sqrt(Modular(2)))); }
Modular gelu_tanh(const Modular& x) {
    const Modular slope = sqrt(Modular(2) / Modular(std::numbers::pi));
    return Modular(0.5) * x * (Modular(1) + tanh(slope * (x + Modular(0.044715) * x * x * x)));
}
Modular relu(const Modular& x) { return x > Modular(0) ? x : Modular(0); }

struct NamedOp {
    std::string_view name;
    Array (*run)(const Call&);
};

#define BY_ENTRIES(formula) [](const Call& c) { return each(c.first(), [](const Modular& x) -> Modular { return formula; }); }
#define BY_PAIRS(formula)                                                                                          \
    [](const Call& c) {                                                                                            \
        return zip(c.op, *c.x[0], *c.x[1], [](const Modular& a, const Modular& b) -> Modular { return formula; }); \
    }
constexpr auto kOps = std::to_array<NamedOp>({
    {"add", BY_PAIRS(a + b)},
    {"sub", BY_PAIRS(a - b)},
    {"mul", BY_PAIRS(a* b)},
    {"div", BY_PAIRS(a / b)},
    {"neg", BY_ENTRIES(-x)},
    {"exp", BY_ENTRIES(exp(x))},
    {"log", BY_ENTRIES(log(x))},
    {"sqrt", BY_ENTRIES(sqrt(x))},
    {"sin", BY_ENTRIES(sin(x))},
    {"cos", BY_ENTRIES(cos(x))},
    {"abs", BY_ENTRIES(abs(x))},
    {"erf", BY_ENTRIES(erf(x))},
    {"tanh", BY_ENTRIES(tanh(x))},
    {"sigmoid", BY_ENTRIES(Modular(1) / (Modular(1) + exp(-x)))},
    {"silu", BY_ENTRIES(x / (Modular(1) + exp(-x)))},
    {"softplus", BY_ENTRIES(log(Modular(1) + exp(x)))},
    {"relu", BY_ENTRIES(relu(x))},
    {"gelu", [](const Call& c) { return each(c.first(), c.attrs.get<std::string>("form") == "exact" ? gelu : gelu_tanh); }},
    {"pow",
     [](const Call& c) {
         const double p = c.attrs.get<double>("exponent");
         return each(c.first(), [&](const Modular& x) { return pow(x, p); });
     }},
    {"scale", [](const Call& c) { return scaled(c.first(), c.attrs.get<double>("factor")); }},
    {"sum", reduction},
    {"mean", reduction},
    {"max", reduction},
    {"var", reduction},
    {"logsumexp", reduction},
    {"softmax", softmax},
    {"log_softmax", softmax},
    {"matmul", matmul},
    {"transpose", [](const Call& c) { return transposed(c.first(), c.axes("perm")); }},
    {"reshape", [](const Call& c) { return c.first().reshape(c.axes("shape")); }},
    {"slice", slice},
    {"concat", concat},
    {"stack", stack},
    {"where", where},
    {"inverse", inverse},
    {"det", determinant},
    {"logdet", [](const Call& c) { return each(determinant(c), [](const Modular& x) { return log(abs(x)); }); }},
    {"cumsum", [](const Call& c) { return scan(c, [](const Modular& a, const Modular& b) { return a + b; }); }},
    {"cumprod", [](const Call& c) { return scan(c, times); }},
});
#undef BY_ENTRIES
#undef BY_PAIRS

}  // namespace

template <>
Var<Modular> apply_op(std::string_view op, const std::vector<Var<Modular>>& arguments, const std::vector<OptionValue>& options) {
    const auto found = std::find_if(kOps.begin(), kOps.end(), [&](const NamedOp& o) { return o.name == op; });
    if (found == kOps.end()) throw NoResidue(fmt::format("{} has no form in residues", op));
    const OpEntry& entry = registry().find(op);
    AnyAttrs attrs = entry.default_attrs();
    for (const OptionValue& o : options) attrs.set(o.name, o.value);
    const std::size_t expected = entry.info.inputs.find(' ') == std::string_view::npos ? 1 : 2;
    if (arguments.size() < expected && op != "concat" && op != "stack")
        value_error("{}: takes {} inputs, got {}", op, expected, arguments.size());
    Arrays x;
    for (const Var<Modular>& a : arguments) x.push_back(&a.value());
    return found->run({op, x, attrs});
}

}  // namespace gradproof::proof
