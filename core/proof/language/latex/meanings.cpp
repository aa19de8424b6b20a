// Functions that a text defines.
#include "gradproof/core/proof/language/latex/meanings.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/latex/agrees.hpp"
#include "gradproof/core/proof/language/latex/asides.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/said.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// What a formula may say anew of a function: of \tanh and \log it is a claim.
bool may_be_redefined(std::string_view function) {
    constexpr std::string_view kFixed[] = {"tanh", "sin", "cos", "tan",  "exp",  "log",
                                           "sqrt", "abs", "erf", "sinh", "cosh", "sign"};
    constexpr std::string_view kOthers[] = {"softmax", "log_softmax", "logsumexp", "norm"};
    return is_one(kOthers, function) ||
           (is_elementwise(function) && !is_one(kFixed, function) && function != "max" && function != "min");
}
/// What another name may stand for.
bool may_be_another(std::string_view function) {
    constexpr std::string_view kOthers[] = {"softmax", "log_softmax", "logsumexp"};
    return is_one(kOthers, function) || (is_elementwise(function) && function != "max" && function != "min" && function != "mod");
}
bool is_known_function(std::string_view name) { return name == "norm" || is_builtin(name); }

bool stands_in(const Tokens& what, const Tokens& all) {
    const auto same = [](const Token& x, const Token& y) { return x.text == y.text; };
    return !what.empty() && std::search(all.begin(), all.end(), what.begin(), what.end(), same) != all.end();
}

/// Of \sigma(z), \mathrm{softmax}(z)_i and \|x\| what they are of; nothing of other left sides.
std::optional<FunctionMeaning> called_on(const Source& source, const Tokens& left) {
    FunctionMeaning out;
    std::size_t open = 0, end = left.size();
    if (left.size() > 2 && is_norm_bar(left[0]) && is_norm_bar(left.back())) {
        out.function = "norm";
        --end;
    } else {
        open = first_bracket(left);
        if (open == 0 || open + 2 >= left.size()) return std::nullopt;
        const NameParts p = parts_of(source, left, 0);
        const bool has_parameters = p.end == open && p.has_below && !p.has_above && !p.primed;
        out.function = has_parameters ? function_key(p) : function_named(source, part_of(left, 0, open));
        out.below = p.below;
        end = end_of_brackets(left, open) - 1;
        if (end >= left.size()) return std::nullopt;
    }
    out.parameter = part_of(left, open + 1, end);
    const NameParts of = out.parameter.empty() ? NameParts{} : parts_of(source, out.parameter, 0);
    if (out.function.empty() || of.base.empty() || of.end != out.parameter.size() || of.has_above || of.primed)
        return std::nullopt;
    if (of.key(false, of.has_below, false).empty()) return std::nullopt;
    if (end + 1 == left.size()) return out;
    if (end + 2 >= left.size() || !left[end + 1].is_symbol("_") || end_of_group(source, left, end + 2) != left.size())
        return std::nullopt;
    out.index = inside_group(source, left, end + 2);
    const bool one = out.index.size() == 1 && out.index[0].kind == letter;
    return one ? std::optional(out) : std::nullopt;
}

/// Without the upper ends of sums that are letters of no meaning: \sum_{j=1}^K is over all.
Tokens without_ends(const Source& source, const Reading& reading, const Tokens& body) {
    Tokens out;
    for (std::size_t i = 0; i < body.size(); ++i) {
        const bool sum = body[i].is_command("\\sum") && i + 2 < body.size() && body[i + 1].is_symbol("_");
        out.push_back(body[i]);
        if (!sum) continue;
        const std::size_t above = end_of_group(source, body, i + 2);
        const Tokens below = inside_group(source, body, i + 2);
        const bool from_one = below.size() == 3 && is_equals(below[1]) && below[2].text == "1";
        if (!from_one || above + 1 >= body.size() || !body[above].is_symbol("^")) continue;
        const NameParts last = parts_of(source, inside_group(source, body, above + 1), 0);
        if (last.base.empty() || reading.is_defined(last.key(last.has_above, last.has_below, last.primed))) continue;
        out.push_back(body[i + 1]);
        out.push_back(below[0]);
        i = end_of_group(source, body, above + 1) - 1;
    }
    return out;
}

