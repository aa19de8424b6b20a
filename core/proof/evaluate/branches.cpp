// Branches and the sides of them that draws meet.
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
/// What decides a call; nullptr where nothing does.
ExprPtr compared_in(const Expr& e) {
    if (e.kind == Kind::delta) return sum(e.children[0], '-', e.children[1]);
    if (is_of_equality(e)) return e.children[0]->children[0];
    if (e.kind != Kind::call) return nullptr;
    const std::size_t n = e.children.size();
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
constexpr auto kNeverNegative = std::to_array<std::string_view>(
    {"abs", "relu", "exp", "sqrt", "norm", "rownorm", "colnorm", "softmax", "sigmoid", "softplus"});

/// A sum of names and numbers.
bool is_linear(const Expr& e) {
    const bool sums = e.kind == Kind::sum || e.kind == Kind::negate;
    return e.kind == Kind::name || e.kind == Kind::number ||
           (sums && std::ranges::all_of(e.children, [](const ExprPtr& c) { return is_linear(*c); }));
}

/// Whether it is never below 0, by the functions that make it.
bool is_never_negative(const Expr& e) {
    const auto all = [&] {
        return std::all_of(e.children.begin(), e.children.end(), [](const ExprPtr& c) { return is_never_negative(*c); });
    };
    switch (e.kind) {
        case Kind::number: return e.number >= 0;
        case Kind::sum: return std::none_of(e.joints.begin(), e.joints.end(), [](char j) { return j == '-'; }) && all();
        case Kind::product: return all();
        case Kind::power: return is_never_negative(*e.children[0]) || is_even_power(e);
        case Kind::index:
        case Kind::transpose:
        case Kind::reduce: return is_never_negative(*e.children[0]);
        case Kind::call:
            if (e.name == "sum" || e.name == "mean" || e.name == "rowsum" || e.name == "colsum") return all();
            return std::find(kNeverNegative.begin(), kNeverNegative.end(), e.name) != kNeverNegative.end();
        default: return false;
    }
}
Branch::By kind_of(const Expr& e) {
    if (e.name == "where" || e.kind == Kind::delta) return Branch::By::mask;
    if (e.name == "floor" || e.name == "mod") return Branch::By::whole;
    if (e.name == "sqrt" && e.children.size() == 1 && is_even_power(*e.children[0])) return Branch::By::sign;
    return e.name == "sqrt" || e.name.ends_with("norm") ? Branch::By::root : Branch::By::sign;
}

/// The values of what is compared, entry by entry where it has indices.
template <class T>
Tensor<T> values_in(const Scope<T>& outside, const Branch& b) {
    const Expr &e = *b.compared, &whole = b.helper != nullptr ? *b.helper->children[0] : *b.whole;
    const bool uses_itself = b.helper != nullptr && mentions(whole, b.helper->name);
    Scope<T> with_helper;
    if (uses_itself) {
        with_helper = outside;
        with_helper.values.insert_or_assign(b.helper->name, Evaluator<T>(outside).matrix(*b.helper));
    }
    const Scope<T>& scope = uses_itself ? with_helper : outside;
    Evaluator<T> evaluator(scope);
    // How far indices run may take gradients of the line to know, which take a while.
    const std::set<std::string> free = free_names_in(e);
    std::set<std::string> summed;
    for_each(whole, [&](const Expr& part) { summed.insert(part.bound.begin(), part.bound.end()); });
    const auto is_known = [&](const std::string& n) {
        return scope.values.contains(n) || (scope.sizes.contains(n) && !summed.contains(n));
    };
    if (std::ranges::all_of(free, is_known)) return evaluator.matrix(e).value();
    std::map<std::string, Index> sizes;
    if (b.extents != nullptr)
        for (const Option& o : *b.extents) sizes.emplace(o.name, evaluator.index_value(*o.value));
    if (b.left != nullptr) sizes = evaluator.index_sizes(*b.left, sizes);
    if (b.left != nullptr)  // what a sum on the left binds is free again
        for_each(*b.left, [&](const Expr& part) {
            for (const std::string& index : part.bound) sizes.erase(index);
        });
    sizes = evaluator.index_sizes(whole, sizes);
    try {  // of a letter that several sums bind, the size that it has here
        for (const auto& [index, size] : evaluator.index_sizes(e, {})) sizes.insert_or_assign(index, size);
    } catch (const EvaluationError&) {  // only the whole says how far an index runs
    }
    std::vector<std::string> indices;
    Shape shape;
    std::set<std::string> bound, used;
    for_each(e, [&](const Expr& part) {
        bound.insert(part.bound.begin(), part.bound.end());
        if (part.kind == Kind::name) used.insert(part.name);
    });
    for (const auto& [index, size] : sizes)
        if (used.contains(index) && !bound.contains(index) && shape.rank() < kMaxRank) {
            indices.push_back(index);
            shape.push_back(size);
        }
    return indices.empty() ? evaluator.matrix(e).value() : evaluator.indexed(e, indices, shape).value();
}

/// How far it is from where the side changes, and what constants of few digits, which are taken as exact, and rounding do to it.
struct Off {
    double by, rounding;
};
Off off_the_edge(const Bounded<double>& x, Branch::By by) {
    constexpr double kSlack = 4;
    return {std::abs(x.value - (by == Branch::By::whole ? std::round(x.value) : 0)), kSlack * x.error};
}
/// Whether the true value may lie on the other side. Where doubles meet the edge itself, it is taken for met.
bool is_decided_by_rounding(const Bounded<double>& x, Branch::By by) {
    const Off off = off_the_edge(x, by);
    return off.by > 0 && off.by <= off.rounding;
}
Branch condition_of(const JudgedLine& line) {
    return {.at = line.holds.get(),
            .compared = line.holds,
            .by = Branch::By::condition,
            .whole = line.holds.get(),
            .left = line.left.get()};
}
bool is_of_rows(const Expr& call) { return call.name.ends_with("softmax") || call.name == "logsumexp"; }

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
/// Whether a slope or a whole part is the first that was seen.
bool is_first(const Branch& b, double side) {
    constexpr double kAlike = 1e-10;
    return b.by == Branch::By::slope ? std::abs(side - b.first) <= kAlike * std::max(1.0, std::abs(b.first)) : side == b.first;
}
bool compares_with_first(const Branch& b) { return b.by == Branch::By::whole || b.by == Branch::By::slope; }
bool has_one_side(Branch::By by, const Range& x) {
    if (by == Branch::By::whole) return std::ceil(x.high) - std::floor(x.low) <= 2;
    if (by == Branch::By::sign) return x.low >= 0 || x.high <= 0;
    return by == Branch::By::mask && (x.low > 0 || x.high < 0 || (x.low == 0 && x.high == 0));
}
bool has_edge(const Branch& b) { return b.by == Branch::By::sign || b.by == Branch::By::whole; }

}  // namespace

