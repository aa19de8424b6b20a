// An answer shown to be wrong in numbers.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/exercises/drawn.hpp"
#include "gradproof/core/proof/exercises/feedback.hpp"
#include "gradproof/core/proof/explain/explain.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

std::string sizes_text(const Instance& draw) {
    std::string out;
    for (const auto& [name, n] : draw.sizes()) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, n);
    return out;
}

/// The entry of what is asked at that place.
Cell cell_at(const Expr& left, const Shape& at, const Drawn& d) {
    const Expr& base = without_indices(left);
    std::vector<Index> all(at.begin(), at.end());
    if (base.kind == Kind::gradient) return {Cell::Type::gradient, base.name, "", std::move(all), {}};
    if (!base.children.empty()) {  // a letter that stands twice, as in ∂A[i,j]/∂S[i,k], has one axis
        std::vector<std::string> letters;
        all.clear();
        for (const ExprPtr& c : base.children) {
            const auto axis = std::ranges::find(letters, c->name) - letters.begin();
            if (axis == std::ssize(letters)) letters.push_back(c->name);
            all.push_back(at[static_cast<int>(axis)]);
        }
    }
    const auto split = static_cast<std::ptrdiff_t>(d.draw().scope().values.find(base.name)->second.value().rank());
    return {Cell::Type::jacobian, base.name, base.other, {all.begin(), all.begin() + split}, {all.begin() + split, all.end()}};
}

/// The entry that is off most.
check::Worst furthest(const Sides& s) {
    Index at = 0;
    for (Index i = 0; i < s.gap.size(); ++i)
        if (std::abs(s.gap[i]) > std::abs(s.gap[at])) at = i;
    check::Worst out;
    out.index = check::unravel(at, s.truth.shape());
    out.claimed = s.claimed[at];
    out.truth = s.truth[at];
    return out;
}

std::string entry_text(const Response& r, const Drawn& d, const check::Worst& worst) {
    const Expr& left = *r.answer.proof.lines.front().left;
    const Expr& base = without_indices(left);
    if (base.kind != Kind::gradient && base.kind != Kind::jacobian)
        return fmt::format("at {}: the answer gives {:.6g}, true is {:.6g}\n", at_text(worst.index), worst.claimed, worst.truth);
    Explanation e;
    e.file = fmt::format("exercise {}", r.exercise.number);
    e.title = r.exercise.title;
    for (const Dim& dim : d.proof.dims) e.sizes.emplace_back(dim.name, d.draw().sizes().find(dim.name)->second);
    e.cell = take_apart(cell_at(left, worst.index, d), d.proof, d.plan, d.draw());
    e.cell->line = 0;  // there is one line
    if (e.cell->products.empty()) {
        e.cell->formula = r.answer.claim;
        e.cell->sum = worst.claimed;
    }
    return to_text(e);
}

}  // namespace

Counterexample counterexample(const Response& response, std::uint64_t seed) {
    if (response.exercise.numeric) {
        std::string text;
        for (const Misprint& m : response.line().misprints)
            text += fmt::format("{}{}: the answer is {}, it comes out as {:.6g}\n", response.exercise.asked,
                                m.index.empty() ? "" : at_text(m.index), m.printed, m.truth);
        return {seed, text};
    }
    constexpr std::uint64_t kTries = 20;
    for (std::uint64_t s = seed; s < seed + kTries; ++s) {
        const Drawn d(response.answer.proof, s);
        const Fit here = fit(d, response.answer.proof.lines.front().right);
        if (!here.sides) return {s, fmt::format("{}\n", here.why)};
        if (!here.same_shape())
            return {s, fmt::format("with {}: the answer is {}, {} is {}\n", sizes_text(d.draw()),
                                   d.shape(here.sides->claimed.shape()), response.exercise.asked,
                                   d.shape(here.sides->truth.shape()))};
        if (agreement(*here.sides).agree) continue;
        return {s, entry_text(response, d, furthest(*here.sides))};
    }
    return {seed, "no draw shows a large difference; the checker compares formulas too\n"};
}

}  // namespace gradproof::proof
