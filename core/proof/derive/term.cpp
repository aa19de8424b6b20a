// Products and sums of them, simplified as they are built.
#include "gradproof/core/proof/derive/term.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

bool is_whole(double x) { return x == std::floor(x) && std::abs(x) < 1e9; }

namespace {

/// As it is written in decimals: 3 times 0.044715 is 0.134145.
double in_decimals(double x) { return std::stod(fmt::format("{:.15g}", x)); }

bool same(const ExprPtr& a, const ExprPtr& b) { return a == b || text_of(*a) == text_of(*b); }

/// What decides whether two terms are alike.
std::string key_of(const Term& t) {
    std::vector<std::string> parts;
    for (const PowerOf& p : t.powers) parts.push_back(fmt::format("{}^{}", text_of(*p.base), p.exponent));
    std::ranges::sort(parts);
    return fmt::format("{}", fmt::join(parts, "|"));
}

/// where(c, 1, 0) and where(c, 0, 1): 1 and 0; nothing else has one.
std::optional<bool> side_of(const Expr& e) {
    if (e.kind != Kind::call || e.name != "where" || e.children.size() != 3) return std::nullopt;
    const auto is = [&](std::size_t i, double x) { return e.children[i]->kind == Kind::number && e.children[i]->number == x; };
    if (is(1, 1) && is(2, 0)) return true;
    if (is(1, 0) && is(2, 1)) return false;
    return std::nullopt;
}

/// The powers that all terms have, as far as they have them; taken out of each.
Term take_common(std::vector<Term>& terms) {
    Term common;
    for (const PowerOf& p : std::vector<PowerOf>(terms[0].powers)) {
        double exponent = p.exponent;
        for (const Term& t : terms) {
            const auto found = std::ranges::find_if(t.powers, [&](const PowerOf& q) { return same(q.base, p.base); });
            const bool shared = found != t.powers.end() && (found->exponent > 0) == (exponent > 0);
            exponent = !shared ? 0 : std::abs(found->exponent) < std::abs(exponent) ? found->exponent : exponent;
        }
        if (exponent == 0) continue;
        common.powers.push_back({p.base, exponent});
        for (Term& t : terms)
            for (PowerOf& q : t.powers)
                if (same(q.base, p.base)) q.exponent -= exponent;
    }
    const auto all = [&](auto f) { return std::ranges::all_of(terms, f); };
    if (all([&](const Term& t) { return t.down == terms[0].down; })) {
        common.down = terms[0].down;
        for (Term& t : terms) t.down = 1;
    }
    if (all([&](const Term& t) { return std::abs(t.up) == std::abs(terms[0].up); })) {
        common.up = std::abs(terms[0].up);
        for (Term& t : terms) t.up /= common.up;
    }
    if (all([](const Term& t) { return t.up < 0; })) {
        common.up = -common.up;
        for (Term& t : terms) t.up = -t.up;
    }
    for (Term& t : terms) std::erase_if(t.powers, [](const PowerOf& p) { return p.exponent == 0; });
    return common;
}

}  // namespace

Term Algebra::number(double value) { return {value, 1, {}}; }

Term Algebra::negated(Term t) {
    t.up = -t.up;
    return t;
}

void Algebra::reduce_number(Term& t) const {
    if (t.up == 0) {
        t = number(0);
        return;
    }
    if (t.down < 0) t.up = -t.up, t.down = -t.down;
    if (!is_whole(t.up) && is_whole(2 * t.up)) t.up *= 2, t.down *= 2;
    if (is_whole(t.up) && is_whole(t.down)) {
        const auto g = static_cast<double>(std::gcd(static_cast<Index>(std::abs(t.up)), static_cast<Index>(t.down)));
        t.up /= g;
        t.down /= g;
    } else {
        t.up = in_decimals(t.up);
        t.down = in_decimals(t.down);
    }
}

void Algebra::multiply(Term& t, const PowerOf& p) const {
    const auto found = std::ranges::find_if(t.powers, [&](const PowerOf& q) { return same(q.base, p.base); });
    if (found == t.powers.end()) {
        t.powers.push_back(p);
        return;
    }
    found->exponent += p.exponent;
    if (found->exponent == 0) t.powers.erase(found);
}

/// A quotient that is a value is named: (X - μ) / s is N.
void Algebra::quotients_named(Term& t) const {
    for (std::size_t i = 0; i < t.powers.size(); ++i)
        for (std::size_t j = 0; j < t.powers.size(); ++j) {
            if (t.powers[i].exponent < 1 || t.powers[j].exponent > -1) continue;
            const std::string name = known_.name_of(*proof::product(t.powers[i].base, '/', t.powers[j].base));
            if (name.empty()) continue;
            const ExprPtr up = t.powers[i].base, down = t.powers[j].base;
            t.powers[i].exponent -= 1;
            t.powers[j].exponent += 1;
            const PowerOf value{proof::name(name), 1};
            if (t.powers[i].exponent == 0)
                t.powers[i] = value;
            else
                multiply(t, value);
            std::erase_if(t.powers, [](const PowerOf& p) { return p.exponent == 0; });
            return;
        }
}

Term Algebra::times(Term a, const Term& b) const {
    a.up *= b.up;
    a.down *= b.down;
    for (const PowerOf& p : b.powers) multiply(a, p);
    if (!by_entries_) quotients_named(a);
    reduce_number(a);
    return a;
}

