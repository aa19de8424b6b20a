// Small numbers that keep a logarithm, a root or a quotient of a program from 0: np.log(P + 1e-12).
//
//   Guards guards(proof, options, judge);
//   guards.are_all_of(i)       // whether line i is right but for them: dZ = (P - Y) / n
//   guards.tell(report);       // lines that are wrong and are so become `cannot tell`
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

class Guards {
  public:
    /// All three must outlive it. Nothing is judged before it is asked.
    Guards(const Proof& proof, const CheckOptions& options, const JudgeOnce& judge);
    /// Whether the line is right with every guard of the forward, or with those of one assignment, taken as 0. A line that writes
    /// itself what is guarded, without its guard, is not: there the guard is missing.
    bool are_all_of(std::size_t line);
    void tell(ProofReport& report);

  private:
    /// Those of one assignment of the forward.
    struct Guarded {
        std::size_t assignment;
        ExprPtr without;                       ///< its value with them taken as 0
        std::vector<std::string> texts, bare;  ///< "log(P + 1e-12)" and what stands there without the guard, "P"
    };
    void find();
    bool leaves_out(const JudgedLine& line) const;
    /// How the lines are judged with these taken as 0.
    void judge_without(const std::vector<const Guarded*>& which);
    void judge_all();
    std::string told(std::size_t line) const;

    const Proof& proof_;
    const CheckOptions& options_;
    const JudgeOnce& judge_;
    std::vector<Guarded> guarded_;
    bool judged_ = false;
    std::vector<std::vector<const Guarded*>> right_without_;  ///< of each line, the first that are enough
};

}  // namespace gradproof::proof
