// Derivations as they stand in LaTeX: which equations are forward, and which are claims.
#include "gradproof/core/proof/language/latex/read.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/latex/annotations.hpp"
#include "gradproof/core/proof/language/latex/asides.hpp"
#include "gradproof/core/proof/language/latex/assumed.hpp"
#include "gradproof/core/proof/language/latex/conditions.hpp"
#include "gradproof/core/proof/language/latex/conventions_said.hpp"
#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/last_value.hpp"
#include "gradproof/core/proof/language/latex/lead.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/meanings.hpp"
#include "gradproof/core/proof/language/latex/missing.hpp"
#include "gradproof/core/proof/language/latex/order.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/properties.hpp"
#include "gradproof/core/proof/language/latex/prose.hpp"
#include "gradproof/core/proof/language/latex/rewritten.hpp"
#include "gradproof/core/proof/language/latex/said.hpp"
#include "gradproof/core/proof/language/latex/sequences.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"
#include "gradproof/core/proof/language/ones.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// The reader of one text.
class Reader {
  public:
    Reader(const std::shared_ptr<const Source>& source, Span text, Statements& to)
        : source_(*source),
          text_(text),
          to_(to),
          reading_{*source, to.names(), to.proof(), std::make_shared<LatexSpelling>()},
          meanings_(*source, with_text_before(*source, text)) {
        reading_.adjoint = said_of_adjoints(*source, with_text_before(*source, text));
        const std::string_view all = source_.slice(text);
        for (const char* from_zero : {"=0}^", "= 0}^", "=0}^ "})
            if (all.find(from_zero) != std::string_view::npos) reading_.spelling->first = 0;
    }

    void read() {
        if (text_.begin > 0) to_.begins_at(text_.begin);  // a file begins with itself, whatever it takes in first
        Prose prose(source_, text_);
        const ConventionsSaid conventions = conventions_said(source_, with_text_before(source_, text_));
        settle_conventions(conventions);
        if (!prose.declare(reading_, to_) && to_.proof().given.empty() && !has_annotations(source_, text_))
            fail_without_annotations(source_, text_, prose.definitions());
        Document document(source_, text_);
        while (const std::optional<Part> part = document.next()) {
            gather_asides(prose, part->span.begin);
            if (part->note.kind == note) {
                take_gathered();
                annotate(part->note, reading_, to_, mode_);
            } else {
                prose.declare(reading_, to_);
                settle_meanings(prose);
                formula(document, *part);
            }
            document.pass_over(mode_.passing);
        }
        gather_asides(prose, text_.end);
        take_gathered();
        for (const Input& input : document.left_out()) lose_file(input);
        for (const Equation& e : prose.claims()) put_between(e);
        settle_properties(prose);
        for (const Tokens& name : conventions.stopped) stop(name);
        // What is said of entries beyond the last goes for all lines.
        std::stable_partition(later_.begin(), later_.end(),
                              [](const Later& l) { return !l.skipped && l.chain.size() == 1 && is_of_the_end(l.chain[0]); });
        for (const Later& l : later_) judge(l);
    }

  private:
    struct Later {
        std::vector<Equation> chain;
        bool expected = false, skipped = false;
        std::string why;
        std::string only_for{};  ///< "symmetric A", where other lines are meant for every A
    };
    /// A claim of a sentence, where it stands; a further link of a chain belongs to the one before.
    void put_between(const Equation& e) {
        if (e.chained)
            for (Later& l : later_)
                if (l.chain[0].left == e.left) return l.chain.push_back(e);
        const auto behind = std::ranges::find_if(later_, [&](const Later& l) { return l.chain[0].span.begin > e.span.begin; });
        later_.insert(behind, Later{{e}, false, false, ""})->chain[0].in_line = true;
    }

