// What a sentence says of the claim that it leads to.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/accounted.hpp"

namespace gradproof::proof::latex {
namespace {

std::size_t times_in(const std::string& words, const std::string& word) {
    std::size_t out = 0;
    for (std::size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) ++out;
    return out;
}

/// w of \nabla_w L and of \partial y / \partial w.
std::set<std::string> taken_by(const Expr& left) {
    std::set<std::string> out;
    for_each(left, [&](const Expr& part) {
        if (part.kind == Kind::gradient) out.insert(part.name);
        if (part.kind == Kind::jacobian) out.insert(part.other);
    });
    return out;
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

/// "The gradient per sample is", "The Hessian is" and "The gradient with respect to $X$ is", before \nabla_w L of a loss that the
/// text says nothing of the kind of.
std::string Accounted::leads_to_another(const Sentence& s) const {
    std::set<std::string> by;
    bool second = false, any = false;
    for (const JudgedLine& l : proof_.lines) {
        const auto holds = [&](const Mention& m) {
            return m.displayed && m.span.begin <= l.statement.span.begin && l.statement.span.end <= m.span.end;
        };
        if (!l.is_judged() || l.left == nullptr || std::ranges::none_of(s.formulas, holds)) continue;
        any = true;
        by.merge(taken_by(*l.left));
        const std::string_view left = source_.slice(l.left->span);
        second = second || left.find("^2") != left.npos || left.find("^{2}") != left.npos || left.find('H') != left.npos;
    }
    if (!any || !has_any(s.words, {" gradient ", " gradients ", " derivative ", " derivatives ", " hessian ", " for ", " on ",
                                   " over ", " as "}))
        return "";
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

}  // namespace gradproof::proof::latex
