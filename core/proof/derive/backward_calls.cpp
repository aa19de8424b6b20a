// Gradients down the functions of the notation: a row of a table each.
#include <algorithm>

#include "gradproof/core/proof/derive/backward.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/slopes.hpp"

namespace gradproof::proof {
const std::vector<Backward::CallRule>& Backward::calls() {
    using B = Backward;
    static const std::vector<CallRule> all{
        {"sum", &B::summation},       {"rowsum", &B::summation},
        {"colsum", &B::summation},    {"mean", &B::mean},
        {"rowmean", &B::mean},        {"colmean", &B::mean},
        {"max", &B::maximum},         {"rowmax", &B::maximum},
        {"colmax", &B::maximum},      {"var", &B::variance},
        {"rowvar", &B::variance},     {"colvar", &B::variance},
        {"norm", &B::norm},           {"rownorm", &B::norm},
        {"colnorm", &B::norm},        {"logsumexp", &B::log_sum_exp},
        {"softmax", &B::softmax},     {"log_softmax", &B::log_softmax},
        {"diag", &B::diagonal},       {"trace", &B::trace},
        {"outer", &B::outer},         {"concat", &B::concat},
        {"where", &B::choice},        {"min", &B::larger},
        {"mod", &B::modulo},          {"reshape", &B::reshape},
        {"transpose", &B::permute},   {"pow", &B::as_operator},
        {"scale", &B::as_operator},   {"floor", &B::nothing},
        {"inverse", &B::inverse},     {"det", &B::determinant},
        {"logdet", &B::determinant},  {"cumsum", &B::running_sum},
        {"expand_dims", &B::reshape}, {"squeeze", &B::reshape},
        {"axis_size", &B::nothing},   {"sign", &B::nothing},
        {"step", &B::nothing},        {"cumprod", &B::running_product},
        {"kron", &B::kronecker},
    };
    return all;
}

void Backward::call(const ExprPtr& e, const Term& g) {
    if (by_entries_ && !is_elementwise(e->name) && e->name != "where")
        no_rule("no rule yet for {} of whole arrays in index form", e->name);
    if (slope(e, g)) return;
    const auto found = std::ranges::find(calls(), e->name, &CallRule::function);
    if (found == calls().end()) no_rule("no rule yet for {}", e->name);
    (this->*found->apply)(e, g);
}

ExprPtr simple_slope(const Algebra& a, const ExprPtr& e, const Term& value) {
    const ExprPtr slope = slope_of_call(*e, a.expression(value));
    if (!slope) return nullptr;
    return rewritten(slope, [&](const Expr& part) -> ExprPtr {
        const bool inner = part.kind == Kind::call && part.name == "exp" && part.options.empty() && part.children.size() == 1 &&
                           !any_part(*e, [&](const Expr& own) { return &own == &part || own.children == part.children; });
        return inner ? proof::call(part.name, {a.expression(a.term(part.children[0]))}) : nullptr;
    });
}

bool Backward::slope(const ExprPtr& e, const Term& g) {
    const Algebra& a = algebra();
    const ExprPtr slope = simple_slope(a, e, value(e));
    if (!slope) return false;
    go_on("chain rule", e, e->children[0], a.shortest(a.times(g, a.term(slope))));
    return true;
}

AxisOfCall Backward::axis_of(const Expr& e) const {
    const std::size_t rank = matrices_.axes(e.children[0]).size();
    AxisOfCall out;
    const bool rows = e.name.starts_with("row"), columns = e.name.starts_with("col");
    if (rows || columns) {
        if (rank < (rows ? 1U : 2U)) no_rule("{} of {} axes", text_of(e), rank);
        out.keep = true;
        out.axis = rank - (rows ? 1 : 2);
        out.last = rows;
        return out;
    }
    const Option* axis = find_option(e, "axis");
    if (!axis) axis = find_option(e, "axes");
    const bool softmax = e.name == "softmax" || e.name == "log_softmax";
    for (const Option& o : e.options)
        if (o.name != "axis" && o.name != "axes" && o.name != "keep" && o.name != "keep_dims")
            no_rule("no rule yet for {} with {}", e.name, o.name);
    if (const Option* keep = find_option(e, "keep")) out.keep = keep->value->name == "true";
    if (!axis && !softmax) {
        out.all = true;
        if (out.keep) no_rule("no rule yet for {}", text_of(e));
        return out;
    }
    const std::optional<double> at = axis ? signed_number(*axis->value) : -1.0;
    if (!at) no_rule("no rule yet for {} over axis {}", e.name, text_of(*axis->value));
    out.axis = static_cast<std::size_t>(*at < 0 ? *at + static_cast<double>(rank) : *at);
    if (out.axis >= rank) no_rule("{} has no axis {}", text_of(*e.children[0]), *at);
    out.last = out.axis + 1 == rank;
    return out;
}

Term Backward::expanded(const Term& g, const ExprPtr& e, const AxisOfCall& axis) const {
    const Axes g_axes = matrices_.axes(g);
    if (axis.all || axis.keep || axis.axis == 0 || g_axes.empty()) return g;
    const Axes x = matrices_.axes(e->children[0]);
    Axes with_one = x;
    with_one[axis.axis] = kSizeOne;
    return matrices_.of_arrays(matrices_.filled(g, matrices_.axes(e)),
                               [&](const ExprPtr& array) { return reshaped(known(), array, with_one); });
}

Term Backward::divided_by_count(Term t, const Axes& of, const AxisOfCall& axis) const {
    for (std::size_t i = 0; i < of.size(); ++i)
        if (axis.all || i == axis.axis) t = matrices_.divided(std::move(t), matrices_.term(known().size(of[i])));
    return t;
}

Term Backward::summed_along(const Term& g, const Axes& of, const AxisOfCall& axis) const {
    if (axis.all || of.size() == 1) return matrices_.summed(g, of);
    return matrices_.summed(g, of, axis.axis, true);
}

/// mean(x, axis=k, keep=true) as it is said best.
ExprPtr Backward::kept(const std::string& reduction, const ExprPtr& x, const AxisOfCall& axis) const {
    const std::size_t rank = matrices_.axes(x).size();
    if (axis.all || rank == 1) return proof::call(reduction, {x});
    if (axis.axis + 2 >= rank && reduction != "logsumexp") return proof::call((axis.last ? "row" : "col") + reduction, {x});
    return axis_option(proof::call(reduction, {x}), static_cast<double>(axis.axis), true);
}

ExprPtr Backward::softmax_of(const ExprPtr& x, const AxisOfCall& axis) const {
    const ExprPtr plain = proof::call("softmax", {x});
    return axis.last ? plain : axis_option(plain, static_cast<double>(axis.axis), false);
}

void Backward::summation(const ExprPtr& e, const Term& g) {
    go_on("sum over an axis", e, e->children[0], expanded(g, e, axis_of(*e)));
}

void Backward::mean(const ExprPtr& e, const Term& g) {
    const AxisOfCall axis = axis_of(*e);
    const Term out = divided_by_count(expanded(g, e, axis), matrices_.axes(e->children[0]), axis);
    go_on("mean over an axis", e, e->children[0], out);
}

void Backward::maximum(const ExprPtr& e, const Term& g) {
    if (e->children.size() == 2) return larger(e, g);
    const AxisOfCall axis = axis_of(*e);
    const ExprPtr& x = e->children[0];
    const ExprPtr largest = matrices_.expression(matrices_.term(kept("max", x, axis)));
    const ExprPtr chosen = one_minus(proof::call("step", {proof::sum(largest, '-', x)}));
    go_on("largest of an axis", e, x, matrices_.times(expanded(g, e, axis), {1, 1, {{chosen, 1}}}));
}

void Backward::variance(const ExprPtr& e, const Term& g) {
    const AxisOfCall axis = axis_of(*e);
    const ExprPtr& x = e->children[0];
    const ExprPtr mean = matrices_.expression(matrices_.term(kept("mean", x, axis)));
    const Term distance = matrices_.term(proof::sum(x, '-', mean));
    const Term out = matrices_.times(matrices_.times(Algebra::number(2), expanded(g, e, axis)), distance);
    go_on("variance", e, x, divided_by_count(out, matrices_.axes(x), axis));
}

void Backward::log_sum_exp(const ExprPtr& e, const Term& g) {
    const AxisOfCall axis = axis_of(*e);
    const ExprPtr& x = e->children[0];
    if (axis.all && matrices_.axes(x).size() != 1) {
        const ExprPtr from_all = proof::sum(x, '-', matrices_.expression(value(e)));
        return go_on("log-sum-exp", e, x, matrices_.times(g, {1, 1, {{proof::call("exp", {from_all}), 1}}}));
    }
    const AxisOfCall of_one{false, axis.keep, axis.axis, axis.last || axis.all};
    go_on("log-sum-exp", e, x, matrices_.times(expanded(g, e, axis), matrices_.term(softmax_of(x, of_one))));
}

void Backward::norm(const ExprPtr& e, const Term& g) {
    const AxisOfCall axis = axis_of(*e);
    const ExprPtr& x = e->children[0];
    const Term length = axis.all || axis.keep ? value(e) : matrices_.term(kept("norm", x, axis));
    go_on("norm", e, x, matrices_.divided(matrices_.times(expanded(g, e, axis), value(x)), length));
}

void Backward::softmax(const ExprPtr& e, const Term& gradient) {
    const Option* temperature = find_option(*e, "temperature");
    Expr plain = *e;
    std::erase_if(plain.options, [](const Option& o) { return o.name == "temperature"; });
    const AxisOfCall axis = axis_of(plain);
    const ExprPtr& x = e->children[0];
    const Term y = value(e);
    const Term g = temperature ? matrices_.divided(gradient, matrices_.term(temperature->value)) : gradient;
    const Term mean = summed_along(matrices_.times(g, y), matrices_.axes(x), axis);
    // y ⊙ (g - mean), or y ⊙ g - y ⊙ mean where that is shorter, as after a logarithm.
    const Term together = matrices_.times(y, matrices_.add({g, Algebra::negated(mean)}));
    const Term apart = matrices_.add({matrices_.times(y, g), Algebra::negated(matrices_.times(y, mean))});
    const auto length = [&](const Term& t) { return parts_of(*matrices_.expression(t)); };
    const Term of_scores = length(apart) < length(together) ? apart : together;
    go_on("softmax", e, x, of_scores);
    if (!temperature || !concerns(temperature->value)) return;
    const ExprPtr& t = temperature->value;
    const Term slope = matrices_.divided(matrices_.times(of_scores, matrices_.term(x)), matrices_.term(t));
    go_on("softmax", e, t, Algebra::negated(matrices_.unbroadcast(slope, matrices_.axes(x), matrices_.axes(t))));
}

void Backward::log_softmax(const ExprPtr& e, const Term& g) {
    const AxisOfCall axis = axis_of(*e);
    const ExprPtr& x = e->children[0];
    Term weights = matrices_.term(softmax_of(x, axis));
    const bool named = weights.powers.size() == 1 && weights.powers[0].base->kind == Kind::name;
    const ExprPtr y = matrices_.expression(value(e));
    if (!named && y->kind == Kind::name) weights = {1, 1, {{proof::call("exp", {y}), 1}}};
    const Term total = summed_along(g, matrices_.axes(x), axis);
    go_on("log-softmax", e, x, matrices_.add({g, Algebra::negated(matrices_.times(weights, total))}));
}

void Backward::diagonal(const ExprPtr& e, const Term& g) {
    const Axes of = matrices_.axes(e->children[0]);
    if (of.size() > 2) no_rule("no rule yet for diag of {} axes", of.size());
    if (!matrices_.axes(g).empty()) return go_on("diagonal", e, e->children[0], of_diagonal(g, e));
    if (of.size() == 1) return go_on("diagonal", e, e->children[0], g);
    const ExprPtr unit = proof::call("eye", {known().size(of[0])});
    go_on("diagonal", e, e->children[0], matrices_.times(g, {1, 1, {{unit, 1}}}));
}

/// diag(g), which leads from a vector to a matrix and back.
Term Backward::of_diagonal(const Term& g, const ExprPtr& e) const {
    return matrices_.of_arrays(matrices_.filled(g, matrices_.axes(e)),
                               [](const ExprPtr& array) { return proof::call("diag", {array}); });
}

}  // namespace gradproof::proof
