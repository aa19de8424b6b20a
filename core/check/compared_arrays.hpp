// Somebody's arrays beside the true ones, as a table and as JSON: what `compare` and `attention` report.
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
    std::string name;       ///< as in their file
    std::string meaning{};  ///< "O", "∂L/∂Q"
    DType dtype{};          ///< of their array
    Comparison comparison{};
    std::string doubt{};  ///< why nothing can be said
    Diagnosis mistake{};  ///< what explains it where the comparison alone does not
    Verdict verdict() const;
    const Diagnosis& diagnosis() const { return comparison.diagnosis.text.empty() ? mistake : comparison.diagnosis; }
};

/// The value that a name means the gradient of: dQ, grad_Q, Q.grad, ∂L/∂Q. `is_value` says which names are values.
std::optional<std::string> gradient_of(const std::string& name, const std::function<bool(const std::string&)>& is_value);

/// How far off somebody's results may be, relative to the largest true entry.
struct Allowed {
    double honest = 0;   ///< what an honest computation in their type may come to
    std::string type{};  ///< "bf16"
    double floor = 0;    ///< what counts as the largest entry where the truth is 0 but for rounding
    std::vector<NamedSize> sizes{};
};
/// An array beside the truth. It is right where it is off by less than `honest`, a twentieth of the largest entry, and half of
/// what an array is off that is 0, negated, doubled, halved, reversed or shifted; where only the first holds nothing can be told.
ComparedArray compared(std::string name, const Tensor<double>& claimed, const Tensor<double>& truth, const Allowed& allowed);

struct ComparedArrays {
    std::vector<ComparedArray> arrays;
    std::vector<std::string> notes;
    /// Where the truth is 0 everywhere nothing is told of an array that agrees.
    void add(ComparedArray a);
    /// Notes a cotangent that is the same number everywhere.
    void look_at_cotangent(const std::string& name, const Tensor<double>& dy);
    Verdict verdict() const;
};

/// A line an array, below it what is wrong, then the notes and the verdict.
std::string to_text(const ComparedArrays& r);
/// {"schema": 1, "arrays": [...], "notes": [...], "verdict": "..."}
std::string to_json(const ComparedArrays& r);

}  // namespace gradproof::check
