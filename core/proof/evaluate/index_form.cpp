// Index form, entry by entry.
#include "gradproof/core/proof/evaluate/index_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace gradproof::proof {
namespace {

template <class T>
struct NamedFunction {
    std::string_view name;
    std::size_t arguments;
    T (*function)(const T&, const T&);
};

/// Functions of numbers that need no op: those that elements have themselves, and those that are steps.
template <class T>
const auto& functions() {
    using std::exp, std::log, std::sqrt, std::sin, std::cos, std::tanh, std::erf, std::abs;
    static constexpr auto kAll = std::to_array<NamedFunction<T>>({
        {"exp", 1, [](const T& x, const T&) -> T { return exp(x); }},
        {"log", 1, [](const T& x, const T&) -> T { return log(x); }},
        {"sqrt", 1, [](const T& x, const T&) -> T { return sqrt(x); }},
        {"sin", 1, [](const T& x, const T&) -> T { return sin(x); }},
        {"cos", 1, [](const T& x, const T&) -> T { return cos(x); }},
        {"tanh", 1, [](const T& x, const T&) -> T { return tanh(x); }},
        {"erf", 1, [](const T& x, const T&) -> T { return erf(x); }},
        {"abs", 1, [](const T& x, const T&) -> T { return abs(x); }},
        {"sg", 1, [](const T& x, const T&) -> T { return x; }},
        {"floor", 1, [](const T& x, const T&) -> T { return whole_part(x); }},
        {"sign", 1, [](const T& x, const T&) -> T { return sign_of(x); }},
        {"step", 1, [](const T& x, const T&) -> T { return T(x > T(0) ? 1.0 : 0.0); }},
        {"mod", 2, [](const T& a, const T& b) -> T { return a - whole_part(a / b) * b; }},
        {"max", 2, [](const T& a, const T& b) -> T { return a > b ? a : b; }},
        {"min", 2, [](const T& a, const T& b) -> T { return a > b ? b : a; }},
    });
    return kAll;
}

/// x^p; where p varies too, exp(p log x). The 0th power of NaN is NaN, not 1 as in IEEE's pow.
template <class T>
T power(const T& x, const T& p) {
    if constexpr (!std::is_same_v<T, Modular>)
        if (std::isnan(primal(x))) return x * x;  // its derivative is NaN, too
    if constexpr (is_dual<T>) {
        if (!is_zero(p.tangent)) return exp(p * log(x));
        return pow(x, primal(p));
    } else {
        return std::pow(x, p);
    }
}

}  // namespace

template <class T>
IndexForm<T>::IndexForm(const Expr& e, const std::vector<std::string>& free, const std::map<std::string, Index>& sizes,
                        const IndexSizes::OfSums& sums, const Scope<T>& scope, const Closed& closed, const T* own)
    : sizes_(sizes), sums_(sums), scope_(scope), closed_(closed), names_(free), own_(own) {
    values_.resize(free.size());
    for (const std::string& index : free) ends_.push_back(sizes_.at(index));
    root_ = bind(e);
}

template <class T>
T IndexForm<T>::at(const Shape& free) {
    std::copy(free.begin(), free.end(), values_.begin());
    ++computed_;
    return run(root_);
}

template <class T>
std::optional<std::size_t> IndexForm<T>::slot_of(const std::string& name) const {
    const auto found = std::find(names_.rbegin(), names_.rend(), name);
    if (found == names_.rend()) return std::nullopt;
    return static_cast<std::size_t>(names_.rend() - found) - 1;
}

template <class T>
bool IndexForm<T>::uses_index(const Expr& e) const {
    if (e.kind == Kind::helper || e.kind == Kind::delta) return e.kind == Kind::delta;
    if (e.kind == Kind::name) {
        const bool other = scope_.values.contains(e.name) || scope_.sizes.contains(e.name);
        return slot_of(e.name) || (sizes_.contains(e.name) && !other);
    }
    const auto below = [&](const auto& part) { return uses_index(*part); };
    return std::ranges::any_of(e.children, below) || std::ranges::any_of(e.options, below, &Option::value);
}

