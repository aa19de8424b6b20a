// Where a line holds: what its indices run over, what stands beyond the last entry, and lines about the entry before.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/einstein.hpp"
#include "gradproof/core/proof/language/pairs.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof {
namespace {

/// Of a gradient or a name, with which of them it is.
std::string key_of(const Expr& array) { return (array.kind == Kind::gradient ? "∂" : "") + array.name; }

/// What an index of sizes and numbers adds to its size: 1 of T + 2 - 1. nullopt of others.
std::optional<double> beyond_size(const Expr& e, const std::set<std::string, std::less<>>& dims) {
    if (e.kind == Kind::name) return dims.contains(e.name) ? std::optional(0.0) : std::nullopt;
    if (e.kind != Kind::sum || e.joints[0] == '-') return std::nullopt;
    std::optional<double> out = beyond_size(*e.children[0], dims);
    for (std::size_t i = 1; out && i < e.children.size(); ++i) {
        if (e.children[i]->kind != Kind::number) return std::nullopt;
        *out += e.joints[i] == '-' ? -e.children[i]->number : e.children[i]->number;
    }
    return out;
}

/// t in the place of t + by, everywhere but where a sum binds a t of its own.
ExprPtr moved_index(const ExprPtr& e, const std::string& index, double by) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        const bool binds =
            part.kind == Kind::reduce && std::find(part.bound.begin(), part.bound.end(), index) != part.bound.end();
        if (binds) return std::make_shared<const Expr>(part);
        const std::optional<IndexStep> step = step_of(part);
        return step && step->index == index ? stepped(index, step->by - by) : nullptr;
    });
}

}  // namespace

/// ∂L/∂h[T] = 0 of an h with T entries: so it is in the lines after it.
bool Statements::states_end(const Equality& e) {
    const Expr& l = *e.left;
    const bool zero = is_number(*e.right, 0) && e.further.empty();
    if (!zero || l.kind != Kind::index || l.children.size() < 2) return false;
    const Expr& of = *l.children[0];
    if (of.kind != Kind::gradient && of.kind != Kind::name && of.kind != Kind::helper) return false;
    const std::optional<double> beyond = beyond_size(*l.children[1], names_.dims);
    const bool others_are_all = std::all_of(l.children.begin() + 2, l.children.end(),
                                            [](const ExprPtr& c) { return c->kind == Kind::slice || c->kind == Kind::name; });
    if (!beyond || *beyond < 0 || !others_are_all) return false;
    if (of.kind == Kind::gradient) check_names(of, {}, "a claim", true);
    ends_.insert(key_of(of));
    return true;
}

/// By its name, where a recurrence says it.
ExprPtr Statements::size_of_axis(const ExprPtr& array, int axis) const {
    const auto at = static_cast<std::size_t>(axis);
    if (const Assignment* a = proof_.find(array->name); a != nullptr && array->kind != Kind::helper && at < a->indices.size())
        for (const Option& o : a->extents)
            if (o.name == a->indices[at]) return o.value;
    const auto given = std::ranges::find(proof_.given, array->name, &Given::name);
    if (array->kind != Kind::helper && given != proof_.given.end() && at < given->shape.size()) return given->shape[at];
    const ExprPtr value = array->kind == Kind::gradient ? name(array->name) : array;
    return over_axis("axis_size", value, axis);
}

/// Entries beyond the last are 0 where that is said.
ExprPtr Statements::within_ends(const ExprPtr& e) const {
    if (ends_.empty()) return e;
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::index || !ends_.contains(key_of(*part.children[0]))) return nullptr;
        const std::optional<IndexStep> step = step_of(*part.children[1]);
        if (!step || step->by <= 0) return nullptr;
        const ExprPtr size = size_of_axis(part.children[0], 0);
        const ExprPtr inside = comparison(name(step->index), "<", sum(size, '-', number(step->by)));
        return call("where", {inside, std::make_shared<const Expr>(part), number(0)});
    });
}

namespace {

/// t + 1 of ∂h[t+1]/∂h[t-1], where no t stands without a step.
std::optional<IndexStep> step_of_all(const Expr& left) {
    const std::optional<IndexStep> first = left.children.empty() ? std::nullopt : step_of(*left.children[0]);
    const auto is_plain = [&](const ExprPtr& c) { return c->kind == Kind::name && first && c->name == first->index; };
    return std::ranges::any_of(left.children, is_plain) ? std::nullopt : first;
}

}  // namespace

