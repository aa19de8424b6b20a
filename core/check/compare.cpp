// The comparison of two arrays, and the simple explanations of a difference.
#include "core/check/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace gradproof::check {
namespace {

Shape index_at(Index flat, const Shape& shape) {
    Shape index = shape;
    for (int a = shape.rank() - 1; a >= 0; --a) {
        index[a] = flat % shape[a];
        flat /= shape[a];
    }
    return index;
}

double largest_finite(const Tensor<double>& x) {
    double m = 0;
    for (const double v : x)
        if (std::isfinite(v)) m = std::max(m, std::fabs(v));
    return m;
}

void count_off(OffCensus& off, double claimed, double truth) {
    if (!std::isfinite(claimed)) return void(++off.not_finite);
    if (claimed == 0) return void(++off.zero);
    if (truth == 0) return void(++off.from_zero);
    const double ratio = claimed / truth;
    const bool first = off.opposite_sign + off.same_sign == 0;
    off.lowest_ratio = first ? ratio : std::min(off.lowest_ratio, ratio);
    off.highest_ratio = first ? ratio : std::max(off.highest_ratio, ratio);
    ++(ratio < 0 ? off.opposite_sign : off.same_sign);
}

/// Where the entries that are off lie along each axis: the first axis of which they leave out a part, if any.
class Region {
  public:
    explicit Region(const Shape& shape) : shape_(shape), first_(shape), last_(shape) {
        std::fill(first_.begin(), first_.end(), std::numeric_limits<Index>::max());
        std::fill(last_.begin(), last_.end(), -1);
    }
    void add(const Shape& index) {
        for (int a = 0; a < shape_.rank(); ++a) {
            first_[a] = std::min(first_[a], index[a]);
            last_[a] = std::max(last_[a], index[a]);
        }
    }
    std::string text() const {
        std::string out;
        for (int a = 0; a < shape_.rank(); ++a) {
            if (last_[a] < 0 || last_[a] - first_[a] + 1 == shape_[a]) continue;
            out += fmt::format("{}axis {} at {}", out.empty() ? "" : ", ", a, first_[a]);
            if (last_[a] > first_[a]) out += fmt::format(" to {}", last_[a]);
        }
        return out;
    }

