// When formulas hold, as sentences say.
#include "gradproof/core/proof/language/latex/conditions_said.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/conditions_words.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_set_beside(const Tokens& t, std::size_t in) {
    return in + 1 < t.size() && (t[in + 1].is_symbol("(") || t[in + 1].is_symbol("[") || t[in + 1].is_command("\\{"));
}
/// x_i > 0, -1 < x_i < 1, x_i \in (0, 1).
bool is_relation(const Tokens& t) {
    std::size_t relations = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (is_dots(t[i]) || t[i].kind == words || is_derivative_sign(t[i])) return false;
        const bool in = t[i].is_command("\\in") || t[i].is_command("\\notin");
        if (in && !is_set_beside(t, i)) return false;
        if (!in && !is_equals(t[i]) && !is_comparison(t[i])) continue;
        if (i == 0 || i + 1 == t.size()) return false;
        if (in) return relations == 0;
        ++relations;
    }
    return relations > 0 && (relations == 1 || std::ranges::none_of(t, is_equals));
}
/// i, and i, j.
bool is_index(const Tokens& t) {
    return !t.empty() && std::ranges::all_of(t, [](const Token& one) { return is_small_letter(one) || one.is_symbol(","); });
}
/// "where $A = A^\top$" says what is so.
bool states_equality(const Tokens& t) { return std::ranges::any_of(t, is_equals); }
/// "If $y = 1$", where y = W x says what y is.
bool equals_number(const Tokens& t) {
    const auto equals = std::ranges::find_if(t, is_equals);
    return equals != t.end() && std::all_of(equals + 1, t.end(), [](const Token& one) {
               return one.kind == digits || one.is_symbol("-") || one.is_symbol(".");
           });
}

}  // namespace

bool is_condition(const Tokens& t) {
    const std::vector<Tokens> alternatives = alternatives_of(t);
    return !alternatives.empty() && std::ranges::all_of(alternatives, [](const Tokens& one) {
        const std::vector<Tokens> demands = demands_of(one);
        return !demands.empty() && std::ranges::all_of(demands, is_relation);
    });
}

bool is_claim(const Tokens& t) { return std::ranges::any_of(t, is_derivative_sign) && std::ranges::any_of(t, is_equals); }

namespace {

/// Reads the formulas of a text one by one.
class Formulas {
  public:
    Formulas(const Source& source, Span text) : source_(source), document_(source, text, true, false), end_(text.end) {
        behind_ = text.begin;
    }
    /// Whether another one stands there: it, and the words before it.
    bool next() {
        std::optional<Part> part;
        try {
            do part = document_.next();
            while (part && part->note.kind == note);
        } catch (const ProofError&) {  // told where formulas are read
        }
        if (!part) return false;
        text_before = {behind_, std::max(behind_, part->span.begin)};
        before = words_of(plain_words(source_.slice(text_before)));
        in_line = part->in_line;
        behind_ = part->span.end;
        try {
            tokens = tidied(source_, document_.expanded(part->tokens));
        } catch (const ProofError&) {
            tokens.clear();
        }
        while (!tokens.empty() && (tokens.back().is_symbol(",") || tokens.back().is_symbol(".") || tokens.back().is_symbol(";")))
            tokens.pop_back();
        return true;
    }
    /// What leads to the formula, if it is a condition.
    std::string lead(const Source& source, bool behind_lead, bool behind_formula) const {
        std::string_view text = source.slice(text_before);
        text = text.substr(0, text.find_last_not_of(" \n\t\r") + 1);
        return text.ends_with("\\item") || text.ends_with("\\item[")
                   ? "case"
                   : lead_word(before, behind_lead, text.ends_with('('), behind_formula);
    }
    std::size_t end() const { return behind_; }
    WordList rest() const { return words_of(plain_words(source_.slice({behind_, std::max(behind_, end_)}))); }

    Tokens tokens;
    WordList before;
    Span text_before{};
    bool in_line = false;