std::set<std::string> bases_in(const Source& source, const Tokens& tokens) {
    std::set<std::string> out;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (const NameParts p = parts_of(source, tokens, i); !p.base.empty()) out.insert(p.base);
    return out;
}

}  // namespace

std::size_t first_bracket(const Tokens& tokens) {
    int braces = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        braces += tokens[i].kind == opening ? 1 : tokens[i].kind == closing ? -1 : 0;
        if (braces == 0 && tokens[i].is_symbol("(")) return i;
    }
    return tokens.size();
}

std::string function_named(const Source& source, const Tokens& tokens) {
    if (tokens.empty()) return "";
    if (tokens.size() == 1 && tokens[0].kind == command && letter_of(tokens[0].text).empty())
        return function_of(tokens[0].text.substr(1));
    if (tokens.size() > 1 && std::ranges::all_of(tokens, [](const Token& t) { return t.kind == letter && t.text.size() == 1; })) {
        std::string run;
        for (const Token& t : tokens) run += t.text;
        return function_of(run);
    }
    const NameParts p = parts_of(source, tokens, 0);
    if (p.base.empty() || p.end != tokens.size() || p.end != p.base_end) return "";
    const std::string known = p.base.size() > 1 && p.base != "σ" ? function_of(p.base) : "";
    return known.empty() ? p.base : known;
}

std::string function_key(const NameParts& p) { return p.base + "_" + flat(*p.source, p.below); }

Meanings::Meanings(const Source& source, Span text, std::size_t own) : source_(source), text_(text), own_(own) {
    find_equations(text);
    for (FunctionMeaning& m : said_of_functions(source, text)) candidates_.push_back({std::move(m), true});
}

void Meanings::find_equations(Span text) {
    each_formula(source_, text, [&](const Part& part, const Tokens& all) {
        formulas_.push_back(tidied(source_, all));
        if (part.in_line) return;
        for (const Equation& e : equations_of(source_, {{}, all, part.span})) add_equation(e, false);
    });
    for (const Equation& e : equations_within_sentences(source_, text)) {
        try {
            add_equation(e, true);
        } catch (const ProofError&) {  // of names that are not read
        }
    }
}

void Meanings::add_equation(const Equation& e, bool in_line) {
    if (!e.left || e.left->empty() || e.right.empty() || e.chained || e.note.kind == note) return;
    if (std::ranges::any_of(*e.left, is_derivative_sign)) return;
    Candidate out{{}, in_line};
    if (std::optional<FunctionMeaning> called = called_on(source_, *e.left)) {
        if (!stands_in(called->parameter, e.right) || !e.range.empty()) return;
        out.meaning = std::move(*called);
        out.meaning.body = e.right;
    } else {
        out.meaning.function = function_named(source_, *e.left);
        const std::string other = function_named(source_, e.right);
        if (out.meaning.function.empty() || other == out.meaning.function || !may_be_another(other)) return;
        out.meaning.same_as = other;
    }
    out.meaning.span = e.span;
    out.meaning.text = shown(source_, e.span);
    if (out.meaning.text.ends_with('.') || out.meaning.text.ends_with(',')) out.meaning.text.pop_back();
    candidates_.push_back(std::move(out));
}

/// Whether the function stands somewhere with another argument than in its definition.
bool Meanings::is_called_otherwise(const FunctionMeaning& m) const {
    for (const Tokens& all : formulas_)
        for (std::size_t i = 0; i + 1 < all.size(); ++i) {
            if (m.span.begin >= own_ && all[i].span.begin < own_) break;
            const NameParts p = parts_of(source_, all, i);
            if (p.base.empty() || p.end >= all.size() || !all[p.end].is_symbol("(")) continue;
            if (p.has_above || (p.primed && m.below.empty())) continue;
            const std::string function = m.below.empty() ? function_named(source_, part_of(all, i, p.end)) : function_key(p);
            if (function != m.function || !same_texts(p.below, m.below)) continue;
            const std::size_t end = end_of_brackets(all, p.end);
            const bool one = end > p.end + 2 && pieces_of(part_of(all, p.end + 1, end - 1), ",").size() == 1;
            if (one && !same_texts(part_of(all, p.end + 1, end - 1), m.parameter)) return true;
        }
    return false;
}

