// Claims of a LaTeX text.
#include "gradproof/core/proof/language/latex/claims.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/latex/assumed.hpp"
#include "gradproof/core/proof/language/latex/conditions.hpp"
#include "gradproof/core/proof/language/latex/last_value.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/own_indices.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/paths.hpp"
#include "gradproof/core/proof/language/latex/sequences.hpp"
#include "gradproof/core/proof/language/latex/side_by_side.hpp"
#include "gradproof/core/proof/language/latex/slope_claims.hpp"
#include "gradproof/core/proof/language/ones.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::latex {

/// With the sizes that identities without one have there.
ExprPtr sized(const ExprPtr& e, const Expr* left, const Statements& to) {
    const Source& source = *to.proof().source;
    const ExprPtr known = with_ones(e, left, to.proof(), to.names(), [&](const Expr& ones) {
        throw ProofError(source, ones.span.begin, "nothing here shows how many ones these are: write \\mathbf{1}_n");
    });
    ExprPtr whole = with_identities(known, left, to.proof(), to.names(), [&](const Expr& identity) {
        throw ProofError(source, identity.span.begin,
                         "nothing here shows the size of this identity: write I_n with its size, or \\operatorname{eye}(n)");
    });
    expect_one_meaning(*whole, left, to);
    return whole;
}

void Claims::add_of_sentences(const Prose& prose, Span text) {
    for (const Equation& e : prose.claims()) put_between(e);
    settle_properties(prose, text);
}

void Claims::keep(Span within) {
    std::erase_if(all_,
                  [&](const Claim& c) { return c.chain[0].span.begin < within.begin || c.chain[0].span.begin >= within.end; });
}

void Claims::judge() {
    // What is said of entries beyond the last goes for all lines.
    std::stable_partition(all_.begin(), all_.end(),
                          [](const Claim& c) { return !c.skipped && c.chain.size() == 1 && is_of_the_end(c.chain[0]); });
    for (const Claim& c : all_) judge(c);
}

/// A claim of a sentence, where it stands; a further link of a chain belongs to the one before.
void Claims::put_between(const Equation& e) {
    if (e.chained)
        for (Claim& l : all_)
            if (l.chain[0].left == e.left) return l.chain.push_back(e);
    const auto behind = std::ranges::find_if(all_, [&](const Claim& l) { return l.chain[0].span.begin > e.span.begin; });
    all_.insert(behind, Claim{{e}, false, false, ""});
}

/// Draws inputs as the text says they are. What it says under a condition, "if $A$ is symmetric", goes for all where all that
/// is claimed of them stands there.
void Claims::settle_properties(const Prose& prose, Span text) {
    for (const Property& p : properties_said(source_, {with_text_before(source_, text).begin, text.begin}))
        if (p.of_all && !p.doubted && !prose.changes_meaning(p.key)) draw_or_assume(p, reading_, to_);
    std::vector<Property> all = prose.properties();
    std::set<std::string> settled;
    std::stable_partition(all.begin(), all.end(), [](const Property& p) { return p.of_all; });
    for (const Property& p : all) {
        const auto is_within = [&](const Claim& l) {
            const std::size_t at = l.chain[0].span.begin;
            return p.where.begin <= at && at < p.where.end;
        };
        const auto is_without = [&](const Claim& l) { return !l.skipped && l.chain[0].span.begin >= p.first && !is_within(l); };
        if (p.doubted) {
            if (p.of_all || std::ranges::any_of(all_, is_within)) doubt(p, reading_, to_);
        } else if (p.of_all ||
                   (!settled.contains(p.key) && std::ranges::any_of(all_, is_within) && std::ranges::none_of(all_, is_without))) {
            draw_or_assume(p, reading_, to_);
            settled.insert(p.key);
        } else if (!settled.contains(p.key)) {
            for (Claim& l : all_)
                if (is_within(l)) l.only_for = said_of(p);
        }
    }
    assume_relations(source_, text, reading_, to_, [&](Span formula) { return says_when_one_holds(formula); });
}

