// Loops over steps: for t in range(T), whose body assigns rows h[t] = ... or adds to gradients.
//
//   const std::optional<Loop> loop = loop_of(source, header, names);      // of "for t in range(1, T):"
#pragma once

#include <optional>

#include "gradproof/core/proof/language/grammar.hpp"

namespace gradproof::proof::numpy {

struct Loop {
    std::string index;
    ExprPtr first, stop;
    Span target{};  ///< of the index
    bool backwards = false;
    /// Where it runs, of an axis; nullptr where that is all of it.
    ExprPtr holds() const;
    /// The sum of the value over its steps.
    ExprPtr total(const ExprPtr& value) const;
};
/// Nothing for what does not run over range(...), forwards or backwards.
std::optional<Loop> loop_of(const Source& source, Span header, const Names& names);

/// name[index] on the left of an assignment, and name[:, index, :].
struct Element {
    Span name{};
    ExprPtr index;
    std::size_t before = 0, behind = 0;  ///< how many : stand there
};
/// The axes of an array in the order in which the one at `from` stands at `to`.
ExprPtr with_axis_moved(const ExprPtr& of, std::size_t axes, std::size_t from, std::size_t to);
std::optional<Element> element_of(const Source& source, Span left, const Names& names);

/// h[t + 1] for h[t], `by` steps later.
ExprPtr at_later_step(const ExprPtr& e, const std::string& index, double by);
/// h[k] for h[t], at step k.
ExprPtr at_step(const ExprPtr& e, const std::string& index, const ExprPtr& step);
/// The value with `start` for name[t - 1] of the first t.
ExprPtr with_start(const ExprPtr& value, const std::string& name, const ExprPtr& start);

}  // namespace gradproof::proof::numpy