  private:
    const Source& source_;
    Document document_;
    std::size_t behind_ = 0, end_;
};

/// "If $y = 1$" may be false, where "for $y = W x$" says what y is.
void see_equality(ConditionsSaid& out, const Tokens& condition) {
    const auto is_word = [](const Token& t, std::string_view word) { return t.kind == words && t.text == word; };
    if (out.at_point || !equals_number(condition)) return;
    const auto first = out.where.begin() + (is_word(out.where.front(), "unless") ? 1 : 0);
    if (first == out.where.end() || !is_word(*first, "if")) out.where.insert(first, {words, "if", condition.front().span, false});
}
void begin_with(ConditionsSaid& out, const Tokens& condition, std::string_view lead) {
    out = {condition, lead == "at"};
    if (lead == "unless") out.where.insert(out.where.begin(), {words, "unless", condition.front().span, false});
    see_equality(out, condition);
}
/// Whether both say what one thing is equal to: "for $i = 1$ and $i = n$" is said of both.
bool are_alternatives(const Tokens& a, const Tokens& b) {
    const auto left = [](const Tokens& t) {
        const auto equals = std::ranges::find_if(t, is_equals);
        return equals == t.end() ? Tokens{} : Tokens(t.begin(), equals);
    };
    Tokens first = left(a);
    if (!first.empty() && first[0].kind == words) first.erase(first.begin());
    return !first.empty() && same_texts(first, left(b));
}
void go_on_with(ConditionsSaid& out, const Tokens& condition, std::string_view by) {
    if (by == "and" && are_alternatives(out.where, condition)) by = "or";
    out.where.push_back({words, by, condition.front().span, false});
    out.where.insert(out.where.end(), condition.begin(), condition.end());
    see_equality(out, condition);
}

/// Whether its sentence goes on there.
bool begins_small(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n\t\r~,");
    return first != text.npos && text[first] >= 'a' && text[first] <= 'z';
}
/// "..., for" between a formula and a condition.
bool stands_directly_behind(const Source& source, const Formulas& condition) {
    const std::string_view ahead = source.text().substr(0, condition.text_before.begin);
    constexpr std::string_view kEnds[] = {"$", "\\]", "\\)", "}"},
                               kPhrases[] = {"as", "so", "in", "under", "on", "everywhere", "with", "at"};
    const WordList& words = condition.before;
    const bool behind_formula = std::ranges::any_of(kEnds, [&](std::string_view end) { return ahead.ends_with(end); });
    constexpr std::size_t kMost = 4;  // "provided that", "for all those with"
    const bool leads = !words.empty() && words.size() <= kMost && (is_lead(words.front()) || is_one(kPhrases, words.front()));
    return behind_formula && begins_small(source.slice(condition.text_before)) && leads;
}
/// Whether the formula that ends there ends with a comma: "\[ ..., \]".
bool ends_in_a_comma(const Source& source, std::size_t end) {
    std::string_view text = source.text().substr(0, end);
    for (const std::string_view closer : {"$", "$", "\\]", "\\)"})
        if (text.ends_with(closer)) text.remove_suffix(closer.size());
    if (text.ends_with("}")) text = text.substr(0, text.rfind('\\'));
    const std::size_t last = text.find_last_not_of(" \n\t\r");
    return last != text.npos && (text[last] == ',' || text[last] == ';');
}

enum class Owner { before, behind, unclear };
/// Of "\[ ..., \] if $x_i > 0$, \[ ... \]" to which of the two the condition belongs. `formulas`: at what follows it, if there is
/// `more`; `comma`: one stands before it; `led`: the first formula has conditions before it.
Owner owner_of(const Source& source, const Formulas& formulas, bool more, bool comma, bool led) {
    if (!comma) return Owner::before;
    const WordList between = more ? formulas.before : formulas.rest();
    constexpr std::string_view kGoesOn[] = {".", "and", "while", "whereas", "but", "or", "with"};
    if (!between.empty() && is_one(kGoesOn, between.front())) return Owner::before;
    const bool claim = more && is_claim(formulas.tokens);
    if (!claim) return between.empty() ? Owner::before : Owner::unclear;
    const bool apart = source.slice(formulas.text_before).find_first_of(",;:") != std::string_view::npos;
    if (led || !between.empty() || !apart) return Owner::behind;
    constexpr std::size_t kLongest = 30;
    const WordList after = words_of(plain_words(source.text().substr(formulas.end(), kLongest)));
    return !after.empty() && is_lead(after.front()) ? Owner::before : Owner::unclear;
}

}  // namespace

