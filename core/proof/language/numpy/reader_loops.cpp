// Loops of a program over steps.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {

/// for t in range(T): each row of its body. Whether it is such a loop.
bool Reader::loop(Span header, Span body) {
    std::optional<Loop> over = loop_of(source_, header, to_.names());
    if (!over) return false;
    if (const std::string size = size_name(*over->stop, to_.proof()); to_.names().dims.contains(size))
        over->stop = proof::name(size);
    if (to_.names().defined(over->index))
        fail(over->target, fmt::format("{} is not free to be an index: it names something else", over->index));
    loop_ = header.begin;
    Pass pass{LoopBody(source_, *over, body, to_.names(), lists_)};
    carry_in(pass);
    std::set<std::string, std::less<>> announced = pass.body.sequences();  // lines before h[t] = ... may use h[t-1]
    for (const auto& [name, carried] : pass.carried)
        if (!carried.rows.empty()) announced.insert(carried.rows);
    to_.announce(announced);
    const std::vector<LoopBody::Line>& lines = pass.body.lines();
    expect_gradients_unscaled(lines);
    tell_heads_in(body);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const LoopBody::Line& line = lines[i];
        if (line.op != 0 && source_.slice(line.left) == over->index)
            fail(line.all, fmt::format("{} is the step of the loop: give what it is here a name of its own", over->index));
        const std::string entry_of = std::string(source_.slice(line.left)) + "[";
        pass.is_changed_next = line.op != 0 && i + 1 < lines.size() && source_.slice(lines[i + 1].left).starts_with(entry_of);
        if (line.op == 0) {
            if (is_passed(line.all)) {
                tell_passed(line.all);
                continue;
            }
            fail(line.all, "in a loop only assignments are read: h[t] = ..., dW += ...");
        }
        step(pass, line);
    }
    file_.of_step.clear();
    carry_on(pass);
    loop_ = 0;
    for (const std::string& name : pass.hidden)
        changed_.emplace(name, fmt::format("behind the loop, {} is that of its last step: give it another name there", name));
    see_steps_that_come_out({header.begin, body.end});
    return true;
}

/// Whether a step may give a name of another function a value of its own: gradients called so are carried.
bool Reader::is_local_of(const Pass& pass, const std::string& name) const {
    const auto function = function_.find(name);
    if (here_ == 0 || function == function_.end() || function->second == here_ || function->second == 0) return false;
    const std::vector<std::string> words = identifiers_in(source_.slice(pass.body.span()));
    return std::ranges::none_of(
        words, [&](const std::string& word) { return gradient_named(word) == name && !pass.carried.contains(word); });
}

/// dh = ... of a sequence h is claimed of its row, and dh += ... right below adds to that.
bool Reader::claims_row(Pass& pass, const LoopBody::Line& line, const std::string& of, const ExprPtr& value) {
    const Assignment* const sequence = to_.proof().find(of);
    if (sequence == nullptr || sequence->indices.size() != 1) return false;
    const auto offset = offsets_.find(of);
    const ExprPtr row = entry(gradient_of(of), {stepped(pass.over().index, offset == offsets_.end() ? 0 : offset->second)});
    if (line.op != '=' && line.op != 0) {
        const bool goes_on =
            pass.local.contains(gradient_key(of)) && !claims_.empty() && text_of(*claims_.back().left) == text_of(*row);
        if (!goes_on) return false;
        claims_.back().right = changed(line.all, claims_.back().right, line.op, value);
        claims_.back().span = line.all;
        return true;
    }
    if (line.op != '=' || pass.local.contains(gradient_key(of))) return false;
    Expr at = *row;
    at.span = line.left;
    ExprPtr holds = pass.over().holds();
    if (offset != offsets_.end() && offset->second == 0) {  // rows behind those of the loop
        const ExprPtr within = comparison(proof::name(pass.over().index), "<", pass.over().stop);
        holds = holds ? product(holds, '*', within) : within;
    }
    add_claim({make(std::move(at)), value, holds, line.all, std::exchange(why_, "")});
    pass.local[gradient_key(of)] = {row, 1};
    return true;
}

/// What a line in a branch assigns: where its condition does not hold, what the branch before assigned, and 0 is added.
ExprPtr Reader::within_branch(const Pass& pass, const LoopBody::Line& line, const ExprPtr& read) {
    if (line.when.end == 0) return read;
    const ExprPtr written = expression(line.when);
    if (!condition_) fail(line.when, "of branches in a loop those are read that a condition on the step decides: if t > 0:");
    const ExprPtr holds = line.otherwise ? one_minus(written) : written;
    if (line.op == '+' || line.op == '-') return call("where", {holds, read, number(0)});
    const std::string name(source_.slice(line.left));
    const auto before = pass.local.find(local_key(name));
    const bool plain = line.op == '=' && !line.appends && name.find('[') == std::string::npos;
    if (!plain) fail(line.all, "in a branch of a loop names are assigned, and gradients added to");
    return before == pass.local.end() ? read : call("where", {holds, read, before->second.value});
}

