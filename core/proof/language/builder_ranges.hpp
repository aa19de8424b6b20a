// Where a line or a sum holds: what stands behind for, and the conditions under Σ.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gradproof/core/proof/language/builder.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof {
namespace {

/// for t = 1, ..., T; for i ≠ j
void Builder::add_ranges(const Node& n, Equality& to) const {
    std::vector<std::string> letters;
    for (std::size_t k = 0; k < n.children.size(); ++k) {
        const Node& part = *n.children[k];
        if (part.is_type<ellipsis_mark>()) continue;
        std::size_t dots = k;
        while (dots < n.children.size() && !n.children[dots]->is_type<ellipsis_mark>()) ++dots;
        const ExprPtr first = build(*part.children[0]);
        const bool letter = first->kind == Kind::name && !names_.defined(first->name);
        if (letter) letters.push_back(first->name);
        if (part.children.size() == 1) {
            if (!letter) add_condition(part, to, first);
        } else if (letter && part.children[1]->is_type<equal_sign>() && dots + 1 < n.children.size()) {
            if (n.children[dots + 1]->is_type<ellipsis_mark>()) fail(n, "expected where the index ends: for t = 1, ..., T");
            const ExprPtr from = build(*part.children[2]), last = build(*n.children[dots + 1]->children[0]);
            for (const std::string& i : letters) add_range(part, to, i, from, last);
            letters.clear();
            k = dots + 1;
        } else {
            compare(part, to);
            letters.clear();
        }
    }
}

void Builder::add_condition(const Node& n, Equality& to, const ExprPtr& condition) const {
    constexpr std::size_t kMostConditions = 64;
    if (to.holds && to.holds->kind == Kind::product && to.holds->children.size() >= kMostConditions)
        fail(n, fmt::format("more than {} conditions say where the line holds", kMostConditions));
    to.holds = to.holds ? product(to.holds, '*', condition) : condition;
}

/// What a condition says of an index, where subscripts count from 1: t + 1 in the place of t.
ExprPtr Builder::counted(const ExprPtr& e) const {
    if (!counts_from_one_) return e;
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        const std::optional<IndexStep> step = step_of(part);
        return step && !names_.defined(step->index) ? stepped(step->index, step->by + 1) : nullptr;
    });
}

/// a < b < c; t < T of a size says how far t runs.
void Builder::compare(const Node& part, Equality& to) const {
    for (std::size_t i = 0; i + 2 < part.children.size(); i += 2) {
        const ExprPtr a = counted(build(*part.children[i])), b = counted(build(*part.children[i + 2]));
        const std::string_view sign = part.children[i + 1]->string_view();
        const bool from_zero = is_number(*a, 0) && (sign == "<=" || sign == "≤");
        if (sign == "<" && is_size(*b) && a->kind == Kind::name && !names_.defined(a->name))
            to.extents.push_back({a->name, b, b->span});
        else if (!from_zero)
            add_condition(part, to, comparison(a, sign, b));
    }
}

/// From the first value to the last, upwards or downwards, counted from 0 or from 1.
void Builder::add_range(const Node& n, Equality& to, const std::string& i, ExprPtr first, ExprPtr last) const {
    if (last->kind == Kind::number && first->kind != Kind::number) std::swap(first, last);
    const bool from_zero = is_number(*first, 0);
    const ExprPtr size = from_zero ? size_of_last(*last) : last;
    if (!from_zero && first->kind == Kind::number && first->number != 1)
        add_condition(n, to, comparison(name(i), ">=", number(first->number - 1)));
    else if (first->kind != Kind::number)
        fail(n, "expected where the index begins: for t = 1, ..., T");
    if (size && is_size(*size))
        to.extents.push_back({i, size, size->span});
    else
        add_condition(n, to, comparison(name(i), from_zero ? "<=" : "<", last));
}

/// i and j of Σ_ij x[i,j], where nothing is called ij; the names themselves of others.
inline std::vector<std::string> letters_of_bound(const std::vector<std::string>& bound, const Expr& body) {
    constexpr std::size_t kMostLetters = 4;
    std::vector<std::string> out;
    for (const std::string& name : bound) {
        const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
        const bool splits = name.size() > 1 && name.size() <= kMostLetters && std::ranges::all_of(name, is_letter) &&
                            !mentions(body, name) &&
                            std::ranges::all_of(name, [&](char c) { return mentions(body, std::string(1, c)); });
        if (!splits) out.push_back(name);
        for (const char c : splits ? name : "") out.emplace_back(1, c);
    }
    return out;
}

/// Σ_{i=1}^{n}, Σ_{j<i} x: over the index, of the body where the condition holds.
ExprPtr Builder::reduction(const Node& n) const {
    Expr e = node(Kind::reduce, {}, "sum");
    std::vector<IndexRange> ranges;
    for (std::size_t i = 0; i + 1 < n.children.size(); ++i) {
        const Node& c = *n.children[i];
        if (c.is_type<product_sign>()) {
            e.name = "prod";
        } else if (c.is_type<bound_condition>()) {
            ranges.push_back({e.bound.back(), c.children[0]->string(), build(*c.children[1]), nullptr});
        } else if (c.is_type<last_value>()) {
            if (ranges.empty() || ranges.back().sign != "=") fail(c, "expected where the index begins: Σ_{i=1}^{n}");
            ranges.back().last = build(*c.children[0]);
        } else if (c.is_type<reducer_word>()) {
            const std::string word = c.string();
            e.name = word.substr(0, word.find('_'));
            if (word.back() != '_') e.bound.push_back(word.substr(word.find('_') + 1));
        } else if (c.is_type<subscripts>()) {
            const std::string text = c.string();
            for (std::size_t at = 0; at < text.size();) {
                const std::size_t length = character_length(text, at);
                const char letter = subscript_index(std::string_view(text).substr(at, length));
                if (letter == 0) fail(c, "no such index: write Σ_{...}");
                e.bound.emplace_back(1, letter);
                at += length;
            }
        } else {
            e.bound.push_back(c.string());
        }
    }
    e.children = {build(*n.children.back())};
    if (ranges.empty()) e.bound = letters_of_bound(e.bound, *e.children[0]);
    if (!ranges.empty()) restrict(n, e, ranges);
    return finish(n, std::move(e));
}

void Builder::restrict(const Node& n, Expr& e, const std::vector<IndexRange>& ranges) const {
    if (e.name != "sum") fail(n, fmt::format("a condition stands under sums: write where(..., ..., ...) inside the {}", e.name));
    const auto is_size = [&](const Expr& part) {
        return !any_part(part, [&](const Expr& p) { return p.kind == Kind::name && !names_.dims.contains(p.name); });
    };
    try {
        RangedBody out = ranged(e.children[0], ranges, is_size);
        e.children = {out.body};
        for (auto& [index, size] : out.sizes) e.options.push_back({index, size, size->span});
    } catch (const std::invalid_argument& error) {
        fail(n, error.what());
    }
}

}  // namespace
}  // namespace gradproof::proof
