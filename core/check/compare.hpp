// Two arrays held against each other: how many entries agree, which is worst, and what simple mistake would explain the rest.
//
//   const Comparison c = compare(claimed, truth, {.tolerance = 1e-9, .sizes = {{"D", 16}}});
//   c.right();                                     // every entry agrees
//   c.diagnosis.text;                              // "claimed = sqrt(D) * true"
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/check/mistake.hpp"
#include "gradproof/core/tensor.hpp"

namespace gradproof::check {

/// What a claim may be off by at each entry: |claimed - true| <= relative * scale + rounding, or + bound of the entry.
struct Tolerance {
    double relative = 0;
    double scale = 1;         ///< the unit of errors, the same for every entry ...
    Tensor<double> scales{};  ///< ... or one for each, in its place
    double rounding = 0;      ///< allowed beside it, absolute, the same for every entry ...
    Tensor<double> bounds{};  ///< ... or one for each, in its place

    double unit(Index i) const { return scales.defined() ? scales[i] : scale; }
    double bound(Index i) const { return relative * unit(i) + (bounds.defined() ? bounds[i] : rounding); }
};
/// A part of the largest true entry, or of `floor` where all true entries are smaller.
Tolerance relative_to_largest(const Tensor<double>& truth, double relative, double floor = 0);

/// The entry that is furthest off in units of the scale, of those that do not agree if there are any.
struct Worst {
    std::string tensor;  ///< "d(x)", "y" ...; "" where it is plain
    Shape index;
    double claimed = 0, truth = 0;
    double error = 0;  ///< |claimed - true| / scale; infinite where either is not finite
    double ratio() const { return claimed / truth; }
    std::string text() const;
};

/// "claimed 2.5, true 2.25", with at least so many significant digits and as many as tell the two apart.
std::string claimed_and_true(double claimed, double truth, int digits);
/// "0.5", with at least six significant digits and as many as tell it from 1.
std::string ratio_text(double ratio);

/// The entries that do not agree, by kind; lowest and highest ratio are claimed / true of the last two kinds.
struct OffCensus {
    Index not_finite = 0;  ///< NaN or infinite
    Index zero = 0;        ///< claimed is 0, true is not
    Index from_zero = 0;   ///< true is 0, claimed is not
    Index opposite_sign = 0;
    Index same_sign = 0;
    double lowest_ratio = 0, highest_ratio = 0;
    std::string text() const;
};

struct Comparison {
    Shape shape, claimed_shape;
    Tolerance tolerance;
    Index entries = 0;  ///< of the true array
    Index agree = 0;
    Index skipped = 0;             ///< the true entry is not finite: nothing can be told
    Index skipped_alike = 0;       ///< of these: the claim is the same infinity
    double largest = 0;            ///< the largest finite |true|
    double max_abs = 0;            ///< the largest |claimed - true|; infinite where a claim is not finite
    double error = 0;              ///< the same in units of the scale
    std::optional<Worst> worst{};  ///< the first where several are as far off; none where nothing was compared
    std::vector<Index> off_at{};   ///< the entries that do not agree, row-major
    OffCensus off{};
    std::string where{};  ///< "axis 1 at 2 to 3" where all that is off lies in such a part, else "": of a comparison with options
    Diagnosis diagnosis{};  ///< of a comparison with options

    bool same_shape() const { return shape == claimed_shape; }
    bool right() const { return same_shape() && off_at.empty(); }
    /// Nothing is wrong, but some or all of it could not be told.
    bool vacuous() const { return right() && (skipped > 0 || entries == 0); }
    Index compared() const { return entries - skipped; }
};

/// What is said of entries whose true value is not finite.
enum class NotFinite {
    skipped,   ///< nothing
    compared,  ///< an infinity is to be claimed as it is, and NaN is never right; a true NaN is not known and skipped
    alike,     ///< infinities and NaN are to be claimed as they are
};
/// The one place where an entry is held to agree or not. Different shapes never agree. `gap`, where it is defined, is
/// claimed - true as it was before both were rounded to doubles.
Comparison compare(const Tensor<double>& claimed, const Tensor<double>& truth, const Tolerance& tolerance,
                   NotFinite not_finite = NotFinite::skipped, const Tensor<double>& gap = {});

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
/// The same with where the entries that are off lie, and why. A diagnosis is the simplest of: the sign, a constant factor
/// (named where a size, its root or inverse fits), two axes swapped, zero everywhere; each must explain every entry to within
/// the tolerance.
Comparison compare(const Tensor<double>& claimed, const Tensor<double>& truth, const CompareOptions& options = {});

/// A row-major position as one index for each axis.
Shape unravel(Index position, const Shape& shape);
/// The largest finite |x|, 0 if there is none.
double finite_largest(const Tensor<double>& x);

}  // namespace gradproof::check