/// The right side of a line of the body: with what names of the step stand for.
Reader::Local Reader::value_in_step(const Pass& pass, const LoopBody::Line& line) {
    const ExprPtr read = within_branch(pass, line, expression(line.right));
    const auto local_of = [&](const Expr& e) {
        const bool named = e.kind == Kind::name || e.kind == Kind::gradient;
        return named ? pass.local.find(e.kind == Kind::name ? e.name : gradient_key(e.name)) : pass.local.end();
    };
    std::size_t parts = parts_of(*read);
    for_each(*read, [&](const Expr& e) {
        if (const auto found = local_of(e); found != pass.local.end()) parts += found->second.parts;
    });
    if (parts > kMostParts) fail(line.all, fmt::format("the statement has more than {} parts (kMostParts)", kMostParts));
    ExprPtr value = rewritten(read, [&](const Expr& e) -> ExprPtr {
        if (e.kind == Kind::index && e.children[0]->kind == Kind::gradient) return std::make_shared<const Expr>(e);
        if (ExprPtr part = pass.body.row_in(e)) return part;
        if (ExprPtr part = pass.body.last_appended(e)) return part;
        const auto found = local_of(e);
        return found == pass.local.end() ? nullptr : found->second.value;
    });
    for (const std::string& name : before_zero_)
        if (to_.names().values.contains(name) && keeps_start(name)) value = with_start(value, name, starts_.find(name)->second);
    value = with_ends_met(pass, value);
    pass.body.expect_assigned(*value, line.all);
    return {value, parts};
}

void Reader::step(Pass& pass, const LoopBody::Line& line) {
    if (line.part <= 1) {
        file_.of_step.clear();
        for (const auto& [name, local] : pass.local) file_.of_step[name] = local.value;
    }
    if (line.part == 0 && changes_place(pass, line)) return;
    if (line.part <= 1) pass.right = value_in_step(pass, line);
    if (line.part == 0) return assign_in_step(pass, line, pass.right);
    const Expr& all = *pass.right.value;
    if (line.when.end > 0) fail(line.all, "in a branch of a loop names are assigned one by one");
    if (all.kind != Kind::array || all.children.size() != line.parts)
        fail(line.all, fmt::format("{} names on the left, as many expressions are expected on the right", line.parts));
    if (source_.slice(line.left) != "_") assign_in_step(pass, line, {all.children[line.part - 1], pass.right.parts});
}

void Reader::assign_in_step(Pass& pass, const LoopBody::Line& line, const Local& local) {
    std::optional<Element> row = element_of(source_, line.left, to_.names());
    if (line.appends) {
        expect_order_of_list(pass, line);
        tell_list_of_earlier_calls(line);
        row = Element{line.left, stepped(pass.over().index, pass.body.offset_of(std::string(source_.slice(line.left))))};
    }
    const std::string name(source_.slice(row ? row->name : line.left));
    const std::string object(word_at(line.left));  // W of W.flat = 0
    const bool of_array =
        !row && name.size() > object.size() && name[object.size()] == '.' &&
        (to_.names().values.contains(object) || pass.local.contains(local_key(object)) || !gradient_named(object).empty());
    if (of_array || (!row && identifier_length(name) != name.size() && !place_of(source_, line.left)))
        fail(line.left, fmt::format("in a loop over {0} names and rows are assigned, a = ... and h[{0}] = ..., got {1}",
                                    pass.over().index, printable(name, 40)));
    expect_no_alias(pass, line, name, *local.value);
    const bool anew = line.op == '=' && !row && !is_one_of(identifiers_in(source_.slice(line.right)), name);
    if (anew && pass.added.contains(name)) fail(line.all, fmt::format("this takes the place of what is added to {} above", name));
    if (line.op == '+' || line.op == '-') pass.added.insert(name);
    if (line.op == '=' && !row) pass.made.insert(name);
    if (line.appends || (row && dicts_.contains(name))) expect_unchanged_behind(pass, line);
    pass.body.assigns(name);
    if (row && local.value->kind == Kind::array) return keep_tuple(pass, line, name, local.value);
    const std::string of = row ? gradient_named(name) : gradient_of_place(line.left);
    if (row && pass.is_changed_next && of.empty()) return void(pass.held = Held{line, local.value});
    if (row) return assign_row(pass, line, *row, of, local.value);
    if (of.empty() || pass.carried.contains(name)) return assign_local(pass, line, name, local);
    if (!claims_row(pass, line, of, local.value)) add_over_steps(pass, line, of, local.value);
}