/// Whether a formula says when a claim holds: "for all $i$ such that $x_i > 0$".
bool Claims::says_when_one_holds(Span formula) const {
    const auto has_it = [&](const Equation& e) {
        return std::ranges::any_of(e.range, [&](const Token& t) {
            return t.kind != Token::Kind::words && formula.begin <= t.span.begin && t.span.end <= formula.end;
        });
    };
    return std::ranges::any_of(all_, [&](const Claim& c) { return std::ranges::any_of(c.chain, has_it); });
}
/// Whether what the words before a claim say is said of a value, or of an index on its left.
bool Claims::is_said_of_it(const Equation& e, const Expr& left) const {
    if (e.led == Equation::Led::no) return true;
    const bool of_hinge = e.led == Equation::Led::active || e.led == Equation::Led::inactive;
    if (e.led == Equation::Led::words || (of_hinge && !hinge_of(left, reading_)))
        fail(source_, e.left->front(),
             "the words before it say when it holds, which is not read: write the condition, as in: for $x > 0$");
    if (of_hinge) return true;
    for (std::size_t i = 0; i < e.range.size(); ++i) {
        const NameParts p = name_at(reading_, e.range, i);
        if (p.base.empty()) continue;
        const bool known = names_a_value(reading_, p) && !reading_.names.dims.contains(p.base);
        if (known && e.led == Equation::Led::at)
            fail(source_, e.range.front(), "what is claimed at a point is not read: put it in where the value stands");
        if (known || mentions(left, p.base)) return true;
    }
    return false;
}
/// Unless a sentence says that it, or what it is of, is not what the formulas say.
void Claims::expect_unchanged(const Equation& e) const {
    for (const ChangeSaid& c : changes_) {
        if (!c.is_of(e.span.begin)) continue;
        if (!c.depends.empty()) {
            const NameParts p = name_at(reading_, c.depends, 0);
            const std::string id = p.base.empty() ? "" : reading_.id_of(p.key(p.has_above, p.has_below, p.primed));
            const auto given = std::ranges::find(to_.proof().given, id, &Given::name);
            if (p.end != c.depends.size() || given == to_.proof().given.end()) continue;
        }
        fail(source_, e.left->front(), c.why);
    }
}
/// "For general $A$," of an A that is taken to be symmetric above.
void Claims::expect_no_assumption_lifted(const Equation& e, const Expr& left, const Expr& right) const {
    const auto fails = [&](const Given& g) {
        fail(source_, e.left->front(),
             fmt::format("it is said of any {0}, and the text says above what {0} is like: put it into a section of its own",
                         g.name));
    };
    for (const Given& g : to_.proof().given) {
        const bool assumed = g.fill != Fill::normal && g.fill != Fill::literal && g.fill != Fill::index;
        const bool of_domain = g.fill == Fill::positive || g.fill == Fill::uniform;  // "for all $x$" may be those
        const bool label = g.fill == Fill::onehot || g.fill == Fill::distribution;
        const auto is_of_it = [&](const Expr& part) { return part.name == g.name || part.other == g.name; };
        if (!assumed || (!any_part(left, is_of_it) && !any_part(right, is_of_it))) continue;
        if (e.in_general && !label && !(of_domain && g.shape.empty())) fails(g);
        for (const Tokens& any : e.of_any) {
            const NameParts p = name_at(reading_, any, 0);
            if (!of_domain && !p.base.empty() && reading_.id_of(p.key(p.has_above, p.has_below, p.primed)) == g.name) fails(g);
        }
    }
}
/// Of dL/dx = \partial L/\partial x + ...: on the right other values may be held fixed.
void Claims::expect_no_explicit_part(const Equation& e, const Expr& left, const Tokens& written, const Expr& right) const {
    const auto has_partial = [&](const Tokens& t) {
        return source_.slice({t.front().span.begin, t.back().span.end}).find("\\partial") != std::string_view::npos;
    };
    if (left.kind != Kind::gradient || has_partial(*e.left) || !has_partial(written)) return;
    bool of_the_same = false;
    for_each(right, [&](const Expr& part) { of_the_same |= part.kind == Kind::gradient && part.name == left.name; });
    if (!of_the_same) return;
    fail(source_, written.front(),
         fmt::format("beside a total derivative, \\partial by {} may be meant with other values held fixed: write what it is",
                     left.name));
}
void Claims::judge(Claim l) {
    own_indices(source_, reading_, l.chain);
    const Equation& e = l.chain.front();
    std::vector<std::string> texts;
    for (const Equation& link : l.chain) {
        texts.push_back(shown(source_, link.span));
        if (link.chained)
            texts.back() = shown(source_, {link.left->front().span.begin, link.left->back().span.end}) + " " + texts.back();
    }
    if (l.skipped) return to_.skip(statement(e), l.expected, texts[0], l.why);
    const bool nothing_claimed = std::ranges::all_of(l.chain, &Equation::demanded);
    if (nothing_claimed) return show_demanded(l, texts);
    if (!l.only_for.empty()) return lose(l, texts);
    const auto side = [&](const Tokens& t, const Expr* left) {
        return sized(by_entry_of_slope(Parser(reading_, t).whole(), *e.left, reading_), left, to_);
    };
    const JudgedLine::Type type = l.expected ? JudgedLine::Type::expect : JudgedLine::Type::claim;
    Equality equality;
    equality.called_jacobian = e.called_jacobian;
    std::vector<std::string> told;  // of the links that are read
    Statement first;
    for (std::size_t i = 0; i < l.chain.size(); ++i) {
        if (l.chain[i].demanded) continue;
        to_.attempt(
            [&] {
                return LostLine{statement(l.chain[i]), type, texts[i]};
            },
            [&] {
                expect_unchanged(l.chain[i]);
                reading_.indices.clear();
                reading_.of_claim.clear();
                if (!equality.left) equality.left = of_last_value(*e.left, side(*e.left, nullptr), reading_);
                reading_.indices = names_in(*equality.left);
                reading_.of_claim = *e.left;
                ExprPtr right = side(l.chain[i].right, equality.left.get());
                expect_no_explicit_part(e, *equality.left, l.chain[i].right, *right);
                expect_no_assumption_lifted(e, *equality.left, *right);
                if (e.of_numbers) right = Parser::by_entries(right);
                if (!e.added.empty() && i == 0) equality.left = with_added(equality.left, side(e.added, nullptr), reading_);
                equality.left = along_a_path(
                    equality.left, *right, [&](const std::string& v) { return said_besides(v); }, reading_);
                if (l.chain.size() == 1) equality.left = by_entry_of(*right, equality.left);
                if (told.empty()) first = statement(l.chain[i]);
                told.push_back(texts[i]);
                if (equality.right)
                    equality.further.push_back(right);
                else
                    equality.right = right;
            });
    }
    if (!equality.right) return;
    to_.attempt(
        [&] {
            return LostLine{first, type, told[0]};
        },
        [&] {
            const bool active = e.led == Equation::Led::active, of_hinge = active || e.led == Equation::Led::inactive;
            if (of_hinge && is_said_of_it(e, *equality.left))
                equality.holds =
                    comparison(hinge_of(*equality.left, reading_), active ? ">" : "<", proof::number(0), reading_.names);
            for (const Equation& link : l.chain)
                if (!is_said_of_it(link, *equality.left))
                    continue;
                else if (const IndexRanges ranges = ranges_of(link, reading_); !ranges.before_last.empty())
                    equality.holds = before_the_last(*equality.left, ranges.before_last, to_);
                else if (ranges.holds)
                    set_where(link, ranges.holds, equality);
            to_.judge(first, equality, l.expected, told);
        });
    show_demanded(l, texts);
}

