// What the lines of a loop may not change: arrays with another name, what earlier steps added, what a list holds.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/bindings.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {

/// dX *= 2 at each step, where no line of the loop assigns dX.
void Reader::expect_gradients_unscaled(const std::vector<LoopBody::Line>& lines) const {
    for (const LoopBody::Line& line : lines) {
        const std::string_view name = source_.slice(line.left), right = source_.slice(trimmed(source_, line.right));
        const std::string rows = std::string(name) + "[";
        const bool zero = line.op == '=' && (right.starts_with("0") || right.find("zeros") != std::string_view::npos);
        const auto adds_above = [&](const LoopBody::Line& other) {
            return (other.op == '+' || other.op == '-') && source_.slice(other.left) == name && other.all.begin < line.all.begin;
        };
        const bool is_given = parameters_.contains(std::string(name)) && !gradient_named(std::string(name)).empty();
        if (zero && (is_given || std::ranges::any_of(lines, adds_above)))
            fail(line.all, fmt::format("at each step this takes away what {} held", name));
        const bool whole = line.op == '=' && !line.appends;
        const auto reads_rows = [&](const LoopBody::Line& other) { return source_.slice(other.right).find(rows) != rows.npos; };
        if (whole && is_given && !zero && std::ranges::any_of(lines, reads_rows))
            fail(line.all, fmt::format("at later steps {} is another array than the one whose rows come in", name));
        const bool scales = (line.op == '*' || line.op == '/') && !gradient_of_place(line.left).empty();
        const auto is_assigned = [&](const LoopBody::Line& other) {
            return other.op == '=' && source_.slice(other.left) == name;
        };
        if (scales && std::ranges::none_of(lines, is_assigned))
            fail(line.all, "at each step this changes what earlier steps added: change the gradient behind the loop");
    }
}

/// q = p; q *= 2 and x = X[i]; x *= 2: the array that is changed has another name, too.
void Reader::expect_no_alias(Pass& pass, const LoopBody::Line& line, const std::string& name, const Expr& value) const {
    const std::string right(source_.slice(trimmed(source_, line.right)));
    if (line.op == '=' && !line.appends && appended_.contains(right))
        fail(line.all, fmt::format("{} is a list that grows: a second name of it is not read", right));
    const auto same = [&](const auto& pair) { return pair.first == name || pair.second == name; };
    const auto alias = std::ranges::find_if(pass.aliases, same);
    if (line.op != '=' && alias != pass.aliases.end() && !is_of_loss(name))
        fail(line.all,
             fmt::format("{} and {} are one array, and this changes both: write {} = ...", alias->first, alias->second, name));
    std::erase_if(pass.aliases, [&](const auto& pair) { return line.op == '=' && same(pair); });
    const std::optional<AxisNames> axes = axis_names(value, to_.proof());
    if (line.op != '=' || line.appends || (axes && axes->empty())) return;
    const auto is_array = [&](const std::string& of) {
        return to_.names().values.contains(of) || pass.local.contains(local_key(of)) || !gradient_named(of).empty() ||
               pass.body.sequences().contains(of);
    };
    for (const std::string& of : arrays_shared_by(right))
        if (of != name && is_array(of)) pass.aliases.emplace_back(name, of);
    if (value.kind == Kind::name) return;
    for (const std::string& of : names_of_array(value)) pass.aliases.emplace_back(name, of);
}

/// h += x[t]; hs.append(h): what hs holds is one array, which the later steps change, too.
void Reader::expect_unchanged_behind(const Pass& pass, const LoopBody::Line& kept) const {
    const Span all = trimmed(source_, kept.right);
    const bool tuple = source_.slice(all).starts_with("(") && closer_of(source_, all.begin, all.end) + 1 == all.end;
    for (const Span part : split_at_commas(source_, tuple ? Span{all.begin + 1, all.end - 1} : all)) {
        const std::string name(source_.slice(part));
        const auto local = pass.local.find(local_key(name));
        const std::optional<AxisNames> axes =
            local == pass.local.end() ? std::nullopt : axis_names(*local->second.value, to_.proof());
        if (identifier_length(name) != name.size() || (axes && axes->empty())) continue;
        bool made_here = false;
        for (const LoopBody::Line& line : pass.body.lines()) {
            const std::string_view left = source_.slice(line.left);
            const std::size_t signs = assignment_in(source_, line.all).second;
            const bool behind = line.all.begin > kept.all.begin;
            if (left == name && signs == 1 && line.when.end == 0 && !behind) made_here = true;
            const bool in_place = (left == name && signs == 2) || left.starts_with(name + "[");
            if (in_place && (behind || !made_here))
                fail(kept.all, fmt::format("line {} changes {} in place, which is kept here: keep a copy, {}.copy()",
                                           source_.line(line.all.begin), name, name));
        }
    }
}

