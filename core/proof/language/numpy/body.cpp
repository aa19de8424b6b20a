// Bodies of loops.
#include "gradproof/core/proof/language/numpy/body.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"

namespace gradproof::proof::numpy {

LoopBody::LoopBody(const Source& source, Loop over, Span body, const Names& names,
                   const std::set<std::string, std::less<>>& lists)
    : source_(source), over_(std::move(over)), span_(body) {
    read_lines(body, {}, false);
    find_rows(names, lists);
    find_carried();
}

/// The lines, and of if t > 0: and its else: those within, with the condition.
void LoopBody::read_lines(Span all, Span when, bool otherwise) {
    Span condition{};  // of the last if, whose else may come
    for (std::size_t i = all.begin; i < all.end;) {
        const std::size_t end = end_of_statement(source_, i, all.end);
        const Span s = code_of(source_, trimmed(source_, {i, end}));
        i = end + 1;
        if (s.begin >= s.end || source_.text()[s.begin] == '#') continue;
        const std::string_view text = source_.slice(s);
        const bool opens = when.end == 0 && text.starts_with("if ") && text.ends_with(":");
        const bool other = condition.end > 0 && text == "else:";
        if (!opens && !other) {
            condition = {};
            add_lines(s, when, otherwise);
            continue;
        }
        if (opens) condition = trimmed(source_, {s.begin + 3, s.end - 1});
        const std::size_t last = end_of_body(source_, s, end, all.end);
        read_lines({i, last}, condition, other);
        i = last + 1;
    }
}

/// Of a, b = f(x) one for each name.
void LoopBody::add_lines(Span s, Span when, bool otherwise) {
    Line line = line_of(s);
    line.when = when;
    line.otherwise = otherwise;
    const std::vector<Span> names = line.op == '=' && !line.appends ? split_at_commas(source_, line.left) : std::vector<Span>{};
    if (names.size() < 2) return lines_.push_back(line);
    line.parts = names.size();
    for (const Span name : names) {
        line.left = name;
        ++line.part;
        lines_.push_back(line);
    }
}

LoopBody::Line LoopBody::line_of(Span s) const {
    constexpr std::string_view kAppend = ".append(";
    const std::string_view text = source_.slice(s);
    const std::size_t n = identifier_length(text);
    if (text.substr(n).starts_with(kAppend) && text.ends_with(")"))
        return {s, {s.begin, s.begin + n}, trimmed(source_, {s.begin + n + kAppend.size(), s.end - 1}), '=', true};
    const auto [at, size] = assignment_in(source_, s);
    if (size == 0) return {s};
    const Span left = trimmed(source_, {s.begin, at});
    const auto [added, sign] = added_to_itself(source_, source_.slice(left), {at + size, s.end});
    if (size == 1 && sign == '+') return {s, left, added, '+'};
    return {s, left, {at + size, s.end}, source_.text()[at]};
}

/// h[t], h[t + 1] and h[:, t, :].
void LoopBody::find_rows(const Names& names, const std::set<std::string, std::less<>>& lists) {
    for (const Line& line : lines_) {
        const std::string_view left = source_.slice(line.left);
        const std::string name(left.substr(0, identifier_length(left)));
        if (line.op != '=' || name.empty()) continue;
        const std::string of = value_of_gradient(name, names);
        if (line.appends) {
            rows_[name] = {of, lists.contains(name) ? 1 : 0};
            continue;
        }
        const std::optional<Element> row = element_of(source_, line.left, names);
        const std::optional<IndexStep> at = row ? step_of(*row->index) : std::nullopt;
        if (at && at->index == over_.index && (at->by == 0 || at->by == 1))
            rows_[name] = {of, static_cast<int>(at->by), row->before};
    }
}

/// What lines of the body compute with.
std::set<std::string, std::less<>> LoopBody::used_by_lines() const {
    std::set<std::string, std::less<>> out;
    for (const Line& line : lines_)
        if (line.op != 0)
            for (std::string& name : identifiers_in(source_.slice(line.right))) out.insert(std::move(name));
    return out;
}

/// A name that one branch alone assigns may be of an earlier step where it is used outside of it.
void LoopBody::find_carried() {
    std::set<std::string, std::less<>> assigned, used_before;
    std::map<std::string, const Line*, std::less<>> in_branch;
    const auto same_branch = [](const Line& a, const Line& b) {
        return a.when.begin == b.when.begin && a.otherwise == b.otherwise;
    };
    const auto is_known = [&](const std::string& name, const Line& line) {
        const auto found = in_branch.find(name);
        return assigned.contains(name) || (found != in_branch.end() && same_branch(*found->second, line));
    };
    const std::set<std::string, std::less<>> used = used_by_lines();
    for (const Line& line : lines_) {
        for (std::string& name : identifiers_in(source_.slice(line.op == 0 ? line.all : line.right)))
            if (!is_known(name, line)) used_before.insert(std::move(name));
        const std::string left(source_.slice(line.left));
        if (line.op == 0 || line.appends || identifier_length(left) != left.size()) continue;
        if (line.op != '=') {
            if (!is_known(left, line)) used_before.insert(left);
            const bool adds_up = (line.op == '+' || line.op == '-') && !used.contains(left);
            if (!adds_up) assigned.insert(left);  // h *= 2, and acc += r[t], of which a line computes something
            continue;
        }
        const auto [other, is_new] = in_branch.emplace(left, &line);
        const bool in_both = !is_new && other->second->when.begin == line.when.begin && !same_branch(*other->second, line);
        if (line.when.end == 0 || in_both) assigned.insert(left);
    }
    std::set_intersection(assigned.begin(), assigned.end(), used_before.begin(), used_before.end(),
                          std::inserter(carried_, carried_.end()));
    for (const auto& [name, line] : in_branch)
        if (!assigned.contains(name) && used_before.contains(name)) {
            carried_.insert(name);
            of_one_branch_.insert(name);
        }
}

std::set<std::string, std::less<>> LoopBody::sequences() const {
    std::set<std::string, std::less<>> out;
    for (const auto& [name, row] : rows_)
        if (row.of.empty()) out.insert(row.axis > 0 ? rows_of(name) : name);
    return out;
}

int LoopBody::offset_of(const std::string& name) const {
    const auto found = rows_.find(name);
    return found == rows_.end() ? 0 : found->second.offset;
}

ExprPtr LoopBody::row_in(const Expr& part) const {
    if (part.kind != Kind::index || part.children[0]->kind != Kind::name) return nullptr;
    const auto found = rows_.find(part.children[0]->name);
    if (found == rows_.end() || found->second.axis == 0 || !found->second.of.empty()) return nullptr;
    const std::size_t at = found->second.axis + 1;
    for (std::size_t i = 1; i < part.children.size(); ++i)
        if (i != at && part.children[i]->kind != Kind::slice) return nullptr;
    return at < part.children.size() ? entry(proof::name(rows_of(found->first)), {part.children[at]}) : nullptr;
}

ExprPtr LoopBody::last_appended(const Expr& part) const {
    if (part.kind != Kind::index || part.children.size() < 2 || part.children[0]->kind != Kind::name || over_.backwards)
        return nullptr;
    const std::string& name = part.children[0]->name;
    const auto appends = [&](const Line& line) { return line.appends && source_.slice(line.left) == name; };
    if (signed_number(*part.children[1]) != -1 || std::ranges::count_if(lines_, appends) != 1) return nullptr;
    const int at = offset_of(name) - (assigned_.contains(name) ? 0 : 1);
    std::vector<ExprPtr> indices(part.children.begin() + 1, part.children.end());
    indices[0] = stepped(over_.index, at);
    return entry(part.children[0], std::move(indices));
}

void LoopBody::expect_assigned(const Expr& value, Span statement) const {
    const auto fail = [&](const std::string& text) { throw ProofError(source_, statement.begin, text); };
    for_each(value, [&](const Expr& part) {
        if (part.kind != Kind::index || part.children.size() < 2) return;
        const Expr& of = *part.children[0];
        const std::string name = of.kind == Kind::gradient ? row_of_gradient(of.name) : of.name;
        const std::optional<IndexStep> step = step_of(*part.children[1]);
        if (!step || step->index != over_.index || !rows_.contains(name)) return;
        const double by = step->by - offset_of(name);
        if (over_.backwards ? by < 0 : by > 0)
            fail(fmt::format("the loop goes {}: {} of a step that is yet to come is not assigned",
                             over_.backwards ? "backwards" : "forwards", name));
        if (by == 0 && !assigned_.contains(name))
            fail(fmt::format("{}[{}] is used before the line that assigns it", name, text_of(*part.children[1])));
    });
}

/// The name under which it assigns the gradient of a value: dh of h.
std::string LoopBody::row_of_gradient(const std::string& value) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto& row) { return row.second.of == value; });
    return found == rows_.end() ? "" : found->first;
}

std::string rows_of(const std::string& name) { return fmt::format("({} of each step)", name); }

}  // namespace gradproof::proof::numpy
