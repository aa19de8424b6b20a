// Statements of a proof: declarations, assignments, claims; each name defined once and before its use.
#include "gradproof/core/proof/language/statements.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/structured.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {
namespace {

constexpr std::array<std::string_view, 8> kConstants{"pi", "π", "e", "inf", "true", "false", "grad", "delta"};
constexpr std::size_t kMayBeHidden = 3;  // of these, the first ones are often names: a definition of that name hides them

/// Numbers, and nothing left out.
bool all_printed(const Expr& e) {
    if (e.kind == Kind::number) return true;
    return (e.kind == Kind::negate || e.kind == Kind::array) &&
           std::all_of(e.children.begin(), e.children.end(), [](const ExprPtr& c) { return all_printed(*c); });
}

/// Whether one of several conditions is that one.
bool says(const ExprPtr& conditions, const Expr& one) {
    if (!conditions) return false;
    if (text_of(*conditions) == text_of(one)) return true;
    return conditions->kind == Kind::product &&
           std::any_of(conditions->children.begin(), conditions->children.end(), [&](const ExprPtr& c) { return says(c, one); });
}

}  // namespace

Statements::Statements(std::shared_ptr<const Source> source, Unreadable unreadable) : source_(std::move(source)) {
    proof_.source = source_;
    proof_.unreadable = unreadable;
}

void Statements::begins_at(std::size_t offset) {
    if (proof_.lines.empty() && proof_.given.empty()) proof_.start = source_->span({offset, offset});
}

Proof Statements::take() {
    expect_block_closed();
    for (const Helper& h : helpers_)
        if (!used_.contains(h.name)) {
            std::string like = did_you_mean(h.name, names_.values);
            if (like.empty()) like = ": it is neither a value nor the gradient of one, and no later line uses it";
            attempt(
                [&] {
                    return LostLine{h.statement, JudgedLine::Type::claim, std::string(source_->slice(h.statement.span))};
                },
                [&] { fail(h.span, fmt::format("unknown name {}{}", h.name, like)); });
        }
    leave_open();
    let_used_gradient_come_last();
    // Values may be named after the loss: log p_i, where p is ...; nothing of them is computed from it.
    const auto loss = std::find_if(proof_.forward.begin(), proof_.forward.end(), [](const Assignment& a) { return a.is_loss; });
    if (loss != proof_.forward.end()) std::rotate(loss, loss + 1, proof_.forward.end());
    if (proof_.forward.empty() && proof_.given.empty() && proof_.lines.empty())
        fail({0, 0}, "no statements: expected input, forward and claim");
    with_structured_values(proof_);
    return std::move(proof_);
}

bool Statements::has_meaning(std::string_view name) {
    return std::find(kConstants.begin() + kMayBeHidden, kConstants.end(), name) != kConstants.end() || is_builtin(name);
}
bool Statements::is_constant_word(std::string_view name) {
    return std::find(kConstants.begin(), kConstants.end(), name) != kConstants.end();
}

void Statements::expect_free(const std::string& name, Span span, bool differentiable, bool hides_functions) const {
    if (names_.values.size() + names_.dims.size() >= kMostNames)
        fail(span, fmt::format("more than {} names of dims, inputs, constants and values (kMostNames)", kMostNames));
    expect_read(name, span);
    if (names_.defined(name) || names_.functions.contains(name)) fail(span, fmt::format("{} is already defined", name));
    const bool is_word = std::find(kConstants.begin() + kMayBeHidden, kConstants.end(), name) != kConstants.end();
    if ((is_word && !(hides_functions && name == "delta")) || (is_builtin(name) && name != "σ" && !hides_functions))
        fail(span, fmt::format("{} has a meaning of its own: choose another name", name));
    const auto gradient_of = [&](const std::string& x) {
        fail(span, fmt::format("d{0} means the gradient of {0}: choose another name", x));
    };
    for (const Given& g : proof_.given) {
        if (g.differentiable && name == "d" + g.name) gradient_of(g.name);
        if (differentiable && g.name == "d" + name) gradient_of(name);
    }
    for (const Assignment& f : proof_.forward) {
        if (name == "d" + f.name) gradient_of(f.name);
        if (f.name == "d" + name) gradient_of(name);
    }
}

