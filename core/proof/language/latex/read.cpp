// Derivations as they stand in LaTeX: which equations are forward, and which are claims.
#include "gradproof/core/proof/language/latex/read.hpp"
#include "gradproof/core/proof/language/latex/annotations.hpp"
#include "gradproof/core/proof/language/latex/claims.hpp"
#include "gradproof/core/proof/language/latex/conditions.hpp"
#include "gradproof/core/proof/language/latex/conventions_said.hpp"
#include "gradproof/core/proof/language/latex/elsewhere.hpp"
#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/inner_parts.hpp"
#include "gradproof/core/proof/language/latex/lead.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/meanings.hpp"
#include "gradproof/core/proof/language/latex/missing.hpp"
#include "gradproof/core/proof/language/latex/order.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/passed_over.hpp"
#include "gradproof/core/proof/language/latex/prose.hpp"
#include "gradproof/core/proof/language/latex/rewritten.hpp"
#include "gradproof/core/proof/language/latex/said.hpp"
#include "gradproof/core/proof/language/latex/said_nowhere.hpp"
#include "gradproof/core/proof/language/latex/sequences.hpp"
#include "gradproof/core/proof/language/latex/taken.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"
#include "gradproof/core/proof/language/latex/totals.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/identities.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// The reader of one text.
class Reader {
  public:
    /// `taken`: names of which the text says nothing. `first`: to find their shapes.
    Reader(const std::shared_ptr<const Source>& source, Span text, Span epoch, Statements& to, Unstated& taken,
           bool first = false)
        : taken_(taken.all),
          unfit_(taken.unfit),
          first_(first),
          epoch_(epoch),
          source_(*source),
          text_(text),
          to_(to),
          reading_{*source, to.names(), to.proof(), std::make_shared<LatexSpelling>()},
          meanings_(*source, with_text_before(*source, text), text.begin),
          elsewhere_(*source, text) {
        reading_.lines = lines_said(*source, with_text_before(*source, text));
        reading_.adjoint = said_of_adjoints(*source, with_text_before(*source, text));
        const std::string_view all = source_.slice(text);
        for (const char* from_zero : {"=0}^", "= 0}^", "=0}^ "})
            if (all.find(from_zero) != std::string_view::npos) reading_.spelling->first = 0;
    }