Term Algebra::power(Term t, double exponent) const {
    if (exponent == 1) return t;
    if (exponent == 0) return number(1);
    if (!is_whole(exponent)) {
        const bool bare = t.up == 1 && t.down == 1 && t.powers.size() == 1 && t.powers[0].exponent == 1;
        return {1, 1, {{bare ? t.powers[0].base : expression(t), exponent}}};
    }
    for (PowerOf& p : t.powers) p.exponent *= exponent;
    t.up = std::pow(t.up, std::abs(exponent));
    t.down = std::pow(t.down, std::abs(exponent));
    if (exponent < 0) std::swap(t.up, t.down);
    reduce_number(t);
    return t;
}

Term Algebra::term(const ExprPtr& e) const {
    const std::string named = by_entries_ ? "" : known_.name_of(*e);
    if (!named.empty()) return {1, 1, {{proof::name(named), 1}}};
    switch (e->kind) {
        case Kind::number: return number(e->number);
        case Kind::negate: return negated(term(e->children[0]));
        case Kind::product: return product_term(*e);
        case Kind::power:
            if (const auto exponent = signed_number(*e->children[1])) return power(term(e->children[0]), *exponent);
            break;
        case Kind::call:
            if (e->name == "sqrt" && e->children.size() == 1) return power(term(e->children[0]), 0.5);
            break;
        case Kind::transpose:
            if (by_entries_) return term(e->children[0]);
            return transposed(term(e->children[0]), axes(e->children[0]));
        case Kind::gradient:
            if (const auto found = inlined.find(e->name); found != inlined.end() && !by_entries_) return found->second;
            break;
        default: break;
    }
    return {1, 1, {{e, 1}}};
}

Term Algebra::product_term(const Expr& e) const {
    Term out = term(e.children[0]);
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const Term next = term(e.children[i]);
        const bool by_matrix = e.joints[i] == '@' && !axes(out).empty() && !axes(next).empty();
        out = by_matrix ? product(out, next) : e.joints[i] == '/' ? divided(std::move(out), next) : times(std::move(out), next);
    }
    return out;
}

Axes Algebra::axes(const Term& t) const {
    Axes out;
    for (const PowerOf& p : t.powers) out = broadcast(out, axes(p.base));
    return out;
}

/// Like terms together; what is where(c, 1, 0) of one and where(c, 0, 1) of the next becomes one where.
std::vector<Term> Algebra::collected(const std::vector<Term>& terms) const {
    std::vector<Term> out;
    std::map<std::string, std::size_t> places;
    for (const Term& t : terms) {
        if (t.is_zero()) continue;
        const auto [place, fresh] = places.emplace(key_of(t), out.size());
        if (fresh) {
            out.push_back(t);
            continue;
        }
        Term& alike = out[place->second];
        alike.up = alike.up * t.down + t.up * alike.down;
        alike.down *= t.down;
        if (!alike.is_zero()) reduce_number(alike);  // which drops the powers of 0
    }
    std::erase_if(out, [](const Term& t) { return t.is_zero(); });
    for (std::size_t i = 0; i < out.size(); ++i)
        for (std::size_t j = 0; j < out.size(); ++j) {
            const auto find_side = [&](Term& t, bool side, const Expr* like) {
                return std::ranges::find_if(t.powers, [&](const PowerOf& p) {
                    return p.exponent == 1 && side_of(*p.base) == side && (!like || same(p.base->children[0], like->children[0]));
                });
            };
            const auto yes = find_side(out[i], true, nullptr);
            if (i == j || yes == out[i].powers.end()) continue;
            const auto no = find_side(out[j], false, yes->base.get());
            if (no == out[j].powers.end()) continue;
            const ExprPtr condition = yes->base->children[0];
            std::vector<Term> sides{out[i], out[j]};
            std::erase_if(sides[0].powers, [&](const PowerOf& p) { return p.base == yes->base; });
            std::erase_if(sides[1].powers, [&](const PowerOf& p) { return p.base == no->base; });
            Term joined = take_common(sides);
            multiply(joined, {where(condition, expression(sides[0]), expression(sides[1])), 1});
            out[std::min(i, j)] = joined;
            out.erase(out.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
            return collected(out);
        }
    return out;
}

ExprPtr Algebra::sum(const std::vector<Term>& terms) const {
    std::vector<Term> all = collected(terms);
    if (all.empty()) return proof::number(0);
    const auto positive = std::ranges::find_if(all, [](const Term& t) { return t.up > 0; });
    if (positive != all.end()) std::rotate(all.begin(), positive, positive + 1);
    if (all.size() == 1) return expression(all[0]);
    Expr e = node(Kind::sum);
    for (Term& t : all) {
        const bool minus = t.up < 0;
        t.up = std::abs(t.up);
        const ExprPtr term = expression(t);
        const bool nested = term->kind == Kind::sum && term->joints[0] != '-';
        for (std::size_t i = 0; i < (nested ? term->children.size() : 1); ++i) {
            e.joints.push_back(minus != (nested && term->joints[i] == '-') ? '-' : '+');
            e.children.push_back(nested ? term->children[i] : term);
        }
    }
    return make(std::move(e));
}

Term Algebra::add(const std::vector<Term>& terms) const {
    std::vector<Term> all = collected(terms);
    if (all.empty()) return number(0);
    if (all.size() == 1) return all[0];
    Term common = take_common(all);
    return times(std::move(common), {1, 1, {{sum(all), 1}}});
}

}  // namespace gradproof::proof
