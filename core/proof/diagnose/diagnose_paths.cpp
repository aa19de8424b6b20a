// Diagnosis: paths that are missing or counted twice, and masks.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gradproof/core/proof/diagnose/repair_search.hpp"
#include "gradproof/core/transforms.hpp"

namespace gradproof::proof {

/// A term that stands twice, or once too often.
void repeated_term(Search& s) {
    for (const Place& p : s.places)
        for (std::size_t i = 0; p.node->kind == Kind::sum && i < p.node->children.size(); ++i) {
            const std::vector<ExprPtr>& terms = p.node->children;
            const std::string term = text_of(*terms[i]);
            for (std::size_t j = 0; j < terms.size(); ++j) {
                if (j == i || text_of(*terms[j]) != term) continue;
                const bool cancels = (p.node->joints[i] == '-') != (p.node->joints[j] == '-');
                if (cancels)
                    s.tries(p.with(without(*p.node, i)), "{} is added and subtracted", term);
                else
                    s.tries(p.with(without(*p.node, i)), "{} is counted twice", term);
            }
        }
}

namespace {

bool is_condition(const Expr& e) {
    return e.kind == Kind::delta || (e.kind == Kind::call && e.name == "step") ||
           (e.kind == Kind::sum && e.children.size() == 2 && is_condition(*e.children[1]));  // 1 - δ[i,j]
}

}  // namespace

/// A term, or a bound, that is not there in truth. The sides of a comparison are no terms.
void extra_terms(Search& s) {
    std::set<const Expr*> compared;
    for_each(*s.right, [&](const Expr& e) {
        if (is_condition(e)) compared.insert({&e, e.children[0].get()});
    });
    for (const Place& p : s.places)
        for (std::size_t i = 0; p.node->kind == Kind::sum && !compared.contains(p.node.get()) && i < p.node->children.size(); ++i)
            s.tries(p.with(without(*p.node, i)), "the term {} does not belong there", p.node->children[i]);
    for (const Place& p : s.places)
        if (p.node->kind == Kind::call && (p.node->name == "max" || p.node->name == "min" || p.node->name == "clip"))
            s.tries(p.with(p.node->children[0]), "{} where {} belongs", p.node, p.node->children[0]);
}

/// A comparison that multiplies, and does not in truth, or one with a number that is one with 0.
void conditions(Search& s) {
    for (const Place& p : s.places)
        for (std::size_t i = 0; p.node->kind == Kind::product && i < p.node->children.size(); ++i)
            if (is_condition(*p.node->children[i]))
                s.tries(p.with(without(*p.node, i)), "the factor {} does not belong there", p.node->children[i]);
    for (const Place& p : s.places) {
        if (p.node->kind != Kind::call || p.node->name != "step" || p.node->children[0]->kind != Kind::sum) continue;
        const Expr& difference = *p.node->children[0];
        for (std::size_t i = 0; i < difference.children.size(); ++i)
            if (difference.children[i]->kind == Kind::number)
                s.tries(Mistake::constant, p.with(call("step", {without(difference, i)})), "{} where 0 belongs",
                        difference.children[i]);
    }
}

namespace {

bool is_row_statistic(const Search& s, const Place& use, std::size_t consumer) {
    if (!use.in_reduction) return false;
    const auto& values = s.claim.draw(0).scope().values;
    const Shape &from = values.find(s.by)->second.shape(),
                &to = values.find(s.claim.proof().forward[consumer].name)->second.shape();
    return to.size() < from.size() && (to.size() > 1 || from.rank() <= 1);
}

/// Where one use of several runs: the largest part of the assignment with this use alone, as the term of a sum.
std::string label_of(const Search& s, const Assignment& a, const ExprPtr& value) {
    ExprPtr part = value, around = value;
    while (mentions(*part, s.by)) {
        around = part;
        const auto one = std::ranges::find_if(part->children, [](const ExprPtr& c) { return mentions(*c, kOneUse); });
        if (one == part->children.end()) break;
        part = *one;
    }
    const std::string text = text_of(*renamed(part, kOneUse, s.by));
    std::size_t alike = 0, before = 0;
    for (const ExprPtr& c : around->children) {
        before += c == part ? alike : 0;
        alike += text_of(*renamed(c, kOneUse, s.by)) == text;
    }
    if (alike == 1 && around->kind == Kind::sum) return fmt::format("the term {} of {}", text, a.name);
    if (alike == 1 && text != s.by) return fmt::format("{} in {}", text, a.name);
    const std::string_view which = alike == 1 ? "the" : before == 0 ? "the first" : before == 1 ? "the second" : "another";
    return fmt::format("{} {} of {} in {}", which, text, renamed(around, kOneUse, s.by), a.name);
}

}  // namespace

std::vector<Use> uses_on_paths(const Search& s) {
    constexpr std::size_t kMostUses = 6;
    std::vector<Use> out;
    const bool jacobian = s.left.kind == Kind::jacobian;
    const std::string& last = jacobian ? s.left.name : s.claim.draw(0).last();
    for (const std::size_t c : s.plan.consumers(s.by)) {
        const Assignment& a = s.claim.proof().forward[c];
        if (a.name != last && (jacobian || !s.plan.reaches(a.name, last))) continue;
        const std::size_t first = out.size();
        for (const Place& p : places(a.value))
            if (p.node->kind == Kind::name && p.node->name == s.by) {
                if (out.size() == kMostUses) return {};
                out.push_back({c, p.with(name(kOneUse)), a.name, is_row_statistic(s, p, c)});
            }
        for (std::size_t i = first; i < out.size() && out.size() - first > 1; ++i) out[i].label = label_of(s, a, out[i].value);
    }
    return out;
}

namespace {

/// What comes back through each use, in each draw.
using Parts = std::vector<std::vector<Tensor<double>>>;

bool differs_by(const Search& s, const Parts& parts, std::size_t subset, double weight) {
    for (std::size_t d = 0; d < s.sides.size(); ++d) {
        const Sides& side = s.sides[d];
        Tensor<double> expected = side.truth.clone();
        for (std::size_t i = 0; i < parts[d].size(); ++i)
            if (subset >> i & 1)
                for (Index e = 0; e < expected.size(); ++e) expected[e] += weight * parts[d][i][e];
        // A path without a gradient of its own explains nothing.
        Sides without_claim = side;
        without_claim.claimed = expected;
        if (!agreement(side.beside(expected)).everywhere() || agreement(without_claim.beside(side.truth)).agree) return false;
    }
    return true;
}

/// The claim with the term that comes through a use: of several that are missing only the last makes the line right, so the
/// caller checks.
ExprPtr with_path(Search& s, const ExprPtr& claimed, const Use& use) {
    const std::vector<ExprPtr> terms = terms_through(s, use);
    for (const ExprPtr& t : terms)
        if (const ExprPtr whole = plus_term(claimed, t); s.mends(whole)) return whole;
    return terms.empty() ? nullptr : plus_term(claimed, terms.front());
}

void path_missing_or_twice(Search& s, const std::vector<Use>& uses, std::size_t subset, bool missing) {
    std::string through;
    bool rows = true, several = false;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        if (!(subset >> i & 1)) continue;
        several = several || uses[i].label != s.claim.proof().forward[uses[i].consumer].name;
        through += (through.empty() ? "" : " and ") + uses[i].label;
        rows = rows && uses[i].row_statistic;
    }
    if (!missing) s.found(Mistake::double_path, nullptr, fmt::format("the path through {} is counted twice", through));
    // Half of the uses in a square: a factor 2, where a term without it stands there.
    if (several) constants_at(s, [](const Place& p) { return p.is_term; });
    // A mean or a sum over the row, in terms of what stands there, says more than the value it came through.
    if (rows) row_terms(s);
    ExprPtr repaired = s.right;
    for (std::size_t i = 0; i < uses.size() && repaired; ++i)
        if (subset >> i & 1) repaired = with_path(s, repaired, uses[i]);
    if (repaired && !s.mends(repaired)) repaired = nullptr;
    s.found(repaired, fmt::format("the path through {} is missing", through));
}

}  // namespace

