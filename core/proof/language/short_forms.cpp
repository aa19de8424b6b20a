// What short forms stand for.
#include "gradproof/core/proof/language/short_forms.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

struct ShortForm {
    std::string_view name;
    std::size_t arguments;
    ExprPtr (*meaning)(const std::vector<ExprPtr>&);
};
using Arguments = std::vector<ExprPtr>;
constexpr auto kShortForms = std::to_array<ShortForm>({
    {"clip", 3,
     [](const Arguments& a) {
         return call("min", {call("max", {a[0], a[1]}), a[2]});
     }},
    {"tr", 1, [](const Arguments& a) { return call("trace", {a[0]}); }},
    {"inv", 1, [](const Arguments& a) { return call("inverse", {a[0]}); }},
    {"solve", 2, [](const Arguments& a) { return product(call("inverse", {a[0]}), '@', a[1]); }},
    {"stop_gradient", 1, [](const Arguments& a) { return call("sg", a); }},
    {"stopgrad", 1, [](const Arguments& a) { return call("sg", a); }},
    {"onehot", 2, [](const Arguments& a) { return call("onehot", a); }},
    {"onehot", 1,
     [](const Arguments& a) -> ExprPtr {
         const bool sized = a[0]->kind == Kind::call && a[0]->name == "argmax" && a[0]->options.empty();
         return sized ? call("onehot_argmax", a[0]->children) : nullptr;
     }},
    {"vec", 1,  // the columns, one below the other
     [](const Arguments& a) {
         return call("reshape", transpose(a[0]), {{"shape", array_of({number(-1)}), {}}});
     }},
});

/// step(a - b): 1 where a is above b.
ExprPtr above(const ExprPtr& a, const ExprPtr& b) {
    const bool nothing = is_number(*b, 0);
    return call("step", {nothing ? a : sum(a, '-', b)});
}
/// A letter or a whole number: what indices are compared as.
bool is_index(const Expr& e) { return e.kind == Kind::name || (e.kind == Kind::number && e.name.find('.') == std::string::npos); }

bool is_difference(const Expr& e) { return e.kind == Kind::sum && e.children.size() == 2 && e.joints[1] == '-'; }
bool is_step(const Expr& e) { return e.kind == Kind::call && e.name == "step" && e.children.size() == 1; }
}  // namespace

std::pair<ExprPtr, ExprPtr> parts_compared(const ExprPtr& e) {
    return is_difference(*e) ? std::pair(e->children[0], e->children[1]) : std::pair(e, number(0));
}
bool is_of_equality(const Expr& e) {
    if (e.kind != Kind::sum || e.children.size() != 2 || e.joints[1] == '-') return false;
    if (!is_step(*e.children[0]) || !is_step(*e.children[1])) return false;
    const ExprPtr &there = e.children[0]->children[0], &back = e.children[1]->children[0];
    const auto turned = [](const ExprPtr& difference) {
        const auto [a, b] = parts_compared(difference);
        return text_of(*sum(b, '-', a));
    };
    const std::string here = text_of(*there), other = text_of(*back);
    return other == turned(there) || here == turned(back) || other == text_of(*sum(number(0), '-', there));
}

bool counts(const Expr& e, const std::string& index) {
    if (e.kind == Kind::name) return e.name == index;
    if (e.kind == Kind::delta || e.kind == Kind::jacobian) return false;
    if (e.kind == Kind::index) return counts(*e.children[0], index);
    return std::any_of(e.children.begin(), e.children.end(), [&](const ExprPtr& c) { return counts(*c, index); });
}

bool is_short_form(std::string_view name) {
    return std::any_of(kShortForms.begin(), kShortForms.end(), [&](const ShortForm& f) { return f.name == name; });
}
ExprPtr short_form(std::string_view name, const std::vector<ExprPtr>& arguments) {
    for (const ShortForm& f : kShortForms)
        if (f.name == name && f.arguments == arguments.size()) return f.meaning(arguments);
    return nullptr;
}

ExprPtr comparison(const ExprPtr& a, std::string_view sign, const ExprPtr& b, const Names& names) {
    const bool equal = sign == "=" || sign == "==";
    const auto is_value = [&](const Expr& e) { return e.kind == Kind::name && names.has_entries(e.name); };
    const auto is_known = [&](const Expr& e) { return e.kind != Kind::name || names.defined(e.name); };
    const bool of_values = is_value(*a) || is_value(*b) || (is_known(*a) && is_known(*b));
    if (of_values && (equal || sign == "!=" || sign == "≠")) return equality_of_values(a, b, equal);
    return comparison(a, sign, b);
}

ExprPtr comparison(const ExprPtr& a, std::string_view sign, const ExprPtr& b) {
    if (sign == ">") return above(a, b);
    if (sign == "<") return above(b, a);
    if (sign == ">=" || sign == "≥") return one_minus(above(b, a));
    if (sign == "<=" || sign == "≤") return one_minus(above(a, b));
    const bool equal = sign == "=" || sign == "==";
    if (is_index(*a) && is_index(*b)) return equal ? delta(a, b) : one_minus(delta(a, b));
    return equality_of_values(a, b, equal);
}

