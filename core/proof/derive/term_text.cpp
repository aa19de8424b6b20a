// A term as it is written: numbers first, then what the forward is made of, then what it is divided by.
#include <algorithm>
#include <cmath>

#include "gradproof/core/proof/derive/term.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// What stands on one side of the fraction.
struct Side {
    std::vector<ExprPtr> numbers, arrays;
    std::vector<ExprPtr> under_root;  ///< plain numbers
};

ExprPtr joined(std::vector<ExprPtr> children, std::string joints) {
    if (children.size() == 1) return children[0];
    Expr e = node(Kind::product, std::move(children));
    e.joints = std::move(joints);
    return make(std::move(e));
}

/// All of a side in one product; nullptr where nothing stands there.
ExprPtr product_of(Side side) {
    if (!side.under_root.empty()) {
        std::stable_partition(side.under_root.begin(), side.under_root.end(),
                              [](const ExprPtr& e) { return e->kind == Kind::number; });
        const ExprPtr inside = joined(side.under_root, std::string(side.under_root.size(), '@'));
        side.numbers.push_back(call("sqrt", {inside}));
    }
    std::vector<ExprPtr> children = side.numbers;
    std::string joints(children.size(), '@');
    if (side.arrays.size() == 1 && is_chain(*side.arrays[0]) && !children.empty()) {
        for (const ExprPtr& c : side.arrays[0]->children) children.push_back(c), joints.push_back('@');
        return joined(std::move(children), std::move(joints));
    }
    for (std::size_t i = 0; i < side.arrays.size(); ++i) {
        joints.push_back(i == 0 ? '@' : '*');
        children.push_back(side.arrays[i]);
    }
    if (children.empty()) return nullptr;
    return joined(std::move(children), std::move(joints));
}

ExprPtr negated_first(const ExprPtr& e) {
    if (e->kind != Kind::product) return negate(e);
    return with_child(*e, 0, negated_first(e->children[0]));
}

}  // namespace

bool is_chain(const Expr& e) {
    return e.kind == Kind::product && std::all_of(e.joints.begin() + 1, e.joints.end(), [](char j) { return j == '@'; });
}

/// A sum over an axis divided by how many there are is the mean.
Term Algebra::with_means(Term t) const {
    for (PowerOf& p : t.powers) {
        const bool sums = p.base->kind == Kind::call && p.base->name.ends_with("sum") && p.exponent == 1;
        if (!sums || by_entries_) continue;
        const Axes of = axes(p.base->children[0]);
        const std::string& name = p.base->name;
        if (of.empty() || (name == "sum" && (of.size() != 1 || !p.base->options.empty()))) continue;
        const AxisSize& axis = name == "colsum" ? of[of.size() - 2] : of.back();
        const auto size = std::ranges::find_if(t.powers, [&](const PowerOf& q) {
            return q.exponent == -1 && known_.is_plain(*q.base) && text_of(*q.base) == text_of(*known_.size(axis));
        });
        if (size == t.powers.end()) continue;
        p.base = call(name.substr(0, name.size() - 3) + "mean", p.base->children);
        t.powers.erase(size);
        return with_means(std::move(t));
    }
    return t;
}

ExprPtr Algebra::expression(const Term& given) const {
    Term t = with_means(given);
    for (std::size_t i = 0; i < t.powers.size(); ++i) {
        const Expr& e = *t.powers[i].base;
        const bool masks = e.kind == Kind::call && e.name == "where" && e.children.size() == 3 && t.powers[i].exponent == 1 &&
                           is_number(*e.children[2], 0) && is_number(*e.children[1], 1);
        if (!masks || t.powers.size() == 1) continue;
        const ExprPtr condition = e.children[0];
        t.powers.erase(t.powers.begin() + static_cast<std::ptrdiff_t>(i));
        return where(condition, expression(t), proof::number(0));
    }
    Side up, down;
    const auto put = [&](const ExprPtr& base, double exponent) {
        Side& side = exponent > 0 ? up : down;
        const double whole = std::floor(std::abs(exponent)), part = std::abs(exponent) - whole;
        const bool is_number = axes(base).empty();
        std::vector<ExprPtr>& to = is_number ? side.numbers : side.arrays;
        if (part != 0 && part != 0.5) {
            to.push_back(power_of(base, proof::number(std::abs(exponent))));
            return;
        }
        if (whole > 0) to.push_back(whole == 1 ? base : power_of(base, proof::number(whole)));
        if (part == 0) return;
        if (known_.is_plain(*base) && base->kind != Kind::sum)
            side.under_root.push_back(base);
        else
            to.push_back(call("sqrt", {base}));
    };
    if (std::abs(t.up) != 1) up.numbers.push_back(proof::number(std::abs(t.up)));
    if (t.down != 1) down.numbers.push_back(proof::number(t.down));
    for (const PowerOf& p : t.powers) put(p.base, p.exponent);
    ExprPtr out = product_of(up);
    if (!out) out = proof::number(1);
    if (t.up < 0) out = negated_first(out);
    const ExprPtr below = product_of(down);
    return below ? proof::product(out, '/', below) : out;
}

ExprPtr ones(const Known& known, const Axes& axes) {
    std::vector<ExprPtr> sizes;
    for (const AxisSize& a : axes) sizes.push_back(known.size(a));
    return call("ones", std::move(sizes));
}

ExprPtr reshaped(const Known& known, const ExprPtr& x, const Axes& to) {
    std::vector<ExprPtr> sizes;
    for (const AxisSize& a : to) sizes.push_back(a == kSizeOne ? number(1) : known.size(a));
    return call("reshape", x, std::vector<Option>{{"shape", array_of(std::move(sizes)), {}}});
}

ExprPtr where(const ExprPtr& condition, const ExprPtr& yes, const ExprPtr& no) { return call("where", {condition, yes, no}); }

ExprPtr axis_option(ExprPtr call, double axis, bool keep) {
    Expr e = *call;
    e.options.push_back({"axis", axis < 0 ? negate(proof::number(-axis)) : proof::number(axis), {}});
    if (keep) e.options.push_back(keep_option());
    return make(std::move(e));
}

}  // namespace gradproof::proof
