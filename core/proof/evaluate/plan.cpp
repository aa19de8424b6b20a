// Plans of proofs.
#include "gradproof/core/proof/evaluate/plan.hpp"

#include <algorithm>

namespace gradproof::proof {

void fail(const Proof& proof, const EvaluationError& e) {
    if (e.is_shape()) throw Slip(*proof.source, e.span().begin, e.what());
    throw ProofError(*proof.source, e.span().begin, e.what());
}

Plan::Plan(const Proof& proof, const Bindings& bound) : proof_(proof) {
    for (const Given& g : proof.given) {
        const bool follows = g.fill == Fill::literal && g.value && is_drawn(*g.value);
        if ((g.fill != Fill::literal || follows) && !bound.contains(g.name)) drawn_.insert(g.name);
    }
    drawn_any_ = !drawn_.empty();
    for (const Dim& d : proof.dims) drawn_any_ = drawn_any_ || !d.value;
    for (const Given& g : proof.given)
        if (g.differentiable) varies_.insert(g.name);
    std::map<const Assignment*, std::set<std::string>> used;
    for (const Assignment& a : proof.forward) {
        std::set<std::string>& names = used[&a] = names_in(*a.value);
        names.erase(a.name);  // of a recurrence
        used_.push_back(a.stopped ? std::set<std::string>{} : names);
    }
    const auto uses = [&](const Assignment& a, const auto& of) {
        return std::ranges::any_of(used[&a], [&](const std::string& n) { return of.contains(n); });
    };
    const auto any_uses = [&](const Assignment& a, const auto& of) {
        return a.block.empty()
                   ? uses(a, of)
                   : std::ranges::any_of(proof.together_with(a), [&](const Assignment* one) { return uses(*one, of); });
    };
    for (const Assignment& a : proof.forward) {
        if (any_uses(a, drawn_)) drawn_.insert(a.name);
        if (a.stopped) used[&a].clear();
        if (any_uses(a, varies_)) varies_.insert(a.name);
    }
    const auto reach = [&](const std::string& name, const Assignment* own, std::size_t after) {
        std::set<std::string> touched{name};
        if (own)
            for (const Assignment* with : proof.together_with(*own)) touched.insert(with->name);
        std::vector<std::size_t> out;
        for (std::size_t i = after; i < proof.forward.size(); ++i) {
            const Assignment& a = proof.forward[i];
            if ((own && a.is_with(*own)) || !any_uses(a, touched)) continue;
            touched.insert(a.name);
            out.push_back(i);
        }
        reached_[name] = std::move(out);
    };
    for (const Given& g : proof.given) reach(g.name, nullptr, 0);
    for (std::size_t i = 0; i < proof.forward.size(); ++i) reach(proof.forward[i].name, &proof.forward[i], i + 1);
}

bool Plan::are_together(const std::string& a, const std::string& b) const {
    const Assignment *const first = proof_.find(a), *const second = proof_.find(b);
    return first != nullptr && second != nullptr && first != second && first->is_with(*second);
}

bool Plan::reaches(const std::string& from, const std::string& to) const {
    if (are_together(from, to)) return true;
    const auto& r = reached_.at(from);
    return std::any_of(r.begin(), r.end(), [&](std::size_t i) { return proof_.forward[i].name == to; });
}

std::vector<std::size_t> Plan::consumers(const std::string& name) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < used_.size(); ++i)
        if (used_[i].contains(name)) out.push_back(i);
    return out;
}

bool Plan::is_drawn(const Expr& e) const {
    const std::set<std::string> names = names_in(e);
    return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return drawn_.contains(n); });
}

}  // namespace gradproof::proof
