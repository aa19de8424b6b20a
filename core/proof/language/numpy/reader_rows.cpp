// Gradients that loops assign row by row: which rows no loop assigns, and what the array is before; and lines in the order in
// which they run.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/integers.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {

/// Rows of a gradient that no loop assigns stay 0, and that is claimed of them.
void Reader::claim_rows_left_out() {
    std::map<std::string, std::vector<Claim>> by_value;
    for (const Claim& c : claims_)
        if (c.rows && c.why.empty()) by_value[without_indices(*c.left).name].push_back(c);
    for (const auto& [of, claims] : by_value) {
        const std::optional<AxisNames> axes = axis_names(*name(of), to_.proof());
        const Claim& first = claims[0];
        const auto zero = zeros_.find(of);
        if (!axes || first.axis >= axes->size() || offsets_.contains(of) || zero == zeros_.end()) continue;
        expect_shape_of_zeros(of);
        std::set<std::string> sizes{(*axes)[first.axis]};
        if (const Assignment* const a = to_.proof().find(of); a && !a->indices.empty() && first.axis == 0)
            for (const auto& e : a->extents) sizes.insert(text_of(*e.value));
        const bool all = std::ranges::any_of(claims, [&](const Claim& c) {
            const Loop& over = *c.rows;
            const bool to_end = sizes.contains(size_name(*over.stop, to_.proof())) || sizes.contains(text_of(*over.stop));
            return is_number(*over.first, 0) && to_end;
        });
        if (all) continue;
        ExprPtr outside;
        for (const Claim& c : claims) {
            const ExprPtr index = name(first.rows->index);
            const ExprPtr inside = product(comparison(index, ">=", c.rows->first), '*', comparison(index, "<", c.rows->stop));
            outside = outside ? product(outside, '*', one_minus(inside)) : one_minus(inside);
        }
        add_claim({first.left, number(0), outside, zero->second.span, ""});
    }
}

/// np.zeros((T + 1, d)) of an x of T rows.
void Reader::expect_shape_of_zeros(const std::string& of) {
    const auto zero = zeros_.find(of);
    const bool is_sequence = to_.proof().find(of) != nullptr && !to_.proof().find(of)->indices.empty();
    if (zero == zeros_.end() || is_sequence) return;
    const std::optional<AxisNames> has = axis_names(*zero->second.right, to_.proof()), is = axis_names(*name(of), to_.proof());
    if (!has || !is || *has == *is) return;
    to_.attempt(
        [&] {
            return LostLine{at(zero->second.span), JudgedLine::Type::claim, one_line(zero->second.span)};
        },
        [&] {
            fail(zero->second.span,
                 fmt::format("it has the shape [{}], and {} has [{}]", fmt::join(*has, ", "), of, fmt::join(*is, ", ")));
        });
}

/// The sizes of an array that is np.zeros((n, d)) before a loop fills it, or np.zeros_like(X) where they have names; none of
/// others.
std::vector<ExprPtr> Reader::sizes_filled(const std::string& array) const {
    const auto found = filled_with_.find(array);
    if (found == filled_with_.end()) return {};
    const Expr& zeros = *found->second;
    const bool says = zeros.kind == Kind::call &&
                      std::ranges::none_of(zeros.children, [](const ExprPtr& size) { return size->kind == Kind::array; });
    if (says) return zeros.children;
    std::vector<ExprPtr> out;
    const std::optional<AxisNames> axes = axis_names(zeros, to_.proof());
    for (const std::string& size : axes ? *axes : AxisNames{}) {
        if (!to_.names().dims.contains(size)) return {};
        out.push_back(name(size));
    }
    return out;
}

/// Z[i] = x[i] of a Z with two axes puts the one number into all entries of the row.
ExprPtr Reader::row_of_filled(const std::string& array, const ExprPtr& value) const {
    const std::vector<ExprPtr> sizes = sizes_filled(array);
    const std::optional<AxisNames> row = axis_names(*value, to_.proof());
    if (sizes.size() < 2 || (row && row->size() + 1 >= sizes.size() && std::ranges::find(*row, "1") == row->end())) return value;
    return sum(value, '+', call("zeros", std::vector<ExprPtr>(sizes.begin() + 1, sizes.end())));
}
/// How many rows np.zeros((n + 1, d)) has, where these are not those that the loop goes through; nullptr of others.
ExprPtr Reader::rows_of_filled(const std::string& array, const Loop& over) const {
    const std::vector<ExprPtr> sizes = sizes_filled(array);
    if (sizes.empty()) return nullptr;
    const auto called = [&](const ExprPtr& size) {
        const std::string known = size_name(*size, to_.proof());
        return known.empty() ? text_of(*size) : known;
    };
    return called(sizes[0]) == called(over.stop) ? nullptr : sizes[0];
}

/// np.full((n, d), 0), and zeros like labels, hold integers: what is put into a row of them is cut off.
void Reader::expect_no_integers(Span left, Span right) {
    const std::string_view text = source_.slice(right);
    const bool full_like = text.find("full_like(") != std::string_view::npos;
    const std::string name(source_.slice(left));
    if (!filled_.contains(name) && !full_like && gradient_named(name).empty()) return;
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos || !text.ends_with(")")) return;
    const std::string_view function = text.substr(0, open);
    const std::vector<Span> arguments = split_at_commas(source_, {right.begin + open + 1, right.end - 1});
    const auto is_integer = [](std::string_view one) {
        return !one.empty() &&
               std::ranges::all_of(one, [](char c) { return c == '-' || std::isdigit(static_cast<unsigned char>(c)); });
    };
    const bool full = function.ends_with(".full") && arguments.size() == 2 && is_integer(source_.slice(arguments[1]));
    const bool typed_so = source_.slice(right).find("dtype") != std::string_view::npos;
    const bool like_labels =
        function.ends_with("_like") && !arguments.empty() && !typed_so && has_whole_type(*expression(arguments[0]), to_.proof());
    const auto is_type = [&](Span one) {
        constexpr std::string_view kIntegers[] = {"int", "np.int32", "np.int64", "bool", "\"int\"", "'int'", "np.int_"};
        return std::ranges::find(kIntegers, source_.slice(one)) != std::end(kIntegers);
    };
    const bool typed = arguments.size() > 1 && std::any_of(arguments.begin() + 1, arguments.end(), is_type);
    if (full || like_labels || typed)
        fail(right,
             fmt::format("{} holds integers, and what is put into its rows is cut off: say dtype=float", source_.slice(left)));
}

/// dX = dY * w above dY = 2 * Y: what stands in dY there is something else.
void Reader::expect_in_order(const Claim& c) const {
    const std::string own = without_indices(*c.left).name;
    std::set<std::string> used;
    for_each(*c.right, [&](const Expr& e) {
        if (e.kind == Kind::gradient && e.name != own) used.insert(e.name);
    });
    for (const std::string& of : used) {
        const Claim* first = nullptr;
        for (const Claim& other : claims_)
            if (without_indices(*other.left).name == of && (first == nullptr || other.span.begin < first->span.begin))
                first = &other;
        const bool below = first != nullptr && first->span.begin > c.span.begin && first->function == c.function;
        if (below && (c.loop == 0 || c.loop != first->loop))
            fail(c.span,
                 fmt::format("it uses the gradient by {} before line {} computes it", of, source_.line(first->span.begin)));
    }
}

}  // namespace gradproof::proof::numpy
