// Given arrays compared with the true ones, as a table and as JSON: the report of `gradproof compare` and `gradproof attention`.
//
//   ComparedArrays r;  r.add({.name = "dq", .comparison = compare(theirs, truth)});
//   r.verdict();  to_text(r);                      // Verdict::wrong, "  dq   12   0   4.00e-01  ... WRONG\n ..."
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/check/report.hpp"
#include "gradproof/core/io/array.hpp"

namespace gradproof::check {

struct ComparedArray {
    std::string name;       ///< as in the file
    std::string meaning{};  ///< "O", "∂L/∂Q"
    DType dtype{};          ///< of the given array
    Comparison comparison{};
    std::string doubt{};  ///< why it cannot be judged
    Diagnosis mistake{};  ///< an explanation beyond those of the comparison
    Index lost = 0;       ///< entries that are off by as much as they are or more
    /// The median of claimed / true, where it is further from 1 than rounding makes it: most entries are off alike.
    std::optional<double> median_ratio{};
    Verdict verdict() const;
    const Diagnosis& diagnosis() const { return comparison.diagnosis.text.empty() ? mistake : comparison.diagnosis; }
};

/// The value whose gradient a name means: Q for dQ, grad_Q, Q.grad, ∂L/∂Q. `is_value` says which names are values.
std::optional<std::string> gradient_of(const std::string& name, const std::function<bool(const std::string&)>& is_value);

/// The error that given results may have, relative to the largest true entry.
struct Allowed {
    double honest = 0;   ///< the error of a correct computation in their element type
    std::string type{};  ///< "bf16"
    double floor = 0;    ///< taken as the largest entry if the truth is 0 up to rounding
    std::vector<NamedSize> sizes{};
    Tensor<double> entries{};  ///< how far each entry may be off; undefined: only the largest says it
    Tensor<double> noise{};    ///< what a correct computation is off by at each entry; undefined: not known
    double ratio = 0;          ///< with `noise`: how far the median of claimed / true may be from 1
};
/// The `ratio` of a type in which a correct computation gives `honest`, with sums of `terms` terms.
double ratio_allowed(const Tensor<double>& honest, const Tensor<double>& truth, const Tensor<double>& noise, DType type,
                     double terms);
/// Compares an array with the truth. It is right if its error is below `honest`, below a twentieth of the largest entry, and
/// below half the error of an array that is 0, negated, doubled, halved, reversed or shifted. If only the first is so, it cannot
/// be told. An entry that is off by more than `entries` has it is wrong, and so is an array whose entries are off alike: rounding
/// goes both ways.
ComparedArray compared(std::string name, const Tensor<double>& claimed, const Tensor<double>& truth, const Allowed& allowed);

struct ComparedArrays {
    std::vector<ComparedArray> arrays;
    std::vector<std::string> notes;
    /// Of an array whose truth is 0 everywhere nothing can be told.
    void add(ComparedArray a);
    /// Adds a note if the cotangent is the same number everywhere, which may hide mistakes.
    void look_at_cotangent(const std::string& name, const Tensor<double>& dy);
    Verdict verdict() const;
};

/// One line for each array, what is wrong with it below, then the notes and the verdict.
std::string to_text(const ComparedArrays& r);
/// {"schema": 1, "arrays": [...], "notes": [...], "verdict": "..."}
std::string to_json(const ComparedArrays& r);

}  // namespace gradproof::check
