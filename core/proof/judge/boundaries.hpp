// Draws close to the places where branches change sides. A threshold that is slightly off shows there, and hardly anywhere else.
//
//   for (const Crossing& c : crossings(proof, plan, options, branches))
//       c.along->at(c.before), c.along->at(c.after);      // the branch has different sides there, next to each other
#pragma once

#include <set>
#include <string>

#include "gradproof/core/proof/evaluate/branches.hpp"

namespace gradproof::proof {

/// The straight line from one draw to another of the same sizes, or from a draw to one that is `scale` times as large, by equal
/// factors in equal steps. Given values, indices and one-hot arrays do not change along it.
class Segment {
  public:
    /// Errors: those of Instance.
    Segment(const Proof& proof, const Plan& plan, const InstanceOptions& options, int number, double scale = 1);
    /// 0 <= t <= 1.
    std::unique_ptr<Instance> at(double t) const;

  private:
    const Proof& proof_;
    const Plan& plan_;
    InstanceOptions options_;
    int number_;
    double scale_;  ///< 1 of a line to another draw
    Bindings from_, to_;
    std::set<std::string> grows_;  ///< inputs that are scaled
};

struct Crossing {
    const Branch* branch;
    std::shared_ptr<const Segment> along;
    double before, after;  ///< one entry of the branch changes its side between them
};

/// Whether inputs decide the branch, and it is more than a point without a derivative.
bool decides(const Branch& branch);
/// Whether it comes from the random numbers of the draw.
bool is_drawn(const Given& g, const InstanceOptions& options);

/// The options that give the numbers and sizes of this draw again.
InstanceOptions as_drawn(const Instance& draw, const Proof& proof, InstanceOptions options);

/// Draws in which an entry of each branch that inputs decide is on a certain side: every combination of sides for two to six
/// branches; for more, all above, all below, and all above but one. Two more draws have all entries above, or below. Each is
/// found as nearly as possible by changing one input after the other. `of`: the branches that count.
std::vector<std::unique_ptr<Instance>> draws_of_combinations(const Proof& proof, const Plan& plan, const InstanceOptions& options,
                                                             const std::vector<const Branch*>& of);

/// Some crossings of each branch that inputs decide, in turn by branch. All four arguments must outlive them.
std::vector<Crossing> crossings(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches);

/// Where something that a root, a power or a logarithm is taken of touches 0 on the way from one draw to another, as var([a, 60])
/// does where a is 60, or the determinant of a logdet changes its sign. Something else may hold on either side.
std::vector<Crossing> touches(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches);

}  // namespace gradproof::proof
