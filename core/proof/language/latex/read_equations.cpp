// Equations of a LaTeX text: forward lines, claims, and what is lost.
#include "gradproof/core/proof/language/latex/reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/latex/conditions.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/sequences.hpp"
#include "gradproof/core/proof/language/latex/unsummed.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

/// `chain`: a further link follows. Of R = D(p, q) = \frac12 \sum ... the second link says what R is where the first is not
/// read.
void Reader::equation(const Equation& given, bool chain) {
    Equation e = given;
    begins_lost_ = begins_lost_ && e.chained;
    const bool takes_over = e.chained && now_ == Now::lost && std::exchange(begins_lost_, false) && defines_anew(e);
    e.chained = e.chained && !takes_over;
    if (++count_ > kMostStatements)
        throw ProofError(source_, e.span.begin,
                         fmt::format("{} equations or more, at most {} in a file (kMostStatements)", count_, kMostStatements));
    if (e.in_line) return aside(e);
    if (!e.chained) skipping_ = std::exchange(mode_.skip_next, false);
    if (skipping_) {
        if (!mode_.why.empty()) claims_.skip(e, std::exchange(mode_.why, ""));
        return;
    }
    if (e.chained && now_ == Now::claim) return claims_.go_on(e);
    const bool goes_on = e.chained && now_ == Now::lost;
    if (!goes_on) now_ = Now::lost;
    to_.attempt(
        [&] {
            begins_lost_ = chain && !goes_on;
            return lost(e, !goes_on && !(chain && defines_anew(e)));
        },
        [&] {
            if (goes_on)
                fail(source_, e.right.empty() ? e.left->front() : e.right[0], "it goes on with an equation that is not read");
            if (e.anew && !e.chained && !is_new(e) && !is_gradient(reading_, name_at(reading_, *e.left, 0)))
                fail(source_, e.left->front(), "the words before it give a name a new value: write a name of its own");
            if (!e.chained && is_step_of_training(e)) return claims_.skip(e, "a step of training, which is not judged");
            if (!e.chained && is_new(e)) {
                if (e.called_gradient) lose_gradient_in_words(e);
                if (e.solves) claims_.skip(e, "it is said of where the gradient is 0, and not judged");
                return assign(e);
            }
            expect_no_size(e);
            expect_same_letters(e);
            if (e.of_optimum) fail(source_, e.left->front(), "what the least or the greatest of a value is, is not read");
            now_ = Now::claim;
            Equation claim = e;
            claim.of_numbers = is_of_function(e);
            claims_.add(claim, mode_.section == Section::expect);
        });
}

bool Reader::defines_anew(Equation e) const {
    e.chained = false;
    try {
        return std::ranges::none_of(*e.left, is_derivative_sign) && std::ranges::none_of(e.right, is_derivative_sign) &&
               is_new(e);
    } catch (const ProofError&) {  // told where it is read
        return false;
    }
}

/// w_{t+1} = w_t - \eta \nabla_w L and w^{(t+1)} = ... of an input w.
bool Reader::is_step_of_training(const Equation& e) const {
    const NameParts p = e.left->empty() ? NameParts{} : parts_of(source_, *e.left, 0);
    const Tokens& step = p.has_below ? p.below : p.above;
    const bool next = step.size() > 2 && std::ranges::any_of(step, [](const Token& t) { return t.is_symbol("+"); });
    const auto given = std::ranges::find(to_.proof().given, p.base, &Given::name);
    if (!next || p.end != e.left->size() || given == to_.proof().given.end() || std::ranges::none_of(e.right, is_derivative_sign))
        return false;
    for (std::size_t i = 0; i < e.right.size(); ++i)
        if (parts_of(source_, e.right, i).base == p.base) return true;
    return false;
}

/// h = \tanh(W x) beside W \in \mathbb{R}^{h \times d}
void Reader::expect_no_size(const Equation& e) const {
    const NameParts p = name_at(reading_, *e.left, 0);
    const std::string id = p.base.empty() || p.has_below ? "" : reading_.id_of(p.base);
    if (p.end == e.left->size() && e.right.size() > 2 && reading_.names.dims.contains(id) && !reading_.names.values.contains(id))
        fail(source_, e.left->front(), fmt::format("{} is a size in this text, too: give the value another letter", id));
}

