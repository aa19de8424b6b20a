// What LaTeX calls the names and functions of the notation, and back.
//
//   letter_of("\\alpha")                  // "α"
//   function_of("LogSumExp")              // "logsumexp"
//   spelled("d_model")                    // "d_{\\mathrm{model}}"
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace gradproof::proof::latex {

/// The letter that a command stands for, "" for other commands. Σ, which the notation keeps for itself, is Sigma.
std::string_view letter_of(std::string_view command);
/// The function that goes by this name in papers: of \tanh, \operatorname{Tr}, \mathrm{ReLU}; "" where there is none.
std::string function_of(std::string_view name);
/// \exp, \operatorname{softmax}.
std::string function_spelled(std::string_view function);
/// "hat" of \hat and \widehat, "" of what is no accent.
std::string_view accent_of(std::string_view command);
/// What a loss goes by where the text does not say: L, ℒ, J ...
bool is_usual_loss(std::string_view name);
/// \mathbf, \bm, \mathrm ...: how letters look, not what they are.
bool is_font(std::string_view command);
/// X of the small letter x, whose rows are x_i; "" of others.
std::string_view capital_of(std::string_view base);
/// \text, \mbox ...
bool is_text(std::string_view command);
template <typename All>
bool is_one(const All& all, std::string_view one) {
    return std::find(std::begin(all), std::end(all), one) != std::end(all);
}

}  // namespace gradproof::proof::latex
