// Where equations hold.
#include "gradproof/core/proof/language/latex/conditions.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/remarks.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::latex {

namespace {

/// t < \tau, where the text says t = 1, \dots, \tau and nothing else of \tau: of all but the last, where a t + 1 stands.
bool is_before_the_last(const Tokens& range, const Reading& reading) {
    const std::size_t sign = relation_in(range);
    if (sign != 1 || sign + 1 >= range.size() || relation(range[sign]) != "<") return false;
    const Tokens last = part_of(range, sign + 1, range.size());
    const NameParts p = parts_of(reading.source, last, 0);
    if (p.base.empty() || p.end != last.size() || reading.is_defined(p.key(p.has_above, p.has_below, p.primed))) return false;
    std::string text(reading.source.text());
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '{' || c == '}'; });
    const std::string begin = std::string(range[0].text) + "=1,", end = "," + joined(last, 0, last.size());
    return std::ranges::any_of(std::to_array<std::string_view>({"\\dots", "\\ldots", "\\cdots"}),
                               [&](std::string_view dots) { return text.find(begin + std::string(dots) + end) != text.npos; });
}

}  // namespace

ExprPtr before_the_last(const Expr& left, const std::string& index, const Statements& to) {
    const Expr& of = left.kind == Kind::index ? *left.children[0] : left;
    const bool jacobian = of.kind == Kind::jacobian;
    const std::size_t begin = left.kind == Kind::index ? 1 : jacobian ? of.split : 0;
    const Expr& at = left.kind == Kind::index ? left : of;
    for (std::size_t i = begin; i < at.children.size(); ++i)
        if (at.children[i]->kind == Kind::name && at.children[i]->name == index) {
            const ExprPtr value = name(jacobian ? of.other : of.name);
            return comparison(name(index), "<", sum(to.size_of_axis(value, static_cast<int>(i - begin)), '-', number(1)));
        }
    return nullptr;
}

std::string shown_conditions(const Source& source, const Tokens& range) {
    std::string out;
    const auto is_word = [](const Token& t) { return t.kind == Token::Kind::words; };
    for (auto begin = range.begin(); begin != range.end();) {
        const auto word = std::find_if(begin, range.end(), is_word);
        if (word != begin) out += (out.empty() ? "" : " ") + shown(source, {begin->span.begin, (word - 1)->span.end});
        begin = word == range.end() ? word : word + 1;
        const bool joins = word != range.end() && !out.empty() && !is_conditional(word->text);
        if (joins) out += " " + std::string(word->text);
    }
    const bool denied = !range.empty() && is_word(range.front()) && is_unless(range.front().text);
    return !denied ? out : out.find(" or ") != out.npos || out.find(" and ") != out.npos ? "not (" + out + ")" : "not " + out;
}

IndexRanges ranges_of(const Equation& e, const Reading& reading) {
    if (e.range.size() > 1 && e.range[0].kind == Token::Kind::words && is_unless(e.range[0].text)) {
        const Tokens denied(e.range.begin() + 1, e.range.end());
        const IndexRanges all = Parser(reading, denied).ranges();
        if (!all.holds || !all.extents.empty()) fail_for_words(reading.source, e.range[0]);
        IndexRanges out;
        out.add(sum(number(1), '-', all.holds));
        return out;
    }
    const Tokens& range = e.range;
    if (range.empty()) return {};
    const Remark says = range[0].kind == Token::Kind::words ? remark_of(range[0].text) : Remark::where;
    if (says == Remark::explains) return {};
    if (says == Remark::other || says == Remark::changes) {
        const auto is_formula = [](const Token& t) {
            return t.kind != Token::Kind::words && !is_separator(t) && !t.is_symbol(".");
        };
        if (std::ranges::none_of(range, is_formula)) return {};
        fail_for_words(reading.source, range[0]);
    }
    if (is_before_the_last(range, reading)) {
        IndexRanges out;
        out.before_last = range[0].text;
        return out;
    }
    try {
        return Parser(reading, range).ranges();
    } catch (const ProofError&) {
        if (std::ranges::any_of(range, [](const Token& t) { return is_equals(t) || is_other_relation(t); })) throw;
        return {};
    }
}

