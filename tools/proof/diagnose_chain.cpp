// Diagnosis: factors of the chain rule that are missing.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/transforms.hpp"
#include "tools/proof/diagnostician.hpp"

namespace gradproof::proof {

std::vector<ExprPtr> Diagnostician::slopes() const {
    std::vector<ExprPtr> out;
    std::set<std::string> known;
    const auto add = [&](const ExprPtr& e) {
        if (known.insert(text_of(*e)).second) out.push_back(e);
    };
    const auto one_minus = [](const ExprPtr& e) { return sum(number(1), '-', e); };
    const auto squared = [](const ExprPtr& e) {
        Expr p;
        p.kind = Kind::power;
        p.children = {e, number(2)};
        return make(std::move(p));
    };
    for (const Assignment& a : claim_.proof().forward)
        for_each(*a.value, [&](const Expr& e) {
            if (e.kind != Kind::call || e.children.size() != 1 || !a.indices.empty()) return;
            const ExprPtr x = e.children[0];
            const ExprPtr y = &e == a.value.get() ? name(a.name) : call(e.name, {x});
            if (e.name == "tanh") add(one_minus(squared(y)));
            if (e.name == "sigmoid" || e.name == "σ") add(product(y, '*', one_minus(y)));
            if (e.name == "relu") add(call("step", {x}));
            if (e.name == "exp") add(y);
            if (e.name == "log") add(product(number(1), '/', x));
            if (e.name == "sqrt") add(product(number(1), '/', product(number(2), '@', y)));
            if (e.name == "sin") add(call("cos", {x}));
            if (e.name == "cos") add(negate(call("sin", {x})));
            if (e.name == "softplus") add(call("sigmoid", {x}));
            if (e.name == "gelu" && e.options.empty()) {
                const ExprPtr below = product(sum(number(1), '+', call("erf", {product(x, '/', call("sqrt", {number(2)}))})), '/', number(2));
                const ExprPtr density = product(call("exp", {negate(product(squared(x), '/', number(2)))}), '/', call("sqrt", {product(number(2), '@', name("pi"))}));
                add(sum(below, '+', product(x, '*', density)));
            }
            if (e.name == "abs") add(call("sign", {x}));
            if (e.name == "silu") add(product(call("sigmoid", {x}), '*', sum(number(1), '+', product(x, '*', one_minus(call("sigmoid", {x}))))));
        });
    for (const std::string& v : value_names()) {
        add(name(v));
        add(one_minus(name(v)));
    }
    return out;
}

bool Diagnostician::chain_factors() {
    if (index_form_) return index_chain_factors();
    const std::vector<ExprPtr> known = slopes();
    for (const Place& p : places_) {
        if (p.node->kind == Kind::number) continue;
        const char* kind = p.in_row_term ? "wrong_row_term" : "missing_chain_factor";
        for (const ExprPtr& s : known)
            for (const char joint : {'*', '/'})
                if (try_change(kind, fmt::format("{} is to be {} by {}", text_of(*p.node), joint == '*' ? "multiplied" : "divided", text_of(*s)), p.with(product(p.node, joint, s)))) return true;
    }
    for (const Place& p : places_)
        for (const std::string& v : p.in_reduction ? value_names() : std::vector<std::string>{}) {
            if (claim_.proof().is_constant(v)) continue;
            const ExprPtr f = gradient(v);
            if (try_change(p.in_row_term ? "wrong_row_term" : "missing_chain_factor", fmt::format("{} lacks the factor {}", text_of(*p.node), text_of(*f)), p.with(product(p.node, '*', f)))) return true;
        }
    return missing_matrix_factor();
}

bool Diagnostician::missing_matrix_factor() {
    for (const Place& p : places_) {
        if (p.node->kind == Kind::number || is_scalar(*p.node)) continue;
        for (const std::string& v : value_names())
            for (const ExprPtr& f : {name(v), transpose(name(v))})
                for (const ExprPtr& changed : {product(p.node, '@', f), product(f, '@', p.node)})
                    if (try_change("missing_chain_factor", fmt::format("the factor {} is missing", text_of(*f)), p.with(changed))) return true;
    }
    return false;
}

std::vector<ExprPtr> Diagnostician::index_factors() const {
    Draw& d = claim_.draw(0);
    std::map<std::string, Index> sizes;
    try {
        Evaluator<double> evaluator(d.scope());
        sizes = evaluator.index_sizes(*right_, evaluator.index_sizes(*claim_.line().left, {}));
    } catch (const EvaluationError&) {
        return {};
    }
    std::vector<ExprPtr> out;
    for (const std::string& v : value_names()) {
        const Shape& shape = d.scope().values.find(v)->second.shape();
        std::vector<std::vector<ExprPtr>> lists{{}};
        for (const Index n : shape) {
            std::vector<std::vector<ExprPtr>> longer;
            for (const auto& list : lists)
                for (const auto& [index, size] : sizes)
                    if (size == n) {
                        longer.push_back(list);
                        longer.back().push_back(name(index));
                    }
            lists = std::move(longer);
        }
        for (const auto& list : lists) {
            if (list.empty()) continue;
            for (const ExprPtr& of : {name(v), claim_.proof().is_constant(v) ? nullptr : gradient(v)}) {
                if (!of) continue;
                Expr e;
                e.kind = Kind::index;
                e.children = {of};
                e.children.insert(e.children.end(), list.begin(), list.end());
                out.push_back(make(std::move(e)));
            }
        }
    }
    for (auto a = sizes.begin(); a != sizes.end(); ++a)
        for (auto b = std::next(a); b != sizes.end(); ++b)
            if (a->second == b->second) {
                Expr e;
                e.kind = Kind::delta;
                e.children = {name(a->first), name(b->first)};
                out.push_back(make(std::move(e)));
            }
    return out;
}

bool Diagnostician::index_chain_factors() {
    const std::vector<ExprPtr> known = index_factors();
    for (const Place& p : places_) {
        if (p.node->kind == Kind::number) continue;
        for (const ExprPtr& x : known) {
            std::vector<ExprPtr> forms{x};
            if (x->kind == Kind::index && x->children[0]->kind == Kind::name) forms.insert(forms.end(), {sum(number(1), '-', x), sum(number(1), '-', product(x, '@', x)), product(x, '@', sum(number(1), '-', x))});
            for (const ExprPtr& f : forms)
                if (try_change(p.in_row_term ? "wrong_row_term" : "missing_chain_factor", fmt::format("{} lacks the factor {}", text_of(*p.node), text_of(*f)), p.with(product(p.node, '@', f)))) return true;
        }
    }
    return false;
}

bool Diagnostician::missing_terms() {
    std::vector<ExprPtr> terms;
    if (index_form_) terms = index_factors();
    else
        for (const std::string& v : value_names())
            terms.insert(terms.end(), {name(v), claim_.proof().is_constant(v) ? name(v) : gradient(v)});
    for (const Place& p : places_) {
        if (p.in_reduction || is_scalar(*p.node) || (p.is_term && p.node->kind == Kind::sum)) continue;
        std::vector<ExprPtr> here = terms;
        const Expr& n = *p.node;
        if (!index_form_ && n.kind == Kind::product && n.children.size() == 2 && n.joints[1] == '@') here.push_back(product(transpose(n.children[0]), '@', n.children[1]));
        for (const ExprPtr& t : here)
            for (const char sign : {'-', '+'})
                if (try_change("missing_path", fmt::format("the term {} {} is missing", sign, text_of(*t)), p.with(sum(p.node, sign, t)))) return true;
    }
    return false;
}

bool Diagnostician::row_term_factors() {
    const std::vector<ExprPtr> in_index_form = index_form_ ? index_factors() : std::vector<ExprPtr>{};
    for (const Place& p : places_) {
        if (!p.in_row_term || p.node->kind == Kind::number || is_scalar(*p.node)) continue;
        const auto lacks = [&](const ExprPtr& f) {
            return try_change("wrong_row_term", fmt::format("{} lacks the factor {}", text_of(*p.node), text_of(*f)), p.with(product(p.node, index_form_ ? '@' : '*', f)));
        };
        for (const ExprPtr& f : in_index_form)
            if (lacks(f)) return true;
        for (const std::string& v : index_form_ ? std::vector<std::string>{} : value_names())
            if (lacks(name(v)) || (!claim_.proof().is_constant(v) && lacks(gradient(v)))) return true;
    }
    return false;
}

}  // namespace gradproof::proof
