// Terms that change nothing.
#include "gradproof/core/proof/judge/vanishing_terms.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/judge/as_computed.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/judge/vacuous.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

struct Term {
    std::size_t value = 0;  ///< of the forward, which it stands in
    ExprPtr term, without;  ///< without: that value without it
};

/// S.max(axis=1) of S - S.max(axis=1), by which an exponential is shifted: what follows is often the same without it.
bool is_largest_of_rest(const Expr& sum, std::size_t k) {
    const Expr& term = sum.children[k]->kind == Kind::negate ? *sum.children[k]->children[0] : *sum.children[k];
    return sum.children.size() == 2 && term.kind == Kind::call && term.name == "max" && term.children.size() == 1 &&
           text_of(*term.children[0]) == text_of(*sum.children[1 - k]);
}

/// Terms with a function in them that may be flat.
std::vector<Term> terms_of(const Proof& proof) {
    constexpr std::size_t kMost = 8;
    std::vector<Term> out;
    for (std::size_t i = 0; i < proof.forward.size(); ++i)
        for (const Place& p : places(proof.forward[i].value)) {
            if (p.node->kind != Kind::sum) continue;
            for (std::size_t k = 0; k < p.node->children.size() && out.size() < kMost; ++k)
                if (any_part(*p.node->children[k], may_be_flat) && !is_largest_of_rest(*p.node, k))
                    out.push_back({i, p.node->children[k], p.with(without(*p.node, k))});
        }
    return out;
}

/// Whether a term is computed of the value whose gradient a line claims.
bool hangs_on(const ExprPtr& term, const std::string& value, const Plan& plan) {
    return std::ranges::any_of(names_in(*term), [&](const std::string& n) { return n == value || plan.reaches(value, n); });
}

}  // namespace

void judge_vanishing_terms(const Proof& proof, const CheckOptions& options, const JudgeOnce& judge, ProofReport& report) {
    constexpr double kSteep = 10;
    std::vector<std::size_t> lines;
    for (std::size_t i = 0; i < std::min(report.lines.size(), proof.lines.size()); ++i) {
        const JudgedLine& line = proof.lines[i];
        const bool right = line.is_judged() && report.lines[i].is_right() && !report.lines[i].proved;
        if (right && !gradient_claimed(line).empty() && has_large_number(line, proof, kSteep)) lines.push_back(i);
    }
    if (lines.empty() || options.chain) return;
    const Plan plan(proof, options.draw.bind);
    CheckOptions quick = options;
    quick.mutation = quick.diagnose = quick.prove = false;
    for (const Term& t : terms_of(proof)) {
        const auto hangs = [&](std::size_t i) { return hangs_on(t.term, gradient_claimed(proof.lines[i]), plan); };
        if (std::ranges::none_of(lines, hangs)) continue;
        Proof other = proof;
        other.forward[t.value].value = t.without;
        ProofReport lacking;
        try {
            lacking = judge(other, quick);
        } catch (const ProofError&) {  // the shapes do not fit together without it
            continue;
        }
        for (const std::size_t i : lines)
            if (hangs(i) && i < lacking.lines.size() && report.lines[i].is_right() && lacking.lines[i].is_right())
                tell_nothing(report.lines[i],
                             fmt::format("{} of line {} changes nothing in the draws, and without it the line is "
                                         "right, too: shift or scale the inputs, or state smaller constants",
                                         text_of(*t.term), proof.forward[t.value].statement.line));
    }
}

}  // namespace gradproof::proof
