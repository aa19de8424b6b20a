// What a program hands over when it is run: what its functions return, and what is kept, beside the true gradients.
//
//   const RunHanded handed(proof, draw, result);
//   handed.differs()              // "what backward returns as dW: Python computes 0, and what was read is 1"
//   handed.no_gradients()         // what is returned and is no gradient, each with its line and the reason
#pragma once

#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/proof/judge/check.hpp"
#include "gradproof/core/proof/judge/run_exchange.hpp"
#include "gradproof/core/proof/judge/run_lines.hpp"

namespace gradproof::proof {

class RunHanded {
  public:
    /// All lines of the proof are right. All three outlive it.
    RunHanded(const Proof& proof, Instance& draw, const RunResult& result);
    /// The first thing that has the name of a gradient and is another; "" where there is none.
    std::string differs() const;
    /// What a function of gradients returns and that is the gradient of no value, and gradients by inputs that are computed and
    /// not handed over where others are.
    std::vector<PassedOver> no_gradients() const;

  private:
    RunOutcome outcome(const RunValue& given, const Tensor<double>& truth) const;
    std::string difference(const RunValue& given, const std::string& value, const std::string& what) const;
    bool is_gradient_of(const RunValue& given, const std::string& value) const;
    std::string value_handed(const std::string& name) const;

    const Proof& proof_;
    Instance& draw_;
    const RunResult& result_;
    const bool narrow_;
};

/// The value whose gradient the left side of a claim is, or whose rows or entries are; "" of other lines.
std::string value_of_gradient(const JudgedLine& line);
/// Whether a name is one of the gradient of the value: dW, grad_W.
bool is_name_of_gradient(const std::string& name, const std::string& value, const Proof& proof);

}  // namespace gradproof::proof