void Meanings::settle(Reading& reading, const Known& known) {
    std::set<std::string> own;  // what the text that is read says itself goes
    for (const Candidate& one : candidates_)
        if (one.meaning.span.begin >= own_) own.insert(one.meaning.function);
    std::erase_if(candidates_, [&](const Candidate& one) {
        return one.meaning.span.end > 0 && one.meaning.span.begin < own_ && own.contains(one.meaning.function);
    });
    for (const Candidate& one : std::exchange(candidates_, {})) {
        try {
            settle(one, reading, known);
        } catch (const ProofError&) {  // told where the equation is read
        }
    }
}

/// Of \rho_\delta(r) = ..., where r is a value too, with a parameter that is none. Whether it can be.
bool Meanings::give_own_parameter(FunctionMeaning& m) {
    if (m.below.empty() || m.parameter.size() != 1) return false;
    static constexpr std::string_view kOwn = "argument";
    const Token parameter = m.parameter[0];
    for (Token& t : m.body)
        if (t.kind == parameter.kind && t.text == parameter.text) t = {word, kOwn, t.span, t.blank};
    m.parameter = {{word, kOwn, parameter.span, parameter.blank}};
    return true;
}

/// Whether a formula says of a function what its name does not; \sigma(-z) = 1 - \sigma(z) is a claim.
bool Meanings::says_otherwise(FunctionMeaning& m, bool in_line, Reading& reading, const Known& known) {
    const bool builtin = is_known_function(m.function);
    const std::string parameter = parts_of(source_, m.parameter, 0).base;
    m.body = without_ends(source_, reading, m.body);
    std::set<std::string> bases = bases_in(source_, m.body);
    if (bases.contains(m.function) || function_stands_in(source_, m.body, m.function)) return false;
    bases.erase(parameter);
    if (std::ranges::any_of(bases, [&](const std::string& b) { return known.defined.contains(b); })) return false;
    if (is_usual_loss(m.function)) return false;
    if (!builtin && (known.has(m.function) || !is_called_otherwise(m))) return false;
    if (!builtin && known.has(parameter)) return give_own_parameter(m);
    if (!builtin) return true;
    if (!m.below.empty()) return false;
    if (!may_be_redefined(m.function)) return false;
    const Agreement agreement = agreement_with(m, reading);
    if (agreement == Agreement::yes && !in_line && !known.has(parameter)) taken_.insert(m.span.begin);
    return agreement == Agreement::no || (agreement == Agreement::unknown && (in_line || !known.has(parameter)));
}

void Meanings::settle(const Candidate& one, Reading& reading, const Known& known) {
    FunctionMeaning m = one.meaning;
    if (!m.body.empty() && !says_otherwise(m, one.in_line, reading, known)) return;
    if (!m.same_as.empty()) {
        const auto defined = known.defined.find(m.function);
        if (known.stated.contains(m.function) || (defined != known.defined.end() && defined->second > 1)) return;
    }
    if (m.span.end > 0) taken_.insert(m.span.begin);
    if (m.any && (known.has(m.function) || !stands_in_formulas(m.function))) return;
    const auto [other, is_new] = reading.meanings.emplace(m.function, m);
    const FunctionMeaning& first = other->second;
    if (is_new || (m.any || (first.same_as == m.same_as && first.refused == m.refused && same_texts(first.body, m.body)))) return;
    other->second.refused =
        fmt::format("the text says in two ways what it is: {} and {}", printable(first.text, 80), printable(m.text, 80));
}

/// Whether \sigma is taken for the logistic function without a word that says so.
bool Meanings::assumes_sigmoid(const Reading& reading, const Known& known) const {
    return !reading.meanings.contains("σ") && !known.has("σ") && stands_in_formulas("σ") && !speaks_of_sigmoid(source_, text_);
}

bool Meanings::stands_in_formulas(std::string_view function) const {
    return std::ranges::any_of(formulas_, [&](const Tokens& all) { return function_stands_in(source_, all, function); });
}

std::vector<std::string> Meanings::texts(const Reading& reading, const Known& known) const {
    std::vector<std::string> out;
    if (assumes_sigmoid(reading, known)) out.emplace_back("\\sigma(z) = 1 / (1 + e^{-z}), as nothing else is said of it");
    for (const auto& [name, m] : reading.meanings)
        if (m.refused.empty() && !m.any) out.push_back(m.text);
    return out;
}

}  // namespace gradproof::proof::latex
