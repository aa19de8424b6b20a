// Draws beyond the usual ones.
#include "gradproof/core/proof/judge/further_draws.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

using check::Verdict;

namespace {

/// 1e20 x, x / 1e-20.
bool is_steep(const Expr& e) {
    constexpr double kSteep = 1e9;
    return any_part(e, [](const Expr& part) {
        if (part.kind != Kind::product) return false;
        for (std::size_t i = 0; i < part.children.size(); ++i) {
            const double x = part.children[i]->kind == Kind::number ? std::abs(part.children[i]->number) : 1;
            const bool divides = i > 0 && part.joints[i] == '/';
            if (divides ? x > 0 && x <= 1 / kSteep : x >= kSteep) return true;
        }
        return false;
    });
}

/// Whether an entry of what is compared is exactly 0, or whole: what holds there is seen where ties are looked for.
bool is_on_edge(const Instance& draw, const Branch& branch) {
    const std::vector<double> all = values_compared(draw, branch);
    return std::ranges::any_of(all, [&](double v) { return v == (branch.by == Branch::By::whole ? std::round(v) : 0); });
}

/// X of 0 - X.
const Expr& without_zero(const Expr& e) {
    return e.kind == Kind::sum && e.children.size() == 2 && is_number(*e.children[0], 0) ? *e.children[1] : e;
}

}  // namespace

std::string doubt_of(Instance& d, const Expr& e) {
    std::string doubt;
    for_each(e, [&](const Expr& part) {
        if (!doubt.empty()) return;
        if (part.kind == Kind::jacobian) doubt = d.doubt_of_jacobian(part.name, part.other);
        if (part.kind != Kind::gradient) return;
        const TrueGradient& g = d.gradient(part.name);
        if (!g.confirmed && g.reached) doubt = g.doubt;
    });
    return doubt;
}

/// Whether there is time for one more draw of so many entries. What other lines took leaves each line its share, for a while.
bool FurtherDraws::may_look(Asked& asked, Instance& draw) {
    constexpr double kMost = 3e7, kMostWithShares = 3e8, kShare = 4e6, kLeast = 1e4;
    if (asked.work >= kMostWithShares || (asked.work >= kMost && asked.own >= kShare)) return false;
    const double more = std::max(kLeast, draw.derivatives().work() * static_cast<double>(std::max<Index>(asked.entries, 1)));
    asked.work += more;
    asked.own += more;
    return true;
}

/// Whether it is a branch of the forward or of this line, not of another.
bool FurtherDraws::concerns(const Branch& branch, const JudgedLine& line) const {
    const auto has = [&](const JudgedLine& l) {
        return branch.whole == l.left.get() || branch.whole == l.right.get() || branch.whole == l.holds.get();
    };
    return branch.whole == nullptr || has(line) || std::ranges::none_of(proof_.lines, has);
}

/// How the sides differ in a draw; nullopt where they agree or one is not finite.
std::optional<Agreement> FurtherDraws::difference(const JudgedLine& line, Draws& draws, std::size_t i) const {
    const Claim c(line, proof_, draws);
    const Agreement a = agreement_of(c.sides(i, line.right), [&] { return c.precise_sides(i, line.right); });
    const bool finite = a.worst && std::isfinite(a.worst->claimed) && std::isfinite(a.worst->truth);
    if (a.agree || !a.same_shape || !finite) return std::nullopt;
    // floor(2 sigmoid(x)) is 2 only where the sigmoid is rounded to 1.
    return branches_.any_by_rounding(*draws[i], Branch::By::whole) ? std::nullopt : std::optional(a);
}

/// Whether an entry is claimed to be 0/0 or the like whose true value is a number, also with the range of quadruple precision.
bool FurtherDraws::has_no_value(const JudgedLine& line, Draws& draws, std::size_t i) const {
    const Claim c(line, proof_, draws);
    const auto lacks = [](const Sides& s) {
        for (Index k = 0; k < std::min(s.claimed.size(), s.truth.size()); ++k)
            if (std::isnan(s.claimed[k]) && std::isfinite(s.truth[k])) return true;
        return false;
    };
    try {
        return lacks(c.sides(i, line.right)) && lacks(c.precise_sides(i, line.right));
    } catch (const std::invalid_argument&) {  // an op of a plugin, of doubles only
        return false;
    }
}

/// Where the sides differ in a draw, and differences confirm what is true there: the finding takes the draw.
std::optional<Finding> FurtherDraws::wrong_in(const JudgedLine& line, Draws& draws, std::size_t i) const {
    std::optional<Agreement> a;
    try {
        a = difference(line, draws, i);
    } catch (const EvaluationError&) {  // a large draw takes more steps than there may be
    }
    if (!a || !doubt_of(*draws[i], *line.left).empty() || !doubt_of(*draws[i], *line.right).empty()) return std::nullopt;
    return Finding{Verdict::wrong, "", a, std::move(draws[i])};
}
std::optional<Finding> FurtherDraws::wrong_in(const JudgedLine& line, std::unique_ptr<Instance> draw) const {
    Draws draws;
    draws.push_back(std::move(draw));
    return wrong_in(line, draws, 0);
}

