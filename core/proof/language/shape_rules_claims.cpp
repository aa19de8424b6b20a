// What claims show of shapes.
#include <algorithm>
#include <utility>

#include "gradproof/core/proof/language/shape_rules.hpp"

namespace gradproof::proof {

double ShapeRules::see_claims() {
    sizes_.freeze();
    double out = 0;
    for (const JudgedLine& line : proof_->lines)
        if (line.is_judged() && (line.type == JudgedLine::Type::claim || line.type == JudgedLine::Type::jacobian))
            out += claim(line);
    return out + take_cost();
}

double ShapeRules::claim(const JudgedLine& line) {
    constexpr double kOtherShape = 1.5;
    letters_.clear();
    try {
        const std::optional<ShapeSeen> expected = shape_claimed(*line.left);
        if (!expected) return 0;
        ++claims_;
        const ShapeSeen right = of(*line.right);
        if (!right.is_known) return 0;
        if (right.axes.size() != expected->axes.size()) throw Misfit{};
        if (line.type == JudgedLine::Type::jacobian) return 0;  // it may lie by the numerator or by the denominator
        for (std::size_t i = 0; i < right.axes.size(); ++i) join(right.axes[i], expected->axes[i]);
        return 0;
    } catch (const Misfit&) {
        ++misfits_;
        return kOtherShape;
    }
}

/// Of the gradient or derivative on the left of a claim, at an entry or a row as its indices say; nothing of other left sides.
std::optional<ShapeSeen> ShapeRules::shape_claimed(const Expr& left) {
    const bool entries = left.kind == Kind::index;
    const Expr& of = entries ? *left.children[0] : left;
    const bool derivative = of.kind == Kind::jacobian && of.options.empty();
    if (of.kind != Kind::gradient && !derivative) return std::nullopt;
    const ShapeSeen value = derivative ? of_name(of.name) : ShapeSeen{}, by = of_name(derivative ? of.other : of.name);
    if (!value.is_known || !by.is_known) return std::nullopt;
    const std::size_t split = derivative ? of.split : 0;
    ShapeSeen out;
    const auto add = [&](const ShapeSeen& x, const std::vector<ExprPtr>& at, std::size_t begin, std::size_t end) {
        if (end - begin > x.axes.size()) throw Misfit{};
        for (std::size_t i = begin; i < end; ++i)
            if (at[i]->kind == Kind::name) letters_[at[i]->name] = x.axes[i - begin];
        out.axes.insert(out.axes.end(), x.axes.begin() + static_cast<std::ptrdiff_t>(end - begin), x.axes.end());
    };
    if (derivative) {
        add(value, of.children, 0, split);
        add(by, of.children, split, of.children.size());
        if (!entries) return out;
        const ShapeSeen whole = std::exchange(out, {});
        add(whole, left.children, 1, left.children.size());
        return out;
    }
    add(by, left.children, entries ? 1 : 0, entries ? left.children.size() : 0);
    return out;
}

}  // namespace gradproof::proof
