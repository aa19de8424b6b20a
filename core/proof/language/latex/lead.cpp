// Words before displayed formulas.
#include "gradproof/core/proof/language/latex/lead.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

/// The words of a stretch of text in small letters, "." where a sentence ends.
std::vector<std::string> words_in(std::string_view text) {
    std::vector<std::string> out(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool short_form = c == '.' && (out.back().size() == 1 || text.substr(i + 1).starts_with("\\ "));  // i.e.\ and e.g.
        const bool ends = (c == '.' && !short_form) || c == ';' || (c == '\n' && i + 1 < text.size() && text[i + 1] == '\n');
        if (const char letter = small_letter(c)) {
            out.back() += letter;
            continue;
        }
        if (ends) out.emplace_back(".");
        out.emplace_back();
    }
    std::erase(out, "");
    return out;
}
bool has_word(const std::vector<std::string>& all, std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(all, [&](const std::string& one) { return is_one(any, one); });
}

/// The name that is all of it, "" of others.
std::string name_alone(const Source& source, const Tokens& t) {
    const NameParts p = t.empty() ? NameParts{} : parts_of(source, t, 0);
    return p.end == t.size() ? p.base : "";
}

/// "When the loss is positive,": when it holds, in words alone.
bool is_condition_in_words(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \n\r\t");
    if (last == text.npos) return false;
    const bool then = text.substr(0, last + 1).ends_with("then");
    if (text[last] != ',' && text[last] != ':' && !then) return false;
    std::vector<std::string> words = words_in(text.substr(0, last - (then ? 3 : 0)));
    const auto stop = std::find(words.rbegin(), words.rend(), ".");
    words.erase(words.begin(), stop.base());
    constexpr std::size_t kMostWords = 16, kFewWords = 2;  // "When active:"
    return !words.empty() && words.size() <= kMostWords && is_one(std::array{"when", "whenever", "if", "where"}, words.front()) &&
           (has_word(words, {"is", "are"}) || words.size() <= kFewWords) &&
           !has_word(words, {"we", "used", "applied", "given", "known", "clear", "obvious"});
}

/// "In one dimension, where $\Sigma = \sigma^2$, this is".
bool is_of_special_case(std::string_view text) {
    const std::vector<std::string> words = words_in(text);
    const auto stop = std::find(words.rbegin(), words.rend(), ".");
    const std::vector<std::string> last(stop.base(), words.end());
    const bool one = has_word(last, {"one", "single"}) && has_word(last, {"dimension"});
    return !last.empty() && last[0] == "in" &&
           (one || (has_word(last, {"scalar", "special", "univariate"}) && has_word(last, {"case"})));
}

/// "Treating the target $r + \gamma V(s')$ as a constant,": of what has no name.
bool holds_expression_constant(std::string_view text) {
    const std::size_t end = text.rfind('$'), begin = end == text.npos || end == 0 ? text.npos : text.rfind('$', end - 1);
    if (begin == text.npos || text.find('.', end) != text.npos) return false;
    const std::vector<std::string> behind = words_in(text.substr(end + 1)), before = words_in(text.substr(0, begin));
    const bool constant = behind.size() > 1 && (has_word(behind, {"constant", "fixed"}));
    const auto stop = std::find(before.rbegin(), before.rend(), ".");
    const std::vector<std::string> led(stop.base(), before.end());
    if (!constant || !has_word(led, {"treating", "treat", "holding", "keeping", "regarding", "considering"})) return false;
    const std::string_view formula = text.substr(begin + 1, end - begin - 1);
    return formula.find_first_of("+-(") != formula.npos;
}

/// Of such a condition, on which side of its corner a hinge is.
Lead::Hinge hinge_in(std::string_view text) {
    const std::vector<std::string> words = words_in(text);
    const auto stop = std::find(words.rbegin(), words.rend(), ".");
    const std::vector<std::string> last(stop.base(), words.end());
    if (has_word(last, {"not", "no", "non", "never", "negative", "otherwise", "unless", "all", "label", "class"}))
        return Lead::Hinge::unsaid;
    if (has_word(last, {"active", "positive", "violated", "nonzero"})) return Lead::Hinge::active;
    return has_word(last, {"inactive", "zero", "satisfied"}) ? Lead::Hinge::inactive : Lead::Hinge::unsaid;
}

/// "At test time $\mu$ and $\sigma$ are constants and": what the formula is of is not what the text is of otherwise.
bool is_of_another_time(std::string_view text) {
    const std::vector<std::string> words = words_in(text);
    const auto stop = std::find(words.rbegin(), words.rend(), ".");
    const std::vector<std::string> last(stop.base(), words.end());
    constexpr std::string_view kTimes[] = {"test", "inference", "evaluation", "prediction"};
    return last.size() > 1 && (last[0] == "at" || last[0] == "during") && is_one(kTimes, last[1]) &&
           has_word(last, {"constant", "constants", "fixed", "frozen"});
}

