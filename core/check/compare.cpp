// The comparison of two arrays, and the simple explanations of a difference.
#include "gradproof/core/check/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/check/diagnosis.hpp"
#include "gradproof/core/check/region.hpp"
#include "gradproof/core/check/subject.hpp"

namespace gradproof::check {
namespace {

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

/// The simplest explanation of two arrays alone, "" where there is none.
std::string diagnose(const Tensor<double>& claimed, const Tensor<double>& truth, const CompareOptions& options) {
    if (truth.size() < 2) return "";  // one number is a multiple of any other
    Evidence e;
    e.names = {"x"};
    e.claimed = {claimed};
    e.truth = {truth};
    e.tolerance = options.tolerance;
    e.noise = options.tolerance * options.floor;
    for (const NamedSize& s : options.sizes) e.constants.push_back({s.name, static_cast<double>(s.size)});
    const std::vector<Explanation> all = explanations(e, 0);
    return all.empty() ? "" : all.front().text;
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
    c.largest = finite_largest(truth);
    c.scale = std::max(c.largest, options.floor);
    const double allowed = c.tolerance * c.scale;
    if (!c.same_shape()) {
        c.diagnosis = diagnose(claimed, truth, options);
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
        region.add(unravel(i, c.shape));
    }
    if (worst >= 0) {
        c.worst = unravel(worst, c.shape);
        c.claimed = claimed[worst];
        c.truth = truth[worst];
    }
    if (!c.right()) {
        c.where = region.text();
        c.diagnosis = diagnose(claimed, truth, options);
    }
    return c;
}

}  // namespace gradproof::check
