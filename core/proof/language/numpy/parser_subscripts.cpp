// Entries in brackets, and einsum, which names them by letters.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/contractions.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"
#include "gradproof/core/proof/language/numpy/places.hpp"
#include "gradproof/core/proof/language/numpy/taken.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {

/// x[:, None], x[..., 1], x[::-1], x[2:5]: entries, and new axes of size 1.
ExprPtr Parser::subscript(const ExprPtr& of, std::size_t begin) {
    std::vector<ExprPtr> entries;
    /// Where an axis of size 1 goes: behind ... by how many kept axes are to the left of it there.
    struct NewAxis {
        double axis;
        bool behind;
    };
    std::vector<NewAxis> new_axes;
    std::vector<std::size_t> turned_axes;  // [::-1]
    double kept = 0;
    bool after_dots = false;
    while (!next_is("]")) {
        const std::size_t at = at_;
        if (take("...")) {
            if (!entries.empty() || after_dots) fail(at, "... stands first in a subscript here");
            after_dots = true;
        } else if (takes_backwards()) {
            if (after_dots) fail(at, "entries behind ... are not read: write : for each axis");
            turned_axes.push_back(entries.size());
            entries.push_back(make(node(Kind::slice)));
            ++kept;
        } else if (take(":")) {
            const bool all = next_is(",") || next_is("]");
            if (!all && after_dots) fail(at, "a part of an axis behind ... is not read: write : for each axis");
            entries.push_back(all ? make(node(Kind::slice)) : part_of_axis(of, entries.size(), number(0)));
            ++kept;
        } else {
            const ExprPtr e = expression();
            if (e->kind == Kind::ellipsis) {
                new_axes.push_back({after_dots ? kept : kept + static_cast<double>(new_axes.size()), after_dots});
            } else if (take(":")) {
                Expr range = *part_of_axis(of, entries.size(), e);
                range.span = {at, at_};
                entries.push_back(make(std::move(range)));
                ++kept;
            } else {
                entries.push_back(after_dots ? e : counted_from_start(of, entries.size(), e));
            }
        }
        if (!take(",")) break;
    }
    expect("]");
    const bool only_all = std::all_of(entries.begin(), entries.end(),
                                      [](const ExprPtr& e) { return e->kind == Kind::slice && e->children.empty(); });
    if (after_dots && !only_all) fail(begin, "entries behind ... are not read: write : for each axis");
    if (const ExprPtr e = new_axes.empty() && !after_dots ? at_places(of, entries, begin) : nullptr) return finish(begin, e);
    ExprPtr out = of;
    if (!turned_axes.empty() && !only_all) fail(begin, "[::-1] stands beside : only");
    for (const std::size_t axis : turned_axes) out = turned(out, axis, begin);
    if (!only_all) out = entry(of, entries);
    for (const NewAxis& a : new_axes)  // behind ..., the axis is counted from the end
        out = over_axis("expand_dims", out, a.behind ? a.axis - kept - 1 : a.axis);
    return finish(begin, out);
}

/// cache[1], cache[-1], cache[:2] of a tuple or a list, whose bracket is open.
ExprPtr Parser::part_of_sequence(const ExprPtr& of, std::size_t begin) {
    const auto size = static_cast<double>(of->children.size());
    const auto number = [&](double otherwise) {
        if (next_is(":") || next_is("]")) return otherwise;
        const double at = signed_number(*expression()).value_or(size + 1);
        return at < 0 ? at + size : at;
    };
    const double first = number(0);
    const bool one = !take(":");
    const double last = one ? first + 1 : number(size);
    expect("]");
    const bool whole = first == std::floor(first) && last == std::floor(last);
    if (!whole || first < 0 || last < first || last > size)
        fail(begin, fmt::format("a part of a tuple is its number: it holds {}", of->children.size()));
    const auto at = of->children.begin() + static_cast<std::ptrdiff_t>(first);
    if (one) return marked_as(**at, finish(begin, *at));
    Expr out = node(Kind::array);
    out.children = {at, of->children.begin() + static_cast<std::ptrdiff_t>(last)};
    return as_list(finish(begin, make(std::move(out))));
}

