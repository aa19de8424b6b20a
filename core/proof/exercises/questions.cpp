// The questions: one for each kind of mistake.
#include <algorithm>

#include "gradproof/core/proof/exercises/feedback.hpp"

namespace gradproof::proof {
namespace {

struct MistakeQuestion {
    Mistake mistake;
    std::string_view kind, text;
};

constexpr MistakeQuestion kQuestions[] = {
    {Mistake::sign, "sign", "Is every sign right? Follow each minus from the forward to the answer."},
    {Mistake::factor, "factor",
     "Is a factor lost, or one too much? Follow each factor of the forward, a scale, the 1/n of a mean, into the answer."},
    {Mistake::constant, "factor", "Is every constant as exact as in the forward? One of them is a little off."},
    {Mistake::transpose, "transpose",
     "Are the axes in the right order? Write one entry with its indices: which index belongs to which factor?"},
    {Mistake::permuted_axes, "transpose", "Are the axes in the right order? Write one entry with its indices."},
    {Mistake::shifted, "index", "Does each index stand where it should? The numbers are right, at other places."},
    {Mistake::missing_sum, "sum",
     "Is everything summed that should be? Write one entry of the derivative with its indices: over which of them is there a "
     "sum?"},
    {Mistake::lost_axis, "axis", "A sum drops its axis: does what is left still line up with what it is combined with?"},
    {Mistake::mean_for_sum, "sum", "Is it a sum or a mean that comes back? Each use of the value counts in full."},
    {Mistake::extra_sum, "sum",
     "Is everything summed that should be, and nothing else? Write one entry: over which index is there a sum?"},
    {Mistake::missing_path, "path",
     "In how many places of the forward does the value stand? Each of them is a path to the loss."},
    {Mistake::double_path, "path", "In how many places of the forward does the value stand? Each of them counts once."},
    {Mistake::missing_chain_factor, "chain",
     "Is every step of the chain rule there, and none twice? Name each value between here and the loss: a factor is missing or "
     "too much."},
    {Mistake::wrong_slope, "slope", "What is the derivative of the function at one number? Compare with (f(x + h) - f(x)) / h."},
    {Mistake::wrong_exponent, "slope", "Is every power right? Try the slope at one number: compare with (f(x + h) - f(x)) / h."},
    {Mistake::diagonal_only, "diagonal",
     "What happens to an entry when it moves itself, and what when another one of its row moves? Take i = j and i ≠ j apart."},
    {Mistake::missing_row_term, "row", "What does moving one entry do to the others of its row? They share one sum."},
    {Mistake::wrong_row_term, "row",
     "What does moving one entry do to the others of its row? Is what they share taken off each as it should be?"},
    {Mistake::missing_term, "term", "Does every term stand there? One is missing."},
    {Mistake::extra_term, "extra", "Does every term belong there? One is too much."},
    {Mistake::wrong_name, "name",
     "Does each name stand where it belongs? One value, or one gradient, stands in the place of another."},
    {Mistake::wrong_point, "name", "At which values is the derivative taken? It is right at others."},
    {Mistake::cotangent_ignored, "upstream", "Is the gradient that comes in used everywhere?"},
    {Mistake::mask_leak, "mask", "What does the mask allow? It is wrong only where the mask forbids."},
    {Mistake::mask_after_softmax, "mask", "Does the mask come before the softmax, or after it?"},
    {Mistake::two_slips, "two", "More than one thing is off: take one term alone. Is its shape, its sign, its constant right?"},
};

const MistakeQuestion* find(Mistake m) {
    const auto* at = std::ranges::find(kQuestions, m, &MistakeQuestion::mistake);
    return at == std::end(kQuestions) ? nullptr : at;
}

}  // namespace

std::string_view question_for(Mistake mistake) {
    const MistakeQuestion* q = find(mistake);
    return q ? q->text : std::string_view();
}
std::string_view kind_for(Mistake mistake) {
    const MistakeQuestion* q = find(mistake);
    return q ? q->kind : "entry";
}

}  // namespace gradproof::proof
