// Loops over steps.
#include "gradproof/core/proof/language/numpy/loops.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"
#include "gradproof/core/proof/language/numpy/saved.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {
namespace {

/// What a call holds: of "range(1, T)" with "range" "1, T"; empty where it is no such call.
Span inside_call(const Source& source, Span s, std::string_view function) {
    const std::string_view text = source.slice(s);
    if (!text.starts_with(function) || !text.ends_with(")")) return {};
    const std::size_t open = text.find_first_not_of(kBlanks, function.size());
    if (open == std::string_view::npos || text[open] != '(') return {};
    return trimmed(source, {s.begin + open + 1, s.end - 1});
}

}  // namespace

ExprPtr Loop::holds() const {
    ExprPtr out = is_number(*first, 0) ? nullptr : comparison(name(index), ">=", first);
    if (stop->kind == Kind::name || stop->kind == Kind::call) return out;  // a size
    const ExprPtr before = comparison(name(index), "<", stop);
    return out ? product(out, '*', before) : before;
}

ExprPtr Loop::total(const ExprPtr& value) const {
    const ExprPtr where = holds();
    Expr out = *summed_over(index, where ? call("where", {where, value, number(0)}) : value);
    const bool repeats = stop->kind == Kind::number && !mentions(*value, index);  // the same, so many times
    if (stop->kind == Kind::name || repeats) out.options.push_back({index, stop, stop->span});
    return make(std::move(out));
}

std::optional<Loop> loop_of(const Source& source, Span header, const Names& names) {
    Span s = trimmed(source, header);
    const std::string_view text = source.slice(s);
    const std::size_t in = text.find(" in "), word = std::min(text.find_first_not_of(kBlanks, 3), text.size());
    if (in == std::string_view::npos || !text.ends_with(":") || in < word) return std::nullopt;
    Loop out;
    out.target = trimmed(source, {s.begin + word, s.begin + in});
    out.index = std::string(source.slice(out.target));
    if (identifier_length(out.index) != out.index.size() || out.index.empty()) return std::nullopt;
    Span over = trimmed(source, {s.begin + in + 4, s.end - 1});
    const Span turned = inside_call(source, over, "reversed");
    out.backwards = turned.end > turned.begin;
    const Span range = inside_call(source, turned.end > turned.begin ? turned : over, "range");
    if (range.end <= range.begin) return std::nullopt;
    const ExprPtr given = Parser(source, range, names).whole();
    const std::vector<ExprPtr> ends = given->kind == Kind::array ? given->children : std::vector<ExprPtr>{given};
    if (ends.empty() || ends.size() > 3) return std::nullopt;
    if (ends.size() == 3) {  // range(T - 1, -1, -1)
        const ExprPtr size = size_of_last(*ends[0]);
        if (!size || signed_number(*ends[2]) != -1.0) return std::nullopt;
        const std::optional<double> last = signed_number(*ends[1]);
        if (!last) return std::nullopt;
        out.backwards = true;
        out.first = number(*last + 1);
        out.stop = size;
        return out;
    }
    out.first = ends.size() == 2 ? ends[0] : number(0);
    out.stop = ends.back();
    return out;
}

std::optional<Element> element_of(const Source& source, Span left, const Names& names) {
    const std::string_view text = source.slice(left);
    const std::size_t n = identifier_length(text), open = std::min(text.find_first_not_of(kBlanks, n), text.size());
    if (n == 0 || open >= text.size() || text[open] != '[' || !text.ends_with("]")) return std::nullopt;
    if (has_text_key(text)) return std::nullopt;
    if (closer_of(source, left.begin + open, left.end) + 1 != left.end) return std::nullopt;  // x[t][k]
    Element out{{left.begin, left.begin + n}, nullptr};
    for (const Span part : split_at_commas(source, {left.begin + open + 1, left.end - 1})) {
        const bool all = source.slice(part) == ":";
        if (!all && (out.index || source.slice(part).find(':') != std::string_view::npos)) return std::nullopt;
        if (all)
            ++(out.index ? out.behind : out.before);
        else
            out.index = Parser(source, part, names).whole();
    }
    if (!out.index) return std::nullopt;
    return out;
}

ExprPtr with_axis_moved(const ExprPtr& of, std::size_t axes, std::size_t from, std::size_t to) {
    std::vector<std::size_t> order;
    for (std::size_t a = 0; a < axes; ++a)
        if (a != from) order.push_back(a);
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), from);
    std::vector<ExprPtr> numbers;
    for (const std::size_t a : order) numbers.push_back(number(static_cast<double>(a)));
    return call("transpose", of, {{"perm", array_of(std::move(numbers)), {}}});
}

ExprPtr at_later_step(const ExprPtr& e, const std::string& index, double by) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        const std::optional<IndexStep> at = step_of(part);
        return at && at->index == index ? stepped(index, at->by + by) : nullptr;
    });
}

ExprPtr at_step(const ExprPtr& e, const std::string& index, const ExprPtr& step) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        const std::optional<IndexStep> at = step_of(part);
        if (!at || at->index != index) return nullptr;
        const std::optional<double> said = signed_number(*step);
        if (said) return number(*said + at->by);
        return at->by == 0 ? step : sum(step, at->by < 0 ? '-' : '+', number(std::abs(at->by)));
    });
}

ExprPtr with_start(const ExprPtr& value, const std::string& of, const ExprPtr& start) {
    return rewritten(value, [&](const Expr& e) -> ExprPtr {
        if (e.kind != Kind::index || e.children[0]->name != of || e.children.size() != 2) return nullptr;
        const std::optional<IndexStep> step = step_of(*e.children[1]);
        if (!step || step->by != -1) return nullptr;
        return call("where", {comparison(name(step->index), ">", number(0)), std::make_shared<const Expr>(e), start});
    });
}

}  // namespace gradproof::proof::numpy