std::vector<double> values_compared(const Instance& draw, const Branch& branch) {
    const Tensor<double> values = values_in(draw.scope(), branch);
    return {values.begin(), values.end()};
}

std::vector<Bounded<double>> bounded_values_compared(Instance& draw, const Branch& branch) {
    std::vector<Bounded<double>> out;
    for (const Tracked& x : values_in(draw.derivatives().scope(), branch)) out.push_back(x.value);
    return out;
}

bool is_claimed_in(const Instance& draw, const JudgedLine& line) {
    if (!line.holds) return true;
    try {
        return std::ranges::any_of(values_compared(draw, condition_of(line)), [](double v) { return v != 0; });
    } catch (const std::invalid_argument&) {  // what it says of its shapes is said where it is judged
        return true;
    }
}

std::vector<double> sides_met(const Instance& draw, const Branch& branch) {
    std::vector<double> sides;
    for (const double x : values_compared(draw, branch)) {
        if (std::isnan(x) || branch.by == Branch::By::whole)
            sides.push_back(std::floor(x));
        else if (branch.by == Branch::By::slope)
            sides.push_back(x);
        else if (branch.is_equality())
            sides.push_back((x > 0) - (x < 0));
        else
            sides.push_back(branch.by == Branch::By::sign ? x > 0 : x != 0);
    }
    return sides;
}

bool Branch::is_equality() const { return by == By::sign && at->kind == Kind::sum; }
bool Branch::met() const {
    if (is_equality() && equal > 0 && above + below > equal) return true;
    if (is_equality() && of == Of::sizes) return false;  // whole numbers may pass from one sign to the other and be equal
    if (by == By::whole) return above > 0 && below > 0 && (third > 0 || by_domain || has_two_parts_by_size());
    return above > 0 && (below > 0 || by == By::condition);
}