/// A list to which the last step appends first holds the rows in that order, unless it is turned round.
void Reader::expect_order_of_list(const Pass& pass, const LoopBody::Line& line) const {
    const std::string name(source_.slice(line.left));
    const bool from_first = is_number(*pass.over().first, 0) || lists_.contains(name);
    if (!pass.over().backwards && !from_first && !gradient_named(name).empty())
        fail(line.all,
             fmt::format("the loop begins behind the first row, and the list {0} has none for it: begin with {0} = [...]", name));
    if (!pass.over().backwards) return;
    const std::string_view behind = source_.slice({pass.body.span().end, end_of_function(pass.body.span().end)});
    for (const std::string& turned : {name + ".reverse()", name + "[::-1]", "reversed(" + name + ")"})
        if (behind.find(turned) != std::string_view::npos) return;
    fail(line.all, fmt::format("the last step is the first of {0}: turn it round behind the loop, {0} = {0}[::-1]", name));
}

/// hs.append(h) of an hs that is made outside of the function: it holds what earlier calls appended, too.
void Reader::tell_list_of_earlier_calls(const LoopBody::Line& line) {
    const std::string name(source_.slice(line.left));
    if (here_ == 0 || parameters_.contains(name)) return;
    const auto makes_anew = [&](Span s) {  // hs = [], hs[:] = [], del hs[:], hs.clear()
        const std::string_view code = source_.slice(s);
        return code.starts_with(name + ".clear(") || std::ranges::any_of(bindings_of(code), [&](const Binding& b) {
                   return b.target == name || b.target == name + "[:]";
               });
    };
    if (std::ranges::none_of(statements_in(source_, {function_begin_, line.all.begin}), makes_anew))
        tell(line.all, fmt::format("{} is not made in this function: it holds what earlier calls appended, too", name));
}

/// cache.append((x, h)), which cache[t] of another loop is.
void Reader::keep_tuple(Pass& pass, const LoopBody::Line& line, const std::string& list, const ExprPtr& tuple) {
    if (pass.tuples.contains(list))
        fail(line.all,
             fmt::format("a second append to {0} in one step: then {0}[{1}] is of an earlier one", list, pass.over().index));
    const std::vector<Span> written = split_at_commas(source_, without_brackets(source_, trimmed(source_, line.right)));
    std::vector<ExprPtr>& arrays = pass.tuples[list];
    for (std::size_t i = 0; i < tuple->children.size(); ++i) {
        const bool copy = written.size() == tuple->children.size() && source_.slice(written[i]).ends_with(".copy()");
        if (!copy) arrays.push_back(tuple->children[i]);
    }
    file_.tuples[list] = {pass.over().index, tuple};
}

/// The last tuple that a list holds has the array that the loop hands on: h += b behind it changes both.
void Reader::see_tuples_kept(const Pass& pass) {
    for (const auto& [list, arrays] : pass.tuples)
        for (const auto& one : pass.carried) {
            const ExprPtr& carried = one.second.value;
            const auto local = pass.local.find(local_key(one.first));
            const auto is_it = [&](const ExprPtr& part) {
                const std::string text = text_of(*part);
                return (carried && text == text_of(*carried)) ||
                       (local != pass.local.end() && text == text_of(*local->second.value));
            };
            if (std::ranges::any_of(arrays, is_it)) aliases_.may_be_same(one.first, list);
        }
}

}  // namespace gradproof::proof::numpy