ExprPtr equality_of_values(const ExprPtr& a, const ExprPtr& b, bool equal) {
    const ExprPtr differs = sum(above(a, b), '+', above(b, a));
    return equal ? one_minus(differs) : differs;
}

namespace {

/// "ni,nj" says "ij" by itself: the letters that stand there once, in their order in the alphabet.
std::string result_of(const std::string& arrays) {
    std::string out;
    for (const char c : std::set<char>(arrays.begin(), arrays.end()))
        if (c != ',' && std::ranges::count(arrays, c) == 1) out += c;
    return out;
}

}  // namespace

ExprPtr einsum(std::string spec, const std::vector<ExprPtr>& arrays, const Names& names) {
    const auto index_of = [&](char letter) {
        std::string index(1, letter);
        while (names.defined(index)) index += '_';
        return index;
    };
    const auto refuse = [](const std::string& text) { throw std::invalid_argument("einsum: " + text); };
    spec.erase(std::remove(spec.begin(), spec.end(), ' '), spec.end());
    if (spec.find("->") == std::string::npos) spec += "->" + result_of(spec);
    const std::size_t arrow = spec.find("->");
    const std::string result = spec.substr(arrow + 2);
    ExprPtr product_of;
    std::set<char> letters;
    std::size_t from = 0;
    for (const ExprPtr& a : arrays) {
        if (from > arrow) refuse(fmt::format("{} arrays, more than in \"{}\"", arrays.size(), spec));
        const std::size_t to = std::min(spec.find(',', from), arrow);
        std::vector<ExprPtr> indices;
        for (const char c : spec.substr(from, to - from)) {
            if (c < 'a' || c > 'z') refuse(fmt::format("indices are small letters, got \"{}\"", spec));
            indices.push_back(name(index_of(c)));
            letters.insert(c);
        }
        const ExprPtr e = indices.empty() ? a : entry(a, indices);
        product_of = product_of ? product(product_of, '*', e) : e;
        from = to + 1;
    }
    if (!product_of || from <= arrow) refuse(fmt::format("{} arrays, fewer than in \"{}\"", arrays.size(), spec));
    for (const char c : result)
        if (letters.erase(c) == 0) refuse(fmt::format("{} stands on the right of \"{}\" only, or twice", c, spec));
    for (const char c : letters) product_of = summed_over(index_of(c), product_of);
    if (result.empty()) return product_of;
    Expr e = node(Kind::helper, {product_of});
    for (const char c : result) e.bound.push_back(index_of(c));
    return make(std::move(e));
}

namespace {

/// i = first to last, as a condition on the index that counts from 0; nullptr where it is all of the axis, whose size is then
/// added to `sizes`.
ExprPtr between(const IndexRange& r, const std::function<bool(const Expr&)>& is_size, RangedBody& out) {
    const ExprPtr index = name(r.index);
    ExprPtr condition;
    const auto add = [&](std::string_view sign, const ExprPtr& bound) {
        const ExprPtr c = comparison(index, sign, bound);
        condition = condition ? product(condition, '*', c) : c;
    };
    if (is_number(*r.bound, 0)) {
        add("<=", r.last);
        return condition;
    }
    const bool from_one = is_number(*r.bound, 1);
    if (r.last->kind != Kind::name || (r.bound->kind == Kind::number && !from_one))
        throw std::invalid_argument(
            fmt::format("{0} runs from {1} to {2}, and entries count from 0 here: write Σ_{{{0}=0}} and the last entry, or a "
                        "condition, Σ_{{{0}>=1}}",
                        r.index, text_of(*r.bound), text_of(*r.last)));
    if (!from_one) add(">=", r.bound);
    if (is_size(*r.last))
        out.sizes.emplace_back(r.index, r.last);
    else
        add("<=", r.last);  // another index, which counts from 1 as well
    return condition;
}

}  // namespace

RangedBody ranged(ExprPtr body, const std::vector<IndexRange>& ranges, const std::function<bool(const Expr&)>& is_size) {
    RangedBody out{body, {}};
    ExprPtr holds;
    for (const IndexRange& r : ranges) {
        ExprPtr condition;
        if (r.sign == "=") {
            if (!r.last)
                throw std::invalid_argument(
                    fmt::format("a sum from {0} = {1} to what: Σ_{{{0}={1}}}^{{n}}", r.index, text_of(*r.bound)));
            if (!is_number(*r.bound, 0) && counts(*body, r.index))
                throw std::invalid_argument(
                    fmt::format("{0} runs from {1} and stands as a number: entries count from 0 here, write Σ_{0} and {0} + 1",
                                r.index, text_of(*r.bound)));
            condition = between(r, is_size, out);
        } else {
            condition = comparison(name(r.index), r.sign, r.bound);
        }
        if (condition) holds = holds ? product(holds, '*', condition) : condition;
    }
    if (holds) out.body = call("where", {holds, body, number(0)});
    return out;
}

}  // namespace gradproof::proof