/// \delta_j = (1 - z_j^2) \sum_k w_{kj} \delta_k behind \delta_k = y_k - t_k: in some texts the letters say of which layer it is.
void Reader::expect_same_letters(const Equation& e) const {
    const NameParts p = e.left->empty() ? NameParts{} : name_at(reading_, *e.left, 0);
    if (p.base.empty() || p.end != e.left->size() || p.below.size() != 1 || !is_small_letter(p.below[0])) return;
    const std::string id = reading_.id_of(p.key(p.has_above, false, p.primed)), letter(p.below[0].text);
    const Assignment* const value = to_.proof().find(id);
    if (value == nullptr || value->indices.size() != 1 || value->indices[0] == letter) return;
    for (std::size_t i = 0; i < e.right.size(); ++i) {
        const NameParts other = name_at(reading_, e.right, i);
        if (other.base == p.base && other.below.size() == 1 && other.below[0].text == value->indices[0])
            fail(source_, e.left->front(),
                 fmt::format("{0}_{1} is computed of {0}_{2}: if they are two arrays, give each a name of its own", p.base,
                             letter, value->indices[0]));
    }
}

/// "Its gradient is $g(w) = ...$"
void Reader::lose_gradient_in_words(const Equation& e) {
    to_.attempt(
        [&] {
            return LostLine{statement(e), JudgedLine::Type::claim, shown(source_, e.span)};
        },
        [&] {
            fail(source_, e.left->front(),
                 "the words before it call it a gradient, and its name does not say of what and by what: write "
                 "\\nabla_x L = ...");
        });
}

/// A definition within a sentence; where it is not understood, it says nothing.
void Reader::aside(const Equation& e) {
    const Now before = now_;
    try {
        if (mode_.section != Section::expect && is_new(e)) assign(e);
    } catch (const ProofError& error) {
        reading_.sequence.clear();
        reading_.unread.emplace(name_at(reading_, *e.left, 0).base, error.message());
    }
    now_ = before;
}

/// What is lost where it cannot be read.
LostLine Reader::lost(const Equation& e, bool defines) const {
    LostLine out{statement(e), JudgedLine::Type::claim, shown(source_, e.span)};
    if (!defines) return out;
    if (mode_.section != Section::claim && std::none_of(e.right.begin(), e.right.end(), is_derivative_sign))
        out.type = JudgedLine::Type::forward;
    const NameParts p = name_at(reading_, *e.left, 0);
    if (p.base.empty()) return out;
    if (!is_marked(p)) out.defines = ids_of(reading_, p);
    out.defines.push_back(joined(*e.left, 0, p.end));
    out.is_loss = mode_.losses.contains(p.key(p.has_above, p.has_below, p.primed)) || to_.names().is_loss(p.base);
    for (std::size_t i = 0; i < e.right.size(); ++i) {
        const std::vector<std::string> ids = ids_of(reading_, name_at(reading_, e.right, i));
        out.uses.insert(out.uses.end(), ids.begin(), ids.end());
    }
    return out;
}

/// Whether its left side is a name, or entries of a name, that nothing has yet.
bool Reader::is_new(const Equation& e) const {
    if (mode_.section == Section::expect) return false;
    const NameParts p = parts_of(source_, *e.left, 0);
    if (p.base.empty() || (p.end != e.left->size() && !arguments_of(reading_, *e.left, p))) {
        if (mode_.section == Section::forward)
            fail(source_, e.left->front(), "the left of a forward equation is a name, or a name with indices");
        return false;
    }
    if (mode_.section == Section::forward) return true;
    if (p.primed && may_be_slope(reading_, p)) return false;  // f'(x) = ... is claimed of f(x)
    if (p.has_below && reading_.meanings.contains(function_key(p)) && p.end != e.left->size()) return false;
    return (!names_a_value(reading_, p) || has_name_of_its_own(reading_, p, e.right)) && !is_gradient(reading_, p);
}

/// \rho_\delta'(r) = ..., of a function that the text defines.
bool Reader::is_of_function(const Equation& e) const {
    const NameParts p = name_at(reading_, *e.left, 0);
    if (p.base.empty() || p.end >= e.left->size() || !(*e.left)[p.end].is_symbol("(")) return false;
    const NameParts of = name_at(reading_, *e.left, p.end + 1);
    const bool one = !of.base.empty() && of.end + 1 == e.left->size() && !of.has_below;
    const bool value = p.has_below && reading_.arguments.contains(reading_.id_of(p.key(p.has_above, true, false)));
    return one && (value || reading_.meanings.contains(p.has_below ? function_key(p) : p.base));
}

