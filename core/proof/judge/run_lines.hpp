// What the lines of a program computed in one run, each beside what it was read as.
//
//   const RunLines lines(source, result, {.unit = draw.unit()});
//   lines.line(statement.span, value, is_called("h")).kind == RunOutcome::Kind::agrees
#pragma once

#include <functional>
#include <optional>

#include "gradproof/core/proof/judge/run_exchange.hpp"
#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof {

struct RunOutcome {
    enum class Kind { agrees, differs, none } kind = Kind::none;
    std::string text{};  ///< how it differs, or why nothing is compared
};
/// Of a value that a run computed; both of the same size. `unit`: the size of the gradients that come in.
RunOutcome run_outcome(const Tensor<double>& run, const Tensor<double>& read, bool narrow, double unit);

/// Whether some of what it computes has fewer bits than a double, or its text says so of a part: x.astype(np.float32).
bool is_narrow(const RunResult& result, const Source& source);

/// Whether a value is that of this name.
using IsIt = std::function<bool(const std::string&)>;
/// "v", and of (v of line 3), which is assigned again, the same.
IsIt is_called(const std::string& name);

class RunLines {
  public:
    /// `trains`: parameters are changed, after which the steps of a loop compute with others. `source` and `result` outlive it.
    RunLines(const Source& source, const RunResult& result, double unit, bool trains);
    /// The line, or of several names that it assigns to the one that `is_it`.
    RunOutcome line(Span s, const Tensor<double>& read, const IsIt& is_it) const;
    /// The only value in its lines, of several the one that it is by name, or else by where it begins; nullptr where none is.
    const std::vector<RunValue>* values_at(Span s, const IsIt& is_it) const;
    /// What its lines assign.
    std::vector<const RunResult::Line*> all_at(Span s) const;
    /// The return before which what it computed was changed.
    std::optional<std::size_t> changed_at(std::size_t begin) const;
    /// What becomes of what it computes: it is changed, or is another when it is called again; "" where it stays.
    std::string after(std::size_t begin) const;

  private:
    RunOutcome steps(const std::vector<RunValue>& values, const Tensor<double>& read) const;
    /// Of a place that an answer names, which may be anywhere.
    int line_number(std::size_t at) const { return source_.line(std::min(at, source_.text().size())); }
    std::string why_not_run(std::size_t begin) const;

    const Source& source_;
    const RunResult& result_;
    double unit_;
    bool trains_;
    bool narrow_;
};

}  // namespace gradproof::proof