/// x[t - 1] of the first step is the last entry, x[-1], in Python: not of what the loop assigns, nor under a condition on the
/// step.
ExprPtr Reader::with_ends_met(const Pass& pass, const ExprPtr& e) const {
    const Loop& over = pass.over();
    constexpr double kMostBack = 3;
    const std::optional<double> first = signed_number(*over.first);
    if (!first) return e;
    if (e->kind == Kind::call && e->name == "where" && mentions(*e->children[0], over.index)) return e;
    Expr out = *e;
    bool changed = false;
    for (ExprPtr& c : out.children) {
        const ExprPtr before = std::exchange(c, with_ends_met(pass, c));
        changed = changed || c != before;
    }
    const ExprPtr here = changed ? (out.source.clear(), make(std::move(out))) : e;
    if (here->kind != Kind::index || here->children[0]->kind != Kind::name) return here;
    const std::string& name = here->children[0]->name;
    const bool own = pass.body.sequences().contains(name) || pass.carried.contains(name) || name.starts_with("(");
    if (own || (before_zero_.contains(name) && keeps_start(name)) || !to_.names().values.contains(name)) return here;
    for (std::size_t i = 1; i < here->children.size(); ++i) {
        const std::optional<IndexStep> at = step_of(*here->children[i]);
        if (!at || at->index != over.index || at->by >= 0 || -at->by > kMostBack || *first + at->by >= 0) continue;
        const double axis = static_cast<double>(i - 1);
        const std::optional<AxisNames> axes = axis_names(name, to_.proof());
        const ExprPtr size = axes && i <= axes->size() && to_.names().dims.contains((*axes)[i - 1])
                                 ? proof::name((*axes)[i - 1])
                                 : over_axis("axis_size", proof::name(name), axis);
        ExprPtr met = here;
        for (double step = -at->by - 1; step >= *first; --step) {  // at step 0 of x[t - 2], x[n - 2]
            Expr there = *here;
            there.source.clear();
            there.children[i] = sum(size, '-', number(-at->by - step));
            met = call("where", {comparison(proof::name(over.index), ">", number(step)), met, make(std::move(there))});
        }
        return met;
    }
    return here;
}

/// Whether h[-1] = ... is still there behind the loop: in a dict, and in an array of T + 1 rows; of T, it is the last step's.
bool Reader::keeps_start(const std::string& name) const {
    const auto axes = axes_.find(name);
    return axes == axes_.end() || (!axes->second.empty() && axes->second[0].find('+') != std::string::npos);
}

/// A name that stands for its value within the step, or that goes on to the next one; loss += ... adds up over all.
void Reader::assign_local(Pass& pass, const LoopBody::Line& line, const std::string& name, Local local) {
    const bool adds = line.op == '+' || line.op == '-';
    const std::string key = local_key(name);
    const auto before = pass.local.find(key);
    if (before != pass.local.end() && line.op != '=') {
        local.value = changed(line.all, before->second.value, line.op, local.value);
        local.parts += before->second.parts;
    } else if (adds && !pass.carried.contains(name)) {
        pass.totals.emplace_back(line, line.op == '-' ? negate(local.value) : local.value);
        return;
    } else if (line.op != '=') {
        fail(line.left, fmt::format("in a loop over {0} rows are assigned, h[{0}] = ..., and gradients added to, dW += ...",
                                    pass.over().index));
    }
    const auto carried = pass.carried.find(name);
    if (carried == pass.carried.end() && to_.names().defined(name)) {
        if (!is_local_of(pass, name)) fail(line.left, fmt::format("{} is assigned again: give it another name", name));
        pass.hidden.insert(name);
    }
    if (carried != pass.carried.end()) carried->second.value = local.value;
    pass.local[key] = std::move(local);
    if (line.op == '=' && !condition_) file_.conditions.erase(name);
    if (line.op == '=' && condition_) file_.conditions.insert(name);
    if (carried == pass.carried.end()) return;
    carried->second.assigned = line.all;
    carried->second.name = line.left;
    if (!carried->second.rows.empty()) carry_rows(pass, name);
}

