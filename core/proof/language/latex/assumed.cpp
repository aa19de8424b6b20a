// Assumptions of a text.
#include "gradproof/core/proof/language/latex/assumed.hpp"

#include <algorithm>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/claims.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/property_formulas.hpp"
#include "gradproof/core/proof/language/latex/sayings.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"
#include "gradproof/core/proof/language/structured.hpp"

namespace gradproof::proof::latex {
namespace {

const Given* input_called(const Reading& reading, const std::string& id) {
    const auto given = std::ranges::find(reading.proof.given, id, &Given::name);
    return given == reading.proof.given.end() ? nullptr : &*given;
}

/// Whether the words before a formula end with one of these, but for what may stand between.
bool ends_with(WordList words, std::initializer_list<std::string_view> any) {
    constexpr std::string_view kBetween[] = {"that", "the", "also", "further", "furthermore", "we", "have", "and"};
    constexpr std::string_view kSaidBefore[] = {"and",      "is",   "are",    "symmetric", "positive",
                                                "definite", "unit", "vector", kFormula};
    while (!words.empty() && is_one(kBetween, words.back())) words.pop_back();
    while (!words.empty() && is_one(kSaidBefore, words.back())) words.pop_back();  // with $\|x\| = 1$ and
    return !words.empty() && is_one(any, words.back());
}

/// "assume that", "where", "with", "such that", "satisfies": what follows is given, and no remark.
bool is_led_to(const Mention& m) {
    const Saying saying = saying_of(m.led);
    return saying == Saying::supposed ||
           (saying == Saying::asserted &&
            ends_with(m.led, {"assume", "assuming", "suppose", "supposing", "where", "with", "such", "satisfies", "satisfy",
                              "given", "satisfying", "require", "requiring"}));
}
/// "let", "we set": a number, where no value is defined.
bool is_let_be(const Mention& m) {
    return saying_of(m.led) == Saying::asserted && ends_with(m.led, {"let", "set", "setting", "take", "choose", "fix"});
}
bool is_a_number(const Expr& e) {
    return e.kind == Kind::number || (e.kind == Kind::negate && e.children[0]->kind == Kind::number);
}

/// Where the one relation of a formula stands, but for those of indices, \sum_{i=1}; its end where there is none, or several.
std::size_t only_relation(const Tokens& t) {
    std::size_t at = t.size();
    int depth = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
        depth += bracket(t[i]);
        if (is_derivative_sign(t[i])) return t.size();
        if (depth > 0) continue;
        if (t[i].is_command("\\ne") || t[i].is_command("\\neq") || is_dots(t[i])) return t.size();
        if (t[i].is_command("\\in") || t[i].is_symbol("∈") || t[i].is_symbol(":")) return t.size();
        if (relation(t[i]).empty()) continue;
        if (at < t.size()) return t.size();
        at = i;
    }
    return at;
}

/// The inputs in both sides; nothing where another value stands there.
std::set<std::string> inputs_of(const Reading& reading, const ExprPtr& left, const ExprPtr& right) {
    std::set<std::string> out;
    for (const ExprPtr& side : {left, right})
        for (const std::string& name : names_in(*side)) {
            if (!reading.names.values.contains(name)) continue;
            const Given* g = input_called(reading, name);
            if (g == nullptr || g->fill == Fill::literal) return {};
            out.insert(name);
        }
    return out;
}

/// As it is where nothing shows how many ones there are.
ExprPtr with_sizes(const ExprPtr& e, const Statements& to) {
    try {
        return sized(e, nullptr, to);
    } catch (const ProofError&) {
        return e;
    }
}

/// Whether a property says it, or the input is drawn above zero.
bool is_drawn(const Reading& reading, const Tokens& t) {
    const auto input = [&](const Tokens& name) {
        const NameParts p = parts_of(reading.source, name, 0);
        return input_called(reading, reading.id_of(p.key(p.has_above, p.has_below, p.primed)));
    };
    if (const auto said = said_by_formula(reading.source, t))
        return std::ranges::all_of(said->names, [&](const Tokens& name) { return input(name) != nullptr; });
    const auto sign = compared_with_zero(reading.source, t);
    const Given* g = sign ? input(sign->name) : nullptr;
    return g != nullptr && g->fill != Fill::normal;
}

/// r = X w - t and h(x) = \sigma(w^\top x) of names that are no inputs: they say what these are.
bool says_what_it_is(const Reading& reading, const Tokens& left) {
    const NameParts p = left.empty() ? NameParts{} : parts_of(reading.source, left, 0);
    const bool whole =
        !p.base.empty() && (p.end == left.size() || (left[p.end].is_symbol("(") && end_of_brackets(left, p.end) == left.size()));
    return whole && input_called(reading, reading.id_of(p.key(p.has_above, p.has_below, p.primed))) == nullptr;
}

/// B of C = B + \sigma^2 I, of a C that the text says is symmetric: where all matrices are terms of their own. Whether it is so.
bool draw_terms(const std::string& value, Fill fill, Statements& to) {
    const Assignment* const a = to.proof().find(value);
    if (a == nullptr || a->value->kind != Kind::sum || a->value->joints.find('-') != std::string::npos) return false;
    std::vector<std::string> terms;
    for (const ExprPtr& term : a->value->children)
        for (const std::string& name : names_in(*term)) {
            const auto given = std::ranges::find(to.proof().given, name, &Given::name);
            const bool number = given != to.proof().given.end() && given->shape.empty();
            if (number || !to.names().values.contains(name)) continue;
            if (given == to.proof().given.end() || given->shape.size() != 2 || term->kind != Kind::name) return false;
            terms.push_back(name);
        }
    return !terms.empty() && std::ranges::all_of(terms, [&](const std::string& name) { return to.draw(name, fill); });
}

}  // namespace

