// Diagnosis: constants that are missing, too much or wrong.
#include <cmath>
#include <limits>
#include <numbers>

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

std::vector<Constant> forward_scalars(const Search& s) {
    std::vector<Constant> out;
    std::set<std::string> known;
    for (const Assignment& a : s.claim.proof().forward)
        for (const Place& p : places(a.value)) {
            const Expr& e = *p.node;
            if (e.kind == Kind::name || !s.is_scalar(e) || !known.insert(text_of(e)).second) continue;
            try {
                out.push_back({p.node, Evaluator<double>(s.claim.draw(0).scope()).matrix(e).value()[0]});
            } catch (const std::invalid_argument&) {
                continue;  // an index among the names
            }
        }
    return out;
}

std::vector<Constant> constants(const Search& s, bool products) {
    std::vector<Constant> out, sizes;
    const auto add = [&](const ExprPtr& e, double v) {
        if (v != 0 && std::isfinite(v)) out.push_back({e, v});
    };
    const auto root = [](const ExprPtr& e) { return call("sqrt", {e}); };
    const auto& scope = s.claim.draw(0).scope();
    for (const auto& [n, v] : scope.sizes) sizes.push_back({name(n), static_cast<double>(v)});
    for (const auto& [n, v] : scope.values)
        if (v.shape().empty()) sizes.push_back({name(n), v.value()[0]});
    for (const double v : {2.0, 3.0, 4.0}) add(number(v), v);
    for (const auto& [e, v] : forward_scalars(s))
        if (e->kind != Kind::negate) add(e, v);  // what it is the minus of is there too
    for (const auto& [e, v] : sizes) {
        add(e, v);
        add(root(e), std::sqrt(v));
    }
    for (const auto& [e, v] : sizes) add(squared(e), v * v);
    if (products)
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const auto& [a, x] = sizes[i];
            add(product(number(2), '@', a), 2 * x);
            for (std::size_t j = i + 1; j < sizes.size(); ++j) {
                const auto& [b, y] = sizes[j];
                add(product(a, '@', b), x * y);
                add(root(product(a, '@', b)), std::sqrt(x * y));
                add(product(a, '/', b), x / y);
                add(product(b, '/', a), y / x);
            }
        }
    add(call("log", {number(2)}), std::log(2.0));
    add(root(number(2)), std::sqrt(2.0));
    add(name("pi"), std::numbers::pi);
    add(root(name("pi")), std::sqrt(std::numbers::pi));
    add(root(product(number(2), '@', name("pi"))), std::sqrt(2 * std::numbers::pi));
    return out;
}

namespace {

ExprPtr scaled(const ExprPtr& e, const Constant& c, bool divide) {
    return divide ? product(e, '/', c.expression) : product(c.expression, '@', e);
}

/// Whether the i-th factor of a product stands in its numerator alone: x in x / y does not.
bool may_be_left_out(const Expr& n, std::size_t i) { return i > 0 || n.joints[1] != '/'; }

/// A repair that mends a factor which is there, if one does, else the given one, else none.
ExprPtr nicer(Search& s, const ExprPtr& otherwise) {
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        std::vector<ExprPtr> mended;
        for (std::size_t i = 0; n.kind == Kind::product && i < n.children.size(); ++i) {
            if (!s.is_scalar(*n.children[i])) continue;
            if (may_be_left_out(n, i)) mended.push_back(without(n, i));
            if (may_be_left_out(n, i) && n.children[i]->kind != Kind::product)  // x / (1 / y) is no repair
                mended.push_back(product(without(n, i), '/', n.children[i]));
            if (i > 0) mended.push_back(with_joint(n, i, n.joints[i] == '/' ? '@' : '/'));
            mended.push_back(with_child(n, i, call("sqrt", {n.children[i]})));
            if (const Expr& f = *n.children[i]; f.kind == Kind::power && f.children[1]->kind == Kind::number)
                for (const double k : {f.children[1]->number - 1, f.children[1]->number + 1})
                    mended.push_back(with_child(n, i, k == 1 ? f.children[0] : with_child(f, 1, number(k))));
            if (i == 1 && n.joints[1] == '/' && is_number(*n.children[0], 1))
                mended.push_back(without(*with_joint(n, 1, '@'), 0));
        }
        if (n.kind == Kind::call && n.name == "sqrt" && n.children.size() == 1 && s.is_scalar(n)) mended.push_back(n.children[0]);
        for (const ExprPtr& e : mended)
            if (const ExprPtr whole = p.with(e); s.mends(whole)) return whole;
    }
    return s.mends(otherwise) ? otherwise : nullptr;
}

}  // namespace

