// Sums over pairs.
#include "gradproof/core/proof/language/pairs.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

using IsIndex = std::function<bool(const std::string&)>;

/// The indices that the condition of a sum compares its own with, which what is summed has and nothing gives a value.
std::vector<std::string> others_of(const Expr& sum, const std::vector<std::string>& known, const IsIndex& is_index) {
    const Expr& body = *sum.children[0];
    std::vector<std::string> out;
    if (sum.name != "sum" || body.kind != Kind::call || body.name != "where") return out;
    for_each(*body.children[0], [&](const Expr& part) {
        const bool is_known = std::ranges::count(known, part.name) + std::ranges::count(out, part.name) > 0;
        if (part.kind == Kind::name && !is_known && is_index(part.name) && mentions(*body.children[1], part.name))
            out.push_back(part.name);
    });
    return out;
}

ExprPtr bound_within(const ExprPtr& e, std::vector<std::string> known, const IsIndex& is_index) {
    std::vector<std::string> bound = e->bound;
    if (e->kind == Kind::reduce) {
        std::vector<std::string> inside = known;
        inside.insert(inside.end(), bound.begin(), bound.end());
        const std::vector<std::string> others = others_of(*e, inside, is_index);
        // Σ_{k<j} with a k on the left: over j alone
        if (!others.empty()) std::erase_if(bound, [&](const std::string& b) { return std::ranges::count(known, b) > 0; });
        bound.insert(bound.end(), others.begin(), others.end());
        known.insert(known.end(), bound.begin(), bound.end());
    }
    std::vector<ExprPtr> children;
    for (const ExprPtr& c : e->children) children.push_back(bound_within(c, known, is_index));
    if (children == e->children && bound == e->bound) return e;
    Expr out = *with_children(*e, std::move(children));
    out.bound = std::move(bound);
    return make(std::move(out));
}

}  // namespace

ExprPtr with_pairs_bound(const ExprPtr& e, const std::vector<std::string>& free, const IsIndex& is_index) {
    return bound_within(e, free, is_index);
}

}  // namespace gradproof::proof
