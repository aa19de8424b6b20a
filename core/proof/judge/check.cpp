// Verdicts on the lines of a proof.
#include "gradproof/core/proof/judge/check.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/diagnose.hpp"
#include "gradproof/core/proof/judge/added_draws.hpp"
#include "gradproof/core/proof/judge/as_computed.hpp"
#include "gradproof/core/proof/judge/assumed.hpp"
#include "gradproof/core/proof/judge/curved_draws.hpp"
#include "gradproof/core/proof/judge/differentials.hpp"
#include "gradproof/core/proof/judge/expect.hpp"
#include "gradproof/core/proof/judge/further_draws.hpp"
#include "gradproof/core/proof/judge/heading.hpp"
#include "gradproof/core/proof/judge/lost.hpp"
#include "gradproof/core/proof/judge/mutate.hpp"
#include "gradproof/core/proof/judge/one_reading.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/judge/readings.hpp"
#include "gradproof/core/proof/judge/second_order.hpp"
#include "gradproof/core/proof/judge/usual_draws.hpp"
#include "gradproof/core/proof/judge/vacuous.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// The checker of one proof.
class Checker {
  public:
    Checker(const Proof& proof, const CheckOptions& options)
        : proof_(proof),
          options_(options),
          plan_(proof, options.draw.bind),
          draws_(with_curved_draws(usual_draws(proof, plan_, options.draw, options.draws, branches_), proof, plan_, options.draw,
                                   branches_, curves_)),
          window_(why_no_window_is_left(proof, draws_)) {
        chained_.resize(draws_.size());
    }

    ProofReport run() {
        ProofReport report = heading_of(proof_, options_.draw.bind, branches_);
        expect_parts(static_cast<Index>(proof_.lines.size()));
        for (const JudgedLine& line : proof_.lines) {
            begin_part(line.text);
            LineReport r = judged_or_lost(line);
            report.entries += r.entries;
            const bool plantable =
                line.is_judged() && !r.unread && line.type != JudgedLine::Type::expect && !r.is_zero;  // twice 0 is no bug
            if (options_.mutation && plantable && r.verdict == Verdict::right) {
                const Claim c = claim(line);
                const Score score = mutation_score(c);
                report.planted += score.planted;
                report.caught += score.caught;
                if (!score.unseen.empty()) report.unseen.push_back({r.line, text_of(*score.unseen.front())});
                if (const std::string why = r.proved ? "" : why_bugs_hide(c, score); !why.empty())
                    fall(r, Verdict::cannot_tell, why);
            }
            report.lines.push_back(std::move(r));
        }
        if (!options_.chain) readings_.judge(report, proof_.conventions);
        report.draws = static_cast<int>(draws_.size());
        return report;
    }

  private:
    /// Whether inputs or sizes are not drawn.
    bool has_given_values() const {
        return std::any_of(proof_.given.begin(), proof_.given.end(),
                           [&](const Given& g) {
                               return g.differentiable && (g.fill == Fill::literal || options_.draw.bind.contains(g.name));
                           }) ||
               std::any_of(proof_.dims.begin(), proof_.dims.end(), [](const Dim& d) { return d.value && is_number(*d.value); });
    }

    /// Why the bugs that were not seen make a line doubtful that is not proved; "" if they do not.
    std::string why_bugs_hide(const Claim& c, const Score& score) {
        constexpr int kEnough = 6;
        // Of values that are drawn, what changes nothing means the same. Of values that are given it may be an accident.
        const ExprPtr unseen = score.unseen_transpose  ? score.unseen_transpose
                               : !score.unseen.empty() ? score.unseen.front()
                                                       : nullptr;
        if (unseen && has_given_values())
            return fmt::format("with the values given a planted bug would not show, {} agrees too: draw them, or give others",
                               text_of(*unseen));
        const bool differs = by_residues(c, c.line().right).outcome == ByResidues::Outcome::differs && !chooses_sides();
        if (differs && has_given_values() && !is_constant(*c.line().right, proof_))
            return "it holds for the values that are given, and not for others: draw them, or give others";
        if (score.planted >= kEnough && 2 * score.caught < score.planted)
            return fmt::format("of {} bugs planted in it {} would show: draw other inputs, for which its parts matter",
                               score.planted, score.caught);
        if (!differs) return "";
        const auto is_proved = [&](const ExprPtr& bug) { return by_residues(c, bug).outcome == ByResidues::Outcome::proved; };
        const auto true_one = std::ranges::find_if(score.unseen, is_proved);
        if (true_one == score.unseen.end()) return "";
        return fmt::format("as a formula {} is right, and this one is not: what it has beside is too small to show",
                           text_of(**true_one));
    }

