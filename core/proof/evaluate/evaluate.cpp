// Evaluation of expressions.
#include "gradproof/core/proof/evaluate/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/assignment.hpp"
#include "gradproof/core/proof/evaluate/index_form.hpp"
#include "gradproof/core/proof/evaluate/index_sizes.hpp"
#include "gradproof/core/proof/evaluate/options.hpp"
#include "gradproof/core/proof/evaluate/row_form.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// x^p; where p varies too, exp(p log x). The 0th power of NaN is NaN, not 1 as in IEEE's pow.
template <class T>
Var<T> power(const Var<T>& x, const Var<T>& p) {
    const auto by_logarithm = [&] { return apply_op<T>("exp", {apply_op<T>("mul", {p, apply_op<T>("log", {x})})}); };
    if (!p.shape().empty()) return by_logarithm();
    if constexpr (is_dual<T>)
        if (!is_zero(p.value()[0].tangent)) return by_logarithm();
    const Var<T> y = apply_op<T>("pow", {x}, {{"exponent", primal(p.value()[0])}});
    const auto is_nan = [](const T& v) { return !std::is_same_v<T, Modular> && std::isnan(primal(v)); };
    if (std::none_of(x.value().begin(), x.value().end(), is_nan)) return y;
    Tensor<T> out = y.value().clone();
    for (Index i = 0; i < out.size(); ++i)
        if (is_nan(x.value()[i])) out[i] = x.value()[i] * x.value()[i];  // its derivative is NaN, too
    return out;
}

/// A derivative that stands in an expression. Errors: EvaluationError where there are none, as in the forward.
template <class T>
Tensor<T> derivative(const std::function<Tensor<T>(const Expr&)>& of, const Expr& e) {
    if (!of)
        throw EvaluationError(e.span, false,
                              "a derivative stands in what a derivative is taken of: such a line is for check alone");
    return of(e);
}

/// The surroundings of an index form.
template <class T>
IndexSizes::Where around(const Expr& e, Evaluator<T>& evaluator, const Scope<T>& scope) {
    return {.values = [&](const std::string& name) { return scope.values.contains(name) || scope.steps.contains(name); },
            .sizes = scope.sizes,
            .shape = [&](const Expr& array) { return evaluator.closed(array).shape(); },
            .number = [&](const Expr& number) { return evaluator.index_value(number); },
            .rank = [&](const std::string& name) { return scope.values.find(name)->second.shape().rank(); },
            .rows = evaluator.in_rows(e)};
}

}  // namespace

std::optional<double> constant_named(std::string_view name) {
    if (name == "pi" || name == "π") return std::numbers::pi;
    if (name == "e") return std::numbers::e;
    if (name == "inf") return std::numeric_limits<double>::infinity();
    return std::nullopt;
}

std::string named_shape(const Shape& shape, const std::map<std::string, Index, std::less<>>& sizes) {
    std::string out;
    bool named = false, all_named = true;
    for (const Index n : shape) {
        const auto found = std::find_if(sizes.begin(), sizes.end(), [&](const auto& s) { return s.second == n; });
        named = named || found != sizes.end();
        all_named = all_named && (found != sizes.end() || n == 1);
        out += (out.empty() ? "" : ", ") + (found != sizes.end() ? found->first : std::to_string(n));
    }
    return named && all_named ? fmt::format("[{}] = {}", out, shape) : shape.str();
}

/// Runs f; what an op throws becomes an error at e.
template <class T>
template <class F>
auto Evaluator<T>::located(const Expr& e, F f) {
    try {
        return f();
    } catch (const EvaluationError&) {
        throw;
    } catch (const ShapeError& error) {
        refuse_shape(e, "{}", error.what());
    } catch (const std::invalid_argument& error) {
        refuse(e, "{}", error.what());
    }
}

template <class T>
Var<T> Evaluator<T>::matrix(const Expr& e) {
    const Var<T> y = value_of(e);
    return scope_.rounded && e.kind != Kind::name && e.kind != Kind::number ? scope_.rounded(y) : y;
}