void factor(Search& s) {
    const std::optional<double> ratio = constant_ratio(s.sides[0]);
    if (!ratio) return;
    for (const bool inverse : {false, true})
        for (const Constant& c : constants(s, true)) {
            const double value = inverse ? 1 / c.value : c.value;
            if (std::abs(std::abs(*ratio) - std::abs(value)) > 1e-8 * std::abs(value)) continue;
            const bool negative = *ratio * value < 0;
            const ExprPtr plain = scaled(s.right, c, !inverse), repaired = negative ? negate(plain) : plain;
            if (!s.claim.holds(repaired)) continue;
            const bool is_product = c.expression->kind == Kind::product;
            const std::string text = text_of(*c.expression), over = is_product ? "1/(" + text + ")" : "1/" + text;
            const std::string written = (negative ? "-" : "") + (inverse ? over : text);
            const ExprPtr repair = nicer(s, repaired);
            if (!repair) continue;
            s.found(repair, "off by a factor of " + written, written);
        }
}

namespace {

/// "2/3", "-3"; "" of what is no simple fraction.
std::string as_fraction(double x) {
    constexpr int kMost = 12;
    for (int below = 1; below <= kMost; ++below) {
        const double above = std::round(x * below);
        if (above == 0 || std::abs(above) > kMost || std::abs(x * below - above) > 1e-9 * std::abs(above)) continue;
        return below == 1 ? fmt::format("{}", above) : fmt::format("{}/{}", above, below);
    }
    return "";
}

}  // namespace

void unnamed_factor(Search& s) {
    std::optional<double> common;
    for (const Sides& side : s.sides) {
        const std::optional<double> ratio = constant_ratio(side);
        if (!ratio || side.truth.size() < 2) return;  // of one number, every other is a multiple
        if (common && std::abs(*ratio - *common) > 1e-8 * std::abs(*common))
            common = std::numeric_limits<double>::quiet_NaN();
        else if (!common)
            common = ratio;
    }
    if (std::isnan(*common)) s.found(nullptr, "off by a factor that depends on the sizes or the values drawn");
    const ExprPtr repaired = product(s.right, '/', number(*common)), opposite = with_opposite_sign(s.right);
    if (!s.claim.holds(repaired)) return;  // small entries may be off by more than the large ones
    const std::string simple = as_fraction(*common);
    if (simple == "-1") s.found(Mistake::sign, s.mends(opposite) ? opposite : nullptr, "the sign is wrong");
    if (!simple.empty()) s.found(nullptr, "off by a factor of " + simple, simple);
    int digits = 6;  // or as many as it takes to tell it from 1
    if (const double off = std::abs(std::abs(*common) - 1); off > 0)
        digits = std::max(digits, 2 - static_cast<int>(std::floor(std::log10(off))));
    s.found(s.mends(repaired) ? repaired : nullptr, fmt::format("off by a factor of {:.{}g}", *common, digits),
            fmt::format("{:.{}g}", *common, digits));
}

/// A constant that is missing, too much or wrong in one part of the line.
void factors_inside(Search& s) {
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        const Mistake mistake = factor_mistake(p);
        if (n.kind == Kind::number)
            for (const double v : {n.number + 1, n.number - 1, 2 * n.number, n.number / 2})
                s.tries(mistake, p.with(number(v)), "{} where {:g} belongs", n.name, v);
        for (std::size_t i = 0; n.kind == Kind::product && i < n.children.size(); ++i) {
            const ExprPtr& f = n.children[i];
            if (i > 0)
                s.tries(mistake,
                        p.with(with_joint(n, i,
                                          n.joints[i] != '/' ? '/'
                                          : s.is_scalar(*f)  ? '@'
                                                             : '*')),
                        "{} on the wrong side of the fraction", f);
            if (may_be_left_out(n, i)) s.tries(mistake, p.with(without(n, i)), "the factor {} does not belong there", f);
        }
    }
    // A factor of a product: scaling it is scaling the product, which was tried.
    constants_at(
        s, [&](const Place& p) { return p.node != s.right && (!p.is_factor || p.in_reduction || p.node->kind == Kind::sum); });
}

void wrong_scalars(Search& s) {
    const std::vector<Constant> known = constants(s, false);
    for (const Place& p : s.places)
        if (p.is_factor && s.is_scalar(*p.node))
            for (const Constant& c : known)
                s.tries(factor_mistake(p), p.with(c.expression), "{} where {} belongs", p.node, c.expression);
}

void row_term_constants(Search& s) { constants_at(s, in_row_term); }

void constants_at(Search& s, const std::function<bool(const Place&)>& chosen) {
    const std::vector<Constant> known = constants(s, false);
    for (const Place& p : s.places) {
        if (!chosen(p)) continue;
        for (const Constant& c : known) {
            s.tries(factor_mistake(p), p.with(scaled(p.node, c, true)), "{} is to be divided by {}", p.node, c.expression);
            s.tries(factor_mistake(p), p.with(scaled(p.node, c, false)), "{} lacks the factor {}", p.node, c.expression);
        }
    }
}

bool in_row_term(const Place& p) { return p.in_row_term || (p.is_term && has_reduction(*p.node)); }
Mistake factor_mistake(const Place& p) { return in_row_term(p) ? Mistake::wrong_row_term : Mistake::factor; }

}  // namespace gradproof::proof
