// Slips of the chain rule: the gradient that comes in, and what comes back through one use of a value.
#include <algorithm>

#include "gradproof/core/proof/diagnose/slips.hpp"
#include "gradproof/core/proof/language/slopes.hpp"

namespace gradproof::proof {
namespace {

/// The gradient of one use of a value, kOneUse, given that of what it is used in: dy. `y` is what e is called, if anything.
ExprPtr back_through(const Search& s, const Expr& e, const ExprPtr& dy, const ExprPtr& y = nullptr);

/// (a b)^T as b^T a^T.
ExprPtr turned(const ExprPtr& e) {
    if (e->kind != Kind::product || e->joints.find_first_not_of('@') != std::string::npos || e->children.size() != 2)
        return transpose(e);
    return product(transpose(e->children[1]), '@', transpose(e->children[0]));
}

ExprPtr back_through_product(const Search& s, const Expr& e, std::size_t at, ExprPtr dy) {
    const auto back = [&](const ExprPtr& other, char joint) {
        if (joint != '@' || is_number(*dy, 1)) return times(dy, joint, other);
        return s.is_scalar(*other) ? product(other, '@', dy) : product(dy, '@', transpose(other));
    };
    for (std::size_t i = e.children.size() - 1; i > at; --i) dy = back(e.children[i], e.joints[i]);
    if (at > 0) {
        if (e.joints[at] == '/') return nullptr;
        ExprPtr before = e.children[0];
        for (std::size_t i = 1; i < at; ++i) before = product(before, e.joints[i], e.children[i]);
        dy = e.joints[at] == '*' || is_number(*dy, 1) ? times(dy, '*', before)
             : s.is_scalar(*before)                   ? product(before, '@', dy)
                                                      : product(transpose(before), '@', dy);
    }
    return back_through(s, *e.children[at], dy);
}

ExprPtr back_through(const Search& s, const Expr& e, const ExprPtr& dy, const ExprPtr& y) {
    if (e.kind == Kind::name) return dy;
    const auto used = std::ranges::find_if(e.children, [](const ExprPtr& c) { return mentions(*c, kOneUse); });
    if (used == e.children.end()) return nullptr;
    const auto at = static_cast<std::size_t>(used - e.children.begin());
    switch (e.kind) {
        case Kind::sum: return back_through(s, **used, e.joints[at] == '-' ? negate(dy) : dy);
        case Kind::negate: return back_through(s, **used, negate(dy));
        case Kind::transpose: return back_through(s, **used, turned(dy));
        case Kind::product: return back_through_product(s, e, at, dy);
        case Kind::power: {
            if (at != 0 || e.children[1]->kind != Kind::number) return nullptr;
            const double k = e.children[1]->number;
            const ExprPtr below = k == 2 ? e.children[0] : with_child(e, 1, number(k - 1));
            return back_through(
                s, **used,
                is_number(*dy, 1) ? product(e.children[1], '@', below) : product(product(e.children[1], '@', dy), '*', below));
        }
        case Kind::call: {
            // What is summed gets the gradient of the sum, as soon as something of its shape stands beside it.
            if (e.name == "rowsum" || e.name == "colsum" || (e.name == "sum" && e.options.empty()))
                return back_through(s, **used, dy);
            const ExprPtr slope = slope_of_call(e, y ? y : make(e));
            return slope ? back_through(s, **used, times(dy, '*', slope)) : nullptr;
        }
        default: return nullptr;
    }
}

/// An elementwise expression at one entry; nullptr where a value in it has no such entry.
ExprPtr at_entry(const Search& s, const ExprPtr& e, const std::vector<ExprPtr>& indices) {
    const auto& values = s.claim.draw(0).scope().values;
    bool fits = true;
    const ExprPtr out = rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::name && part.kind != Kind::gradient) {
            fits = fits && part.kind != Kind::index && part.kind != Kind::transpose;
            return nullptr;
        }
        const auto value = values.find(part.name);
        if (value == values.end() || value->second.shape().empty()) return make(part);
        std::vector<ExprPtr> at = indices;
        const Shape& shape = value->second.shape();
        fits = fits && shape.rank() <= static_cast<int>(at.size());
        if (!fits) return make(part);
        at.erase(at.begin(), at.end() - shape.rank());
        for (int a = 0; a < shape.rank(); ++a)
            if (shape[a] == 1) at[static_cast<std::size_t>(a)] = number(0);
        return entry(make(part), at);
    });
    return fits ? out : nullptr;
}