template <class T>
Var<T> Evaluator<T>::value_of(const Expr& e) {
    switch (e.kind) {
        case Kind::number: return Tensor<T>::scalar(T(e.number));
        case Kind::name: {
            if (const auto v = scope_.values.find(e.name); v != scope_.values.end()) return v->second;
            for (const auto* numbers : {&scope_.steps, &scope_.sizes})
                if (const auto s = numbers->find(e.name); s != numbers->end())
                    return Tensor<T>::scalar(T(static_cast<double>(s->second)));
            if (const auto c = constant_named(e.name)) return Tensor<T>::scalar(T(*c));
            refuse(e, "{} has no value here", e.name);
        }
        case Kind::array: return array_of(e);
        case Kind::sum: return sum_of(e);
        case Kind::product: return product_of(e);
        case Kind::negate: return located(e, [&] { return apply_op<T>("neg", {matrix(*e.children[0])}); });
        case Kind::transpose: return transpose_of(e, matrix(*e.children[0]));
        case Kind::power: return power_of(e);
        case Kind::call: return call_of(e);
        case Kind::index: return entry_of(e);
        case Kind::reduce: return reduce_of(e);
        case Kind::helper: return helper_of(e);
        case Kind::gradient: return derivative<T>(scope_.gradient, e);
        case Kind::jacobian: return jacobian_of(e);
        case Kind::delta:
            if (scope_.steps.empty()) break;
            return Tensor<T>::scalar(T(index_value(*e.children[0]) == index_value(*e.children[1]) ? 1.0 : 0.0));
        case Kind::slice:
        case Kind::ellipsis:
        case Kind::word: break;
    }
    refuse(e, "{} has a value only in index form: write indices on the left", text_of(e));
}

template <class T>
Var<T> Evaluator<T>::transpose_of(const Expr& e, const Var<T>& x) {
    const int rank = x.shape().rank();
    if (rank < 2) return x;  // of a vector or a number: itself
    std::vector<double> order;
    for (int a = 0; a < rank; ++a) order.push_back(a);
    if (e.name == "T")  // of NumPy
        std::reverse(order.begin(), order.end());
    else
        std::swap(order[static_cast<std::size_t>(rank - 1)], order[static_cast<std::size_t>(rank - 2)]);
    return located(e, [&] { return apply_op<T>("transpose", {x}, {{"perm", order}}); });
}

template <class T>
Var<T> Evaluator<T>::product_of(const Expr& e) {
    Var<T> y = matrix(*e.children[0]);
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const Var<T> f = matrix(*e.children[i]);
        const char joint = e.joints[i];
        if (!e.name.empty() && std::max(e.name == "mm" ? y.shape().rank() : 0, f.shape().rank()) > 2)
            throw EvaluationError(e.span, false,
                                  fmt::format("{}: {} of more than two axes is no matrix product: write @", text_of(e), e.name));
        const bool scales = y.shape().empty() || f.shape().empty();
        const char* op = joint == '/' ? "div" : joint == '+' ? "add" : joint == '*' || scales ? "mul" : "matmul";
        if (is_outer(e, i, y, f)) {
            y = located(e, [&] { return apply<T>("outer", {y, f}, {}); });
            continue;
        }
        try {
            const Index inner = joint == '@' && !scales ? y.shape().last() : 1;
            y = apply_op<T>(op, {y, f});
            work_ += static_cast<double>(y.value().size() * inner);
        } catch (const ShapeError&) {
            const Expr& first = *e.children[0];
            const Expr& last = *e.children[i];
            std::string left = text_of(first);
            for (std::size_t k = 1; k < i; ++k)
                left += (e.joints[k] == '@' ? " " : e.joints[k] == '/' ? " / " : " ⊙ ") + text_of(*e.children[k]);
            throw EvaluationError(
                {first.span.begin, std::max(first.span.begin, last.span.end)}, true,
                fmt::format("{}: shapes do not fit: {} is {}, {} is {}",
                            joint == '@'   ? "matrix product"
                            : joint == '/' ? "/"
                                           : "⊙",
                            left, named_shape(y.shape(), scope_.sizes), text_of(last), named_shape(f.shape(), scope_.sizes)));
        }
    }
    return y;
}

