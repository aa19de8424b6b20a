// When formulas hold, as sentences say.
#include "gradproof/core/proof/language/latex/conditions_said.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/piecewise.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

constexpr std::string_view kLeads[] = {"for", "if", "when", "whenever", "at", "where", "unless"};

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
/// "If $y = 1$", where y = W x says what y is.
bool equals_number(const Tokens& t) {
    const auto equals = std::ranges::find_if(t, is_equals);
    return equals != t.end() && std::all_of(equals + 1, t.end(), [](const Token& one) {
               return one.kind == digits || one.is_symbol("-") || one.is_symbol(".");
           });
}

/// Of the words before a condition what leads to it: "for all", "at", "for $i$ with"; "" of others.
std::string lead_word(WordList words, bool behind_lead) {
    constexpr std::string_view kBetween[] = {"all", "every", "each", "any", "either", "both"};
    while (!words.empty() && is_one(kBetween, words.back())) words.pop_back();
    if (words.empty()) return "";
    const bool such_that = words == WordList{"such", "that"} || words == WordList{"with"} || words == WordList{"satisfying"};
    if (behind_lead && such_that) return "for";
    const std::string last = words.back();
    words.pop_back();
    if (last == "where" && !words.empty() && words.back() != ".") return "";  // says what a name is
    constexpr std::string_view kPlaces[] = {"case", "region", "regime", "range"};
    constexpr std::string_view kIn[] = {"in", "on", "within"};
    if (is_one(kPlaces, last) && words.size() > 1 && words.back() == "the" && is_one(kIn, words[words.size() - 2])) return "for";
    constexpr std::string_view kDenies[] = {"except", "not", "but", "only", "than", "as", "even"};
    const bool denied = !words.empty() && is_one(kDenies, words.back());
    return denied || !is_one(kLeads, last) ? "" : last;
}
/// What words between two conditions say: "and", also of "for $i < n$, if $x_i > 0$"; "or", also of "for $x_i > 0$ and for
/// $x_i < 0$"; "" of what joins no conditions.
std::string_view joint(WordList words) {
    if (words == WordList{"as", "well", "as"} || words == WordList{"as", "well", "as", "for"}) return "or";
    std::erase_if(words, [](const std::string& w) { return w == "also" || w == "again" || w == "else"; });
    const std::string last = words.empty() ? "" : words.back();
    const bool leads = last == "if" || last == "when" || last == "for";
    if (leads) words.pop_back();
    if (words.empty()) return "and";
    if (words.size() > 1 || (words[0] != "or" && words[0] != "and")) return "";
    return words[0] == "or" || last == "for" ? "or" : "and";
}
/// Behind these what was said before goes on no more.
bool breaks_off(const WordList& words) {
    constexpr std::string_view kAll[] = {".",      "otherwise", "else", "while",   "whereas",   "but",    "not",
                                         "except", "instead",   "only", "general", "generally", "always", "cases"};
    return std::ranges::any_of(words, [&](const std::string& w) { return is_one(kAll, w); });
}

}  // namespace

bool is_condition(const Tokens& t) {
    const std::vector<Tokens> alternatives = alternatives_of(t);
    return !alternatives.empty() && std::ranges::all_of(alternatives, [](const Tokens& one) {
        const std::vector<Tokens> demands = demands_of(one);
        return !demands.empty() && std::ranges::all_of(demands, is_relation);
    });
}

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

void begin_with(ConditionsSaid& out, const Tokens& condition, std::string_view lead) {
    out = {condition, lead == "at"};
    const bool denied = lead == "unless";
    if (denied || (!out.at_point && equals_number(condition)))
        out.where.insert(out.where.begin(), {words, denied ? "unless" : "if", condition.front().span, false});
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
}

