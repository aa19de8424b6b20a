// Tangents by the rules of differentials.
#include "gradproof/core/proof/derive/tangents.hpp"

#include <algorithm>

#include "gradproof/core/proof/derive/backward.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

constexpr std::array kLinear{"sum", "mean", "trace", "diag", "reshape", "transpose", "outer"};

}  // namespace

ExprPtr with_gradients(const ExprPtr& e, const std::function<ExprPtr(const std::string&, const std::vector<ExprPtr>&)>& f) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind == Kind::gradient) return f(part.name, {});
        if (part.kind != Kind::index || part.children[0]->kind != Kind::gradient) return nullptr;
        return f(part.children[0]->name, {part.children.begin() + 1, part.children.end()});
    });
}

std::vector<Term> Tangents::of(const ExprPtr& e) const {
    const auto each = [&](const Terms& terms, auto f) {
        Terms out;
        for (const Term& t : terms) out.push_back(f(t));
        return out;
    };
    switch (e->kind) {
        case Kind::name: return a_.known().plan().follows_input(e->name) ? Terms{{1, 1, {{gradient_of(e->name), 1}}}} : Terms{};
        case Kind::sum: return of_sum(e);
        case Kind::negate: return each(of(e->children[0]), [](const Term& t) { return Algebra::negated(t); });
        case Kind::transpose:
            return each(of(e->children[0]), [&](const Term& t) { return a_.transposed(t, a_.axes(e->children[0])); });
        case Kind::product: return of_product(e);
        case Kind::power: {
            const Term exponent = array(e->children[1]);
            if (!of(e->children[1]).empty() || !exponent.powers.empty()) no_rule("no tangent yet for {}", text_of(*e));
            const Term slope =
                a_.times(exponent, a_.power(array(e->children[0]), gradproof::one_less(exponent.up / exponent.down)));
            return each(of(e->children[0]), [&](const Term& t) { return a_.times(slope, t); });
        }
        case Kind::index: {
            if (of(e->children[0]).empty()) return {};
            if (e->children[0]->kind != Kind::name) no_rule("no tangent yet for {}", text_of(*e));
            return {{1, 1, {{entry(gradient_of(e->children[0]->name), {e->children.begin() + 1, e->children.end()}), 1}}}};
        }
        case Kind::reduce:
            if (e->name != "sum") no_rule("no tangent yet for {}", text_of(*e));
            {
                const Algebra& summands = a_.known().is_by_rows(*e->children[0]) ? a_ : entries_;
                return each(Tangents(summands, entries_).of(e->children[0]), [&](const Term& t) {
                    return Term{1, 1, {{with_children(*e, {summands.expression(t)}), 1}}};
                });
            }
        case Kind::call: return of_call(e);
        default: return {};
    }
}

std::vector<Term> Tangents::of_sum(const ExprPtr& e) const {
    Terms out;
    for (std::size_t i = 0; i < e->children.size(); ++i)
        for (const Term& t : of(e->children[i])) out.push_back(e->joints[i] == '-' ? Algebra::negated(t) : t);
    return out;
}

std::vector<Term> Tangents::of_product(const ExprPtr& e) const {
    Terms d = of(e->children[0]);
    for (std::size_t i = 1; i < e->children.size(); ++i) {
        const ExprPtr left = first_factors(*e, i), right = e->children[i];
        const ExprPtr whole = i + 1 == e->children.size() ? e : first_factors(*e, i + 1);
        const bool by_matrix = e->joints[i] == '@' && !a_.axes(left).empty() && !a_.axes(right).empty();
        const auto times = [&](const Term& a, const ExprPtr& of_a, const Term& b, const ExprPtr& of_b) {
            return by_matrix ? a_.product(a_.filled(a, a_.axes(of_a)), a_.filled(b, a_.axes(of_b))) : a_.times(a, b);
        };
        Terms next;
        for (const Term& t : d)
            next.push_back(e->joints[i] == '/' ? a_.divided(t, array(right)) : times(t, left, array(right), right));
        for (const Term& t : of(right))
            next.push_back(e->joints[i] == '/' ? Algebra::negated(a_.divided(a_.times(array(whole), t), array(right)))
                                               : times(array(left), left, t, right));
        d = std::move(next);
    }
    return d;
}

