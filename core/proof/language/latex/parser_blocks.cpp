// Sums and products over indices of LaTeX.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// Sums and products of values, which are finite where these are.
bool is_finite_anywhere(const Expr& e) {
    return !any_part(e, [](const Expr& part) {
        const bool divides = part.kind == Kind::product && part.joints.find('/') != std::string::npos;
        return divides || part.kind == Kind::call || part.kind == Kind::power || part.kind == Kind::reduce;
    });
}

}  // namespace

void Parser::Bound::add(const ExprPtr& condition) { holds = holds ? proof::product(holds, '*', condition) : condition; }

bool Parser::is_size(const Expr& e) const {
    return !any_part(e, [&](const Expr& p) { return p.kind == Kind::name && !reading_.names.dims.contains(p.name); });
}

void Parser::begin_bound(Bound& bound, const std::string& index, const Tokens& start) {
    expect_another(index, start);
    const ExprPtr first = bound_value(start);
    if (is_number(*first, 0)) return;
    bound.add(comparison(name(index), ">=", first));
}

/// \sum_{j=1}^{j}: what stands at the ends of a sum is outside of it.
void Parser::expect_another(const std::string& index, const Tokens& end) const {
    for (const Token& t : end)
        if (t.is(letter, index))
            fail(t, fmt::format("{0} at the end of a sum over {0} is another {0}: give the sum an index of its own", index));
}

/// An upper end that is a size states the size of the axis; another one is a condition.
void Parser::end_bound(Bound& bound, const std::string& index, const Tokens& above) {
    expect_another(index, above);
    const int first = reading_.spelling->first;
    Parser p(reading_, above);
    p.parts_ = parts_;
    p.depth_ = depth_;
    p.in_entry_ = true;
    const ExprPtr last = p.whole();
    const bool before = first == 0 && last->kind == Kind::sum && last->joints == "+-" && last->children[1]->number == 1;
    const ExprPtr size = before && last->children.size() == 2 ? last->children[0] : last;
    constexpr double kMostNumbers = 1000;
    if (last->kind == Kind::number && last->number >= 1 && last->number < kMostNumbers) {
        bound.ends.push_back({index, proof::number(first == 1 ? last->number : last->number + 1), last->span});
        return;
    }
    if ((first == 1 || size != last) && size->kind == Kind::name && is_size(*size))
        bound.sizes.push_back({index, size, size->span});
    else if (first == 1 && is_size(*last))
        bound.add(comparison(name(index), "<", last));
    else
        bound.add(comparison(name(index), "<=", first == 1 ? moved_to_zero(last) : last));
}

bool Parser::is_known_index(std::string_view index) const {
    return reading_.indices.contains(std::string(index)) || std::ranges::find(*bound_, index) != bound_->end();
}

/// Of k \ne l and i < j, where the index on the right is known by nothing else: it is summed over, too, or instead of one that is.
void Parser::bind_other(Bound& bound, const Tokens& piece) {
    const bool letters = piece.size() == 3 && piece[2].kind == letter && piece[2].text[0] >= 'a' && piece[2].text[0] <= 'z';
    if (!letters || reading_.names.defined(piece[2].text) || is_known_index(piece[2].text)) return;
    if (std::ranges::find(bound.names, piece[2].text) != bound.names.end()) return;
    const std::string first(piece[0].text), other(piece[2].text);
    if (is_known_index(first))
        std::ranges::replace(bound.names, first, other);
    else
        bound.names.push_back(other), bound.both = {first, other};
}

/// What is summed over two indices has both.
void Parser::expect_both(const Bound& bound, const Expr& body, const Token& at) const {
    for (const std::string& index : bound.both)
        if (!mentions(body, index))
            fail(at, fmt::format("{0} is neither on the left nor bound by another sum: if both are summed over, write \\sum_{0} "
                                 "and a sum of its own; else declare {0}",
                                 bound.both[1]));
}