/// a:b and a:, whose colon has been read, as a part of an axis; without b up to its end.
ExprPtr Parser::part_of_axis(const ExprPtr& of, std::size_t axis, ExprPtr first) {
    const bool to_the_end = next_is(",") || next_is("]");
    const ExprPtr last = to_the_end ? nullptr : expression();
    if (next_is(":")) fail(at_, "steps other than [::-1] are not read");
    if (last && last->kind == Kind::negate && known_number(*last->children[0]) == 0)
        fail(at_, "the end of this part is 0, and not counted from the end of the axis: nothing is left of it");
    return make(node(Kind::slice, {end_of_axis(of, axis, first), end_of_axis(of, axis, last)}));
}

/// The place of x[-1]: the size of the axis less 1.
ExprPtr Parser::counted_from_start(const ExprPtr& of, std::size_t axis, const ExprPtr& place) const {
    const std::optional<double> number = signed_number(*place);
    if (const Expr* const all = written(*of); all != nullptr && all->listed && axis == 0 && number && *number < 0)
        return proof::number(*number + static_cast<double>(all->children.size()));
    const bool grows = file_ && file_->lists && of->kind == Kind::name && file_->lists->contains(of->name);
    const bool known = file_ && file_->proof && !grows && axis_names(*of, *file_->proof);
    if (!number || *number >= 0 || !known) return place;
    Expr out = *sum(over_axis("axis_size", of, static_cast<double>(axis)), '-', proof::number(-*number));
    out.span = place->span;
    return make(std::move(out));
}

/// 0 of pad = 0, and of (k - 1) // 2 where k = 1.
std::optional<double> Parser::known_number(const Expr& e) const {
    if (file_ == nullptr || file_->proof == nullptr) return signed_number(e);
    if (e.kind == Kind::sum || e.kind == Kind::product) {
        std::optional<double> all = known_number(*e.children[0]);
        for (std::size_t i = 1; all && i < e.children.size(); ++i) {
            const std::optional<double> next = known_number(*e.children[i]);
            if (!next) return std::nullopt;
            const char sign = e.joints[i];
            all = sign == '+' ? *all + *next : sign == '-' ? *all - *next : sign == '/' ? *all / *next : *all * *next;
        }
        return all && e.joints[0] == '-' ? -*all : all;
    }
    if (e.kind == Kind::call && e.name == "floor" && e.children.size() == 1) {
        const std::optional<double> of = known_number(*e.children[0]);
        return of ? std::optional(std::floor(*of)) : std::nullopt;
    }
    if (e.kind != Kind::name) return signed_number(e);
    const auto given = std::ranges::find(file_->proof->given, e.name, &Given::name);
    if (given != file_->proof->given.end()) return given->value ? signed_number(*given->value) : std::nullopt;
    const Assignment* const a = file_->proof->find(e.name);
    return a ? known_number(*a->value) : std::nullopt;
}

/// -k is counted from the end of an axis; nullptr is its end.
ExprPtr Parser::end_of_axis(const ExprPtr& of, std::size_t axis, const ExprPtr& end) const {
    if (end && end->kind != Kind::negate) return end;
    if (end && known_number(*end->children[0]) == 0) return number(0);
    const ExprPtr size = over_axis("axis_size", of, static_cast<double>(axis));
    return end ? sum(size, '-', end->children[0]) : size;
}

bool Parser::takes_backwards() {
    const std::size_t before = at_;
    if (take("::") && take("-1") && (next_is(",") || next_is("]"))) return true;
    at_ = before;
    return false;
}

/// The entries along one axis from the last to the first, of at most two axes.
ExprPtr Parser::turned(const ExprPtr& of, std::size_t axis, std::size_t at) const {
    const std::optional<AxisNames> axes = file_ && file_->proof ? axis_names(*of, *file_->proof) : std::nullopt;
    if (!axes || axes->size() > 2 || axis >= axes->size()) fail(at, "[::-1] is read of values with one or two axes only");
    const ExprPtr size = over_axis("axis_size", of, static_cast<double>(axis));
    const ExprPtr places = sum(sum(size, '-', number(1)), '-', call("range", {size}));
    const ExprPtr order = call("onehot", {places, size});
    return axis == 0 ? product(order, '@', of) : product(of, '@', order);
}