/// u v^T of vectors as columns, u^T v of vectors as rows.
template <class T>
bool Evaluator<T>::is_outer(const Expr& product, std::size_t i, const Var<T>& left, const Var<T>& right) const {
    if (product.joints[i] != '@' || left.shape().rank() != 1 || right.shape().rank() != 1) return false;
    const bool left_turned = product.children[i - 1]->kind == Kind::transpose,
               right_turned = product.children[i]->kind == Kind::transpose;
    if (left_turned == right_turned) return false;
    return scope_.conventions.vectors == (right_turned ? Vectors::columns : Vectors::rows);
}

template <class T>
Var<T> Evaluator<T>::sum_of(const Expr& e) {
    Var<T> y = matrix(*e.children[0]);
    if (e.joints[0] == '-') y = located(e, [&] { return apply_op<T>("neg", {y}); });
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const Var<T> f = matrix(*e.children[i]);
        try {
            y = apply_op<T>(e.joints[i] == '-' ? "sub" : "add", {y, f});
            work_ += static_cast<double>(y.value().size());
        } catch (const ShapeError&) {
            throw EvaluationError(
                {e.children[0]->span.begin, std::max(e.children[0]->span.begin, e.children[i]->span.end)}, true,
                fmt::format("{}: shapes do not fit: what is left of it is {}, {} is {}", e.joints[i],
                            named_shape(y.shape(), scope_.sizes), text_of(*e.children[i]), named_shape(f.shape(), scope_.sizes)));
        }
    }
    return y;
}

template <class T>
Var<T> Evaluator<T>::power_of(const Expr& e) {
    const Var<T> exponent = matrix(*e.children[1]);
    return located(e, [&] { return power<T>(matrix(*e.children[0]), exponent); });
}

template <class T>
std::optional<Var<T>> Evaluator<T>::with_computed_option(const Expr& e, const std::vector<Var<T>>& arguments) {
    const auto computed = [&](const Option& o) {
        return any_part(*o.value, [&](const Expr& part) { return part.kind == Kind::name && scope_.values.contains(part.name); });
    };
    const auto found = std::find_if(e.options.begin(), e.options.end(), [&](const Option& o) {
        const bool is_input = (e.name == "scale" && o.name == "factor") || (e.name == "pow" && o.name == "exponent") ||
                              ((e.name == "softmax" || e.name == "log_softmax") && o.name == "temperature");
        return is_input && computed(o);
    });
    if (found == e.options.end() || arguments.size() != 1) return std::nullopt;
    const Var<T> option = matrix(*found->value);
    if (!option.shape().empty()) refuse_shape(*found->value, "{} is {}, expected a number", found->name, option.shape());
    return located(e, [&] {
        if (e.name == "scale") return apply_op<T>("mul", {arguments[0], option});
        if (e.name == "pow") return power<T>(arguments[0], option);
        return apply<T>(e.name, {apply_op<T>("div", {arguments[0], option})}, options_of(*this, e, &*found));
    });
}

template <class T>
Var<T> Evaluator<T>::call_of(const Expr& e) {
    if (const auto y = RowForm<T>(*this, scope_).chosen_by_steps(e)) return *y;
    std::vector<Var<T>> arguments;
    for (const ExprPtr& c : e.children) arguments.push_back(matrix(*c));
    for (const Var<T>& a : arguments) work_ += 8.0 * static_cast<double>(a.value().size());
    if (const auto y = with_computed_option(e, arguments)) return *y;
    std::vector<OptionValue> options = options_of(*this, e);
    return located(e, [&] { return apply<T>(e.name, arguments, std::move(options)); });
}