    /// Draws inputs as the text says they are. What it says under a condition, "if $A$ is symmetric", goes for all where all that
    /// is claimed of them stands there.
    void settle_properties(const Prose& prose) {
        for (const Property& p : properties_said(source_, {with_text_before(source_, text_).begin, text_.begin}))
            if (p.of_all && !prose.changes_meaning(p.key)) draw_or_assume(p, reading_, to_);
        std::vector<Property> all = prose.properties();
        std::set<std::string> settled;
        std::stable_partition(all.begin(), all.end(), [](const Property& p) { return p.of_all; });
        for (const Property& p : all) {
            const auto is_within = [&](const Later& l) {
                const std::size_t at = l.chain[0].span.begin;
                return p.where.begin <= at && at < p.where.end;
            };
            const auto is_without = [&](const Later& l) {
                return !l.skipped && l.chain[0].span.begin >= p.first && !is_within(l);
            };
            if (p.of_all || (!settled.contains(p.key) && std::ranges::any_of(later_, is_within) &&
                             std::ranges::none_of(later_, is_without))) {
                draw_or_assume(p, reading_, to_);
                settled.insert(p.key);
            } else if (!settled.contains(p.key)) {
                for (Later& l : later_)
                    if (is_within(l)) l.only_for = said_of(p);
            }
        }
        assume_relations(source_, text_, reading_, to_);
    }

    void settle_conventions(const ConventionsSaid& said) {
        if (said.layout != Layout::unsaid) {
            const char* const layout = said.layout == Layout::denominator ? "denominator" : "numerator";
            to_.convention("layout", layout, {text_.begin, text_.begin});
            to_.holds_for(fmt::format("{} layout", layout));
        }
        if (said.gradients == Vectors::unsaid) return;
        to_.gradients_lie(said.gradients);
        to_.holds_for("gradients as rows");
    }
    /// "we do not backpropagate through $y$".
    void stop(const Tokens& name) {
        const NameParts p = name_at(reading_, name, 0);
        if (p.base.empty() || p.end != name.size()) return;
        const std::string id = reading_.id_of(p.key(p.has_above, p.has_below, p.primed));
        if (to_.stop(id)) to_.holds_for(fmt::format("no gradient through {}", id));
    }

    Statement statement(const Equation& e) const { return statement(e.span); }
    Statement statement(Span s) const { return {s, source_.line(s.begin)}; }

