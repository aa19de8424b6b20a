// Branches and the sides of them that draws meet.
#include "gradproof/core/proof/evaluate/branches.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// How far it is from where the side changes, and what constants of few digits, which are taken as exact, and rounding do to it.
struct Off {
    double by, rounding;
};
Off off_the_edge(const Bounded<double>& x, Branch::By by) {
    constexpr double kSlack = 4;
    return {std::abs(x.value - (by == Branch::By::whole ? std::round(x.value) : 0)), kSlack * x.error};
}
/// Whether the true value may lie on the other side. Where doubles meet the edge itself, it is taken for met.
bool is_decided_by_rounding(const Bounded<double>& x, Branch::By by) {
    const Off off = off_the_edge(x, by);
    return off.by > 0 && off.by <= off.rounding;
}
/// Slopes beyond it say nothing of a function: of 1 - exp(-exp(1000 x)) the half where it is 1.
constexpr double kSteep = 1e4;
/// Whether a slope or a whole part is the first that was seen.
bool is_first(const Branch& b, double side) {
    constexpr double kAlike = 1e-10;
    return b.by == Branch::By::slope ? std::abs(side - b.first) <= kAlike * std::max(1.0, std::abs(b.first)) : side == b.first;
}
bool compares_with_first(const Branch& b) { return b.by == Branch::By::whole || b.by == Branch::By::slope; }
bool has_edge(const Branch& b) { return b.by == Branch::By::sign || b.by == Branch::By::whole; }

std::vector<double> values_or_none(const Instance& draw, const Branch& b) {
    try {
        return values_compared(draw, b);
    } catch (const std::invalid_argument&) {  // no value apart from its line
        return {};
    }
}

}  // namespace

bool Branches::see(Instance& draw, Keep keep) {
    std::vector<Branch> seen = branches_;
    bool news = false, vague = false;
    for (Branch& b : seen) {
        const Branch before = b;
        try {
            const std::vector<double> sides = sides_met(draw, b);
            // The weights of a row are as its size wants them: they are compared within a draw.
            if (!sides.empty() && b.by == Branch::By::slope && is_of_rows(*b.at)) b.first = sides.front();
            for (const double side : sides) {
                if (b.by == Branch::By::slope && !(std::abs(side) <= kSteep)) continue;
                if (compares_with_first(b) && b.below == 0) b.first = side;
                const bool below = compares_with_first(b) ? is_first(b, side) : side <= 0;
                if (!below && b.above == 0) b.second = side;
                b.third += !below && side != b.second && !std::isnan(side);
                if (!std::isnan(side)) ++(below ? b.below : b.above);
                b.equal += b.is_equality() && side == 0;
            }
            if (has_edge(b))
                for (const Bounded<double>& x : bounded_values_compared(draw, b))
                    b.by_rounding += is_decided_by_rounding(x, b.by);
        } catch (const std::invalid_argument&) {  // no value apart from its line: what it says of its shapes is said there
            b.above = 1;
            b.below = b.by == Branch::By::root ? 0 : 1;
            b.third = 1;
        }
        news = news || (b.above > 0) != (before.above > 0) || (b.below > 0) != (before.below > 0) || b.met() != before.met();
        vague = vague || b.by_rounding != before.by_rounding;
    }
    const bool kept = keep == Keep::always || (news && !vague);
    if (kept) branches_ = std::move(seen);
    for (Branch& b : branches_)
        if (b.of == Branch::Of::sizes && b.by == Branch::By::sign && !b.met()) b.look(values_or_none(draw, b));
    return kept;
}

bool Branches::any_by_rounding(Instance& draw, std::optional<Branch::By> of) const {
    const auto decides = [&](const Branch& b) {
        const std::vector<Bounded<double>> values = bounded_values_compared(draw, b);
        return std::ranges::any_of(values, [&](const Bounded<double>& x) {
            const Off off = off_the_edge(x, b.by);
            return off.rounding > 0 && off.by <= off.rounding;
        });
    };
    return std::ranges::any_of(branches_, [&](const Branch& b) {
        try {
            return has_edge(b) && (!of || b.by == *of) && decides(b);
        } catch (const std::invalid_argument&) {  // no value apart from its line
            return false;
        }
    });
}