    Claim claim(const JudgedLine& line) {
        Claim c(line, proof_, draws_);
        if (options_.chain) c.chained = &chained_;
        return c;
    }

    Prover& prover() {
        if (!prover_) prover_.emplace(proof_, plan_, options_.draw, draws_);
        return *prover_;
    }

    LineReport report_of(const JudgedLine& line) const {
        using enum JudgedLine::State;
        constexpr const char* kKinds[] = {"claim", "jacobian", "expect", "forward"};
        LineReport r;
        r.line = line.statement.line;
        r.span = proof_.source->span(line.statement.span);
        r.text = line.text;
        r.kind = kKinds[static_cast<std::size_t>(line.type)];
        r.skipped = line.state == skipped;
        r.unread = line.state == unread;
        r.reason = line.why;
        r.read_as = line.read_as;
        if (line.state == wrong) r.verdict = Verdict::wrong;
        if (line.state == open) r.verdict = Verdict::cannot_tell;
        if (line.state == wrong || line.state == unread) r.at = proof_.source->span(line.at);
        return r;
    }
    /// An error of a line refuses the file or is told of that line, an error of the forward is another's.
    LineReport judged_or_lost(const JudgedLine& line) {
        try {
            LineReport r = judge(line);
            if (r.read_as != line.read_as && !line.read_as.empty()) r.read_as = line.read_as + "; " + r.read_as;
            return r;
        } catch (const ProofError& e) {
            if (proof_.unreadable == Unreadable::refuses_file || forward_at(proof_, e.offset())) throw;
            JudgedLine lost = line;
            lost.lose(e, e.message());
            return report_of(lost);
        }
    }

