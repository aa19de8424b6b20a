// Sums over sets, as sums with a condition or a mask: of \mathcal M = \{i : y_i < 1\} the sum \sum_{i \in \mathcal M} is
// \sum_{i : y_i < 1}, and \sum_{(i,j) \in \Omega} is \sum_{i,j} \Omega_{ij} of an \Omega of zeros and ones, as
// \sum_{j \in \Omega_i} is \sum_j \Omega_{ij}.
//
//   const Sets sets(source);
//   if (!sets.empty()) tokens = sets.written_out(tokens);
#pragma once

#include <map>
#include <set>
#include <string>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

class Sets {
  public:
    explicit Sets(const Source& source);
    /// Whether no sum of the text is over a set.
    bool empty() const { return !any_; }
    Tokens written_out(const Tokens& tokens) const;
    /// Whether it is a name, by its key, of zeros and ones that say what lies in a set.
    bool is_mask(const std::string& key) const;
    /// The sets of sums in a formula, as it is typed, that are taken to hold all indices, as nothing says what lies in them; by key
    /// and as they are printed.
    std::map<std::string, std::string> taken_whole(Span formula) const;

  private:
    struct Defined {
        std::string index;
        Tokens condition;
    };
    void find_sums(const Tokens& all);
    void find_definitions(const Tokens& all);
    void find_subsets(const Tokens& all);
    void find_subsets_in_words(const Tokens& all);
    void find_masks(const Tokens& all);
    bool is_subset(const std::string& key) const;
    Tokens mask_of(const Tokens& set) const;
    Tokens sum_over(const Tokens& below, Tokens& factor) const;

    const Source& source_;
    bool any_ = false;
    std::map<std::string, Defined> defined_;           ///< by key
    std::map<std::string, Tokens> masks_;              ///< what the text calls them, by the key of their set
    std::set<std::string> alone_;                      ///< letters that sums run over without a set
    std::map<std::string, std::vector<Token>> pairs_;  ///< of sets of pairs, i and j, by key
    std::set<std::string> single_;                     ///< keys of others
    std::set<std::string> subsets_;                    ///< keys of those that the text says to be a part of all
    bool counts_ = false;                              ///< |S| stands in the text
};

}  // namespace gradproof::proof::latex