/// The axis, counted from the end where it is negative; nothing of one that an array of this rank does not have.
static std::optional<std::size_t> place_of_axis(const ExprPtr& axis, std::size_t rank) {
    const std::optional<double> along = signed_number(*axis);
    const double place = !along ? -1 : *along < 0 ? *along + static_cast<double>(rank) : *along;
    if (place < 0 || place >= static_cast<double>(rank)) return std::nullopt;
    return static_cast<std::size_t>(place);
}

/// np.flip(x, axis), np.flipud(x) and np.fliplr(x).
ExprPtr Parser::flipped(const std::string& function, const Arguments& given, std::size_t at) const {
    Taken taken(function, given);
    const ExprPtr of = taken.optional({"m", "input"}), axis = taken.optional({"axis", "dims"});
    const std::optional<AxisNames> axes = of && file_ && file_->proof ? axis_names(*of, *file_->proof) : std::nullopt;
    if (!axes || axes->empty() || axes->size() > 2) fail(at, function + " is read of values with one or two axes only");
    if (function == "flipud") return turned(of, 0, at);
    if (function == "fliplr") return turned(of, 1, at);
    if (!axis) return axes->size() == 1 ? turned(of, 0, at) : turned(turned(of, 0, at), 1, at);
    const std::optional<std::size_t> place = place_of_axis(axis, axes->size());
    if (!place) fail(at, function + " is read along one axis, which it has");
    return turned(of, *place, at);
}

/// np.roll(x, k, axis): entry i is that at i - k, counted on from the other end; of at most two axes.
ExprPtr Parser::rolled(const Arguments& given, std::size_t at) const {
    Taken taken("roll", given);
    const ExprPtr of = taken.optional({"a", "input"}), by = taken.optional({"shift", "shifts"});
    const ExprPtr axis = taken.optional({"axis", "dims"});
    const std::optional<AxisNames> axes = of && file_ && file_->proof ? axis_names(*of, *file_->proof) : std::nullopt;
    const std::size_t rank = axes ? axes->size() : 0;
    const std::optional<std::size_t> place = place_of_axis(axis ? axis : number(0), rank);
    if (!by || !place || rank > 2 || (!axis && rank != 1))
        fail(at, "roll is read of values with one axis, or with two and one of them named: np.roll(x, 1, axis=0)");
    const ExprPtr size = over_axis("axis_size", of, static_cast<double>(*place));
    const ExprPtr places = call("mod", {sum(call("range", {size}), '-', by), size});
    const ExprPtr order = call("onehot", {places, size});
    return *place == 0 ? product(order, '@', of) : product(of, '@', transpose(order));
}

/// E[idx] and P[np.arange(n), t], of places that are whole numbers: rows, and an entry of each row. nullptr for other entries.
ExprPtr Parser::at_places(const ExprPtr& of, const std::vector<ExprPtr>& entries, std::size_t begin) const {
    if (!file_ || !file_->proof) return nullptr;
    if (std::ranges::any_of(entries, [&](const ExprPtr& e) { return is_place(*e, *file_->proof); }))
        return at_one_place(of, entries, begin);
    const auto is_places = [&](const ExprPtr& e) { return are_places(*e, *file_->proof); };
    const std::optional<AxisNames> axes = axis_names(*of, *file_->proof);
    const bool square = axes && axes->size() == 2 && (*axes)[0] == (*axes)[1];
    const auto is_whole = [&](const ExprPtr& e) { return is_range(*e, *file_->proof) && each_row(*e, *e, *axes, *file_->proof); };
    if (square && entries.size() == 2 && is_whole(entries[0]) && is_whole(entries[1])) return call("diag", {of});
    const auto is_part = [&](const ExprPtr& e) { return is_range(*e, *file_->proof); };  // of the rows: np.arange(n - 1)
    if (std::ranges::none_of(entries, is_places) && std::ranges::none_of(entries, is_part)) return nullptr;
    const auto size = [&](double axis) { return over_axis("axis_size", of, axis); };
    if (axes && axes->size() <= 2 && entries.size() == 1) return product(call("onehot", {entries[0], size(0)}), '@', of);
    if (axes && axes->size() == 2 && entries.size() == 2 && each_row(*entries[0], *entries[1], *axes, *file_->proof))
        return over_axis("sum", product(of, '*', call("onehot", {entries[1], size(1)})), 1);
    fail(begin, "of entries at places that an array says, x[idx] is read, and x[np.arange(n), idx] of n rows");
}