/// `when`: what stands behind i : in the indices, as y_i < 1.
Parser::Bound Parser::bound_of(const Tokens& below, const Tokens& above, const Token& at, Tokens& when) {
    Bound out;
    std::vector<std::string> together;  // i of i, j = 2: it begins where j does
    bool begins_there = false;
    const auto add = [&](const Token& t) {
        if (t.kind != letter)
            fail(t, fmt::format("expected the index that is summed over: \\sum_j, got {}", printable(t.text, 40)));
        if (reading_.names.defined(t.text))
            fail(t, fmt::format("{} is not free to be an index: it names something else", t.text));
        if (std::find(out.names.begin(), out.names.end(), t.text) == out.names.end()) out.names.emplace_back(t.text);
    };
    const auto such_that = std::ranges::find_if(below, [](const Token& t) { return t.is_symbol(":") || t.is_command("\\mid"); });
    const Tokens indices(below.begin(), such_that);
    if (such_that != below.end()) when = Tokens(such_that + 1, below.end());
    for (const Tokens& piece : pieces_of(indices, ",")) {
        const std::size_t sign = relation_in(piece);
        if (piece.empty() || sign == 0) fail(at, "expected the index that is summed over: \\sum_j");
        if (sign == piece.size()) {
            for (const Token& t : piece) {
                add(t);
                together.emplace_back(t.text);
            }
            continue;
        }
        if (sign != 1) fail(piece[0], "expected an index on the left: \\sum_{j<i}");
        add(piece[0]);
        if (relation(piece[sign]) == "in") fail(piece[sign], "sums over sets are not read: write \\sum_{j=1}^{n} or \\sum_{j<i}");
        begins_there = relation(piece[sign]) == "=";
        together.emplace_back(piece[0].text);
        const std::vector<std::string> names = std::exchange(together, {});
        if (begins_there)
            for (const std::string& index : names) begin_bound(out, index, part_of(piece, sign + 1, piece.size()));
        else
            out.add(condition(piece, true));
        if (!begins_there) bind_other(out, piece);
    }
    if (begins_there && above.empty()) fail(at, "a sum from where to what: \\sum_{j=1}^{n}");
    if (!above.empty())
        for (const std::string& index : out.names) end_bound(out, index, above);
    return out;
}

/// \sum p \log q of arrays without an index: of all entries, where nothing in it is an entry or transposed, but not of \sum X.
/// Products are entry by entry then.
ExprPtr Parser::sum_of_all_entries(std::size_t begin) {
    const std::size_t behind = at_;
    const ExprPtr body = product();
    const bool plain = !any_part(*body, [](const Expr& e) {
        return e.kind == Kind::index || e.kind == Kind::transpose || e.kind == Kind::reduce || e.kind == Kind::gradient ||
               e.kind == Kind::jacobian;
    });
    const bool of_arrays =
        any_part(*body, [&](const Expr& e) { return e.kind == Kind::name && axes_of(e) != std::optional<std::size_t>(0); });
    const bool of_matrices = any_part(*body, [&](const Expr& e) {  // A B may be their product
        if (e.kind != Kind::product) return false;
        for (std::size_t i = 1; i < e.children.size(); ++i)
            if (e.joints[i] == '@' && axes_of(*e.children[i - 1]) == 2u && axes_of(*e.children[i]) == 2u) return true;
        return false;
    });
    if (!plain || !of_arrays || of_matrices || body->kind == Kind::name) {
        at_ = behind;
        return nullptr;
    }
    return finish(begin, call("sum", {by_entries(body)}));
}

/// What changes no product of factors like this one: of matrices, as far as their last factor shows it, an identity.
ExprPtr Parser::unit_of(const Expr& factor) const {
    const std::optional<AxisNames> axes = names_of_axes(factor);
    if (!axes && (factor.kind == Kind::product || factor.kind == Kind::transpose)) {
        const Expr& last = factor.kind == Kind::transpose ? *factor.children.front() : *factor.children.back();
        return unit_of(last);
    }
    const bool square = axes && axes->size() == 2 && (*axes)[0] == (*axes)[1] && reading_.names.dims.contains((*axes)[0]);
    return square ? call("eye", {name((*axes)[0])}) : proof::number(1);
}

