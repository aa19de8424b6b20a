// Draws that overflow.
#include "gradproof/core/proof/judge/added_draws.hpp"

#include <algorithm>
#include <cmath>

namespace gradproof::proof {
namespace {

/// Where log(0) meets a 0, all that follows is NaN.
bool overflows(const Instance& draw) {
    return std::ranges::any_of(draw.scope().values, [](const auto& named) {
        return std::ranges::any_of(named.second.value(), [](double v) { return !std::isfinite(v); });
    });
}
bool has_finite_sides(const Claim& claim, std::size_t draw) {
    const auto is_finite = [](const Tensor<double>& x) {
        return std::ranges::all_of(x, [](double v) { return std::isfinite(v); });
    };
    try {
        const Sides s = claim.sides(draw, claim.line().right);
        return is_finite(s.claimed) && is_finite(s.truth);
    } catch (const EvaluationError&) {
        return true;  // it is told where the draw is judged
    }
}

}  // namespace

bool AddedDraws::overflows_in(const Claim& claim, std::size_t draw) const {
    if (draw < usual_ || draw >= all_ || !overflows(*draws_[draw]) || has_finite_sides(claim, draw)) return false;
    return std::none_of(draws_.begin(), draws_.begin() + static_cast<std::ptrdiff_t>(usual_),
                        [](const auto& usual) { return overflows(*usual); });
}

std::string AddedDraws::unsure_without(const std::vector<std::size_t>& left_out, const JudgedLine& line) const {
    Branches seen(proof_, plan_);
    for (std::size_t i = 0; i < all_; ++i)
        if (std::ranges::find(left_out, i) == left_out.end()) seen.see(*draws_[i], Branches::Keep::always);
    const Branch* const unsure = seen.unsure_on(line);
    return unsure ? unsure->text() : "";
}

}  // namespace gradproof::proof
