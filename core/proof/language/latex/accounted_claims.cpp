// What a sentence says of the claim that it leads to.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/accounted.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

/// w of \nabla_w L and of \partial y / \partial w.
std::set<std::string> taken_by(const Expr& left) {
    std::set<std::string> out;
    for_each(left, [&](const Expr& part) {
        if (part.kind == Kind::gradient) out.insert(part.name);
        if (part.kind == Kind::jacobian) out.insert(part.other);
    });
    return out;
}

bool holds(const Mention& m, const JudgedLine& l) {
    return m.span.begin <= l.statement.span.begin && l.statement.span.end <= m.span.end;
}

}  // namespace

/// "The gradient with respect to $X$ is", before one by w; "" where it says nothing of the kind.
std::string Accounted::names_another_input(const Sentence& s, const std::set<std::string>& by) const {
    std::string other;
    for (const Mention& m : s.formulas) {
        if (m.displayed || m.formula.size() != 1 || !m.before.ends_with(" respect to ")) continue;
        const std::string name(m.formula[0].text);
        if (name.size() != 1 || by.contains(name)) return "";
        other = name;
    }
    const bool plain = std::ranges::all_of(by, [](const std::string& name) { return name.size() == 1; });
    return plain ? other : "";
}

/// Whether a claim is a derivative by something else than these.
bool Accounted::is_derived_by_others(const std::set<std::string>& names) const {
    return std::ranges::any_of(proof_.lines, [&](const JudgedLine& l) {
        return l.is_judged() &&
               std::ranges::any_of(taken_by(*l.left), [&](const std::string& by) { return !names.contains(by); });
    });
}

/// F of "the gradient of $F$ is \[ \nabla L = ... \]", where it is neither L nor what L is defined as, and \nabla_X L of "the
/// gradient $\nabla_X L$ is \[ \nabla_w L = ... \]"; "" of others.
std::string Accounted::names_another_value(const Sentence& s) const {
    constexpr std::string_view kOf[] = {" gradient of ", " derivative of ", " jacobian of ", " differentiating "};
    for (std::size_t i = 0; i + 1 < s.formulas.size(); ++i) {
        const Mention& m = s.formulas[i];
        const bool of = std::ranges::any_of(kOf, [&](std::string_view one) { return m.before.ends_with(one); });
        const bool itself = m.before.ends_with(" gradient ") && s.formulas[i + 1].displayed && m.behind == " is ";
        if (m.displayed || (!of && !itself)) continue;
        const auto next = std::find_if(s.formulas.begin() + static_cast<std::ptrdiff_t>(i), s.formulas.end(),
                                       [](const Mention& f) { return f.displayed; });
        const auto claim = std::ranges::find_if(
            proof_.lines, [&](const JudgedLine& l) { return next != s.formulas.end() && l.is_judged() && holds(*next, l); });
        if (claim == proof_.lines.end()) continue;
        const bool other = itself ? !text_of(claim->statement.span).starts_with(text_of(m.span)) : is_of_another_value(m, *claim);
        if (other) return printable(source_.one_line(m.span), kMostShown);
        if (itself) return "";
    }
    return "";
}

/// Whether a formula is another value than the one that the claim is a derivative of.
bool Accounted::is_of_another_value(const Mention& m, const JudgedLine& claim) const {
    const Expr& left = without_indices(*claim.left);
    if (left.kind != Kind::gradient && left.kind != Kind::jacobian) return false;
    const auto is_of = [&](const Assignment& a) { return left.kind == Kind::gradient ? a.is_loss : a.name == left.name; };
    const auto value = std::ranges::find_if(proof_.forward, is_of);
    if (value == proof_.forward.end() || text_of(value->statement.span).ends_with("=" + text_of(m.span))) return false;
    const NameParts p = parts_of(source_, m.formula, 0);
    const bool name = !p.base.empty() && !p.has_above && (p.end == m.formula.size() || m.formula[p.end].is_symbol("("));
    if (name && (!is_value(p.base) || p.base == value->name)) return false;
    return std::ranges::none_of(m.formula, [](const Token& t) { return is_derivative_sign(t) || is_equals(t); });
}

/// Without blanks and what ends a formula.
std::string Accounted::text_of(Span at) const {
    std::string out(source_.slice(at));
    std::erase_if(out, [](char c) { return std::string_view(" \n.,$").find(c) != std::string_view::npos; });
    return out;
}

