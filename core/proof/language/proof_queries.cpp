// What a derivation has: its lines, its values, and which of them go back to which.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/proof.hpp"
#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof {

void JudgedLine::lose(const ProofError& e, std::string because) {
    state = dynamic_cast<const Slip*>(&e) != nullptr ? State::wrong : State::unread;
    why = std::move(because);
    at = {e.offset(), e.offset()};
}

bool Assignment::is_recurrence() const { return !indices.empty() && (!block.empty() || mentions(*value, name)); }
std::string Assignment::left() const { return indices.empty() ? name : fmt::format("{}[{}]", name, fmt::join(indices, ",")); }

bool Proof::has_forward() const {
    const auto of_forward = [](const JudgedLine& l) { return l.type == JudgedLine::Type::forward; };
    return !forward.empty() || std::ranges::any_of(lines, of_forward);
}

std::set<std::string> sources_of(const Expr& e, const Proof& proof) {
    std::set<std::string> out;
    std::vector<std::string> left;
    const auto add = [&](const Expr& of) {
        for (const std::string& name : names_in(of))
            if (out.insert(name).second) left.push_back(name);
    };
    add(e);
    while (!left.empty()) {
        const std::string name = std::move(left.back());
        left.pop_back();
        if (const Assignment* const a = proof.find(name)) {
            add(*a->value);
            for (const Assignment* one : proof.together_with(*a)) add(*one->value);
        }
    }
    return out;
}

bool follows_from(const std::string& value, const std::string& from, const Proof& proof) {
    const Assignment* const a = proof.find(value);
    return a != nullptr && value != from && sources_of(*a->value, proof).contains(from);
}

std::set<std::string> names_used_in(const Proof& proof) {
    std::set<std::string> out;
    const auto add_all = [&](const ExprPtr& e, const std::string& but) {
        if (e == nullptr) return;
        for_each(*e, [&](const Expr& part) {
            for (const std::string& name : {part.name, part.other})
                if (name != but) out.insert(name);
        });
    };
    for (const Assignment& a : proof.forward) add_all(a.value, a.name);
    for (const JudgedLine& l : proof.lines)
        for (const ExprPtr& e : {l.left, l.right, l.holds}) add_all(e, "");
    return out;
}

std::set<std::string> names_behind_lines(const Proof& proof, bool last_too) {
    std::set<std::string> out;
    const auto add_all = [&](const ExprPtr& e) {
        if (e == nullptr) return;
        for_each(*e, [&](const Expr& part) { out.insert({part.name, part.other}); });
    };
    std::set<std::string> claimed, behind;  // the values that gradients on the left and on the right are of
    const auto gradients = [](const ExprPtr& e, std::set<std::string>& of) {
        if (e == nullptr) return;
        for_each(*e, [&](const Expr& part) {
            if (part.kind == Kind::gradient) of.insert(part.name);
        });
    };
    for (const JudgedLine& l : proof.lines) {
        for (const ExprPtr& e : {l.left, l.right, l.holds}) add_all(e);
        gradients(l.left, claimed);
        gradients(l.right, behind);
    }
    const auto comes_in = [&](const std::string& value) { return !claimed.contains(value) && proof.find(value) != nullptr; };
    const bool judged = std::ranges::any_of(proof.lines, [](const JudgedLine& l) { return l.is_judged(); });
    const bool of_last = !judged || (!claimed.empty() && (last_too || std::ranges::none_of(behind, comes_in)));
    const bool stated = std::ranges::any_of(proof.forward, &Assignment::is_loss);
    for (const Assignment& a : proof.forward)
        if (a.is_loss || (of_last && !stated && &a == &proof.forward.back())) out.insert(a.name);
    for (std::size_t before = 0; before != out.size();) {
        before = out.size();
        for (const Assignment& a : proof.forward)
            if (out.contains(a.name)) add_all(a.value);
    }
    return out;
}

const Assignment* Proof::find(std::string_view name) const {
    for (const Assignment& a : forward)
        if (a.name == name) return &a;
    return nullptr;
}
std::vector<const Assignment*> Proof::together_with(const Assignment& a) const {
    if (a.block.empty()) return {&a};
    std::vector<const Assignment*> out;
    for (const Assignment& f : forward)
        if (f.is_with(a)) out.push_back(&f);
    return out;
}
std::size_t Proof::order_of(std::string_view name) const {
    const Assignment* const found = find(name);
    return found == nullptr ? 0 : static_cast<std::size_t>(found - forward.data()) + 1;
}
bool Proof::is_constant(std::string_view name) const {
    return std::any_of(given.begin(), given.end(), [&](const Given& g) { return g.name == name && !g.differentiable; });
}

Names names_of(const Proof& proof) {
    Names names;
    for (const Given& g : proof.given) names.values.insert(g.name);
    for (const Dim& d : proof.dims) names.dims.insert(d.name);
    names.functions.insert(proof.functions.begin(), proof.functions.end());
    for (const Assignment& a : proof.forward) {
        names.values.insert(a.name);
        if (a.is_loss) names.loss = a.name;
    }
    return names;
}

}  // namespace gradproof::proof