ConditionsSaid conditions_before(const Source& source, Span text, bool free) {
    ConditionsSaid out;
    if (text.begin >= text.end) return out;
    constexpr std::size_t kLongest = 60;
    const std::string_view all = source.slice(text);
    out.otherwise = says_otherwise(words_of(plain_words(all.substr(all.size() - std::min(all.size(), kLongest)))));
    if (out.otherwise && all.substr(all.size() - std::min(all.size(), kLongest)).find('$') != all.npos) {
        out.otherwise = false;  // "otherwise, if $d < m$,"
        out.unclear = true;
    }
    if (out.otherwise || out.unclear) return out;
    Formulas formulas(source, text);
    bool first = true, led = false, open = false;  // a condition, or another formula, stood behind the lead last
    bool in_a_case = false;
    std::vector<Span> seen;
    const auto goes_on_from_case = [&](WordList words) {  // "Case 1: $x_i > 0$. Here we have"
        if (!std::exchange(in_a_case, false) || words.empty() || words[0] != ".") return false;
        words.erase(words.begin());
        return !breaks_off(words);
    };
    while (formulas.next()) {
        const bool of_before = std::exchange(first, false) && !free && stands_directly_behind(source, formulas);
        const std::string_view by = open ? joint(formulas.before) : "";
        if (!goes_on_from_case(formulas.before) && breaks_off(formulas.before)) out = {}, led = false;
        if (!formulas.in_line) {
            out = {}, led = open = false;
            continue;
        }
        const bool condition = is_condition(formulas.tokens);
        if (!condition && goes_beyond(formulas.before)) out = {}, led = false;
        if (!by.empty() && condition) {
            if (!out.where.empty()) go_on_with(out, formulas.tokens, by);
            continue;
        }
        const std::string word = formulas.lead(source, led, false);
        led = !word.empty();
        open = led && condition && !(word == "where" && states_equality(formulas.tokens));
        if (!open) continue;
        constexpr std::string_view kJoins[] = {"and", "or", "but", "while", "whereas"};
        const bool anew = std::ranges::any_of(formulas.before, [&](const std::string& w) { return is_one(kJoins, w); });
        const bool nested = !out.where.empty() && !anew && word != "at" && word != "unless" && out.where.front().text != "unless";
        if (of_before) {
            out = {};
        } else if (nested) {
            go_on_with(out, formulas.tokens, "and");
            out.nested = true;
        } else {
            begin_with(out, formulas.tokens, word);
        }
        in_a_case = word == "case";
        out.end = formulas.end();
        seen.push_back({formulas.tokens.front().span.begin, formulas.tokens.back().span.end});
    }
    const WordList rest = formulas.rest();
    constexpr std::size_t kMostWords = 10;
    if (rest.size() > kMostWords || (!goes_on_from_case(rest) && breaks_off(rest))) out = {};
    out.seen = std::move(seen);
    out.unclear = out.where.empty() && leads_with_case_in_words(all);
    return out;
}