  private:
    Shape shape_, first_, last_;
};

/// x with two axes swapped.
Tensor<double> swapped(const Tensor<double>& x, int a, int b) {
    Shape shape = x.shape(), strides = strides_of(x.shape());
    std::swap(shape[a], shape[b]);
    std::swap(strides[a], strides[b]);
    return Tensor<double>::from_strided(x.data(), shape, strides);
}

/// Whether claimed = factor * truth at every entry, to within the tolerance.
bool explained(const Tensor<double>& claimed, const Tensor<double>& truth, double factor, double allowed) {
    for (Index i = 0; i < truth.size(); ++i)
        if (!(std::fabs(claimed[i] - factor * truth[i]) <= allowed * std::max(1.0, std::fabs(factor)))) return false;
    return true;
}

std::optional<std::string> factor_name(double factor, const std::vector<NamedSize>& sizes, double tolerance) {
    const double sign = factor < 0 ? -1 : 1;
    const auto is = [&](double value) { return std::fabs(std::fabs(factor) - value) <= 4 * tolerance * value; };
    const auto signed_name = [&](std::string text) { return (sign < 0 ? "-" : "") + text; };
    if (is(1)) return signed_name("1");
    if (is(2)) return signed_name("2");
    if (is(0.5)) return signed_name("1/2");
    for (const NamedSize& s : sizes) {
        const auto n = static_cast<double>(s.size);
        if (s.size < 2) continue;
        if (is(n)) return signed_name(s.name);
        if (is(1 / n)) return signed_name("1/" + s.name);
        if (is(std::sqrt(n))) return signed_name("sqrt(" + s.name + ")");
        if (is(1 / std::sqrt(n))) return signed_name("1/sqrt(" + s.name + ")");
    }
    for (int n = 3; n <= 16; ++n) {
        if (is(n)) return signed_name(std::to_string(n));
        if (is(1.0 / n)) return signed_name("1/" + std::to_string(n));
    }
    return std::nullopt;
}

std::string diagnose(const Tensor<double>& claimed, const Tensor<double>& truth, double allowed, double scale,
                     const CompareOptions& options) {
    if (truth.size() < 2) return "";  // one number is a multiple of any other
    if (claimed.shape() == truth.shape()) {
        double up = 0, down = 0;
        for (Index i = 0; i < truth.size(); ++i) {
            // In units of the scale, so that neither sum overflows or underflows.
            up += claimed[i] / scale * (truth[i] / scale);
            down += truth[i] / scale * (truth[i] / scale);
        }
        if (!std::isfinite(up) || !std::isfinite(down) || down == 0) return "";
        if (std::all_of(claimed.begin(), claimed.end(), [](double c) { return c == 0; })) return "claimed is zero everywhere";
        const double factor = up / down;
        if (explained(claimed, truth, factor, allowed)) {
            const auto name = factor_name(factor, options.sizes, options.tolerance);
            if (name == "-1") return "the sign is wrong: claimed = -true";
            return name ? fmt::format("claimed = {} * true", *name) : fmt::format("claimed = {:.6g} * true", factor);
        }
    }
    for (int b = truth.rank() - 1; b > 0; --b)
        for (int a = b - 1; a >= 0; --a) {
            const Tensor<double> other = swapped(truth, a, b);
            if (other.shape() == claimed.shape() && explained(claimed, other, 1, allowed))
                return fmt::format("axes {} and {} are swapped", a, b);
        }
    return "";
}

}  // namespace

std::string OffCensus::text() const {
    std::string out;
    const auto add = [&](Index n, std::string_view what) {
        if (n > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, what);
    };
    add(not_finite, "not finite");
    add(zero, "claimed 0");
    add(from_zero, "where true is 0");
    add(opposite_sign, "of the other sign");
    add(same_sign, "of the right sign");
    if (opposite_sign + same_sign > 0) out += fmt::format(", claimed/true from {:.4g} to {:.4g}", lowest_ratio, highest_ratio);
    return out;
}

double Comparison::max_rel() const { return max_abs == 0 ? 0 : max_abs / scale; }

Comparison compare(const Tensor<double>& claimed, const Tensor<double>& truth, const CompareOptions& options) {
    Comparison c;
    c.shape = truth.shape();
    c.claimed_shape = claimed.shape();
    c.entries = truth.size();
    c.tolerance = options.tolerance;
    c.largest = largest_finite(truth);
    c.scale = std::max(c.largest, options.floor);
    const double allowed = c.tolerance * c.scale;
    if (!c.same_shape()) {
        c.diagnosis = diagnose(claimed, truth, allowed, c.scale, options);
        return c;
    }
    Region region(c.shape);
    Index worst = -1;
    for (Index i = 0; i < c.entries; ++i) {
        if (!std::isfinite(truth[i])) {
            ++c.skipped;
            continue;
        }
        const double error =
            std::isfinite(claimed[i]) ? std::fabs(claimed[i] - truth[i]) : std::numeric_limits<double>::infinity();
        if (worst < 0 || error > c.max_abs) {
            worst = i;
            c.max_abs = error;
        }
        if (error <= allowed) {
            ++c.agree;
            continue;
        }
        count_off(c.off, claimed[i], truth[i]);
        region.add(index_at(i, c.shape));
    }
    if (worst >= 0) {
        c.worst = index_at(worst, c.shape);
        c.claimed = claimed[worst];
        c.truth = truth[worst];
    }
    if (!c.right()) {
        c.where = region.text();
        c.diagnosis = diagnose(claimed, truth, allowed, c.scale, options);
    }
    return c;
}

}  // namespace gradproof::check