/// Every name in e means something; `indices` are those of the left side.
void Statements::check_names(const Expr& e, const std::vector<std::string>& indices, std::string_view where, bool claims) const {
    std::vector<std::string> known = indices;
    check_names(e, known, where, claims, !indices.empty());
}
void Statements::check_names(const Expr& e, std::vector<std::string>& known, std::string_view where, bool claims,
                             bool indexed) const {
    const auto value = [&](const std::string& name, const char* what) {
        expect_read(name, e.span);
        if (names_.values.contains(name)) {
            if (proof_.is_constant(name)) fail(e.span, fmt::format("{} is a constant: it takes no gradient", name));
            return;
        }
        if (names_.helpers.contains(name))
            fail(e.span, fmt::format("{} is defined among the claims: the loss has no gradient by it", name));
        fail(e.span, fmt::format("unknown name {} {}{}", name, what, did_you_mean(name, names_.values)));
    };
    switch (e.kind) {
        case Kind::name: {
            const bool found = names_.defined(e.name) || std::find(known.begin(), known.end(), e.name) != known.end() ||
                               (is_constant_word(e.name) && e.name != "grad" && e.name != "delta");
            if (std::find(known.begin(), known.end(), e.name) == known.end()) expect_read(e.name, e.span);
            if (found || prints_.contains(e.name)) break;
            if (names_.is_loss(e.name) && claims && names_.values.contains(e.name)) break;
            std::vector<std::string> all = names_.all();
            const std::vector<std::string> functions = builtin_names();
            if (std::find(functions.begin(), functions.end(), e.name) != functions.end())
                fail(e.span, fmt::format("{} is a function: write {}(...)", e.name, e.name));
            const std::string_view after = source_->text().substr(std::min(e.span.end, source_->text().size()));
            const bool called = after.starts_with("(");
            if (called) all = functions;
            if (!called && e.name.size() == 1 && (indexed || contains_index_))
                slip(e.span, fmt::format("unknown index {}: it is neither on the left nor bound by a sum", e.name));
            std::string meant = did_you_mean(e.name, all);
            if (called && meant.empty())
                meant = fmt::format(": for any smooth function, write  function {}  above the forward", e.name);
            fail(e.span, fmt::format("unknown {} {}{}", called ? "function" : "name", e.name, meant));
        }
        case Kind::index: {  // s_i of an s that nothing says what it is: no index that is wrong
            const Expr& of = *e.children[0];
            const bool unknown = of.kind == Kind::name && !names_.defined(of.name) && !prints_.contains(of.name) &&
                                 std::find(known.begin(), known.end(), of.name) == known.end() && of.name.size() == 1 &&
                                 !names_.has_entries(of.name) && of.name != "δ" && of.name != "I";
            if (unknown) fail(of.span, fmt::format("unknown name {}{}", of.name, did_you_mean(of.name, names_.all())));
            break;
        }
        case Kind::gradient:
            if (!claims) fail(e.span, fmt::format("a gradient in {}: gradients belong to claims and expectations", where));
            if (names_.several_losses) fail(e.span, fmt::format("there are several losses: say which, as ∂A/∂{}", e.name));
            value(e.name, "in a gradient");
            break;
        case Kind::jacobian:
            if (!claims) fail(e.span, fmt::format("a derivative in {}: they belong to claims and expectations", where));
            value(e.name, "in a derivative");
            value(e.other, "in a derivative");
            for (const Option& by : e.options) value(by.value->name, "in a derivative");
            if (const Assignment* of = proof_.find(e.name); of != nullptr && e.options.empty() && of->is_recurrence())
                if (const Assignment* by = proof_.find(e.other); by == of || (by != nullptr && by->is_with(*of))) break;
            if (proof_.order_of(e.name) <= proof_.order_of(e.other))
                fail(e.span, fmt::format("{} is not computed after {}: the derivative is of a later value by an earlier one",
                                         e.name, e.other));
            break;
        case Kind::call:
            if (e.name == "printed") fail_printed(e);
            if (!names_.is_function(e.name)) fail(e.span, fmt::format("{} is not a function", e.name));
            break;
        case Kind::helper:
            if (!names_.helpers.contains(e.name)) break;  // of einsum
            used_.insert(e.name);
            return;
        default: break;
    }
    if (e.kind == Kind::jacobian && !e.options.empty()) {  // by what its option says
        for (const ExprPtr& c : e.children) check_names(*c, known, where, claims, indexed);
        return;
    }
    const std::size_t before = known.size();
    known.insert(known.end(), e.bound.begin(), e.bound.end());
    for (const ExprPtr& c : e.children) check_names(*c, known, where, claims, indexed || !e.bound.empty());
    known.resize(before);
    for (const Option& o : e.options) check_names(*o.value, known, where, claims, indexed);
}

