// The branches of a proof: what decides a function, and where it stands.
#include "gradproof/core/proof/evaluate/branches.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gradproof/core/proof/evaluate/ranges.hpp"
#include "gradproof/core/proof/language/any_function.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"
#include "gradproof/core/proof/language/slopes.hpp"

namespace gradproof::proof {
namespace {

/// x^2, x^4: its root is |x|.
bool is_even_power(const Expr& e) {
    return e.kind == Kind::power && e.children[1]->kind == Kind::number && std::fmod(e.children[1]->number, 2) == 0;
}
/// 0.5, -1/2.
bool is_fraction(const Expr& e) {
    if (e.kind == Kind::number) return std::fmod(e.number, 1) != 0;
    if (e.kind == Kind::negate) return is_fraction(*e.children[0]);
    if (e.kind != Kind::product || e.children.size() != 2 || e.joints[1] != '/') return false;
    const std::optional<double> up = signed_number(*e.children[0]), down = signed_number(*e.children[1]);
    return up && down && std::fmod(*up, *down) != 0;
}
/// u^0.5, whose base is no power itself, is a root, and (u^2)^0.5 is |u|.
bool is_root(const Expr& e) { return e.kind == Kind::power && is_fraction(*e.children[1]); }
/// 0^k, which is 1 where k is 0.
bool is_power_of_zero(const Expr& e) { return e.kind == Kind::power && is_number(*e.children[0], 0); }
/// norm([x]), which is |x|.
bool is_norm_of_one(const Expr& e) {
    if (e.kind != Kind::call || e.name != "norm" || e.children.size() != 1) return false;
    return e.children[0]->kind == Kind::array && e.children[0]->children.size() == 1;
}
/// Of max([a, b, c]) what decides for each whether it is the largest, of max(concat(x, y)) from where it comes; empty for others.
std::vector<ExprPtr> compared_in_list(const Expr& e) {
    if ((e.name != "max" && e.name != "min") || e.children.size() != 1 || !e.options.empty()) return {};
    const Expr& of = *e.children[0];
    const bool joins = of.kind == Kind::call && of.name == "concat" && of.options.empty();
    if ((of.kind != Kind::array && !joins) || of.children.size() < 2) return {};
    const auto one = [&](const ExprPtr& x) { return joins ? call(e.name, {x}) : x; };
    const auto best_but = [&](std::size_t left_out) {
        std::vector<ExprPtr> others;
        for (std::size_t i = 0; i < of.children.size(); ++i)
            if (i != left_out) others.push_back(one(of.children[i]));
        return others.size() == 1 ? others[0] : call(e.name, {array_of(others)});
    };
    std::vector<ExprPtr> out;
    const std::size_t told = of.children.size() == 2 ? 1 : of.children.size();
    for (std::size_t i = 0; i < told; ++i) out.push_back(sum(one(of.children[i]), '-', best_but(i)));
    return out;
}
/// What decides a call; nullptr where nothing does.
ExprPtr compared_in(const Expr& e) {
    if (e.kind == Kind::delta) return sum(e.children[0], '-', e.children[1]);
    if (is_of_equality(e)) return e.children[0]->children[0];
    if (is_root(e)) return is_even_power(*e.children[0]) ? e.children[0]->children[0] : e.children[0];
    if (is_power_of_zero(e)) return e.children[1]->kind == Kind::number ? nullptr : e.children[1];
    if (e.kind != Kind::call) return nullptr;
    const std::size_t n = e.children.size();
    if (n == 1 && e.name == "log" && is_even_power(*e.children[0])) return e.children[0]->children[0];
    if (is_norm_of_one(e)) return e.children[0]->children[0];
    if (n == 1 && (e.name == "relu" || e.name == "abs" || e.name == "sign" || e.name == "step")) return e.children[0];
    if (n == 2 && (e.name == "max" || e.name == "min")) {
        if (e.children[0]->kind == Kind::number && e.children[1]->kind != Kind::number)  // m - d of max(0, m - d)
            return e.children[0]->number == 0 ? e.children[1] : sum(e.children[1], '-', e.children[0]);
        const ExprPtr& b = e.children[1];
        if (is_number(*b, 0)) return e.children[0];
        return b->kind == Kind::negate ? sum(e.children[0], '+', b->children[0]) : sum(e.children[0], '-', b);
    }
    if (n == 1 && e.name == "sqrt") return is_even_power(*e.children[0]) ? e.children[0]->children[0] : e.children[0];
    if (n == 1 && e.name == "floor") return e.children[0];
    if (n == 2 && e.name == "mod") return product(e.children[0], '/', e.children[1]);
    if (n == 1 && (e.name == "norm" || e.name == "rownorm" || e.name == "colnorm")) return std::make_shared<Expr>(e);
    return n == 3 && e.name == "where" ? e.children[0] : nullptr;
}
/// \|x\|^2, which has a derivative where x is 0.
bool is_squared_norm(const Expr& e) {
    if (!is_even_power(e) || e.children[1]->number <= 0 || e.children[0]->kind != Kind::call ||
        e.children[0]->children.size() != 1)
        return false;
    return e.children[0]->name == "norm" || e.children[0]->name == "rownorm" || e.children[0]->name == "colnorm";
}
constexpr auto kNeverNegative = std::to_array<std::string_view>(
    {"abs", "relu", "exp", "sqrt", "norm", "rownorm", "colnorm", "softmax", "sigmoid", "softplus"});
/// What a function folds where it touches 0 without crossing it: var([a, 60]) of a root, a power or a logarithm of it, and det of
/// logdet, which changes its sign. nullptr of other functions and of norms.
ExprPtr folded_in(const Expr& e) {
    if (e.kind == Kind::power && e.children[1]->kind != Kind::number && !is_power_of_zero(e)) return e.children[0];
    if (is_root(e)) return e.children[0];
    if (e.kind != Kind::call || e.children.size() != 1) return nullptr;
    if (e.name == "logdet") return call("det", e.children);
    return e.name == "sqrt" || e.name == "log" ? e.children[0] : nullptr;
}
/// Whether it is never below 0, by the functions that make it.
bool is_never_negative(const Expr& e, const Proof& proof, int depth = 0) {
    constexpr int kDeep = 40;
    if (depth > kDeep) return false;
    const auto is = [&](const Expr& c) { return is_never_negative(c, proof, depth + 1); };
    const auto all = [&] { return std::all_of(e.children.begin(), e.children.end(), [&](const ExprPtr& c) { return is(*c); }); };
    switch (e.kind) {
        case Kind::number: return e.number >= 0;
        case Kind::sum: return std::none_of(e.joints.begin(), e.joints.end(), [](char j) { return j == '-'; }) && all();
        case Kind::product: return all();
        case Kind::name: {
            const Assignment* const a = proof.find(e.name);
            return a != nullptr && is(*a->value);
        }
        case Kind::power: return is(*e.children[0]) || is_even_power(e) || is_root(e);
        case Kind::index:
        case Kind::transpose:
        case Kind::reduce: return is(*e.children[0]);
        case Kind::call:
            if (e.name == "sum" || e.name == "mean" || e.name == "rowsum" || e.name == "colsum") return all();
            return std::find(kNeverNegative.begin(), kNeverNegative.end(), e.name) != kNeverNegative.end();
        default: return false;
    }
}
Branch::By kind_of(const Expr& e) {
    if (e.name == "where" || e.kind == Kind::delta || is_power_of_zero(e)) return Branch::By::mask;
    if (is_root(e)) return is_even_power(*e.children[0]) ? Branch::By::sign : Branch::By::root;
    if (is_norm_of_one(e)) return Branch::By::sign;
    if (e.name == "floor" || e.name == "mod") return Branch::By::whole;
    if (e.name == "sqrt" && e.children.size() == 1 && is_even_power(*e.children[0])) return Branch::By::sign;
    return e.name == "sqrt" || e.name.ends_with("norm") ? Branch::By::root : Branch::By::sign;
}

/// The slope of a curved function, or for one of whole rows a number that is 0 where one entry has all the weight; nullptr of what
/// is no such function.
ExprPtr slope_of_curve(const Expr& e) {
    if (e.kind != Kind::call || e.children.empty() || is_any_function(e.name)) return nullptr;
    if (is_of_rows(e)) {
        Expr weights = e;
        weights.name = "softmax";
        std::erase_if(weights.options, [](const Option& o) { return o.name != "axis" && o.name != "temperature"; });
        const ExprPtr w = make(std::move(weights));
        return product(w, '*', one_minus(w));
    }
    const ExprPtr slope = slope_of_call(e, make(e));
    return slope && slope->kind == Kind::call && (slope->name == "step" || slope->name == "sign") ? nullptr : slope;
}
bool has_one_side(Branch::By by, const Range& x) {
    if (by == Branch::By::whole) return std::ceil(x.high) - std::floor(x.low) <= 2;
    if (by == Branch::By::sign) return x.low >= 0 || x.high <= 0;
    return by == Branch::By::mask && (x.low > 0 || x.high < 0 || (x.low == 0 && x.high == 0));
}

}  // namespace

Branch condition_of(const JudgedLine& line) {
    return {.at = line.holds.get(),
            .compared = line.holds,
            .by = Branch::By::condition,
            .whole = line.holds.get(),
            .left = line.left.get()};
}

bool chooses_by_a_gradient(const Expr& part) {
    std::vector<ExprPtr> all = compared_in_list(part);
    if (all.empty()) all.push_back(compared_in(part));
    return kind_of(part) != Branch::By::root &&
           std::ranges::any_of(all, [](const ExprPtr& e) { return e && contains(*e, Kind::gradient); });
}

bool is_of_rows(const Expr& call) { return call.name.ends_with("softmax") || call.name == "logsumexp"; }

Branches::Branches(const Proof& proof, const Plan& plan, What what) : proof_(proof), plan_(plan), what_(what) {
    if (what == What::curves) {
        for (const Assignment& a : proof.forward) collect_curves(*a.value);
        for (const JudgedLine& line : proof.lines)
            if (line.is_judged() && line.type != JudgedLine::Type::expect) collect_curves(*line.right, line.left.get());
        return;
    }
    for (const Assignment& a : proof.forward) collect(*a.value, nullptr, &a.extents);
    for (const JudgedLine& line : proof.lines)
        if (line.is_judged() && line.type != JudgedLine::Type::expect) {
            collect(*line.left);
            collect(*line.right, line.left.get());
            if (line.holds) {
                const Branch::Of of = what_decides(*line.holds);
                branches_.push_back(condition_of(line));
                branches_.back().of = of;
            }
        }
}

bool Branches::is_value(const std::string& name) const {
    return proof_.find(name) != nullptr ||
           std::any_of(proof_.given.begin(), proof_.given.end(), [&](const Given& g) { return g.name == name; });
}

/// Whether all its entries are whole numbers, by what it is made of.
bool Branches::is_whole(const Expr& e, int depth) const {
    constexpr int kDeep = 40;
    constexpr auto kWholes = std::to_array<std::string_view>({"floor", "sign", "step", "argmax", "axis_size", "onehot"});
    constexpr auto kOfWholes =
        std::to_array<std::string_view>({"relu", "abs", "max", "min", "sum", "rowsum", "colsum", "mod", "where"});
    const auto all = [&](std::size_t first = 0) {
        return depth < kDeep && std::all_of(e.children.begin() + static_cast<std::ptrdiff_t>(first), e.children.end(),
                                            [&](const ExprPtr& c) { return is_whole(*c, depth + 1); });
    };
    switch (e.kind) {
        case Kind::number: return std::fmod(e.number, 1) == 0;
        case Kind::delta: return true;
        case Kind::name: {
            if (const Assignment* const a = proof_.find(e.name)) return depth < kDeep && is_whole(*a->value, depth + 1);
            const auto given = std::ranges::find(proof_.given, e.name, &Given::name);
            if (given != proof_.given.end())
                return given->fill == Fill::index || given->fill == Fill::onehot || given->fill == Fill::binary;
            return e.name != "pi" && e.name != "π" && e.name != "e";
        }
        case Kind::sum:
        case Kind::negate: return all();
        case Kind::product: return std::ranges::none_of(e.joints, [](char j) { return j == '/'; }) && all();
        case Kind::power: return e.children[1]->kind == Kind::number && e.children[1]->number >= 0 && all();
        case Kind::index:
        case Kind::transpose: return depth < kDeep && is_whole(*e.children[0], depth + 1);
        case Kind::reduce: return e.name != "mean" && depth < kDeep && is_whole(*e.children[0], depth + 1);
        case Kind::call: {
            const auto is = [&](const auto& some) { return std::ranges::find(some, e.name) != some.end(); };
            return is(kWholes) || (is(kOfWholes) && all(e.name == "where" ? 1 : 0));
        }
        default: return false;
    }
}

/// Whether a size that is drawn or follows from one, or an index that runs over one, is among the names.
bool Branches::follows_drawn_size(const std::set<std::string>& names) const {
    const auto follows = [&](const std::string& n) {
        const auto dim = std::ranges::find(proof_.dims, n, &Dim::name);
        if (dim != proof_.dims.end()) return !dim->value || follows_drawn_size(names_in(*dim->value));
        return !is_value(n) && n != "pi" && n != "π" && n != "e" && n != "inf";
    };
    return std::ranges::any_of(proof_.dims, [](const Dim& d) { return !d.value; }) && std::ranges::any_of(names, follows);
}

/// f(1) of a function that may be any: another one may choose the other side. `seen`: names that were looked at.
bool Branches::follows_any_function(const Expr& e, std::set<std::string>& seen) const {
    return any_part(e, [&](const Expr& part) {
        if (part.kind == Kind::call) return is_any_function(part.name);
        const Assignment* const a = part.kind == Kind::name && seen.insert(part.name).second ? proof_.find(part.name) : nullptr;
        return a != nullptr && follows_any_function(*a->value, seen);
    });
}

Branch::Of Branches::what_decides(const Expr& e) const {
    using enum Branch::Of;
    const std::set<std::string> names = names_in(e);
    if (std::set<std::string> seen; !proof_.functions.empty() && follows_any_function(e, seen)) return drawn;
    const bool varies = std::ranges::any_of(names, [&](const std::string& n) { return plan_.follows_input(n); });
    if (varies || plan_.is_drawn(e)) return drawn;
    return follows_drawn_size(names) ? sizes : constants;
}

void Branches::collect(const Expr& e, const Expr* left, const std::vector<Option>* extents) {
    const std::function<void(const Expr&, const Branch&)> walk = [&](const Expr& part, Branch place) {
        collect_at(part, place);
        if (part.kind == Kind::helper && !part.bound.empty()) {
            place.helper = &part;
            place.extents = &part.options;
            place.left = nullptr;
        }
        if (is_of_equality(part)) return walk(*part.children[0]->children[0], place);
        if (is_squared_norm(part)) return walk(*part.children[0]->children[0], place);
        for (const ExprPtr& c : part.children) walk(*c, place);
        for (const Option& o : part.options) walk(*o.value, place);
    };
    walk(e, {.at = &e, .compared = nullptr, .whole = &e, .left = left, .extents = extents});
}

/// The branches that a part is; `place` says where it stands.
void Branches::collect_at(const Expr& part, const Branch& place) {
    const std::vector<ExprPtr> of_list = compared_in_list(part);
    for (const ExprPtr& compared : of_list) add(part, compared, kind_of(part), place);
    if (const ExprPtr compared = of_list.empty() ? compared_in(part) : nullptr) add(part, compared, kind_of(part), place);
    if (const ExprPtr factor = whole_factor_of(part)) add(part, factor, Branch::By::factor, place);
    if (const ExprPtr fold = folded_in(part)) add(part, fold, Branch::By::fold, place);
}

/// (a > 2) (b < 3): of thresholds all sides are looked for together, and some of them may exclude each other.
bool Branches::is_of_thresholds(const Expr& e) const {
    if (e.kind == Kind::number) return true;
    if (e.kind == Kind::call) return e.name == "step" && e.children.size() == 1 && !is_whole(*e.children[0]);
    const bool joins = e.kind == Kind::sum || e.kind == Kind::negate || e.kind == Kind::product;
    return joins && !is_of_equality(e) && std::ranges::all_of(e.children, [&](const ExprPtr& c) { return is_of_thresholds(*c); });
}

/// Of a product its factors that are whole numbers, as B_i (i = 2), and an equality of other numbers: where they are 0 in every
/// draw, nothing else of the product is seen. nullptr of what is neither.
ExprPtr Branches::whole_factor_of(const Expr& e) const {
    if (is_one_minus(e) && is_of_equality(*e.children[1]))
        return is_whole(*e.children[1]->children[0]->children[0]) ? nullptr : std::make_shared<Expr>(e);
    if (e.kind != Kind::product) return nullptr;
    ExprPtr out;
    std::size_t factors = 0;
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        const Expr& c = *e.children[i];
        if ((i > 0 && e.joints[i] == '/') || names_in(c).empty() || !is_whole(c)) continue;
        out = out ? product(out, e.joints[i] == '@' ? '@' : '*', e.children[i]) : e.children[i];
        ++factors;
    }
    return factors > 1 && !is_of_thresholds(*out) ? out : nullptr;
}

