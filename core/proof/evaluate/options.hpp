// The options of calls as the ops take them: numbers, words, lists and arrays of ids.
//
//   apply<T>(call.name, arguments, options_of(evaluator, call));   // softmax(S, axis=-1)
#pragma once

#include <vector>

#include "gradproof/core/proof/evaluate/evaluate.hpp"

namespace gradproof::proof {

/// Those of a call, but for one. Errors: EvaluationError for one that depends on an input.
template <class T>
std::vector<OptionValue> options_of(Evaluator<T>& evaluator, const Expr& call, const Option* but = nullptr);

}  // namespace gradproof::proof