bool Branch::sure() const {
    if (by_rounding > 0) return false;
    if (by == By::root) return below == 0;
    if (by == By::whole && of == Of::sizes) return above > 0 && below > 0;  // larger ones were tried
    return met() || (by_domain && by != By::whole) || (of == Of::constants && by != By::condition) || is_never_met();
}
bool Branch::has_two_parts_by_size() const {
    if (at->name != "mod" || at->children[1]->kind == Kind::number) return false;
    return of == Of::sizes || at->children[1]->name == "axis_size";
}
bool Branch::is_never_met() const {
    constexpr int kTell = 15;  // more than those of the usual sizes
    // An entry stands where the sides meet; a sum up to i = n of entries 0 to n - 1 has none there.
    return of == Of::sizes && by == By::sign && !met() && above + below > 0 && looked_at >= kTell && always_so &&
           nearest == (above == 0 ? 0 : 1) && is_linear(*compared);
}
void Branch::look(const std::vector<double>& values) {
    const auto [least, largest] = std::ranges::minmax_element(values);
    if (by != By::sign || met() || values.empty()) return;
    const double here = above == 0 ? *largest : *least;
    always_so = always_so && (looked_at++ == 0 || here == nearest);
    nearest = here;
}
std::string Branch::text() const {
    if (sure()) return "";
    const char* const advice = of == Of::sizes ? ": state larger sizes" : ": widen the inputs, or state values on both sides";
    if (by == By::condition)
        return fmt::format("it holds nowhere in the draws, the condition behind it is never met{}",
                           of == Of::constants ? ""
                           : of == Of::sizes   ? advice
                                               : ": state inputs that meet it");
    if (by_rounding > 0)
        return fmt::format("rounding decides on which side of {} {} lies: state numbers that are further apart", text_of(*at),
                           text_of(*compared));
    if (by == By::slope)
        return fmt::format(
            "{} is saturated in every draw, its slope is the same everywhere, and another line could agree as well: "
            "shift or scale the inputs, or state smaller constants",
            text_of(*at));
    if (by == By::root)
        return fmt::format("{} has no derivative where {} is 0, which it is in a draw: keep it away from 0, as with + 1e-6",
                           text_of(*at), text_of(*compared));
    std::string side = above == 0 ? "above 0" : "below 0";
    if (by == By::mask) side = above == 0 ? "other than 0" : "equal to 0";
    if (is_equality()) side = equal > 0 ? "other than 0" : "equal to 0";
    if (by == By::whole) side = fmt::format("outside of {} to {}", first, first + 1);
    if (by == By::whole && above > 0)
        side = second == first + 1   ? fmt::format("outside of {} to {}", first, second + 1)
               : first == second + 1 ? fmt::format("outside of {} to {}", second, first + 1)
                                     : fmt::format("{} and of {} to {}", side, second, second + 1);
    return fmt::format("{} was never met with {} {}{}", name(), text_of(*compared), side, advice);
}
std::string Branch::name() const {
    if (!is_equality()) return text_of(*at);
    const auto [a, b] = parts_compared(compared);
    return text_of(*a) + " == " + text_of(*b);
}
std::string Branch::counts() const {
    if (by == By::root || by == By::condition || by == By::slope || of == Of::constants || (of == Of::sizes && by != By::sign))
        return "";
    const std::string call = name();
    if (is_equality()) return fmt::format("{}: {} equal, {} not", call, equal, above + below - equal);
    if (by == By::whole) return fmt::format("{}: {} from {} to {}, {} outside", call, below, first, first + 1, above);
    const bool mask = by == By::mask;
    return fmt::format("{}: {} {}, {} {}{}", call, above, mask ? "nonzero" : "above 0", below, mask ? "zero" : "below 0",
                       by_domain && !met() ? ", as declared" : "");
}

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

/// Whether a size that is drawn, or an index that runs over one, is among the names.
bool Branches::follows_drawn_size(const std::set<std::string>& names) const {
    const auto drawn = [&](const Dim& d) { return !d.value; };
    return std::any_of(proof_.dims.begin(), proof_.dims.end(), drawn) &&
           std::any_of(names.begin(), names.end(), [&](const std::string& n) {
               const auto dim = std::find_if(proof_.dims.begin(), proof_.dims.end(), [&](const Dim& d) { return d.name == n; });
               return dim != proof_.dims.end() ? drawn(*dim) : !is_value(n) && n != "pi" && n != "π" && n != "e" && n != "inf";
           });
}

