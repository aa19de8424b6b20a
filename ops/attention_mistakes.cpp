// The results of a call, and each array of somebody else's beside them.
#include "gradproof/ops/attention_mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gradproof/ops/attention_with_mistake.hpp"

namespace gradproof {
namespace {

/// What an entry may be off by, relative to the largest: the rounding of its element type over a sum of S terms.
double tolerance_of(DType dtype, Index keys) {
    const double roundoff = unit_roundoff(dtype), single = unit_roundoff(DType::f32);
    if (roundoff > single) return 8 * roundoff;  // as f16
    if (roundoff == single) return 2e-5 * std::sqrt(static_cast<double>(std::max<Index>(keys, 1)));
    return check::kDoubleTolerance;
}

/// The sizes a wrong factor is likely to be made of.
std::vector<check::NamedSize> sizes_in_scope(const AttentionPlan& p) {
    return {{"D", p.D}, {"S", p.keys()}, {"L", p.L}, {"E", p.E}, {"Hq/Hk", p.group()}, {"Hq", p.Hq}, {"B", p.B}};
}

}  // namespace

template <class T>
AttentionArrays<T> attention_results(const AttentionCall<T>& c, bool weights) {
    AttentionArrays<T> out;
    if (c.dy.defined()) {
        Tape<T> tape;
        const auto leaf = [&](const Tensor<T>& t) { return t.defined() ? tape.leaf(t) : Var<T>{}; };
        const Var<T> q = leaf(c.q), k = leaf(c.k), v = leaf(c.v);
        const AttentionOptional<Var<T>> with{leaf(c.with.mask), leaf(c.with.past_key), leaf(c.with.past_value)};
        const Var<T> y = attention(q, k, v, with, c.attrs);
        if (c.dy.shape() != y.shape())
            shape_error("attention: dy must have the shape of y: dy is {}, y is {}", c.dy.shape(), y.shape());
        out["y"] = y.value();
        tape.backward(y, c.dy);
        const auto add = [&](const char* name, const Var<T>& input) {
            if (input.value().defined()) out[name] = tape.grad(input);
        };
        add("dq", q);
        add("dk", k);
        add("dv", v);
        add("dpast_key", with.past_key);
        add("dpast_value", with.past_value);
        add("dmask", with.mask);
    } else {
        out["y"] = attention(c.q, c.k, c.v, c.with, c.attrs);
    }
    if (weights || c.with.past_key.defined()) {
        const AttentionResult<T> all = attention_forward(c.q, c.k, c.v, c.with, c.attrs);
        if (weights) out["weights"] = all.weights;
        if (c.with.past_key.defined()) {
            out["present_key"] = all.present_key;
            out["present_value"] = all.present_value;
        }
    }
    return out;
}
template AttentionArrays<float> attention_results(const AttentionCall<float>&, bool);
template AttentionArrays<double> attention_results(const AttentionCall<double>&, bool);

namespace {

AttentionArrays<float> in_single_precision(const AttentionCall<double>& c, bool weights) {
    const auto single = [](const Tensor<double>& x) { return x.defined() ? cast<float>(x) : Tensor<float>(); };
    return attention_results<float>({single(c.q),
                                     single(c.k),
                                     single(c.v),
                                     single(c.dy),
                                     {single(c.with.mask), single(c.with.past_key), single(c.with.past_value)},
                                     c.attrs},
                                    weights);
}

/// What each entry is off by in single precision, and would be in another type; NaN where single precision is.
Tensor<double> errors_in(DType dtype, const Tensor<float>& single, const Tensor<double>& truth) {
    const double ratio = unit_roundoff(dtype) / unit_roundoff(DType::f32);
    Tensor<double> out(truth.shape(), 0.0);
    for (Index i = 0; i < truth.size(); ++i)
        if (std::isfinite(truth[i])) out[i] = std::abs(static_cast<double>(single[i]) - truth[i]) * ratio;
    return out;
}

/// Sets what results of this type may be off by, as the same call in single precision is.
void allow(check::Allowed& allowed, DType dtype, const Tensor<double>& truth, const Tensor<double>& errors, Index keys) {
    constexpr double kFar = 1e-3;  // of the largest entry of all: lines that are smaller count as this large
    constexpr double kTimes = 16;  // sums in another order, of terms that cancel
    const double largest = check::finite_largest(truth);
    double largest_error = 0;
    for (const double e : errors) largest_error = std::max(largest_error, e);
    if (largest > 0) allowed.honest = std::max(allowed.honest, 4 * largest_error / largest);
    if (!std::all_of(errors.begin(), errors.end(), [](double e) { return std::isfinite(e); })) return;
    allowed.noise = errors;
    allowed.ratio = check::ratio_allowed(truth, truth, errors, dtype, static_cast<double>(std::max<Index>(keys, 1)));
    allowed.entries = check::largest_of_lines(truth);
    const Tensor<double> of_errors = check::largest_of_lines(errors);
    for (Index i = 0; i < truth.size(); ++i)
        allowed.entries[i] = allowed.honest * std::max(allowed.entries[i], kFar * largest) + kTimes * of_errors[i] +
                             kTimes * least_step(dtype) * std::max(1.0, largest);
}

}  // namespace

check::ComparedArrays attention_mistakes(const AttentionCall<double>& call, const AttentionArrays<double>& truth,
                                         const std::vector<NamedArray>& theirs, DType dtype, const Control& control) {
    const ControlScope scope(control, "attention_mistakes");
    for (const NamedArray& t : theirs)
        if (!truth.contains(t.name)) value_error("attention: of '{}' the true result is not given", t.name);
    const AttentionPlan plan = plan_of(call);
    double largest_gradient = 0;
    for (const auto& [name, array] : truth)
        if (name[0] == 'd') largest_gradient = std::max(largest_gradient, check::finite_largest(array));
    std::optional<AttentionArrays<float>> single;  // the call in single precision: what rounding does to each result
    check::ComparedArrays out;
    std::vector<WrongArray> unexplained;
    expect_parts(static_cast<Index>(theirs.size()));
    for (const std::string_view name : kAttentionResults) {
        const Array* array = find_array(theirs, name);
        if (!array) continue;
        begin_part(name);
        const Tensor<double>&claimed = to_tensor<double>(*array, name), &true_one = truth.find(name)->second;
        const DType narrower = unit_roundoff(dtype) > unit_roundoff(array->dtype) ? dtype : array->dtype;
        // A gradient that is zero but for rounding is measured against a thousandth of the largest gradient.
        check::Allowed allowed{.honest = tolerance_of(narrower, plan.keys()),
                               .type = std::string(dtype_name(narrower)),
                               .floor = name[0] == 'd' ? 1e-3 * largest_gradient : 0,
                               .sizes = sizes_in_scope(plan)};
        if (narrower != DType::f64) {
            if (!single) single = in_single_precision(call, truth.contains("weights"));
            if (const auto found = single->find(name); found != single->end())
                allow(allowed, narrower, true_one, errors_in(narrower, found->second, true_one), plan.keys());
        }
        check::ComparedArray a = check::compared(std::string(name), claimed, true_one, allowed);
        a.meaning = std::string(name);
        a.dtype = array->dtype;
        const check::Comparison& c = a.comparison;
        if (a.doubt.empty() && !c.right() && c.same_shape() && c.diagnosis.text.empty())
            unexplained.push_back(
                {name, claimed, {.tolerance = c.tolerance.relative, .floor = c.tolerance.scale, .sizes = allowed.sizes}});
        out.add(std::move(a));
    }
    const bool y_is_wrong = !out.arrays.empty() && out.arrays.front().name == "y" && !out.arrays.front().comparison.right();
    const auto mistakes = explain_by_mistakes(call, unexplained, y_is_wrong);
    for (check::ComparedArray& a : out.arrays)
        if (const auto found = mistakes.find(a.name); found != mistakes.end()) a.mistake = found->second;
    out.look_at_cotangent("dy", call.dy);
    return out;
}

}  // namespace gradproof
