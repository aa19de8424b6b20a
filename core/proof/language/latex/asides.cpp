// Definitions within sentences.
#include "gradproof/core/proof/language/latex/asides.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/latex/conditions_of_claims.hpp"
#include "gradproof/core/proof/language/latex/lead.hpp"
#include "gradproof/core/proof/language/latex/means_said.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/piecewise.hpp"
#include "gradproof/core/proof/language/latex/property_formulas.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// The word at the end of a stretch of text, which is cut off, in small letters; "." where a sentence has ended behind it.
std::string take_last_word(std::string_view& text) {
    std::string out;
    for (; !text.empty(); text.remove_suffix(1)) {
        const char c = text.back();
        if (const char letter = small_letter(c))
            out.insert(out.begin(), letter);
        else if (!out.empty())
            break;
        else if (c == '.' || c == ';')
            return ".";
    }
    return out;
}

/// Behind these "to" says what a name is.
bool is_set(std::string_view word) { return word == "fixed" || word == "set" || word == "equal" || word == "tied"; }

/// Behind these "from" and "at" say what a sequence begins with.
bool is_start(std::string_view word) {
    constexpr std::string_view kAll[] = {"start",     "starts",      "starting",    "begin",       "begins",
                                         "beginning", "initialised", "initialized", "initialises", "initializes"};
    return is_one(kAll, word);
}

/// Behind these words a formula, and what is joined to it by "and", says where something holds.
bool says_where(std::string_view word) {
    constexpr std::string_view kAll[] = {"for", "at", "not", "only", "than", "from", "to", "until", "without", "unlike"};
    return is_one(kAll, word);
}
/// "typically $c = d^{-1/2}$" says what is usual, and no value.
bool is_usual(std::string_view word) {
    constexpr std::string_view kAll[] = {"typically", "usually", "often", "commonly", "sometimes"};
    return is_one(kAll, word);
}
/// Behind these all formulas of the clause belong to a case.
bool opens_a_case(std::string_view word) {
    constexpr std::string_view kAll[] = {"if",      "iff",  "when", "whenever", "whether",  "once",   "unless",
                                         "implies", "such", "case", "assume",   "assuming", "suppose"};
    return is_one(kAll, word);
}

/// Of "with $\lambda = 0.1$"; 0 and 1 are cases, and a Latin letter may be a size or an index.
bool gives_number(const NameParts& left, const Equation& e, std::string_view word) {
    constexpr std::string_view kGives[] = {"with", "let", "set", "fix", "where", "take", "and"};
    return is_one(kGives, word) && left.base.size() > 1 && !left.has_above && e.right.size() == 1 && e.right[0].text != "0" &&
           e.right[0].text != "1";
}

/// \log \mu and \log \frac{p}{1 - p}.
bool is_link(const Source& source, const Tokens& left) {
    if (left.size() < 2 || !(left[0].is_command("\\log") || left[0].is_command("\\ln"))) return false;
    if (left[1].is_command("\\frac")) return true;
    const NameParts p = parts_of(source, left, 1);
    return !p.base.empty() && p.end == left.size();
}

/// A name on the left, and on the right no number alone, but for h_0 = 0 and what is given so.
bool defines(const Source& source, const Equation& e, std::string_view word) {
    if (!e.left || e.left->empty() || e.right.empty() || !e.range.empty()) return false;
    if (std::any_of(e.left->begin(), e.left->end(), is_derivative_sign)) return false;
    if (is_link(source, *e.left)) return true;
    const NameParts p = parts_of(source, *e.left, 0);
    if (p.base.empty() || (p.end != e.left->size() && !(*e.left)[p.end].is_symbol("("))) return false;
    if (!own_transpose(source, *e.left, e.right).empty()) return false;  // A = A^\top says that it is symmetric
    const bool begins = p.has_below && flat(source, p.below) == "0";
    return !std::any_of(e.right.begin(), e.right.end(), is_dots) && (!is_number(e.right) || begins || gives_number(p, e, word));
}

