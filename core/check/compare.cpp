// The comparison of two arrays, and the simple explanations of a difference.
#include "gradproof/core/check/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gradproof/core/check/diagnosis.hpp"
#include "gradproof/core/check/limits.hpp"
#include "gradproof/core/check/region.hpp"

namespace gradproof::check {
namespace {

void count_off(OffCensus& off, double claimed, double truth) {
    if (!std::isfinite(claimed) || !std::isfinite(truth)) return void(++off.not_finite);
    if (claimed == 0) return void(++off.zero);
    if (truth == 0) return void(++off.from_zero);
    const double ratio = claimed / truth;
    const bool first = off.opposite_sign + off.same_sign == 0;
    off.lowest_ratio = first ? ratio : std::min(off.lowest_ratio, ratio);
    off.highest_ratio = first ? ratio : std::max(off.highest_ratio, ratio);
    ++(ratio < 0 ? off.opposite_sign : off.same_sign);
}

/// The entries at these positions.
Tensor<double> only(const Tensor<double>& x, const std::vector<Index>& at) {
    Tensor<double> out({static_cast<Index>(at.size())}, 0.0);
    for (Index i = 0; i < out.size(); ++i) out[i] = x[at[static_cast<std::size_t>(i)]];
    return out;
}

/// The simplest explanation of two arrays alone.
Diagnosis diagnose(const Tensor<double>& claimed, const Tensor<double>& truth, const CompareOptions& options) {
    if (truth.size() < 2) return {};  // one number is a multiple of any other
    Evidence e;
    e.names = {"x"};
    e.claimed = {claimed};
    e.truth = {truth};
    e.tolerance = options.tolerance;
    e.noise = options.tolerance * options.floor;
    for (const NamedSize& s : options.sizes) e.constants.push_back({s.name, static_cast<double>(s.size)});
    const std::vector<Diagnosis> all = explanations(e, 0);
    return all.empty() ? Diagnosis{} : all.front();
}

}  // namespace

std::string OffCensus::text() const {
    std::string out;
    const auto add = [&](Index n, std::string_view what) {
        if (n > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, what);
    };
    add(not_finite, "not finite");
    add(zero, "claimed 0");
    add(from_zero, "where the true value is 0");
    add(opposite_sign, "with the wrong sign");
    add(same_sign, "with the right sign");
    if (opposite_sign + same_sign > 0) out += fmt::format(", claimed/true from {:.4g} to {:.4g}", lowest_ratio, highest_ratio);
    return out;
}

std::string claimed_and_true(double claimed, double truth, int digits) {
    const auto text = [&](double x) { return fmt::format("{:.{}g}", x, digits); };
    while (digits < 17 && text(claimed) == text(truth)) ++digits;
    return fmt::format("claimed {}, true {}", text(claimed), text(truth));
}

std::string ratio_text(double ratio) {
    int digits = 6;
    const auto text = [&] { return fmt::format("{:.{}g}", ratio, digits); };
    while (digits < 17 && ratio != 1 && text() == "1") ++digits;
    return text();
}

std::string Worst::text() const {
    std::string out = tensor + index.str() + ": " + claimed_and_true(claimed, truth, 10);
    if (std::isfinite(ratio())) out += ", ratio " + ratio_text(ratio());
    return out + fmt::format(", error {:.1e}", error);
}

Shape unravel(Index position, const Shape& shape) {
    Shape out = shape;
    for (int a = shape.rank() - 1; a >= 0; --a) {
        out[a] = position % shape[a];
        position /= shape[a];
    }
    return out;
}

Index ravel(const Shape& index, const Shape& shape) {
    Index out = 0;
    for (int a = 0; a < shape.rank(); ++a) out = out * shape[a] + index[a];
    return out;
}

double finite_largest(const Tensor<double>& x) {
    double out = 0;
    for (const double v : x)
        if (std::isfinite(v)) out = std::max(out, std::abs(v));
    return out;
}

Tensor<double> largest_of_lines(const Tensor<double>& x) {
    Tensor<double> out(x.shape(), finite_largest(x));
    Index stride = x.size();
    for (int axis = 0; axis < x.rank(); ++axis) {
        const Index n = x.dim(axis);
        if (n > 0) stride /= n;
        if (n < 2) continue;
        for (Index first = 0; first < x.size(); ++first) {
            if (first / stride % n != 0) continue;
            double largest = 0;
            for (Index k = first, last = first + n * stride; k < last; k += stride)
                if (std::isfinite(x[k])) largest = std::max(largest, std::abs(x[k]));
            for (Index k = first, last = first + n * stride; k < last; k += stride) out[k] = std::min(out[k], largest);
        }
    }
    return out;
}

Tolerance relative_to_largest(const Tensor<double>& truth, double relative, double floor) {
    return {.relative = relative, .scale = std::max(finite_largest(truth), floor)};
}

Comparison compare(const Tensor<double>& claimed, const Tensor<double>& truth, const Tolerance& tolerance, NotFinite not_finite,
                   const Tensor<double>& gaps) {
    Comparison c{.shape = truth.shape(), .claimed_shape = claimed.shape(), .tolerance = tolerance, .entries = truth.size()};
    c.largest = finite_largest(truth);
    if (!c.same_shape()) return c;
    Index worst = -1;
    std::array<double, 3> worst_rank{};  // one that is off is worse than any that is not
    for (Index i = 0; i < c.entries; ++i) {
        const double a = claimed[i], b = truth[i];
        const bool is_known = not_finite == NotFinite::alike ||
                              (not_finite == NotFinite::skipped ? std::isfinite(b) : !std::isnan(b) || std::isnan(a));
        if (!is_known) {
            ++c.skipped;
            c.skipped_alike += a == b;
            continue;
        }
        const bool both_nan = not_finite == NotFinite::alike && std::isnan(a) && std::isnan(b);
        const bool finite = std::isfinite(a) && std::isfinite(b);
        const double gap = finite && gaps.defined() ? std::abs(gaps[i])
                           : a == b || both_nan     ? 0
                           : finite                 ? std::abs(a - b)
                                                    : kInfinity;
        const double error = gap == 0 ? 0 : gap / tolerance.unit(i);
        const bool agrees = gap <= tolerance.bound(i);
        if (const std::array rank{agrees ? 0.0 : 1.0, error, gap}; worst < 0 || rank > worst_rank) {
            worst = i;
            worst_rank = rank;
        }
        c.max_abs = std::max(c.max_abs, gap);
        c.error = std::max(c.error, error);
        if (agrees) {
            ++c.agree;
        } else {
            c.off_at.push_back(i);
            count_off(c.off, a, b);
        }
    }
    if (worst >= 0) c.worst = Worst{"", unravel(worst, c.shape), claimed[worst], truth[worst], worst_rank[1]};
    return c;
}

Comparison compare(const Tensor<double>& claimed, const Tensor<double>& truth, const CompareOptions& options) {
    Tolerance tolerance = relative_to_largest(truth, options.tolerance, options.floor);
    tolerance.scales = options.scales;
    Comparison c = compare(claimed, truth, tolerance);
    if (c.right()) return c;
    Region region(c.shape);
    for (const Index i : c.off_at) region.add(unravel(i, c.shape));
    if (c.same_shape()) c.where = region.text();
    const bool of_those_off = c.same_shape() && options.scales.defined();  // the others are right beside them
    c.diagnosis =
        of_those_off ? diagnose(only(claimed, c.off_at), only(truth, c.off_at), options) : diagnose(claimed, truth, options);
    return c;
}

}  // namespace gradproof::check
