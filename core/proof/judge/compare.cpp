// The comparison of results with the truth.
#include "gradproof/core/proof/judge/compare.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/proof/judge/honest.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/judge/report_rows.hpp"

namespace gradproof::proof {
namespace {

using check::Json;

constexpr double kSmall = 1e-12;  // beside a thousandth of the largest gradient: it may be a 0 but for rounding

/// The error allowed in given results, by their element type: four times that of a correct computation in this type. For double
/// it is set by the rounding of the truth itself, which is at most 1e-11 for each entry.
class Allowances {
  public:
    Allowances(const Proof& proof, Instance& draw) : proof_(proof), draw_(draw) {
        for (const auto& [name, v] : draw.scope().values) {
            for (const Index n : v.shape()) longest_ = std::max(longest_, static_cast<double>(n));
            largest_ = std::max(largest_, check::finite_largest(v.value()));
        }
        if (draw.has_cotangent()) largest_ = std::max(largest_, check::finite_largest(draw.cotangent()));
    }
    double of(DType dtype, const Meaning& meaning, const Tensor<double>& truth, double scale) {
        if (is_as_double(dtype)) return check::kDoubleTolerance;
        const auto [at, fresh] = runs_.try_emplace(dtype);
        if (fresh) at->second = honest_results(proof_, draw_, dtype);
        // Sums of single precision are rounded term by term; those of narrower types are not.
        const double digits = unit_roundoff(dtype) * (dtype == DType::f32 ? std::sqrt(longest_) : 1);
        const double unit = std::max(digits, scale > 0 ? 0.5 * least_step(dtype) / scale : 0);
        // In index form: 32 roundings at each step forward and back.
        if (!at->second) return 32 * unit * (1 + static_cast<double>(proof_.forward.size()));
        const double off = scale > 0 ? check::finite_largest(honest_error(dtype, meaning, truth)) / scale : 0;
        return kTimes * (off + unit);
    }
    /// How far each entry may be off: beside the largest of its line, and by what bounds and a computation in that type say of
    /// rounding on the way to it. Undefined where rounding has no bound.
    Tensor<double> of_entries(DType dtype, const Meaning& meaning, const Tensor<double>& truth, double relative) {
        constexpr double kFar = 1e-3;  // of the largest entry of all: lines that are smaller count as this large
        const double least_line = kFar * check::finite_largest(truth),
                     times = kTimes * unit_roundoff(dtype) / unit_roundoff(DType::f64),
                     least = kTimes * least_step(dtype) * largest_ * std::sqrt(longest_);
        const Tensor<double> bounds = bounds_of(meaning);
        if (!std::all_of(bounds.begin(), bounds.end(), [](double b) { return std::isfinite(b); })) return {};
        Tensor<double> out = check::largest_of_lines(truth);
        const Tensor<double> of_bounds = check::largest_of_lines(bounds),
                             of_honest = check::largest_of_lines(honest_error(dtype, meaning, truth));
        for (Index i = 0; i < out.size(); ++i)
            out[i] = relative * std::max(out[i], least_line) + times * of_bounds[i] + kTimes * of_honest[i] + least;
        return out;
    }

    /// By which most entries may be off alike.
    void add_ratio(check::Allowed& to, DType dtype, const Meaning& meaning, const Tensor<double>& truth) const {
        const bool is_double = is_as_double(dtype);
        const Tensor<double>* const honest = is_double ? &truth : honest_of(dtype, meaning);
        if (honest == nullptr) return;
        to.noise = is_double ? bounds_of(meaning) : honest_error(dtype, meaning, truth);
        to.ratio = check::ratio_allowed(*honest, truth, to.noise, dtype, longest_);
    }