/// Whether its sentence goes on there.
bool begins_small(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n\t\r~,");
    return first != text.npos && text[first] >= 'a' && text[first] <= 'z';
}
/// "..., for" between a formula and a condition: what it says is said of the formula before, but for "..., for $x > 0$ we get".
bool is_said_of_the_one_before(const Source& source, const Formulas& condition) {
    const Span between = condition.text_before;
    const WordList& before = condition.before;
    if (before.empty()) return false;
    constexpr std::size_t kLongest = 60;
    const std::string_view behind = source.text().substr(condition.end(), kLongest);
    const std::string words_behind = plain_words(behind.substr(0, behind.find_first_of("$.\\")));
    if (source.slice(between).find(',') != std::string_view::npos && has_any(words_behind, {" we ", " it ", " this "}))
        return false;
    const std::string_view ahead = source.text().substr(0, between.begin), text = source.slice(between);
    constexpr std::string_view kEnds[] = {"$", "\\]", "\\)", "}"};
    const bool behind_formula = std::ranges::any_of(kEnds, [&](std::string_view end) { return ahead.ends_with(end); });
    return behind_formula && begins_small(text) && before.size() <= 2 && is_one(kLeads, before.front());
}

/// Whether a formula stands behind the end of a word that may lead to a condition. Texts are looked through once more only then.
bool may_hold_a_condition(std::string_view text) {
    constexpr std::string_view kEnds[] = {"or",  "if",  "If",  "hen", "ver", "ery", "at",  "At",  "all", "All", "ach", "any",
                                          "Any", "ess", "ere", "ith", "ase", "ion", "ime", "nge", "her", "oth", "ing"};
    for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
        const std::size_t last = text.substr(0, at).find_last_not_of(" ~\n\t\r");
        if (last == text.npos) continue;
        const std::string_view before = text.substr(0, last + 1);
        if (std::ranges::any_of(kEnds, [&](std::string_view end) { return before.ends_with(end); })) return true;
    }
    return text.find("\\(") != text.npos;
}

bool begins_with_otherwise(const WordList& words) {
    return !words.empty() && (words[0] == "otherwise" || words[0] == "elsewhere" || words[0] == "else");
}
/// "Otherwise, we have", also behind a full stop.
bool says_otherwise(WordList words) {
    const auto stop = std::find(words.rbegin(), words.rend(), ".");
    words.erase(words.begin(), stop.base());
    if (words.size() > 1 && words[0] == "and") words.erase(words.begin());
    constexpr std::size_t kMostWords = 6;
    const bool everywhere = words.size() > 1 && words[0] == "everywhere" && words[1] == "else";
    return words.size() <= kMostWords && (begins_with_otherwise(words) || everywhere);
}

}  // namespace

ConditionsSaid conditions_before(const Source& source, Span text) {
    ConditionsSaid out;
    if (text.begin >= text.end) return out;
    constexpr std::size_t kLongest = 60;
    const std::string_view all = source.slice(text);
    out.otherwise = says_otherwise(words_of(plain_words(all.substr(all.size() - std::min(all.size(), kLongest)))));
    if (out.otherwise || !may_hold_a_condition(all)) return out;
    Formulas formulas(source, text);
    bool first = true, led = false, open = false;  // a condition, or another formula, stood behind the lead last
    while (formulas.next()) {
        const bool of_before = std::exchange(first, false) && is_said_of_the_one_before(source, formulas);
        const std::string_view by = open ? joint(formulas.before) : "";
        if (breaks_off(formulas.before)) out = {}, led = false;
        if (!formulas.in_line) {
            out = {}, led = open = false;
            continue;
        }
        const bool condition = is_condition(formulas.tokens);
        if (!by.empty() && condition) {
            if (!out.where.empty()) go_on_with(out, formulas.tokens, by);
            continue;
        }
        const std::string word = lead_word(formulas.before, led);
        led = !word.empty();
        open = led && condition;
        if (!open) continue;
        if (of_before)
            out = {};
        else
            begin_with(out, formulas.tokens, word);
    }
    const WordList rest = formulas.rest();
    constexpr std::size_t kMostWords = 10;
    return rest.size() <= kMostWords && !breaks_off(rest) ? out : ConditionsSaid{};
}

