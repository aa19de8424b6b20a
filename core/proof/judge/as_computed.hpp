// Lines of a program that are right as it computes them: dW = dZ @ A.T / m below dZ = P - Y, which is m times the gradient.
//
//   AsComputed computed(proof, options, judge);
//   computed.is_right(i);      // with what the lines above compute in the place of the true gradients
//   computed.tell(report);     // of wrong lines, those that are so become right
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// The value whose gradient a line claims, in one, or row by row in a loop of a program that goes through all of them; "" of
/// other lines.
std::string gradient_claimed(const JudgedLine& line);
/// Whether it is claimed row by row.
bool is_by_rows(const JudgedLine& line);

class AsComputed {
  public:
    /// All three must outlive it. Nothing is judged before it is asked.
    AsComputed(const Proof& proof, const CheckOptions& options, const JudgeOnce& judge)
        : proof_(proof), options_(options), judge_(judge) {}
    bool is_right(std::size_t line);
    /// Of wrong lines of a program, those are right that equal the true gradient with what the wrong lines above compute: what
    /// was off there is made up for.
    void tell(ProofReport& report);

  private:
    const ProofReport& chained();

    const Proof& proof_;
    const CheckOptions& options_;
    const JudgeOnce& judge_;
    std::optional<ProofReport> chained_;
};

}  // namespace gradproof::proof
