// Entries in brackets, and einsum, which names them by letters.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"

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
    spec.erase(std::remove(spec.begin(), spec.end(), ' '), spec.end());
    at_ = close + 1;
    std::vector<ExprPtr> arrays;
    while (take(",")) arrays.push_back(expression());
    expect(")");
    const std::size_t arrow = spec.find("->");
    if (arrow == std::string::npos) fail(at, "einsum: write the result too: \"ij,jk->ik\"");
    const std::string result = spec.substr(arrow + 2);
    ExprPtr product_of;
    std::set<char> letters;
    std::size_t from = 0;
    for (const ExprPtr& a : arrays) {
        const std::size_t to = std::min(spec.find(',', from), arrow);
        if (from > arrow) fail(at, fmt::format("einsum: {} arrays, more than in \"{}\"", arrays.size(), spec));
        std::vector<ExprPtr> indices;
        for (const char c : spec.substr(from, to - from)) {
            if (c < 'a' || c > 'z') fail(at, fmt::format("einsum: indices are small letters, got \"{}\"", spec));
            indices.push_back(proof::name(std::string(1, c)));
            letters.insert(c);
        }
        const ExprPtr e = indices.empty() ? a : entry(a, indices);
        product_of = product_of ? product(product_of, '*', e) : e;
        from = to + 1;
    }
    if (!product_of || from <= arrow) fail(at, fmt::format("einsum: {} arrays, fewer than in \"{}\"", arrays.size(), spec));
    for (const char c : result)
        if (letters.erase(c) == 0) fail(at, fmt::format("einsum: {} stands on the right of \"{}\" only, or twice", c, spec));
    for (const char c : letters) product_of = summed_over(std::string(1, c), product_of);
    if (result.empty()) return finish(begin, product_of);
    Expr e = node(Kind::helper, {product_of});
    for (const char c : result) e.bound.emplace_back(1, c);
    const ExprPtr out = finish(begin, make(std::move(e)));
    Expr named = *out;
    named.name = named.source;
    return make(std::move(named));
}

}  // namespace gradproof::proof::numpy