template <class T>
Var<T> Evaluator<T>::array_of(const Expr& e) {
    std::vector<Var<T>> rows;
    for (const ExprPtr& c : e.children) {
        if (c->kind == Kind::ellipsis) refuse(*c, "... leaves numbers out only on the right of an expectation");
        rows.push_back(matrix(*c));
        if (rows.back().shape() != rows.front().shape())
            refuse_shape(*c, "array: its parts differ: {} is {}, the first is {}", text_of(*c), rows.back().shape(),
                         rows.front().shape());
    }
    if (rows.empty()) return Tensor<T>(Shape{0});
    Shape shape{static_cast<Index>(rows.size())};
    for (const Index n : rows.front().shape()) {
        if (shape.rank() == kMaxRank) refuse_shape(e, "array: more than {} axes", kMaxRank);
        shape.push_back(n);
    }
    Tensor<T> y(shape);
    T* out = y.data();
    for (const Var<T>& r : rows) out = std::copy(r.value().begin(), r.value().end(), out);
    return y;
}

/// X[2, :] in matrix form.
template <class T>
Var<T> Evaluator<T>::entry_of(const Expr& e) {
    const Var<T> x = matrix(*e.children[0]);
    const std::size_t given = e.children.size() - 1;
    if (given > static_cast<std::size_t>(x.shape().rank()))
        refuse_shape(e, "{} indices for {}, which is {}", given, text_of(*e.children[0]), named_shape(x.shape(), scope_.sizes));
    if (scope_.rows_of(e.children[0]->name) != nullptr) RowForm<T>(*this, scope_).expect_computed(e, x.shape());
    std::vector<const Expr*> at;
    for (std::size_t i = 1; i <= given; ++i) at.push_back(e.children[i].get());
    return part_of(e, x, at);
}

/// Of x at those indices along its first axes; nullptr is all of an axis.
template <class T>
Var<T> Evaluator<T>::part_of(const Expr& e, Var<T> x, const std::vector<const Expr*>& indices) {
    const std::string of = e.kind == Kind::jacobian ? "∂" + e.name + "/∂" + e.other : text_of(*e.children[0]);
    std::vector<double> kept;
    for (int a = 0; a < x.shape().rank(); ++a) {
        const Expr* at = static_cast<std::size_t>(a) < indices.size() ? indices[static_cast<std::size_t>(a)] : nullptr;
        if (at != nullptr && at->kind == Kind::slice && !at->children.empty()) {
            const Index start = index_value(*at->children[0]), stop = index_value(*at->children[1]), n = x.shape()[a];
            if (start < 0 || start > stop || stop > n)
                refuse(*at, "{} = {}:{} is not a part of 0:{}, which {} has there", text_of(*at), start, stop, n, of);
            x = located(e, [&] { return apply_op<T>("slice", {x}, {{"axis", Index{a}}, {"start", start}, {"stop", stop}}); });
        }
        if (at == nullptr || at->kind == Kind::slice) {
            kept.push_back(static_cast<double>(x.shape()[a]));
            continue;
        }
        const Index i = index_value(*at), n = x.shape()[a];
        if (i < 0 || i >= n) {
            if (!scope_.steps.empty() && at->kind != Kind::number)
                refuse_shape(*at, "index {} = {} is out of range 0 to {}", text_of(*at), i, n - 1);
            refuse(*at, "index {} is out of range: {} is {}", i, of, named_shape(x.shape(), scope_.sizes));
        }
        x = located(e, [&] { return apply_op<T>("slice", {x}, {{"axis", Index{a}}, {"start", i}, {"stop", i + 1}}); });
    }
    return located(e, [&] { return apply_op<T>("reshape", {x}, {{"shape", kept}}); });
}