/// The number that a part without indices is.
template <class T>
T IndexForm<T>::scalar_of(const Expr& e) {
    const Var<T>& x = closed_(e);
    if (x.shape().empty()) return x.value()[0];
    refuse_shape(e, "{} is {}: it needs {} indices here", text_of(e), named_shape(x.shape(), scope_.sizes), x.shape().rank());
}

template <class T>
typename IndexForm<T>::Node IndexForm<T>::bind(const Expr& e) {
    Node n;
    n.e = &e;
    switch (e.kind) {
        case Kind::number: n.value = T(e.number); return n;
        case Kind::name:
            if (const auto slot = slot_of(e.name)) {
                n.step = Step::index;
                n.slot = *slot;
                return n;
            }
            n.value = scalar_of(e);
            return n;
        case Kind::helper:
        case Kind::gradient: n.value = scalar_of(e); return n;
        case Kind::transpose: return bind(*e.children[0]);  // of a number: itself
        case Kind::index: return bind_entry(e, 1);
        case Kind::jacobian: return bind_entry(e, 0);
        case Kind::call: return bind_call(e);
        case Kind::reduce:
            n.step = Step::reduce;
            n.slot = names_.size();
            for (const std::string& b : e.bound) {
                names_.push_back(b);
                n.extents.push_back(sums_.at(&e).at(b));
                ends_.push_back(n.extents.back());
            }
            values_.resize(std::max(values_.size(), names_.size()));
            n.children.push_back(bind(*e.children[0]));
            names_.resize(n.slot);
            ends_.resize(n.slot);
            return n;
        case Kind::sum: n.step = Step::sum; break;
        case Kind::product: n.step = Step::product; break;
        case Kind::negate: n.step = Step::negate; break;
        case Kind::power: n.step = Step::power; break;
        case Kind::delta: n.step = Step::delta; break;
        case Kind::array:
        case Kind::slice:
        case Kind::ellipsis:
        case Kind::word: refuse(e, "{} is not a number: it has no place in index form", text_of(e));
    }
    for (const ExprPtr& c : e.children) n.children.push_back(bind(*c));
    return n;
}

template <class T>
typename IndexForm<T>::Node IndexForm<T>::bind_entry(const Expr& e, std::size_t first) {
    const Var<T>& array = closed_(first == 0 ? e : *e.children[0]);
    const std::size_t given = e.children.size() - std::min(first, e.children.size());
    for (int a = static_cast<int>(given); a < array.shape().rank(); ++a)
        if (array.shape()[a] != 1 || given == 0 || first == 0)
            refuse_shape(e, "{} is {}: it takes {} indices, got {}", text_of(first == 0 ? e : *e.children[0]),
                         named_shape(array.shape(), scope_.sizes), array.shape().rank(), given);
    Node n;
    n.e = &e;
    n.data = array.value().data();
    n.step = Step::entry;
    for (std::size_t i = first; i < e.children.size(); ++i) {
        n.extents.push_back(array.shape()[static_cast<int>(i - first)]);
        n.children.push_back(bind(*e.children[i]));
        const Node& index = n.children.back();
        // An index runs over the axis that it stands at, and needs no test of its range.
        if (index.step != Step::index || ends_[index.slot] > n.extents.back()) n.step = Step::entry_computed;
        n.slots.push_back(index.slot);
    }
    return n;
}

template <class T>
typename IndexForm<T>::Node IndexForm<T>::bind_call(const Expr& e) {
    Node n;
    n.e = &e;
    if (!uses_index(e)) {
        n.value = scalar_of(e);
        return n;
    }
    const bool where = e.name == "where" && e.children.size() == 3;
    if (!where && (!is_elementwise(e.name) || !e.options.empty()))
        refuse(e, "{} takes whole arrays: in index form write {}(...)[i] of values without indices", e.name, e.name);
    n.step = where ? Step::where : Step::call_op;
    for (const NamedFunction<T>& f : functions<T>())
        if (f.name == e.name && f.arguments == e.children.size()) {
            n.step = Step::call;
            n.function = f.function;
        }
    for (const ExprPtr& c : e.children) n.children.push_back(bind(*c));
    return n;
}