/// "The gradient per sample is", "The Hessian is" and "The gradient with respect to $X$ is", before \nabla_w L of a loss that the
/// text says nothing of the kind of.
std::string Accounted::leads_to_another(const Sentence& s) const {
    std::set<std::string> by;
    bool second = false, any = false;
    for (const JudgedLine& l : proof_.lines) {
        const bool here = std::ranges::any_of(s.formulas, [&](const Mention& m) { return m.displayed && holds(m, l); });
        if (!here || !l.is_judged() || l.left == nullptr) continue;
        any = true;
        by.merge(taken_by(*l.left));
        const std::string_view left = source_.slice(l.left->span);
        second = second || left.find("^2") != left.npos || left.find("^{2}") != left.npos || left.find('H') != left.npos;
    }
    if (!any || !has_any(s.words, {" gradient ", " gradients ", " derivative ", " derivatives ", " hessian ", " for ", " on ",
                                   " over ", " as ", " differentiating ", " jacobian ", " respect "}))
        return "";
    if (std::string of = names_another_value(s); !of.empty()) return "it speaks of the gradient of " + of;
    const bool one = std::ranges::count_if(s.formulas, [](const Mention& m) { return m.displayed; }) == 1;
    if (!second && one &&
        has_any(s.words, {" hessian ", " second derivative ", " second derivatives ", " laplacian ", " curvature "}))
        return "it speaks of a second derivative";
    if (const std::string other = names_another_input(s, by); !other.empty()) return "it speaks of the gradient by " + other;
    constexpr std::string_view kSubjects[] = {
        "per sample", "per example",  "one sample",  "single sample", "each sample",  "first row",    "batch",
        "minibatch",  "the solution", "the minimum", "the optimum",   "likelihood",   "reward",       "squared error",
        "hinge loss", "student",      "teacher",     "of the inputs", "of the input", "the baseline", "the regularizer"};
    for (const std::string_view subject : kSubjects) {
        const std::string word = " " + std::string(subject) + " ";
        if (s.words.find(word) != s.words.npos && times_in(words_, word) == times_in(s.words, word))
            return fmt::format("\"{}\", which nothing else in the text speaks of", subject);
    }
    return "";
}

/// The one claim of a sentence; nullptr where it has none or several.
const JudgedLine* Accounted::only_claim(const Sentence& s) const {
    const JudgedLine* out = nullptr;
    for (const JudgedLine& l : proof_.lines) {
        const auto has = [&](const Mention& m) { return holds(m, l); };
        if (!l.is_judged() || l.left == nullptr || std::ranges::none_of(s.formulas, has)) continue;
        if (out != nullptr) return nullptr;
        out = &l;
    }
    return out;
}

/// "The gradient of the $i$-th example is", "for each key, the gradient is", of a claim that has no index.
std::string Accounted::speaks_of_one(const Sentence& s) const {
    constexpr std::string_view kOne[] = {"one", "each", "every", "single", "first", "second", "last", "th"};
    constexpr std::string_view kFurther[] = {"key", "query", "class", "row", "column", "feature", "word"};
    constexpr std::string_view kBefore[] = {"for", "of", "at", "on", "the", "to", "by", kFormula, "a"};
    const JudgedLine* const claim = only_claim(s);
    if (claim == nullptr || claim->left->kind == Kind::index) return "";
    if (s.words.find(" for example # is ") != s.words.npos && !has_index_of(s, *claim)) return "one example of several";
    const WordList all = words_of(s.words);
    const std::size_t end = static_cast<std::size_t>(std::ranges::find(all, "is") - all.begin());
    for (std::size_t i = 1; i + 1 < std::min(end + 1, all.size()); ++i) {
        const bool thing = may_be_added(all[i + 1]) || is_one(kFurther, all[i + 1]);
        if (thing && !all[i + 1].ends_with("s") && is_one(kOne, all[i]) && is_one(kBefore, all[i - 1]) &&
            !has_index_of(s, *claim))
            return fmt::format("one {} of several", all[i + 1]);
    }
    return "";
}
/// Whether an index that the words name stands in the claim.
bool Accounted::has_index_of(const Sentence& s, const JudgedLine& claim) const {
    const std::string text = text_of(claim.statement.span);
    return std::ranges::any_of(s.formulas, [&](const Mention& m) {
        return !m.displayed && m.formula.size() == 1 && is_small_letter(m.formula[0]) &&
               (text.find("_" + std::string(m.formula[0].text)) != text.npos ||
                text.find("_{" + std::string(m.formula[0].text)) != text.npos);
    });
}

/// "The gradient with respect to the labels is", "the query gradient is", before one by another letter than these have.
std::string Accounted::names_things_otherwise(const Sentence& s) const {
    struct Named {
        std::string_view stem;    ///< of the noun
        std::string_view others;  ///< letters that stand for other things than that
    };
    constexpr Named kAll[] = {{"label", "wWxXvV"}, {"target", "wWxXvV"}, {"residual", "wWxX"}, {"input", "wWbvV"},
                              {"feature", "wWbv"}, {"weight", "xXyb"},   {"bias", "wWxX"},     {"query", "KVkv"},
                              {"querie", "KVkv"},  {"key", "QVqv"},      {"value", "QKqk"}};
    const JudgedLine* const claim = only_claim(s);
    if (claim == nullptr || claim->left->kind != Kind::gradient || claim->left->name.size() != 1) return "";
    for (const Named& one : kAll)
        for (const char* const ending : {" ", "s "}) {
            const std::string noun = std::string(one.stem) + ending;
            const bool by = s.words.find(" respect to the " + noun) != s.words.npos ||
                            s.words.find(" by the " + noun) != s.words.npos ||
                            s.words.find(" gradient of the " + noun) != s.words.npos ||
                            s.words.find(" gradient for the " + noun) != s.words.npos ||
                            s.words.find(" the " + std::string(one.stem) + " gradient ") != s.words.npos;
            if (by && one.others.find(claim->left->name[0]) != std::string_view::npos)
                return fmt::format("the gradient by the {}, and the claim is one by {}", noun.substr(0, noun.size() - 1),
                                   claim->left->name);
        }
    return "";
}

}  // namespace gradproof::proof::latex
