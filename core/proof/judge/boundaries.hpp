// Draws beside the places where branches change their side: a threshold that is a little off shows there, and in few draws else.
//
//   for (const Crossing& c : crossings(proof, plan, options, branches))
//       c.along->at(c.before), c.along->at(c.after);      // the branch has different sides there, 1e-9 of the way apart
#pragma once

#include "gradproof/core/proof/evaluate/branches.hpp"

namespace gradproof::proof {

/// The straight way from one draw to another of the same sizes. What is stated, an index or one-hot stays as it is.
class Segment {
  public:
    /// Errors: those of Instance.
    Segment(const Proof& proof, const Plan& plan, const InstanceOptions& options, int number);
    /// 0 <= t <= 1.
    std::unique_ptr<Instance> at(double t) const;

  private:
    const Proof& proof_;
    const Plan& plan_;
    InstanceOptions options_;
    int number_;
    Bindings from_, to_;
};

struct Crossing {
    const Branch* branch;
    std::shared_ptr<const Segment> along;
    double before, after;  ///< one entry of the branch changes its side between them
};

/// Whether inputs decide, and not only where a derivative is missing.
bool decides(const Branch& branch);
/// Whether it comes from the random numbers of the draw.
bool is_drawn(const Given& g, const InstanceOptions& options);

/// Draws where an entry of each branch that inputs decide is on a certain side: of up to six branches every combination of sides,
/// of more all above, all below, and all above but one. Two more where all entries are above, or below. Each as nearly as is
/// found by changing one input after the other.
std::vector<std::unique_ptr<Instance>> draws_of_combinations(const Proof& proof, const Plan& plan, const InstanceOptions& options,
                                                             const Branches& branches);

/// Some of each branch that inputs decide, those of different branches in turn. All four outlive them.
std::vector<Crossing> crossings(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches);

}  // namespace gradproof::proof
