// The dependencies between the values of a proof.
#pragma once

#include <map>
#include <set>

#include "gradproof/core/proof/evaluate/evaluate.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Arrays that replace given values, by name.
using Bindings = std::map<std::string, Tensor<double>, std::less<>>;

/// For each value, the assignments that depend on it. What leads to one of a block leads to all of it.
class Plan {
  public:
    /// Values in `bound` do not count as drawn.
    explicit Plan(const Proof& proof, const Bindings& bound = {});
    /// Without those of its own block.
    const std::vector<std::size_t>& reached_by(const std::string& name) const { return reached_.at(name); }
    bool reaches(const std::string& from, const std::string& to) const;
    /// Whether they are two of the same block.
    bool are_together(const std::string& a, const std::string& b) const;
    /// The assignments that use the value directly.
    std::vector<std::size_t> consumers(const std::string& name) const;
    /// Whether a value, or an expression, depends on something that is drawn.
    bool is_drawn(const Expr& e) const;
    /// Whether a value is an input or depends on one. Constants, and values that follow only from constants, do not.
    bool follows_input(const std::string& name) const { return varies_.contains(name); }
    /// Whether anything is drawn; if not, one draw is enough.
    bool anything_drawn() const { return drawn_any_; }

  private:
    const Proof& proof_;
    std::vector<std::set<std::string>> used_;
    std::map<std::string, std::vector<std::size_t>> reached_;
    std::set<std::string, std::less<>> drawn_, varies_;
    bool drawn_any_ = false;
};

/// An error of evaluating a proof, at its place in the text.   Errors  ProofError.
[[noreturn]] void fail(const Proof& proof, const EvaluationError& e);

}  // namespace gradproof::proof
