// Where the gradient comes in of a proof that states no loss.
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/linear_size.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof {
namespace {

void add_gradients(std::set<std::string>& to, const ExprPtr& e) {
    if (e)
        for_each(*e, [&](const Expr& part) {
            if (part.kind == Kind::gradient) to.insert(part.name);
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
    const std::string& last = proof_.forward.back().name;
    if (used.contains(last) || claimed.contains(last)) return;
    std::erase_if(used, [&](const std::string& name) { return claimed.contains(name) || proof_.find(name) == nullptr; });
    if (used.size() != 1) return;
    const std::string name = *used.begin();
    const auto at = std::ranges::find(proof_.forward, name, &Assignment::name);
    if (!at->block.empty()) return;
    const auto first = at - proof_.forward.begin();
    if (std::any_of(at + 1, proof_.forward.end(), [&](const Assignment& a) { return mentions(*a.value, name); }) &&
        !write_out_behind(static_cast<std::size_t>(first)))
        return;
    holds_for(fmt::format("a loss of {} alone, as none is stated", name));
    const auto value = proof_.forward.begin() + first;
    std::rotate(value, value + 1, proof_.forward.end());
}

/// Whether the value is computed from that name, or from what is.
bool Statements::leads_to_any(const std::string& from, const std::set<std::string>& to) const {
    std::set<std::string> reached{from};
    for (std::size_t round = 0; round < 2; ++round)  // the values of a block use each other
        for (const Assignment& a : proof_.forward)
            if (std::ranges::any_of(names_in(*a.value), [&](const std::string& n) { return reached.contains(n); }))
                reached.insert(a.name);
    return std::ranges::any_of(to, [&](const std::string& n) { return reached.contains(n); });
}

/// Without a loss, lines of a paper may use gradients of several values of which none is computed from another: w of a layer and
/// the a of another. Then L is a function of them all.
void Statements::take_loss_of_several() {
    const bool typeset = std::ranges::any_of(proof_.lines, [](const JudgedLine& l) { return l.left && l.left->spelling; });
    if (!typeset || !lost_.empty() || !names_.loss.empty() || names_.several_losses || proof_.forward.empty()) return;
    std::set<std::string> spoken_of, used, values;
    for (const JudgedLine& line : proof_.lines) {
        add_gradients(spoken_of, line.left);
        add_gradients(used, line.right);
    }
    spoken_of.insert(used.begin(), used.end());
    const std::string& last = proof_.forward.back().name;
    const auto all_reach = [&](const std::set<std::string>& to) {
        return std::ranges::all_of(spoken_of, [&](const std::string& name) { return leads_to_any(name, to); });
    };
    if (all_reach({last})) return;
    for (auto a = proof_.forward.rbegin(); a != proof_.forward.rend(); ++a)
        if (used.contains(a->name) && !leads_to_any(a->name, values)) values.insert(a->name);
    if (!all_reach(values)) values.insert(last);
    // What leads to two of them may be meant of one at a time.
    const bool apart = std::ranges::all_of(spoken_of, [&](const std::string& name) {
        return std::ranges::count_if(values, [&](const std::string& v) { return leads_to_any(name, {v}); }) == 1;
    });
    if (apart && add_loss_of(values))
        holds_for(fmt::format("a loss of {}, as none is stated", fmt::join(values, " and ")));
}

/// The sum of the values times what is drawn. Whether their shapes are known.
bool Statements::add_loss_of(const std::set<std::string>& values) {
    Expr loss = node(Kind::sum);
    std::vector<Given> upstream;
    for (const std::string& v : values) {
        const std::optional<AxisNames> axes = axis_names(v, proof_, &names_);
        if (!axes) return false;
        Given g;
        g.name = fmt::format("upstream({})", v);
        g.span = proof_.find(v)->statement.span;
        g.differentiable = false;
        for (const std::string& axis : *axes) {
            const std::optional<Linear> size = linear_in(axis);
            const bool number = size && size->size() == 1 && size->begin()->first.empty();
            if (!number && !names_.dims.contains(axis)) return false;
            g.shape.push_back(number ? proof::number(size->begin()->second) : name(axis));
        }
        loss.children.push_back(call("sum", {product(name(g.name), '*', name(v))}));
        loss.joints += '+';
        upstream.push_back(std::move(g));
    }
    Assignment a;
    a.name = "(loss)";
    a.value = loss.children.size() == 1 ? loss.children[0] : make(std::move(loss));
    a.statement = proof_.forward.back().statement;
    a.is_loss = true;
    std::move(upstream.begin(), upstream.end(), std::back_inserter(proof_.given));
    proof_.forward.push_back(std::move(a));
    return true;
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