  private:
    static constexpr double kTimes = 4;
    static bool is_as_double(DType dtype) { return unit_roundoff(dtype) < 1e-12; }
    /// Of rounding errors in double precision.
    Tensor<double> bounds_of(const Meaning& meaning) const {
        if (meaning.gradient) return draw_.gradient(meaning.value).error;
        return errors_of(draw_.derivatives().scope().values.find(meaning.value)->second.value());
    }
    /// What a computation in that type is off by; 0 where there is none.
    Tensor<double> honest_error(DType dtype, const Meaning& meaning, const Tensor<double>& truth) const {
        Tensor<double> out(truth.shape(), 0.0);
        const Tensor<double>* const honest = honest_of(dtype, meaning);
        for (Index i = 0; honest && i < truth.size(); ++i)
            if (std::isfinite(truth[i])) out[i] = std::abs((*honest)[i] - truth[i]);
        return out;
    }
    /// nullptr where there is none.
    const Tensor<double>* honest_of(DType dtype, const Meaning& meaning) const {
        const auto run = runs_.find(dtype);
        if (run == runs_.end() || !run->second) return nullptr;
        const auto& found = meaning.gradient ? run->second->gradients : run->second->values;
        const auto honest = found.find(meaning.value);
        return honest == found.end() ? nullptr : &honest->second;
    }

    const Proof& proof_;
    Instance& draw_;
    double longest_ = 1, largest_ = 1;
    std::map<DType, std::optional<HonestResults>> runs_;
};

/// A gradient that is very small beside others: where it is more than a rounding of 0, it is compared with its own largest entry,
/// as far as a computation in that type can have it.
class SmallGradient {
  public:
    SmallGradient(Instance& draw, const std::string& name) : rounding_(check::finite_largest(draw.gradient(name).error)) {
        const Tensor<TrackedQuad>& precise = draw.more_precise().gradient(name);
        const Tensor<double> value = values_of(precise), error = errors_of(precise);
        for (Index i = 0; i < value.size(); ++i)
            if (std::abs(value[i]) > kSlack * error[i]) value_ = value;
    }
    bool is_zero() const { return !value_.defined(); }
    const Tensor<double>& value() const { return value_; }
    /// What rounding may do to it, relative to its largest entry: sums on the way may cancel.
    double rounding(DType dtype) const {
        return kSlack * rounding_ * unit_roundoff(dtype) / unit_roundoff(DType::f64) / check::finite_largest(value_);
    }