/// What residues tell apart: a combination of branches may be wrong that no draw has met.
std::optional<Finding> FurtherDraws::look_closer(Asked& asked, Instance& usual) {
    constexpr int kFurther = 64, kFirst = 1000;
    constexpr double kSpreads[] = {1, 4, 16, 0.25, 1e-2, 1e-5};  // softmax(1e5 X) is soft in the last alone
    for (int i = 0; i < kFurther && may_look(asked, usual); ++i) {
        InstanceOptions options = options_;
        options.spread = kSpreads[static_cast<std::size_t>(i) % std::size(kSpreads)];
        if (auto found = wrong_in(asked.line, std::make_unique<Instance>(proof_, plan_, options, kFirst + i))) return found;
    }
    return std::nullopt;
}

/// Beside the places where branches change their side, right there and a billionth of the way off, and where the line is wrong
/// there, as far from them as it is so.
std::optional<Finding> FurtherDraws::look_at_boundaries(Asked& asked) {
    constexpr double kFarthest = 0.1, kNearest = 1e-8, kBeside = 1e-9;
    if (!crossings_) {
        crossings_ = crossings(proof_, plan_, options_, branches_);
        std::ranges::copy(touches(proof_, plan_, options_, branches_), std::back_inserter(*crossings_));
        for (const Crossing& c : *crossings_)
            for (const double t : {c.before - kBeside, c.before, c.after, c.after + kBeside})
                beside_.push_back(c.along->at(std::clamp(t, 0.0, 1.0)));
    }
    constexpr std::size_t kOfEach = 4;
    const Branch* too_near = nullptr;
    for (std::size_t i = 0; i < beside_.size(); ++i) {
        const Crossing& c = (*crossings_)[i / kOfEach];
        if (!concerns(*c.branch, asked.line)) continue;
        if (!may_look(asked, *beside_[i])) break;
        if (is_steep(*c.branch->compared))
            return Finding{Verdict::cannot_tell,
                           fmt::format("{} is so steep that what lies next to where it changes its side is not seen: state a "
                                       "smaller factor",
                                       text_of(*c.branch->at))};
        const bool differs = difference(asked.line, beside_, i) && !is_on_edge(*beside_[i], *c.branch) &&
                             Claim(asked.line, proof_, beside_).differs(i, asked.line.right);  // and not by rounding
        if (!differs) continue;
        const bool is_before = i % kOfEach < kOfEach / 2;
        for (double away = kFarthest; away > kNearest; away /= 4) {
            const double t = std::clamp(is_before ? c.before - away : c.after + away, 0.0, 1.0);
            if (auto found = wrong_in(asked.line, c.along->at(t))) return found;
        }
        too_near = c.branch;
    }
    if (too_near == nullptr) return std::nullopt;
    return Finding{Verdict::cannot_tell,
                   fmt::format("next to where {} changes its side the two sides of the line differ, too near to it for "
                               "differences to confirm: state one threshold, or two that are further apart",
                               text_of(*too_near->at))};
}

/// Where several branches are on certain sides together.
std::optional<Finding> FurtherDraws::look_at_combinations(Asked& asked) {
    std::vector<const Branch*> of;
    for (const Branch& b : branches_.all())
        if (decides(b) && concerns(b, asked.line)) of.push_back(&b);
    auto found_for = combined_.find(of);
    if (found_for == combined_.end()) found_for = combined_.emplace(of, draws_of_combinations(proof_, plan_, options_, of)).first;
    Draws& combined = found_for->second;
    for (std::size_t i = 0; i < combined.size() && may_look(asked, *combined[i]); ++i)
        if (auto found = wrong_in(asked.line, combined, i)) {
            combined.erase(combined.begin() + static_cast<std::ptrdiff_t>(i));
            return found;
        } else if (has_no_value(asked.line, combined, i)) {
            return Finding{Verdict::cannot_tell,
                           fmt::format("where all entries of {} are on one side it has no value, as 0/0, and the true one is a "
                                       "number: keep it away from 0, as with + 1e-6",
                                       text_of(*of.front()->at))};
        }
    return std::nullopt;
}

/// Where conditions on sizes hold together, and in larger sizes.
std::optional<Finding> FurtherDraws::look_at_sizes(Asked& asked, Instance& usual) {
    if (!of_sizes_) of_sizes_ = draws_of_sizes(proof_, plan_, options_, branches_, usual);
    for (std::size_t i = 0; i < of_sizes_->size() && may_look(asked, *(*of_sizes_)[i]); ++i)
        if (auto found = wrong_in(asked.line, *of_sizes_, i)) {
            of_sizes_->erase(of_sizes_->begin() + static_cast<std::ptrdiff_t>(i));
            return found;
        }
    return std::nullopt;
}

