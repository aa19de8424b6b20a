// Headings of reports.
#include "gradproof/core/proof/judge/heading.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"

namespace gradproof::proof {
namespace {

/// "X > 0" of an input that is declared so, "p that sum to 1" and "one-hot y" of a constant too, "" of others.
std::string declared_of(const Given& g) {
    if (g.fill == Fill::distribution) return (g.shape.size() > 1 ? "rows of " : "") + g.name + " that sum to 1";
    if (g.fill == Fill::onehot) return (g.shape.size() > 1 ? "one-hot rows of " : "one-hot ") + g.name;
    if (g.fill == Fill::symmetric) return "symmetric " + g.name;
    if (g.fill == Fill::definite) return "symmetric positive definite " + g.name;
    if (!g.differentiable) return "";
    if (g.fill == Fill::positive) return g.name + " > 0";
    return g.fill == Fill::uniform ? fmt::format("{} in ({}, {})", g.name, text_of(*g.parameters[0]), text_of(*g.parameters[1]))
                                   : "";
}

/// What lines are right for: sentences may say otherwise.
void add_reading(const Proof& proof, ProofReport& to) {
    constexpr std::size_t kLongest = 100;
    const auto text = [](const ExprPtr& e) { return written(*e, Notation::notation); };
    const std::set<std::string> used = names_used_in(proof);
    for (const Given& g : proof.given)
        if (!g.hidden() && used.contains(g.name)) {
            const std::string stated = given_text(g, g.name, text);
            to.inputs.push_back(printable(stated.ends_with(" []") ? g.name : stated, kLongest));
        }
    for (const Assignment& a : proof.forward)
        if (!a.inner && (a.is_loss || used.contains(a.name)))
            to.definitions.push_back(printable(a.left() + " = " + text(a.value), kLongest));
}

bool contains_gradient_by(const Expr& left, const std::string& input) {
    return any_part(left, [&](const Expr& e) {
        return (e.kind == Kind::gradient && e.name == input) || (e.kind == Kind::jacobian && e.other == input);
    });
}
/// Inputs that the forward of a program uses, and by which no line is a gradient.
std::vector<std::string> without_gradient(const Proof& proof) {
    std::vector<std::string> out;
    const std::set<std::string> used = names_used_in(proof);
    const auto is_open = [](const JudgedLine& l) { return l.state == JudgedLine::State::unread || l.left == nullptr; };
    if (!proof.has_program || proof.lines.empty() || std::ranges::any_of(proof.lines, is_open)) return out;
    for (const Given& g : proof.given) {
        const auto is_by = [&](const JudgedLine& l) { return contains_gradient_by(*l.left, g.name); };
        if (g.differentiable && !g.hidden() && used.contains(g.name) && std::ranges::none_of(proof.lines, is_by))
            out.push_back(g.name);
    }
    return out;
}

/// Sizes that bound arrays fix, the equal ones together, in the order of the declarations.
std::vector<std::pair<Index, std::vector<std::string>>> sizes_fixed(const Proof& proof, const Bindings& bound) {
    std::map<std::string, Index> fixed;
    for (const Given& g : proof.given) {
        const auto array = bound.find(g.name);
        if (array == bound.end()) continue;
        const Shape& shape = array->second.shape();
        for (std::size_t axis = 0; axis < std::min<std::size_t>(g.shape.size(), static_cast<std::size_t>(shape.rank())); ++axis)
            if (g.shape[axis]->kind == Kind::name) fixed.emplace(g.shape[axis]->name, shape[static_cast<int>(axis)]);
    }
    std::vector<std::pair<Index, std::vector<std::string>>> out;
    for (const Dim& d : proof.dims) {
        const auto found = fixed.find(d.name);
        if (found == fixed.end() || d.value) continue;
        const auto equal = std::ranges::find(out, found->second, [](const auto& one) { return one.first; });
        (equal == out.end() ? out.emplace_back(found->second, std::vector<std::string>()) : *equal).second.push_back(d.name);
    }
    return out;
}

}  // namespace

ProofReport heading_of(const Proof& proof, const Bindings& bound, const Branches& branches) {
    ProofReport report;
    report.file = proof.source->file();
    report.title = proof.title;
    report.of_program = proof.has_program;
    report.start = proof.start;
    std::set<std::string> fixed;
    for (const auto& [size, names] : sizes_fixed(proof, bound)) {
        report.domain.push_back(fmt::format("{} = {}", fmt::join(names, " = "), size));
        fixed.insert(names.begin(), names.end());
    }
    for (const Dim& d : proof.dims)
        if (!d.value && !fixed.contains(d.name)) report.drawn_sizes.push_back(d.name);
    for (const std::string& f : proof.functions) report.domain.push_back("any smooth " + f + " of one number");
    report.domain.insert(report.domain.end(), proof.holds_for.begin(), proof.holds_for.end());
    std::vector<std::string> as_given;
    for (const Given& g : proof.given)
        if (bound.contains(g.name))
            as_given.push_back(g.name);
        else if (const std::string d = declared_of(g); !d.empty())
            report.domain.push_back(d);
    if (!as_given.empty())
        report.domain.push_back(
            fmt::format("{} as {} given", fmt::join(as_given, ", "), as_given.size() > 1 ? "they are" : "it is"));
    if (proof.in_sentences) add_reading(proof, report);
    report.not_claimed = without_gradient(proof);
    const auto told = [&](Span s, const std::string& why) {
        return PassedOver{proof.source->line(s.begin), proof.source->one_line(s), why, proof.source->place(s.begin).in};
    };
    for (const Passed& s : proof.passed_over) report.passed_over.push_back(told(s.span, s.why));
    for (const Span s : proof.updates) report.updates.push_back(told(s, "an update of parameters"));
    for (const Branch& b : branches.all())
        if (const std::string counts = b.counts();
            !counts.empty() && std::ranges::find(report.branches, counts) == report.branches.end())
            report.branches.push_back(counts);
    return report;
}

}  // namespace gradproof::proof
