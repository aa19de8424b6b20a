// Gradients down what linear algebra has beside products, and down running sums.
#include "gradproof/core/proof/derive/backward.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

void Backward::trace(const ExprPtr& e, const Term& g) {
    const Axes of = matrices_.axes(e->children[0]);
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
void Backward::running_sum(const ExprPtr& e, const Term& gradient) {
    const Axes of = matrices_.axes(e);
    const Term g = matrices_.filled(gradient, of);
    const ExprPtr dy = matrices_.expression(g);
    AxisOfCall axis{false, true, of.size() - 1, true};
    for (const Option& o : e->options) {
        if (o.name != "axis" || o.value->kind != Kind::number) no_rule("no rule yet for {}", text_of(*e));
        axis.axis = static_cast<std::size_t>(o.value->number);
        axis.last = axis.axis + 1 == of.size();
    }
    const Term up_to{-1, 1, {{proof::call("cumsum", dy, e->options), 1}}};
    go_on("running sum", e, e->children[0], matrices_.add({summed_along(g, of, axis), up_to, g}));
}

}  // namespace gradproof::proof
