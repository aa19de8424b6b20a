// Arrays of whole numbers.
#include "gradproof/core/proof/language/numpy/integers.hpp"

#include <algorithm>
#include <string_view>

namespace gradproof::proof::numpy {

bool holds_integers(const Expr& e, const Proof& proof, int depth) {
    constexpr int kDeep = 20;
    for (const std::string_view typed : {"float", "astype", "dtype", ".to("})
        if (e.source.find(typed) != std::string_view::npos) return false;
    const auto is = [&](const ExprPtr& c) { return depth < kDeep && holds_integers(*c, proof, depth + 1); };
    const auto is_condition = [&](const ExprPtr& c) {
        const Assignment* const a = c->kind == Kind::name ? proof.find(c->name) : nullptr;
        const Expr& of = a != nullptr ? *a->value : *c;
        return of.kind == Kind::call && of.name == "step";
    };
    switch (e.kind) {
        case Kind::number: return e.name.find_first_of(".eE") == std::string::npos && !e.name.empty();
        case Kind::name: {
            const auto given = std::ranges::find(proof.given, e.name, &Given::name);
            if (given != proof.given.end()) return given->fill == Fill::index;
            const Assignment* const a = proof.find(e.name);
            return a != nullptr && is(a->value);
        }
        case Kind::call: return e.name == "range" || (e.name == "where" && is(e.children[1]) && is(e.children[2]));
        case Kind::product:
            return e.joints.find('/') == std::string::npos && std::ranges::any_of(e.children, is) &&
                   std::ranges::all_of(e.children, [&](const ExprPtr& c) { return is(c) || is_condition(c); });
        case Kind::sum:
        case Kind::negate: return std::ranges::all_of(e.children, is);
        default: return false;
    }
}

}  // namespace gradproof::proof::numpy