    void read() {
        if (epoch_.begin > 0) to_.begins_at(epoch_.begin);  // a file begins with itself, whatever it takes in first
        if (!has_annotations(source_, with_text_before(source_, text_))) to_.may_leave_out_loss();
        Prose prose(source_, text_, epoch_);
        reading_.unnamed_loss = prose.inversions().unnamed_loss();
        reading_.gates = prose.gates();
        const ConventionsSaid conventions = conventions_said(source_, with_text_before(source_, text_));
        settle_conventions(conventions);
        const bool stated = prose.declare(reading_, to_);
        if (first_)
            declare_to_find_shapes(taken_, reading_, to_);
        else
            declare(taken_, prose, reading_, to_);
        if (!stated && to_.proof().given.empty() && !has_annotations(source_, text_))
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
                formula(document, *part, prose);
            }
            document.pass_over(mode_.passing);
        }
        gather_asides(prose, text_.end);
        take_gathered();
        for (const Input& input : document.left_out()) lose_file(input);
        claims_.add_of_sentences(prose, text_);
        claims_.add_changes(text_);
        for (const Tokens& name : conventions.stopped) stop(name);
        for (const auto& [id, call] : Policies(source_).spelled()) reading_.spelling->names[id] = call;
        claims_.keep(epoch_);
        claims_.judge();
        to_.keep_lines(epoch_);
        for (std::string& one : said_nowhere(reading_, to_.proof())) to_.holds_for(std::move(one));
        to_.pass_over(passed_over(source_, epoch_, to_.proof()));
    }

  private:
    Statement statement(const Equation& e) const { return statement(e.span); }
    Statement statement(Span s) const { return {s, source_.line(s.begin)}; }

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

    /// Before the first formula, behind the comments above it.
    void settle_meanings(const Prose& prose) {
        if (std::exchange(settled_, true)) return;
        Meanings::Known known{prose.defined_bases(), prose.stated_bases()};
        meanings_.settle(reading_, known);
        for (const Taken& t : taken_)
            if (t.is_value() && !t.id.empty()) known.stated.insert(t.name.base);  // of which they say nothing
        for (const std::string& said : meanings_.texts(reading_, known)) to_.holds_for(said);
        std::erase_if(reading_.meanings, [&](const auto& one) {
            if (one.second.any) to_.function(one.first, one.second.span);
            return one.second.any;
        });
        declare_functions(taken_, reading_, to_);
    }
    /// All of its equations; where that is not possible, row by row.
    void formula(const Document& document, const Part& part, const Prose& prose) {
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
        if (all)
            for (bool names_gradient = false; Equation & e : *all) {
                if (!e.chained) names_gradient = std::ranges::any_of(e.right, is_derivative_sign);
                led(e, lead, sets_to_zero, e.chained && names_gradient);
                e.called_gradient = e.called_gradient && (lead.gradients || &e == &all->front());
            }
        if (all) {
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
    static void turn_zeros(std::vector<Equation>& all) {
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
    void led(Equation& e, const Lead& lead, bool sets_to_zero, bool goes_on) const {
        if (!e.left || e.note.kind == note) return;
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
        if (!of_gradient || !e.range.empty() || lead.where.empty()) return;
        e.range = lead.where;
        e.led = lead.at_point ? Equation::Led::at : Equation::Led::where;
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
    void take_gathered() {
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

    /// `chain`: a further link follows. Of R = D(p, q) = \frac12 \sum ... the second link says what R is where the first is not
    /// read.
    void equation(const Equation& given, bool chain) {
        Equation e = given;
        begins_lost_ = begins_lost_ && e.chained;
        const bool takes_over = e.chained && now_ == Now::lost && std::exchange(begins_lost_, false) && defines_anew(e);
        e.chained = e.chained && !takes_over;
        if (++count_ > kMostStatements)
            throw ProofError(
                source_, e.span.begin,
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
                if (!e.chained && is_new(e)) {
                    if (e.called_gradient) lose_gradient_in_words(e);
                    if (e.solves) claims_.skip(e, "it is said of where the gradient is 0, and not judged");
                    return assign(e);
                }
                expect_no_size(e);
                if (e.of_optimum) fail(source_, e.left->front(), "what the least or the greatest of a value is, is not read");
                now_ = Now::claim;
                Equation claim = e;
                claim.of_numbers = is_of_function(e);
                claims_.add(claim, mode_.section == Section::expect);
            });
    }
    bool defines_anew(Equation e) const {
        e.chained = false;
        try {
            return std::ranges::none_of(*e.left, is_derivative_sign) && std::ranges::none_of(e.right, is_derivative_sign) &&
                   is_new(e);
        } catch (const ProofError&) {  // told where it is read
            return false;
        }
    }
    /// h = \tanh(W x) beside W \in \mathbb{R}^{h \times d}
    void expect_no_size(const Equation& e) const {
        const NameParts p = name_at(reading_, *e.left, 0);
        const std::string id = p.base.empty() || p.has_below ? "" : reading_.id_of(p.base);
        if (p.end == e.left->size() && e.right.size() > 2 && reading_.names.dims.contains(id) &&
            !reading_.names.values.contains(id))
            fail(source_, e.left->front(), fmt::format("{} is a size in this text, too: give the value another letter", id));
    }
    /// "Its gradient is $g(w) = ...$"
    void lose_gradient_in_words(const Equation& e) {
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
        if (p.has_below && reading_.meanings.contains(function_key(p)) && p.end != e.left->size()) return false;
        return (!names_a_value(reading_, p) || has_name_of_its_own(reading_, p, e.right)) && !is_gradient(reading_, p);
    }
    /// \rho_\delta'(r) = ..., of a function that the text defines.
    bool is_of_function(const Equation& e) const {
        const NameParts p = name_at(reading_, *e.left, 0);
        if (p.base.empty() || p.end >= e.left->size() || !(*e.left)[p.end].is_symbol("(")) return false;
        const NameParts of = name_at(reading_, *e.left, p.end + 1);
        const bool one = !of.base.empty() && of.end + 1 == e.left->size() && !of.has_below;
        const bool value = p.has_below && reading_.arguments.contains(reading_.id_of(p.key(p.has_above, true, false)));
        return one && (value || reading_.meanings.contains(p.has_below ? function_key(p) : p.base));
    }
    void assign(const Equation& e) {
        if (unfit_.contains(e.span.begin))
            fail(source_, e.left->front(),
                 "no shapes of what the text does not declare make it fit together with the other formulas");
        const NameParts p = parts_of(source_, *e.left, 0);
        const std::vector<std::string> indices = indices_of(reading_, p, e.right);
        const bool indexed = !indices.empty();
        if (!indexed) expect_no_range_of_a_sum(e, source_);
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
        if (!indexed && !p.has_below) expect_no_indices(e, ranges, reading_);  // s_1 = x_1 stands beside s_t = ..., t > 1
        if (indexed) say_where_it_holds(e, key, ranges, equality, reading_, to_);
        add_sizes_by_labels(indices, *equality.right, reading_, equality.extents);
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

    ExprPtr right_of(const Equation& e) {
        try {
            const ExprPtr right = Parser(reading_, e.right).whole();
            return first_ ? right : sized(right, nullptr, to_);
        } catch (const ProofError&) {
            reading_.sequence.clear();
            throw;
        }
    }
    std::vector<Taken>& taken_;
    const std::set<std::size_t>& unfit_;
    const bool first_;
    const Span epoch_;  ///< whose lines are judged
    const Source& source_;
    Span text_;
    std::size_t behind_ = 0;  ///< the last formula
    Statements& to_;
    Reading reading_;
    Meanings meanings_;
    const Elsewhere elsewhere_;
    bool begins_lost_ = false;  ///< the first link of a chain is not read
    bool settled_ = false;
    Mode mode_;
    std::vector<Equation> gathered_;  ///< of formulas that are read together
    Claims claims_{source_, reading_, to_};
    std::size_t count_ = 0;
    /// What the last equation is, and with it the chain that follows it.
    enum class Now { claim, forward, helper, lost } now_ = Now::lost;
    bool skipping_ = false;
};

/// The names of which a text without comments says nothing, with shapes that fit; none where none do, or nothing is claimed.
Unstated taken_for(const std::shared_ptr<const Source>& source, Span text, Span epoch, const Statements& to) {
    const bool begins = to.proof().given.empty() && to.proof().forward.empty() && to.proof().dims.empty();
    if (!begins || has_annotations(*source, with_text_before(*source, text))) return {};
    Unstated out{names_to_take(*source, text, Prose(*source, text, epoch))};
    constexpr int kMostReadings = 4;
    for (int readings = 0; !out.all.empty() && readings < kMostReadings; ++readings) {
        Statements first(source, Unreadable::loses_line);
        for (const std::string_view unsized : {kIdentity, kOnes}) first.function(std::string(unsized), text);
        try {
            Reader(source, text, epoch, first, out, true).read();
        } catch (const ProofError&) {  // told where it is read
            return {};
        }
        if (!claims_something(first.proof())) return {};
        if (const std::optional<bool> changed = fit(out.all, first.proof())) {
            if (!*changed) break;
        } else if (const std::optional<std::size_t> misfit = misfit_in(out.all, first.proof())) {
            out.unfit.insert(*misfit);
        } else {
            return {};
        }
    }
    return out;
}

}  // namespace

void read(const std::shared_ptr<const Source>& source, Span text, Span epoch, Statements& to) {
    Unstated taken = taken_for(source, text, epoch, to);
    Reader(source, text, epoch, to, taken).read();
}
void read(const std::shared_ptr<const Source>& source, Span text, Statements& to) { read(source, text, text, to); }

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
