// The body of a loop: its statements, which rows they assign, in which order, and which names they carry from step to step.
//
//   LoopBody body(source, loop, span, names, lists);
//   for (const LoopBody::Line& line : body.lines()) { body.expect_assigned(*value, line.all); body.assigns("h"); }
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/numpy/loops.hpp"

namespace gradproof::proof::numpy {

class LoopBody {
  public:
    /// left op right, and h.append(right), whose left is h.
    struct Line {
        Span all{}, left{}, right{};
        char op = 0;  ///< '=', or '+' of +=; 0 of what assigns nothing
        bool appends = false;
        Span when{};                      ///< the condition of the branch that it stands in
        bool otherwise = false;           ///< in its else
        std::size_t part = 0, parts = 0;  ///< of a, b = f(x), the first or the second of two; of others 0
    };
    /// `lists`: those that begin with an element, to which the first step appends the second.
    LoopBody(const Source& source, Loop over, Span body, const Names& names, const std::set<std::string, std::less<>>& lists);
    const Loop& over() const { return over_; }
    Span span() const { return span_; }
    const std::vector<Line>& lines() const { return lines_; }
    /// The h of h[t] = ..., and what the rows of h[:, t] = ... are called.
    std::set<std::string, std::less<>> sequences() const;
    /// k of h[t + k] = ...; 0 of what assigns no rows.
    int offset_of(const std::string& name) const;
    /// h[t - 1] for h[:, t - 1, :], by what its rows are called; nullptr for what is not such a part of what the body assigns.
    ExprPtr row_in(const Expr& part) const;
    /// Names that a step assigns, and that it uses before.
    const std::set<std::string, std::less<>>& carried() const { return carried_; }
    /// Of these, one that a branch assigns, and the other branch does not.
    bool is_of_one_branch(const std::string& name) const { return of_one_branch_.contains(name); }
    /// h[t] for h[-1] of a list that the body appends to: its last element, so far; nullptr of others.
    ExprPtr last_appended(const Expr& part) const;
    /// A line that assigns the name has been read.
    void assigns(const std::string& name) { assigned_.insert(name); }
    /// Rows of its own, h[t-1] or dh[t+1], are those of steps before; at the same step, those of lines above. Errors: ProofError.
    void expect_assigned(const Expr& value, Span statement) const;

  private:
    struct Row {
        std::string of;  ///< of a gradient, the value that it is of
        int offset = 0;
        std::size_t axis = 0;  ///< the steps go along
    };
    void read_lines(Span all, Span when, bool otherwise);
    Line line_of(Span s) const;
    void add_lines(Span s, Span when, bool otherwise);
    void find_rows(const Names& names, const std::set<std::string, std::less<>>& lists);
    void find_carried();
    std::set<std::string, std::less<>> used_by_lines() const;
    std::string row_of_gradient(const std::string& value) const;

    const Source& source_;
    Loop over_;
    Span span_;
    std::vector<Line> lines_;
    std::map<std::string, Row, std::less<>> rows_;
    std::set<std::string, std::less<>> carried_, of_one_branch_;
    std::set<std::string, std::less<>> assigned_;
};

/// The sequence that stands for a name whose own meaning is another: h of h[:, t] = ..., and h where it is also the last row.
std::string rows_of(const std::string& name);

}  // namespace gradproof::proof::numpy