    LineReport judge(const JudgedLine& line) {
        LineReport r = report_of(line);
        if (!line.is_judged()) return r;
        if (line.type == JudgedLine::Type::expect) {
            if (plan_.is_drawn(*line.left)) {
                r.verdict = Verdict::cannot_tell;
                r.reason = "it depends on values that are drawn: state them, or bind arrays";
                return r;
            }
            judge_expectation(*draws_.front(), proof_, line, r);
            if (const std::string doubt = doubt_of(*draws_.front(), *line.left); !doubt.empty())
                fall(r, Verdict::cannot_tell, doubt);
            if (const std::string why = why_vacuous(line, proof_); !why.empty()) fall(r, Verdict::cannot_tell, why);
            return r;
        }
        const Claim c = claim(line);
        std::string hidden;
        r.is_zero = true;
        std::vector<std::size_t> overflowing;
        for (std::size_t i = 0; i < draws_.size(); ++i)
            if (added_.overflows_in(c, i))
                overflowing.push_back(i);
            else
                judge_draw(c, i, r, hidden);
        if (r.verdict == Verdict::right && !overflowing.empty())
            if (const std::string why = added_.unsure_without(overflowing, line); !why.empty())
                fall(r, Verdict::cannot_tell, why);
        if (r.entries == 0) fall(r, Verdict::cannot_tell, "there are no entries, the check would be vacuous: state larger sizes");
        if (const std::string why = why_vacuous(line, proof_); !why.empty()) fall(r, Verdict::cannot_tell, why);
        if (const Branch* b = branches_.unmet_condition_of(line)) fall(r, Verdict::cannot_tell, b->text());
        if (r.verdict == Verdict::right && !window_.empty()) fall(r, Verdict::cannot_tell, window_);
        if (r.verdict == Verdict::right)
            if (const std::string why = why_it_holds_of_any(c); !why.empty()) fall(r, Verdict::cannot_tell, why);
        if (const std::string why = why_zero_by_no_path(line, proof_, *draws_.front(), r.verdict); !why.empty()) {
            r.verdict = Verdict::cannot_tell;
            r.reason = why;
            r.worst.reset();
            return r;
        }
        if (const Branch* b = branches_.unsure_on(line); b && r.verdict == Verdict::right)
            fall(r, Verdict::cannot_tell, b->text());
        const std::size_t shared = draws_.size();
        bool of_this_line = false;
        if (r.verdict == Verdict::right) of_this_line = prove(c, r);
        if ((!r.proved || is_of_rounded_numbers(line)) && !hidden.empty()) fall(r, Verdict::cannot_tell, hidden);
        read_otherwise(c, r);
        if (r.verdict == Verdict::right && !line.doubt.empty()) fall(r, Verdict::cannot_tell, line.doubt);
        if (r.verdict == Verdict::right && lies_wrong(c, r)) return r;
        if (line.link > 0 && r.verdict == Verdict::wrong) r.read_as = told_of_link(c);
        std::optional<JudgedLine> fitting;
        if (r.verdict == Verdict::wrong && line.link == 0) fitting = with_fitting_shape(c, r);
        if (r.verdict == Verdict::wrong && options_.diagnose) explain(fitting ? claim(*fitting) : c, c, r);
        if (r.verdict == Verdict::wrong && says_zero(line))
            r.read_as += std::string(r.read_as.empty() ? "" : "; ") + "if the text sets it to zero, write \\overset{!}{=}";
        if (of_this_line) draws_.resize(shared);
        return r;
    }

    /// Why a line is wrong, as far as there is time. `c` is how it is written, `read` how it fits.
    void explain(const Claim& read, const Claim& c, LineReport& r) {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point start = Clock::now();
        if (to_explain_ <= Clock::duration::zero()) {
            r.diagnosis = Diagnosis{.mistake = Mistake::none, .text = kOutOfTime};
            return;
        }
        Diagnosed found = diagnose(
            read, plan_,
            {options_.draw, options_.prove ? &prover() : nullptr,
             [&](const ExprPtr& repair, const ByResidues& by) { return fits_as_written(c, repair) && stands(c, repair, by); },
             chooses_sides(), start + to_explain_});
        r.diagnosis = std::move(found.why);
        r.repair = std::move(found.repair);
        to_explain_ -= Clock::now() - start;
    }