/// printed(S) that stands for no numbers.
void Statements::fail_printed(const Expr& e) const {
    if (e.children.size() != 1 || e.children[0]->kind != Kind::name || !e.options.empty())
        fail(e.span, "printed takes the name of a value: printed(S)");
    const std::string& name = e.children[0]->name;
    check_names(*e.children[0], {}, "printed");
    fail(e.span, fmt::format("no expectation above prints all of {}: write {} = [...] with every number", name, name));
}

/// The indices of X[i,j] on the left; none where the left is a plain name.
std::vector<std::string> Statements::left_indices(const Expr& left, const Expr& at, std::size_t first, bool repeats) const {
    std::vector<std::string> out;
    for (std::size_t i = first; i < at.children.size(); ++i) {
        const Expr& c = *at.children[i];
        if (c.kind == Kind::number || c.kind == Kind::slice || (c.kind == Kind::name && names_.dims.contains(c.name))) continue;
        if (left.kind == Kind::jacobian && c.kind == Kind::sum && step_of(c)) continue;  // ∂h[t]/∂h[t-1]
        const bool of_sizes = !any_part(c, [&](const Expr& p) { return p.kind == Kind::name && !names_.dims.contains(p.name); });
        if (of_sizes) continue;
        if (c.kind != Kind::name) fail(c.span, fmt::format("an index on the left is a letter or a number: {}", text_of(left)));
        if (names_.defined(c.name)) fail(c.span, fmt::format("{} is not free to be an index: it names something else", c.name));
        const bool again = std::find(out.begin(), out.end(), c.name) != out.end();
        if (again && !repeats) fail(c.span, fmt::format("index {} stands twice on the left", c.name));
        if (!again) out.push_back(c.name);
    }
    return out;
}

void Statements::define_helper(const std::string& name, Span span, const Equality& e, Statement s,
                               const std::vector<std::string>& texts) {
    expect_block_closed();
    if (proof_.forward.empty()) fail(span, "a claim without a forward: nothing has a gradient yet");
    if (e.holds) fail(e.right->span, fmt::format("{} is defined here, for all of its entries", name));
    Expr h = node(Kind::helper, {}, name);
    if (e.left->kind == Kind::index) h.bound = left_indices(*e.left, *e.left, 1, false);
    if (e.left->kind == Kind::index && h.bound.size() + 1 != e.left->children.size())
        fail(e.left->span, "the left of a definition takes letters as indices");
    contains_index_ = !h.bound.empty();
    const ExprPtr right = with_values(with_powers(with_sums(e.right, *e.left)), s);
    std::vector<std::string> known = h.bound;
    if (mentions(*right, name)) {  // u[t] = ... u[t+1] ...
        expect_entries(*right, name);
        known.push_back(name);
    }
    h.options = e.extents;
    check_names(*right, known, "a claim", true);
    carry_on(*right);
    h.children = {right};
    const std::vector<std::string> indices = h.bound;
    names_.helpers[name] = make(std::move(h));
    helpers_.push_back({name, span, s});
    if (e.further.empty()) return;
    used_.insert(name);
    Equality rest{entry_at(names_.helpers[name], indices), e.further[0], {e.further.begin() + 1, e.further.end()}, nullptr};
    judge({rest.right->span, source_->line(rest.right->span.begin)}, rest, false, texts);
}

