// What a loop carries from step to step: h = np.tanh(x[t] @ W + h @ U), and dh = (dh * (1 - h[t] ** 2)) @ U.T on the way back.
#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {
namespace {

/// What a carried name stands for until the line that assigns it: its value at the start of the step.
std::string at_start(const std::string& name) { return fmt::format("({} before)", name); }

/// t + 0: an index that does not say how far it runs.
ExprPtr stepped_from(const std::string& index) { return sum(name(index), '+', number(0)); }
/// What stands for names.
ExprPtr with_names_as(const ExprPtr& e, const std::map<std::string, ExprPtr, std::less<>>& by_name) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        const auto found = part.kind == Kind::name ? by_name.find(part.name) : by_name.end();
        return found == by_name.end() ? nullptr : found->second;
    });
}
}  // namespace

/// Whether the program below uses the name before it assigns it.
bool Reader::is_read_after(std::size_t at, const std::string& name) const {
    for (const Span s : statements_in(source_, {at, text_.end})) {
        const auto [sign, size] = assignment_in(source_, s);
        const std::vector<std::string> used = identifiers_in(source_.slice({size == 1 ? sign : s.begin, s.end}));
        if (std::ranges::find(used, name) != used.end()) return true;
        if (size == 1 && source_.slice(trimmed(source_, {s.begin, sign})) == name) return false;
    }
    return false;
}

/// Of dh = h[T] above a loop that carries dh, where h has a row for each step: what it starts from, and no claim of all of dh.
ExprPtr Reader::row_claimed(const std::string& of) {
    const auto claim = last_claim(of);
    if (claim == claims_.rend() || claim->function != here_) return nullptr;
    const auto whole = axis_names(std::string_view(of), to_.proof()), row = axis_names(*claim->right, to_.proof());
    if (!whole || !row || whole->size() != row->size() + 1) return nullptr;
    const ExprPtr out = claim->right;
    claims_.erase(std::next(claim).base());
    return out;
}

/// What a carried name is before the first step; nullptr of one that no line above says.
ExprPtr Reader::start_of(const LoopBody& body, const std::string& name, bool of_rows) {
    const auto zeros = first_.find(name);
    if (zeros != first_.end() && !to_.names().defined(name)) return zeros->second;
    const std::string of = gradient_named(name);
    if (const ExprPtr row = of.empty() ? nullptr : row_claimed(of)) return row;
    if (!of.empty() && (last_claim(of) != claims_.rend() || parameters_.contains(name))) return gradient_of(of);
    if (const auto zero = zeros_.find(of); zero != zeros_.end()) return zero->second.right;
    if (const ExprPtr kept = file_.saved.find(name)) return kept;
    const bool assigned = to_.proof().find(name) != nullptr;
    if (of_rows && assigned) return proof::name(to_.supersede(name));
    if (to_.names().defined(name)) fail(body.span(), fmt::format("{} is assigned again: give it another name", name));
    return nullptr;
}

/// h[t + 0] for h[t], of an h with one row more than the loop has steps, or of all: its rows do not say how far t runs.
ExprPtr Reader::loosened(const ExprPtr& e, const std::string& index) const {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::index) return nullptr;
        Expr out = part;
        bool changed = false;
        for (std::size_t i = 1; i < part.children.size(); ++i) {
            const Expr& at = *part.children[i];
            const bool here =
                at.kind == Kind::name && (at.name == index || (i == 1 && offsets_.contains(part.children[0]->name)));
            if (!here) continue;
            out.children[i] = stepped_from(at.name);
            changed = true;
        }
        return changed ? make(std::move(out)) : nullptr;
    });
}

/// The names that the loop carries stand for what they are at the start of a step.
void Reader::carry_in(Pass& pass) {
    const bool goes_back =
        backward_ || !claims_.empty() || std::ranges::any_of(pass.body.lines(), [&](const LoopBody::Line& line) {
            const std::vector<std::string> left = identifiers_in(source_.slice(line.left));
            return !left.empty() && !gradient_named(left[0]).empty();
        });
    const Loop& over = pass.over();
    for (const std::string& name : pass.body.carried()) {
        const ExprPtr start = start_of(pass.body, name, !goes_back);
        if (!start && pass.body.is_of_one_branch(name))
            fail(pass.body.span(),
                 fmt::format("{} is assigned in one branch alone: elsewhere it may be of an earlier step", name));
        if (!start) continue;
        ExprPtr value = proof::name(at_start(name));
        Carried& carried = pass.carried[name] = {start, ""};
        if (!goes_back) {
            if (over.backwards || !is_number(*over.first, 0))
                fail(pass.body.span(), fmt::format("{} goes on from step to step: that is read of a loop from 0 on", name));
            carried.rows = is_read_after(pass.body.span().end, name) ? rows_of(name) : name;
            value = call("where", {comparison(proof::name(over.index), ">", number(0)),
                                   entry(proof::name(carried.rows), {stepped(over.index, -1)}), start});
        }
        pass.local[local_key(name)] = {value, 2};
    }
}

/// h = ... of each step are the rows of a sequence.
void Reader::carry_rows(Pass& pass, const std::string& name) {
    const Carried& carried = pass.carried.find(name)->second;
    Local& local = pass.local[name];
    Expr left = *entry(proof::name(carried.rows), {proof::name(pass.over().index)});
    left.span = carried.assigned;
    Equality e{make(Expr(left)), local.value, {}, nullptr, nullptr, {}};
    e.extents.push_back({pass.over().index, pass.over().stop, pass.over().stop->span});
    if (carried.rows == name) to_.expect_free(name, carried.assigned, true, true);
    to_.assign(at(carried.assigned), carried.rows, e, false);
    local = {make(std::move(left)), 1};
}

