// What a LaTeX text states in its sentences: inputs and sizes, "for $X \in \mathbb{R}^{n \times d}$", and definitions, "where
// $D = \sum_j A_j$".
//
//   Prose prose(source, text, reading);
//   prose.declare(reading, statements);      // again behind each comment that may declare a size
//   prose.definitions_before(part.span.begin);
#pragma once

#include <map>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/inversions.hpp"
#include "gradproof/core/proof/language/latex/properties.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {

class Families;

class Prose {
  public:
    /// Nothing is stated of what comments declare: they go first.
    /// `epoch`: the part of the text whose lines are read; what a sentence behind it says anew is not meant.
    Prose(const Source& source, Span text, Span epoch);
    /// Declares every name that is said to lie in \mathbb{R}^{...}, that equations use and none defines, and the sizes in the
    /// exponents, but for those that a comment below will declare. Whether there was any.
    bool declare(Reading& reading, Statements& to);
    /// Those that stand before this place and were not asked for: of names that displayed formulas use, and do not define.
    std::vector<Equation> definitions_before(std::size_t offset);
    const std::vector<Equation>& definitions() const { return asides_; }
    /// Gradients that sentences conclude, and what they say of matrices and labels.
    const std::vector<Equation>& claims() const { return claims_; }
    const std::vector<Property>& properties() const { return properties_; }
    /// The bases of names that equations define, how often; and of those that are stated or declared without indices.
    std::map<std::string, int> defined_bases() const;
    const std::set<std::string>& stated_bases() const { return stated_bases_; }
    /// Letters that are parts of names and no indices.
    std::set<std::string, std::less<>> gates() const;
    /// The sizes that sentences state of it, as they are written; none of what they do not state, or no longer.
    std::vector<std::string> sizes_stated(const std::string& base) const;
    /// Whether the text states, declares or defines it, or what it is an entry of.
    bool says(const NameParts& name) const;
    /// Where sentences give new values to names.
    const std::vector<std::size_t>& changes() const { return changes_; }
    /// Whether a sentence between the equation and the end of the epoch says anew what it defines.
    bool is_replaced(const Equation& e) const;
    const Inversions& inversions() const { return inversions_; }
    /// Whether the text gives the name a meaning of its own, and what a file says before it is of another.
    bool changes_meaning(const std::string& base) const { return own_.contains(base); }

  private:
    void read_formulas(Span text, Families& families);
    void see_cases(const std::vector<Equation>& rows);
    void see_claims();
    // prose_left_out.cpp
    void leave_out_conditions(const std::vector<Mention>& all, const std::vector<Span>& conditions);
    void leave_out_entries_of_stated(const std::vector<Mention>& all);
    bool is_entry_of_array(const Stated& s) const;
    void leave_out_lines_of_matrices(const LinesSaid& lines);
    void inherit(std::size_t before);
    void add_layers(std::vector<Equation>& asides) const;
    void see_changes(const std::vector<Equation>& asides);
    void define(std::vector<Equation> asides);
    bool is_defined(const Reading& reading, const NameParts& p, std::size_t axes) const;
    bool names_gradient_first(const Equation& e) const;
    bool defines_first(const Equation& e) const;
    bool goes_on_from_input(const Equation& e) const;
    void claim_what_names_gradients(const std::vector<Equation>& asides);
    bool is_identity(const Tokens& left) const;
    bool is_sought(const Equation& e) const;
    bool is_gradient_of_another(const NameParts& p) const;
    bool sizes_are_known(const Stated& s, Reading& reading, Statements& to) const;
    bool declare(const Stated& s, Reading& reading, Statements& to);
    void state_of_computed(const Stated& s, Reading& reading, Statements& to) const;

    const Source& source_;
    const Span epoch_;
    const Inversions inversions_;
    std::vector<Equation> claims_;
    const std::vector<Property> properties_;
    std::vector<Stated> stated_;                                         ///< that is still to be declared
    std::vector<Equation> asides_;                                       ///< definitions that are still to be asked for
    std::set<std::string> noted_;                                        ///< keys of what comments declare
    std::set<std::string> indices_;                                      ///< letters in scripts
    std::map<std::string, std::set<std::string>, std::less<>> indexed_;  ///< by each of them, what it is an index of
    std::set<std::string> stated_bases_;
    std::set<std::string> own_;           ///< bases of what a part of a file states and defines itself
    std::set<std::string> used_, bases_;  ///< bases of names in equations; of those that are defined, stated or declared
    struct Defined {
        std::shared_ptr<const Tokens> left;
        Tokens right;
        std::vector<Tokens> further{};  ///< of a chain
    };
    static bool is_by_entries(const NameParts& whole, const Defined& d);
    static bool names_one_of_several(const NameParts& whole, const Defined& d);
    std::vector<Defined> defined_;
    std::vector<std::shared_ptr<const Tokens>> spoken_of_;  ///< left sides of sentences, read or not
    std::vector<std::size_t> changes_;
    std::map<std::string, std::size_t> latest_;  ///< of keys, where the sentence stands that says anew what they are
};

}  // namespace gradproof::proof::latex