/// What was defined among the claims, evaluated once.
template <class T>
Var<T> Evaluator<T>::helper_of(const Expr& e) {
    const Expr& body = *e.children[0];
    if (const auto found = closed_.find(&body); found != closed_.end()) return found->second;
    if (!scope_.steps.empty()) {  // its indices are its own
        if (scope_.helpers)
            if (const auto found = scope_.helpers->find(&body); found != scope_.helpers->end()) return found->second;
        Scope<T> outside = scope_;
        outside.steps.clear();
        const Var<T> once = Evaluator<T>(outside).matrix(e);
        if (scope_.helpers) scope_.helpers->emplace(&body, once);
        return once;
    }
    Var<T> y;
    if (e.bound.empty()) {
        y = matrix(body);
    } else if (mentions(body, e.name)) {
        y = evaluate(
            Assignment{.name = e.name, .indices = e.bound, .value = e.children[0], .statement = {}, .extents = e.options},
            scope_);
    } else {
        const std::map<std::string, Index> sizes = index_sizes(body, stated_sizes(e.options));
        Shape shape;
        for (const std::string& i : e.bound) {
            if (!sizes.contains(i)) refuse_shape(body, "index {} is not used at an axis: its size is unknown", i);
            shape.push_back(sizes.at(i));
        }
        y = indexed(body, e.bound, shape);
    }
    return closed_.emplace(&body, y).first->second;
}

/// A reduction over indices that stands in matrix form: a number, or an array where it adds rows.
template <class T>
Var<T> Evaluator<T>::reduce_of(const Expr& e) {
    return in_rows(*e.children[0], e.bound) ? RowForm<T>(*this, scope_).reduced(e) : entries(e, {}, {});
}

template <class T>
Var<T> Evaluator<T>::jacobian_of(const Expr& e) {
    const Var<T> whole = derivative<T>(scope_.jacobian, e);
    if (e.children.empty() && scope_.conventions.layout == Layout::denominator && scope_.values.contains(e.name)) {
        const int of = scope_.values.find(e.name)->second.shape().rank(), all = whole.shape().rank();
        std::vector<double> order;
        for (int a = 0; a < all; ++a) order.push_back((a + of) % all);
        return all == 0 ? whole : located(e, [&] { return apply_op<T>("transpose", {whole}, {{"perm", order}}); });
    }
    if (e.children.empty()) return whole;
    const bool by_indices = any_part(e, [&](const Expr& part) {
        return &part != &e && part.kind == Kind::name && !scope_.sizes.contains(part.name) && !scope_.steps.contains(part.name);
    });
    if (by_indices) refuse(e, "{} has a value only in index form: write indices on the left", text_of(e));
    return part_of(e, whole, RowForm<T>(*this, scope_).axes_of(e));
}

template <class T>
const Var<T>& Evaluator<T>::closed(const Expr& e) {
    const auto found = closed_.find(&e);
    if (found != closed_.end()) return found->second;
    if (e.kind == Kind::jacobian) return closed_.emplace(&e, derivative<T>(scope_.jacobian, e)).first->second;
    return closed_.emplace(&e, matrix(e)).first->second;
}

template <class T>
std::map<std::string, Index> Evaluator<T>::index_sizes(const Expr& e, std::map<std::string, Index> known) {
    IndexSizes::OfSums sums;
    return IndexSizes(around(e, *this, scope_), sums).of(e, std::move(known));
}

/// f(number of the entry, its place, the form); e uses the entries of `own`, where that is defined, once f has set them.
template <class T>
template <class F>
void Evaluator<T>::each_entry(const Expr& e, const std::vector<std::string>& indices, const Shape& shape, const Tensor<T>& own,
                              F f) {
    std::map<std::string, Index> known;
    for (std::size_t i = 0; i < indices.size(); ++i) known.emplace(indices[i], shape[static_cast<int>(i)]);
    IndexSizes::OfSums sums;
    const std::map<std::string, Index> sizes = IndexSizes(around(e, *this, scope_), sums).of(e, known);
    Index steps = checked_size(shape);
    for (const auto& [index, size] : sizes)
        if (!known.contains(index))
            steps = size > 0 && steps > kMostSteps / size ? kMostSteps + 1 : steps * std::max<Index>(size, 1);
    work_ += 16.0 * static_cast<double>(steps);
    if (steps > kMostSteps) refuse(e, "more than {} steps", kMostSteps);
    Shape at = shape;
    for (Index& i : at) i = 0;
    const typename IndexForm<T>::Closed part = [this](const Expr& c) -> const Var<T>& { return closed(c); };
    IndexForm<T> form(e, indices, sizes, sums, scope_, part, own.defined() ? own.data() : nullptr);
    for (Index n = 0, size = shape.size(); n < size; ++n) {
        f(n, at, form);
        for (int a = shape.rank() - 1; a >= 0 && ++at[a] == shape[a]; --a) at[a] = 0;
    }
}