/// Of ∂Y[i,j]/∂X[p,q], where Y follows from X entry by entry: δ[i,p] δ[j,q] and the slope at i, j.
std::vector<ExprPtr> entries_of_slope(const Search& s, const ExprPtr& slope) {
    const auto split = s.left.children.begin() + static_cast<std::ptrdiff_t>(s.left.split);
    const std::vector<ExprPtr> of(s.left.children.begin(), split), by(split, s.left.children.end());
    ExprPtr out = of.size() == by.size() ? at_entry(s, slope, of) : nullptr;
    for (std::size_t i = of.size(); out && i-- > 0;)
        if (text_of(*of[i]) != text_of(*by[i])) {
            if (of[i]->kind != Kind::name || by[i]->kind != Kind::name) return {};
            out = product(delta(of[i], by[i]), '@', out);
        }
    return out ? std::vector<ExprPtr>{out} : std::vector<ExprPtr>{};
}

}  // namespace

std::vector<ExprPtr> terms_through(const Search& s, const Use& use) {
    const Assignment& a = s.claim.proof().forward[use.consumer];
    const bool jacobian = s.left.kind == Kind::jacobian;
    if (!a.indices.empty() || (s.index_form && !jacobian && s.left.kind != Kind::index) || (jacobian && !s.index_form)) return {};
    const ExprPtr slope = proof::slope(*use.value, kOneUse, [&](const Expr& e) { return s.is_scalar(e); });
    if (jacobian) return slope ? entries_of_slope(s, renamed(slope, kOneUse, s.by)) : std::vector<ExprPtr>{};
    const ExprPtr dy = a.is_loss ? number(1) : s.gradient(a.name);
    std::vector<ExprPtr> out;
    for (ExprPtr term : {back_through(s, *use.value, dy, name(a.name)), slope ? times(dy, '*', slope) : nullptr}) {
        if (!term) continue;
        term = renamed(term, kOneUse, s.by);
        if (s.index_form) term = at_entry(s, term, {s.left.children.begin() + 1, s.left.children.end()});
        if (term) out.push_back(term);
    }
    return out;
}

void upstream(Undos& u, const Place& p) {
    const Search& s = u.pool.search;
    const Expr& n = *p.node;
    if (n.kind == Kind::number && p.node != u.line) return;
    const Mistake mistake = in_row_term(p)                      ? Mistake::wrong_row_term
                            : contains(*u.line, Kind::gradient) ? Mistake::missing_chain_factor
                                                                : Mistake::cotangent_ignored;
    const auto put = [&](const ExprPtr& g, const ExprPtr& belongs) {
        u.add(mistake, "{}: the gradient that comes in, {}, is not used", p.node, g, p.with(belongs));
    };
    for (const ExprPtr& g : u.pool.upstream_entries)
        if (!p.is_factor) put(g, product(g, '@', p.node));
    for (const ExprPtr& g : u.pool.upstream) {
        put(g, product(g, '*', p.node));
        if (s.is_scalar(n)) continue;
        for (const ExprPtr& turned : {g, transpose(g)}) {
            put(g, product(turned, '@', p.node));
            put(g, product(p.node, '@', turned));
            for (std::size_t i = 1; n.kind == Kind::product && i < n.children.size(); ++i)
                if (n.joints[i] == '@') put(g, with_child(n, i, product(turned, '@', n.children[i])));
        }
    }
}

void path_term(Undos& u, const Place& p) {
    if (p.node != u.line) return;
    for (const ExprPtr& term : u.pool.path_terms)
        u.add(Mistake::missing_path, "the term {1} is missing", p.node, term, plus_term(p.node, term));
}

}  // namespace gradproof::proof
