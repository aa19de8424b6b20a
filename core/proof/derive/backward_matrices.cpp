// Gradients down what linear algebra has beside products, and down running sums.
#include "gradproof/core/proof/derive/backward.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

void Backward::trace(const ExprPtr& e, const Term& g) {
    const Axes of = matrices_.axes(e->children[0]);
    if (of.empty()) return go_on("trace", e, e->children[0], g);
    if (of.size() != 2) no_rule("no rule yet for trace of {} axes", of.size());
    go_on("trace", e, e->children[0], matrices_.times(g, {1, 1, {{proof::call("eye", {known().size(of[0])}), 1}}}));
}

void Backward::outer(const ExprPtr& e, const Term& gradient) {
    const ExprPtr &u = e->children[0], &v = e->children[1];
    const Term g = matrices_.filled(gradient, matrices_.axes(e));
    go_on("outer product", e, u, matrices_.product(g, value(v)));
    go_on("outer product", e, v, matrices_.product(matrices_.transposed(g, matrices_.axes(e)), value(u)));
}

/// -Y^T ∂L/∂Y Y^T of Y = X^{-1}.
void Backward::inverse(const ExprPtr& e, const Term& gradient) {
    const Axes of = matrices_.axes(e);
    if (of.size() < 2) no_rule("no rule yet for {}", text_of(*e));
    const Term turned = matrices_.transposed(value(e), of);
    const Term g = matrices_.filled(gradient, of);
    go_on("inverse", e, e->children[0], Algebra::negated(matrices_.product(matrices_.product(turned, g), turned)));
}

/// X^{-T} for logdet, times the determinant for det.
void Backward::determinant(const ExprPtr& e, const Term& g) {
    const ExprPtr& x = e->children[0];
    const Axes of = matrices_.axes(x);
    if (of.size() != 2) no_rule("no rule yet for {} of {} axes", e->name, of.size());
    const Term inverse = matrices_.transposed(matrices_.term(proof::call("inverse", {x})), of);
    const Term by = e->name == "det" ? matrices_.times(g, value(e)) : g;
    go_on("determinant", e, x, matrices_.times(by, inverse));
}

/// What is summed up to an entry gets the sum from there on: all, less what comes up to it, and the entry itself.
Term Backward::from_there_on(const Term& gradient, const Expr& e) const {
    const Axes of = matrices_.axes(e.children[0]);
    const Term g = matrices_.filled(gradient, of);
    const ExprPtr dy = matrices_.expression(g);
    AxisOfCall axis{false, true, of.size() - 1, true};
    for (const Option& o : e.options) {
        if (o.name != "axis" || o.value->kind != Kind::number) no_rule("no rule yet for {}", text_of(e));
        axis.axis = static_cast<std::size_t>(o.value->number);
        axis.last = axis.axis + 1 == of.size();
    }
    const Term up_to{-1, 1, {{proof::call("cumsum", dy, e.options), 1}}};
    return matrices_.add({summed_along(g, of, axis), up_to, g});
}

void Backward::running_sum(const ExprPtr& e, const Term& g) { go_on("running sum", e, e->children[0], from_there_on(g, *e)); }

/// The slope of a product by one factor is the product divided by it, in each product that it stands in.
void Backward::running_product(const ExprPtr& e, const Term& g) {
    const Term each = matrices_.times(matrices_.filled(g, matrices_.axes(e)), value(e));
    go_on("running product", e, e->children[0], matrices_.divided(from_there_on(each, *e), value(e->children[0])));
}

/// Y[i p + k, j q + l] = A[i,j] B[k,l]: each factor gets the gradient times the other, summed over the axes of that.
void Backward::kronecker(const ExprPtr& e, const Term& gradient) {
    const ExprPtr &a = e->children[0], &b = e->children[1];
    const Axes x = matrices_.axes(a), y = matrices_.axes(b);
    if (x.size() != 2 || y.size() != 2) no_rule("no rule yet for {}", text_of(*e));
    const ExprPtr whole = matrices_.expression(matrices_.filled(gradient, matrices_.axes(e)));
    const ExprPtr apart = reshaped(known(), whole, {x[0], y[0], x[1], y[1]});
    const auto summed = [&](const ExprPtr& other, const Axes& as, double first, double second) {
        const ExprPtr all = proof::product(apart, '*', reshaped(known(), other, as));
        const ExprPtr once = axis_option(proof::call("sum", {all}), second, false);
        return Term{1, 1, {{axis_option(proof::call("sum", {once}), first, false), 1}}};
    };
    if (concerns(a))
        go_on("Kronecker product", e, a, summed(matrices_.expression(value(b)), {kSizeOne, y[0], kSizeOne, y[1]}, 1, 3));
    if (concerns(b))
        go_on("Kronecker product", e, b, summed(matrices_.expression(value(a)), {x[0], kSizeOne, x[1], kSizeOne}, 0, 2));
}

}  // namespace gradproof::proof
