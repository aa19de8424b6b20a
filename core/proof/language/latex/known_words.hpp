// Which words of a sentence are not known to leave formulas as they are.
//
//   may_change_formulas(" by the chain rule # ", {.claims = true});    // ""
//   may_change_formulas(" in addition we use weight decay ", {});      // the words "weight", "decay"
#pragma once

#include <functional>
#include <set>
#include <string>

namespace gradproof::proof::latex {

/// What the formulas of a sentence are, and what functions those of the whole text have.
struct SaidWith {
    bool defines = false;                            ///< one of them states or defines something
    bool claims = false;                             ///< one of them is judged
    std::set<std::string, std::less<>> functions{};  ///< "softmax", "relu", as models_of() calls them
    bool columns = false;                            ///< columns that the text names were read as such
};

/// Of words as sentences_in() has them, which of them may change what formulas mean: 'the words "weight", "decay"'; "" if all are
/// known not to. A sentence that defines nothing may only say what is derived next; one that does may describe it.
std::string may_change_formulas(const std::string& words, const SaidWith& with);

/// What stands in a sentence as a formula: a name or a derivative, something that relates two, or a value that is made of others.
enum class Mentioned { name, relation, value };
/// Of a sentence without a formula that is read, what it says besides leading on: "we write derivatives as rows", "we use one
/// matrix for both"; "" of "we use the chain rule" and "we compute the gradient with respect to #". What relations say,
/// others judge.
std::string says_more_than_leading(const std::string& words, const std::set<std::string, std::less<>>& functions,
                                   const std::function<Mentioned(std::size_t)>& formula);

/// The same of what stands behind a definition, from its formula on: "# where # is the one hot label and # are the weights".
std::string may_redefine_names(const std::string& words, const SaidWith& with);

/// Of words within a display, behind or beside its formulas. `softmax`: one stands there, which is by rows.
bool leave_display(const std::string& words, bool softmax);

/// Of a heading, the words that are not known to say nothing: 'the word "ridge"'; "" if all are.
std::string says_in_heading(const std::string& words, const std::set<std::string, std::less<>>& functions);

/// Of a heading whose words are known, the first that name a model or a loss; "" if none do. A "logistic loss" is none where a
/// formula has a logarithm.
std::string topic_in(const std::string& words, const std::set<std::string, std::less<>>& functions);

/// Whether a model may have it, or a loss be summed over it, and formulas say nothing of it: a bias, a margin, examples.
bool may_be_added(const std::string& word);

/// Of a word of "$X$ denotes the weights of the layer" whether it is what a value may be called: no number, order or operation.
bool names_a_thing(const std::string& word, const std::set<std::string, std::less<>>& functions);

/// The functions of a formula that words name too.
std::set<std::string, std::less<>> models_of(const std::string& formula);

}  // namespace gradproof::proof::latex