template <class T>
T IndexForm<T>::run(const Node& n) {
    switch (n.step) {
        case Step::constant: return n.value;
        case Step::index: return T(static_cast<double>(values_[n.slot]));
        case Step::entry:
        case Step::entry_computed: return at_offset(n, offset(n));
        case Step::sum: return run_sum(n);
        case Step::product: return run_product(n);
        case Step::negate: return -run(n.children[0]);
        case Step::power: return power(run(n.children[0]), run(n.children[1]));
        case Step::reduce: return run_reduce(n);
        case Step::delta: return T(whole(n.children[0]) == whole(n.children[1]) ? 1.0 : 0.0);
        case Step::call: {
            const T first = run(n.children[0]);
            return n.function(first, n.children.size() > 1 ? run(n.children[1]) : first);
        }
        case Step::call_op: return run_op(n);
        case Step::where: {  // the other branch may be out of range
            const T mask = run(n.children[0]);
            if (mask != mask) return mask;  // NaN chooses none
            return run(n.children[mask == T(0) ? 2 : 1]);
        }
    }
    return T(0);
}

template <class T>
Index IndexForm<T>::offset(const Node& n) {
    if (n.step == Step::entry_computed) return computed_offset(n);
    Index offset = 0;
    for (std::size_t i = 0; i < n.slots.size(); ++i) offset = offset * n.extents[i] + values_[n.slots[i]];
    return offset;
}

/// One too far is a slip of the author's; a number is too large for sizes that may be drawn.
[[noreturn]] void refuse_index(const Expr& e, Index at, Index last) {
    if (e.kind == Kind::number) refuse(e, "index {} is out of range 0 to {}", at, last);
    refuse_shape(e, "index {} = {} is out of range 0 to {}{}", text_of(e), at, last,
                 at < 0 ? "; say with where(…, …, …) what comes before the first entry" : "");
}

/// Errors: EvaluationError for an entry of what is computed that comes later.
template <class T>
const T& IndexForm<T>::at_offset(const Node& n, Index offset) const {
    if (n.data == own_ && offset >= computed_)
        refuse(*n.e, "{} is not computed yet: a recurrence goes from the first entry to the last", text_of(*n.e));
    return n.data[offset];
}

template <class T>
Index IndexForm<T>::computed_offset(const Node& n) {
    Index offset = 0;
    for (std::size_t i = 0; i < n.children.size(); ++i) {
        const Index at = whole(n.children[i]);
        if (at < 0 || at >= n.extents[i]) refuse_index(*n.children[i].e, at, n.extents[i] - 1);
        offset = offset * n.extents[i] + at;
    }
    return offset;
}

template <class T>
Index IndexForm<T>::whole(const Node& n) {
    if (n.step == Step::index) return values_[n.slot];
    const double v = primal(run(n));
    if (v != std::floor(v) || std::abs(v) > 1e15) refuse(*n.e, "index {} is {}, expected a whole number", text_of(*n.e), v);
    return static_cast<Index>(v);
}

template <class T>
T IndexForm<T>::run_sum(const Node& n) {
    T total = run(n.children[0]);
    if (n.e->joints[0] == '-') total = -total;
    for (std::size_t i = 1; i < n.children.size(); ++i) {
        const T x = run(n.children[i]);
        total = n.e->joints[i] == '-' ? total - x : total + x;
    }
    return total;
}

template <class T>
T IndexForm<T>::run_product(const Node& n) {
    T total = run(n.children[0]);
    for (std::size_t i = 1; i < n.children.size(); ++i) {
        const T x = run(n.children[i]);
        total = n.e->joints[i] == '/' ? total / x : n.e->joints[i] == '+' ? total + x : total * x;
    }
    return total;
}

