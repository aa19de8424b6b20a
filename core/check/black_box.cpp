// Black boxes held to what is known of them.
#include "gradproof/core/check/black_box.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/check/references.hpp"

namespace gradproof::check {
namespace {

double eps_of(BoxPrecision p) { return p == BoxPrecision::f64 ? kEps : kFloatEps; }
double smallest_of(BoxPrecision p) {
    return p == BoxPrecision::f64 ? std::numeric_limits<double>::min() : double{std::numeric_limits<float>::min()};
}
std::string_view name(BoxPrecision p) { return p == BoxPrecision::f64 ? "double" : "float"; }

/// 0 where x is finite, NaN elsewhere: which of NaN and infinity comes out depends on the order of sums, where they come out does
/// not; finite entries are compared by another contract.
Tensor<double> only_not_finite(const Tensor<double>& x) {
    Tensor<double> out(x.shape(), 0.0);
    for (Index i = 0; i < x.size(); ++i)
        if (!std::isfinite(x[i])) out[i] = kNaN;
    return out;
}

/// A part of a call: what is claimed of it and what is known.
struct Part {
    std::string name;
    Tensor<double> claimed, truth, error;
    int input = -1;     ///< of a gradient
    double units = 32;  ///< of rounding of its largest entry that it may be off
};

/// A call at one element type.
class Judge {
  public:
    Judge(const BlackBox& box, const KernelCall& call, const Against& against, BoxPrecision p, const Known& known, double units)
        : box_(box), call_(call), against_(against), p_(p), known_(known), units_(units), claimed_(box.run(call, p)) {
        for (const Tensor<double>& g : known.gradients)
            if (g.defined()) largest_gradient_ = std::max(largest_gradient_, finite_largest(g));
    }
    void value(ContractResult& f) const {
        if (known_.y.defined()) hold({"y", claimed_.y, known_.y, known_.y_error}, f);
    }
    void gradients(ContractResult& f) const {
        for (std::size_t i = 0; i < known_.gradients.size(); ++i) {
            const bool is_known = known_.gradients[i].defined() || against_.is_page;
            const Tensor<double> error = i < known_.gradient_errors.size() ? known_.gradient_errors[i] : Tensor<double>();
            if (is_known)
                hold({"d(" + box_.input_name(i) + ")", claimed_.gradients[i], known_.gradients[i], error, static_cast<int>(i)},
                     f);
        }
    }
    void saved(ContractResult& f) const {
        constexpr double kOfSaved = 256;  // sums in another order, whose terms are not known here
        for (const auto& [name, truth] : known_.saved)
            for (const auto& [own, value] : claimed_.saved)
                if (own == name) hold({"saved " + name, value, truth, {}, -1, kOfSaved}, f);
    }
    double largest_gradient() const { return largest_gradient_; }

  private:
    void hold(Part part, ContractResult& f) const;
    Comparison compared(const Part& part, double more, bool special) const;
    double rounding(const Part& part, const Comparison& c) const;
    std::string kinks(const Part& part, const Comparison& c) const;
    std::string who() const { return against_.is_page ? "the page" : against_.name; }