/// A line about ∂L/∂h[t-1] is one about ∂L/∂h[t], for the t that leaves its own within the axis.
Equality Statements::from_first_index(const Equality& e) const {
    const Expr& l = *e.left;
    const bool derivative = l.kind == Kind::jacobian && !l.name.empty();
    if (!derivative && (l.kind != Kind::index || l.children.size() < 2)) return e;
    const std::optional<IndexStep> step = derivative ? step_of_all(l) : step_of(*l.children[1]);
    if (!step || step->by == 0 || names_.defined(step->index)) return e;
    const auto move = [&](const ExprPtr& x) { return x ? moved_index(x, step->index, step->by) : nullptr; };
    Equality out{move(e.left), move(e.right), {}, e.erratum};
    for (const ExprPtr& f : e.further) out.further.push_back(move(f));
    const ExprPtr of = derivative ? name(l.name) : l.children[0];
    out.holds = step->by < 0 ? comparison(name(step->index), "<", sum(size_of_axis(of, 0), '-', number(-step->by)))
                             : comparison(name(step->index), ">", number(step->by - 1));
    if (e.holds) out.holds = product(out.holds, '*', move(e.holds));
    return out;
}

/// Of ∂h[t]/∂h[t-1] and ∂²f/∂x[i]∂x[i+1] on the left: where these are entries. nullptr for everywhere.
ExprPtr Statements::where_steps_are_within(const Expr& left) const {
    if (left.kind != Kind::jacobian) return nullptr;
    ExprPtr out;
    for (std::size_t i = 0; i < left.children.size(); ++i) {
        const std::optional<IndexStep> step = step_of(*left.children[i]);
        if (!step || step->by == 0 || names_.defined(step->index)) continue;
        if (step->by > 0 && !left.spelling) continue;
        const bool of = i < left.split;
        const int axis = static_cast<int>(of ? i : i - left.split);
        const ExprPtr within =
            step->by < 0 ? comparison(name(step->index), ">", number(-step->by - 1))
                         : comparison(name(step->index), "<",
                                      sum(size_of_axis(name(of ? left.name : left.other), axis), '-', number(step->by)));
        out = out ? product(out, '*', within) : within;
    }
    return out;
}

namespace {

/// An entry at t + 1 or t - 1, of a value, a gradient or a derivative, at the axis of that step.
struct SteppedEntry {
    const Expr* entry;
    ExprPtr of;  ///< what has that axis
    int axis;
    IndexStep step;
};
/// The indices of an entry begin behind what it is of, those of a derivative with the first.
SteppedEntry stepped_entry(const Expr& e, std::size_t i, IndexStep step) {
    if (e.kind == Kind::index) return {&e, e.children[0], static_cast<int>(i) - 1, std::move(step)};
    const bool of = i < e.split;
    return {&e, name(of ? e.name : e.other), static_cast<int>(of ? i : i - e.split), std::move(step)};
}
/// Those by one of the indices, but for what stands in where(...), which says itself where it is an entry.
void add_stepped(const Expr& e, std::vector<std::string> indices, std::vector<SteppedEntry>& out) {
    if (e.kind == Kind::helper || (e.kind == Kind::call && e.name == "where")) return;
    for (const std::string& bound : e.bound) std::erase(indices, bound);
    const bool has_entries = e.kind == Kind::index || (e.kind == Kind::jacobian && !e.name.empty());
    for (std::size_t i = e.kind == Kind::index ? 1 : 0; has_entries && i < e.children.size(); ++i) {
        const std::optional<IndexStep> step = step_of(*e.children[i]);
        if (step && step->by != 0 && std::ranges::find(indices, step->index) != indices.end())
            out.push_back(stepped_entry(e, i, *step));
    }
    for (const ExprPtr& c : e.children) add_stepped(*c, indices, out);
}

}  // namespace

