// Branches and the sides of them that draws meet.
#include "gradproof/core/proof/evaluate/branches.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// What decides a call; nullptr where nothing does.
ExprPtr compared_in(const Expr& e) {
    if (e.kind != Kind::call) return nullptr;
    const std::size_t n = e.children.size();
    if (n == 1 && (e.name == "relu" || e.name == "abs" || e.name == "sign" || e.name == "step")) return e.children[0];
    if (n == 2 && (e.name == "max" || e.name == "min")) return sum(e.children[0], '-', e.children[1]);
    if (n == 1 && e.name == "sqrt") return e.children[0];
    if (n == 1 && (e.name == "norm" || e.name == "rownorm" || e.name == "colnorm")) return std::make_shared<Expr>(e);
    return n == 3 && e.name == "where" ? e.children[0] : nullptr;
}
Branch::By kind_of(const Expr& e) {
    if (e.name == "where") return Branch::By::mask;
    return e.name == "sqrt" || e.name.ends_with("norm") ? Branch::By::root : Branch::By::sign;
}

/// The values of an expression, entry by entry where it has indices.
Tensor<double> values_in(const Instance& draw, const Expr& e) {
    Evaluator<double> evaluator(draw.scope());
    const std::map<std::string, Index> sizes = evaluator.index_sizes(e, {});
    if (sizes.empty()) return evaluator.matrix(e).value();
    std::vector<std::string> indices;
    Shape shape;
    std::set<std::string> bound;
    for_each(e, [&](const Expr& part) { bound.insert(part.bound.begin(), part.bound.end()); });
    for (const auto& [index, size] : sizes)
        if (!bound.contains(index) && shape.rank() < kMaxRank) {
            indices.push_back(index);
            shape.push_back(size);
        }
    return evaluator.indexed(e, indices, shape).value();
}

}  // namespace

std::string Branch::text() const {
    if (seen()) return "";
    if (by == By::root)
        return fmt::format("{} has no derivative where {} is 0, which it is in a draw", text_of(*at), text_of(*compared));
    const char* side = by == By::mask ? (above == 0 ? "other than 0" : "equal to 0") : above == 0 ? "above 0" : "below 0";
    return fmt::format("{} was never met with {} {}: widen the inputs, or state values on both sides", text_of(*at),
                       text_of(*compared), side);
}
std::string Branch::counts() const {
    if (by == By::root) return "";
    const bool mask = by == By::mask;
    return fmt::format("{}: {} {}, {} {}", text_of(*at), above, mask ? "other than 0" : "above 0", below, mask ? "0" : "below");
}

Branches::Branches(const Proof& proof, const Plan& plan) : proof_(proof), plan_(plan) {
    for (const Assignment& a : proof.forward) collect(*a.value);
    for (const JudgedLine& line : proof.lines)
        if (!line.skipped && line.type != JudgedLine::Type::expect) collect(*line.right);
}

void Branches::collect(const Expr& e) {
    for_each(e, [&](const Expr& part) {
        const ExprPtr compared = compared_in(part);
        // Of a gradient: the sides follow from those of the values.
        if (!compared || contains(*compared, Kind::gradient) || contains(*compared, Kind::jacobian)) return;
        const std::set<std::string> names = names_in(*compared);
        const bool varies = std::any_of(names.begin(), names.end(), [&](const std::string& n) { return plan_.follows_input(n); });
        if (varies) branches_.push_back({.at = &part, .compared = compared, .by = kind_of(part)});
    });
}

bool Branches::see(const Instance& draw) {
    bool news = false;
    for (Branch& b : branches_) {
        const bool seen_above = b.above > 0, seen_below = b.below > 0;
        try {
            for (const double x : values_in(draw, *b.compared)) {
                if (b.by == Branch::By::mask ? x != 0 : x > 0) ++b.above;
                if (b.by == Branch::By::sign ? x <= 0 : x == 0) ++b.below;
            }
        } catch (const std::invalid_argument&) {  // no value apart from its line: what it says of its shapes is said there
            b.above = 1;
            b.below = b.by == Branch::By::root ? 0 : 1;
        }
        news = news || (b.above > 0) != seen_above || (b.below > 0) != seen_below;
    }
    return news;
}

bool Branches::all_seen() const {
    return std::all_of(branches_.begin(), branches_.end(),
                       [](const Branch& b) { return b.seen() || b.by == Branch::By::root; });  // no draw mends a root
}

const Branch* Branches::unseen_in(const Expr& e) const {
    for (const Branch& b : branches_)
        if (!b.seen() && any_part(e, [&](const Expr& part) { return &part == b.at; })) return &b;
    return nullptr;
}

const Branch* Branches::unseen_on(const JudgedLine& line) const {
    if (const Branch* b = unseen_in(*line.right)) return b;
    std::set<std::string> used, touched;
    for_each(*line.right, [&](const Expr& part) {
        if (part.kind == Kind::gradient) used.insert(part.name);
    });
    for_each(*line.left, [&](const Expr& part) {
        if (part.kind == Kind::gradient) touched.insert(part.name);
        if (part.kind == Kind::jacobian) touched.insert(part.other), used.insert(part.name);
    });
    for (const Assignment& a : proof_.forward) {
        const std::set<std::string> names = names_in(*a.value);
        if (std::none_of(names.begin(), names.end(), [&](const std::string& n) { return touched.contains(n); })) continue;
        if (const Branch* b = unseen_in(*a.value)) return b;
        if (!used.contains(a.name)) touched.insert(a.name);
    }
    return nullptr;
}

}  // namespace gradproof::proof