/// Not \nabla L \ne 0 and L > 0 in a list behind a claim: they are claimed, too. "if $L > 0$" is a condition.
void Claims::expect_condition(const Equation& e, const Expr& holds) const {
    const bool of_gradient = contains(holds, Kind::gradient) || contains(holds, Kind::jacobian);
    const Token& first = e.range.front();
    const bool in_words = first.kind == Token::Kind::words ||
                          has_any(plain_words(source_.slice({e.span.begin, std::max(e.span.begin, first.span.begin)})),
                                  {" if ", " for ", " when ", " where ", " whenever ", " unless ", " on ", " with "});
    const bool of_loss = e.led == Equation::Led::no && !in_words && any_part(holds, [&](const Expr& part) {
                             return part.kind == Kind::name && to_.names().is_loss(part.name);
                         });
    if (of_gradient || of_loss)
        fail(source_, e.range.front(), "a relation of a gradient or of the loss is no condition of a claim, and not read");
}

/// Where a line holds, and how the words around it say so.
void Claims::set_where(const Equation& e, const ExprPtr& holds, Equality& equality) const {
    expect_condition(e, *holds);
    equality.holds = on_the_left(e, *equality.left, holds, reading_);
    if (equality.holds && e.led == Equation::Led::where) equality.where = shown_conditions(source_, e.range);
}

