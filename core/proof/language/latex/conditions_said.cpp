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

constexpr std::string_view kLeads[] = {"for", "if", "when", "whenever", "wherever", "at", "where", "provided", "once", "unless"};

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
/// "where $A = A^\top$" says what is so.
bool states_equality(const Tokens& t) { return std::ranges::any_of(t, is_equals); }
/// "If $y = 1$", where y = W x says what y is.
bool equals_number(const Tokens& t) {
    const auto equals = std::ranges::find_if(t, is_equals);
    return equals != t.end() && std::all_of(equals + 1, t.end(), [](const Token& one) {
               return one.kind == digits || one.is_symbol("-") || one.is_symbol(".");
           });
}

/// "As long as", "in case", "provided that", at the end of words.
bool ends_in_a_phrase(const WordList& words) {
    constexpr std::string_view kAll[] = {" as long as ",   " in case ",          " provided that ", " so long as ",
                                         " as soon as ",   " in the case ",      " in the region ", " in the regime ",
                                         " in the range ", " in the case that ", " for which ",     " under the condition ",
                                         " on the side ",  " in the case where "};
    std::string all = " ";
    for (const std::string& w : words) all += w + " ";
    return std::ranges::any_of(kAll, [&](std::string_view one) { return all.ends_with(one); });
}
/// Of the words before a condition what leads to it: "for all", "at", "for every unit with"; "" of others. `behind_lead`: "for $i$"
/// stands before them.
std::string lead_word(WordList words, bool behind_lead) {
    constexpr std::string_view kBetween[] = {"all", "every", "each", "any", "either", "both", "those", "that", "which"};
    constexpr std::string_view kSuch[] = {"with", "satisfying", "where"};
    if (ends_in_a_phrase(words)) return "for";
    const bool such_that = words.size() > 1 && words.back() == "that" && words[words.size() - 2] == "such";
    const bool such = such_that || (!words.empty() && is_one(kSuch, words.back()));
    const auto leads = [&](const std::string& w) { return w == "for" || w == "if" || w == "when"; };
    if (such && ((behind_lead && words.size() <= 2) || std::ranges::any_of(words, leads))) return "for";
    if (such_that) return "";
    while (!words.empty() && is_one(kBetween, words.back())) words.pop_back();
    if (words.empty()) return "";
    const std::string last = words.back();
    words.pop_back();
    if (last == "where" && !words.empty() && words.back() != ".") return "";  // says what a name is
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
/// "..., for" between a formula and a condition.
bool stands_directly_behind(const Source& source, const Formulas& condition) {
    const std::string_view ahead = source.text().substr(0, condition.text_before.begin);
    constexpr std::string_view kEnds[] = {"$", "\\]", "\\)", "}"}, kPhrases[] = {"as", "so", "in", "under", "on", "everywhere"};
    const WordList& words = condition.before;
    const bool behind_formula = std::ranges::any_of(kEnds, [&](std::string_view end) { return ahead.ends_with(end); });
    constexpr std::size_t kMost = 4;  // "provided that", "for all those with"
    const bool leads =
        !words.empty() && words.size() <= kMost && (is_one(kLeads, words.front()) || is_one(kPhrases, words.front()));
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
bool is_claim(const Tokens& t) { return std::ranges::any_of(t, is_derivative_sign) && std::ranges::any_of(t, is_equals); }

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
    return !after.empty() && is_one(kLeads, after.front()) ? Owner::before : Owner::unclear;
}

/// Whether a formula stands behind the end of a word that may lead to a condition. Texts are looked through once more only then.
bool may_hold_a_condition(std::string_view text) {
    constexpr std::string_view kEnds[] = {"or",  "if",  "If",  "hen", "ver", "ery", "at",  "At",  "all", "All",
                                          "ach", "any", "Any", "ess", "nce", "ich", "hat", "ded", "ose", "ere",
                                          "ith", "ase", "ion", "ime", "nge", "her", "oth", "ing"};
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

ConditionsSaid conditions_before(const Source& source, Span text, bool free) {
    ConditionsSaid out;
    if (text.begin >= text.end) return out;
    constexpr std::size_t kLongest = 60;
    const std::string_view all = source.slice(text);
    out.otherwise = says_otherwise(words_of(plain_words(all.substr(all.size() - std::min(all.size(), kLongest)))));
    if (out.otherwise || !may_hold_a_condition(all)) return out;
    Formulas formulas(source, text);
    bool first = true, led = false, open = false;  // a condition, or another formula, stood behind the lead last
    while (formulas.next()) {
        const bool of_before = std::exchange(first, false) && !free && stands_directly_behind(source, formulas);
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
        out.end = formulas.end();
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
    Formulas formulas(source, text);
    bool more = false, comma = ends_in_a_comma(source, text.begin);
    while ((more = formulas.next()) && formulas.in_line && is_condition(formulas.tokens)) {
        const std::string_view by = out.where.empty() ? "" : joint(formulas.before);
        if (out.where.empty()) {
            if (!stands_directly_behind(source, formulas)) return out;
            const std::string word = lead_word(formulas.before, false);
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

/// Of what none of the claims before it is said.
void ConditionsOfClaims::add_otherwise(Equation& claim, const ConditionsSaid& before) {
    const bool known = !said_.empty() && before.where.empty() && std::ranges::all_of(said_, &Said::alone);
    claim.led = known ? Equation::Led::where : Equation::Led::words;
    for (const Said& s : said_) {
        const std::string_view by = claim.range.empty() ? "unless" : "or";
        claim.range.push_back({words, by, s.range.empty() ? claim.span : s.range.front().span, false});
        claim.range.insert(claim.range.end(), s.range.begin(), s.range.end());
    }
}

void ConditionsOfClaims::add_to(Equation& claim, Span before_it, Span behind_it) {
    before_it.begin = std::max(before_it.begin, std::min(taken_, before_it.end));
    const bool free = before_it.begin == last_ || before_it.begin == taken_;
    const ConditionsSaid before = conditions_before(*source_, before_it, free);
    const ConditionsSaid behind = conditions_behind(*source_, behind_it, !before.where.empty());
    const bool goes_on = free && source_->slice(before_it).find('.') == std::string_view::npos;
    const bool unread = goes_on && (is_nested_ || unclear_);
    last_ = behind_it.begin;
    taken_ = behind.where.empty() ? last_ : behind.end;
    is_nested_ = before.nested;
    unclear_ = behind.unclear;
    if (!said_.empty() && !same_texts(said_.back().left, *claim.left)) said_.clear();
    claim.range = before.where;
    if (before.otherwise || behind.otherwise) return add_otherwise(claim, before);
    const auto denies = [](const Tokens& t) { return !t.empty() && t.front().kind == words && t.front().text == "unless"; };
    const bool both = !before.where.empty() && !behind.where.empty();
    if (unread || behind.unclear || (both && (denies(before.where) || denies(behind.where) || !behind.other.empty()))) {
        claim.led = Equation::Led::words;
        return;
    }
    if (!behind.other.empty() && !claim.right.empty()) {
        claim.right = by_cases(claim.right, behind.where, behind.other);
        claim.span.end = std::max(claim.span.end, behind.end);
        return;
    }
    if (both) claim.range.push_back({words, "and", claim.range.front().span, false});
    claim.range.insert(claim.range.end(), behind.where.begin(), behind.where.end());
    if (claim.range.empty()) return;
    claim.led = before.at_point ? Equation::Led::at : Equation::Led::where;
    said_.push_back({*claim.left, claim.range, !both && !before.nested && !denies(claim.range)});
}

std::vector<Span> conditions_of_claims(const Source& source, Span text) {
    std::vector<Span> out;
    ConditionsOfClaims conditions(source);
    Document document(source, text, true);
    std::size_t behind = text.begin;
    try {
        while (const std::optional<Part> part = document.next()) {
            if (part->note.kind == note) {
                document.switched_by(part->note);
                continue;
            }
            const Tokens tokens = document.expanded(part->tokens);
            if (!is_claim(tokens)) {
                if (!part->in_line) behind = part->span.end;
                continue;
            }
            Equation claim;
            const auto equals = std::ranges::find_if(tokens, is_equals);
            claim.left = std::make_shared<const Tokens>(tokens.begin(), equals);
            claim.right.assign(equals + 1, tokens.end());
            claim.span = part->span;
            conditions.add_to(claim, {behind, part->span.begin}, {part->span.end, text.end});
            for (const Token& t : claim.range)
                if (t.kind != words) out.push_back(t.span);
            behind = part->span.end;
        }
    } catch (const ProofError&) {  // told where formulas are read
    }
    return out;
}

}  // namespace gradproof::proof::latex
