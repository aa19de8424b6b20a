// Entries in brackets, and einsum, which names them by letters.
#include <algorithm>
#include <stdexcept>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {

/// x[:, None], x[..., 1], x[2:5]: entries, and new axes of size 1.
ExprPtr Parser::subscript(const ExprPtr& of, std::size_t begin) {
    std::vector<ExprPtr> entries;
    std::vector<double> new_axes;
    double kept = 0;
    bool after_dots = false;
    std::vector<std::size_t> behind;  // new axes behind ..., by how many kept axes are to the left of them there
    while (!next_is("]")) {
        const std::size_t at = at_;
        if (take("...")) {
            if (!entries.empty() || after_dots) fail(at, "... stands first in a subscript here");
            after_dots = true;
        } else if (take(":")) {
            if (!next_is(",") && !next_is("]")) fail(at, "a part of an axis is written with both ends: x[0:k]");
            entries.push_back(make(node(Kind::slice)));
            ++kept;
        } else {
            const ExprPtr e = expression();
            if (e->kind == Kind::ellipsis) {
                if (after_dots) behind.push_back(static_cast<std::size_t>(kept));
                new_axes.push_back(kept + static_cast<double>(new_axes.size()));
            } else if (take(":")) {
                Expr range = node(Kind::slice, {e, expression()});
                range.span = {at, at_};
                entries.push_back(make(std::move(range)));
                ++kept;
            } else {
                entries.push_back(e);
            }
        }
        if (!take(",")) break;
    }
    expect("]");
    const bool only_all = std::all_of(entries.begin(), entries.end(),
                                      [](const ExprPtr& e) { return e->kind == Kind::slice && e->children.empty(); });
    if (after_dots && !only_all) fail(begin, "entries behind ... are not read: write : for each axis");
    ExprPtr out = of;
    if (!only_all) out = entry(of, entries);
    for (std::size_t i = 0; i < new_axes.size(); ++i) {
        // Behind ..., the axis is counted from the end.
        const double axis = after_dots ? static_cast<double>(behind[i]) - kept - 1 : new_axes[i];
        out = call("expand_dims", out, {{"axis", number(axis), {}}});
    }
    return finish(begin, out);
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