/// Where a mask or labels hold one value throughout.
std::optional<Finding> FurtherDraws::look_at_constants(Asked& asked, Instance& usual) {
    if (!of_constants_) of_constants_ = draws_of_constants(proof_, plan_, options_, usual);
    Draws& draws = of_constants_->draws;
    for (std::size_t i = 0; i < draws.size() && may_look(asked, *draws[i]); ++i)
        if (auto found = wrong_in(asked.line, draws, i)) {
            found->reason = fmt::format("the two sides differ where {}", of_constants_->texts[i]);
            of_constants_.reset();
            return found;
        }
    return std::nullopt;
}

/// Where a parameter is not what it is by default.
std::optional<Finding> FurtherDraws::look_beside_defaults(Asked& asked, Instance& usual) {
    if (!beside_defaults_) beside_defaults_ = draws_beside_defaults(proof_, plan_, options_, usual);
    Draws& draws = beside_defaults_->draws;
    for (std::size_t i = 0; i < draws.size() && may_look(asked, *draws[i]); ++i)
        if (difference(asked.line, draws, i))
            return Finding{
                Verdict::cannot_tell,
                fmt::format("right for the default alone: the two sides differ where {}; if it is always the default, declare it "
                            "a const of that value",
                            beside_defaults_->texts[i])};
    return std::nullopt;
}

/// Whether the line has a branch, or names a value that has one.
bool FurtherDraws::has_branch(const JudgedLine& line) const {
    return std::ranges::any_of(branches_.all(), [&](const Branch& b) {
        if (b.whole == line.left.get() || b.whole == line.right.get()) return true;
        return std::ranges::any_of(proof_.forward, [&](const Assignment& a) {
            return b.whole == a.value.get() && (mentions(*line.left, a.name) || mentions(*line.right, a.name));
        });
    });
}

bool FurtherDraws::is_met_by(const Branch& branch, const JudgedLine& line) const {
    if (branch.whole == line.left.get() || branch.whole == line.right.get()) return true;
    std::set<std::string> values, of_gradients;
    for (const ExprPtr& side : {line.left, line.right})
        for_each(*side, [&](const Expr& part) {
            if (part.kind == Kind::name) values.insert(part.name);
            if (part.kind == Kind::gradient) of_gradients.insert(part.name);
            if (part.kind == Kind::jacobian) values.insert(part.name);
        });
    return std::ranges::any_of(proof_.forward, [&](const Assignment& a) {
        const auto makes = [&](const std::string& v) { return v == a.name || plan_.reaches(a.name, v); };
        const auto follows = [&](const std::string& v) { return plan_.reaches(v, a.name); };
        return branch.whole == a.value.get() &&
               (std::ranges::any_of(values, makes) || std::ranges::any_of(of_gradients, follows));
    });
}

/// Where what is compared is exactly 0.
std::optional<Finding> FurtherDraws::look_at_ties(Asked& asked) {
    if (!has_branch(asked.line)) return std::nullopt;
    if (!ties_) ties_ = ties(proof_, plan_, options_, branches_);
    for (std::size_t i = 0; i < ties_->draws.size() && may_look(asked, *ties_->draws[i]); ++i)
        if (auto found = wrong_in(asked.line, ties_->draws, i)) {
            found->reason =
                fmt::format("the two sides differ where {} is exactly 0", text_of(without_zero(*ties_->branches[i]->compared)));
            found->of_this_line = true;
            ties_.reset();
            return found;
        }
    return std::nullopt;
}

/// What others took, which did not go on to all lines.
std::optional<Finding> FurtherDraws::look_at_kept(Asked& asked) {
    for (std::size_t i = 0; i < kept_.size() && may_look(asked, *kept_[i]); ++i)
        if (auto found = wrong_in(asked.line, kept_, i)) {
            kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
            return found;
        }
    return std::nullopt;
}

std::optional<Finding> FurtherDraws::look(Asked asked, Instance& usual, const ByResidues& by) {
    using enum ByResidues::Outcome;
    if (auto found = look_at_kept(asked)) return found;
    if (auto found = look_at_combinations(asked)) return found;
    if (auto found = look_at_constants(asked, usual)) return found;
    if (auto found = look_at_sizes(asked, usual)) return found;
    if (auto found = look_beside_defaults(asked, usual)) return found;
    if (auto found = look_at_ties(asked)) return found;
    if (by.outcome == proved) return std::nullopt;
    if (by.outcome == differs)
        if (auto found = look_closer(asked, usual)) return found;
    return look_at_boundaries(asked);
}

}  // namespace gradproof::proof