void draw_or_assume(const Property& p, const Reading& reading, Statements& to) {
    const std::string id = reading.id_of(p.key);
    const Given* g = input_called(reading, id);
    const bool of_vector = g != nullptr && g->shape.size() == 1;
    const Fill fill = p.fill == Fill::definite && of_vector ? Fill::positive : p.fill;  // x \succ 0
    const auto norm = reading.meanings.find("norm");
    const bool other_norm = fill == Fill::unit && norm != reading.meanings.end() && !norm->second.of_matrices;
    if (other_norm) return to.assume({said_of(p), nullptr, nullptr, {id}});
    if ((fill == Fill::symmetric || fill == Fill::definite) && draw_terms(id, fill, to)) return;
    if (to.draw(id, fill) || p.is_label() || (g == nullptr && !is_structured(fill))) return;
    if (fill == Fill::positive && g->fill != Fill::normal) return;  // drawn from a range that was said
    if (reading.names.values.contains(id)) to.assume({said_of(p), nullptr, nullptr, {id}, fill});
}

void doubt(const Property& p, const Reading& reading, Statements& to) {
    const std::string id = reading.id_of(p.key);
    if (reading.names.values.contains(id)) to.assume({said_of(p), nullptr, nullptr, {id}, p.fill});
}

void assume_relations(const Source& source, Span text, const Reading& reading, Statements& to,
                      const std::function<bool(Span)>& is_condition) {
    for (const Mention& m : mentions_in(source, text)) {
        const bool led = is_led_to(m);
        if (m.displayed || (!led && !is_let_be(m)) || is_condition(m.span)) continue;
        for (const Tokens& one : parts_of_list(m.formula)) {
            const std::size_t at = only_relation(one);
            if (at >= one.size() || is_drawn(reading, one)) continue;
            try {
                if (is_equals(one[at]) && says_what_it_is(reading, part_of(one, 0, at))) continue;
                const ExprPtr left = with_sizes(Parser(reading, part_of(one, 0, at)).whole(), to);
                const ExprPtr right = with_sizes(Parser(reading, part_of(one, at + 1, one.size())).whole(), to);
                std::set<std::string> of = inputs_of(reading, left, right);
                if (of.empty() || (!led && !(is_equals(one[at]) && is_a_number(*right)))) continue;
                const bool equal = is_equals(one[at]);
                to.assume({joined(one, 0, one.size()), equal ? left : nullptr, equal ? right : nullptr, std::move(of)});
            } catch (const ProofError&) {  // a remark
            }
        }
    }
}

}  // namespace gradproof::proof::latex