/// What is carried back, dhnext = W.T @ dz: at a step it is W.T @ dz of the step before, or what it was before the loop. Where that
/// uses dhnext again, or depends on the step by a branch, it is a sequence of its own.
void Reader::carry_gradient(Pass& pass, const std::string& name, ByName& at_step_of) {
    const Loop& over = pass.over();
    const Carried& carried = pass.carried.find(name)->second;
    const std::string before = at_start(name);
    const ExprPtr value = with_names_as(pass.local[local_key(name)].value, at_step_of);
    const ExprPtr last = sum(over.stop, '-', number(1)), index = proof::name(over.index);
    const bool branches = any_part(*value, [](const Expr& e) { return e.kind == Kind::call && e.name == "where"; });
    if (!branches && !mentions(*value, before)) {
        const ExprPtr goes_on = comparison(index, over.backwards ? "<" : ">", over.backwards ? last : over.first);
        at_step_of[before] = call("where", {goes_on, at_later_step(value, over.index, over.backwards ? 1 : -1), carried.start});
        return file_.saved.keep(name, at_step(value, over.index, over.backwards ? over.first : last), carried.assigned);
    }
    // Row t is what it is behind step t on the way back, and before it on the way forward; one more row stands for the other end.
    const std::string rows = rows_of(name);
    const double by = over.backwards ? 1 : -1;
    ExprPtr goes_on = comparison(index, over.backwards ? "<" : ">", over.backwards ? over.stop : over.first);
    if (over.backwards && !is_number(*over.first, 0)) goes_on = product(goes_on, '*', comparison(index, ">=", over.first));
    const ExprPtr there = over.backwards ? value : at_later_step(value, over.index, -1);
    const auto row = [&](const ExprPtr& at) { return entry(proof::name(rows), {at}); };
    Expr left = *row(index);
    left.span = carried.assigned;
    const ExprPtr body = call("where", {goes_on, with_name_as(there, before, row(stepped(over.index, by))), carried.start});
    const ExprPtr size = sum(over.stop, '+', number(1));
    Equality e{make(std::move(left)), loosened(body, over.index), {}, nullptr, nullptr, {}};
    e.extents.push_back({over.index, size, over.stop->span});
    to_.define_helper(rows, carried.assigned, e, at(carried.assigned));
    const ExprPtr all = to_.names().helpers.find(rows)->second;
    at_step_of[before] = entry(all, {over.backwards ? stepped(over.index, 1) : stepped_from(over.index)});
    file_.saved.keep(name, entry(all, {over.backwards ? over.first : over.stop}), carried.assigned);
}

/// At the end of a loop: what is carried is known.
void Reader::carry_on(Pass& pass) {
    ByName at_step_of;
    std::set<std::string> open;
    for (const auto& [name, carried] : pass.carried)
        if (carried.rows.empty() && carried.assigned.end > 0) open.insert(name);
    while (!open.empty()) {
        const auto waits = [&](const std::string& name) {
            const Expr& value = *pass.local[local_key(name)].value;
            return std::ranges::any_of(
                open, [&](const std::string& other) { return other != name && mentions(value, at_start(other)); });
        };
        const auto next = std::ranges::find_if(open, [&](const std::string& name) { return !waits(name); });
        if (next == open.end())
            fail(pass.carried.find(*open.begin())->second.assigned,
                 fmt::format(
                     "{} and {} are computed of each other from step to step: give what they are computed of names that say "
                     "of which rows they are the gradients, dh of h",
                     *open.begin(), *std::next(open.begin())));
        carry_gradient(pass, *next, at_step_of);
        open.erase(next);
    }
    const Span body = pass.body.span();
    for (Claim& c : claims_)
        if (c.span.begin >= body.begin && c.span.end <= body.end) c.right = loosened(with_names_as(c.right, at_step_of));
    carry_out(pass);
}

/// Behind a loop: rows that stand along another axis, the last row under the name that carried it, and what was added up.
void Reader::carry_out(Pass& pass) {
    const Loop& over = pass.over();
    condition_ = false;  // of the last branch; what is defined here is none
    for (const auto& [name, laid] : pass.laid)
        define(laid.line, laid.name, with_axis_moved(proof::name(rows_of(name)), laid.axes, 0, laid.axis));
    for (const auto& [line, value] : pass.totals) {
        const std::string name(source_.slice(line.left));
        const ExprPtr total = over.total(loosened(value));
        if (to_.proof().find(name) != nullptr)
            define_anew(line.all, line.left, sum(proof::name(name), '+', total), true);
        else if (carried_.contains(name))
            define(line.all, line.left, total);
        else
            fail(line.left, fmt::format("nothing says what {0} is before: write {0} = 0 above the loop", name));
    }
    const ExprPtr last = sum(over.stop, '-', number(1));
    for (const auto& [name, carried] : pass.carried) carried_out_.emplace(name, here_);
    for (const auto& [name, carried] : pass.carried)
        if (!carried.rows.empty() && carried.rows != name)
            define(carried.assigned, carried.name, entry(proof::name(carried.rows), {last}));
    see_tuples_kept(pass);
    for (const auto& [name, of] : pass.aliases) aliases_.may_be_same(name, of);  // prev of prev = h[t] is the last row of h
}

}  // namespace gradproof::proof::numpy