    /// Of a chain: whether the step from what stands before is wrong, or what stands before is.
    std::string told_of_link(const Claim& c) {
        const JudgedLine* above = &c.line() - 1;
        while (above->link > 0 && !above->is_judged()) --above;
        if (!above->is_judged()) return "";
        const ExprPtr &before = above->right, &here = c.line().right;
        for (std::size_t i = 0; i < draws_.size(); ++i) {
            const std::optional<Tensor<double>> a = c.plain(i, before), b = c.plain(i, here);
            if (!a || !b || !(a->size() == b->size()) ||
                !check::compare(b->reshape(a->shape()), *a, check::relative_to_largest(*a, 1e-9)).right())
                return fmt::format("the step from {} is wrong", text_of(*before));
        }
        return fmt::format("the step from {} is right: the error stands before it", text_of(*before));
    }
    /// A line that is wrong, and right as others write, is called right, and how it has to be read is said; so it is of one that
    /// is right from left to right only.
    void read_otherwise(const Claim& c, LineReport& r) {
        if (options_.chain) return;
        const std::size_t line = place_of(c);
        if (r.verdict == Verdict::right) {
            const ExprPtr other = read_in(Way::products_first, c, c.line().right);
            if (other != c.line().right && !c.holds(other)) {
                r.read_as = "right only if ⊙ and matrix products are read from left to right";
                if (is_typeset(c.line().language) && widens_before_a_product(c, c.line().right))
                    return fall(r, Verdict::cannot_tell, std::exchange(r.read_as, "") + ": put brackets there");
            }
            const ExprPtr powers =
                is_typeset(c.line().language) ? read_in(Way::matrix_powers, c, c.line().right) : c.line().right;
            if (powers != c.line().right && !c.holds(powers))
                return fall(
                    r, Verdict::cannot_tell,
                    "right if powers of square matrices are taken entry by entry, and not if A^2 is A A: write the product");
            readings_.add(line, c, {});
        }
        if (r.verdict != Verdict::wrong) return;
        if (is_turned_by_layout(c) && c.holds(transpose(c.line().right))) {
            r.verdict = Verdict::right;
            r.reason.clear();
            r.error = 0;
            r.worst.reset();
            r.read_as = "the transpose of the gradient, by the numerator layout that the text states";
            return;
        }
        for (const Reading& reading : other_readings(c)) {
            if (!c.holds(reading.right) || !stands(c, reading.right, by_residues(c, reading.right))) continue;
            r.verdict = Verdict::right;
            r.reason.clear();
            r.error = 0;
            r.worst.reset();
            r.read_as = fmt::format("right if read with {}: {}", reading.name(), text_of(*reading.right));
            readings_.add(line, c, reading.ways);
            return;
        }
    }

    /// Whether a repair has the shape and the rows and columns that its place asks for, not only the numbers.
    bool fits_as_written(const Claim& c, const ExprPtr& repair) const {
        if (is_program(c.line().language)) {
            const std::optional<Shape> shape = shape_in(draws_.front()->scope(), *repair);
            return !shape || shape->empty() || *shape == c.truth(0).shape();
        }
        if (!is_typeset(c.line().language) || !may_be_a_vector(*c.line().left)) return true;
        return Orientation(proof_, draws_.front()->scope()).fit(c.line().left, repair).why.empty();
    }
    /// Whether a gradient by a matrix is a transpose by the numerator layout that a text states: \partial L / \partial W.
    bool is_turned_by_layout(const Claim& c) const {
        const Expr& left = *c.line().left;
        return proof_.conventions.layout == Layout::numerator && is_typeset(c.line().language) && left.kind == Kind::gradient &&
               is_by_ratio(*proof_.source, left.span) && rank_in(draws_.front()->scope(), *name(left.name)).value_or(0) == 2;
    }
    /// Whether rows stand where columns are expected, in mathematics as it is typeset. In the notation and in programs a vector has
    /// one axis.
    bool lies_wrong(const Claim& c, LineReport& r) {
        if (options_.chain || !may_be_a_vector(*c.line().left)) return false;
        if (!is_typeset(c.line().language)) {
            if (const std::string why = why_turned(c); !why.empty()) r.read_as = "right if a vector has one axis: " + why;
            return false;
        }
        if (is_turned_by_layout(c) && r.read_as.empty() && !c.holds(transpose(c.line().right))) {
            fall(r, Verdict::cannot_tell,
                 fmt::format("it is right where {0} has the shape of its value, as in denominator layout, and by the numerator "
                             "layout that the text states it is the transpose: say which is meant",
                             text_of(*c.line().left)));
            return true;
        }
        const Fit fit = Orientation(proof_, draws_.front()->scope()).fit(c.line().left, c.line().right);
        readings_.add_fit(place_of(c), c, fit);
        if (fit.why.empty()) return false;
        const bool said = proof_.conventions.vectors != Vectors::unsaid;
        fall(r, said ? Verdict::wrong : Verdict::cannot_tell,
             fmt::format("its numbers are right, and its vectors do not fit: {}{}", fit.why,
                         said ? "" : ": transpose one of them"));
        return true;
    }
    /// Of a left side that is a vector of one axis, transposed: why the other side does not lie so; "" if it does.
    std::string why_turned(const Claim& c) const {
        const Expr& left = *c.line().left;
        const bool turned = c.line().language == Language::notation && left.kind == Kind::transpose;
        if (!turned || rank_in(draws_.front()->scope(), *left.children[0]).value_or(0) != 1) return "";
        return Orientation(proof_, draws_.front()->scope()).fit(c.line().left, c.line().right).why;
    }
    std::size_t place_of(const Claim& c) const { return static_cast<std::size_t>(&c.line() - proof_.lines.data()); }

