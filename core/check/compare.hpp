// Two arrays held against each other: how many entries agree, which is worst, and what simple mistake would explain the rest.
//
//   const Comparison c = compare(claimed, truth, {.tolerance = 1e-9, .sizes = {{"D", 16}}});
//   c.right();                                     // every entry agrees
//   c.diagnosis;                                   // "claimed = sqrt(D) * true"
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof::check {

/// A size with the name it has in formulas.
struct NamedSize {
    std::string name;
    Index size = 0;
};

struct CompareOptions {
    double tolerance = 1e-9;         ///< of an entry's error, relative to the largest true entry
    double floor = 0;                ///< what counts as the largest entry where the true ones are smaller
    std::vector<NamedSize> sizes{};  ///< in whose terms a constant factor may be named
};

/// The entries that do not agree, by kind; lowest and highest ratio are claimed / true of the last two kinds.
struct OffCensus {
    Index not_finite = 0;  ///< claimed is NaN or infinite
    Index zero = 0;        ///< claimed is 0, true is not
    Index from_zero = 0;   ///< true is 0, claimed is not
    Index opposite_sign = 0;
    Index same_sign = 0;
    double lowest_ratio = 0, highest_ratio = 0;
    std::string text() const;
};

struct Comparison {
    Shape shape, claimed_shape;
    Index entries = 0;  ///< of the true array
    Index agree = 0;
    Index skipped = 0;   ///< the true entry is not finite: nothing can be told
    double max_abs = 0;  ///< largest |claimed - true|; infinite where a claim is not finite
    double largest = 0;  ///< largest |true|
    double scale = 0;    ///< what errors are relative to: `largest`, or the floor
    double tolerance = 0;
    Shape worst;  ///< index of the largest error
    double claimed = 0, truth = 0;
    OffCensus off;
    std::string where;      ///< "axis 1 at 2 to 3" where all that is off lies in such a part, else ""
    std::string diagnosis;  ///< "" where nothing simple explains it

    bool same_shape() const { return shape == claimed_shape; }
    bool right() const { return same_shape() && agree + skipped == entries; }
    /// Nothing is wrong, but some or all of it could not be told.
    bool vacuous() const { return right() && (skipped > 0 || entries == 0); }
    /// max_abs / scale, 0 where both are 0.
    double max_rel() const;
};

/// Agreement at an entry: |claimed - true| <= tolerance * max(largest |true|, floor). Different shapes never agree.
/// A diagnosis is the simplest of: the sign, a constant factor (named where a size, its root or inverse fits), two axes
/// swapped, zero everywhere; each must explain every entry to within the tolerance.
Comparison compare(const Tensor<double>& claimed, const Tensor<double>& truth, const CompareOptions& options = {});

}  // namespace gradproof::check
