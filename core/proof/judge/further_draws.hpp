// Draws beyond the usual ones: a line that is right so far is looked at where several branches are on certain sides together and
// where what is compared is exactly 0, and one that is not proved in 64 others and beside the places where branches change their
// side.
//
//   FurtherDraws further(proof, plan, options, branches);
//   if (const auto found = further.look({line, entries, work}, draw, by_residues)) found->verdict;
#pragma once

#include "gradproof/core/proof/judge/ties.hpp"
#include "gradproof/core/proof/prove/prove.hpp"

namespace gradproof::proof {

/// Why differences do not confirm the true derivatives in an expression; "" where they do.
std::string doubt_of(Instance& draw, const Expr& e);

struct Finding {
    check::Verdict verdict;
    std::string reason{};
    std::optional<Agreement> at{};  ///< of a line that is wrong: how its sides compare, in this draw
    std::unique_ptr<Instance> draw{};
    bool of_this_line = false;  ///< the draw says nothing of others, which may have no derivative there
};

class FurtherDraws {
  public:
    /// All four outlive it.
    FurtherDraws(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches)
        : proof_(proof), plan_(plan), options_(options), branches_(branches) {}
    struct Asked {
        const JudgedLine& line;
        Index entries;
        double& work;  ///< done so far, of lines or of what is offered in their place: no more is done than each is given
    };
    /// What shows that a line is not right; nullopt where nothing does, or where it takes too long.
    std::optional<Finding> look(const Asked& asked, Instance& usual, const ByResidues& by);

  private:
    using Draws = std::vector<std::unique_ptr<Instance>>;
    static bool may_look(const Asked& asked, Instance& draw);
    std::optional<Agreement> difference(const JudgedLine& line, Draws& draws, std::size_t i) const;
    std::optional<Finding> wrong_in(const JudgedLine& line, Draws& draws, std::size_t i) const;
    std::optional<Finding> wrong_in(const JudgedLine& line, std::unique_ptr<Instance> draw) const;
    std::optional<Finding> look_closer(const Asked& asked, Instance& usual);
    std::optional<Finding> look_at_boundaries(const Asked& asked);
    std::optional<Finding> look_at_combinations(const Asked& asked);
    bool has_branch(const JudgedLine& line) const;
    std::optional<Finding> look_at_ties(const Asked& asked);

    const Proof& proof_;
    const Plan& plan_;
    const InstanceOptions& options_;
    const Branches& branches_;
    std::optional<std::vector<Crossing>> crossings_;
    Draws beside_;  ///< two for each, before and after it
    std::optional<Draws> combined_;
    std::optional<Ties> ties_;
};

}  // namespace gradproof::proof
