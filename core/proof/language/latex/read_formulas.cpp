// Formulas of a LaTeX text: their equations, what the words before say of them, and those that are read together.
#include "gradproof/core/proof/language/latex/reader.hpp"

#include <algorithm>
#include <utility>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/latex/conditions_of_claims.hpp"
#include "gradproof/core/proof/language/latex/inner_parts.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/order.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/rewritten.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"
#include "gradproof/core/proof/language/latex/totals.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

namespace {

/// Whether an equation claims a derivative of it: "some gradients: $f(x) = ..., \nabla f(x) = ...$" calls f none.
bool is_derived_in(const Source& source, const std::vector<Equation>& all, const NameParts& name) {
    return std::ranges::any_of(all, [&](const Equation& e) {
        if (!e.left || e.note.kind == note || std::ranges::none_of(*e.left, is_derivative_sign)) return false;
        for (std::size_t i = 0; i < e.left->size(); ++i)
            if (parts_of(source, *e.left, i).base == name.base) return true;
        return false;
    });
}

}  // namespace

/// All of its equations; where that is not possible, row by row.
void Reader::formula(const Document& document, const Part& part, const Prose& prose) {
    const Span between{std::min(behind_, part.span.begin), part.span.begin};
    const bool sets_to_zero = says_to_set_to_zero(source_.slice(between));
    const Lead lead = lead_of(source_, between);
    behind_ = part.span.end;
    std::optional<std::vector<Equation>> all;
    try {
        all = equations_of(source_, {{}, document.expanded(part.tokens), part.span});
    } catch (const ProofError&) {
        if (to_.refuses()) throw;
    }
    if (all) turn_zeros(*all);
    if (all) prose.inversions().turn(*all);
    if (all)
        for (Equation& e : *all) elsewhere_.complete(e);
    if (all) {
        std::vector<Equation*> claims;
        for (bool names_gradient = false; Equation & e : *all) {
            if (!e.chained) names_gradient = std::ranges::any_of(e.right, is_derivative_sign);
            if (led(e, lead, sets_to_zero, e.chained && names_gradient)) claims.push_back(&e);
            e.called_gradient = e.called_gradient && (lead.gradients || &e == &all->front()) &&
                                !is_derived_in(source_, *all, parts_of(source_, *e.left, 0));
        }
        add_conditions(claims, between);
        bool replaced = false;
        std::erase_if(*all, [&](const Equation& e) { return replaced = e.chained ? replaced : prose.is_replaced(e); });
        return gather(std::move(*all));
    }
    take_gathered();
    for (const Part& row : rows_of(part)) {
        const Span shown_at{row.tokens.empty() ? row.span.begin : row.tokens.front().span.begin, row.span.end};
        to_.attempt([&] { return lost_row(row.tokens, shown_at); },
                    [&] {
                        gather(equations_of(source_, {{}, document.expanded(row.tokens), row.span}));
                        take_gathered();
                    });
    }
}

/// \nabla J = 0 of 0 = \nabla J = ...: what is sought, and what the gradient is.
void Reader::turn_zeros(std::vector<Equation>& all) {
    std::shared_ptr<const Tokens> zero, gradient;
    for (Equation& e : all) {
        const bool begins = e.left && !e.chained && is_zero(*e.left) && std::ranges::any_of(e.right, is_derivative_sign);
        if (begins) {
            zero = e.left;
            gradient = std::make_shared<const Tokens>(e.right);
            e.right = *e.left;
            e.demanded = true;
        }
        if (zero && e.left == zero) e.left = gradient;
    }
}

/// What the words before a formula say of it.
/// `goes_on`: it is claimed of a gradient that the first link of its chain names, \delta_i := \partial L / \partial x_i.
/// Whether it is a claim that may hold under a condition.
bool Reader::led(Equation& e, const Lead& lead, bool sets_to_zero, bool goes_on) const {
    if (!e.left || e.note.kind == note) return false;
    const bool of_gradient = goes_on || std::ranges::any_of(*e.left, is_derivative_sign);
    const NameParts p = name_at(reading_, *e.left, 0);
    const bool named = !p.base.empty() && p.end == e.left->size();
    const bool equation_of_optimum = sets_to_zero && !named && !of_gradient && !e.chained;  // (X^\\top X) w = X^\\top y
    e.demanded = e.demanded || equation_of_optimum || (sets_to_zero && is_zero(e.right) && (of_gradient || !named));
    e.solves = sets_to_zero && named && !of_gradient && !is_zero(e.right);
    e.anew = lead.anew && named;
    e.called_jacobian = lead.jacobian;
    const bool called = !p.base.empty() && p.end < e.left->size() && (*e.left)[p.end].is_symbol("(");
    e.called_gradient =
        lead.gradient && (named || called) && !of_gradient && !e.chained && std::ranges::none_of(e.right, is_derivative_sign);
    if (of_gradient) e.added = lead.added;
    if (of_gradient && lead.in_words) e.led = led_by(lead);
    return of_gradient && e.range.empty() && e.led == Equation::Led::no;
}

