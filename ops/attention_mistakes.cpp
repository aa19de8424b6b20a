// The results of a call, and each array of somebody else's beside them.
#include "gradproof/ops/attention_mistakes.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/ops/attention_with_mistake.hpp"

namespace gradproof {
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
        const AttentionResult<T> all = attention_forward(c.q, c.k, c.v, c.attrs, c.with);
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

check::ComparedArrays attention_mistakes(const AttentionCall<double>& call, const AttentionArrays<double>& truth,
                                         const std::vector<NamedArray>& theirs, DType dtype, const Control& control) {
    const ControlScope scope(control, "attention_mistakes");
    for (const NamedArray& t : theirs)
        if (!truth.contains(t.name)) value_error("attention: of '{}' the true result is not given", t.name);
    const AttentionPlan plan = plan_of(call);
    double largest_gradient = 0;
    for (const auto& [name, array] : truth)
        if (name[0] == 'd') largest_gradient = std::max(largest_gradient, check::finite_largest(array));
    check::ComparedArrays out;
    std::vector<WrongArray> unexplained;
    expect_parts(static_cast<Index>(theirs.size()));
    for (const std::string_view name : kAttentionResults) {
        const Array* array = find_array(theirs, name);
        if (!array) continue;
        begin_part(name);
        // A gradient that is zero but for rounding is measured against a thousandth of the largest gradient.
        const check::CompareOptions options{
            .tolerance = std::max(tolerance_of(dtype, plan.keys()), tolerance_of(array->dtype, plan.keys())),
            .floor = name[0] == 'd' ? 1e-3 * largest_gradient : 0,
            .sizes = sizes_in_scope(plan)};
        const Tensor<double> claimed = to_tensor<double>(*array, name);
        const check::Comparison c = compare(claimed, truth.find(name)->second, options);
        if (!c.right() && c.same_shape() && c.diagnosis.text.empty()) unexplained.push_back({name, claimed, options});
        out.add({.name = std::string(name), .meaning = std::string(name), .dtype = array->dtype, .comparison = c});
    }
    const bool y_is_wrong = !out.arrays.empty() && out.arrays.front().name == "y" && !out.arrays.front().comparison.right();
    const auto mistakes = explain_by_mistakes(call, unexplained, y_is_wrong);
    for (check::ComparedArray& a : out.arrays)
        if (const auto found = mistakes.find(a.name); found != mistakes.end()) a.mistake = found->second;
    out.look_at_cotangent("dy", call.dy);
    return out;
}

}  // namespace gradproof