/// Behind these words stands what is so already.
bool restates(std::string_view word) {
    constexpr std::string_view kAll[] = {"since", "as",    "because", "recall", "recalling", "that", "where", "so",  "hence",
                                         "thus",  "using", "note",    "and",    "by",        "is",   "use",   "have"};
    return is_one(kAll, word);
}

/// "If $\lambda = 0$, then $L = ...$" and "For instance, $y = x$ for positive inputs": a remark on a case, behind which the value
/// is again what it was.
bool remarks(const Source& source, std::size_t at) {
    const std::string_view text = source.text().substr(0, at);
    std::size_t begin = 0;
    for (const std::string_view end : {". ", ".\n", "\n\n", "\\]", "\\end{"})
        if (const std::size_t found = text.rfind(end); found != text.npos) begin = std::max(begin, found + end.size());
    const std::string words = plain_words(text.substr(begin));
    if (has_any(words, {" replaced ", " replace ", " replacing "})) return false;  // what follows is of that
    return has_any(words, {" if ", " for instance ", " for example ", " near ", " in the limit ", " recover ", " recovers ",
                           " sanity ", " clearly ", " regime ", " orthant ", " setting ", " linear activation ", " special case ",
                           " ordinary ", " suppose ", " in case ", " when ", " to first order "});
}

/// "We now use $L = ...$"
bool says_now(std::string_view before) {
    const std::string words = plain_words(before);
    return words.ends_with(" now use ") || words.ends_with(" now take ") || words.ends_with(" instead use ");
}
/// "$L = ...$, that is, $L = ...$"
bool says_it_again(std::string_view before) {
    constexpr std::string_view kAll[] = {" that is ",         " that is to say ", " i e ",
                                         " or equivalently ", " equivalently ",   " in other words ",
                                         " namely ",          " so that is ",     " which is to say "};
    return is_one(kAll, plain_words(before));
}

/// "The measurement is $y = C x + v$" says how data come about, and not what y is.
bool tells_of_data(std::string_view before) {
    std::string sentence(before.substr(std::min(before.rfind('.') + 1, before.size())));
    for (char& c : sentence) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    constexpr std::string_view kAll[] = {"measurement", "observation", "observe", "noisy"};
    return std::ranges::any_of(kAll, [&](std::string_view w) { return sentence.find(w) != std::string::npos; });
}

/// "A solution is $w = ...$", "so that $w = ...$ is optimal": what the words around it call a point where something is least.
bool tells_of_optimum(std::string_view before, std::string_view after) {
    const auto small = [](std::string_view text) {
        std::string out(text);
        for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return out;
    };
    const std::string sentence = small(before.substr(std::min(before.rfind('.') + 1, before.size())));
    const std::string behind = small(after.substr(0, after.find_first_of(".$\\")));
    constexpr std::string_view kOptima[] = {"solution", "minimiser", "minimizer", "maximiser",        "maximizer",
                                            "optimum",  "minimum",   "maximum",   "stationary point", "to zero",
                                            "vanishes", "optimal",   "solved by", "minimised by",     "minimized by"};
    const auto speaks = [&](const std::string& text) {
        return std::ranges::any_of(kOptima, [&](std::string_view w) { return text.find(w) != text.npos; });
    };
    return speaks(sentence) || ((behind.starts_with(" is ") || behind.starts_with("\nis ")) && speaks(behind)) ||
           behind.starts_with(" solves");
}

/// "In one dimension, where $\Sigma = \sigma^2$": what is said there goes for that case alone.
bool tells_of_special_case(std::string_view before) {
    std::string sentence(before.substr(std::min(before.rfind('.') + 1, before.size())));
    for (char& c : sentence) c = c == '\n' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    constexpr std::string_view kAll[] = {"in one dimension", "scalar case",          "special case",
                                         "univariate case",  "one-dimensional case", "at a stationary",
                                         "at the optimum",   "at an optimum",        "at convergence"};
    return std::ranges::any_of(kAll, [&](std::string_view w) { return sentence.find(w) != std::string::npos; });
}