template <class T>
Var<T> Evaluator<T>::indexed(const Expr& e, const std::vector<std::string>& indices, const Shape& shape) {
    return in_rows(e, indices) ? RowForm<T>(*this, scope_).all(e, indices, shape) : entries(e, indices, shape);
}

template <class T>
bool Evaluator<T>::in_rows(const Expr& e, const std::vector<std::string>& bound) {
    return RowForm<T>(*this, scope_).stands_in(e, bound);
}

template <class T>
Var<T> Evaluator<T>::entries(const Expr& e, const std::vector<std::string>& indices, const Shape& shape) {
    for (const RowsDone& r : scope_.progress ? *scope_.progress : std::vector<RowsDone>{})
        if (mentions(e, r.name)) refuse(e, "{} goes from row to row: here it stands entry by entry", r.name);
    Tensor<T> y;
    each_entry(e, indices, shape, {}, [&](Index n, const Shape& at, IndexForm<T>& form) {
        const T v = form.at(at);
        if (!y.defined()) y = Tensor<T>(shape);
        y[n] = v;
    });
    return y.defined() ? y : Tensor<T>(shape);
}

template <class T>
void Evaluator<T>::recur(const Expr& e, const std::vector<std::string>& indices, Tensor<T>& y, const Tensor<T>& added) {
    each_entry(e, indices, y.shape(), y, [&](Index n, const Shape& at, IndexForm<T>& form) {
        const T v = form.at(at);
        y[n] = added.defined() ? v + added[n] : v;
    });
}

template <class T>
bool Evaluator<T>::goes_back(const ExprPtr& e, const std::string& x) {
    const auto is_entry = [&](const Expr& part) {
        return part.kind == Kind::index && part.children[0]->kind == Kind::name && part.children[0]->name == x;
    };
    const ExprPtr others = rewritten(e, [&](const Expr& part) { return is_entry(part) ? number(0) : nullptr; });
    const auto stops = [&](const Expr& part) {
        return part.kind == Kind::reduce && (part.name == "max" || part.name == "prod") && mentions(part, x);
    };
    return !in_rows(*e) && !mentions(*others, x) && !any_part(*e, stops);
}

template <class T>
Tensor<T> Evaluator<T>::pulled_back(const Expr& e, const std::vector<std::string>& indices, const Tensor<T>& g,
                                    const std::string& x) {
    const Tensor<T>& of = scope_.values.find(x)->second.value();
    Tensor<T> out(of.shape(), T(0));
    each_entry(e, indices, g.shape(), {}, [&](Index n, const Shape& at, IndexForm<T>& form) {
        if (n == 0) form.follow(of, out);
        form.pull(at, g[n]);
    });
    return out;
}

/// An index of matrix form: a number.
template <class T>
Index Evaluator<T>::index_value(const Expr& e) {
    const Var<T>& x = closed(e);
    const double v = x.shape().empty() ? primal(x.value()[0]) : std::numeric_limits<double>::quiet_NaN();
    if (!(v == std::floor(v) && std::abs(v) < 1e15)) refuse(e, "index {} is {}, expected a whole number", text_of(e), v);
    return static_cast<Index>(v);
}

template <class T>
std::map<std::string, Index> Evaluator<T>::stated_sizes(const std::vector<Option>& extents) {
    std::map<std::string, Index> out;
    for (const Option& o : extents) out.emplace(o.name, index_value(*o.value));
    return out;
}

template class Evaluator<double>;
template class Evaluator<Tracked>;
template class Evaluator<TrackedQuad>;
template class Evaluator<Modular>;

}  // namespace gradproof::proof
