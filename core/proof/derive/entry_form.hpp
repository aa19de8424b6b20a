// Contributions in index form brought to the indices of one line, and between index form and matrices where both can say it.
#pragma once

#include "gradproof/core/proof/derive/backward.hpp"

namespace gradproof::proof {

/// A product of entries with the indices that it is summed over.
struct SummedEntries {
    Term body;
    std::vector<std::string> sums;
    std::map<std::string, AxisSize> sizes;  ///< of these
    bool by_rows = false;                   ///< of rows of arrays
};

/// The indices of one line: each runs over axes of one size.
class LineIndices {
  public:
    LineIndices(const Known& known, const std::vector<std::string>& letters, const Axes& of);
    /// `letter` itself, or another one where it stands for something else.
    std::string choose(const std::string& letter, const std::map<std::string, AxisSize>& sizes,
                       const std::set<std::string>& avoid);

  private:
    const Known& known_;
    std::map<std::string, AxisSize> sizes_;
};

class EntryForm {
  public:
    EntryForm(const Algebra& matrices, const Algebra& entries) : matrices_(matrices), entries_(entries) {}
    /// The indices of the line ∂L/∂X[...]: those X was computed with, or those it is used with.
    std::vector<std::string> letters_for(const std::string& target, const std::vector<Contribution>& contributions) const;
    /// Those of the line ∂L/∂X[t], whose rows are arrays; none of a line about the whole array.
    std::vector<std::string> letters_of_rows(const std::string& target, const std::vector<Contribution>& contributions) const;
    /// `of` are the axes of the value.
    SummedEntries aligned(const Contribution& c, const Assignment& through, const Axes& of,
                          const std::vector<std::string>& letters, LineIndices& indices) const;
    std::vector<SummedEntries> unrolled(const SummedEntries& e) const;
    /// The terms of one line of the forward, those with the same sums in one sum.
    std::vector<Term> together(const std::vector<SummedEntries>& all) const;
    /// What an entry at these indices is of a term of arrays.
    Term entries_of(const Term& t, const std::vector<std::string>& letters) const;
    /// The same of its first axes alone, where it stands for `rank` axes: a row.
    Term row_of(const Term& t, const std::vector<std::string>& letters, std::size_t rank) const;
    /// The same as matrices; nullopt where they cannot say it.
    std::optional<Term> as_matrices(const SummedEntries& e, const std::vector<std::string>& letters) const;
    /// With sums, powers and functions of entries at the same indices as those of arrays: X[i,j] - Y[i,j] as X - Y.
    static SummedEntries with_arrays(SummedEntries e);

  private:
    std::vector<std::string> chosen_letters(const std::string& target, const std::vector<Contribution>& all,
                                            std::size_t count) const;
    const Algebra& algebra(bool by_rows) const { return by_rows ? matrices_ : entries_; }
    SummedEntries at_first_step(const Term& body, const SummedEntries& like) const;
    Term summed(const Term& body, const SummedEntries& like) const;
    std::map<std::string, AxisSize> letter_sizes(const Assignment& a) const;
    ExprPtr entry_of(const ExprPtr& base, const std::vector<std::string>& letters) const;
    ExprPtr row_of(const ExprPtr& base, const std::vector<std::string>& letters, std::size_t rank) const;
    const Algebra &matrices_, &entries_;
};

/// Whether its entries are made of those of its parts: sums, elementwise products, powers and functions.
bool is_by_elements(const Expr& e);
bool mentions_any(const Expr& e, const std::vector<std::string>& names);

}  // namespace gradproof::proof
