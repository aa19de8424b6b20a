// The body of a loop: its statements, which rows they assign, and in which order.
//
//   LoopBody body(source, loop, span, names);
//   for (const Span s : body.statements()) { body.expect_assigned(*value, s); body.assigns("h"); }
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/numpy/loops.hpp"

namespace gradproof::proof::numpy {

class LoopBody {
  public:
    LoopBody(const Source& source, Loop over, Span body, const Names& names);
    const Loop& over() const { return over_; }
    const std::vector<Span>& statements() const { return statements_; }
    /// The h of h[t] = ...
    std::set<std::string, std::less<>> sequences() const;
    /// A line that assigns the name has been read.
    void assigns(const std::string& name) { assigned_.insert(name); }
    /// Rows of its own, h[t-1] or dh[t+1], are those of steps before; at the same step, those of lines above. Errors: ProofError.
    void expect_assigned(const Expr& value, Span statement) const;

  private:
    std::string row_of_gradient(const std::string& value) const;

    const Source& source_;
    Loop over_;
    std::vector<Span> statements_;
    std::map<std::string, std::string> rows_;  ///< that it assigns, and of gradients the value that they are of
    std::set<std::string, std::less<>> assigned_;
};

}  // namespace gradproof::proof::numpy