/// Of "adding weight decay $\\frac{\\mu}{2} \\|W\\|^2$ to $L$" the term, where the last sentence says so.
Tokens term_added(const Source& source, Span between) {
    const std::string_view text = source.slice(between);
    if (text.find("add") == text.npos && text.find("Add") == text.npos) return {};
    Document document(source, between, true, false);
    std::size_t behind = between.begin;
    Tokens out, last;
    bool adds = false;
    const auto see_words = [&](std::string_view words) {
        const std::vector<std::string> all = words_in(words);
        if (!last.empty() && !all.empty() && all.front() == "added") out = last;
        const auto stop = std::find(all.rbegin(), all.rend(), ".");
        if (stop != all.rend()) adds = false, out.clear();
        const std::vector<std::string> sentence(stop.base(), all.end());
        adds = adds || has_word(sentence, {"adding", "adds", "add"});
    };
    try {
        while (const std::optional<Part> part = document.next()) {
            if (!part->in_line) continue;
            see_words(source.slice({behind, std::max(behind, part->span.begin)}));
            behind = part->span.end;
            last = tidied(source, document.expanded(part->tokens));
            const bool term = last.size() > 1 && std::ranges::none_of(last, [](const Token& t) {
                                  return is_equals(t) || is_comparison(t) || is_separator(t);
                              });
            if (adds && term && out.empty() && name_alone(source, last).empty()) out = last;
            if (!term) last.clear();
        }
        see_words(source.slice({behind, std::max(behind, between.end)}));
    } catch (const ProofError&) {  // told where formulas are read
        return {};
    }
    return out;
}

/// "with $E$ in place of the second term": what it is of then is not said in a formula.
bool replaces_a_term(std::string_view text) {
    const std::vector<std::string> words = words_in(text);
    const auto stop = std::find(words.rbegin(), words.rend(), ".");
    for (auto w = stop.base(); w != words.end(); ++w)
        if (*w == "place" && w != words.begin() && *(w - 1) == "in" && w + 1 != words.end() && *(w + 1) == "of") return true;
    return false;
}

/// "gates held fixed", of which no formula says what these are.
bool holds_others_constant(std::string_view text) {
    std::vector<std::string> words = words_in(without_formulas(text));
    const auto stop = std::find(words.rbegin(), words.rend(), ".");
    for (auto w = stop.base(); w != words.end() && w + 2 < words.end(); ++w) {
        const bool held = (*(w + 1) == "held" || *(w + 1) == "kept") && (*(w + 2) == "fixed" || *(w + 2) == "constant");
        if (held && *w != "formula" && *w != "is" && *w != "are" && *w != "be") return true;
    }
    return false;
}
/// "The gradient with respect to the logits is": the last clause, up to the formula.
bool calls_it_a_gradient(std::string_view text) {
    constexpr std::string_view kCalled[] = {"gradient", "gradients", "jacobian", "hessian", "derivative", "derivatives", "slope"};
    constexpr std::string_view kVerbs[] = {"is", "are", "reads",   "equals",    "becomes",
                                           "by", "has", "entries", "therefore", "then"};
    constexpr std::string_view kOthers[] = {"descent", "flow",     "step",    "update",    "updates", "norm",
                                            "not",     "no",       "where",   "estimator", "method",  "magnitude",
                                            "sum",     "clipping", "penalty", "normal",    "second"};
    constexpr std::ptrdiff_t kMostBetween = 9;
    std::vector<std::string> words = words_in(without_formulas(text));
    if (const auto stop = std::find(words.rbegin(), words.rend(), "."); stop != words.rend())
        words.erase(words.begin(), stop.base());
    const auto called = std::find_if(words.begin(), words.end(), [&](const std::string& w) { return is_one(kCalled, w); });
    if (called == words.end() || !(is_one(kVerbs, words.back()) || words.back() == "gradients" || words.back() == "derivatives"))
        return false;
    return words.end() - called <= kMostBetween &&
           std::none_of(words.begin(), words.end(), [&](const std::string& w) { return is_one(kOthers, w); });
}

}  // namespace

std::vector<Tokens> added_in(const Source& source, Span text) {
    std::vector<Tokens> out;
    const std::string_view all = source.slice(text);
    if (all.find("add") == all.npos && all.find("Add") == all.npos) return out;
    Document document(source, text);
    std::size_t behind = text.begin;
    while (const std::optional<Part> part = document.next()) {
        if (part->note.kind == Token::Kind::note) continue;
        if (part->span.begin > behind)
            if (Tokens added = term_added(source, {behind, part->span.begin}); !added.empty()) out.push_back(std::move(added));
        behind = part->span.end;
    }
    return out;
}

Lead lead_of(const Source& source, Span between) {
    Lead out;
    if (between.begin >= between.end) return out;
    const std::string_view text = source.slice(between);
    const std::vector<std::string> all = words_in(text.substr(text.rfind('$') == text.npos ? 0 : text.rfind('$')));
    out.gradient = calls_it_a_gradient(text);
    out.gradients = out.gradient && has_word(words_in(without_formulas(text)), {"gradients", "derivatives"});
    out.anew = has_word(all, {"instead", "redefine", "redefining", "alternatively"});
    out.jacobian = has_word(all, {"jacobian"}) && !has_word(all, {"transpose", "transposed"});
    const std::string_view behind_formula = text.substr(text.rfind('$') + 1);
    out.in_words = is_condition_in_words(behind_formula);
    if (out.in_words) out.hinge = hinge_in(behind_formula);
    out.in_words = out.in_words || holds_others_constant(text) || is_of_another_time(text) || replaces_a_term(text) ||
                   is_of_special_case(text) || holds_expression_constant(text);
    out.added = term_added(source, between);
    return out;
}

Equation::Led led_by(const Lead& lead) {
    switch (lead.hinge) {
        case Lead::Hinge::active: return Equation::Led::active;
        case Lead::Hinge::inactive: return Equation::Led::inactive;
        case Lead::Hinge::unsaid: break;
    }
    return Equation::Led::words;
}

}  // namespace gradproof::proof::latex
