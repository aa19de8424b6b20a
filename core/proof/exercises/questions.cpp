// The questions: one for each kind of mistake.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/exercises/feedback.hpp"

namespace gradproof::proof {
namespace {

struct MistakeQuestion {
    Mistake mistake;
    std::string_view kind, text;  ///< {} stands for the name of what the derivative is taken by
};

constexpr MistakeQuestion kQuestions[] = {
    {Mistake::sign, "sign", "Is every sign right? Follow each minus of the forward into your answer."},
    {Mistake::factor, "factor",
     "Are the constant factors right? One may be missing, or one too many. Look at each scale in the forward: a root, the 1/n of "
     "a mean."},
    {Mistake::constant, "factor", "Is every constant written as exactly as in the forward? One of them is a little off."},
    {Mistake::transpose, "transpose",
     "Are the factors in the right order, and the right ones transposed? Write one entry with its indices: which of them is "
     "summed?"},
    {Mistake::permuted_axes, "transpose", "Are the axes in the right order? Write one entry with its indices."},
    {Mistake::shifted, "index",
     "Does each index stand where it should? The numbers are right, but they stand in the wrong places."},
    {Mistake::missing_sum, "sum",
     "Is there a sum missing? Write one entry of the derivative with its indices: over which of them must you sum?"},
    {Mistake::lost_axis, "axis",
     "A sum removes the axis that it runs over. Does the result still line up with what it is combined with?"},
    {Mistake::mean_for_sum, "sum", "Should it be a sum or a mean? Each use of {} counts in full."},
    {Mistake::extra_sum, "sum",
     "Is something summed or averaged that should not be? Write one entry with its indices: over which of them must you sum?"},
    {Mistake::missing_path, "path",
     "In how many places of the forward is {} used? Each of them is a path to the loss, and its part must be added."},
    {Mistake::double_path, "path", "In how many places of the forward is {} used? Each of them counts once."},
    {Mistake::missing_chain_factor, "chain",
     "Is every step of the chain rule there, and each only once? Name each value between this one and the loss: a factor is "
     "missing, or there is one too many."},
    {Mistake::wrong_slope, "slope",
     "Is the derivative of the function f right? Try it at one number x: it should come near (f(x + h) - f(x)) / h for a small "
     "h."},
    {Mistake::wrong_exponent, "slope",
     "Is every power right? Try the slope of the function f at one number x: it should come near (f(x + h) - f(x)) / h for a "
     "small h."},
    {Mistake::comparison, "comparison",
     "Where does the condition hold, and where does it not? Try one number on each side of it, and one at its edge."},
    {Mistake::diagonal_only, "diagonal",
     "Each result of a row changes with the input at its own place, where i = j, and with the others, where i ≠ j. Does your "
     "answer hold both?"},
    {Mistake::missing_row_term, "row",
     "When one input of a row changes, what happens to the other results of the row? They all share one sum."},
    {Mistake::wrong_row_term, "row",
     "When one input of a row changes, what happens to the other results of the row? You have a term for this: is it the right "
     "one?"},
    {Mistake::missing_term, "term", "Is every term there? One is missing."},
    {Mistake::extra_term, "extra", "Does every term belong there? There is one too many."},
    {Mistake::wrong_name, "name", "Is each name the right one? One value, or one gradient, stands in the place of another."},
    {Mistake::wrong_point, "name",
     "A slope depends on where it is taken: which value of the forward goes into the function here? Yours is the slope at "
     "another."},
    {Mistake::cotangent_ignored, "upstream", "Is the gradient that comes in a factor of every term?"},
    {Mistake::mask_leak, "mask", "What must come out where the mask forbids? Your answer is wrong only there."},
    {Mistake::mask_after_softmax, "mask", "Does the mask come before the softmax, or after it?"},
    {Mistake::two_slips, "two",
     "More than one thing is wrong. Take one term alone: are its shape, its sign and its constant right?"},
};

const MistakeQuestion* find(Mistake m) {
    const auto* at = std::ranges::find(kQuestions, m, &MistakeQuestion::mistake);
    return at == std::end(kQuestions) ? nullptr : at;
}

}  // namespace

std::string question_for(Mistake mistake, const std::string& name) {
    const MistakeQuestion* q = find(mistake);
    return q ? fmt::format(fmt::runtime(q->text), name) : "";
}
std::string_view kind_for(Mistake mistake) {
    const MistakeQuestion* q = find(mistake);
    return q ? q->kind : "entry";
}

}  // namespace gradproof::proof