/// What claims say that a value is.
std::vector<ExprPtr> Claims::said_besides(const std::string& value) const {
    std::vector<ExprPtr> out;
    for (const Claim& c : all_) {
        if (c.skipped || c.expected || !c.only_for.empty() || std::ranges::any_of(c.chain[0].range, is_equals)) continue;
        const NameParts p = name_at(reading_, *c.chain[0].left, 0);
        if (p.base.empty() || p.end != c.chain[0].left->size() ||
            reading_.id_of(p.key(p.has_above, p.has_below, p.primed)) != value)
            continue;
        for (const Equation& link : c.chain) {
            try {
                out.push_back(sized(Parser(reading_, link.right).whole(), nullptr, to_));
            } catch (const ProofError&) {  // told where it is judged
            }
        }
    }
    return out;
}

/// Of a line that goes for some inputs alone.
void Claims::lose(const Claim& l, const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i < l.chain.size(); ++i)
        to_.attempt(
            [&] {
                return LostLine{statement(l.chain[i]), l.expected ? JudgedLine::Type::expect : JudgedLine::Type::claim, texts[i]};
            },
            [&] {
                fail(source_, l.chain[i].left->front(),
                     fmt::format("it is said of {} only, and other lines are not: assume it for the whole text, or write this "
                                 "into a section of its own that states its inputs",
                                 l.only_for));
            });
}

/// Of \nabla_b L = \sum_i M_{ij}, whose right side is an entry j, the entry on the left.
ExprPtr Claims::by_entry_of(const Expr& right, const ExprPtr& left) const {
    const bool whole = left->kind == Kind::gradient || (left->kind == Kind::jacobian && left->children.empty());
    const auto axes = whole ? axis_names(*left, to_.proof(), &to_.names()) : std::nullopt;
    const std::set<std::string> free = axes && axes->size() == 1 ? free_indices(right, to_.names()) : std::set<std::string>{};
    if (free.size() != 1) return left;
    Expr out = *entry_at(left, {*free.begin()});
    out.span = left->span;
    out.spelling = left->spelling;
    return make(std::move(out));
}

/// What says what is sought, as \nabla L \overset{!}{=} 0, is shown and not judged.
void Claims::show_demanded(const Claim& l, const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i < l.chain.size(); ++i)
        if (l.chain[i].demanded)
            to_.skip(statement(l.chain[i]), l.expected, texts[i],
                     is_zero(l.chain[i].right) ? "it says where the gradient is to be 0, and not that it is"
                                               : "it is said of where the gradient is 0");
}

}  // namespace gradproof::proof::latex