std::set<std::set<std::string>> Branches::asks_for_draws() const {
    std::set<std::set<std::string>> out;
    for (const Branch& b : branches_) {
        if (b.met() || b.by_domain || b.by == Branch::By::root || b.of != Branch::Of::drawn) continue;
        const std::set<std::string> names = names_in(*b.compared);
        std::set<std::string> inputs;
        for (const Given& g : proof_.given)
            if (std::ranges::any_of(names, [&](const std::string& n) { return n == g.name || plan_.reaches(g.name, n); }))
                inputs.insert(g.name);
        for (auto g = proof_.given.rbegin(); g != proof_.given.rend(); ++g)  // c = 2 b
            if (g->value && inputs.contains(g->name)) inputs.merge(names_in(*g->value));
        out.insert(std::move(inputs));
    }
    return out;
}

bool Branches::asks_for_larger_sizes() const {
    return std::any_of(branches_.begin(), branches_.end(), [](const Branch& b) {
        const bool of_sizes = b.of == Branch::Of::sizes || b.by == Branch::By::condition;
        return of_sizes && b.of != Branch::Of::constants && !b.met() && !b.is_never_met();
    });
}

bool Branches::follow_sizes(const Instance& a, const Instance& b) const {
    return std::ranges::any_of(branches_, [&](const Branch& branch) {
        const bool of_sizes = branch.of == Branch::Of::sizes || branch.by == Branch::By::condition;
        return of_sizes && values_or_none(a, branch) != values_or_none(b, branch);
    });
}

const Branch* Branches::unsure_in(const Expr& e) const {
    for (const Branch& b : branches_)
        if (!b.sure() && any_part(e, [&](const Expr& part) { return &part == b.at; })) return &b;
    return nullptr;
}

/// In what makes those values, as far as it is not made of `held` ones.
const Branch* Branches::unsure_above(std::set<std::string> names, const std::set<std::string>& held) const {
    for (std::size_t before = 0; before != names.size();) {  // within a block, earlier ones use later ones
        before = names.size();
        for (auto a = proof_.forward.rbegin(); a != proof_.forward.rend(); ++a) {
            if (!names.contains(a->name) || held.contains(a->name)) continue;
            if (const Branch* b = unsure_in(*a->value)) return b;
            names.merge(names_in(*a->value));
        }
    }
    return nullptr;
}

const Branch* Branches::unmet_condition_of(const JudgedLine& line) const {
    const auto b = std::ranges::find_if(branches_, [&](const Branch& x) { return x.at == line.holds.get(); });
    return line.holds && b != branches_.end() && !b->met() ? &*b : nullptr;
}

const Branch* Branches::unsure_on(const JudgedLine& line) const {
    for (const ExprPtr& side : {line.right, line.left})
        if (const Branch* b = unsure_in(*side)) return b;
    std::set<std::string> ends, touched;
    if (!proof_.forward.empty()) ends.insert(proof_.forward.back().name);
    for_each(*line.left, [&](const Expr& part) {
        if (part.kind == Kind::jacobian) ends = {part.name};
        if (part.kind == Kind::gradient || part.kind == Kind::jacobian)
            touched.insert(part.kind == Kind::jacobian ? part.other : part.name);
    });
    const std::set<std::string> of = touched;
    std::set<std::string> used = ends;
    for_each(*line.right, [&](const Expr& part) {
        if (part.kind == Kind::gradient) used.insert(part.name);
    });
    // The values that the truth is made of: those on the left, and those on the way of the gradient.
    std::set<std::string> values = names_in(*line.left);
    for (std::size_t before = 0; before != touched.size();) {  // within a block, earlier ones use later ones
        before = touched.size();
        for (const Assignment& a : proof_.forward) {
            const std::set<std::string> names = names_in(*a.value);
            if (std::none_of(names.begin(), names.end(), [&](const std::string& n) { return touched.contains(n); })) continue;
            const bool on_the_way = std::any_of(
                used.begin(), used.end(), [&](const std::string& end) { return end == a.name || plan_.reaches(a.name, end); });
            if (!on_the_way) continue;
            if (const Branch* b = unsure_in(*a.value)) return b;
            values.insert(names.begin(), names.end());
            if (!used.contains(a.name)) touched.insert(a.name);
        }
    }
    // What a gradient is of may not matter itself, unless the line tells it by what it is made of.
    const std::set<std::string> named = names_in(*line.right);
    for (const std::string& x : of)
        if (what_ == What::sides &&
            std::none_of(named.begin(), named.end(), [&](const std::string& n) { return is_value(n) && plan_.reaches(n, x); }))
            values.erase(x);
    return unsure_above(std::move(values), named);
}

}  // namespace gradproof::proof
