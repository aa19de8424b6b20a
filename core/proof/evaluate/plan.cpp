// Plans of proofs.
#include "gradproof/core/proof/evaluate/plan.hpp"

#include <algorithm>

namespace gradproof::proof {

std::set<std::string> names_in(const Expr& e) {
    std::set<std::string> out;
    for_each(e, [&](const Expr& part) {
        if (part.kind == Kind::name) out.insert(part.name);
    });
    return out;
}

void fail(const Proof& proof, const EvaluationError& e) {
    if (e.is_shape()) throw Slip(*proof.source, e.span().begin, e.what());
    throw ProofError(*proof.source, e.span().begin, e.what());
}

Plan::Plan(const Proof& proof, const Bindings& bound) : proof_(proof) {
    for (const Given& g : proof.given)
        if (g.fill != Fill::literal && !bound.contains(g.name)) drawn_.insert(g.name);
    drawn_any_ = !drawn_.empty();
    for (const Dim& d : proof.dims) drawn_any_ = drawn_any_ || !d.value;
    for (const Given& g : proof.given)
        if (g.differentiable) varies_.insert(g.name);
    for (const Assignment& a : proof.forward) {
        used_.push_back(names_in(*a.value));
        used_.back().erase(a.name);  // of a recurrence
        const auto uses_any = [&](const std::set<std::string, std::less<>>& of) {
            return std::any_of(used_.back().begin(), used_.back().end(), [&](const std::string& n) { return of.contains(n); });
        };
        if (uses_any(drawn_)) drawn_.insert(a.name);
        if (a.stopped) used_.back().clear();
        if (uses_any(varies_)) varies_.insert(a.name);
    }
    const auto reach = [&](const std::string& name, std::size_t after) {
        std::set<std::string> touched{name};
        std::vector<std::size_t> out;
        for (std::size_t i = after; i < proof.forward.size(); ++i)
            if (std::any_of(used_[i].begin(), used_[i].end(), [&](const std::string& n) { return touched.contains(n); })) {
                touched.insert(proof.forward[i].name);
                out.push_back(i);
            }
        reached_[name] = std::move(out);
    };
    for (const Given& g : proof.given) reach(g.name, 0);
    for (std::size_t i = 0; i < proof.forward.size(); ++i) reach(proof.forward[i].name, i + 1);
}

bool Plan::reaches(const std::string& from, const std::string& to) const {
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