ExprPtr Statements::padded_with_zeros(const ExprPtr& e, const std::vector<std::string>& indices,
                                      const std::string& itself) const {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::index || part.children[0]->kind != Kind::name || part.children[0]->name == itself) return nullptr;
        ExprPtr inside;
        for (std::size_t i = 1; i < part.children.size(); ++i) {
            const ExprPtr& at = part.children[i];
            const bool moves =
                at->kind == Kind::sum && std::ranges::any_of(indices, [&](const std::string& n) { return mentions(*at, n); });
            if (!moves) continue;
            const ExprPtr last = size_of_axis(part.children[0], static_cast<int>(i) - 1);
            const ExprPtr above = comparison(at, ">", number(-1)), below = comparison(at, "<", last);
            const std::optional<IndexStep> step = step_of(*at);
            const ExprPtr within = !step ? product(above, '*', below) : step->by < 0 ? above : below;
            inside = inside ? product(inside, '*', within) : within;
        }
        return inside ? call("where", {inside, std::make_shared<const Expr>(part), number(0)}) : nullptr;
    });
}

/// A typeset line about t that does not say for which t is meant where each h_{t+1} and x_{t-1} in it is an entry.
void Statements::judge_where_entries_are(JudgedLine& line, const std::vector<ExprPtr>& right) const {
    if (!line.left->spelling) return;
    std::vector<std::string> open;
    for (const std::string& n : names_in(*line.left))
        if (!names_.defined(n) && !(line.holds && mentions(*line.holds, n))) open.push_back(n);
    std::vector<SteppedEntry> stepped;
    for (const ExprPtr& side : right) add_stepped(*side, open, stepped);
    std::set<std::string> known, told;
    for (const SteppedEntry& s : stepped) {
        const double by = s.step.by;
        const ExprPtr within = by < 0 ? comparison(name(s.step.index), ">", number(-by - 1))
                                      : comparison(name(s.step.index), "<", sum(size_of_axis(s.of, s.axis), '-', number(by)));
        if (known.insert(text_of(*within)).second) line.holds = line.holds ? product(line.holds, '*', within) : within;
        if (!told.emplace(source_->slice(s.entry->span)).second) continue;
        line.read_as +=
            fmt::format("{}{}", line.read_as.empty() ? "judged where this is an entry: " : ", ", source_->slice(s.entry->span));
    }
}

/// Both indices of sums over pairs, and the sums that a text in Einstein's notation does not write.
ExprPtr Statements::with_sums(const ExprPtr& e, const Expr& left) const {
    if (!e) return e;
    std::vector<std::string> free;
    const auto is_index = [&](const std::string& n) {
        return n.size() == 1 && n[0] >= 'a' && n[0] <= 'z' && !names_.defined(n) && n != "e";
    };
    for_each(left, [&](const Expr& part) {
        if (part.kind == Kind::name && is_index(part.name)) free.push_back(part.name);
    });
    const ExprPtr out = with_pairs_bound(e, free, is_index);
    return implied_sums_ ? with_implied_sums(out, free, is_index) : out;
}

void Statements::convention(std::string_view word, std::string_view of, Span at) {
    if (anything_claimed() || !proof_.forward.empty())
        fail(at, fmt::format("{} goes before the forward: it is said of all of it", word));
    if (word == "einstein" && of.empty()) {
        implied_sums_ = true;
    } else if (word == "convention" && (of == "columns" || of == "rows")) {
        proof_.conventions.vectors = of == "rows" ? Vectors::rows : Vectors::columns;
    } else if (word == "convention" && of == "elementwise") {
        proof_.conventions.elementwise = true;
    } else if (word == "layout" && (of == "numerator" || of == "denominator")) {
        proof_.conventions.layout = of == "numerator" ? Layout::numerator : Layout::denominator;
    } else {
        fail(at, word == "layout"     ? "expected  layout numerator  or  layout denominator"
                 : word == "einstein" ? "nothing stands behind einstein: it says that repeated indices are summed over"
                                      : "expected  convention columns,  convention rows  or  convention elementwise");
    }
}

/// A value of the forward has all of its entries.
void Statements::expect_whole(const std::string& name, const Equality& e) const {
    if (!e.holds) return;
    fail(e.right->span, fmt::format("this says what {} is for some of its entries only: say the others too, as "
                                    "where(t > 0, ..., ...)",
                                    name));
}

}  // namespace gradproof::proof
