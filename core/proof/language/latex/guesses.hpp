// What a text leaves open and is read in one way of two: \alpha(t) of a number \alpha as a product, an f that is called an
// encoder entry by entry, x of W x as a number, u_o beside the u_w as a value of its own, and values that are given behind the
// claims which use them.
//
//   const Guesses guesses(source, sentences_in(source, text), proof);
//   guesses.why(sentence);                 // "A is given behind claims that use it" of "Let $A = u u^\top$"
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::latex {

class Guesses {
  public:
    Guesses(const Source& source, const std::vector<Sentence>& all, const Proof& proof);
    /// What of a sentence is read in one way of two; "" if nothing is.
    std::string why(const Sentence& s) const;

  private:
    bool names_a_map(const Mention& m) const;
    bool is_function(const std::string& name) const;
    std::string restricted_by(const Tokens& part) const;
    bool is_of_a_line(Span at) const;
    const Given* given(const std::string& name) const;
    bool is_a_number(const Expr& e) const;
    void see_transposes(const Expr& e, Span at);
    void see_quotients(const Expr& e, Span at);
    std::size_t axes_of(const std::string& name) const;
    bool explains(const Sentence& s, std::size_t claim_ends) const;
    bool takes_all_values(const std::string& name) const;
    std::size_t claim_with(const std::string& name, std::size_t before) const;
    std::string given_late(const Sentence& s) const;
    std::string restricted_late(const Sentence& s) const;
    std::string used_beside(const Sentence& s) const;
    void see_numbers(const Expr& value, Span at);
    bool is_taken_number(const Expr& e) const;
    std::string number_of(const Expr& left, const Expr& right) const;
    bool may_normalize(const Given& g) const;
    std::string may_be_derived(const Given& g) const;
    void see_arguments(const Tokens& t);
    bool may_be_value_at(const Assignment& f, const Tokens& inside) const;
    std::string doubt_of(const Given& g) const;
    std::string may_be_call(const Mention& m, const std::string& words) const;
    std::string may_be_power(const Mention& m) const;
    std::string may_mix_entries(const Mention& m, const std::string& words) const;

    const Source& source_;
    const Proof& proof_;
    struct Doubt {
        Span at;  ///< of the line
        std::string why;
    };
    std::vector<Doubt>
        doubts_;             ///< numbers that may be vectors or matrices, x of W x, and names that may not stand for themselves
    bool by_entry_ = false;  ///< the text says of something that it is entry by entry
    std::set<std::string> maps_;                     ///< functions that the words call a network
    std::set<std::string> with_arguments_;           ///< values that the text writes f(x) = ...
    std::map<std::string, std::size_t> restricted_;  ///< where a formula says first how large inputs are, or what they are
    std::vector<const Assignment*> beside_;          ///< v of v = \sigma^2, where \sigma is used as well
};

}  // namespace gradproof::proof::latex
