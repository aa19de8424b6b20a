// Diagnosis: constants that are missing, too much or wrong.
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {
namespace {

/// The ratio of the two sides of a line where it is the same at every entry of a draw.
std::optional<double> constant_ratio(const Sides& s) {
    if (!(s.claimed.shape() == s.truth.shape())) return std::nullopt;
    double largest = 0, ratio = 0;
    for (Index i = 0; i < s.truth.size(); ++i)
        if (std::abs(s.truth[i]) > largest) {
            largest = std::abs(s.truth[i]);
            ratio = s.claimed[i] / s.truth[i];
        }
    if (largest == 0 || ratio == 0 || !std::isfinite(ratio)) return std::nullopt;
    Tensor<double> scaled = s.truth.clone();
    for (double& t : scaled) t *= ratio;
    const check::Comparison c = check::compare(s.claimed, scaled, {.relative = 1e-9, .scale = std::abs(ratio) * largest});
    if (!c.right() || c.skipped > 0) return std::nullopt;
    return ratio;
}

}  // namespace

std::vector<Constant> RepairSearch::constants(bool products) const {
    std::vector<Constant> out;
    const auto add = [&](const ExprPtr& e, double v) {
        if (v != 0 && std::isfinite(v)) out.push_back({e, v});
    };
    const auto root = [](const ExprPtr& e) { return call("sqrt", {e}); };
    std::vector<Constant> sizes;
    const auto& scope = claim_.draw(0).scope();
    for (const auto& [n, v] : scope.sizes) sizes.push_back({name(n), static_cast<double>(v)});
    for (const auto& [n, v] : scope.values)
        if (v.shape().empty()) sizes.push_back({name(n), v.value()[0]});
    for (const double v : {2.0, 3.0, 4.0}) add(number(v), v);
    for (const Constant& c : forward_scalars()) add(c.expression, c.value);
    for (const Constant& s : sizes) {
        add(s.expression, s.value);
        add(root(s.expression), std::sqrt(s.value));
    }
    for (const Constant& s : sizes) {
        Expr square;
        square.kind = Kind::power;
        square.children = {s.expression, number(2)};
        add(make(std::move(square)), s.value * s.value);
    }
    if (products)
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            add(product(number(2), '@', sizes[i].expression), 2 * sizes[i].value);
            for (std::size_t j = i + 1; j < sizes.size(); ++j) {
                add(product(sizes[i].expression, '@', sizes[j].expression), sizes[i].value * sizes[j].value);
                add(root(product(sizes[i].expression, '@', sizes[j].expression)), std::sqrt(sizes[i].value * sizes[j].value));
                add(product(sizes[i].expression, '/', sizes[j].expression), sizes[i].value / sizes[j].value);
                add(product(sizes[j].expression, '/', sizes[i].expression), sizes[j].value / sizes[i].value);
            }
        }
    add(call("log", {number(2)}), std::log(2.0));
    add(root(number(2)), std::sqrt(2.0));
    add(name("pi"), std::numbers::pi);
    add(root(name("pi")), std::sqrt(std::numbers::pi));
    add(root(product(number(2), '@', name("pi"))), std::sqrt(2 * std::numbers::pi));
    return out;
}

std::vector<Constant> RepairSearch::forward_scalars() const {
    std::vector<Constant> out;
    std::set<std::string> known;
    for (const Assignment& a : claim_.proof().forward)
        for (const Place& p : places(a.value)) {
            const Expr& e = *p.node;
            if (e.kind == Kind::name || !is_scalar(e) || !known.insert(text_of(e)).second) continue;
            try {
                out.push_back({p.node, Evaluator<double>(claim_.draw(0).scope()).matrix(e).value()[0]});
            } catch (const std::invalid_argument&) {
                continue;  // an index among the names
            }
        }
    return out;
}

ExprPtr RepairSearch::scaled(const ExprPtr& e, const Constant& c, bool divide) {
    return divide ? product(e, '/', c.expression) : product(c.expression, '@', e);
}

bool RepairSearch::factor() {
    if (sides_.empty()) return false;
    const std::optional<double> ratio = constant_ratio(sides_[0]);
    if (!ratio) return false;
    for (const bool inverse : {false, true})
        for (const Constant& c : constants(true)) {
            const double value = inverse ? 1 / c.value : c.value;
            if (std::abs(std::abs(*ratio) - std::abs(value)) > 1e-8 * std::abs(value)) continue;
            const ExprPtr plain = scaled(right_, c, !inverse);
            const bool negative = *ratio * value < 0;
            const ExprPtr repaired = negative ? negate(plain) : plain;
            if (!claim_.holds(repaired)) continue;
            const std::string written = inverse ? "1/" + bracketed(*c.expression) : text_of(*c.expression);
            found_.factor = (negative ? "-" : "") + written;
            const bool number_itself = c.expression->kind == Kind::number && !inverse;
            return report("factor",
                          fmt::format("off by the constant {:.4g}{}", *ratio, number_itself ? "" : " = " + found_.factor),
                          nicer(repaired));
        }
    return false;
}