void Statements::assign(Statement s, const std::string& name, const Equality& e, bool is_loss) {
    if (e.erratum) fail(e.erratum->span, "an erratum corrects a printed number: it belongs to an expectation");
    expect_whole(name, e);
    Assignment a{name, {}, with_powers(with_sums(e.right, *e.left)), s, is_loss};
    a.extents = e.extents;
    if (e.left->kind == Kind::index) a.indices = left_indices(*e.left, *e.left, 1, false);
    if (e.left->kind == Kind::index && a.indices.size() + 1 != e.left->children.size())
        fail(e.left->span, "the left of an assignment takes letters as indices");
    if (e.left->kind != Kind::index && e.left->kind != Kind::name)
        fail(e.left->span, "the left of an assignment is a name, or a name with indices");
    if (!e.further.empty()) fail(e.further[0]->span, "a second =: chains of equalities belong to the claims");
    contains_index_ = !a.indices.empty();
    std::vector<std::string> known = a.indices;
    const std::vector<std::string> ahead = announced_in(a);
    known.insert(known.end(), ahead.begin(), ahead.end());
    if (a.is_recurrence()) known.push_back(name);
    for (const std::string& n : known)
        if (n == name || is_announced(n)) expect_entries(*a.value, n);
    check_names(*a.value, known, "the forward", false, !a.indices.empty());
    carry_on(*a.value);
    a.value = stopped(a.value, s);
    join_block(a, ahead);
    names_.values.insert(name);
    // What is computed from the loss makes it one of several values whose derivatives are asked for by name.
    const bool goes_on = !is_loss && !names_.loss.empty() && mentions(*a.value, names_.loss);
    if (goes_on || (is_loss && (!names_.loss.empty() || names_.several_losses))) {
        names_.several_losses = true;
        names_.loss.clear();
        a.is_loss = false;
        for (Assignment& f : proof_.forward) f.is_loss = false;
    } else if (is_loss) {
        names_.loss = name;
    }
    proof_.forward.push_back(std::move(a));
    behind_.clear();
}

void Statements::take_last_for_loss() { take_for_loss(proof_.forward.back().name); }
void Statements::take_for_loss(const std::string& value) {
    if (!names_.loss.empty() || names_.several_losses) return;
    std::ranges::find(proof_.forward, value, &Assignment::name)->is_loss = true;
    names_.loss = value;
}

/// A recurrence uses entries of what it computes, not the whole.
void Statements::expect_entries(const Expr& e, const std::string& name) const {
    if (e.kind == Kind::name && e.name == name)
        fail(e.span, fmt::format("{0} stands in what defines it: a recurrence uses earlier entries, {0}[t-1]", name));
    const bool entry = e.kind == Kind::index && e.children[0]->kind == Kind::name;
    for (std::size_t i = entry ? 1 : 0; i < e.children.size(); ++i) expect_entries(*e.children[i], name);
}

void Statements::skip(Statement s, bool expected, std::string text, std::string why) {
    JudgedLine line;
    line.statement = s;
    line.type = expected ? JudgedLine::Type::expect : JudgedLine::Type::claim;
    line.state = JudgedLine::State::skipped;
    line.why = std::move(why);
    line.text = std::move(text);
    proof_.lines.push_back(std::move(line));
}

void Statements::written_in(Language language, std::size_t from) {
    for (std::size_t i = from; i < proof_.lines.size(); ++i) proof_.lines[i].language = language;
    proof_.has_program = proof_.has_program || is_program(language);
}