    /// Before the first formula, behind the comments above it.
    void settle_meanings(const Prose& prose) {
        if (std::exchange(settled_, true)) return;
        const Meanings::Known known{prose.defined_bases(), prose.stated_bases()};
        meanings_.settle(reading_, known);
        for (const std::string& said : meanings_.texts(reading_, known)) to_.holds_for(said);
        std::erase_if(reading_.meanings, [&](const auto& one) {
            if (one.second.any) to_.function(one.first, one.second.span);
            return one.second.any;
        });
    }
    /// All of its equations; where that is not possible, row by row.
    void formula(const Document& document, const Part& part) {
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
        if (all)
            for (Equation& e : *all) led(e, lead, sets_to_zero);
        if (all) return gather(std::move(*all));
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
    /// What the words before a formula say of it.
    void led(Equation& e, const Lead& lead, bool sets_to_zero) const {
        if (!e.left || e.note.kind == note) return;
        const bool of_gradient = std::ranges::any_of(*e.left, is_derivative_sign);
        const NameParts p = name_at(reading_, *e.left, 0);
        const bool named = !p.base.empty() && p.end == e.left->size();
        e.demanded = e.demanded || (sets_to_zero && is_zero(e.right) && (of_gradient || !named));
        e.anew = lead.anew && named;
        if (of_gradient && lead.in_words) e.led = Equation::Led::words;
        if (!of_gradient || !e.range.empty() || lead.where.empty()) return;
        e.range = lead.where;
        e.led = lead.at_point ? Equation::Led::at : Equation::Led::where;
    }
    /// Whether what the words before a claim say is said of a value, or of an index on its left.
    bool is_said_of_it(const Equation& e, const Expr& left) const {
        if (e.led == Equation::Led::no) return true;
        if (e.led == Equation::Led::words)
            fail(source_, e.left->front(),
                 "the words before it say when it holds, which is not read: write the condition, as in: for $x > 0$");
        const NameParts p = name_at(reading_, e.range, 0);
        if (p.base.empty()) return false;
        const bool known = names_a_value(reading_, p) && !reading_.names.dims.contains(p.base);
        if (known && e.led == Equation::Led::at)
            fail(source_, e.range.front(), "what is claimed at a point is not read: put it in where the value stands");
        return known || mentions(left, p.base);
    }
    /// A row of which not even the equations are known; without derivatives, it may define or change what it begins with.
    LostLine lost_row(const Tokens& row, Span shown_at) const {
        LostLine out{statement(shown_at), JudgedLine::Type::claim, shown(source_, shown_at)};
        if (std::any_of(row.begin(), row.end(), is_derivative_sign)) return out;
        const auto first = std::find_if_not(row.begin(), row.end(), [](const Token& t) { return t.is_symbol("&"); });
        out.defines = ids_of(reading_, name_at(reading_, row, static_cast<std::size_t>(first - row.begin())));
        return out;
    }
    /// A file that is not taken in: behind the preamble it may say what the loss is.
    void lose_file(const Input& input) {
        const bool macros = source_.slice({input.span.end, text_.end}).find("\\begin{document}") != std::string_view::npos;
        to_.attempt(
            [&] {
                const auto type = macros ? JudgedLine::Type::claim : JudgedLine::Type::forward;
                LostLine out{statement(input.span), type, std::string(source_.slice(input.span))};
                out.is_loss = !macros;
                return out;
            },
            [&] { fail_for_file(source_, input); });
    }
    /// Formulas up to the next note are read together: a line may use what a later formula defines.
    void gather(std::vector<Equation> all) {
        const bool has_notes = std::ranges::any_of(all, [](const Equation& e) { return e.note.kind == note; });
        if (has_notes) take_gathered();
        for (Equation& e : all)
            if (e.note.kind != note && is_new_name(e)) e = by_entries_of_function(std::move(e), reading_);
        begins_first(all);
        for (Equation& e : all) gathered_.push_back(std::move(e));
        if (has_notes || mode_.skip_next) take_gathered();
    }
    void gather_asides(Prose& prose, std::size_t before) {
        for (Equation& e : prose.definitions_before(before))
            gathered_.insert(begins(e) ? gathered_.begin() : gathered_.end(), std::move(e));
    }
    bool is_new_name(const Equation& e) const {
        return e.left && !e.chained && !names_a_value(reading_, name_at(reading_, *e.left, 0));
    }
    bool begins(const Equation& e) const {
        if (!e.left || e.note.kind == note || e.chained) return false;
        const NameParts p = name_at(reading_, *e.left, 0);
        const bool zero = flat(source_, p.below) == "0" || flat(source_, p.above) == "(0)";
        return p.end == e.left->size() && zero && !names_a_value(reading_, p);
    }
    /// X_0 = ... goes before what follows from it: often it stands behind.
    void begins_first(std::vector<Equation>& all) const {
        if (std::none_of(all.begin(), all.end(), [](const Equation& e) { return e.chained; }))
            std::stable_partition(all.begin(), all.end(), [&](const Equation& e) { return begins(e); });
    }
    /// The names on the left, and those of sequences.
    void announce(const std::vector<Equation>& all) {
        reading_.coming.clear();
        reading_.passed.clear();
        reading_.announced.clear();
        for (const Equation& e : all) {
            if (!e.left || e.chained || e.note.kind == note) continue;
            const NameParts p = name_at(reading_, *e.left, 0);
            reading_.coming.insert(p.base);
            if (!p.primed && p.end < e.left->size() && (*e.left)[p.end].is_symbol("("))
                reading_.functions.insert(p.key(p.has_above, p.has_below, false));
            const bool indexed = p.end == e.left->size() && !names_a_value(reading_, p) && !is_gradient(reading_, p) &&
                                 indices_of(reading_, p, e.right).size() == 1;
            const std::string key = indexed ? p.key(p.has_above, false, p.primed) : "";
            if (!key.empty() && !reading_.names.defined(reading_.id_of(key)))
                reading_.announced.insert(reading_.define_rows(key, *e.left, p));
        }
        to_.announce(reading_.announced);
    }
    void take_gathered() {
        std::vector<Equation> all = std::exchange(gathered_, {});
        std::erase_if(all, [&](const Equation& e) { return e.note.kind != note && meanings_.is_taken(e); });
        if (mode_.section != Section::claim) {
            with_jacobians(all, reading_);
            with_named_parts(all, reading_);
            put_in_order(all, reading_);
            announce(all);
        }
        for (const Equation& e : all) {
            if (e.note.kind == note) {
                annotate(e.note, reading_, to_, mode_);
                continue;
            }
            if (e.left) reading_.passed.insert(name_at(reading_, *e.left, 0).base);
            if (!mode_.passing) equation(e);
        }
    }

    void equation(const Equation& e) {
        if (++count_ > kMostStatements)
            throw ProofError(
                source_, e.span.begin,
                fmt::format("{} equations or more, at most {} in a file (kMostStatements)", count_, kMostStatements));
        if (e.in_line) return aside(e);
        if (!e.chained) skipping_ = std::exchange(mode_.skip_next, false);
        if (skipping_) {
            if (!mode_.why.empty()) later_.push_back({{e}, false, true, std::exchange(mode_.why, "")});
            return;
        }
        if (e.chained && now_ == Now::claim) return later_.back().chain.push_back(e);
        const bool goes_on = e.chained && now_ == Now::lost;
        if (!goes_on) now_ = Now::lost;
        to_.attempt(
            [&] { return lost(e, !goes_on); },
            [&] {
                if (goes_on)
                    fail(source_, e.right.empty() ? e.left->front() : e.right[0], "it goes on with an equation that is not read");
                if (e.anew && !e.chained && !is_new(e) && !is_gradient(reading_, name_at(reading_, *e.left, 0)))
                    fail(source_, e.left->front(), "the words before it give a name a new value: write a name of its own");
                if (!e.chained && is_new(e)) return assign(e);
                now_ = Now::claim;
                later_.push_back({{e}, mode_.section == Section::expect, false, ""});
            });
    }
    /// A definition within a sentence; where it is not understood, it says nothing.
    void aside(const Equation& e) {
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
    LostLine lost(const Equation& e, bool defines) const {
        LostLine out{statement(e), JudgedLine::Type::claim, shown(source_, e.span)};
        if (!defines) return out;
        if (mode_.section != Section::claim && std::none_of(e.right.begin(), e.right.end(), is_derivative_sign))
            out.type = JudgedLine::Type::forward;
        const NameParts p = name_at(reading_, *e.left, 0);
        if (p.base.empty()) return out;
        out.defines = ids_of(reading_, p);
        out.defines.push_back(joined(*e.left, 0, p.end));
        out.is_loss = mode_.losses.contains(p.key(p.has_above, p.has_below, p.primed)) || to_.names().is_loss(p.base);
        for (std::size_t i = 0; i < e.right.size(); ++i) {
            const std::vector<std::string> ids = ids_of(reading_, name_at(reading_, e.right, i));
            out.uses.insert(out.uses.end(), ids.begin(), ids.end());
        }
        return out;
    }
    /// Whether its left side is a name, or entries of a name, that nothing has yet.
    bool is_new(const Equation& e) const {
        if (mode_.section == Section::expect) return false;
        const NameParts p = parts_of(source_, *e.left, 0);
        if (p.base.empty() || (p.end != e.left->size() && !arguments_of(reading_, *e.left, p))) {
            if (mode_.section == Section::forward)
                fail(source_, e.left->front(), "the left of a forward equation is a name, or a name with indices");
            return false;
        }
        if (mode_.section == Section::forward) return true;
        if (p.primed && may_be_slope(reading_, p)) return false;  // f'(x) = ... is claimed of f(x)
        return (!names_a_value(reading_, p) || has_name_of_its_own(reading_, p, e.right)) && !is_gradient(reading_, p);
    }
    void assign(const Equation& e) {
        const NameParts p = parts_of(source_, *e.left, 0);
        const std::vector<std::string> indices = indices_of(reading_, p, e.right);
        const bool indexed = !indices.empty();
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
        if (indexed && says_zero_padding(source_.slice(text_)))
            equality.right = to_.padded_with_zeros(equality.right, indices, id);
        const IndexRanges ranges = ranges_of(e, reading_);
        expect_of_all_entries(e, ranges, reading_);
        if (indexed) say_where_it_holds(e, key, ranges, equality, reading_, to_);
        const bool of_gradients = contains(*equality.right, Kind::gradient) || contains(*equality.right, Kind::jacobian) ||
                                  contains(*equality.right, Kind::helper);
        now_ = of_gradients || mode_.section == Section::claim ? Now::helper : Now::forward;
        if (now_ == Now::helper) return to_.define_helper(id, span, equality, statement(e));
        try {
            to_.assign(statement(e), id, equality, is_loss);
        } catch (const Slip& slip) {  // what defines a value is no claim that could be wrong
            throw ProofError(source_, slip.offset(), slip.message() + ": write the sum, or say  % gradproof: einstein");
        }
        if (is_loss && !named) reading_.spelling->loss = reading_.spelling->names[id];
    }

    /// With the sizes that identities without one have there.
    ExprPtr sized(const ExprPtr& e, const Expr* left) const {
        const ExprPtr known = with_ones(e, left, to_.proof(), to_.names(), [&](const Expr& ones) {
            throw ProofError(source_, ones.span.begin, "nothing here shows how many ones these are: write \\mathbf{1}_n");
        });
        return with_identities(known, left, to_.proof(), to_.names(), [&](const Expr& identity) {
            throw ProofError(source_, identity.span.begin,
                             "nothing here shows the size of this identity: write I_n with its size, or \\operatorname{eye}(n)");
        });
    }

    ExprPtr right_of(const Equation& e) {
        try {
            return sized(Parser(reading_, e.right).whole(), nullptr);
        } catch (const ProofError&) {
            reading_.sequence.clear();
            throw;
        }
    }
    void judge(const Later& l) {
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
        const auto side = [&](const Tokens& t, const Expr* left) { return sized(Parser(reading_, t).whole(), left); };
        const JudgedLine::Type type = l.expected ? JudgedLine::Type::expect : JudgedLine::Type::claim;
        Equality equality;
        std::vector<std::string> told;  // of the links that are read
        Statement first;
        for (std::size_t i = 0; i < l.chain.size(); ++i) {
            if (l.chain[i].demanded) continue;
            to_.attempt(
                [&] {
                    return LostLine{statement(l.chain[i]), type, texts[i]};
                },
                [&] {
                    reading_.indices.clear();
                    if (!equality.left) equality.left = of_last_value(*e.left, side(*e.left, nullptr), reading_);
                    reading_.indices = names_in(*equality.left);
                    const ExprPtr right = side(l.chain[i].right, equality.left.get());
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
                for (const Equation& link : l.chain)
                    if (!is_said_of_it(link, *equality.left))
                        continue;
                    else if (const IndexRanges ranges = ranges_of(link, reading_); ranges.holds)
                        equality.holds = on_the_left(link, *equality.left, ranges.holds, reading_);
                to_.judge(first, equality, l.expected, told);
            });
        show_demanded(l, texts);
    }

    /// Of a line that goes for some inputs alone.
    void lose(const Later& l, const std::vector<std::string>& texts) {
        for (std::size_t i = 0; i < l.chain.size(); ++i)
            to_.attempt(
                [&] {
                    return LostLine{statement(l.chain[i]), l.expected ? JudgedLine::Type::expect : JudgedLine::Type::claim,
                                    texts[i]};
                },
                [&] {
                    fail(
                        source_, l.chain[i].left->front(),
                        fmt::format("it is said of {} only, and other lines are not: assume it for the whole text, or write this "
                                    "into a section of its own that states its inputs",
                                    l.only_for));
                });
    }

    /// Of \nabla_b L = \sum_i M_{ij}, whose right side is an entry j, the entry on the left.
    ExprPtr by_entry_of(const Expr& right, const ExprPtr& left) const {
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
    void show_demanded(const Later& l, const std::vector<std::string>& texts) {
        for (std::size_t i = 0; i < l.chain.size(); ++i)
            if (l.chain[i].demanded)
                to_.skip(statement(l.chain[i]), l.expected, texts[i],
                         is_zero(l.chain[i].right) ? "it says where the gradient is to be 0, and not that it is"
                                                   : "it is said of where the gradient is 0");
    }

    const Source& source_;
    Span text_;
    std::size_t behind_ = 0;  ///< the last formula
    Statements& to_;
    Reading reading_;
    Meanings meanings_;
    bool settled_ = false;
    Mode mode_;
    std::vector<Equation> gathered_;  ///< of formulas that are read together
    std::vector<Later> later_;
    std::size_t count_ = 0;
    /// What the last equation is, and with it the chain that follows it.
    enum class Now { claim, forward, helper, lost } now_ = Now::lost;
    bool skipping_ = false;
};

}  // namespace

void read(const std::shared_ptr<const Source>& source, Span text, Statements& to) { Reader(source, text, to).read(); }

bool opens_proof(const Source& source, Span text) {
    Lexer lexer(source, text);
    for (Token t = lexer.next(); t.kind != none; t = lexer.next()) {
        if (t.kind != note) continue;
        Lexer words_of_note(source, t.span, true);
        const Token first = words_of_note.next();
        if (first.text == "dims" || first.text == "input" || first.text == "title" || Statements::is_convention(first.text))
            return true;
    }
    return false;
}

}  // namespace gradproof::proof::latex
