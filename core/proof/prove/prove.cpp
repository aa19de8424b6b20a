// Proofs by residues.
#include "gradproof/core/proof/prove/prove.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "gradproof/core/proof/evaluate/branches.hpp"

namespace gradproof::proof {
namespace {

constexpr std::size_t kPoints = 2;
constexpr double kFewest = kPoints, kMost = 128;
constexpr double kEntries = 256;  // at least so many are compared: each has signs of its own, which decide its branches
constexpr double kMostSpent = 2e7, kLeastCost = 1000;  // of all lines; a point costs something whatever its formulas
constexpr double kEarly = 8;                           // an evaluation ends at the first root that is missing
constexpr int kMostRedraws = 512;                      // until every root exists: one in 2^k points has k of them

/// Of all values.
Index total_size(const Instance& draw) {
    Index n = 0;
    for (const auto& [name, value] : draw.scope().values) n += value.value().size();
    return n;
}

}  // namespace

Prover::Prover(const Proof& proof, const Plan& plan, const InstanceOptions& options,
               const std::vector<std::unique_ptr<Instance>>& draws)
    : proof_(proof), plan_(plan), options_(options), random_(0x9e3779b97f4a7c15u) {
    for (const auto& d : draws) all_.draws.push_back(d.get());
    std::stable_sort(all_.draws.begin(), all_.draws.end(),
                     [](const Instance* a, const Instance* b) { return total_size(*a) < total_size(*b); });
}

Tensor<Modular> Prover::random_values(const Given& given, const Instance& draw) {
    const Tensor<double>& drawn = draw.scope().values.at(given.name).value();
    const bool stated = given.fill == Fill::literal || options_.bind.contains(given.name);
    if ((stated && !given.differentiable) || given.fill == Fill::onehot || given.fill == Fill::distribution ||
        given.fill == Fill::index || given.fill == Fill::binary || given.fill == Fill::signs)
        return exact<Modular>(drawn);
    Sign sign = given.fill == Fill::positive ? Sign::positive : Sign::any;
    if (stated && std::all_of(drawn.begin(), drawn.end(), [](double v) { return v > 0; })) sign = Sign::positive;
    if (given.fill == Fill::uniform && !stated) {
        const auto end = [&](std::size_t i) {
            return Evaluator<double>(draw.scope()).matrix(*given.parameters[i]).value().item();
        };
        if (end(0) >= 0) sign = Sign::positive;
        if (end(1) <= 0) sign = Sign::negative;
    }
    Tensor<Modular> x(drawn.shape());
    for (Modular& v : x) v = Modular(Residue::random(random_, sign));
    if (given.fill == Fill::symmetric || given.fill == Fill::definite)
        for (Index i = 0, n = x.shape().last(); i < n; ++i)
            for (Index j = 0; j < i; ++j) x[i * n + j] = x[j * n + i];
    return x;
}

/// Errors: NoResidue, NoRoot, and those of evaluating the forward.
void Prover::renew(Point& point) {
    const Instance& draw = *point.draw;
    point.derivatives.reset();
    Scope<Modular> given{{}, draw.sizes(), {}, {}};
    given.conventions = proof_.conventions;
    for (const Given& g : proof_.given) given.values[g.name] = random_values(g, draw);
    Tensor<Modular> cotangent;
    if (options_.cotangent.defined()) {
        cotangent = exact<Modular>(draw.cotangent());
    } else if (draw.has_cotangent()) {
        cotangent = Tensor<Modular>(draw.cotangent().shape());
        for (Modular& v : cotangent) v = Modular(Residue::random(random_, Sign::any));
    }
    point.derivatives = std::make_unique<Derivatives<Modular>>(proof_, plan_, std::move(given), cotangent);
}

ByResidues Prover::compare_at(Point& point, const Claim& claim, const ExprPtr& right) {
    if (!point.derivatives) renew(point);
    const auto [claimed, truth] = claim.values(right, *point.derivatives);
    using enum ByResidues::Outcome;
    if (claimed.size() != truth.size()) return {differs};
    double degree = 1;
    unsigned opaque = 0;
    for (Index i = 0; i < truth.size(); ++i) {
        const Residue &a = claimed[i].value, &b = truth[i].value;
        if (!(a == b)) return {differs, {0, opaque_names(a.opaque | b.opaque)}};
        degree = std::max(degree, (a - b).degree);
        opaque |= a.opaque | b.opaque;
    }
    spent_ += static_cast<double>(truth.size()) * point.derivatives->work();
    return {proved, {std::log2(degree) - std::log2(static_cast<double>(kResiduePrime)), opaque_names(opaque)}, truth.size()};
}

/// At a point where every root exists, for which it is drawn anew. Where the forward exists, and a root of the claim does not,
/// the new point is for this claim alone: the roots of one line say nothing about the numbers of another.
ByResidues Prover::compare_at_some_root(Point& point, const Claim& claim, const ExprPtr& right) {
    bool forward_exists = false;
    Point own{point.draw, nullptr};
    for (int redraws = 0; redraws < kMostRedraws && (redraws == 0 || spent_ <= kMostSpent); ++redraws) {
        Point& at = redraws > 0 && point.derivatives ? own : point;
        try {
            return compare_at(at, claim, right);
        } catch (const NoRoot&) {
            forward_exists = forward_exists || at.derivatives;
            spent_ += std::max(kLeastCost, point.draw->derivatives().work() / kEarly);
            own.derivatives.reset();
        } catch (const NoResidue&) {
            break;
        } catch (const std::invalid_argument&) {  // of an op, or of a line that takes too much work
            break;
        }
    }
    const auto first = all_.points.begin(), end = first + static_cast<std::ptrdiff_t>(std::min(kPoints, all_.points.size()));
    if (std::any_of(first, end, [&](const Point& p) { return &p == &point; })) possible_ = forward_exists || point.derivatives;
    return {};
}

/// So many that kEntries are compared, but no more than take a while for all lines together. The gradient of a recurrence, which
/// a point computes once, takes the sequence again for each of its `moved` entries.
std::size_t Prover::points_for(Index entries, Index moved, double work) const {
    constexpr double kMostWorkOfAll = 3e6;
    const double n = std::max(1.0, static_cast<double>(entries));
    const double all = work * (n * static_cast<double>(proof_.lines.size()) + static_cast<double>(moved));
    return static_cast<std::size_t>(std::clamp(std::min(kEntries / n, kMostWorkOfAll / std::max(all, 1.0)), kFewest, kMost));
}

/// Of those whose gradients a line uses.
Index Prover::entries_of_recurrences(const Claim& claim, const ExprPtr& right, const Instance& draw) const {
    std::set<std::string> names;
    for (const ExprPtr& side : {claim.line().left, right})
        for_each(*side, [&](const Expr& part) {
            if (part.kind != Kind::gradient && part.kind != Kind::jacobian) return;
            const std::string& name = part.kind == Kind::gradient ? part.name : part.other;
            if (const Assignment* a = proof_.find(name); a != nullptr && a->is_recurrence()) names.insert(name);
        });
    Index out = 0;
    for (const std::string& name : names) out += draw.scope().values.at(name).value().size();
    return out;
}

/// Those of all lines; of a line that is claimed of no entry at their sizes, its own.
Prover::Points& Prover::points_of(const JudgedLine& line) {
    const auto is_claimed = [&](const Instance* draw) { return is_claimed_in(*draw, line); };
    const auto used = static_cast<std::ptrdiff_t>(std::min(kPoints, all_.draws.size()));
    if (std::all_of(all_.draws.begin(), all_.draws.begin() + used, is_claimed)) return all_;
    if (std::exchange(condition_, line.holds) == line.holds) return where_it_holds_;
    where_it_holds_ = {};
    std::ranges::copy_if(all_.draws, std::back_inserter(where_it_holds_.draws), is_claimed);
    return where_it_holds_;
}

Prover::Point& Prover::Points::at(std::size_t i) {
    while (points.size() <= i) points.push_back({draws[std::min(points.size() % kPoints, draws.size() - 1)], nullptr});
    return points[i];
}

/// In the largest draw, where it is large: a sum that is cut off at 50 is that of fewer, there alone.
bool Prover::differs_in_large_sizes(const Points& all, const Claim& claim, const ExprPtr& right) {
    constexpr Index kSeveral = 4;
    constexpr double kMostWork = 1e5;
    Instance* const largest = all.draws.back();
    if (total_size(*largest) < kSeveral * total_size(*all.draws.front()) || largest->derivatives().work() > kMostWork)
        return false;
    Point point{largest, nullptr};
    return compare_at_some_root(point, claim, right).outcome == ByResidues::Outcome::differs;
}

ByResidues Prover::prove(const Claim& claim, const ExprPtr& right) {
    using enum ByResidues::Outcome;
    if (!possible_) return {};
    ByResidues out{proved};
    Points& all = points_of(claim.line());
    if (all.draws.empty()) return {};
    std::size_t points = kPoints;
    for (std::size_t i = 0; i < points; ++i) {
        if (i >= kPoints && spent_ > kMostSpent) break;
        const ByResidues at = compare_at_some_root(all.at(i), claim, right);
        if (at.outcome == open && i >= kPoints) break;  // the others say enough
        if (at.outcome != proved) return at;
        if (i < kPoints) out.proved.error_log2 += at.proved.error_log2;
        out.proved.opaque = at.proved.opaque;
        if (i == 0 && differs_in_large_sizes(all, claim, right)) return {.outcome = differs, .in_large_sizes = true};
        points = points_for(at.entries, entries_of_recurrences(claim, right, *all.at(i).draw), all.at(i).derivatives->work());
    }
    return out;
}

}  // namespace gradproof::proof
