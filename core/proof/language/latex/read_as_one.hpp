// Names and signs of a text that are printed differently and read as one: \varepsilon and \epsilon, \mathbf{v} and v, L_1 and L_2
// where nothing says what either loss is, A^T beside A^\top where T is a size, too.
//
//   const ReadAsOne as_one(source, sentences_in(source, text), proof);
//   as_one.why(sentence);                  // "\varepsilon and \epsilon are read as one name"
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::latex {

class ReadAsOne {
  public:
    ReadAsOne(const Source& source, const std::vector<Sentence>& all, const Proof& proof);
    /// What of a sentence is read as something before it that is printed differently; "" if nothing is.
    std::string why(const Sentence& s) const;

  private:
    /// What stands first of those read as one, as it is printed and as it is typed.
    struct First {
        std::string printed, typed;
    };
    void see_formula(const Tokens& t);
    void see_name(const Tokens& t, const NameParts& p);
    void see_script(const NameParts& p, const Tokens& script, char mark);
    void see_losses(const Tokens& t);
    void see_declarations(const Tokens& t);
    void tell_power();
    void see_transpose(const Tokens& script);
    void see(const std::string& key, const std::string& printed, const std::string& typed);
    void tell(const std::string& key, const std::string& why);
    void tell_as_one(const std::string& key, const std::string& one, const std::string& other);
    bool is_value(const std::string& key) const;

    const Source& source_;
    const Proof& proof_;
    std::map<std::string, First> first_;
    std::set<std::string> told_;                     ///< keys
    std::map<std::string, std::size_t> declared_;    ///< the sentence that says first what is in a set
    bool primes_are_said_ = false;                   ///< the text speaks of transposes
    bool is_size_ = false;                           ///< T stands for a value
    std::string plain_transpose_, other_transpose_;  ///< as they stand first
    std::size_t at_ = 0;                             ///< of the sentence that is looked at
    std::map<std::size_t, std::string> why_;         ///< what is told first of a sentence, by where it begins
};

}  // namespace gradproof::proof::latex
