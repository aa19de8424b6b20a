// Data that a text gives one by one, "$x_i \in \mathbb{R}^d$ for $i = 1, \dots, n$": the rows of one array.
//
//   Families families(source, text);
//   families.see(left, right);        // of each equation
//   families.join(stated);            // x [n, d] of x_i
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {

class Families {
  public:
    /// Takes in how far the letters of sentences and sums run: i = 1, \dots, n and \sum_{i=1}^{n}.
    Families(const Source& source, Span text);
    /// An equation that may use them. `left` may be empty.
    void see(const Tokens& left, const Tokens& right);
    /// Of names with a letter below that each equation of values runs over, and that ends at one size, the array that they are
    /// rows of; not where the array itself has another meaning.
    void join(std::vector<Stated>& stated) const;

  private:
    void add_ends(const Tokens& t);
    void add_bare(const Tokens& t, const std::string& parameter);
    void add_places(const Tokens& left, const Tokens& right);
    bool are_rows(const NameParts& name, bool entries) const;
    Tokens end_at_places(const std::string& index, const std::vector<Stated>& stated) const;
    static Tokens unsaid_end(const NameParts& name);
    bool is_entry_of_bare(const NameParts& name, const Stated& s) const;
    Tokens only_size(const std::vector<Stated>& stated) const;

    /// Where an index stands: at the second of the 2 letters below R, in R_{ij}.
    struct Place {
        std::string base;
        std::size_t at, of;
    };

    const Source& source_;
    std::map<std::string, std::vector<Place>> places_;           ///< by the letter, of arrays that it runs over along with rows
    std::map<std::string, std::map<std::string, Tokens>> ends_;  ///< by the letter, by how the size is written
    std::set<std::string> used_, loose_;  ///< bases of x_i of equations, and of those of values that do not run over i
    std::set<std::string> bare_;          ///< bases that equations have without anything below
};

}  // namespace gradproof::proof::latex