/// An equation of a sentence, and the word before its formula.
struct Aside {
    Equation equation;
    std::string word;
    bool in_a_chain = false, ends_in_number = false;
    bool conditional = false;  ///< it says where something holds
    Span before{};             ///< the words between the formula before and this one
    Span since{};              ///< what stands between the last claim and this formula
    Span behind{};             ///< what stands behind it
};
std::vector<Aside> asides_in(const Source& source, Span text) {
    std::vector<Aside> out;
    const Piecewise cases(source, text);
    Document document(source, text, true);
    std::size_t behind = text.begin, claim = text.begin;
    bool in_a_case = false, where = false, begins = false;
    bool restated = false, behind_formula = false;  // of the formula before
    while (const std::optional<Part> part = document.next()) {
        const Span words{behind, std::max(behind, part->span.begin)};
        std::string_view before = source.slice(words);
        const std::string_view for_it = before.substr(std::min(before.find_last_not_of(" \n~\t") + 1, before.size()));
        const bool opens = before.substr(0, before.size() - for_it.size()).ends_with("For");  // a sentence
        const std::string_view said = before;
        std::string word = take_last_word(before);
        if (word == "that") word = take_last_word(before);
        if (std::string_view rest = before; word == "to" && is_set(take_last_word(rest)))
            word = "set";  // "is fixed to $w = X^\top u$"
        if (std::string_view rest = before; (word == "from" || word == "at") && is_start(take_last_word(rest)))
            word = "with";  // "starts from $h_0 = 0$"
        behind = part->span.end;
        const bool other = said.find("otherwise") != std::string_view::npos || said.find("elsewhere") != std::string_view::npos;
        in_a_case = opens_a_case(word) || (in_a_case && !other && (word.empty() || word == "and"));  // "and 0 otherwise, and $L$"
        const bool apart = said.find(',') != std::string_view::npos;  // "for $j > i$, and $o_i = ...$"
        where = says_where(word) || (where && word == "and" && !apart);
        begins = opens || (begins && word == "and");
        if (part->note.kind == note) document.switched_by(part->note);
        if (!part->in_line || tells_of_data(before) || cases.is_part(part->span.begin) || is_usual(word)) continue;
        if (const Equation* const all = cases.of(part->span.begin)) {
            out.push_back({*all, word, false, false, false, words, words});
            continue;
        }
        try {
            const std::vector<Equation> all = equations_of(source, {{}, document.expanded(part->tokens), part->span});
            const bool named = word == "if" && all.size() == 1 && names_derivative(source, all[0]);
            const bool goes_on = word == "and" && behind_formula && before.find('.') == std::string_view::npos;
            restated = goes_on ? restated : restates(word);
            behind_formula = true;
            const bool chain = std::ranges::any_of(all, [](const Equation& e) { return e.chained; });
            const bool number = std::ranges::any_of(all, [](const Equation& e) { return is_number(e.right); });
            for (Equation e : all) {
                const bool derives = std::ranges::any_of(e.right, is_derivative_sign) ||
                                     (e.left && std::ranges::any_of(*e.left, is_derivative_sign));
                e.restates = goes_on ? restated : restates(word) && !says_now(said);
                e.restates = e.restates || (!derives && remarks(source, part->span.begin));
                e.repeats = says_it_again(said) || (e.chained && !number && !restates(word));
                e.alternative = word == "or";
                e.demanded = e.demanded || tells_of_optimum(said, source.slice({part->span.end, text.end}));
                const bool conditional = tells_of_special_case(before) || (in_a_case && !named) ||
                                         (where && !(begins && !in_a_case && e.right.size() > 2));
                out.push_back({std::move(e), word, chain, number, conditional, words, {claim, words.end}, {behind, text.end}});
                if (derives) claim = behind;
            }
        } catch (const ProofError&) {  // a remark
        }
    }
    return out;
}

/// p = \sigma(x) of "define $p = \sigma(x) = 1 / (1 + e^{-x})$", of which the further links are claimed.
bool begins_chain(const Source& source, const Aside& a) {
    const Equation& e = a.equation;
    const bool said_before = restates(a.word) && a.word != "and" && a.word != "where";
    if (e.chained || a.ends_in_number || said_before || e.right.empty()) return false;
    const NameParts p = parts_of(source, e.right, 0);
    return p.base.empty() || p.end != e.right.size();  // of v = w = 0 nothing
}