void Statements::judge(Statement s, const Equality& read, bool expected, const std::vector<std::string>& texts) {
    expect_block_closed();
    if (!expected && states_end(read)) return;
    const Equality e = expected ? read : from_first_index(read);
    JudgedLine line;
    line.statement = s;
    line.type = expected ? JudgedLine::Type::expect : JudgedLine::Type::claim;
    line.left = with_values(e.left, s);
    line.right = with_values(with_powers(with_sums(within_ends(e.right), *e.left)), s);
    line.erratum = e.erratum;
    line.holds = e.holds;
    line.called_jacobian = e.called_jacobian;
    if (const ExprPtr within = where_steps_are_within(*line.left); within && !says(line.holds, *within))
        line.holds = line.holds ? product(line.holds, '*', within) : within;
    std::vector<ExprPtr> sides{line.right};
    for (const ExprPtr& f : e.further) sides.push_back(within_ends(f));
    if (!expected) judge_where_entries_are(line, sides);
    if (!e.where.empty()) line.read_as += (line.read_as.empty() ? "where " : "; where ") + e.where;
    const std::size_t parts = parts_of(*e.left) + parts_of(*e.right) + (e.holds ? parts_of(*e.holds) : 0);
    if (!expected && parts > kMostPartsOfAClaim)
        fail(s.span, fmt::format("the claim has {} parts, at most {} (kMostPartsOfAClaim)", parts, kMostPartsOfAClaim));
    line.text = texts.empty() ? text_of(*read.left) + " = " + text_of(*read.right) +
                                    (e.erratum ? " erratum " + text_of(*e.erratum) : "") + written_ranges(read.holds)
                              : texts[0];
    if (e.erratum && !expected) fail(e.erratum->span, "an erratum corrects a printed number: it belongs to an expectation");
    const Expr& l = *line.left;
    std::vector<std::string> indices;
    if (l.kind == Kind::jacobian)
        indices = left_indices(l, l, 0, true);
    else if (l.kind == Kind::index)
        indices = left_indices(l, l, 1, true);
    if (l.kind == Kind::jacobian && !expected) line.type = JudgedLine::Type::jacobian;
    if (proof_.forward.empty() && !expected)
        fail(s.span, lost_.empty() ? "a claim without a forward: nothing has a gradient yet" : "no line of the forward is read");
    contains_index_ = !indices.empty();
    const auto is_index = [&](const std::string& n) { return !names_.defined(n) && !is_constant_word(n); };
    for (const std::string& n : l.kind == Kind::reduce ? free_names_in(l) : std::set<std::string>{})
        if (n.size() == 1 && is_index(n) && !prints_.contains(n))
            fail(l.span,
                 fmt::format("{0} is an index of a sum on the left: give the sum a name, s[{0}] = ..., or write it whole, as "
                             "rowsum(P) = 1",
                             n));
    check_names(l, indices, "a claim", true);
    if (line.holds && indices.empty() && std::ranges::any_of(free_names_in(*line.holds), is_index))
        fail(line.right->span, "for what? a line that holds for some entries has indices on the left");
    if (line.holds) check_names(*line.holds, indices, "a claim", true);
    check_names(*line.right, indices, "a claim", true);
    carry_on(l);
    carry_on(*line.right);
    if (expected && l.kind == Kind::name && all_printed(*line.right)) print(l.name, line.right);
    if (!e.further.empty() && expected) fail(e.further[0]->span, "a second =: chains of equalities belong to the claims");
    if (!e.further.empty()) line.statement = {{s.span.begin, e.right->span.end}, s.line};
    proof_.lines.push_back(line);
    for (std::size_t i = 0; i < e.further.size(); ++i) {
        const ExprPtr further = with_values(with_powers(with_sums(within_ends(e.further[i]), *e.left)), s);
        const std::string text = texts.empty() ? "" : texts.at(i + 1);
        const Statement here{further->span, source_->line(further->span.begin)};
        attempt(
            [&] {
                return LostLine{here, line.type, text.empty() ? text_of(*further) : text};
            },
            [&] { link(line, further, indices, text); });
    }
}

/// The next link of a chain, a line of its own.
void Statements::link(JudgedLine& line, const ExprPtr& right, const std::vector<std::string>& indices, const std::string& text) {
    check_names(*right, indices, "a claim", true);
    carry_on(*right);
    line.right = right;
    line.text = text.empty() ? text_of(*line.left) + " = " + text_of(*right) : text;
    line.statement = {right->span, source_->line(right->span.begin)};
    ++line.link;
    proof_.lines.push_back(line);
}

void Statements::keep_lines(Span text, Span within) {
    const auto in = [](Span s, const JudgedLine& line) {
        return s.begin <= line.statement.span.begin && line.statement.span.begin < s.end;
    };
    std::erase_if(proof_.lines, [&](const JudgedLine& line) { return in(text, line) && !in(within, line); });
}
bool Statements::anything_claimed() const {
    return std::any_of(proof_.lines.begin(), proof_.lines.end(), [](const JudgedLine& l) {
        return l.type == JudgedLine::Type::claim || l.type == JudgedLine::Type::jacobian;
    });
}

void Statements::print(const std::string& value, const ExprPtr& numbers) {
    std::string name = fmt::format("printed({})", value);
    if (prints_.contains(name)) name += fmt::format(" {}", prints_.size() + 1);  // printed again
    names_.printed[value] = name;
    prints_[name] = {numbers, false};
}
/// Printed numbers that an expression uses are constants of the proof.
void Statements::carry_on(const Expr& e) {
    for_each(e, [&](const Expr& part) {
        const auto print = part.kind == Kind::name ? prints_.find(part.name) : prints_.end();
        if (print == prints_.end() || std::exchange(print->second.carried_on, true)) return;
        const ExprPtr& numbers = print->second.numbers;
        proof_.given.push_back({part.name, numbers->span, false, {}, Fill::literal, {}, numbers});
    });
}

}  // namespace gradproof::proof
