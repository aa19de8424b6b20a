// Diagnosis: transposes, orders of factors, axes and indices, and names that stand for others.
#include <algorithm>
#include <iterator>
#include <numeric>

#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {
namespace {

/// A line in which something stands in another order.
struct Reordered {
    Mistake mistake;
    std::string text;
    ExprPtr line;
};

std::vector<ExprPtr> other_orders(const Option& o) {
    if (o.value->kind != Kind::array) return {number(0), number(1), number(2)};
    std::vector<ExprPtr> out;
    std::vector<std::size_t> order(o.value->children.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    while (order.size() <= 4 && std::next_permutation(order.begin(), order.end())) {
        std::vector<ExprPtr> children;
        for (const std::size_t i : order) children.push_back(o.value->children[i]);
        out.push_back(with_children(*o.value, std::move(children)));
    }
    return out;
}

/// Two neighbours in a matrix product, transposed or exchanged; one transpose alone is tried elsewhere.
void reorder_factors(const Search& s, const Place& p, std::vector<Reordered>& out) {
    const Expr& n = *p.node;
    for (std::size_t i = 1; i < n.children.size(); ++i) {
        const ExprPtr &a = n.children[i - 1], &b = n.children[i];
        if (n.joints[i] != '@' || (i > 1 && n.joints[i - 1] != '@') || s.is_scalar(*a) || s.is_scalar(*b)) continue;
        const auto pair = [&](const ExprPtr& x, const ExprPtr& y) { return p.with(with_child(*with_child(n, i - 1, x), i, y)); };
        for (const int t : {0, 1, 2, 3}) {
            const ExprPtr x = t & 1 ? transpose(a) : a, y = t & 2 ? transpose(b) : b;
            if (t == 3) out.push_back({Mistake::transpose, fmt::format("transpose both {} and {}", a, b), pair(x, y)});
            out.push_back({Mistake::transpose,
                           fmt::format("{} and {} stand in the wrong order{}", a, b, t ? " or orientation" : ""), pair(y, x)});
        }
    }
    // The gradient of x^T A x: 2 A x where (A + A^T) x belongs.
    if (n.children[0]->kind == Kind::number && n.children[0]->number == 2)
        for (std::size_t i = 1; i < n.children.size(); ++i)
            if (const ExprPtr& a = n.children[i]; n.joints[i] == '@' && !s.is_scalar(*a))
                out.push_back({Mistake::transpose, fmt::format("{0} is not its own transpose: 2 {0} for {0} + {0}^T", a),
                               p.with(without(*with_child(n, i, sum(a, '+', transpose(a))), 0))});
}

void reorder_indices(const Place& p, std::vector<Reordered>& out) {
    const Expr& n = *p.node;
    for (std::size_t i = 1; n.children.size() >= 3 && i < n.children.size(); ++i)
        for (std::size_t j = i + 1; j < n.children.size(); ++j) {
            std::vector<ExprPtr> children = n.children;
            std::swap(children[i], children[j]);
            out.push_back({n.children.size() == 3 ? Mistake::transpose : Mistake::permuted_axes,
                           fmt::format("the indices of {} stand in the wrong order", n),
                           p.with(with_children(n, std::move(children)))});
        }
}

void reorder_options(const Place& p, std::vector<Reordered>& out) {
    const Expr& n = *p.node;
    for (std::size_t o = 0; o < n.options.size(); ++o)
        if (const Option& option = n.options[o]; option.value->kind == Kind::array || option.name == "axis")
            for (const ExprPtr& v : other_orders(option)) {
                Expr copy = n;
                copy.source.clear();
                copy.options[o].value = v;
                out.push_back({Mistake::permuted_axes, fmt::format("{}={} is another order of axes", option.name, option.value),
                               p.with(make(std::move(copy)))});
            }
}

/// One transpose more or less.
std::vector<Reordered> turned(const Search& s, const Place& p) {
    const Expr& n = *p.node;
    const bool matrix = n.kind == Kind::name || n.kind == Kind::gradient || n.kind == Kind::call || n.kind == Kind::product ||
                        n.kind == Kind::sum;
    if (n.kind == Kind::transpose)
        return {{Mistake::transpose, fmt::format("{} must not be transposed", n.children[0]), p.with(n.children[0])}};
    if (matrix && !s.is_scalar(n) && !s.index_form)
        return {{Mistake::transpose, fmt::format("{} must be transposed", n), p.with(transpose(p.node))}};
    return {};
}

/// Orders of factors, of indices and of axes.
std::vector<Reordered> reordered(const Search& s, const Place& p) {
    std::vector<Reordered> out;
    const Expr& n = *p.node;
    if (n.kind == Kind::product && !s.index_form) reorder_factors(s, p, out);
    if (n.kind == Kind::index) reorder_indices(p, out);
    if (n.kind == Kind::call && (n.name == "transpose" || n.name == "concat")) reorder_options(p, out);
    return out;
}

/// Of a product its factors first: dO V^T, not (V dO^T)^T.
std::vector<Reordered> turned_or_reordered(const Search& s, const Place& p) {
    const bool product = p.node->kind == Kind::product;
    std::vector<Reordered> out = product ? reordered(s, p) : turned(s, p);
    std::vector<Reordered> more = product ? turned(s, p) : reordered(s, p);
    out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return out;
}

}  // namespace

/// A matrix product where an elementwise one belongs, as in x dy of vectors.
void elementwise_products(Search& s) {
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        if (n.kind != Kind::product || s.index_form) continue;
        ExprPtr all = p.node;
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            const ExprPtr &a = n.children[i - 1], &b = n.children[i];
            if (n.joints[i] != '@' || s.is_scalar(*a) || s.is_scalar(*b)) continue;
            s.tries(p.with(with_joint(n, i, '*')), "{} and {} are to be multiplied entry by entry", a, b);
            all = with_joint(*all, i, '*');
        }
        s.tries(p.with(all), "the factors of {} are to be multiplied entry by entry", n);
    }
}