/// f(step) for all values of the indices that a reduction binds; how many there are.
template <class T>
template <class F>
Index IndexForm<T>::each_step(const Node& n, F f) {
    Index count = 1;
    for (std::size_t i = 0; i < n.extents.size(); ++i) {
        values_[n.slot + i] = 0;
        count *= n.extents[i];
    }
    for (Index step = 0; step < count; ++step) {
        f(step);
        for (std::size_t i = n.extents.size(); i-- > 0;) {
            if (++values_[n.slot + i] < n.extents[i]) break;
            values_[n.slot + i] = 0;
        }
    }
    return count;
}

template <class T>
T IndexForm<T>::run_reduce(const Node& n) {
    T total = T(n.e->name == "prod" ? 1 : 0);
    const Index count = each_step(n, [&](Index step) {
        const T x = run(n.children[0]);
        if (n.e->name == "max")
            total = step == 0 || x > total ? x : total;
        else if (n.e->name == "prod")
            total = total * x;
        else
            total = total + x;
    });
    return n.e->name == "mean" && count > 0 ? total / T(static_cast<double>(count)) : total;
}

/// A function whose formula only its op knows, on one number.
template <class T>
T IndexForm<T>::run_op(const Node& n) {
    std::vector<Var<T>> arguments;
    for (const Node& c : n.children) arguments.push_back(Tensor<T>::scalar(run(c)));
    try {
        return apply<T>(n.e->name, arguments, {}).value()[0];
    } catch (const ShapeError& error) {
        refuse_shape(*n.e, "{}", error.what());
    } catch (const std::invalid_argument& error) {
        refuse(*n.e, "{}", error.what());
    }
}

template <class T>
void IndexForm<T>::follow(const Tensor<T>& x, Tensor<T>& into) {
    followed_ = x.data();
    into_ = &into;
    mark(root_);
}

template <class T>
void IndexForm<T>::pull(const Shape& free, const T& g) {
    std::copy(free.begin(), free.end(), values_.begin());
    back(root_, g);
}

/// Whether the part follows from the array.
template <class T>
bool IndexForm<T>::mark(Node& n) {
    if (n.step == Step::entry || n.step == Step::entry_computed) return n.follows = n.data == followed_;
    if (n.step == Step::delta) return false;
    for (Node& c : n.children) n.follows = mark(c) || n.follows;
    if (n.follows && n.step != Step::reduce && n.step != Step::where) {
        Node& alone = n.alone.emplace_back();
        alone.step = n.step;
        alone.e = n.e;
        alone.function = n.function;
        alone.children.resize(n.children.size());
    }
    return n.follows;
}

template <class T>
void IndexForm<T>::back(Node& n, const T& g) {
    if (!n.follows) return;
    switch (n.step) {
        case Step::entry:
        case Step::entry_computed: (*into_)[offset(n)] += g; return;
        case Step::reduce: {
            double count = 1;
            for (const Index i : n.extents) count *= static_cast<double>(i);
            const T part = n.e->name == "mean" ? g / T(count) : g;
            each_step(n, [&](Index) { back(n.children[0], part); });
            return;
        }
        case Step::where: {
            const T mask = run(n.children[0]);
            if (mask != mask) return back(n.children[1], mask);
            return back(n.children[mask == T(0) ? 2 : 1], g);
        }
        default: back_through(n, g);
    }
}

/// The slope by each child is the tangent that follows from one at it.
template <class T>
void IndexForm<T>::back_through(Node& n, const T& g) {
    if constexpr (is_dual<T>) {
        std::vector<Node>& operands = n.alone[0].children;
        for (std::size_t i = 0; i < operands.size(); ++i) operands[i].value = run(n.children[i]);
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (!n.children[i].follows) continue;
            operands[i].value.tangent = 1;
            const T slope(run(n.alone[0]).tangent);
            operands[i].value.tangent = 0;
            back(n.children[i], g * slope);
        }
    }
}

template class IndexForm<double>;
template class IndexForm<Tracked>;
template class IndexForm<TrackedQuad>;
template class IndexForm<Modular>;

}  // namespace gradproof::proof
