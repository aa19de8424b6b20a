// Compared arrays as text and as JSON.
#include "gradproof/core/check/compared_arrays.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/check/json.hpp"

namespace gradproof::check {

namespace {

constexpr double kNothing = 1e-12;   // relative to the largest of all: 0 but for rounding
constexpr double kRounding = 8e-15;  // and this alone may be rounding of the truth itself

/// Half of what the nearest array is off that is not to be taken for the truth.
double half_of_nearest_wrong(const Tensor<double>& truth) {
    const double largest = finite_largest(truth);
    double nearest = largest / 2;  // halved; 0, doubled and negated are further off
    const Index n = truth.size();
    double reversed = 0, shifted = 0;
    for (Index i = 0; i < n; ++i) {
        if (!std::isfinite(truth[i])) continue;
        const auto off = [&](Index other) { return std::isfinite(truth[other]) ? std::abs(truth[i] - truth[other]) : 0; };
        reversed = std::max(reversed, off(n - 1 - i));
        shifted = std::max(shifted, off((i + 1) % n));
    }
    for (const double other : {reversed, shifted})
        if (other > kNothing * largest) nearest = std::min(nearest, other);  // equal entries cannot be shuffled
    return nearest / 2;
}

/// The median of claimed / true, of entries that are larger than their noise; nothing of too few.
std::optional<double> median_ratio(const Tensor<double>& claimed, const Tensor<double>& truth, const Tensor<double>& noise) {
    constexpr double kFirm = 8;
    constexpr std::size_t kFewest = 8;
    std::vector<double> ratios;
    for (Index i = 0; i < truth.size(); ++i)
        if (std::isfinite(truth[i]) && std::abs(truth[i]) > kFirm * noise[i]) ratios.push_back(claimed[i] / truth[i]);
    if (ratios.size() < kFewest) return std::nullopt;
    const auto middle = ratios.begin() + std::ssize(ratios) / 2;
    std::nth_element(ratios.begin(), middle, ratios.end());
    return *middle;
}

}  // namespace

double ratio_allowed(const Tensor<double>& honest, const Tensor<double>& truth, const Tensor<double>& noise, DType type,
                     double terms) {
    constexpr double kTimes = 4, kSums = 2;
    // Sums of single precision that are rounded term by term drift by a unit each at most, and most results follow from two of
    // them; those of narrower types are not.
    const double drift = type == DType::f32 ? kSums * unit_roundoff(type) * terms : 0;
    const std::optional<double> median = median_ratio(honest, truth, noise);
    return std::max(kDoubleTolerance, drift + kTimes * (unit_roundoff(type) + (median ? std::abs(*median - 1) : 0)));
}

std::optional<std::string> gradient_of(const std::string& name, const std::function<bool(const std::string&)>& is_value) {
    for (const std::string_view prefix : {"∂L/∂", "∂Loss/∂", "dLoss/d", "dL/d", "dL_d", "grad_", "d"})
        if (name.starts_with(prefix) && is_value(name.substr(prefix.size()))) return name.substr(prefix.size());
    for (const std::string_view suffix : {"_grad", ".grad"})
        if (name.ends_with(suffix) && is_value(name.substr(0, name.size() - suffix.size())))
            return name.substr(0, name.size() - suffix.size());
    return std::nullopt;
}

ComparedArray compared(std::string name, const Tensor<double>& claimed, const Tensor<double>& truth, const Allowed& allowed) {
    constexpr double kMost = 0.05;
    const double largest = finite_largest(truth), floor = largest <= kNothing * allowed.floor ? allowed.floor : 0;
    const double scale = std::max(largest, floor),
                 nearest = floor > 0 || scale == 0 ? kMost : half_of_nearest_wrong(truth) / scale;
    const double told = std::min({allowed.honest, kMost, nearest});
    ComparedArray out{.name = std::move(name)};
    for (Index i = 0; claimed.shape() == truth.shape() && i < truth.size(); ++i) {
        const double size = std::fabs(truth[i]);
        if (std::isfinite(size) && size > kRounding * largest && std::fabs(claimed[i] - truth[i]) >= size) ++out.lost;
    }
    out.comparison = compare(claimed, truth, {.tolerance = told, .floor = floor, .sizes = allowed.sizes});
    if (out.comparison.right() && floor == 0 && allowed.noise.defined())
        if (const auto median = median_ratio(claimed, truth, allowed.noise); median && std::abs(*median - 1) > allowed.ratio)
            out.median_ratio = median;
    if (out.comparison.right() && floor == 0 && allowed.entries.defined()) {
        Tensor<double> scales = allowed.entries.clone();
        for (double& s : scales) s = std::min(s / allowed.honest, scale);
        Comparison by_entry =
            compare(claimed, truth, {.tolerance = allowed.honest, .sizes = allowed.sizes, .scales = std::move(scales)});
        if (!by_entry.right()) out.comparison = std::move(by_entry);
        return out;
    }
    if (out.comparison.same_shape() && !out.comparison.right() && out.comparison.error <= allowed.honest)
        out.doubt = fmt::format("{} may be off by {:.2g} of the largest entry here, and {}", allowed.type, allowed.honest,
                                told < kMost ? "another array would agree as well" : "that is too much to tell");
    return out;
}

Verdict ComparedArray::verdict() const {
    if (!doubt.empty()) return Verdict::cannot_tell;
    if (!comparison.right() || median_ratio) return Verdict::wrong;
    return comparison.vacuous() ? Verdict::cannot_tell : Verdict::right;
}

void ComparedArrays::add(ComparedArray a) {
    if (a.comparison.right() && a.comparison.largest == 0 && a.comparison.entries > 0)
        a.doubt = "the true value is 0 everywhere: nothing is tested";
    if (a.verdict() == Verdict::right && a.lost > 0)
        notes.push_back(
            fmt::format("{}: {} of {} entries {} off by as much as {} or more, and small beside the largest entry, to "
                        "which errors are relative",
                        a.name, a.lost, a.comparison.entries, a.lost == 1 ? "is" : "are", a.lost == 1 ? "it is" : "they are"));
    arrays.push_back(std::move(a));
}

void ComparedArrays::look_at_cotangent(const std::string& name, const Tensor<double>& dy) {
    if (dy.defined() && dy.size() > 1 && std::all_of(dy.begin(), dy.end(), [&](double d) { return d == dy[0]; }))
        notes.push_back(fmt::format("{} is the same number everywhere, which hides many bugs: use a random one", name));
}

Verdict ComparedArrays::verdict() const {
    Verdict out = Verdict::right;
    for (const ComparedArray& a : arrays) out = std::max(out, a.verdict());
    return out;
}

std::string to_text(const ComparedArrays& r) {
    std::size_t width = 5;
    for (const ComparedArray& a : r.arrays) width = std::max(width, a.name.size());
    std::string out =
        fmt::format("  {:<{}} {:>9} {:>9} {:>10} {:>10}\n", "array", width, "entries", "agree", "max error", "tolerance");
    for (const ComparedArray& a : r.arrays) {
        const Comparison& c = a.comparison;
        out += fmt::format("  {:<{}} {:>9} {:>9} {:>10} {:>10.2g}  {}\n", a.name, width, c.entries, c.agree,
                           c.same_shape() ? fmt::format("{:.2e}", c.error) : "-", c.tolerance.relative,
                           a.verdict() == Verdict::wrong ? "WRONG" : name(a.verdict()));
        if (!a.doubt.empty()) out += "      " + a.doubt + "\n";
        if (a.median_ratio && c.right())
            out += fmt::format("      the median of claimed / true is {:.6g}: rounding goes both ways, and this does not\n",
                               *a.median_ratio);
        if (c.right() && c.skipped > 0)
            out += fmt::format("      {} true entries are not finite and cannot be compared\n", c.skipped);
        if (c.right() && c.entries == 0) out += "      it has no entries\n";
        if (c.right() || !a.doubt.empty()) continue;
        if (!c.same_shape()) {
            out += fmt::format("      shape: claimed {}, true {}\n", c.claimed_shape, c.shape);
        } else {
            out += fmt::format("      worst at {}: {}{}\n", c.worst->index, claimed_and_true(c.worst->claimed, c.worst->truth, 9),
                               c.worst->truth != 0 ? ", ratio " + ratio_text(c.worst->ratio()) : "");
            out += fmt::format("      off: {}{}{}\n", c.off.text(), c.where.empty() ? "" : "; only ", c.where);
        }
        const char* const unexplained = c.off.not_finite > 0 ? "entries are not finite" : "no simple explanation";
        out += fmt::format("      diagnosis: {}\n", a.diagnosis().text.empty() ? unexplained : a.diagnosis().text);
    }
    for (const std::string& n : r.notes) out += "  note: " + n + "\n";
    const Verdict all = r.verdict();
    const auto such = std::count_if(r.arrays.begin(), r.arrays.end(), [&](const ComparedArray& a) { return a.verdict() == all; });
    const char* arrays = r.arrays.size() == 1 ? "array" : "arrays";
    return out + (all == Verdict::right ? fmt::format("verdict: right ({} {})\n", such, arrays)
                                        : fmt::format("verdict: {} ({} of {} {})\n", name(all), such, r.arrays.size(), arrays));
}

std::string to_json(const ComparedArrays& r) {
    Json arrays = Json::array();
    for (const ComparedArray& a : r.arrays) {
        const Comparison& c = a.comparison;
        Json one{{"name", a.name},
                 {"meaning", a.meaning},
                 {"dtype", dtype_name(a.dtype)},
                 {"verdict", name(a.verdict())},
                 {"entries", c.entries},
                 {"agree", c.agree},
                 {"error", c.same_shape() ? json_number(c.error) : Json(nullptr)},
                 {"tolerance", c.tolerance.relative},
                 {"shape", json_shape(c.shape)}};
        if (!c.same_shape()) one["claimed_shape"] = json_shape(c.claimed_shape);
        if (!c.right() && c.same_shape()) {
            one["worst"] = {{"index", json_shape(c.worst->index)},
                            {"claimed", json_number(c.worst->claimed)},
                            {"true", json_number(c.worst->truth)}};
            one["census"] = c.off.text();
            if (!c.where.empty()) one["where"] = c.where;
        }
        if (a.median_ratio && c.right()) one["median_ratio"] = json_number(*a.median_ratio);
        if (!c.right() && a.doubt.empty()) one["diagnosis"] = a.diagnosis().text;
        if (!a.doubt.empty()) one["doubt"] = a.doubt;
        arrays.push_back(std::move(one));
    }
    return json_line({{"schema", 1}, {"arrays", arrays}, {"notes", r.notes}, {"verdict", name(r.verdict())}});
}

}  // namespace gradproof::check