std::string RepairSearch::bracketed(const Expr& e) { return e.kind == Kind::product ? "(" + text_of(e) + ")" : text_of(e); }

ExprPtr RepairSearch::nicer(const ExprPtr& otherwise) {
    for (const Place& p : places_) {
        const Expr& n = *p.node;
        if (n.kind == Kind::product)
            for (std::size_t i = 0; i < n.children.size(); ++i) {
                if (!is_scalar(*n.children[i])) continue;
                if (i > 0 || n.joints[1] != '/') {
                    const ExprPtr e = p.with(without(n, i));
                    if (claim_.holds(e)) return e;
                }
                if (i > 0) {
                    const ExprPtr e = p.with(with_joint(n, i, n.joints[i] == '/' ? '@' : '/'));
                    if (claim_.holds(e)) return e;
                }
                const ExprPtr root = p.with(with_child(n, i, call("sqrt", {n.children[i]})));
                if (claim_.holds(root)) return root;
            }
        if (n.kind == Kind::call && n.name == "sqrt" && is_scalar(n))
            if (const ExprPtr e = p.with(n.children[0]); claim_.holds(e)) return e;
    }
    return otherwise;
}

bool RepairSearch::unnamed_factor() {
    std::optional<double> common;
    for (const Sides& s : sides_) {
        const std::optional<double> ratio = constant_ratio(s);
        if (!ratio) return false;
        if (common && std::abs(*ratio - *common) > 1e-8 * std::abs(*common))
            common = std::numeric_limits<double>::quiet_NaN();
        else if (!common)
            common = ratio;
    }
    if (!common) return false;
    if (std::isnan(*common)) return report("factor", "off by a constant that depends on the sizes or the values drawn", nullptr);
    found_.factor = fmt::format("{:.6g}", *common);
    return report("factor", fmt::format("off by the constant {:.6g}", *common), product(right_, '/', number(*common)));
}

bool RepairSearch::factors_inside() {
    for (const Place& p : places_) {
        const Expr& n = *p.node;
        if (n.kind == Kind::number)
            for (const double v : {n.number + 1, n.number - 1, 2 * n.number, n.number / 2})
                if (try_change(kind_inside(p), fmt::format("{} where {:g} belongs", n.name, v), p.with(number(v)))) return true;
        if (n.kind == Kind::power && n.children[1]->kind == Kind::number)
            for (const double v :
                 {n.children[1]->number + 1, n.children[1]->number - 1, -n.children[1]->number, n.children[1]->number / 2})
                if (try_change("factor", fmt::format("the exponent {} is wrong", text_of(*n.children[1])),
                               p.with(with_child(n, 1, number(v)))))
                    return true;
        if (n.kind == Kind::product)
            for (std::size_t i = 0; i < n.children.size(); ++i) {
                if (i > 0 &&
                    try_change(kind_inside(p), fmt::format("{} on the wrong side of the fraction", text_of(*n.children[i])),
                               p.with(with_joint(n, i, n.joints[i] == '/' ? (is_scalar(*n.children[i]) ? '@' : '*') : '/'))))
                    return true;
                if ((i > 0 || n.joints[1] != '/') &&
                    try_change(kind_inside(p), fmt::format("the factor {} is too much", text_of(*n.children[i])),
                               p.with(without(n, i))))
                    return true;
            }
    }
    // A factor of a product: scaling it is scaling the product, which was tried.
    return constants_at(
        [this](const Place& p) { return p.node != right_ && (!p.is_factor || p.in_reduction || p.node->kind == Kind::sum); });
}

bool RepairSearch::wrong_scalars() {
    const std::vector<Constant> known = constants(false);
    for (const Place& p : places_) {
        if (!p.is_factor || !is_scalar(*p.node)) continue;
        for (const Constant& c : known)
            if (try_change(kind_inside(p), fmt::format("{} where {} belongs", text_of(*p.node), text_of(*c.expression)),
                           p.with(c.expression)))
                return true;
    }
    return false;
}

bool RepairSearch::row_term_constants() { return constants_at(in_row_term); }

bool RepairSearch::constants_at(const std::function<bool(const Place&)>& chosen) {
    const std::vector<Constant> known = constants(false);
    for (const Place& p : places_) {
        if (!chosen(p)) continue;
        for (const Constant& c : known)
            for (const bool divide : {true, false})
                if (try_change(kind_inside(p),
                               fmt::format("{} {} {}", text_of(*p.node), divide ? "is to be divided by" : "lacks the factor",
                                           text_of(*c.expression)),
                               p.with(scaled(p.node, c, divide))))
                    return true;
    }
    return false;
}

const char* RepairSearch::kind_inside(const Place& p) const { return in_row_term(p) ? "wrong_row_term" : "factor"; }

bool RepairSearch::has_reduction(const Expr& e) {
    bool found = false;
    for_each(e, [&](const Expr& part) { found = found || is_reduction(part); });
    return found;
}

}  // namespace gradproof::proof