void Reader::assign(const Equation& e) {
    if (unfit_.contains(e.span.begin))
        fail(source_, e.left->front(),
             "no shapes of what the text does not declare make it fit together with the other formulas");
    const NameParts p = parts_of(source_, *e.left, 0);
    const std::vector<std::string> indices = indices_of(reading_, p, e.right);
    const bool indexed = !indices.empty();
    if (!indexed) expect_no_range_of_a_sum(e, source_);
    if (!to_.sums_are_implied()) expect_summed(e, source_);
    const std::string key = p.key(p.has_above, p.has_below && !indexed, p.primed);
    if (key.empty()) fail(source_, e.left->front(), "the left of a forward equation is a name, or a name with indices");
    Expr name = node(Kind::name);
    name.span = {e.left->front().span.begin, e.left->back().span.end};
    name.spelling = reading_.spelling;
    name.name = indexed ? reading_.define_rows(key, *e.left, p) : reading_.define(key, *e.left, 0, p.end);
    const bool named = mode_.losses.size() > 1 && mode_.losses.contains(key);
    const bool is_loss =
        named || ((mode_.losses.contains(key) || to_.names().is_loss(name.name)) && to_.names().loss.empty() && !indexed);
    const std::string id = name.name;
    const Span span = name.span;
    if (const auto arguments = arguments_of(reading_, *e.left, p)) reading_.arguments[id] = *arguments;
    to_.expect_free(id, span, true);
    Equality equality{make(std::move(name)), nullptr, {}, nullptr};
    if (indexed) {
        Expr at = *entry_at(equality.left, indices);
        at.span = equality.left->span;
        equality.left = make(std::move(at));
    }
    if (indexed) reading_.sequence = id;
    reading_.indices = {indices.begin(), indices.end()};
    equality.right = right_of(e);
    reading_.sequence.clear();
    if (indexed && says_zero_padding(source_.slice(text_))) equality.right = to_.padded_with_zeros(equality.right, indices, id);
    const IndexRanges ranges = ranges_of(e, reading_);
    expect_of_all_entries(e, ranges, reading_);
    if (!indexed && !p.has_below) expect_no_indices(e, ranges, reading_);  // s_1 = x_1 stands beside s_t = ..., t > 1
    if (indexed) say_where_it_holds(e, key, ranges, equality, reading_, to_);
    add_sizes_by_labels(indices, *equality.right, reading_, equality.extents);
    const bool of_gradients = contains(*equality.right, Kind::gradient) || contains(*equality.right, Kind::jacobian) ||
                              contains(*equality.right, Kind::helper);
    now_ = of_gradients || mode_.section == Section::claim ? Now::helper : Now::forward;
    if (now_ == Now::helper) return to_.define_helper(id, span, equality, statement(e));
    try {
        if (!indexed) equality.right = as_number(equality.right);
        to_.assign(statement(e), id, equality, is_loss);
    } catch (const Slip& slip) {  // what defines a value is no claim that could be wrong
        throw ProofError(source_, slip.offset(), slip.message() + ": write the sum, or say  % gradproof: einstein");
    }
    if (is_loss && !named) reading_.spelling->loss = reading_.spelling->names[id];
}

/// Of f = x A x^\top with an x \in \mathbb{R}^{1 \times n} the number that its one entry is.
ExprPtr Reader::as_number(const ExprPtr& right) const {
    const auto axes = right->kind == Kind::product ? axis_names(*right, to_.proof(), &reading_.names) : std::nullopt;
    if (!axes || axes->size() != 2 || axes->front() != "1" || axes->back() != "1") return right;
    Expr out = *call("sum", {right});
    out.span = right->span;
    out.spelling = right->spelling;
    return make(std::move(out));
}

ExprPtr Reader::right_of(const Equation& e) {
    try {
        const ExprPtr right = Parser(reading_, e.right).whole();
        return first_ ? right : sized(right, nullptr, to_);
    } catch (const ProofError&) {
        reading_.sequence.clear();
        throw;
    }
}

}  // namespace gradproof::proof::latex