/// Paths from the value to the loss that are missing from the claim, or counted twice.
void paths(Search& s) {
    const std::vector<Use> uses = uses_on_paths(s);
    if (uses.size() < 2) return;
    Parts parts(s.sides.size());
    for (std::size_t d = 0; d < s.sides.size(); ++d) {
        if (!(s.sides[d].claimed.shape() == s.sides[d].truth.shape())) return;
        for (const Use& u : uses) {
            parts[d].push_back(values_of(s.claim.draw(d).derivatives().path(s.of, u.consumer, u.value)));
            if (parts[d].back().size() != s.sides[d].truth.size()) return;
        }
    }
    const std::size_t all = (std::size_t{1} << uses.size()) - 1;
    for (const bool missing : {true, false})
        for (std::size_t subset = 1; subset <= all - (missing ? 1 : 0); ++subset)
            if (differs_by(s, parts, subset, missing ? -1 : 1)) path_missing_or_twice(s, uses, subset, missing);
}

namespace {

/// Every entry that is off lies where the mask is -inf or 0, and there the truth is 0.
bool only_masked(const Search& s, const std::string& mask) {
    bool leaks = false;
    for (std::size_t d = 0; d < s.sides.size(); ++d) {
        const Tensor<double>&claimed = s.sides[d].claimed, &truth = s.sides[d].truth;
        const Tensor<double>& m = s.claim.draw(d).scope().values.at(mask).value();
        if (!(claimed.shape() == truth.shape()) || !broadcasts_to(m.shape(), truth.shape()) || m.rank() == 0) return false;
        const bool zero_one = std::none_of(m.begin(), m.end(), [](double v) { return std::isinf(v); });
        const Shape strides = broadcast_strides(m.shape(), truth.shape());
        for (const Index e : check::compare(claimed, truth, {.relative = 1e-9, .scale = norm(truth)}).off_at) {
            const Shape at = check::unravel(e, truth.shape());
            Index offset = 0;
            for (int a = 0; a < at.rank(); ++a) offset += at[a] * strides[a];
            const bool forbidden = m[offset] == 0 ? zero_one : m[offset] == -std::numeric_limits<double>::infinity();
            if (!forbidden || truth[e] != 0) return false;
            leaks = true;
        }
    }
    return leaks;
}

void mask_after_softmax(Search& s, const std::string& m, const Place& p) {
    const Expr& n = *p.node;
    const ExprPtr inside = with_child(n, 0, sum(n.children[0], '+', name(m)));
    const auto tries = [&](const ExprPtr& changed) { s.tries(changed, "the mask {} belongs inside the softmax: {}", m, inside); };
    tries(p.with(inside));
    const std::string bare = text_of(n);
    tries(rewritten(s.right, [&](const Expr& e) { return text_of(e) == bare ? inside : nullptr; }));
    for (const Place& q : places(p.with(inside)))
        for (std::size_t i = 0; q.node->kind == Kind::product && i < q.node->children.size(); ++i) {
            const Expr& f = *q.node->children[i];
            const bool mask =
                f.kind == Kind::name ? s.claim.proof().is_constant(f.name) : f.kind == Kind::call && f.name != "softmax";
            if (mask && (i > 0 || q.node->joints[1] != '/')) tries(q.with(without(*q.node, i)));
        }
}

}  // namespace

/// Wrong only where a mask forbids, or a mask put on after the softmax.
void masks(Search& s) {
    std::vector<std::string> masks;
    for (const Given& g : s.claim.proof().given)
        if (!g.differentiable) masks.push_back(g.name);
    for (const std::string& m : masks)
        if (only_masked(s, m)) {
            const ExprPtr masked = product(s.right, '*', name(m));
            s.found(Mistake::mask_leak, !s.index_form && s.mends(masked) ? masked : nullptr,
                    fmt::format("it is wrong only where the mask {} forbids: the gradient leaks through", m));
        }
    for (const std::string& m : masks)
        for (const Place& p : s.places)
            if (p.node->kind == Kind::call && p.node->name == "softmax" && p.node->children.size() == 1)
                mask_after_softmax(s, m, p);
}

}  // namespace gradproof::proof