/// What stands before a formula is said of all its claims, and what stands behind it of the last one.
void Reader::add_conditions(const std::vector<Equation*>& claims, Span between) {
    for (Equation* const e : claims) {
        ConditionsOfClaims of_one = conditions_;
        const bool last = e == claims.back();
        (last ? conditions_ : of_one).add_to(*e, between, {behind_, last ? text_.end : behind_});
    }
}

/// A row of which not even the equations are known; without derivatives, it may define or change what it begins with.
LostLine Reader::lost_row(const Tokens& row, Span shown_at) const {
    LostLine out{statement(shown_at), JudgedLine::Type::claim, shown(source_, shown_at)};
    if (std::any_of(row.begin(), row.end(), is_derivative_sign)) return out;
    const auto first = std::find_if_not(row.begin(), row.end(), [](const Token& t) { return t.is_symbol("&"); });
    out.defines = ids_of(reading_, name_at(reading_, row, static_cast<std::size_t>(first - row.begin())));
    return out;
}

/// Formulas up to the next note are read together: a line may use what a later formula defines.
void Reader::gather(std::vector<Equation> all) {
    const bool has_notes = std::ranges::any_of(all, [](const Equation& e) { return e.note.kind == note; });
    if (has_notes) take_gathered();
    for (Equation& e : all)
        if (e.note.kind != note && is_new_name(e)) e = by_entries_of_function(std::move(e), reading_);
    begins_first(all);
    for (Equation& e : all) gathered_.push_back(std::move(e));
    if (has_notes || mode_.skip_next) take_gathered();
}

void Reader::gather_asides(Prose& prose, std::size_t before) {
    for (Equation& e : prose.definitions_before(before))
        gathered_.insert(begins(e) ? gathered_.begin() : gathered_.end(), std::move(e));
}

bool Reader::is_new_name(const Equation& e) const {
    return e.left && !e.chained && !names_a_value(reading_, name_at(reading_, *e.left, 0));
}

bool Reader::begins(const Equation& e) const {
    if (!e.left || e.note.kind == note || e.chained) return false;
    const NameParts p = name_at(reading_, *e.left, 0);
    const bool zero = flat(source_, p.below) == "0" || flat(source_, p.above) == "(0)";
    return p.end == e.left->size() && zero && !names_a_value(reading_, p);
}

/// X_0 = ... goes before what follows from it: often it stands behind.
void Reader::begins_first(std::vector<Equation>& all) const {
    if (std::none_of(all.begin(), all.end(), [](const Equation& e) { return e.chained; }))
        std::stable_partition(all.begin(), all.end(), [&](const Equation& e) { return begins(e); });
}

/// The names on the left, and those of sequences.
void Reader::announce(const std::vector<Equation>& all) {
    reading_.coming.clear();
    reading_.passed.clear();
    reading_.announced.clear();
    for (const Equation& e : all) {
        if (!e.left || e.chained || e.note.kind == note) continue;
        const NameParts p = name_at(reading_, *e.left, 0);
        if (p.end == e.left->size() || (*e.left)[p.end].is_symbol("(")) {  // of z_i - z_j = ... nothing
            reading_.coming.insert(p.base);
            reading_.defined_bases.insert(p.base);
        }
        if (!p.primed && p.end < e.left->size() && (*e.left)[p.end].is_symbol("("))
            reading_.functions.insert(p.key(p.has_above, p.has_below, false));
        const bool indexed = p.end == e.left->size() && !names_a_value(reading_, p) && !is_gradient(reading_, p) &&
                             !indices_of(reading_, p, e.right).empty();
        const std::string key = indexed ? p.key(p.has_above, false, p.primed) : "";
        if (!key.empty() && !reading_.names.defined(reading_.id_of(key)))
            reading_.announced.insert(reading_.define_rows(key, *e.left, p));
    }
    to_.announce(reading_.announced);
}

void Reader::take_gathered() {
    std::vector<Equation> all = std::exchange(gathered_, {});
    for (std::size_t i = 0; i + 1 < all.size(); ++i)  // what follows in a chain is claimed of the function
        if (all[i].note.kind != note && meanings_.is_taken(all[i]) && all[i + 1].chained) all[i + 1].chained = false;
    std::erase_if(all, [&](const Equation& e) { return e.note.kind != note && meanings_.is_taken(e); });
    for (Equation& e : all)
        if (e.note.kind != note) e = by_entries_of_matrix(std::move(e), source_);
    if (mode_.section != Section::claim) {
        with_own_names_of_summands(all, reading_);
        with_inner_parts(all, reading_);
        with_jacobians(all, reading_);
        with_named_parts(all, reading_);
        put_in_order(all, reading_);
        announce(all);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Equation& e = all[i];
        if (e.note.kind == note) {
            annotate(e.note, reading_, to_, mode_);
            continue;
        }
        if (e.left) reading_.passed.insert(name_at(reading_, *e.left, 0).base);
        const bool chain = i + 1 < all.size() && all[i + 1].chained && all[i + 1].left == e.left;
        if (!mode_.passing) equation(e, chain);
    }
}

}  // namespace gradproof::proof::latex