/// Behind these words a gradient is claimed, also one that a single name says.
bool leads_to_claim(std::string_view word) {
    constexpr std::string_view kAll[] = {"so",      "hence",    "thus",         "therefore", "obtain",   "obtains",     "get",
                                         "gets",    "yields",   "gives",        "find",      "finds",    "see",         "follows",
                                         "implies", "conclude", "consequently", "similarly", "likewise", "analogously", "then",
                                         "have",    "has",      "accordingly",  "is",        "reads",    "becomes",     "equals"};
    return is_one(kAll, word);
}
/// Behind these it is given, named, wanted or denied.
bool leads_to_no_claim(std::string_view word) {
    constexpr std::string_view kAll[] = {
        "let",       "where",      "with",      "denote",     "denotes",    "denoting", "define",   "defines",   "defining",
        "write",     "writes",     "writing",   "put",        "set",        "setting",  "take",     "given",     "give",
        "know",      "known",      "for",       "at",         "if",         "when",     "whenever", "assume",    "assuming",
        "suppose",   "supposing",  "want",      "wants",      "require",    "requires", "seek",     "solve",     "solving",
        "call",      "calls",      "called",    "say",        "not",        "than",     "unless",   "without",   "satisfy",
        "satisfies", "satisfying", "condition", "conditions", "abbreviate", "or",       "notation", "shorthand", "equation",
        "system",    "ode",        "instead",   "mistake",    "wrong",      "false"};
    return is_one(kAll, word);
}

/// \partial y_i / \partial x_j of (\partial y / \partial x)_{ij} = \partial y_i / \partial x_j.
bool says_layout(const Source& source, const Tokens& right) {
    if (right.empty() || is_derivative_sign(right[0])) return !right.empty();
    const bool fraction = is_fraction(right[0]) && right.size() > 2 && is_derivative_sign(right[2]);
    return fraction && end_of_group(source, right, end_of_group(source, right, 1)) == right.size();
}

/// The bases of all names of a text.
std::set<std::string> bases_of(const Source& source, Span text) {
    std::set<std::string> out;
    each_formula(source, text, [&](const Part&, const Tokens& all) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (const NameParts p = parts_of(source, all, i); !p.base.empty()) out.insert(p.base);
    });
    return out;
}
/// \nabla_x L, and dP where there is a P.
bool is_gradient(const Source& source, const Tokens& left, const std::set<std::string>& bases) {
    if (std::ranges::any_of(left, is_derivative_sign)) return true;
    const NameParts p = left.size() > 1 && left[0].is(letter, "d") ? parts_of(source, left, 1) : NameParts{};
    return p.end == left.size() && bases.contains(p.base);
}

/// "let $L = \frac12 \sum_i x_i^2$, that is, $L = \sum_i x_i^2$": the second is claimed of the first.
bool repeats_another_way(const Source& source, const Equation& before, const Equation& e) {
    const auto names = [&](const Equation& one) {
        const bool read = one.left && !one.left->empty() && !one.right.empty() && !is_derivative_sign(one.left->front());
        return read ? parts_of(source, *one.left, 0) : NameParts{};
    };
    if (!e.repeats || !e.range.empty()) return false;
    const NameParts first = names(before), second = names(e);
    return !first.base.empty() && first.base == second.base && second.end == e.left->size() && !same_texts(before.right, e.right);
}

/// Of "if $x_i > 0$, $\partial L / \partial x_i = 1$", and not of "if $x_i > 0$ and $\partial L / \partial x_i = 1$".
bool follows_condition(const Source& source, const Aside& a, const ConditionsOfClaims& conditions) {
    const std::string_view text = source.slice(a.before);
    const std::string before = plain_words(text);
    if (before == " and " && conditions.stands_behind_taken(a.before.begin)) return true;  // "... if $x > 0$, and $...$"
    const bool joined = before == " " ? text.find(',') == text.npos : before == " and " || before == " or ";
    return !joined && (a.conditional || before == " ") && !conditions_before(source, a.since, true).where.empty();
}

