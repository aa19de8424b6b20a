// Gradients that a function returns without names, by their places.
#include <algorithm>

#include <fmt/ranges.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {

/// The inputs with a gradient in the order in which the forward of a pair is given them, or else the function that stands here.
std::vector<std::string> Reader::inputs_in_order() const {
    std::vector<std::string> out;
    const std::vector<Span> paired = paired_in({text_.begin, function_begin_});
    const Span here{function_begin_, end_of_statement(source_, function_begin_, text_.end)};
    for (const OwnFunction::Parameter& p : parameters_of(source_, paired.size() == 1 ? paired[0] : here)) {
        const auto input = std::ranges::find(to_.proof().given, p.name, &Given::name);
        if (input != to_.proof().given.end() && input->differentiable) out.push_back(p.name);
    }
    return out;
}

/// Whether a part may be the gradient by an input: it has that name, or no name and that shape.
bool Reader::may_be_gradient_by(const std::string& input, Span part) {
    if (is_name_alone(part)) return gradient_of_place(part) == input;
    const std::optional<AxisNames> needed = axis_names(*name(input), to_.proof());
    try {
        const std::optional<AxisNames> axes = axis_names(*expression(part), to_.proof());
        return !axes || !needed || *axes == *needed;
    } catch (const ProofError&) {  // told where it is claimed
        return false;
    }
}

/// Of inputs, those whose gradients these are, in that order; none where several come into question.
std::vector<std::string> Reader::inputs_of_fewer(const std::vector<Returned*>& gradients,
                                                 const std::vector<std::string>& inputs) {
    std::vector<std::string> out;
    std::vector<std::size_t> first, last;  // the places of each, as early and as late as they may be
    for (std::size_t at = 0; const Returned* part : gradients) {
        while (at < inputs.size() && !may_be_gradient_by(inputs[at], part->value)) ++at;
        if (at == inputs.size()) return {};
        first.push_back(at++);
    }
    for (std::size_t at = inputs.size(), k = gradients.size(); k-- > 0;) {
        do --at;
        while (!may_be_gradient_by(inputs[at], gradients[k]->value));
        last.insert(last.begin(), at);
    }
    if (first != last) return {};
    for (const std::size_t at : first) out.push_back(inputs[at]);
    return out;
}

/// Whether those with a name stand in the order of the inputs; where they do not, that is told.
bool Reader::are_sorted(const std::vector<Returned*>& gradients, const std::vector<std::string>& inputs) const {
    std::vector<std::size_t> places;
    for (const Returned* part : gradients)
        if (const auto at = std::ranges::find(inputs, gradient_within(part->value)); at != inputs.end())
            places.push_back(static_cast<std::size_t>(at - inputs.begin()));
    return std::ranges::is_sorted(places);
}

/// return dz @ W.T, x.T @ dz and return da, -da: what has no name is the gradient by the input in its place, where those with a
/// name stand in theirs, and there are as many as inputs or it is clear which of these they are of.
void Reader::take_in_order(std::vector<Returned>& parts) {
    std::vector<std::string> inputs = inputs_in_order();
    std::vector<Returned*> gradients;
    for (Returned& part : parts)
        if (!is_loss(std::string(source_.slice(part.value)))) gradients.push_back(&part);
    if (here_ == 0 || gradients.size() < 2 || gradients.size() > inputs.size()) return;
    if (std::ranges::any_of(gradients, [](const Returned* part) { return !part->of.empty(); })) return;
    if (gradients.size() < inputs.size()) inputs = inputs_of_fewer(gradients, inputs);
    const auto is_of = [&](const Returned* part, const std::string& of) { return gradient_within(part->value) == of; };
    std::vector<bool> by_place(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Span part = gradients[i]->value;
        const std::string of = is_name_alone(part) ? gradient_of_place(part) : "";
        by_place[i] = !is_name_alone(part);
        if (by_place[i] || of == inputs[i] || source_.slice(part) == "None") continue;
        const bool twice = std::ranges::count_if(gradients, [&](const Returned* g) { return is_of(g, of); }) > 1;
        by_place[i] = twice && is_input(of) && last_claim(inputs[i]) == claims_.rend();  // return da, da
        if (by_place[i]) continue;
        const bool beside = std::ranges::any_of(gradients, [&](const Returned* g) { return !is_name_alone(g->value); });
        if (is_input(of) && beside && are_sorted(gradients, inputs))
            tell(part, fmt::format("in another order than {}", fmt::join(inputs, ", ")));
        return;
    }
    const auto is_moved = [&](std::size_t i) {  // np.array(dW), np.array(dX): told as another order
        const std::string of = gradient_within(gradients[i]->value);
        return is_input(of) && of != inputs[i] &&
               std::ranges::count_if(gradients, [&](const Returned* part) { return is_of(part, of); }) == 1;
    };
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (source_.slice(gradients[i]->value) == "None" && last_claim(inputs[i]) == claims_.rend())
            tell(gradients[i]->value, fmt::format("None is returned for the gradient by {}, which is an input", inputs[i]));
        else if (by_place[i] && !is_moved(i))
            gradients[i]->of = inputs[i];
}

/// return data_loss, cache of a function that computes the loss, too: gradients are of that, and another value comes back.
void Reader::tell_other_value_returned() {
    const std::string& loss = loss_.empty() ? to_.names().loss : loss_;
    const auto function = function_.find(loss);
    const auto last = function == function_.end() ? last_returns_.end() : last_returns_.find(function->second);
    if (function == function_.end() || function->second == 0 || last == last_returns_.end()) return;
    const Span s = last->second;
    const Span rest = without_brackets(source_, trimmed(source_, {s.begin + std::string_view("return").size(), s.end}));
    const std::string first(source_.slice(first_returned(rest)));
    const auto is_told = [&](const Passed& p) { return s.begin <= p.span.begin && p.span.begin < s.end; };
    if (is_one_of(identifiers_in(source_.slice(rest)), loss) || std::ranges::any_of(passed_over_, is_told)) return;
    const Assignment* const value = to_.proof().find(first);
    const bool number =
        to_.names().dims.contains(first) || (value && value->indices.empty() && has_no_axes(*value->value, to_.proof()));
    if (number) tell(s, fmt::format("{} is returned, and the gradients are of {}", first, loss));
}

}  // namespace gradproof::proof::numpy