    /// Of a wrong line whose shape does not fit, and does if it is read as others write: the line read so, whose reasons are then
    /// told.
    std::optional<JudgedLine> with_fitting_shape(const Claim& c, LineReport& r) {
        if (options_.chain || has_fitting_shape(c, c.line().right)) return std::nullopt;
        for (const Reading& reading : other_readings(c)) {
            if (!has_fitting_shape(c, reading.right)) continue;
            JudgedLine line = c.line();
            line.right = reading.right;
            const Claim other = claim(line);
            LineReport read = r;
            read.verdict = Verdict::right;
            read.reason.clear();
            read.entries = 0;
            std::string hidden;
            for (std::size_t i = 0; i < draws_.size(); ++i) judge_draw(other, i, read, hidden);
            if (read.verdict != Verdict::wrong) continue;
            r = std::move(read);
            r.read_as = fmt::format("read with {}: {}", reading.name(), text_of(*reading.right));
            return line;
        }
        return std::nullopt;
    }
    bool has_fitting_shape(const Claim& c, const ExprPtr& right) const {
        try {
            const Sides s = c.sides(0, right);
            return agreement_of(s, [&] { return c.precise_sides(0, right); }).same_shape;
        } catch (const EvaluationError&) {
            return false;
        }
    }

    /// What algebra says of a right side.
    ByResidues by_residues(const Claim& c, const ExprPtr& right) {
        using enum ByResidues::Outcome;
        ByResidues by;
        if (options_.prove && !options_.chain) by = prover().prove(c, right);
        constexpr double kWeakest = -40;  // a larger chance is no proof
        if (by.outcome == proved && by.proved.error_log2 > kWeakest) by.outcome = open;
        return by;
    }
    /// 1e16 (e - 2.718281828459045): residues take the number for e.
    bool is_of_rounded_numbers(const JudgedLine& line) const {
        return has_long_number(line, proof_) && has_large_number(line, proof_, kHides);
    }
    /// `line`: whether a branch of it does, or of a value that it names.
    bool chooses_sides(const JudgedLine* line = nullptr) const {
        return std::ranges::any_of(
            branches_.all(), [&](const Branch& b) { return b.has_sides() && (line == nullptr || further_.is_met_by(b, *line)); });
    }
    /// Whether another right side, which holds in the draws of the claim, holds in further ones.
    bool stands(const Claim& c, const ExprPtr& right, const ByResidues& by) {
        if (options_.chain || !plan_.anything_drawn()) return true;
        JudgedLine line = c.line();
        line.right = right;
        std::optional<Finding> found = further_.look({line, c.truth(0).size(), work_of_repairs_}, c.draw(0), by);
        if (found && found->draw && !found->of_this_line) further_.keep(std::move(found->draw));
        return !found;
    }

