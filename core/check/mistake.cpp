// The table of mistakes.
#include "gradproof/core/check/mistake.hpp"

#include <algorithm>

#include "gradproof/core/errors.hpp"

namespace gradproof::check {
namespace {

constexpr MistakeInfo kMistakes[] = {
    {Mistake::none, "none", "nothing simple explains it"},
    {Mistake::sign, "sign", "a sign is wrong or lost"},
    {Mistake::factor, "factor", "a constant factor is missing, too much or wrong"},
    {Mistake::constant, "constant", "a constant inside is rounded or a little wrong, or an epsilon is left out"},
    {Mistake::transpose, "transpose", "two axes, or two factors of a product, are swapped"},
    {Mistake::permuted_axes, "permuted_axes", "the axes stand in another order"},
    {Mistake::wrong_product, "wrong_product", "a matrix product stands where an elementwise one belongs, or the reverse"},
    {Mistake::shifted, "shifted", "the numbers are right and stand at other places: shifted or reversed"},
    {Mistake::missing_sum, "missing_sum", "a sum over an axis is missing, or a part of it"},
    {Mistake::lost_axis, "lost_axis", "a sum drops its axis where it has to stay, with size 1"},
    {Mistake::mean_for_sum, "mean_for_sum", "the mean over a broadcast axis stands for the sum"},
    {Mistake::extra_sum, "extra_sum", "something is summed or averaged that is not to be"},
    {Mistake::missing_path, "missing_path", "one of several paths from the value to the loss is missing, or all of them"},
    {Mistake::double_path, "double_path", "a path is counted twice"},
    {Mistake::missing_chain_factor, "missing_chain_factor", "a factor of the chain rule is missing or too much"},
    {Mistake::wrong_slope, "wrong_slope", "the derivative of another function stands there"},
    {Mistake::wrong_exponent, "wrong_exponent", "an exponent is wrong, or a square or root is missing or too much"},
    {Mistake::comparison, "comparison", "a comparison goes the wrong way, is off at its edge, or is missing"},
    {Mistake::diagonal_only, "diagonal_only", "only the diagonal of a Jacobian is used"},
    {Mistake::missing_row_term, "missing_row_term", "a term with one number for each row is missing, as softmax has it"},
    {Mistake::wrong_row_term, "wrong_row_term", "a term with one number for each row is there and wrong"},
    {Mistake::missing_term, "missing_term", "a term that is constant is missing: the 1 of 1 - Y^2, an identity, λ"},
    {Mistake::extra_term, "extra_term", "a term stands there that does not belong"},
    {Mistake::wrong_name, "wrong_name", "another value or gradient stands where this one belongs"},
    {Mistake::wrong_point, "wrong_point", "it is the derivative at other values"},
    {Mistake::cotangent_ignored, "cotangent_ignored", "the gradient that comes in is not used"},
    {Mistake::ignored_attribute, "ignored_attribute", "it is the gradient for another value of an attribute"},
    {Mistake::mask_leak, "mask_leak", "it is wrong only where a mask forbids or the true gradient is 0"},
    {Mistake::mask_after_softmax, "mask_after_softmax", "the mask comes after the softmax"},
    {Mistake::not_finite, "not_finite", "it is not finite where the true gradient is"},
    {Mistake::entries, "entries", "it is right but for some entries"},
    {Mistake::values, "values", "numbers differ"},
    {Mistake::two_slips, "two_slips", "two things are wrong at once"},
    {Mistake::rounding, "rounding", "a printed number is off by one or two in its last digit"},
    {Mistake::erratum, "erratum", "an erratum does not say what is true"},
};
static_assert(std::size(kMistakes) == static_cast<std::size_t>(Mistake::erratum) + 1, "a mistake has no row");
static_assert(std::ranges::all_of(kMistakes, [](const MistakeInfo& m) { return &m == kMistakes + static_cast<int>(m.mistake); }));

}  // namespace

std::span<const MistakeInfo> mistakes() { return kMistakes; }
std::string_view key(Mistake m) { return kMistakes[static_cast<std::size_t>(m)].key; }

}  // namespace gradproof::check