/// A linear call of one argument's tangent in its place.
std::vector<Term> Tangents::applied(const ExprPtr& e, const Terms& dx, std::size_t argument) const {
    Terms out;
    for (const Term& t : dx)
        out.push_back(a_.of_arrays(a_.filled(t, a_.axes(e->children[argument])),
                                   [&](const ExprPtr& array) { return with_child(*e, argument, array); }));
    return out;
}

std::vector<Term> Tangents::of_call(const ExprPtr& e) const {
    Terms out;
    if (e->name == "where" && e->children.size() == 3) {
        const Terms yes = of(e->children[1]), no = of(e->children[2]);
        if (yes.empty() && no.empty()) return {};
        return {{1, 1, {{where(e->children[0], a_.sum(yes), a_.sum(no)), 1}}}};
    }
    const Terms dx = e->children.empty() ? Terms{} : of(e->children[0]);
    if (const ExprPtr slope = simple_slope(a_, e, array(e))) {
        for (const Term& t : dx) out.push_back(a_.times(array(slope), t));
        return out;
    }
    if (e->name == "concat") {
        std::vector<ExprPtr> parts;
        bool moves = false;
        for (const ExprPtr& c : e->children) {
            const Terms d = of(c);
            moves = moves || !d.empty();
            parts.push_back(d.empty() ? call("zeros", ones(a_.known(), a_.axes(c))->children) : a_.sum(d));
        }
        return moves ? Terms{{1, 1, {{with_children(*e, parts), 1}}}} : Terms{};
    }
    const bool rows = e->name == "rowsum" || e->name == "rowmean", columns = e->name == "colsum" || e->name == "colmean";
    if (rows || columns) {
        const Axes of_x = a_.axes(e->children[0]);
        const std::size_t axis = of_x.size() - (rows ? 1 : 2);
        const Term count = e->name.ends_with("mean") ? a_.term(a_.known().size(of_x[axis])) : Algebra::number(1);
        for (const Term& t : dx) out.push_back(a_.divided(a_.summed(t, of_x, axis, true), count));
        return out;
    }
    if (std::ranges::find(kLinear, e->name) != kLinear.end()) {
        for (std::size_t i = 0; i < e->children.size(); ++i)
            for (const Term& t : applied(e, of(e->children[i]), i)) out.push_back(t);
        return out;
    }
    const bool constant = std::ranges::none_of(e->children, [&](const ExprPtr& c) { return !of(c).empty(); });
    if (constant || e->name == "step" || e->name == "sign" || e->name == "floor") return {};
    return along_axis(e, dx);
}

/// Softmax and its relatives, along the last axis.
std::vector<Term> Tangents::along_axis(const ExprPtr& e, const Terms& dx) const {
    const ExprPtr& x = e->children[0];
    const Axes of = a_.axes(x);
    const bool last = e->options.empty() ||
                      (e->name == "logsumexp" && of.size() == 2 && e->options.size() == 1 && is_number(*e->options[0].value, 1));
    if (!last || of.empty()) no_rule("no tangent yet for {}", text_of(*e));
    const bool keeps = e->name != "logsumexp" && of.size() > 1;
    const auto total = [&](const Term& t) { return of.size() == 1 ? a_.summed(t, of) : a_.summed(t, of, of.size() - 1, keeps); };
    const Term y = array(e), weights = array(call("softmax", {x})), d = a_.filled(a_.add(dx), of);
    if (e->name == "softmax") return {a_.times(y, a_.add({d, Algebra::negated(total(a_.times(y, d)))}))};
    if (e->name == "log_softmax") return {d, Algebra::negated(total(a_.times(weights, d)))};
    if (e->name == "logsumexp") return {total(a_.times(weights, d))};
    if (e->name == "rownorm" || (e->name == "norm" && of.size() == 1)) return {a_.divided(total(a_.times(array(x), d)), y)};
    if (e->name == "rowvar") {
        const Term distance = array(sum(x, '-', call("rowmean", {x})));
        const Term mean = a_.divided(total(a_.times(distance, d)), a_.term(a_.known().size(of.back())));
        return {a_.times(Algebra::number(2), mean)};
    }
    no_rule("no tangent yet for {}", e->name);
}

}  // namespace gradproof::proof
