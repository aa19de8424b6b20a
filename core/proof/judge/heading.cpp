// Headings of reports.
#include "gradproof/core/proof/judge/heading.hpp"

#include <algorithm>

#include <fmt/format.h>

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

}  // namespace

ProofReport heading_of(const Proof& proof, const Bindings& bound, const Branches& branches) {
    ProofReport report;
    report.file = proof.source->file();
    report.title = proof.title;
    report.start = proof.start;
    for (const Dim& d : proof.dims)
        if (!d.value) report.drawn_sizes.push_back(d.name);
    for (const std::string& f : proof.functions) report.domain.push_back("any smooth " + f + " of one number");
    report.domain.insert(report.domain.end(), proof.holds_for.begin(), proof.holds_for.end());
    for (const Given& g : proof.given)
        if (const std::string d = declared_of(g); !d.empty() && !bound.contains(g.name)) report.domain.push_back(d);
    for (const Passed& s : proof.passed_over)
        report.passed_over.push_back({proof.source->line(s.span.begin), proof.source->one_line(s.span), s.why});
    for (const Branch& b : branches.all())
        if (const std::string counts = b.counts();
            !counts.empty() && std::ranges::find(report.branches, counts) == report.branches.end())
            report.branches.push_back(counts);
    return report;
}

}  // namespace gradproof::proof