ConditionsSaid conditions_behind(const Source& source, Span text, bool led) {
    ConditionsSaid out;
    if (text.begin >= text.end) return out;
    constexpr std::size_t kLongest = 2000, kFewWords = 40;
    text.end = std::min(text.end, text.begin + kLongest);
    const std::string_view all = source.slice(text);
    if (begins_small(all) && begins_with_otherwise(words_of(plain_words(all.substr(0, kFewWords))))) {
        out.otherwise = true;
        return out;
    }
    out.unclear = begins_small(all) &&
                  names_a_case(plain_words(without_formulas(all.substr(0, std::min(all.find_first_of(".\\"), all.size())))));
    Formulas formulas(source, text);
    bool led_by_index = false;  // "for every $i$ with"
    bool more = false, comma = ends_in_a_comma(source, text.begin);
    while ((more = formulas.next()) && formulas.in_line) {
        const bool directly = !led_by_index && out.where.empty() && stands_directly_behind(source, formulas);
        if (directly && formulas.before.front() == "for" && is_index(formulas.tokens)) {
            led_by_index = true;
            continue;
        }
        if (!is_condition(formulas.tokens)) break;
        const std::string_view by = out.where.empty() ? "" : joint(formulas.before);
        if (out.where.empty()) {
            if (!directly && !led_by_index) return out;
            const std::string word = formulas.lead(source, led_by_index, directly);
            if (word.empty() || word == "at" || (word == "where" && states_equality(formulas.tokens))) return out;
            begin_with(out, formulas.tokens, word);
            comma = comma || source.slice(formulas.text_before).find_first_of(",;") != std::string_view::npos;
        } else if (by.empty()) {
            break;
        } else {
            go_on_with(out, formulas.tokens, by);
        }
        out.end = formulas.end();
    }
    if (out.where.empty()) return out;
    const WordList between = more ? formulas.before : formulas.rest();
    out.unclear = goes_beyond(between) && between.front() != ".";
    if (out.unclear) return out;
    const bool may_have_other = out.where.front().text != "unless";
    if (may_have_other && says_zero_otherwise(between)) {
        out.other = {{digits, "0", out.where.front().span, false}};
        return out;
    }
    if (may_have_other && more && formulas.in_line && joint(between) == "and" && begins_with_otherwise(formulas.rest()) &&
        std::ranges::none_of(formulas.tokens, [](const Token& t) { return is_equals(t) || is_other_relation(t); })) {
        out.other = formulas.tokens, out.end = formulas.end();
        return out;
    }
    switch (owner_of(source, formulas, more, comma, led)) {
        case Owner::before: break;
        case Owner::behind: return {};
        case Owner::unclear: out.unclear = true; break;
    }
    return out;
}

WiderSaid wider_around(const Source& source, Span before, Span behind) {
    WiderSaid out;
    constexpr std::string_view kLifts[] = {"general", "arbitrary", "any", "every", "all", "each"};
    constexpr std::size_t kLongest = 400, kShort = 60;
    before.begin = std::max(before.begin, before.end - std::min(before.end, kLongest));
    behind.end = std::min(behind.end, behind.begin + kShort);
    const auto see = [&](const Formulas& formulas) {
        const WordList& words = formulas.before;
        const std::size_t from = words.size() - std::min<std::size_t>(words.size(), 3);
        const auto lifts = [&](const std::string& w) { return is_one(kLifts, w); };
        const bool led = std::ranges::find(words, "for") != words.end();
        const bool any = std::any_of(words.begin() + static_cast<std::ptrdiff_t>(from), words.end(), lifts);
        if (led && any && std::ranges::none_of(formulas.tokens, is_comparison)) out.of_any.push_back(formulas.tokens);
    };
    const auto says_general = [](const WordList& words) {
        const std::string all = words_as_text(words);
        return has_any(all, {" in general ", " generally ", " for general ", " for arbitrary ", " for a general ",
                             " for an arbitrary ", " in the general case ", " without this assumption "});
    };
    if (before.begin < before.end) {
        Formulas formulas(source, before);
        while (formulas.next()) {
            if (std::ranges::find(formulas.before, ".") != formulas.before.end()) out = {};
            out.in_general = out.in_general || says_general(formulas.before);
            const bool restricts = is_condition(formulas.tokens) && !out.of_any.empty();  // "for every $w$ with $\|w\| = 1$"
            if (restricts) out.of_any.pop_back();
            see(formulas);
        }
        const WordList rest = formulas.rest();
        if (std::ranges::find(rest, ".") != rest.end()) out = {};
        out.in_general = out.in_general || says_general(rest);
    }
    if (behind.begin < behind.end && begins_small(source.slice(behind))) {
        Formulas formulas(source, behind);
        const bool more = formulas.next();
        const WordList words = more ? formulas.before : formulas.rest();
        const auto stop = std::ranges::find(words, ".");
        out.in_general = out.in_general || says_general({words.begin(), stop});
        if (more && stop == words.end()) see(formulas);
    }
    return out;
}

}  // namespace gradproof::proof::latex
