// Draws beyond the usual ones: a line that is right so far is looked at where several branches are on certain sides together,
// and one that is not proved in 64 others and beside the places where branches change their side.
//
//   FurtherDraws further(proof, plan, options, branches);
//   if (const auto found = further.look(line, draw, by_residues, entries, FurtherDraws::For::lines)) found->verdict;
#pragma once

#include "gradproof/core/proof/judge/boundaries.hpp"
#include "gradproof/core/proof/prove/prove.hpp"

namespace gradproof::proof {

/// Why differences do not confirm the true derivatives in an expression; "" where they do.
std::string doubt_of(Instance& draw, const Expr& e);

struct Finding {
    check::Verdict verdict;
    std::string reason{};
    std::optional<Agreement> at{};  ///< of a line that is wrong: how its sides compare, in this draw
    std::unique_ptr<Instance> draw{};
};

class FurtherDraws {
  public:
    /// All four outlive it.
    FurtherDraws(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches)
        : proof_(proof), plan_(plan), options_(options), branches_(branches) {}
    /// What shows that a line of so many entries is not right; nullopt where nothing does, or where it takes too long. Lines have
    /// a time of their own, and what is offered in their place has one.
    enum class For { lines, repairs };
    std::optional<Finding> look(const JudgedLine& line, Instance& usual, const ByResidues& by, Index entries, For what);

  private:
    using Draws = std::vector<std::unique_ptr<Instance>>;
    bool may_look(Instance& draw, Index entries);
    std::optional<Agreement> difference(const JudgedLine& line, Draws& draws, std::size_t i) const;
    std::optional<Finding> wrong_in(const JudgedLine& line, Draws& draws, std::size_t i) const;
    std::optional<Finding> wrong_in(const JudgedLine& line, std::unique_ptr<Instance> draw) const;
    std::optional<Finding> look_closer(const JudgedLine& line, Instance& usual, Index entries);
    std::optional<Finding> look_at_boundaries(const JudgedLine& line, Index entries);
    std::optional<Finding> look_at_combinations(const JudgedLine& line, Index entries);

    const Proof& proof_;
    const Plan& plan_;
    const InstanceOptions& options_;
    const Branches& branches_;
    double lines_took_ = 0, repairs_took_ = 0;  ///< work
    double* took_ = &lines_took_;
    std::optional<std::vector<Crossing>> crossings_;
    Draws beside_;  ///< two for each, before and after it
    std::optional<Draws> combined_;
};

}  // namespace gradproof::proof