    /// What algebra and further draws add to a line that is right so far. Whether a draw was added for this line alone.
    bool prove(const Claim& c, LineReport& r) {
        using enum ByResidues::Outcome;
        const ByResidues by = by_residues(c, c.line().right);
        if (by.outcome == proved) r.proved = by.proved;
        if (by.in_large_sizes)
            fall(r, Verdict::cannot_tell,
                 "as formulas the two sides differ in larger sizes, by less than rounding shows: state a larger one");
        const bool other_formula = by.outcome == differs && by.proved.opaque.empty();
        if (other_formula && has_large_number(c.line(), proof_, kHides) && c.differs(0, c.line().right))
            fall(r, Verdict::cannot_tell,
                 "as formulas the two sides differ, by little beside the largest number that stands there: state a smaller one");
        else if (by.outcome != proved && !options_.chain && !has_long_number(c.line(), proof_) && c.differs(0, c.line().right))
            fall(r, Verdict::cannot_tell,
                 "the two sides differ, by less than rounding shows: leave out what is too small to matter");
        else if (other_formula && !chooses_sides(&c.line()) && !chooses_by_order(c.line(), proof_) && !r.is_zero &&
                 !has_given_values() && !may_vanish(c.line(), proof_) && !has_long_number(c.line(), proof_))
            fall(r, Verdict::cannot_tell,
                 "as formulas the two sides differ, by less than rounding shows: leave out what is too small to matter");
        bool of_this_line = false;
        if (!options_.chain && plan_.anything_drawn())
            if (std::optional<Finding> found = further_.look({c.line(), r.entries, work_of_lines_}, c.draw(0), by)) {
                of_this_line = found->of_this_line;
                fall(r, found->verdict, found->reason);
                if (found->at) r.error = found->at->error;
                if (found->at) r.worst = found->at->worst;
                if (found->draw) draws_.push_back(std::move(found->draw));  // later lines meet it too
            }
        if (const Branch* curve = curves_.unsure_on(c.line()); curve && !r.proved) fall(r, Verdict::cannot_tell, curve->text());
        if (!r.is_zero || r.verdict != Verdict::right) return of_this_line;
        const bool says_zero = is_constant(*c.line().right, proof_) || c.line().left->kind == Kind::jacobian;
        if (by.outcome == differs)
            fall(r, Verdict::cannot_tell,
                 "the true value is 0 to within rounding, and as a formula not what is claimed: draw the inputs from a smaller "
                 "range");
        else if (!says_zero && (by.outcome == open || hides_a_bug(c)))
            fall(r, Verdict::cannot_tell,
                 "the true value is zero everywhere, the check would be vacuous: let the loss depend on it");
        return of_this_line;
    }
    /// Whether a right side that is 0 is so with a part of it changed as well: one that is not only a multiple of what is 0.
    bool hides_a_bug(const Claim& c) {
        std::vector<ExprPtr> bugs = bugs_inside(c.line().right);
        for (const Place& p : places(c.line().right))
            if (p.node->kind == Kind::product) bugs.push_back(p.with(without(*p.node, 0)));
        return std::any_of(bugs.begin(), bugs.end(),
                           [&](const ExprPtr& bug) { return prover().prove(c, bug).outcome == ByResidues::Outcome::proved; });
    }

