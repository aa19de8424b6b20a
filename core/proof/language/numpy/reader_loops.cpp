// Loops of a program over steps.
#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {

/// for t in range(T): each row of its body. Whether it is such a loop.
bool Reader::loop(Span header, Span body) {
    const std::optional<Loop> over = loop_of(source_, header, to_.names());
    if (!over) return false;
    if (to_.names().defined(over->index))
        fail(over->target, fmt::format("{} is not free to be an index: it names something else", over->index));
    Locals local;
    LoopBody lines(source_, *over, body, to_.names());
    to_.announce(lines.sequences());  // lines of the body before h[t] = ... may use h[t-1]
    for (const Span s : lines.statements()) {
        const auto [at, size] = assignment_in(source_, s);
        if (size == 0) fail(s, "in a loop only assignments are read: h[t] = ..., dW += ...");
        step(lines, s, trimmed(source_, {s.begin, at}), source_.text()[at], {at + size, s.end}, local);
    }
    carry_on(*over, body, local);
    return true;
}

/// What a name carries from the step before, zeros at the first: of dhnext = W.T @ dz, in the place of the name, W.T @ dz of step
/// t + 1.
void Reader::carry_on(const Loop& over, Span body, const Locals& local) {
    const auto is_carried = [&](const Expr& e) { return e.kind == Kind::name && carried_.contains(e.name); };
    const auto before = [&](const Expr& e) -> ExprPtr {
        const auto found = is_carried(e) ? local.find(e.name) : local.end();
        if (found == local.end()) return nullptr;
        const ExprPtr there = rewritten(found->second.value, [&](const Expr& part) -> ExprPtr {
            const std::optional<IndexStep> at = step_of(part);
            return at && at->index == over.index ? stepped(over.index, at->by + (over.backwards ? 1 : -1)) : nullptr;
        });
        const ExprPtr last = sum(over.stop, '-', number(1));
        const ExprPtr holds = comparison(name(over.index), over.backwards ? "<" : ">", over.backwards ? last : over.first);
        return call("where", {holds, there, number(0)});
    };
    for (Claim& c : claims_)
        if (c.span.begin >= body.begin && c.span.end <= body.end && any_part(*c.right, is_carried))
            c.right = rewritten(c.right, before);
}

/// dh = ... of a sequence h is claimed of its row, and dh += ... right below adds to that.
bool Reader::claims_row(const Loop& over, Span s, Span left, char op, const std::string& of, const ExprPtr& value,
                        Locals& local) {
    const Assignment* const sequence = to_.proof().find(of);
    if (sequence == nullptr || sequence->indices.size() != 1) return false;
    const ExprPtr row = entry(gradient_of(of), {proof::name(over.index)});
    if (op == '+' || op == '-') {
        const bool goes_on =
            local.contains(gradient_key(of)) && !claims_.empty() && text_of(*claims_.back().left) == text_of(*row);
        if (!goes_on) return false;
        claims_.back().right = sum(claims_.back().right, op, value);
        claims_.back().span = s;
        return true;
    }
    if (op != '=' || local.contains(gradient_key(of))) return false;
    Expr at = *row;
    at.span = left;
    claims_.push_back({make(std::move(at)), value, over.holds(), s, std::exchange(why_, "")});
    local[gradient_key(of)] = {row, 1};
    return true;
}

