// Where the gradient comes in of a proof that states no loss.
#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/statements.hpp"
#include "gradproof/core/proof/language/upstream.hpp"

namespace gradproof::proof {
namespace {

void add_gradients(std::set<std::string>& to, const ExprPtr& e) {
    if (e)
        for_each(*e, [&](const Expr& part) {
            if (part.kind == Kind::gradient) to.insert(part.name);
        });
}

/// r = y - x beside y = x + W x: whether a value behind this one is computed of what it follows from, too.
bool is_bypassed(const std::string& name, const Proof& proof) {
    const auto at = std::ranges::find(proof.forward, name, &Assignment::name);
    std::set<std::string> before = {name};
    for (auto a = std::make_reverse_iterator(at == proof.forward.end() ? at : at + 1); a != proof.forward.rend(); ++a)
        if (before.contains(a->name)) before.merge(names_in(*a->value));
    before.erase(name);
    for (const Given& g : proof.given)
        if (!g.differentiable) before.erase(g.name);
    return at != proof.forward.end() && std::any_of(at + 1, proof.forward.end(), [&](const Assignment& a) {
               return std::ranges::any_of(names_in(*a.value), [&](const std::string& of) { return before.contains(of); });
           });
}

}  // namespace

/// Without a loss, a gradient comes in at the last value. Where no line speaks of that value's gradient, it comes in at the one
/// whose gradient lines use and none claims; what is computed of it is written out where lines use it.
void Statements::let_used_gradient_come_last() {
    if (!names_.loss.empty() || names_.several_losses || proof_.forward.empty()) return;
    std::set<std::string> claimed, used;
    for (const JudgedLine& line : proof_.lines) {
        add_gradients(claimed, line.left);
        add_gradients(used, line.right);
    }
    if (used.empty() && may_leave_out_loss_) return leave_open_without_loss();
    const std::string& last = proof_.forward.back().name;
    if (used.contains(last) || claimed.contains(last)) return;
    if (!comes_in_at_.empty() && is_bypassed(comes_in_at_, proof_)) {
        add_loss_of({comes_in_at_}, proof_);
        return;
    }
    std::erase_if(used, [&](const std::string& name) { return claimed.contains(name) || proof_.find(name) == nullptr; });
    if (used.size() != 1) return;
    const std::string name = *used.begin();
    const auto at = std::ranges::find(proof_.forward, name, &Assignment::name);
    if (!at->block.empty()) return;
    const auto first = at - proof_.forward.begin();
    const std::string alone = fmt::format("a loss of {} alone, as none is stated", name);
    if (std::any_of(at + 1, proof_.forward.end(), [&](const Assignment& a) { return mentions(*a.value, name); }) &&
        !write_out_behind(static_cast<std::size_t>(first))) {
        if (!may_leave_out_loss_ || !is_bypassed(name, proof_)) return;
        doubt_beside({name}, proof_, proof_.lines);
        if (add_loss_of({name}, proof_)) holds_for(alone);
        return;
    }
    doubt_beside({name}, proof_, proof_.lines);
    holds_for(alone);
    const auto value = proof_.forward.begin() + first;
    std::rotate(value, value + 1, proof_.forward.end());
}

/// Typeset lines about the gradient of a loss that nothing says, where none of them uses the gradient that comes in.
void Statements::leave_open_without_loss() {
    for (JudgedLine& line : proof_.lines) {
        std::set<std::string> claimed;
        if (line.is_judged() && line.left->spelling) add_gradients(claimed, line.left);
        if (claimed.empty()) continue;
        line.state = JudgedLine::State::open;
        line.why = "no loss is stated, and no line uses the gradient that comes in: say what the loss is";
    }
}

/// The values behind the one at `first`, which are defined among the claims and no gradient is of, become what lines say in place
/// of their names. Whether they can.
bool Statements::write_out_behind(std::size_t first) {
    std::set<std::string> spoken_of;
    for (const JudgedLine& line : proof_.lines)
        for (const ExprPtr& side : {line.left, line.right, line.holds})
            if (side)
                for_each(*side, [&](const Expr& part) {
                    if (part.kind == Kind::gradient || part.kind == Kind::jacobian) spoken_of.insert({part.name, part.other});
                });
    const auto begin = proof_.forward.begin() + static_cast<std::ptrdiff_t>(first) + 1;
    std::size_t claims = proof_.source->text().size();
    for (const JudgedLine& line : proof_.lines) claims = std::min(claims, line.statement.span.begin);
    const bool can = std::all_of(begin, proof_.forward.end(), [&](const Assignment& a) {
        return a.statement.span.begin > claims && a.indices.empty() && a.block.empty() && !spoken_of.contains(a.name);
    });
    if (!can) return false;
    std::map<std::string, ExprPtr> meant;
    const auto written_out = [&](const ExprPtr& e) -> ExprPtr {
        if (!e) return e;
        return rewritten(e, [&](const Expr& part) -> ExprPtr {
            const auto found = part.kind == Kind::name ? meant.find(part.name) : meant.end();
            return found == meant.end() ? nullptr : found->second;
        });
    };
    for (auto a = begin; a != proof_.forward.end(); ++a) {
        Expr helper = node(Kind::helper, {written_out(a->value)}, a->name);
        helper.spelling = a->value->spelling;
        names_.values.erase(a->name);
        meant[a->name] = names_.helpers[a->name] = make(std::move(helper));
    }
    proof_.forward.erase(begin, proof_.forward.end());
    for (JudgedLine& line : proof_.lines)
        for (ExprPtr* const side : {&line.left, &line.right, &line.holds}) *side = written_out(*side);
    return true;
}

}  // namespace gradproof::proof