/// What "When the loss is positive," and "for $x_i > 0$" say of the claim beside them.
Equation under_its_condition(const Source& source, Aside a, ConditionsOfClaims& conditions) {
    const Lead lead = lead_of(source, a.before);
    Equation& e = a.equation;
    if (lead.in_words) {
        e.led = led_by(lead);
        return std::move(e);
    }
    conditions.add_to(e, a.since, a.behind);
    return std::move(e);
}

}  // namespace

bool names_derivative(const Source& source, const Equation& e) {
    if (!e.left || e.left->empty() || e.right.empty()) return false;
    const NameParts p = parts_of(source, *e.left, 0);
    const bool fraction = e.right[0].is_command("\\frac") && std::ranges::any_of(e.right, is_derivative_sign);
    return !p.base.empty() && p.end == e.left->size() && (fraction || is_derivative_sign(e.right[0]));
}

bool is_number(const Tokens& t) {
    return std::ranges::all_of(t, [](const Token& one) { return one.kind == digits || one.is_symbol("-"); });
}

std::vector<Equation> equations_within_sentences(const Source& source, Span text) {
    std::vector<Equation> out;
    for (Aside& a : asides_in(source, text))
        if (!a.in_a_chain && !a.conditional) out.push_back(std::move(a.equation));
    return out;
}

std::vector<Equation> equations_of_cases(const Source& source, Span text) {
    std::vector<Equation> out;
    for (Aside& a : asides_in(source, text))
        if (a.conditional && a.equation.right.size() > 2) out.push_back(std::move(a.equation));
    return out;
}

std::vector<Equation> suppositions_within_sentences(const Source& source, Span text) {
    constexpr std::string_view kSupposes[] = {"if", "suppose", "assume", "when"};
    std::vector<Equation> out;
    for (Aside& a : asides_in(source, text)) {
        const bool supposed = a.conditional && is_one(kSupposes, a.word) && !a.in_a_chain && a.equation.right.size() > 2;
        if (supposed && defines(source, a.equation, a.word)) out.push_back(std::move(a.equation));
    }
    return out;
}

std::vector<Equation> claims_within_sentences(const Source& source, Span text) {
    std::vector<Equation> out;
    std::string lead;
    const std::set<std::string> bases = bases_of(source, text);
    Equation before;
    ConditionsOfClaims conditions(source);
    for (Aside& a : asides_in(source, text)) {
        lead = a.word == "and" || a.word.empty() ? lead : a.word;  // so ..., ... and ...
        const Equation& e = a.equation;
        if (!a.conditional && repeats_another_way(source, before, e)) {
            out.push_back(e);
            continue;
        }
        before = e;
        const bool derivative = e.left && !e.left->empty() && is_gradient(source, *e.left, bases);
        if (!derivative || !e.range.empty()) continue;
        const bool under_condition = follows_condition(source, a, conditions);
        if (a.conditional && !under_condition) continue;
        const NameParts name = e.right.empty() ? NameParts{} : parts_of(source, e.right, 0);
        const bool named = !name.base.empty() && name.end == e.right.size();
        const bool claimed =
            under_condition || leads_to_claim(lead) || (!named && !says_layout(source, e.right) && !leads_to_no_claim(lead));
        if (!claimed) continue;
        const bool number = is_number(e.right);  // a remark, unless it says where that is so
        Equation one = under_its_condition(source, std::move(a), conditions);
        if (!number || one.led == Equation::Led::where) out.push_back(std::move(one));
    }
    return out;
}

std::vector<Equation> defined_within_sentences(const Source& source, Span text) {
    std::vector<Equation> out = means_said(source, text);
    for (Aside& a : asides_in(source, text)) {
        try {
            const bool alone = !a.in_a_chain || begins_chain(source, a);
            if (alone && !a.conditional && defines(source, a.equation, a.word)) out.push_back(std::move(a.equation));
        } catch (const ProofError&) {  // of names that are not read
        }
    }
    return out;
}

}  // namespace gradproof::proof::latex
