// Shapes of what functions give.
#include <algorithm>
#include <optional>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/shape_rules.hpp"

namespace gradproof::proof {

ShapeSeen ShapeRules::square(const ShapeSeen& x) {
    if (!x.is_known) return x;
    if (x.axes.empty()) {
        unlikely(kNumberForArray);
    } else {
        if (x.axes.size() != 2) throw Misfit{};
        join(x.axes[0], x.axes[1]);
    }
    return x;
}

/// L of L L^T, which has an inverse: as a square matrix it has.
void ShapeRules::give_full_rank(const Expr& e) {
    const Assignment* const value = e.kind == Kind::name ? proof_->find(e.name) : nullptr;
    const Expr& of = value && value->indices.empty() ? *value->value : e;
    if (of.kind != Kind::product || of.joints != "@@" || of.children.size() != 2) return;
    const auto inside = [](const Expr& c) -> const Expr& { return c.kind == Kind::transpose ? *c.children[0] : c; };
    const Expr &a = inside(*of.children[0]), &b = inside(*of.children[1]);
    if (a.kind != Kind::name || b.kind != Kind::name || a.name != b.name) return;
    const ShapeSeen factor = this->of(a);
    if (factor.is_known && factor.axes.size() == 2 && sizes_.name(factor.axes[0]) != sizes_.name(factor.axes[1]) &&
        !sizes_.name(factor.axes[0]).empty() && !sizes_.name(factor.axes[1]).empty())
        return;
    if (factor.is_known && factor.axes.size() == 2) join(factor.axes[0], factor.axes[1]);
}

/// A sum and the like, of all or along an axis.
ShapeSeen ShapeRules::of_along(const Expr& e, const ShapeSeen& x) {
    if (!x.is_known) return x;
    if (x.axes.empty()) unlikely(kNumberForArray);
    const bool rows = e.name.starts_with("row"), columns = e.name.starts_with("col");
    const Option* const axis = find_option(e, "axis");
    ShapeSeen out;
    if (!rows && !columns && axis == nullptr) {
        if (!x.axes.empty()) out.summed = x.axes[0];
        return out;
    }
    const std::optional<double> said = axis ? signed_number(*axis->value) : std::optional(rows ? -1.0 : -2.0);
    const double at = !said ? -1 : *said < 0 ? *said + static_cast<double>(x.axes.size()) : *said;
    if (at < 0 || at >= static_cast<double>(x.axes.size())) throw Misfit{};
    out = x;
    const auto here = static_cast<std::ptrdiff_t>(at);
    out.summed = x.axes[static_cast<std::size_t>(here)];
    if (find_option(e, "keep") != nullptr || rows || columns)
        out.axes[static_cast<std::size_t>(here)] = one_;
    else
        out.axes.erase(out.axes.begin() + here);
    return out;
}

ShapeSeen ShapeRules::of_array(const Expr& e) {
    ShapeSeen out;
    for (const ExprPtr& c : e.children) out = together(out, of(*c), 0);
    out.axes.insert(out.axes.begin(), sizes_.named(std::to_string(e.children.size())));
    return out;
}

/// Of i - j > 0, as in a sum over j \le i: positions of one sequence.
void ShapeRules::compare_indices(const Expr& difference) {
    if (difference.kind != Kind::sum || difference.children.size() != 2) return;
    const auto a = letters_.find(difference.children[0]->name), b = letters_.find(difference.children[1]->name);
    if (a != letters_.end() && b != letters_.end()) sizes_.join(a->second, b->second);
}

/// Of |a| read as a determinant: bars are of a number, too.
bool ShapeRules::stands_in_bars(const Expr& e) const {
    return proof_->source->slice(e.span).find("det") == std::string_view::npos;
}

ShapeSeen ShapeRules::of_call(const Expr& e) {
    const auto is = [&](std::initializer_list<std::string_view> names) { return std::ranges::count(names, e.name) > 0; };
    const bool one = e.children.size() == 1;
    if (is_unsized_identity(e)) {
        const int n = sizes_.fresh();
        return {{n, n}};
    }
    if (is_unsized_ones(e)) return {{sizes_.fresh()}, rows_};
    if (is({"eye", "ones", "zeros"})) {
        ShapeSeen out;
        for (const ExprPtr& c : e.children) out.axes.push_back(size(*c));
        if (e.name == "eye" && one) out.axes.push_back(out.axes[0]);
        out.is_row = rows_ && out.axes.size() == 1;
        return out;
    }
    if (e.name == "step" && one) compare_indices(*e.children[0]);
    std::vector<ShapeSeen> of_each;
    for (const ExprPtr& c : e.children) of_each.push_back(of(*c));
    if (of_each.empty()) return ShapeSeen::unknown();
    const ShapeSeen& x = of_each[0];
    if (one && is({"det", "logdet"}) && x.is_known && x.axes.empty() && stands_in_bars(e)) return x;
    if (one && is({"det", "logdet", "inverse"})) give_full_rank(*e.children[0]);
    if (one && is({"trace", "det", "logdet"})) return square(x), ShapeSeen{};
    if (one && is({"inverse", "cholesky"})) return square(x);
    if (one && is({"sum", "mean", "var", "norm", "logsumexp", "rowsum", "rowmean", "rowmax", "rowvar", "rownorm", "colsum",
                   "colmean", "colmax", "colvar", "colnorm"}))
        return of_along(e, x);
    if (one && is({"max", "min"}) && x.is_known && !x.axes.empty()) return of_along(e, x);
    if (one && is({"softmax", "log_softmax", "cumsum", "cumprod"})) {
        if (x.is_known && x.axes.empty()) throw Misfit{};
        return x;
    }
    if (one && e.name == "diag" && x.is_known) {
        if (x.axes.size() == 2) return square(x), ShapeSeen{{x.axes[0]}};
        if (x.axes.size() != 1) throw Misfit{};
        return {{x.axes[0], x.axes[0]}};
    }
    if (e.name == "outer" && of_each.size() == 2 && x.axes.size() == 1 && of_each[1].axes.size() == 1)
        return {{x.axes[0], of_each[1].axes[0]}};
    if (e.name.starts_with("any ") && x.is_known && !x.axes.empty()) unlikely(kAnyByEntry);
    const bool alike = is_elementwise(e.name) || e.name == "where" || e.name.starts_with("any ");
    if (!alike) return ShapeSeen::unknown();
    ShapeSeen out = x;
    for (std::size_t i = 1; i < of_each.size(); ++i) out = together(out, of_each[i], 0);
    out.summed = -1;
    return out;
}

}  // namespace gradproof::proof
