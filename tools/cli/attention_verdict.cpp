// Each array held against the truth, a line or a few each.
#include "tools/cli/attention_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace gradproof::cli {
namespace {

/// What an entry may be off by, relative to the largest: the rounding of its element type over a sum of S terms.
double tolerance_of(DType dtype, Index keys) {
    const double root = std::sqrt(static_cast<double>(std::max<Index>(keys, 1)));
    switch (dtype) {
        case DType::f16: return 4e-3;   // 8 roundings of 2^-11
        case DType::bf16: return 3e-2;  // 8 roundings of 2^-8
        case DType::f32: return 2e-5 * root;
        default: return 1e-9;
    }
}

/// The sizes a wrong factor is likely to be made of.
std::vector<check::NamedSize> sizes_in_scope(const AttentionPlan& p) {
    return {{"D", p.D}, {"S", p.keys()}, {"L", p.L}, {"E", p.E}, {"Hq/Hk", p.group()}, {"Hq", p.Hq}, {"B", p.B}};
}

/// One array of theirs beside the truth.
struct Judged {
    std::string_view name;
    check::Comparison comparison;
};

void print_judged(std::string_view name, const check::Comparison& c,
                  const std::map<std::string, std::string, std::less<>>& slips) {
    fmt::print("  {:<14} {:>9} {:>9} {:>10} {:>10.2g}  {}\n", name, c.entries, c.agree,
               c.same_shape() ? fmt::format("{:.2e}", c.max_rel()) : "-", c.tolerance,
               !c.right()    ? "WRONG"
               : c.vacuous() ? "cannot tell"
                             : "right");
    if (c.right()) {
        if (c.skipped > 0)
            fmt::print("      {} true entries are not finite: nothing can be said of them\n", c.skipped);
        else if (c.entries == 0)
            fmt::print("      it has no entries\n");
        else if (c.largest == 0)
            fmt::print("      note: the true array is zero everywhere, so this agreement proves little\n");
        return;
    }
    if (!c.same_shape()) {
        fmt::print("      shape: claimed {}, true {}\n", c.claimed_shape, c.shape);
    } else {
        fmt::print("      worst at {}: claimed {:.9g}, true {:.9g}", c.worst, c.claimed, c.truth);
        if (c.truth != 0) fmt::print(", ratio {:.6g}", c.claimed / c.truth);
        fmt::print("\n      off: {}{}{}\n", c.off.text(), c.where.empty() ? "" : "; only ", c.where);
    }
    const auto slip = slips.find(name);
    fmt::print("      diagnosis: {}\n", !c.diagnosis.empty()  ? c.diagnosis
                                        : slip != slips.end() ? slip->second
                                                              : "no simple explanation");
}

}  // namespace

Exit judge_attention(const std::string& source, const std::vector<NamedArray>& all_theirs, const AttentionCall& call,
                     const AttentionArrays& truth, DType dtype) {
    const AttentionPlan plan = plan_of(call);
    const auto sizes = sizes_in_scope(plan);
    double largest_gradient = 0;
    for (const auto& [name, array] : truth)
        if (name[0] == 'd')
            for (const double g : array)
                if (std::isfinite(g)) largest_gradient = std::max(largest_gradient, std::fabs(g));

    fmt::print("{}: errors are relative to the largest true entry of each array\n", source);
    fmt::print("  {:<14} {:>9} {:>9} {:>10} {:>10}\n", "array", "entries", "agree", "max error", "tolerance");
    std::vector<Judged> all;
    std::vector<SlipClaim> unexplained;
    for (const std::string_view name : kAttentionResults) {
        const Array* theirs = find_array(all_theirs, name);
        if (!theirs) continue;
        // A gradient that is zero but for rounding is measured against a thousandth of the largest gradient.
        const check::CompareOptions options{
            .tolerance = std::max(tolerance_of(dtype, plan.keys()), tolerance_of(theirs->dtype, plan.keys())),
            .floor = name[0] == 'd' ? 1e-3 * largest_gradient : 0,
            .sizes = sizes};
        const Tensor<double> claimed = to_tensor<double>(*theirs, source);
        all.push_back({name, compare(claimed, truth.find(name)->second, options)});
        const check::Comparison& c = all.back().comparison;
        if (!c.right() && c.same_shape() && c.diagnosis.empty()) unexplained.push_back({name, claimed, options});
    }
    const bool y_is_wrong = !all.empty() && all.front().name == "y" && !all.front().comparison.right();
    const std::map<std::string, std::string, std::less<>> slips = explain_slips(call, unexplained, y_is_wrong);
    int wrong = 0, unclear = 0;
    for (const auto& [name, c] : all) {
        wrong += !c.right();
        unclear += c.vacuous();
        print_judged(name, c, slips);
    }
    if (const Tensor<double>& dy = call.dy;
        dy.defined() && dy.size() > 1 && std::all_of(dy.begin(), dy.end(), [&](double d) { return d == dy[0]; }))
        fmt::print("  note: dy is the same number everywhere, which hides many bugs; use a random one\n");
    const std::size_t compared = all_theirs.size();
    if (wrong > 0)
        fmt::print("verdict: wrong ({} of {} arrays)\n", wrong, compared);
    else if (unclear > 0)
        fmt::print("verdict: cannot tell ({} of {} arrays)\n", unclear, compared);
    else
        fmt::print("verdict: right ({} arrays)\n", compared);
    return wrong > 0 ? kWrong : unclear > 0 ? kCannotTell : kOk;
}

}  // namespace gradproof::cli