/// \prod_{k=T}^{t+1}, from the last factor to the first.
bool Parser::goes_down(const Tokens& below, const Tokens& above) const {
    const std::size_t equals = relation_in(below);
    if (equals + 2 != below.size() || relation(below[equals]) != "=") return false;
    const auto is_known_size = [&](const Token& t) { return reading_.names.dims.contains(reading_.id_of(std::string(t.text))); };
    const bool number = above.size() == 1 && above[0].kind == digits;
    return is_known_size(below.back()) &&
           (number || std::ranges::any_of(above, [&](const Token& t) { return is_small_letter(t) && !is_known_size(t); }));
}

/// The j of \sum_j e^{z_j} in what is claimed of an entry z_j is another one, and so is that within
/// \sum_j e^{z_j} / \sum_j e^{z_j}: with a letter of its own.
ExprPtr Parser::with_index_of_its_own(std::string& index, std::vector<Option>& sizes, const ExprPtr& body) const {
    const auto is_bound_outside = [&](const std::string& letter) { return std::ranges::find(*bound_, letter) != bound_->end(); };
    const bool is_used_outside = reading_.indices.contains(index) || is_bound_outside(index);
    if (!is_used_outside || !mentions(*body, index)) return body;
    for (const char letter : std::string_view("klmnpqrs")) {
        const std::string other(1, letter);
        const bool taken = reading_.indices.contains(other) || reading_.names.defined(other) || mentions(*body, other) ||
                           is_bound_outside(other);
        if (taken) continue;
        for (Option& size : sizes)
            if (size.name == index) size.name = other;
        return with_name_as(body, std::exchange(index, other), name(other));
    }
    return body;
}

/// \sum_h O^h W^h of names O^h that the text has: the h above them is no index of them.
void Parser::expect_none_above(const Bound& bound, std::size_t from) const {
    const auto end_of = [&](std::string_view index) -> ExprPtr {
        for (const std::vector<Option>* all : {&bound.sizes, &bound.ends})
            for (const Option& end : *all)
                if (end.name == index) return end.value;
        return nullptr;
    };
    for (std::size_t i = from; i < at_; ++i) {
        const NameParts p = parts_of(reading_.source, tokens_, i);
        if (p.base.empty()) continue;
        if (!p.below.empty() && stands_above(reading_.source, p.below[0])) {  // g^{(n)} of a vector g with d entries
            const ExprPtr end = end_of(p.below[0].text);
            const auto axes = names_of_axes(reading_.id_of(p.base));
            if (end && axes && !axes->empty() && end->kind == Kind::name && (*axes)[0] != end->name)
                fail(tokens_[i], fmt::format("{} goes to {} and counts above {}, which has {} entries: what that is, is not said",
                                             p.below[0].text, end->name, p.base, (*axes)[0]));
        }
        if (!p.has_above || p.above.empty() || is_transpose(reading_.source, p.above)) continue;
        const Token& index = p.above.size() == 3 && p.above[0].is_symbol("(") ? p.above[1] : p.above[0];
        const bool runs = index.kind == letter && std::ranges::find(bound.names, index.text) != bound.names.end();
        const std::string key = runs ? p.key(true, p.has_below, false) : "";
        if (!key.empty() && reading_.is_defined(key) && (p.above.size() == 1 || p.above.size() == 3))
            fail(tokens_[i], fmt::format("{} counts above this name, and is read as a part of it: write it below", index.text));
    }
}

