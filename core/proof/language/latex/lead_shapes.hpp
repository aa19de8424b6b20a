// Sentences that only lead from one formula to the next, by their shape.
//
//   beyond_leading(" then by the chain rule # ", context);               // ""
//   beyond_leading(" in addition we use weight decay ", context);        // "we use weight decay"
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace gradproof::proof::latex {

/// How a formula stands in a sentence: in a display, or in the line; `drawn` is an input of which the text says a property that
/// is read.
enum class Standing { displayed, in_line, drawn };

/// What the words of a sentence are held against.
struct LeadContext {
    const std::set<std::string, std::less<>>& functions;      ///< of the formulas of the text, as models_of() calls them
    std::function<bool(const std::string& thing)> is_called;  ///< whether the text has told what is so, as "the weights $W$"
    std::vector<Standing> formulas{};                         ///< of the sentence
};

/// Of words as sentences_in() has them those from the first on that belong to no phrase which leads on or says what a formula
/// beside it is called, up to the next formula; "" if all do.
std::string beyond_leading(const std::string& words, const LeadContext& context);

}  // namespace gradproof::proof::latex