/// The reverse. Within a reduction a matrix product gives the sum that is missing: that is another mistake.
void matrix_products(Search& s) {
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        for (std::size_t i = 1; n.kind == Kind::product && !s.index_form && !p.in_reduction && i < n.children.size(); ++i) {
            const ExprPtr &a = n.children[i - 1], &b = n.children[i];
            if (n.joints[i] == '*' && !s.is_scalar(*a) && !s.is_scalar(*b))
                s.tries(p.with(with_joint(n, i, '@')), "{} and {} are to be multiplied as matrices", a, b);
        }
    }
}

/// W \delta of a vector is told to lack the transpose of W before \delta W is tried, which is the same: first single names are
/// turned.
void orders(Search& s) {
    const auto is_single = [](const Expr& n) {
        const Expr& inner = n.kind == Kind::transpose ? *n.children[0] : n;
        return inner.kind == Kind::name || inner.kind == Kind::gradient;
    };
    for (const bool single : {true, false})
        for (const Place& p : s.places)
            for (const auto& [mistake, text, line] : single ? turned(s, p) : turned_or_reordered(s, p))
                if (!single || is_single(*p.node)) s.tries(mistake, line, "{}", text);
}

/// Two changes of order at once, where one alone does not fit.
void two_orders(Search& s) {
    if (s.index_form || s.places.size() > 24) return;
    for (const Place& p : s.places)
        for (const Reordered& first : turned_or_reordered(s, p))
            for (const Place& q : places(first.line))
                for (const Reordered& second : turned_or_reordered(s, q))
                    s.tries(second.line, "{}, and {}", first.text, second.text);
}