/// \prod_i x_i \cdot a and \prod_t W_t x, where the last factor may stand within the product or behind it. The matrix of
/// \prod_t D_t W stands within.
void Parser::expect_clear_end(const Bound& bound, const Expr& body, std::size_t from) const {
    const bool in_brackets = bracket(tokens_[from]) > 0 && end_of_bracket(from) == at_;
    if (body.kind != Kind::product || body.joints.back() == '/' || in_brackets) return;
    const auto has_index = [&](const ExprPtr& e) {
        return std::ranges::any_of(bound.names, [&](const std::string& index) { return mentions(*e, index); });
    };
    const ExprPtr& last = body.children.back();
    if (has_index(last) || !std::ranges::any_of(body.children, has_index)) return;
    const std::optional<AxisNames> axes = names_of_axes(*last);
    if (axes ? axes->size() != 2 : !has_capital(*last))
        fail(tokens_[from], "how far \\prod goes is not clear: put brackets around what it multiplies");
}

/// Behind \sum, \max or mean: the indices, then what is summed.
ExprPtr Parser::reduction(const std::string& function, std::size_t begin) {
    const Token at = tokens_[begin];
    Tokens below, above;
    while (peek().is_symbol("_") || peek().is_symbol("^")) {
        const bool is_below = peek().is_symbol("_");
        (is_below ? below : above) = script();
    }
    if (function == "min") fail(at, "\\min over an index is not read: write -\\max_j (-x_j)");
    if (below.empty() && above.empty() && at.is_command("\\sum"))
        if (const ExprPtr all = sum_of_all_entries(begin)) return all;
    if (below.empty()) fail(at, fmt::format("expected the index that {0} runs over: {0}_j", at.text));
    const bool turned = (function == "prod" || function == "sum") && goes_down(below, above);
    const bool down = turned && function == "prod";  // the order of terms is none
    if (turned) {
        const Token last = below.back();
        below.pop_back();
        below.insert(below.end(), above.begin(), above.end());
        above = {last};
    }
    Tokens when;
    Bound bound = bound_of(below, above, at, when);
    const std::size_t outside = bound_->size();
    bound_->insert(bound_->end(), bound.names.begin(), bound.names.end());
    if (!when.empty()) bound.add(condition(when, !has_value(when)));
    const std::size_t body_begin = at_;
    ExprPtr body = at.is_command("\\sum") || at.is_command("\\prod") ? product() : operand();
    bound_->resize(outside);
    if (function == "prod") expect_clear_end(bound, *body, body_begin);
    expect_none_above(bound, body_begin);
    expect_both(bound, *body, at);
    if (down) body = finish(begin, transpose(body));  // (A B)^\top = B^\top A^\top
    for (const Option& end : bound.ends) {
        const bool at_an_axis = any_part(*body, [&](const Expr& part) {
            return part.kind == Kind::index && std::any_of(part.children.begin() + 1, part.children.end(),
                                                           [&](const ExprPtr& c) { return mentions(*c, end.name); });
        });
        if (!at_an_axis && function == "prod") fail(at, "a product of as many equal factors is not read: write it as a power");
        if (at_an_axis || function != "sum")
            bound.add(comparison(name(end.name), "<", end.value));
        else
            bound.sizes.push_back(end);
    }
    if (bound.holds && function != "sum" && function != "prod")
        fail(at, "conditions below it are read of sums and products only");
    // Of rows that are all left out a sum of factors still has the size of a row.
    if (bound.holds && function == "sum" && !when.empty() && has_value(when) && is_finite_anywhere(*body))
        body = finish(begin, proof::product(bound.holds, '*', body));
    else if (bound.holds)
        body = finish(begin, call("where", {bound.holds, body, function == "sum" ? proof::number(0) : unit_of(*body)}));
    for (std::string& index : bound.names) body = with_index_of_its_own(index, bound.sizes, body);
    Expr e = node(Kind::reduce, {}, function);
    e.bound = std::move(bound.names);
    e.children = {body};
    if (function == "sum") e.options = std::move(bound.sizes);
    const ExprPtr out = finish(begin, std::move(e));
    return down ? finish(begin, transpose(out)) : out;
}

}  // namespace gradproof::proof::latex