void Reader::assign_row(Pass& pass, const LoopBody::Line& line, const Element& row, const std::string& of, const ExprPtr& value) {
    const Loop& over = pass.over();
    const std::string name(source_.slice(row.name));
    const std::optional<IndexStep> at = step_of(*row.index);
    const bool own = at && at->index == over.index && (at->by == 0 || (of.empty() && at->by == 1 && !over.backwards));
    if (!own || line.op != '=')
        fail(line.left,
             fmt::format("in a loop over {0} rows are assigned, h[{0}] = ..., and gradients added to, dW += ...", over.index));
    if (pass.local.contains(local_key(name)) && pass.made.contains(name))
        fail(line.all, fmt::format("{} is made anew in each step: the last one alone has its row", name));
    std::vector<ExprPtr> indices;
    if (!of.empty()) indices.insert(indices.end(), row.before, make(node(Kind::slice)));
    indices.push_back(row.index);
    if (at->by == 1 && before_zero_.contains(name))
        fail(line.left,
             fmt::format("{0}[-1] is the last row, and the first step uses {0}[0]: write {0}[0] = ... above the loop", name));
    const bool is_laid = of.empty() && row.before > 0;
    const std::string rows = is_laid ? rows_of(name) : name;
    Expr target = *entry(of.empty() ? proof::name(rows) : gradient_of(of), indices);
    target.span = line.left;
    const ExprPtr all = make(std::move(target));
    if (!of.empty()) return add_claim({all, value, over.holds(), line.all, std::exchange(why_, ""), over, row.before});
    if (is_laid) {
        const auto axes = axes_.find(name);
        pass.laid[name] = {row.before, axes == axes_.end() ? row.before + 1 + row.behind : axes->second.size(), line.all,
                           row.name};
    }
    if (at->by == 0) return define_rows(pass.body, over, line.all, all, rows, value);
    if (is_laid) fail(line.left, fmt::format("rows at {} + 1 are read along the first axis only", over.index));
    // h[t + 1] = ... h[t] ... of all t is h[t] = ... h[t - 1] ... from 1 on.
    if (!is_number(*over.first, 0)) fail(line.left, fmt::format("{}[{} + 1] is read in a loop from 0 on", name, over.index));
    Loop later = over;
    later.first = number(1);
    later.stop = sum(over.stop, '+', number(1));
    offsets_[name] = 1;
    Expr here = *all;
    here.children[1] = proof::name(over.index);
    define_rows(pass.body, later, line.all, make(std::move(here)), name, at_later_step(value, over.index, -1));
}

/// dW += ... at each step is the sum over the steps.
void Reader::add_over_steps(const Pass& pass, const LoopBody::Line& line, const std::string& of, const ExprPtr& value) {
    if (line.op == '=')
        fail(line.all,
             fmt::format("in a loop this keeps the last step alone: to add them up write {} += ...", source_.slice(line.left)));
    const ExprPtr all = pass.over().total(loosened(value));
    begin_at_zero(of);
    const auto before = last_claim(of);
    const bool from_zero = before != claims_.rend() && is_zero(*before->right);
    const std::optional<AxisNames> has = from_zero ? axis_names(*before->right, to_.proof()) : std::nullopt,
                                   is = axis_names(*name(of), to_.proof());
    if (has && is && has->size() > is->size())
        fail(before->span, fmt::format("it has {} axes, and {} has {}", has->size(), of, is->size()));
    if (line.op == '+' && from_zero) claims_.erase(std::next(before).base());
    claim(line.all, line.left, line.op == '+' && from_zero ? '=' : line.op, of, all);
}

void Reader::define_rows(const LoopBody& body, const Loop& over, Span s, const ExprPtr& left, const std::string& name,
                         ExprPtr value) {
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
        if (from_second) value = call("where", {goes_on, value, number(0)});  // zeros before
    }
    to_.expect_free(name, left->span, true, true);
    value = row_of_filled(name, value);
    const ExprPtr rows = rows_of_filled(name, over);
    if (rows != nullptr) {  // what stands at -1 stays there
        offsets_.emplace(name, 0);
        const ExprPtr others = before_zero_.contains(name) ? starts_.find(name)->second : number(0);
        value = call("where", {comparison(proof::name(over.index), "<", over.stop), loosened(value, over.index), others});
    }
    Equality e{left, value, {}, nullptr, nullptr, {}};
    e.extents.push_back({over.index, rows != nullptr ? rows : over.stop, over.stop->span});
    to_.assign({s, source_.line(s.begin)}, name, e, false);
    if (here_ != 0) function_.emplace(name, here_);
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
    if (*at == -1) before_zero_.insert(name);
    begun_[name] = left;
}

}  // namespace gradproof::proof::numpy
