// Likely slips, undone at one place of a line. Each maker is a free function that proposes what belongs there. A pattern tries
// the proposals of one maker; pairs of slips are the proposals of two makers, one after the other.
//
//   const Pool pool(search);
//   Undos undos(pool, line);
//   undos.make(upstream);                                    // all places of the line
//   search.tries(undos.all[0].line, "{}", undos.all[0]);     // "dY ⊙ (1 - Y^2)", "the gradient that comes in, dY, is not used"
#pragma once

#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {

/// A line with one slip undone.
struct Undo {
    Mistake mistake{};
    fmt::string_view format;  ///< of what stands and what belongs there
    ExprPtr stands, belongs;
    std::size_t place = 0;  ///< of the place in the line before
    ExprPtr line;
};

/// The parts that slips exchange or leave out, collected once for a claim.
struct Pool {
    explicit Pool(const Search& s);
    const Search& search;
    std::map<std::string, Shape> shapes;       ///< of values, in the first draw
    std::vector<ExprPtr> upstream;             ///< gradients, those of what is computed from the value first
    std::vector<ExprPtr> upstream_entries;     ///< the same in index form, at every choice of indices
    std::map<std::string, Index> index_sizes;  ///< of an index form
    std::vector<std::string> offsets;          ///< indices and sizes: what an index may be shifted by
    std::vector<ExprPtr> coefficients;         ///< 2 and what scales a term in the forward: λ, ε, √d
    std::vector<ExprPtr> constants;            ///< terms that are the same everywhere: 1, λ, an identity, δ
    std::vector<ExprPtr> path_terms;           ///< what comes back through each use of the value
    std::vector<ExprPtr> units;                ///< those of the constants that no factor scales: 1, an identity, δ
    std::vector<ExprPtr> scalars;              ///< values that are one number, numbers of the forward, sizes
    std::vector<ExprPtr> leaves;               ///< values and gradients that may be a term
    const Shape* shape_of(const std::string& name) const;
};

class Undos {
  public:
    Undos(const Pool& with, const ExprPtr& of) : pool(with), line(of), places(places_of_repairs(of)) {}
    using Maker = void (*)(Undos&, const Place&);
    /// At every place from the one of that number on.
    void make(Maker maker, std::size_t from = 0);
    void add(Mistake mistake, fmt::string_view text, const ExprPtr& stands, const ExprPtr& belongs, const ExprPtr& changed) {
        all.push_back({mistake, text, stands, belongs, at, changed});
    }
    const Pool& pool;
    const ExprPtr line;
    const std::vector<Place> places;
    std::vector<Undo> all;
    std::size_t at = 0;
};

// slips_chain.cpp
void upstream(Undos& u, const Place& p);   ///< 1 - Y^2 for dY ⊙ (1 - Y^2)
void path_term(Undos& u, const Place& p);  ///< what comes back through one more use of the value
// slips_names.cpp
void same_shape(Undos& u, const Place& p);   ///< H_0 for H_1, dK for dQ
void other_index(Undos& u, const Place& p);  ///< X[t - 1, c] for X[t, c]
void kept_axis(Undos& u, const Place& p);    ///< sum(X, axis=1) for rowsum(X)
// slips_terms.cpp
void term_sign(Undos& u, const Place& p);
void coefficient(Undos& u, const Place& p);    ///< a term without its 1/2, ε/k, λ
void exponent(Undos& u, const Place& p);       ///< s^2 for s^3, v + ε for sqrt(v + ε)
void leaf_term(Undos& u, const Place& p);      ///< -rowmean(dN) for dN - rowmean(dN)
void constant_term(Undos& u, const Place& p);  ///< -Y^2 for 1 - Y^2

}  // namespace gradproof::proof

template <>
struct fmt::formatter<gradproof::proof::Undo> : fmt::formatter<std::string> {
    auto format(const gradproof::proof::Undo& u, fmt::format_context& to) const {
        return fmt::formatter<std::string>::format(fmt::format(fmt::runtime(u.format), u.stands, u.belongs), to);
    }
};