    /// Whether it is a derivative by a whole input whose shape the text does not state.
    bool is_by_taken_shape(const JudgedLine& line) const {
        if (line.left->kind != Kind::jacobian || !line.left->children.empty()) return false;
        const auto given = std::ranges::find(proof_.given, line.left->other, &Given::name);
        return given != proof_.given.end() && given->taken;
    }
    /// `hidden`: why rounding may be what makes the line agree.
    void judge_draw(const Claim& c, std::size_t i, LineReport& r, std::string& hidden) {
        const JudgedLine& line = c.line();
        c.truth(i);  // errors of the left side are the reader's input, not a verdict
        Sides s;
        try {
            s = c.sides(i, line.right);
        } catch (const EvaluationError& e) {
            if (!e.is_shape()) fail(proof_, e);
            return fall(r, Verdict::wrong, e.what());
        }
        if (options_.chain && line.left->kind == Kind::gradient) chained_[i][line.left->name] = s.claimed;
        const Agreement a = agreement_of(s, [&] { return c.precise_sides(i, line.right); });
        const auto shape_of = [&](const Tensor<double>& x) { return named_shape(x.shape(), draws_[i]->sizes()); };
        if (!a.same_shape && s.claimed.rank() != s.truth.rank() && is_by_taken_shape(line))
            return fall(
                r, Verdict::cannot_tell,
                fmt::format("the claimed derivative is {}, and it is {} where {} has as many axes as it is taken with here: "
                            "state its shape",
                            shape_of(s.claimed), shape_of(s.truth), line.left->other));
        if (!a.same_shape)
            return fall(r, Verdict::wrong,
                        fmt::format("shapes differ: claimed {}, true {}", shape_of(s.claimed), shape_of(s.truth)));
        const bool drops_axes = s.claimed.rank() > 0 || (is_program(line.language) && !is_constant(*line.right, proof_));
        if (!(s.claimed.shape() == s.truth.shape()) && drops_axes)
            r.read_as = fmt::format("the claimed shape {} was read as {}", shape_of(s.claimed), shape_of(s.truth));
        r.is_zero = r.is_zero && a.zero && !a.open;
        r.entries += s.truth.size();
        // Draws whose errors differ by rounding only are as bad as each other: the first stands.
        if (a.error > r.error * (1 + 1e-9) || (!r.worst && a.worst)) {
            r.error = std::max(r.error, a.error);
            r.worst = a.worst;
        }
        std::string doubt = doubt_of(*draws_[i], *line.left);
        if (doubt.empty() && !options_.chain) doubt = doubt_of(*draws_[i], *line.right);
        if (!a.finite)
            fall(r, Verdict::cannot_tell, kNaN);
        else if (!doubt.empty())
            fall(r, Verdict::cannot_tell, doubt);
        else if (!a.agree)
            fall(r, Verdict::wrong, "");
        else if (a.untold)
            fall(r, Verdict::cannot_tell, beyond_the_range(a));
        else if (a.endless)
            fall(r, Verdict::cannot_tell, "the true value is infinite throughout: draw the inputs from a smaller range");
        else if (a.open)
            hidden = hidden.empty() ? hidden_by_rounding(a) : hidden;
    }

    static void fall(LineReport& r, Verdict v, const std::string& reason) {
        if (r.verdict == Verdict::wrong || (r.verdict == Verdict::cannot_tell && v == Verdict::cannot_tell)) return;
        r.verdict = v;
        r.reason = reason;
        r.proved.reset();
    }

    const Proof& proof_;
    const CheckOptions& options_;
    Plan plan_;
    Branches branches_{proof_, plan_}, curves_{proof_, plan_, Branches::What::curves};
    OneReading readings_;
    FurtherDraws further_{proof_, plan_, options_.draw, branches_};
    double work_of_lines_ = 0, work_of_repairs_ = 0;  ///< in further draws
    std::vector<std::unique_ptr<Instance>> draws_;
    const AddedDraws added_{proof_, plan_, draws_, options_.draws};
    const std::string window_;  ///< why nothing is told of its lines; "" if no window is too wide
    std::optional<Prover> prover_;
    std::chrono::steady_clock::duration to_explain_ = options_.to_explain;  ///< what is left
    std::vector<std::map<std::string, Tensor<double>>> chained_;
};

}  // namespace

ProofReport check_proof(const Proof& proof, const CheckOptions& options, const Control& control) {
    const ControlScope scope(control, "check_proof");
    Proof read = with_gradients_as_values(proof);
    for (;;) {
        settle_vectors(read, options.draw);
        try {
            ProofReport report = Checker(read, options).run();
            judge_differentials(read, options, report, [](const Proof& p, const CheckOptions& o) { return Checker(p, o).run(); });
            judge_other_forwards(read, options, report);
            judge_other_losses(read, options, report);
            judge_assumptions(read, options, report);
            judge_as_computed(read, options, report, [](const Proof& p, const CheckOptions& o) { return Checker(p, o).run(); });
            return report;
        } catch (const ProofError& e) {
            const std::optional<std::size_t> lost = forward_at(read, e.offset());
            if (read.unreadable == Unreadable::refuses_file || !lost) throw;
            lose_forward(read, *lost, e);
        }
    }
}

}  // namespace gradproof::proof
