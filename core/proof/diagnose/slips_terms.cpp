// Slips inside a line: signs, coefficients, exponents, terms that are constant.
#include <algorithm>

#include "gradproof/core/proof/diagnose/slips.hpp"

namespace gradproof::proof {

void term_sign(Undos& u, const Place& p) {
    const Expr& n = *p.node;
    for (std::size_t i = 0; n.kind == Kind::sum && i < n.children.size(); ++i)
        u.add(Mistake::sign, "the sign of {} is wrong", n.children[i], nullptr,
              p.with(with_joint(n, i, n.joints[i] == '-' ? '+' : '-')));
    if (n.kind == Kind::negate)
        u.add(Mistake::sign, "the minus before {} is wrong", n.children[0], nullptr, p.with(n.children[0]));
    if (p.node == u.line) u.add(Mistake::sign, "the sign is wrong", nullptr, nullptr, negate(p.node));
}

void coefficient(Undos& u, const Place& p) {
    const Expr& n = *p.node;
    const Mistake mistake = factor_mistake(p);
    if (n.kind == Kind::number) {
        if (!p.is_term)
            for (const double v : {2 * n.number, n.number / 2, n.number + 1, n.number - 1})
                if (v != 0) {
                    const ExprPtr belongs = number(v);
                    u.add(mistake, "{} where {} belongs", p.node, belongs, p.with(belongs));
                }
        return;
    }
    for (std::size_t i = 0; n.kind == Kind::product && i < n.children.size(); ++i)
        if (u.pool.search.is_scalar(*n.children[i]) && (i > 0 || n.joints[1] != '/'))
            u.add(mistake, "the factor {} does not belong there", n.children[i], nullptr, p.with(without(n, i)));
    if (p.node != u.line && !p.is_term && !p.is_argument && !(p.is_factor && u.pool.search.is_scalar(n))) return;
    for (const ExprPtr& c : u.pool.coefficients) {
        if (p.is_factor) {
            u.add(mistake, "{} where {} belongs", p.node, c, p.with(c));
            continue;
        }
        u.add(mistake, "{} is to be divided by {}", p.node, c, p.with(product(p.node, '/', c)));
        u.add(mistake, "{} lacks the factor {}", p.node, c, p.with(product(c, '@', p.node)));
    }
}

void exponent(Undos& u, const Place& p) {
    const Expr& n = *p.node;
    const auto put = [&](fmt::string_view text, const ExprPtr& belongs) {
        u.add(Mistake::wrong_exponent, text, p.node, belongs, p.with(belongs));
    };
    if (n.kind == Kind::power) {
        if (n.children[1]->kind != Kind::number) return;
        const double k = n.children[1]->number;
        for (const double v : {k + 1, k - 1, k / 2, -k})
            put("{} where {} belongs", v == 1 ? n.children[0] : v == 0 ? number(1) : with_child(n, 1, number(v)));
        return;
    }
    if (n.kind == Kind::call && n.name == "sqrt" && n.children.size() == 1) put("{} where {} belongs", n.children[0]);
    const bool whole = n.kind == Kind::name || n.kind == Kind::call || n.kind == Kind::sum || n.kind == Kind::index ||
                       (n.kind == Kind::product && !p.is_factor && p.node != u.line);
    if (!whole || (p.is_term && n.kind == Kind::sum)) return;
    put("{} where {} belongs", squared(n.kind == Kind::negate ? n.children[0] : p.node));
    put("{} where {} belongs", call("sqrt", {p.node}));
    if (n.kind != Kind::sum) put("{} where {} belongs", with_child(*squared(p.node), 1, number(3)));
}

void constant_term(Undos& u, const Place& p) {
    if (p.node->kind == Kind::number || (p.is_term && u.line != p.node)) return;
    for (const ExprPtr& c : u.pool.constants) {
        u.add(Mistake::missing_term, "the term {1} is missing beside {0}", p.node, c, p.with(plus_term(c, p.node)));
        u.add(Mistake::missing_term, "the term {1} is missing beside {0}", p.node, c, p.with(sum(p.node, '-', c)));
        if (p.node->kind != Kind::negate && p.node->kind != Kind::sum)
            u.add(Mistake::missing_term, "{0} where {1} - {0} belongs", p.node, c, p.with(sum(c, '-', p.node)));
    }
}

void leaf_term(Undos& u, const Place& p) {
    if (p.node->kind == Kind::number || (p.is_term && u.line != p.node)) return;
    for (const ExprPtr& leaf : u.pool.leaves)
        for (const char sign : {'+', '-'})
            u.add(Mistake::missing_path, "the term {1} is missing beside {0}", p.node, leaf, p.with(sum(p.node, sign, leaf)));
}

}  // namespace gradproof::proof