void Reader::step(LoopBody& body, Span s, Span left, char op, Span right, Locals& local) {
    const Loop& over = body.over();
    const ExprPtr read = expression(right);
    std::size_t parts = parts_of(*read);
    for_each(*read, [&](const Expr& e) {
        if (const auto found = e.kind == Kind::name ? local.find(e.name) : local.end(); found != local.end())
            parts += found->second.parts;
    });
    if (parts > kMostParts) fail(s, fmt::format("the statement has more than {} parts (kMostParts)", kMostParts));
    const ExprPtr value = rewritten(read, [&](const Expr& e) -> ExprPtr {
        if (e.kind == Kind::index && e.children[0]->kind == Kind::gradient) return std::make_shared<const Expr>(e);
        const bool named = e.kind == Kind::name || e.kind == Kind::gradient;
        const auto found = named ? local.find(e.kind == Kind::name ? e.name : gradient_key(e.name)) : local.end();
        return found == local.end() ? nullptr : found->second.value;
    });
    body.expect_assigned(*value, s);
    const std::optional<Element> row = element_of(source_, left, to_.names());
    const std::string name(source_.slice(row ? row->name : left));
    body.assigns(name);
    const std::string of = gradient_named(name);
    if (!row && of.empty() && op == '=') {
        if (to_.names().defined(name)) fail(left, fmt::format("{} is assigned again: give it another name", name));
        const bool goes_round =
            any_part(*value, [&](const Expr& e) { return e.kind == Kind::name && carried_.contains(e.name); });
        if (carried_.contains(name) && goes_round)
            fail(s,
                 fmt::format("{0} goes on from step to step: give what it is computed of a name that says of which row it is the "
                             "gradient, dh of h",
                             name));
        if (mentions(*read, name) && !local.contains(name))
            fail(s, fmt::format("{0} goes on from step to step: give it rows, {0}[{1}] = ...", name, over.index));
        local[name] = {value, parts};
        return;
    }
    if (!of.empty() && !row && claims_row(over, s, left, op, of, value, local)) return;
    if (!of.empty() && !row) return add_over_steps(over, s, left, op, of, value);
    const bool own = row && row->index->kind == Kind::name && row->index->name == over.index;
    if (!own || op != '=')
        fail(left,
             fmt::format("in a loop over {0} rows are assigned, h[{0}] = ..., and gradients added to, dW += ...", over.index));
    Expr target = *entry(of.empty() ? proof::name(name) : gradient_of(of), {row->index});
    target.span = left;
    const ExprPtr all = make(std::move(target));
    if (!of.empty()) return claims_.push_back({all, value, over.holds(), s, std::exchange(why_, "")});
    define_rows(body, s, all, name, value);
}

/// dW += ... at each step is the sum over the steps.
void Reader::add_over_steps(const Loop& over, Span s, Span left, char op, const std::string& of, const ExprPtr& value) {
    if (op == '=')
        fail(s, fmt::format("in a loop this keeps the last step alone: to add them up write {} += ...", source_.slice(left)));
    Expr total = *summed_over(over.index, over.holds() ? call("where", {over.holds(), value, number(0)}) : value);
    if (over.stop->kind == Kind::name) total.options.push_back({over.index, over.stop, over.stop->span});
    const ExprPtr sum_of = make(std::move(total));
    const auto before = last_claim(of);
    const bool from_zero = before != claims_.rend() && is_zero(*before->right);
    if (op == '+' && from_zero) claims_.erase(std::next(before).base());
    claim(s, left, op == '+' && from_zero ? '=' : op, of, sum_of);
}
void Reader::define_rows(const LoopBody& body, Span s, const ExprPtr& left, const std::string& name, ExprPtr value) {
    const Loop& over = body.over();
    if (to_.names().defined(name)) fail(left->span, fmt::format("{} is assigned again: give it another name", name));
    const auto first = starts_.find(name);
    begun_.erase(name);
    const bool from_second = over.first->kind != Kind::number || over.first->number != 0;
    if (from_second && first == starts_.end() && !zeroed_.contains(name))
        fail(s, fmt::format("nothing says what stands in {0} before: write {0}[0] = ... above the loop", name));
    const ExprPtr goes_on = comparison(proof::name(over.index), ">=", over.first);
    if (from_second && first != starts_.end()) {
        value = call("where", {goes_on, value, first->second});
    } else {
        for (const std::string& row : body.sequences()) {
            const auto start = starts_.find(row);
            value = with_start(value, row, start != starts_.end() ? start->second : number(0));
        }
        if (from_second) value = product(value, '*', goes_on);  // zeros before
    }
    to_.expect_free(name, left->span, true, true);
    Equality e{left, value, {}, nullptr, nullptr, {}};
    e.extents.push_back({over.index, over.stop, over.stop->span});
    to_.assign({s, source_.line(s.begin)}, name, e, false);
}

/// h[0] = ... or h[-1] = ..., before a loop goes on from there.
void Reader::begin_rows(Span left, const Element& row, const ExprPtr& value) {
    const std::optional<double> at = signed_number(*row.index);
    const std::string name(source_.slice(row.name));
    if (!at || (*at != 0 && *at != -1) || !gradient_named(name).empty())
        fail(left,
             "of the entries of an array only those are read that a loop goes through, and the one it begins with: h[0] = "
             "...");
    if (to_.names().defined(name)) fail(left, fmt::format("{} is changed in place: give the result a name of its own", name));
    starts_[name] = value;
    begun_[name] = left;
}

}  // namespace gradproof::proof::numpy
