// The comparison of two arrays: how many entries agree, which is worst, and what simple mistake explains the rest.
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

/// The error allowed at each entry: |claimed - true| <= relative * scale + rounding, or + the bound of the entry.
struct Tolerance {
    double relative = 0;
    double scale = 1;         ///< the unit of errors, the same for every entry ...
    Tensor<double> scales{};  ///< ... or one for each entry
    double rounding = 0;      ///< an absolute error allowed besides, the same for every entry ...
    Tensor<double> bounds{};  ///< ... or one for each entry

    double unit(Index i) const { return scales.defined() ? scales[i] : scale; }
    double bound(Index i) const { return relative * unit(i) + (bounds.defined() ? bounds[i] : rounding); }
};
/// Relative to the largest true entry, or to `floor` if all true entries are smaller.
Tolerance relative_to_largest(const Tensor<double>& truth, double relative, double floor = 0);

/// The entry with the largest error in units of the scale; if some entries do not agree, one of these.
struct Worst {
    std::string tensor;  ///< "d(x)", "y" ...; "" if it needs no name
    Shape index;
    double claimed = 0, truth = 0;
    double error = 0;  ///< |claimed - true| / scale; infinite where either is not finite
    double ratio() const { return claimed / truth; }
    std::string text() const;
};

/// "claimed 2.5, true 2.25", with at least `digits` significant digits, and enough to tell the two apart.
std::string claimed_and_true(double claimed, double truth, int digits);
/// "0.5", with at least six significant digits and as many as tell it from 1.
std::string ratio_text(double ratio);

/// Counts of the entries that do not agree, by kind; the ratios are claimed / true over the last two kinds.
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
    Index skipped = 0;             ///< entries whose true value is not finite: they are not compared
    Index skipped_alike = 0;       ///< those of them where the claim is the same infinity
    double largest = 0;            ///< the largest finite |true|
    double max_abs = 0;            ///< the largest |claimed - true|; infinite where a claim is not finite
    double error = 0;              ///< the same in units of the scale
    std::optional<Worst> worst{};  ///< the first of several with the same error; none if nothing was compared
    std::vector<Index> off_at{};   ///< the entries that do not agree, row-major
    OffCensus off{};
    // Only with CompareOptions:
    std::string where{};    ///< "axis 1 at 2 to 3" if all entries that are off lie in such a part, else ""
    Diagnosis diagnosis{};  ///< why they are off

    bool same_shape() const { return shape == claimed_shape; }
    bool right() const { return same_shape() && off_at.empty(); }
    /// Nothing is wrong, but some or all entries could not be compared.
    bool vacuous() const { return right() && (skipped > 0 || entries == 0); }
    Index compared() const { return entries - skipped; }
};

/// How entries whose true value is not finite are treated.
enum class NotFinite {
    skipped,   ///< not compared
    compared,  ///< a true infinity has to be claimed; a claim of NaN is never right; a true NaN counts as unknown and is skipped
    alike,     ///< a true infinity or NaN has to be claimed
};
/// Every decision whether an entry agrees is made here. Different shapes never agree. `gap`, if defined, is claimed - true before
/// both were rounded to doubles.
Comparison compare(const Tensor<double>& claimed, const Tensor<double>& truth, const Tolerance& tolerance,
                   NotFinite not_finite = NotFinite::skipped, const Tensor<double>& gap = {});

/// A size with the name it has in formulas.
struct NamedSize {
    std::string name;
    Index size = 0;
};

/// What results in double precision may be off by, relative to the largest true entry.
inline constexpr double kDoubleTolerance = 1e-10;

struct CompareOptions {
    double tolerance = kDoubleTolerance;  ///< of an entry's error, relative to the largest true entry
    double floor = 0;                     ///< taken as the largest true entry if all are smaller
    std::vector<NamedSize> sizes{};       ///< sizes that may name a constant factor
    Tensor<double> scales{};              ///< of each entry, taken as the largest true entry; undefined: the same for all
};
/// The same, and also where the entries lie that are off, and why. The diagnosis is the simplest of: the sign; a constant factor
/// (named if a size, its root or its inverse fits); two axes swapped; zero everywhere. It has to explain every entry to within
/// the tolerance; with `scales`, every entry that is off.
Comparison compare(const Tensor<double>& claimed, const Tensor<double>& truth, const CompareOptions& options = {});

/// A row-major position as one index for each axis.
Shape unravel(Index position, const Shape& shape);
/// The row-major position of that index.
Index ravel(const Shape& index, const Shape& shape);
/// The largest finite |x|, 0 if there is none.
double finite_largest(const Tensor<double>& x);
/// For each entry the largest finite |x| of its row, or of its column or another line where that is smaller.
Tensor<double> largest_of_lines(const Tensor<double>& x);

}  // namespace gradproof::check