void add_sizes_by_labels(const std::vector<std::string>& indices, const Expr& right, const Reading& reading,
                         std::vector<Option>& sizes) {
    for_each(right, [&](const Expr& part) {
        if (part.kind != Kind::delta) return;
        for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
            const Expr &index = *part.children[at], &label = *part.children[1 - at];
            const std::string& of = label.kind == Kind::index ? label.children[0]->name : label.name;
            const auto given = std::ranges::find(reading.proof.given, of, &Given::name);
            const bool is_label = given != reading.proof.given.end() && given->fill == Fill::index && !given->parameters.empty();
            const bool open = index.kind == Kind::name && std::ranges::find(indices, index.name) != indices.end() &&
                              std::ranges::find(sizes, index.name, &Option::name) == sizes.end();
            if (is_label && open && given->parameters[0]->kind != Kind::number)
                sizes.push_back({index.name, given->parameters[0], index.span});
        }
    });
}

void expect_no_range_of_a_sum(const Equation& e, const Source& source) {
    const bool compares = std::ranges::any_of(e.range, is_comparison);
    for (std::size_t i = 2; compares && i < e.right.size(); ++i) {
        const bool below = e.right[i - 1].is_symbol("_") ||
                           (i > 2 && e.right[i - 1].kind == Token::Kind::opening && e.right[i - 2].is_symbol("_"));
        const std::size_t sum = e.right[i - 1].kind == Token::Kind::opening ? i - 3 : i - 2;
        if (!below || !e.right[sum].is_command("\\sum") || !is_small_letter(e.right[i])) continue;
        if (std::ranges::any_of(e.range, [&](const Token& t) { return t.is(Token::Kind::letter, e.right[i].text); }))
            fail(source, e.right[i], "what stands behind the formula is said of the index of a sum: write it below the sum");
    }
}

void expect_of_all_entries(const Equation& e, const IndexRanges& ranges, const Reading& reading) {
    if (!ranges.holds) return;
    std::set<std::string> values = names_in(*ranges.holds);
    std::erase_if(values, [&](const std::string& name) { return !reading.names.values.contains(name); });
    if (values.empty() || (values.size() == 1 && has_property(reading.proof, *values.begin()))) return;
    const std::optional<AxisNames> axes = axis_names(*values.begin(), reading.proof, &reading.names);
    const bool says_if = std::ranges::any_of(e.range, [](const Token& t) { return t.kind == Token::Kind::words; });
    if (values.size() == 1 && axes && axes->empty() && !says_if) return;  // \quad \lambda > 0
    fail(reading.source, e.range.front(),
         fmt::format("this says what a value is {} only: write \\begin{{cases}}, with all of them",
                     values.size() == 1 && axes && axes->empty() ? "on one side of a condition" : "for some of its entries"));
}

void expect_no_indices(const Equation& e, const IndexRanges& ranges, const Reading& reading) {
    const auto is_index = [&](const Expr& part) { return part.kind == Kind::name && !reading.names.defined(part.name); };
    if (ranges.holds && any_part(*ranges.holds, is_index))
        fail(reading.source, e.range.front(),
             "this is said of indices that the left side does not have: write it below the sum, or both sides by their entries");
}

ExprPtr on_the_left(const Equation& e, const Expr& left, const ExprPtr& holds, const Reading& reading) {
    const Names& names = reading.names;
    const bool known = !any_part(*holds, [&](const Expr& part) {
        const bool value = names.dims.contains(part.name) || names.values.contains(part.name);
        return part.kind == Kind::name && !value && !mentions(left, part.name);
    });
    const bool has_index = any_part(*holds, [](const Expr& part) { return part.kind == Kind::index; });
    const bool by_entries = left.kind == Kind::index || (left.kind == Kind::jacobian && !left.children.empty());
    if (!known) return nullptr;
    if (by_entries || has_index) return holds;
    const std::optional<AxisNames> axes = axis_names(*holds, reading.proof, &names);
    if (axes && (axes->empty() || axes == axis_names(left, reading.proof, &names))) return holds;
    const bool differs =
        std::ranges::any_of(e.range, [](const Token& t) { return t.is_command("\\ne") || t.is_command("\\neq"); });
    if (differs) return nullptr;
    throw ProofError(reading.source, holds->span.begin,
                     "where it holds is said of entries, and the line of a whole: write its entries");
}

}  // namespace gradproof::proof::latex