void Branches::add(const Expr& part, const ExprPtr& compared, Branch::By by, const Branch& place) {
    // Of a gradient: the sides follow from those of the values.
    if (contains(*compared, Kind::gradient) || contains(*compared, Kind::jacobian)) return;
    Branch b = place;
    b.at = &part;
    b.compared = compared;
    b.by = by;
    if (b.by == Branch::By::sign && !b.is_equality() && is_never_negative(*compared, proof_)) return;
    b.of = what_decides(*compared);
    b.of_wholes = b.is_equality() && (b.of == Branch::Of::sizes || is_whole(*compared));
    const bool decides =
        b.by == Branch::By::sign || b.by == Branch::By::whole || part.kind == Kind::delta || is_power_of_zero(part);
    if (b.of != Branch::Of::drawn && !decides) return;
    if (by == Branch::By::fold) return folds_.push_back(std::move(b));
    const Branch::By sides = b.is_equality() ? Branch::By::mask : b.by;
    b.by_domain = b.of == Branch::Of::drawn && has_one_side(sides, range_of(*compared, proof_));
    branches_.push_back(std::move(b));
}

/// Of what is drawn: numbers that are given may all lie where a function is flat.
void Branches::collect_curves(const Expr& e, const Expr* left) {
    for_each(e, [&](const Expr& part) {
        const ExprPtr slope = slope_of_curve(part);
        if (!slope || contains(*slope, Kind::gradient) || contains(*slope, Kind::jacobian) || !plan_.is_drawn(*slope)) return;
        if (what_decides(*slope) == Branch::Of::drawn)
            branches_.push_back({.at = &part, .compared = slope, .by = Branch::By::slope, .whole = &e, .left = left});
    });
}

}  // namespace gradproof::proof