  private:
    static constexpr double kSlack = 4;
    double rounding_;  ///< a bound of it in double precision
    Tensor<double> value_;
};

struct Theirs {
    const NamedArray* array;
    Meaning meaning;
};

std::vector<Theirs> resolved(const Proof& proof, const std::vector<NamedArray>& theirs) {
    std::vector<Theirs> out;
    for (const NamedArray& a : theirs) {
        const auto meaning = meaning_of(a.name, proof);
        if (!meaning) {
            std::vector<std::string> known;
            for (const Given& g : proof.given)
                if (g.differentiable) known.push_back("d" + g.name);
            for (const Assignment& f : proof.forward) {
                known.push_back(f.name);
                known.push_back("d" + f.name);
            }
            value_error("compare: the results hold {}, expected some of {}{}", printable(a.name, 60), fmt::join(known, " "),
                        did_you_mean(a.name, known));
        }
        if (meaning->gradient && proof.is_constant(meaning->value))
            value_error("compare: the results hold {}: {} is a constant, it takes no gradient", a.name, meaning->value);
        for (const Theirs& t : out)
            if (t.meaning.value == meaning->value && t.meaning.gradient == meaning->gradient)
                value_error("compare: {}", t.array->name == a.name ? a.name + " is given twice"
                                                                   : t.array->name + " and " + a.name + " name the same result");
        out.push_back({&a, *meaning});
    }
    if (out.empty()) value_error("compare: the results hold no array");
    return out;
}

CompareReport compare_as_read(const Proof& proof, const Bindings& bindings, const std::vector<NamedArray>& theirs,
                              const ResultOptions& options) {
    if (options.tolerance && !(*options.tolerance > 0 && *options.tolerance < 1))
        value_error("compare: tolerance is {}, expected a number between 0 and 1", *options.tolerance);
    if (proof.forward.empty()) value_error("compare: {}: the derivation computes nothing", proof.source->file());
    for (const Given& g : proof.given)
        if (g.fill != Fill::literal && !bindings.contains(g.name)) throw NotBound(g.name);
    const std::vector<Theirs> results = resolved(proof, theirs);
    const Assignment& last = proof.forward.back();
    InstanceOptions draw_options{.bind = bindings};
    const Theirs* asks = nullptr;
    for (const Theirs& t : results) {
        if (!t.meaning.gradient) continue;
        if (t.meaning.value == last.name && !last.is_loss)
            draw_options.cotangent = to_tensor<double>(t.array->array, t.array->name);
        else
            asks = &t;
    }
    if (asks && !last.is_loss && !draw_options.cotangent.defined())
        value_error(
            "compare: the results hold {}, and gradients need a loss: add the incoming gradient of {} to the results as d{}, or "
            "state a loss: loss L = ...",
            asks->array->name, last.name, last.name);
    const Plan plan(proof, bindings);
    Instance draw(proof, plan, draw_options, 0);

    CompareReport report;
    report.file = proof.source->file();
    report.title = proof.title;
    std::vector<check::NamedSize> named;
    for (const Dim& d : proof.dims) {
        const Index n = draw.sizes().find(d.name)->second;
        report.sizes.emplace_back(d.name, n);
        named.push_back({d.name, n});
    }
    report.loss = last.is_loss ? fmt::format("{} = {}", last.name, text_of(*last.value))
                  : draw_options.cotangent.defined()
                      ? fmt::format("the incoming gradient d{} is taken from your results", last.name)
                      : "";
    double largest_gradient = 0;
    for (const Theirs& t : results)
        if (t.meaning.gradient)
            largest_gradient = std::max(largest_gradient, check::finite_largest(draw.gradient(t.meaning.value).value));
    Allowances allowances(proof, draw);
    expect_parts(static_cast<Index>(results.size()));
    for (const Theirs& t : results) {
        begin_part(t.array->name);
        const bool is_cotangent = t.meaning.gradient && t.meaning.value == last.name && !last.is_loss;
        if (is_cotangent) {
            report.results.look_at_cotangent(t.array->name, draw.cotangent());
            continue;
        }
        const DType dtype = t.array->array.dtype;
        Tensor<double> truth =
            t.meaning.gradient ? draw.gradient(t.meaning.value).value : draw.scope().values.find(t.meaning.value)->second.value();
        check::Allowed allowed{
            .type = std::string(dtype_name(dtype)), .floor = t.meaning.gradient ? 1e-3 * largest_gradient : 0, .sizes = named};
        double rounding = 0;
        bool is_zero = false;
        if (t.meaning.gradient && check::finite_largest(truth) <= kSmall * allowed.floor) {
            const SmallGradient small(draw, t.meaning.value);
            is_zero = small.is_zero();
            if (!is_zero) {
                truth = small.value();
                allowed.floor = 0;
                rounding = small.rounding(dtype);
            }
        }
        const double scale = std::max(check::finite_largest(truth), kSmall * allowed.floor);
        allowed.honest = options.tolerance.value_or(std::max(rounding, allowances.of(dtype, t.meaning, truth, scale)));
        const bool is_small =
            allowed.floor == 0 && t.meaning.gradient;  // and is told from 0 by more than bounds of double precision
        if (!options.tolerance && !is_zero && !is_small) {
            allowed.entries = allowances.of_entries(dtype, t.meaning, truth, allowed.honest);
            allowances.add_ratio(allowed, dtype, t.meaning, truth);
        }
        check::ComparedArray a = check::compared(t.array->name, to_tensor<double>(t.array->array, t.array->name), truth, allowed);
        a.meaning = (t.meaning.gradient ? "∂L/∂" : "") + t.meaning.value;
        a.dtype = dtype;
        if (t.meaning.gradient)
            if (const TrueGradient& g = draw.gradient(t.meaning.value); !g.confirmed && g.reached) a.doubt = g.doubt;
        if (is_zero && a.comparison.right()) a.doubt = "the true value is 0 to within rounding everywhere: nothing is tested";
        report.results.add(std::move(a));
    }
    if (report.results.arrays.empty())
        value_error("compare: the results hold only the cotangent {}: there is nothing to compare", results.front().array->name);
    const bool computed = std::any_of(results.begin(), results.end(), [&](const Theirs& t) {
        return t.meaning.gradient || proof.find(t.meaning.value) != nullptr;
    });
    if (!computed && report.verdict() == check::Verdict::right)
        value_error("compare: the results hold only what is given, as {}: there is nothing to compare",
                    results.front().array->name);
    PassedLines passed;
    for (const Passed& p : proof.passed_over)
        passed.emplace(proof.source->place(p.span.begin).in, proof.source->line(p.span.begin));
    if (!proof.holds_for.empty()) report.results.notes.push_back(for_text(proof.holds_for));
    if (!passed.empty()) report.results.notes.push_back("right " + if_passed_over_changes_nothing(passed));
    report.tolerance = options.tolerance ? fmt::format("{:.2g} of the largest true entry, as given", *options.tolerance)
                                         : "4 times the rounding error expected for each array's element type; 1e-10 for f64";
    return report;
}

/// Of a text that may be read in two ways, an array that is right in one of them and wrong in the other cannot be told.
void doubt_readings(const Proof& proof, const Bindings& bindings, const std::vector<NamedArray>& theirs,
                    const ResultOptions& options, CompareReport& report) {
    const Reread reread = reread_forward(proof, bindings);
    const auto doubt = [](check::ComparedArray& a, std::string why) {
        if (a.verdict() != check::Verdict::cannot_tell) a.doubt = std::move(why);
    };
    for (check::ComparedArray& a : report.results.arrays)
        if (!reread.doubt.empty()) doubt(a, reread.doubt);
    for (const OtherForward& other : reread.others) {
        CompareReport so;
        try {
            so = compare_as_read(other.proof, bindings, theirs, options);
        } catch (const ProofError&) {  // it does not fit together so
            continue;
        }
        for (std::size_t i = 0; i < report.results.arrays.size(); ++i) {
            check::ComparedArray& a = report.results.arrays[i];
            const check::Verdict here = a.verdict(), there = so.results.arrays[i].verdict();
            if ((here == check::Verdict::right) != (there == check::Verdict::right))
                doubt(a, told_of_reading(here, there, other));
        }
    }
}

}  // namespace

NotBound::NotBound(const std::string& name)
    : ValueError(fmt::format("compare: {} has no values: give an array for it", name)), input(name) {}

CompareReport compare(const Proof& proof, const Bindings& bindings, const std::vector<NamedArray>& theirs,
                      const ResultOptions& options, const Control& control) {
    const ControlScope scope(control, "compare");
    CompareReport report = compare_as_read(proof, bindings, theirs, options);
    doubt_readings(proof, bindings, theirs, options, report);
    return report;
}

std::string to_text(const CompareReport& r) {
    std::string sizes;
    for (const auto& [name, n] : r.sizes) sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", name, n);
    std::string out = r.file + (r.title.empty() ? "" : ": " + r.title) + (sizes.empty() ? "" : "      " + sizes) + "\n";
    if (!r.loss.empty()) out += "  loss       " + r.loss + "\n";
    out += "  tolerance  " + r.tolerance + "\n";
    return out + to_text(r.results);
}

std::string to_json(const CompareReport& r) {
    Json sizes = Json::object();
    for (const auto& [name, n] : r.sizes) sizes[name] = n;
    Json out{{"schema", 1}, {"file", r.file}, {"title", r.title}, {"sizes", sizes}, {"loss", r.loss}, {"tolerance", r.tolerance}};
    out.update(Json::parse(to_json(r.results)));
    return check::json_line(out);
}

}  // namespace gradproof::proof