/// The same exchange at every place: rows for columns, one index for another.
void everywhere(Search& s) {
    std::vector<std::string> indices;
    if (s.index_form)
        for_each(s.left, [&](const Expr& e) {
            if (e.kind == Kind::name && !s.is_scalar(e) && std::ranges::count(indices, e.name) == 0) indices.push_back(e.name);
        });
    for (std::size_t i = 0; i < indices.size(); ++i)
        for (std::size_t j = i + 1; j < indices.size(); ++j) {
            const std::string &a = indices[i], &b = indices[j];
            s.tries(rewritten(s.right,
                              [&](const Expr& e) {
                                  return e.kind != Kind::name ? nullptr : e.name == a ? name(b) : e.name == b ? name(a) : nullptr;
                              }),
                    "{} and {} stand in each other's place", a, b);
        }
    const auto other_axis = [](const Expr& e) -> ExprPtr {
        const std::string begin = e.kind == Kind::call ? e.name.substr(0, 3) : "";
        if (e.children.size() != 1 || !is_reduction(e) || (begin != "row" && begin != "col")) return nullptr;
        return call((begin == "row" ? "col" : "row") + e.name.substr(3), e.children);
    };
    // The outermost first: what lies below a reduction is not looked at again, and is the same in the claims this is for.
    if (contains(*s.right, Kind::call))
        s.tries(Mistake::wrong_row_term, rewritten(s.right, other_axis), "every reduction runs over the wrong axis");
}

/// x in another layout: a reshape that lacks a transpose.
void reshapes(Search& s) {
    std::vector<std::vector<Option>> shapes, orders;
    for (const Assignment& a : s.claim.proof().forward)
        for_each(*a.value, [&](const Expr& e) {
            if (e.kind == Kind::call && e.name == "reshape") shapes.push_back(e.options);
            if (e.kind == Kind::call && e.name == "transpose") orders.push_back(e.options);
        });
    for (const Place& p : s.places) {
        if (p.node->kind != Kind::call || p.node->name != "reshape") continue;
        const ExprPtr& x = p.node->children[0];
        for (const auto& order : orders) {
            std::vector<ExprPtr> changed{with_child(*p.node, 0, call("transpose", x, order))};
            for (const auto& shape : shapes) changed.push_back(call("transpose", call("reshape", x, shape), order));
            for (const ExprPtr& c : changed) s.tries(p.with(c), "{} lacks a transpose of the axes", p.node);
        }
    }
}

/// Another value or gradient stands where this one belongs; a value for a gradient comes last.
void wrong_names(Search& s) {
    for (const bool crossed : {false, true})
        for (const Place& p : s.places) {
            const Expr& n = *p.node;
            const bool gradient = (n.kind == Kind::gradient) != crossed;
            if (n.kind != Kind::name && n.kind != Kind::gradient) continue;
            for (const std::string& other : gradient ? s.differentiable_names() : s.value_names())
                if (crossed || other != n.name) {
                    const ExprPtr leaf = gradient ? s.gradient(other) : s.value(other);
                    s.tries(p.with(leaf), "{} where {} belongs", n, leaf);
                }
        }
}

/// Another slope or value stands where one of those that a chain rule multiplies by belongs.
void wrong_slopes(Search& s) {
    const std::vector<ExprPtr> known = s.index_form ? index_slopes(s) : slopes(s);
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        if (contains(n, Kind::gradient) || s.is_scalar(n) || n.kind == Kind::number) continue;
        const std::string stands = text_of(n);
        for (const ExprPtr& belongs : known) {
            // f(x) for x is a factor of the chain rule that was left out; anything else is another value.
            const bool within = text_of(*belongs).find(stands) != std::string::npos;
            s.tries(within ? Mistake::missing_chain_factor : Mistake::wrong_name, p.with(belongs), "{} where {} belongs", stands,
                    belongs);
        }
    }
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        for (std::size_t i = 1; n.kind == Kind::product && i < n.children.size(); ++i) {
            const ExprPtr &a = n.children[i - 1], &b = n.children[i];
            if (n.joints[i] == '/' || (i > 1 && n.joints[i - 1] == '/') || contains(*a, Kind::gradient) ||
                contains(*b, Kind::gradient))
                continue;
            for (const ExprPtr& belongs : known)
                s.tries(p.with(without(*with_child(n, i - 1, belongs), i)), "{} and {} where {} belongs", a, b, belongs);
        }
    }
}

}  // namespace gradproof::proof