namespace {

/// "and zero otherwise"
bool says_zero_otherwise(WordList words) {
    if (!words.empty() && (words[0] == "and" || words[0] == "or")) words.erase(words.begin());
    if (words.empty() || (words[0] != "zero" && words[0] != "0")) return false;
    words.erase(words.begin());
    return begins_with_otherwise(words);
}

}  // namespace

ConditionsSaid conditions_behind(const Source& source, Span text) {
    ConditionsSaid out;
    if (text.begin >= text.end) return out;
    constexpr std::size_t kLongest = 2000;
    text.end = std::min(text.end, text.begin + kLongest);
    if (begins_small(source.slice(text)) && begins_with_otherwise(words_of(plain_words(source.slice(text).substr(0, 40))))) {
        out.otherwise = true;
        return out;
    }
    Formulas formulas(source, text);
    bool more = false;
    while ((more = formulas.next()) && formulas.in_line && is_condition(formulas.tokens)) {
        const std::string_view by = out.where.empty() ? "" : joint(formulas.before);
        if (out.where.empty()) {
            if (!is_said_of_the_one_before(source, formulas)) return out;
            const std::string word = lead_word(formulas.before, false);
            if (word.empty() || word == "at") return out;
            begin_with(out, formulas.tokens, word);
        } else if (by.empty()) {
            return out;
        } else {
            go_on_with(out, formulas.tokens, by);
        }
        out.end = formulas.end();
    }
    if (out.where.empty() || out.where.front().text == "unless") return out;
    const WordList between = more ? formulas.before : formulas.rest();
    if (says_zero_otherwise(between))
        out.other = {{digits, "0", out.where.front().span, false}};
    else if (more && formulas.in_line && joint(between) == "and" && begins_with_otherwise(formulas.rest()) &&
             std::ranges::none_of(formulas.tokens, [](const Token& t) { return is_equals(t) || is_other_relation(t); }))
        out.other = formulas.tokens, out.end = formulas.end();
    return out;
}

void add_conditions(Equation& claim, const ConditionsSaid& before, const ConditionsSaid& behind, std::vector<Equation>& claims) {
    if (!claims.empty() && !same_texts(*claims.back().left, *claim.left)) claims.clear();
    const auto denies = [](const Tokens& t) { return !t.empty() && t.front().kind == words && t.front().text == "unless"; };
    claim.range = before.where;
    if (before.otherwise || behind.otherwise) {  // of what none of the claims before it is said
        const bool known = !claims.empty() && before.where.empty() &&
                           std::ranges::none_of(claims, [&](const Equation& c) { return c.range.empty() || denies(c.range); });
        if (!known) claim.led = Equation::Led::words;
        for (const Equation& c : claims) {
            const std::string_view by = claim.range.empty() ? "unless" : "or";
            claim.range.push_back({words, by, c.range.empty() ? claim.span : c.range.front().span, false});
            claim.range.insert(claim.range.end(), c.range.begin(), c.range.end());
        }
        if (known) claim.led = Equation::Led::where;
        return;
    }
    if (denies(before.where) ? !behind.where.empty() : denies(behind.where) && !before.where.empty()) {
        claim.led = Equation::Led::words;
        return;
    }
    if (!behind.other.empty() && before.where.empty()) {
        claim.right = by_cases(claim.right, behind.where, behind.other);
        claim.span.end = std::max(claim.span.end, behind.end);
        return;
    }
    if (!claim.range.empty() && !behind.where.empty()) claim.range.push_back({words, "and", claim.range.front().span, false});
    claim.range.insert(claim.range.end(), behind.where.begin(), behind.where.end());
    if (claim.range.empty()) return;
    claim.led = before.at_point ? Equation::Led::at : Equation::Led::where;
    claims.push_back(claim);
}

}  // namespace gradproof::proof::latex
