// Proofs of claims: both sides of a line are run over residues at random points, where only equal formulas agree.
//
//   Prover prover(proof, plan, options, draws);
//   const ByResidues r = prover.prove(claim, claim.line().right);
//   if (r.outcome == ByResidues::Outcome::proved) r.proved.error_log2;      // -106: a chance of 2^-106
#pragma once

#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

/// The result that a line is an identity of formulas, for the sizes of the draws.
struct Proved {
    double error_log2 = 0;            ///< log2 of a bound of the chance that two different formulas agree at the first two points
    std::vector<std::string> opaque;  ///< functions in the line of which only a few rules are known
};

/// The result of evaluating a line by residues.
struct ByResidues {
    enum class Outcome {
        open,     ///< none: the line cannot be evaluated
        differs,  ///< the sides are not the same formula, by the rules known for functions
        proved
    };
    Outcome outcome = Outcome::open;
    Proved proved{};              ///< if the sides differ, only the opaque functions of the entry that differs
    Index entries = 0;            ///< of the line
    bool in_large_sizes = false;  ///< they differ in sizes that are several times those of the smallest draws, and not there
    /// Whether it is proved but for a chance of 2^-40: with a larger one it is no proof.
    bool is_proof() const { return outcome == Outcome::proved && proved.error_log2 <= -40; }
};

class Prover {
  public:
    /// At the sizes of the smallest draws. `options` are theirs; all four outlive it.
    Prover(const Proof& proof, const Plan& plan, const InstanceOptions& options,
           const std::vector<std::unique_ptr<Instance>>& draws);
    ByResidues prove(const Claim& claim, const ExprPtr& right);

  private:
    /// The random numbers of one evaluation and what follows from them.
    struct Point {
        Instance* draw;  ///< whose sizes it has
        std::unique_ptr<Derivatives<Modular>> derivatives;
    };
    struct Points {
        std::vector<Instance*> draws{};  ///< the smallest first
        std::vector<Point> points{};
        Point& at(std::size_t i);
    };
    void renew(Point& point);
    Tensor<Modular> random_values(const Given& given, const Instance& draw);
    std::size_t points_for(Index entries, Index moved, double work) const;
    Index entries_of_recurrences(const Claim& claim, const ExprPtr& right, const Instance& draw) const;
    Points& points_of(const JudgedLine& line);
    ByResidues compare_at_some_root(Point& point, const Claim& claim, const ExprPtr& right);
    ByResidues compare_at(Point& point, const Claim& claim, const ExprPtr& right);
    bool differs_in_large_sizes(const Points& all, const Claim& claim, const ExprPtr& right);

    const Proof& proof_;
    const Plan& plan_;
    const InstanceOptions& options_;
    Points all_;             ///< of all lines
    Points where_it_holds_;  ///< of the last line that needs its own ...
    ExprPtr condition_;      ///< ... which has this condition
    Random random_;
    bool possible_ = true;  ///< the forward can be evaluated
    double spent_ = 0;      ///< work, in all
};

}  // namespace gradproof::proof
