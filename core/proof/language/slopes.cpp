// Symbolic derivatives of elementwise expressions.
#include "gradproof/core/proof/language/slopes.hpp"

#include "gradproof/core/proof/language/any_function.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

ExprPtr power(const ExprPtr& base, double exponent) {
    if (exponent == 1) return base;
    return power_of(base, number(exponent));
}

/// a ⊙ b, without factors of 1; 0 where one of them is.
ExprPtr times(const ExprPtr& a, const ExprPtr& b) {
    if (is_number(*a, 0) || is_number(*b, 0)) return number(0);
    if (is_number(*a, 1)) return b;
    if (is_number(*b, 1)) return a;
    return product(a, a->kind == Kind::number || b->kind == Kind::number ? '@' : '*', b);
}

ExprPtr plus(const ExprPtr& a, char sign, const ExprPtr& b) {
    if (is_number(*b, 0)) return a;
    if (is_number(*a, 0)) return sign == '-' ? negate(b) : b;
    return sum(a, sign, b);
}

class Slope {
  public:
    Slope(const std::string& x, const std::function<bool(const Expr&)>& is_scalar) : x_(x), is_scalar_(is_scalar) {}

    ExprPtr of(const Expr& e) const {
        if (!mentions(e, x_)) return number(0);
        switch (e.kind) {
            case Kind::name: return number(1);
            case Kind::sum: return of_sum(e);
            case Kind::negate: return scaled(e.children[0], [](const ExprPtr& d) { return negate(d); });
            case Kind::product: return of_product(e);
            case Kind::power: return of_power(e);
            case Kind::call: return of_call(e);
            default: return nullptr;
        }
    }

  private:
    template <class F>
    ExprPtr scaled(const ExprPtr& e, F f) const {
        const ExprPtr d = of(*e);
        return d ? f(d) : nullptr;
    }

    ExprPtr of_sum(const Expr& e) const {
        ExprPtr out = number(0);
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            const ExprPtr d = of(*e.children[i]);
            if (!d) return nullptr;
            out = plus(out, e.joints[i], d);
        }
        return out;
    }

    ExprPtr of_product(const Expr& e) const {
        ExprPtr left = e.children[0], d = of(*left);
        for (std::size_t i = 1; d && i < e.children.size(); ++i) {
            const ExprPtr& c = e.children[i];
            const ExprPtr dc = of(*c);
            if (!dc || (e.joints[i] == '@' && !is_scalar_(*left) && !is_scalar_(*c))) return nullptr;
            if (e.joints[i] == '/') {
                const ExprPtr first = is_number(*d, 0) ? d : product(d, '/', c);
                d = plus(first, '-', is_number(*dc, 0) ? dc : product(times(left, dc), '/', power(c, 2)));
            } else {
                d = plus(times(d, c), '+', times(left, dc));
            }
            left = product(left, e.joints[i], c);
        }
        return d;
    }

    ExprPtr of_power(const Expr& e) const {
        if (e.children[1]->kind != Kind::number) return nullptr;
        const double n = e.children[1]->number;
        return scaled(e.children[0],
                      [&](const ExprPtr& d) { return times(times(number(n), power(e.children[0], gradproof::one_less(n))), d); });
    }

    /// Away from where they change, conditions and steps stay as they are.
    ExprPtr of_cases(const Expr& e) const {
        if (e.name == "step" || e.name == "sign") return number(0);
        const bool where = e.name == "where" && e.children.size() == 3;
        if (!where && !((e.name == "max" || e.name == "min") && e.children.size() == 2)) return nullptr;
        const ExprPtr a = of(*e.children[where ? 1 : 0]), b = of(*e.children[where ? 2 : 1]);
        if (!a || !b) return nullptr;
        const ExprPtr first = where             ? e.children[0]
                              : e.name == "max" ? call("step", {sum(e.children[0], '-', e.children[1])})
                                                : call("step", {sum(e.children[1], '-', e.children[0])});
        return call("where", {first, a, b});
    }

    ExprPtr of_call(const Expr& e) const {
        if (!e.options.empty()) return nullptr;
        if (const ExprPtr cases = of_cases(e)) return cases;
        if (e.children.size() != 1) return nullptr;
        const ExprPtr outer = slope_of_call(e, call(e.name, {e.children[0]}));
        return outer ? scaled(e.children[0], [&](const ExprPtr& d) { return times(outer, d); }) : nullptr;
    }

    const std::string& x_;
    const std::function<bool(const Expr&)>& is_scalar_;
};

}  // namespace

ExprPtr slope_of_call(const Expr& e, const ExprPtr& y) {
    if (e.children.size() != 1 || !e.options.empty()) return nullptr;
    const ExprPtr x = e.children[0];
    const auto density = [&](double scale) { return call("exp", {negate(product(power(x, 2), '/', number(scale)))}); };
    if (is_any_function(e.name)) return call(e.name + "'", {x});
    if (e.name == "tanh") return one_minus(power(y, 2));
    if (e.name == "sigmoid" || e.name == "σ") return product(y, '*', one_minus(y));
    if (e.name == "relu") return call("step", {x});
    if (e.name == "exp") return y;
    if (e.name == "log") return product(number(1), '/', x);
    if (e.name == "sqrt") return product(number(1), '/', product(number(2), '@', y));
    if (e.name == "sin") return call("cos", {x});
    if (e.name == "cos") return negate(call("sin", {x}));
    if (e.name == "softplus") return call("sigmoid", {x});
    if (e.name == "erf") return product(product(number(2), '@', density(1)), '/', call("sqrt", {name("pi")}));
    if (e.name == "abs") return call("sign", {x});
    if (e.name == "silu")
        return product(call("sigmoid", {x}), '*', sum(number(1), '+', product(x, '*', one_minus(call("sigmoid", {x})))));
    if (e.name == "gelu") {
        const ExprPtr below =
            product(sum(number(1), '+', call("erf", {product(x, '/', call("sqrt", {number(2)}))})), '/', number(2));
        return sum(below, '+', product(x, '*', product(density(2), '/', call("sqrt", {product(number(2), '@', name("pi"))}))));
    }
    return nullptr;
}

ExprPtr slope(const Expr& e, const std::string& x, const std::function<bool(const Expr&)>& is_scalar) {
    return Slope(x, is_scalar).of(e);
}

}  // namespace gradproof::proof
