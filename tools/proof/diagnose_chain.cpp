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
        const char* kind = p.in_reduction ? "wrong_row_term" : "missing_chain_factor";
        for (const ExprPtr& s : known)
            for (const char joint : {'*', '/'})
                if (try_change(kind, fmt::format("{} is to be {} by {}", text_of(*p.node), joint == '*' ? "multiplied" : "divided", text_of(*s)), p.with(product(p.node, joint, s)))) return true;
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

bool Diagnostician::index_chain_factors() {
    std::vector<ExprPtr> lists;
    for (const ExprPtr& side : {claim_.line().left, right_})
        for_each(*side, [&](const Expr& e) {
            if (e.kind == Kind::index) lists.push_back(make(e));
        });
    for (const Place& p : places_) {
        if (p.node->kind == Kind::number) continue;
        for (const ExprPtr& l : lists)
            for (const std::string& v : value_names()) {
                const ExprPtr x = with_child(*l, 0, name(v));
                for (const ExprPtr& f : {x, sum(number(1), '-', x), sum(number(1), '-', product(x, '@', x)), product(x, '@', sum(number(1), '-', x))})
                    if (try_change(p.in_reduction ? "wrong_row_term" : "missing_chain_factor", fmt::format("{} lacks the factor {}", text_of(*p.node), text_of(*f)), p.with(product(p.node, '@', f)))) return true;
            }
    }
    return false;
}

}  // namespace gradproof::proof