Branch::Of Branches::what_decides(const Expr& e) const {
    using enum Branch::Of;
    const std::set<std::string> names = names_in(e);
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
        for (const ExprPtr& c : part.children) walk(*c, place);
        for (const Option& o : part.options) walk(*o.value, place);
    };
    walk(e, {.at = &e, .compared = nullptr, .whole = &e, .left = left, .extents = extents});
}

/// The branch that a part is, if it is one; `place` says where it stands.
void Branches::collect_at(const Expr& part, const Branch& place) {
    const ExprPtr compared = compared_in(part);
    // Of a gradient: the sides follow from those of the values.
    if (!compared || contains(*compared, Kind::gradient) || contains(*compared, Kind::jacobian)) return;
    Branch b = place;
    b.at = &part;
    b.compared = compared;
    b.by = kind_of(part);
    if (b.by == Branch::By::sign && !b.is_equality() && is_never_negative(*compared)) return;
    b.of = what_decides(*compared);
    const bool decides = b.by == Branch::By::sign || b.by == Branch::By::whole || part.kind == Kind::delta;
    if (b.of != Branch::Of::drawn && !decides) return;
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

namespace {
std::vector<double> values_or_none(const Instance& draw, const Branch& b) {
    try {
        return values_compared(draw, b);
    } catch (const std::invalid_argument&) {  // no value apart from its line
        return {};
    }
}
}  // namespace

bool Branches::see(Instance& draw, Keep keep) {
    std::vector<Branch> seen = branches_;
    bool news = false, vague = false;
    for (Branch& b : seen) {
        const Branch before = b;
        try {
            const std::vector<double> sides = sides_met(draw, b);
            // The weights of a row are as its size wants them: they are compared within a draw.
            if (!sides.empty() && b.by == Branch::By::slope && is_of_rows(*b.at)) b.first = sides.front();
            for (const double side : sides) {
                if (compares_with_first(b) && b.below == 0) b.first = side;
                const bool below = compares_with_first(b) ? is_first(b, side) : side <= 0;
                if (!below && b.above == 0) b.second = side;
                b.third += !below && side != b.second && !std::isnan(side);
                if (!std::isnan(side)) ++(below ? b.below : b.above);
                b.equal += b.is_equality() && side == 0;
            }
            if (has_edge(b))
                for (const Bounded<double>& x : bounded_values_compared(draw, b))
                    b.by_rounding += is_decided_by_rounding(x, b.by);
        } catch (const std::invalid_argument&) {  // no value apart from its line: what it says of its shapes is said there
            b.above = 1;
            b.below = b.by == Branch::By::root ? 0 : 1;
            b.third = 1;
        }
        news = news || (b.above > 0) != (before.above > 0) || (b.below > 0) != (before.below > 0) || b.met() != before.met();
        vague = vague || b.by_rounding != before.by_rounding;
    }
    const bool kept = keep == Keep::always || (news && !vague);
    if (kept) branches_ = std::move(seen);
    for (Branch& b : branches_)
        if (b.of == Branch::Of::sizes && b.by == Branch::By::sign && !b.met()) b.look(values_or_none(draw, b));
    return kept;
}

bool Branches::any_by_rounding(Instance& draw, std::optional<Branch::By> of) const {
    const auto decides = [&](const Branch& b) {
        const std::vector<Bounded<double>> values = bounded_values_compared(draw, b);
        return std::ranges::any_of(values, [&](const Bounded<double>& x) {
            const Off off = off_the_edge(x, b.by);
            return off.rounding > 0 && off.by <= off.rounding;
        });
    };
    return std::ranges::any_of(branches_, [&](const Branch& b) {
        try {
            return has_edge(b) && (!of || b.by == *of) && decides(b);
        } catch (const std::invalid_argument&) {  // no value apart from its line
            return false;
        }
    });
}

std::set<std::set<std::string>> Branches::asks_for_draws() const {
    std::set<std::set<std::string>> out;
    for (const Branch& b : branches_) {
        if (b.met() || b.by_domain || b.by == Branch::By::root || b.of != Branch::Of::drawn) continue;
        const std::set<std::string> names = names_in(*b.compared);
        std::set<std::string> inputs;
        for (const Given& g : proof_.given)
            if (std::ranges::any_of(names, [&](const std::string& n) { return n == g.name || plan_.reaches(g.name, n); }))
                inputs.insert(g.name);
        for (auto g = proof_.given.rbegin(); g != proof_.given.rend(); ++g)  // c = 2 b
            if (g->value && inputs.contains(g->name)) inputs.merge(names_in(*g->value));
        out.insert(std::move(inputs));
    }
    return out;
}

bool Branches::asks_for_larger_sizes() const {
    return std::any_of(branches_.begin(), branches_.end(), [](const Branch& b) {
        const bool of_sizes = b.of == Branch::Of::sizes || b.by == Branch::By::condition;
        return of_sizes && b.of != Branch::Of::constants && !b.met() && !b.is_never_met();
    });
}

bool Branches::follow_sizes(const Instance& a, const Instance& b) const {
    return std::ranges::any_of(branches_, [&](const Branch& branch) {
        const bool of_sizes = branch.of == Branch::Of::sizes || branch.by == Branch::By::condition;
        return of_sizes && values_or_none(a, branch) != values_or_none(b, branch);
    });
}

const Branch* Branches::unsure_in(const Expr& e) const {
    for (const Branch& b : branches_)
        if (!b.sure() && any_part(e, [&](const Expr& part) { return &part == b.at; })) return &b;
    return nullptr;
}

/// In what makes those values, as far as it is not made of `held` ones.
const Branch* Branches::unsure_above(std::set<std::string> names, const std::set<std::string>& held) const {
    for (std::size_t before = 0; before != names.size();) {  // within a block, earlier ones use later ones
        before = names.size();
        for (auto a = proof_.forward.rbegin(); a != proof_.forward.rend(); ++a) {
            if (!names.contains(a->name) || held.contains(a->name)) continue;
            if (const Branch* b = unsure_in(*a->value)) return b;
            names.merge(names_in(*a->value));
        }
    }
    return nullptr;
}

const Branch* Branches::unmet_condition_of(const JudgedLine& line) const {
    const auto b = std::ranges::find_if(branches_, [&](const Branch& x) { return x.at == line.holds.get(); });
    return line.holds && b != branches_.end() && !b->met() ? &*b : nullptr;
}

const Branch* Branches::unsure_on(const JudgedLine& line) const {
    for (const ExprPtr& side : {line.right, line.left})
        if (const Branch* b = unsure_in(*side)) return b;
    std::set<std::string> ends, touched;
    if (!proof_.forward.empty()) ends.insert(proof_.forward.back().name);
    for_each(*line.left, [&](const Expr& part) {
        if (part.kind == Kind::jacobian) ends = {part.name};
        if (part.kind == Kind::gradient || part.kind == Kind::jacobian)
            touched.insert(part.kind == Kind::jacobian ? part.other : part.name);
    });
    const std::set<std::string> of = touched;
    std::set<std::string> used = ends;
    for_each(*line.right, [&](const Expr& part) {
        if (part.kind == Kind::gradient) used.insert(part.name);
    });
    // The values that the truth is made of: those on the left, and those on the way of the gradient.
    std::set<std::string> values = names_in(*line.left);
    for (std::size_t before = 0; before != touched.size();) {  // within a block, earlier ones use later ones
        before = touched.size();
        for (const Assignment& a : proof_.forward) {
            const std::set<std::string> names = names_in(*a.value);
            if (std::none_of(names.begin(), names.end(), [&](const std::string& n) { return touched.contains(n); })) continue;
            const bool on_the_way = std::any_of(
                used.begin(), used.end(), [&](const std::string& end) { return end == a.name || plan_.reaches(a.name, end); });
            if (!on_the_way) continue;
            if (const Branch* b = unsure_in(*a.value)) return b;
            values.insert(names.begin(), names.end());
            if (!used.contains(a.name)) touched.insert(a.name);
        }
    }
    // What a gradient is of may not matter itself, unless the line tells it by what it is made of.
    const std::set<std::string> named = names_in(*line.right);
    for (const std::string& x : of)
        if (what_ == What::sides &&
            std::none_of(named.begin(), named.end(), [&](const std::string& n) { return is_value(n) && plan_.reaches(n, x); }))
            values.erase(x);
    return unsure_above(std::move(values), named);
}

}  // namespace gradproof::proof