    const BlackBox& box_;
    const KernelCall& call_;
    const Against& against_;
    BoxPrecision p_;
    const Known& known_;
    double units_;  // of what is known, in those of double
    Outcome claimed_;
    double largest_gradient_ = 0;
};

/// A box may be off by some units of rounding of the largest entry, and what is known by some of its bounds. Where one gradient
/// is 0 by cancellation, its rounding is that of the others. Errors are counted in what is allowed, for each entry.
Comparison Judge::compared(const Part& part, double more, bool special) const {
    constexpr double kHonest = 16;
    const double eps = eps_of(p_);
    const double others = part.input >= 0 ? 0.01 * largest_gradient_ : 0;
    const double same = part.units * eps * std::max(finite_largest(part.truth), others) + kHonest * eps / kEps * more +
                        (part.input >= 0 ? call_.rounding * eps / kEps : 0) + smallest_of(p_);
    Tolerance tolerance{.relative = 1, .scale = same};
    if (part.error.defined()) {
        tolerance.scales = part.error.clone();
        for (double& e : tolerance.scales) e = same + kHonest * units_ * e;
    }
    return compare(special ? only_not_finite(part.claimed) : part.claimed, special ? only_not_finite(part.truth) : part.truth,
                   tolerance, against_.is_page ? NotFinite::alike : NotFinite::compared);
}

/// The most that rounding leaves of a gradient, at some of the entries that are off.
double Judge::rounding(const Part& part, const Comparison& c) const {
    constexpr Index kMost = 16, kWork = 1 << 20;
    if (part.input < 0 || !against_.rounding || c.off.not_finite > 0) return 0;
    Index entries = call_.u.size();
    for (const auto& x : call_.x) entries += x.defined() ? x.size() : 0;
    const auto off = static_cast<Index>(c.off_at.size());
    const Index probes = std::min(off, std::clamp<Index>(kWork / std::max<Index>(entries, 1), 1, kMost));
    double out = 0;
    for (Index i = 0; i < probes; ++i)
        out = std::max(out, against_.rounding(call_, {part.input, c.off_at[static_cast<std::size_t>(i * off / probes)]}));
    return out;
}

/// What is said where every entry that is off lies at a kink of the box, with its claim between the slopes; else "".
std::string Judge::kinks(const Part& part, const Comparison& c) const {
    constexpr std::size_t kMost = 64;
    if (part.input < 0 || against_.is_page || c.off_at.size() > kMost || !part.claimed.defined()) return {};
    const Subject s = subject_of(box_, call_);
    const Function forward = [&](const Tensors& x) { return box_.forward(call_, x); };
    std::string out;
    for (const Index k : c.off_at) {
        const Kink kink = find_kink(s, {part.input, k}, forward);
        if (!kink.is_kink || !kink.admits(part.claimed[k])) return {};
        if (out.empty()) out = kink_text(part.name + unravel(k, part.truth.shape()).str(), kink, part.claimed[k]);
    }
    return out;
}

/// What is known to within infinity is not known.
void forget_unbounded(Part& part) {
    const auto bounded = [](double e) { return std::isfinite(e); };
    if (!part.error.defined() || std::all_of(part.error.begin(), part.error.end(), bounded)) return;
    part.truth = part.truth.clone();
    part.error = part.error.clone();
    for (Index k = 0; k < part.error.size(); ++k)
        if (!bounded(part.error[k])) part.truth[k] = kNaN, part.error[k] = 0;
}

void Judge::hold(Part part, ContractResult& f) const {
    const std::string as = fmt::format(", as {}", name(p_));
    const auto is = [&](const std::string& claimed, const std::string& truth) {
        fail(f, fmt::format("{} is {} by {} and {} by {}{}", part.name, claimed, box_.kind, truth, who(), as));
    };
    if (part.claimed.defined() != part.truth.defined())
        return is(part.claimed.defined() ? "there" : "absent", part.truth.defined() ? "there" : "absent");
    if (!part.truth.defined()) return;
    if (!(part.claimed.shape() == part.truth.shape())) return is(part.claimed.shape().str(), part.truth.shape().str());
    const bool special = f.contract == Contract::kernel_special;
    forget_unbounded(part);
    Comparison c = compared(part, 0, special);
    if (!c.right())
        if (const double more = rounding(part, c); more > 0) c = compared(part, more, special);
    f.entries += c.compared();
    if (c.error > f.error) take_worst(f, part.name, c);
    if (c.right()) return;
    if (!special) f.census.push_back(census_of(part.name, c));
    if (const std::string kink = kinks(part, c); !kink.empty()) {
        if (f.verdict == Verdict::right) f.reason = kink;
        f.verdict = std::max(f.verdict, Verdict::cannot_tell);
        return;
    }
    if (f.verdict == Verdict::cannot_tell) f.reason.clear(), f.verdict = Verdict::right;  // what is wrong is said
    const double a = part.claimed[c.off_at.front()], b = part.truth[c.off_at.front()];
    const std::string fault = against_.is_page ? "" : part.input < 0 ? "the forward is at fault: " : "the backward is at fault: ";
    if (std::isfinite(a) && std::isfinite(b))
        fail(f, fmt::format("{}{} of {} (claimed) is not {} (true){}", fault, part.name, box_.kind,
                            against_.is_page ? "the page's" : "that of " + against_.name, as));
    else
        is(fmt::format("{}", a), fmt::format("{}", b));
    constexpr Index kMost = 4096;
    if (special || part.truth.size() > kMost) return;
    Diagnosis why =
        compare(part.claimed, part.truth, CompareOptions{.tolerance = p_ == BoxPrecision::f64 ? 1e-9 : 1e-5}).diagnosis;
    if (why.text.empty()) return;
    why.tensor = part.name;
    why.repair.clear();  // in the words of an op's gradient
    f.diagnoses.push_back(std::move(why));
}

ContractResult result_of(Contract contract, const KernelCall& call) {
    ContractResult f = finding(contract, call.name, Verdict::right, {});
    f.bound = 1;
    f.added = call.is_added;
    return f;
}

/// Calls judge(judge of the call at this type) for each type that the box takes it at and something is known for.
template <class F>
void for_each_type(const BlackBox& box, const KernelCall& given, const Against& against, F judge) {
    const KernelCall call = as_float_holds(given);
    const Known known = against.of(call);
    if (box.takes(call, BoxPrecision::f64)) judge(Judge(box, call, against, BoxPrecision::f64, known, 1));
    if (!fits_float(call) || !box.takes(call, BoxPrecision::f32)) return;
    judge(Judge(box, call, against, BoxPrecision::f32, known.as_float ? *known.as_float : known,
                known.as_float ? 1 : eps_of(BoxPrecision::f32) / kEps));
}

std::vector<ContractResult> judged(const BlackBox& box, const KernelCall& call, const Against& against) {
    ContractResult value = result_of(Contract::kernel_value, call), gradient = result_of(Contract::kernel_gradient, call),
                   saved = result_of(Contract::saved, call);
    double largest = 0;
    try {
        for_each_type(box, call, against, [&](const Judge& judge) {
            largest = std::max(largest, judge.largest_gradient());
            // What is wrong in double already is not asked again in float.
            if (value.verdict == Verdict::right) judge.value(value);
            if (value.verdict == Verdict::right && gradient.verdict == Verdict::right) judge.gradients(gradient);
            if (saved.verdict == Verdict::right) judge.saved(saved);
        });
    } catch (const NotComparable& e) {
        return {excused(value, e.what()), excused(gradient, e.what())};
    }
    if (value.verdict == Verdict::wrong && gradient.entries == 0)
        gradient = excused(gradient, "not judged, for the forward is at fault");
    if (against.is_page) return {value, gradient, saved};
    if (value.entries == 0 && value.verdict == Verdict::right) value = excused(value, "nothing is known of the value");
    if (gradient.verdict == Verdict::right && !gradient.excused && !(largest > 0))
        gradient = excused(gradient, gradient.entries == 0 ? "nothing is known of the gradient"
                                                           : "vacuous here: the true gradient is 0 for these numbers");
    return {value, gradient};
}

}  // namespace

KernelReport check_kernel(const BlackBox& box, const std::vector<KernelCall>& calls, const Against& against) {
    KernelReport report = describe(box);
    if (!against.is_page)
        report.against = against.name + (against.weak ? ": the weaker evidence, for the forward is its own witness" : "");
    for (const KernelCall& call : calls) {
        std::vector<ContractResult> found;
        ContractResult threw = guarded(Contract::kernel_value, fmt::format("{}: {}", box.name, call.name), [&] {
            found = judged(box, call, against);
            return ContractResult{};
        });
        threw.sample = call.name;
        if (threw.verdict != Verdict::right) found = {threw};
        report.samples += std::any_of(found.begin(), found.end(), [](const auto& f) { return !f.excused; });
        for (ContractResult& f : found) {
            if ((call.is_added || call.is_excused) && f.verdict == Verdict::cannot_tell)
                f = excused(finding(f.contract, f.sample, {}, {}), f.reason);
            f.added = call.is_added;
            report.findings.push_back(std::move(f));
        }
    }
    if (against.is_page) return report;
    if (report.mark(Contract::kernel_value) == 'X')  // it is another function, also where the value is the same by chance
        for (ContractResult& f : report.findings)
            if (f.contract == Contract::kernel_gradient)
                f = excused(finding(f.contract, f.sample, Verdict::right, {}), "not judged, for the forward is at fault");
    if (report.verdict() != Verdict::right || report.mark(Contract::kernel_gradient) != '-') return report;
    const std::string why = report.findings.empty() ? "there is no sample" : report.findings.back().reason;
    if (report.samples == 0) report.findings.clear();
    report.findings.push_back(finding(Contract::kernel_gradient, "all samples", Verdict::cannot_tell,
                                      fmt::format("no gradient could be compared with {}: {}", against.name, why)));
    return report;
}

// Each input in turn, and the cotangent, gets one NaN, one infinity of either sign.
ContractResult check_special_values(const BlackBox& box, const KernelCall& call, const Against& page) {
    ContractResult f = result_of(Contract::kernel_special, call);
    Random random = sample_random(0, box.name, call.name);
    for (std::size_t i = 0; i <= call.x.size(); ++i) {
        const Tensor<double>& from = i < call.x.size() ? call.x[i] : call.u;
        if (!from.defined() || from.size() == 0) continue;
        for (const double value : {kNaN, kInfinity, -kInfinity}) {
            KernelCall special = call;
            Tensor<double>& to = i < call.x.size() ? special.x[i] : special.u;
            to = from.clone();
            to[random.below(to.size())] = value;
            for_each_type(box, special, page, [&](const Judge& judge) {
                judge.value(f);
                judge.gradients(f);
                judge.saved(f);
            });
            if (f.verdict == Verdict::right) continue;
            f.reason += fmt::format(", with {} in {}", value, i < call.x.size() ? box.input_name(i) : "the cotangent");
            return f;
        }
    }
    return f;
}

}  // namespace gradproof::check
