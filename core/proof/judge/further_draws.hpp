// Draws beyond the usual ones. A line that is right so far is tried where several branches are on certain sides together, in
// other sizes where these decide, where masks and labels hold one value throughout, where parameters are not what they are by
// default, and where a compared expression is exactly 0; one that is not proved also in 64 more draws, and close to where
// branches change sides.
//
//   FurtherDraws further(proof, plan, options, branches);
//   if (const auto found = further.look({line, entries, work}, draw, by_residues)) found->verdict;
#pragma once

#include "gradproof/core/proof/judge/constant_draws.hpp"
#include "gradproof/core/proof/judge/size_draws.hpp"
#include "gradproof/core/proof/judge/ties.hpp"
#include "gradproof/core/proof/prove/prove.hpp"

namespace gradproof::proof {

/// Why differences do not confirm the true derivatives in an expression; "" if they do.
std::string doubt_of(Instance& draw, const Expr& e);

struct Finding {
    check::Verdict verdict;
    std::string reason{};
    std::optional<Agreement> at{};  ///< for a wrong line: how its sides compare in this draw
    std::unique_ptr<Instance> draw{};
    bool of_this_line = false;  ///< the draw is for this line only; others may have no derivative there
};

class FurtherDraws {
  public:
    /// All four arguments must outlive it.
    FurtherDraws(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches)
        : proof_(proof), plan_(plan), options_(options), branches_(branches) {}
    struct Asked {
        const JudgedLine& line;
        Index entries;
        double& work;    ///< done so far, for lines or for repairs; it is limited
        double own = 0;  ///< of that, for this line, which has a share of its own
    };
    /// A finding that a line is not right; nullopt if there is none, or if looking takes too long.
    std::optional<Finding> look(Asked asked, Instance& usual, const ByResidues& by);
    /// Whether it stands in the line, or in what makes a value that the line names or is of.
    bool is_met_by(const Branch& branch, const JudgedLine& line) const;
    /// A draw of a finding that is not shared: further lines are tried there.
    void keep(std::unique_ptr<Instance> draw) { kept_.push_back(std::move(draw)); }

  private:
    using Draws = std::vector<std::unique_ptr<Instance>>;
    static bool may_look(Asked& asked, Instance& draw);
    bool concerns(const Branch& branch, const JudgedLine& line) const;
    std::optional<Agreement> difference(const JudgedLine& line, Draws& draws, std::size_t i) const;
    std::optional<Finding> wrong_in(const JudgedLine& line, Draws& draws, std::size_t i) const;
    std::optional<Finding> wrong_in(const JudgedLine& line, std::unique_ptr<Instance> draw) const;
    bool has_no_value(const JudgedLine& line, Draws& draws, std::size_t i) const;
    std::optional<Finding> look_at_kept(Asked& asked);
    std::optional<Finding> look_closer(Asked& asked, Instance& usual);
    std::optional<Finding> look_at_boundaries(Asked& asked);
    std::optional<Finding> look_at_combinations(Asked& asked);
    std::optional<Finding> look_at_sizes(Asked& asked, Instance& usual);
    std::optional<Finding> look_at_constants(Asked& asked, Instance& usual);
    std::optional<Finding> look_beside_defaults(Asked& asked, Instance& usual);
    bool has_branch(const JudgedLine& line) const;
    std::optional<Finding> look_at_ties(Asked& asked);

    const Proof& proof_;
    const Plan& plan_;
    const InstanceOptions& options_;
    const Branches& branches_;
    std::optional<std::vector<Crossing>> crossings_;
    Draws beside_;                                          ///< four for each, two before and two after it
    std::map<std::vector<const Branch*>, Draws> combined_;  ///< by the branches that count
    std::optional<Draws> of_sizes_;
    std::optional<ConstantDraws> of_constants_, beside_defaults_;
    Draws kept_;
    std::optional<Ties> ties_;
};

}  // namespace gradproof::proof