/// p[y[i]], p[y[i], 0], p[i, y[i]] and E[y[i]], of one place.
ExprPtr Parser::at_one_place(const ExprPtr& of, const std::vector<ExprPtr>& entries, std::size_t begin) const {
    const ExprPtr known = rewritten(of, [&](const Expr& e) -> ExprPtr {  // names of a loop, whose steps they are computed in
        const auto found = e.kind == Kind::name ? file_->of_step.find(e.name) : file_->of_step.end();
        return found == file_->of_step.end() ? nullptr : found->second;
    });
    const std::optional<AxisNames> axes = axis_names(*known, *file_->proof);
    if (!axes) fail(begin, "how many axes it has is not known, and so not what stands at a place");
    const auto place = std::ranges::find_if(entries, [&](const ExprPtr& e) { return is_place(*e, *file_->proof); });
    const auto axis = static_cast<std::size_t>(place - entries.begin());
    const auto picks = [&] { return one_at(**place, (*axes)[axis], of, static_cast<double>(axis), names_); };
    if (axes->size() == 1 && entries.size() == 1) return over_axis("sum", product(of, '*', picks()), 0);
    if (axes->size() == 2 && entries.size() == 1) return product(picks(), '@', of);
    const bool of_column =
        axes->size() == 2 && axes->back() == "1" && axis == 0 && entries.size() == 2 && is_number(*entries[1], 0);
    if (of_column) return call("sum", {product(of, '*', over_axis("expand_dims", picks(), 1))});
    if (axes->size() == 2 && entries.size() == 2 && !is_place(*entries[1 - axis], *file_->proof)) {
        if (axis == 1) return over_axis("sum", product(entry(of, {entries[0]}), '*', picks()), 0);
        return over_axis("sum", product(entry(of, {make(node(Kind::slice)), entries[1]}), '*', picks()), 0);
    }
    fail(begin, "of entries at a place that an array says, p[y[i]] and p[i, y[i]] are read");
}

/// einsum("ij,jk->ik", a, b): an array by its entries, with the sum over the other letters.
ExprPtr Parser::einsum(std::size_t begin) {
    blanks();
    const char quote = at_ < end_ ? source_.text()[at_] : ' ';
    const std::size_t close = quote == '"' || quote == '\'' ? source_.text().find(quote, at_ + 1) : std::string_view::npos;
    if (close == std::string_view::npos || close >= end_)
        fail(at_, "einsum takes its letters as a text first: einsum(\"ij,jk->ik\", a, b)");
    std::string spec(source_.slice({at_ + 1, close}));
    const std::size_t at = at_;
    at_ = close + 1;
    std::vector<ExprPtr> arrays;
    while (take(",")) arrays.push_back(expression());
    expect(")");
    if (std::ranges::all_of(arrays, [&](const ExprPtr& e) { return is_condition(e); }))
        fail(begin, "conditions are no numbers in NumPy: einsum of them says whether any holds; write 1.0 * (x > 0)");
    if (const ExprPtr e = contracted(spec, arrays)) return finish(begin, e);
    ExprPtr meaning;
    try {
        meaning = proof::einsum(std::move(spec), arrays, names_);
    } catch (const std::invalid_argument& e) {
        fail(at, e.what());
    }
    const ExprPtr out = finish(begin, meaning);
    if (out->kind != Kind::helper) return out;
    Expr named = *out;
    named.name = named.source;
    return make(std::move(named));
}

}  // namespace gradproof::proof::numpy
