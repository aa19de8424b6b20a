// Domains as logarithms, roots and powers need them.
#include "gradproof/core/proof/language/domains_needed.hpp"

#include <algorithm>
#include <cmath>

namespace gradproof::proof {
namespace {

struct Signs {
    bool plus = false, minus = false;
};

/// With which signs the name is a term, or a factor of one, of e.
void add_signs(const Expr& e, const std::string& name, bool minus, Signs& out) {
    switch (e.kind) {
        case Kind::name:
            if (e.name == name) (minus ? out.minus : out.plus) = true;
            break;
        case Kind::negate: add_signs(*e.children[0], name, !minus, out); break;
        case Kind::sum:
            for (std::size_t i = 0; i < e.children.size(); ++i)
                add_signs(*e.children[i], name, minus != (e.joints[i] == '-'), out);
            break;
        case Kind::product:
            if (std::ranges::count_if(e.children, [&](const ExprPtr& c) { return mentions(*c, name); }) > 1) break;  // x^T x
            [[fallthrough]];
        case Kind::reduce:
            for (const ExprPtr& c : e.children) add_signs(*c, name, minus, out);
            break;
        case Kind::index: add_signs(*e.children[0], name, minus, out); break;
        case Kind::call:
            if (e.name == "sum" || e.name == "mean") add_signs(*e.children[0], name, minus, out);
            break;
        default: break;
    }
}

bool is_of_positive(const Expr& e) {
    if (e.kind == Kind::call) return e.name == "log" || e.name == "sqrt";
    if (e.kind != Kind::power) return false;
    const Expr& by = *e.children[1];
    const bool whole = by.kind == Kind::number && by.number == std::floor(by.number);
    const bool negative = by.kind == Kind::negate && by.children[0]->kind == Kind::number &&
                          by.children[0]->number == std::floor(by.children[0]->number);
    return !whole && !negative;
}

/// Whether a value is a softmax, by its name or as a quotient.
bool is_softmax(const Proof& proof, const Expr& e) {
    const Expr& of = e.kind == Kind::index ? *e.children[0] : e;
    if (of.kind == Kind::call) return of.name == "softmax";
    const Assignment* const a = of.kind == Kind::name ? proof.find(of.name) : nullptr;
    if (a == nullptr) return false;
    if (a->value->kind == Kind::call) return a->value->name == "softmax";
    const Expr& value = *a->value;
    return value.kind == Kind::product && value.joints.ends_with('/') && value.children.back()->kind == Kind::reduce &&
           value.children.back()->name == "sum";
}
/// Whether e is y_k \log p_k, or y^T \log p, of a softmax p.
bool weights_logarithm(const Proof& proof, const Expr& e, const std::string& name) {
    if (e.kind != Kind::product) return false;
    bool weight = false, log = false;
    for (const ExprPtr& c : e.children) {
        const Expr* bare = c.get();
        while (bare->kind == Kind::index || bare->kind == Kind::transpose || bare->kind == Kind::negate)
            bare = bare->children[0].get();
        weight = weight || (bare->kind == Kind::name && bare->name == name);
        log = log || (bare->kind == Kind::call && bare->name == "log" && is_softmax(proof, *bare->children[0])) ||
              (bare->kind == Kind::call && bare->name == "log_softmax");
    }
    return weight && log;
}
/// Where it weights logarithms, it does nothing else.
bool sums_to_one(const Proof& proof, const std::string& name) {
    bool any = false;
    for (const Assignment& a : proof.forward) {
        int all = 0, weights = 0;
        for_each(*a.value, [&](const Expr& part) {
            all += part.kind == Kind::name && part.name == name;
            weights += weights_logarithm(proof, part, name);
        });
        if (weights > 0 && all > weights) return false;
        any = any || weights > 0;
    }
    return any;
}

}  // namespace

Domain domain_needed(const Proof& proof, const std::string& name) {
    if (sums_to_one(proof, name)) return Domain::sums_to_one;
    Signs signs;
    for (const Assignment& a : proof.forward)
        for_each(*a.value, [&](const Expr& part) {
            if (is_of_positive(part) && !part.children.empty()) add_signs(*part.children[0], name, false, signs);
        });
    return signs.minus ? Domain::unit : signs.plus ? Domain::positive : Domain::all;
}

}  // namespace gradproof::proof
