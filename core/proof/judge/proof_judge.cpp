// Verdicts on the lines of a proof.
#include "gradproof/core/proof/judge/proof_judge.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/diagnose.hpp"
#include "gradproof/core/proof/judge/as_computed.hpp"
#include "gradproof/core/proof/judge/curved_draws.hpp"
#include "gradproof/core/proof/judge/expect.hpp"
#include "gradproof/core/proof/judge/heading.hpp"
#include "gradproof/core/proof/judge/lost.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/judge/readings.hpp"
#include "gradproof/core/proof/judge/usual_draws.hpp"
#include "gradproof/core/proof/judge/vacuous.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

using check::Verdict;

ProofJudge::ProofJudge(const Proof& proof, const CheckOptions& options, IsTold is_told)
    : proof_(proof),
      options_(options),
      is_told_(std::move(is_told)),
      plan_(proof, options.draw.bind),
      draws_(with_curved_draws(usual_draws(proof, plan_, options.draw, options.draws, branches_), proof, plan_, options.draw,
                               branches_, curves_)),
      window_(why_no_window_is_left(proof, draws_)) {
    chained_.resize(draws_.size());
}

ProofReport ProofJudge::run() {
    ProofReport report = heading_of(proof_, options_.draw.bind, branches_);
    expect_parts(static_cast<Index>(proof_.lines.size()));
    if (options_.chain) chain_rows();
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
            if (const std::string why = r.proved ? "" : why_bugs_hide(c, score); !why.empty()) fall(r, Verdict::cannot_tell, why);
        }
        report.lines.push_back(std::move(r));
    }
    if (!options_.chain) readings_.judge(report, proof_.conventions);
    report.draws = static_cast<int>(draws_.size());
    return report;
}

bool ProofJudge::has_given_values() const {
    return std::any_of(proof_.given.begin(), proof_.given.end(),
                       [&](const Given& g) {
                           return g.differentiable && (g.fill == Fill::literal || options_.draw.bind.contains(g.name));
                       }) ||
           std::any_of(proof_.dims.begin(), proof_.dims.end(), [](const Dim& d) { return d.value && is_number(*d.value); });
}

std::string ProofJudge::why_bugs_hide(const Claim& c, const Score& score) {
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
        return fmt::format("of {} bugs planted in it {} would show: draw other inputs, for which its parts matter", score.planted,
                           score.caught);
    if (!differs) return "";
    const auto is_proved = [&](const ExprPtr& bug) { return by_residues(c, bug).outcome == ByResidues::Outcome::proved; };
    const auto true_one = std::ranges::find_if(score.unseen, is_proved);
    if (true_one == score.unseen.end()) return "";
    return fmt::format("as a formula {} is right, and this one is not: what it has beside is too small to show",
                       text_of(**true_one));
}

Claim ProofJudge::claim(const JudgedLine& line) {
    Claim c(line, proof_, draws_);
    if (options_.chain) c.chained = &chained_;
    return c;
}

void ProofJudge::chain_rows() {
    if (std::ranges::none_of(proof_.lines, is_by_rows)) return;
    std::vector<Claim> claims;
    for (const JudgedLine& line : proof_.lines)
        if (!gradient_claimed(line).empty()) claims.push_back(claim(line));
    for (std::size_t i = 0; i < draws_.size() && unsettled_.empty(); ++i)
        if (!chain_rows(claims, i)) unsettled_ = "it is not known what the loops compute";
}

/// A step back uses what later steps compute: after going through the lines as often as there are steps nothing changes any more.
bool ProofJudge::chain_rows(std::vector<Claim>& claims, std::size_t draw) {
    constexpr int kMost = 200;
    std::map<std::string, Tensor<double>>& known = chained_[draw];
    for (int round = 0; round < kMost; ++round) {
        bool changed = false;
        for (const Claim& c : claims) {
            Sides s;
            try {
                s = c.sides(draw, c.line().right);
            } catch (const std::invalid_argument&) {
                return false;
            }
            if (is_by_rows(c.line()) && !(s.claimed.shape() == s.truth.shape())) return false;
            const std::string of = gradient_claimed(c.line());
            const auto before = known.find(of);
            const bool same = before != known.end() && before->second.shape() == s.claimed.shape() &&
                              std::equal(s.claimed.begin(), s.claimed.end(), before->second.begin());
            changed = changed || !same;
            known.insert_or_assign(of, s.claimed);
        }
        if (!changed) return true;
    }
    return false;
}

Prover& ProofJudge::prover() {
    if (!prover_) prover_.emplace(proof_, plan_, options_.draw, draws_);
    return *prover_;
}

LineReport ProofJudge::report_of(const JudgedLine& line) const {
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

LineReport ProofJudge::judged_or_lost(const JudgedLine& line) {
    try {
        LineReport r = judge(line);
        if (r.read_as != line.read_as && !line.read_as.empty()) r.read_as = line.read_as + "; " + r.read_as;
        return r;
    } catch (const ProofError& e) {
        if (proof_.unreadable == Unreadable::refuses_file || forward_at(proof_, e.offset())) throw;
        JudgedLine lost = line;
        lost.lose(e, e.message());
        return report_of(lost);
    } catch (const EvaluationError& e) {  // of what is asked beside the two sides
        LineReport r = report_of(line);
        r.verdict = Verdict::cannot_tell;
        r.reason = e.what();
        return r;
    }
}

LineReport ProofJudge::judge(const JudgedLine& line) {
    LineReport r = report_of(line);
    if (!line.is_judged()) return r;
    if (line.type == JudgedLine::Type::expect) {
        if (plan_.is_drawn(*line.left)) {
            r.verdict = Verdict::cannot_tell;
            r.reason = "it depends on values that are drawn: state them, or bind arrays";
            return r;
        }
        judge_expectation(*draws_.front(), proof_, line, r);
        if (const std::string doubt = doubt_of(*draws_.front(), *line.left); !doubt.empty()) fall(r, Verdict::cannot_tell, doubt);
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
        if (const std::string why = added_.unsure_without(overflowing, line); !why.empty()) fall(r, Verdict::cannot_tell, why);
    if (!unsettled_.empty()) fall(r, Verdict::cannot_tell, unsettled_);
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
    if (const Branch* b = branches_.unsure_on(line); b && r.verdict == Verdict::right) fall(r, Verdict::cannot_tell, b->text());
    const std::size_t shared = draws_.size();
    bool of_this_line = false;
    if (r.verdict == Verdict::right) of_this_line = prove(c, r);
    if ((!r.proved || is_of_rounded_numbers(line)) && !hidden.empty()) fall(r, Verdict::cannot_tell, hidden);
    read_otherwise(c, r);
    if (r.verdict == Verdict::right && !line.doubt.empty()) fall(r, Verdict::cannot_tell, line.doubt);
    if (line.doubt_either) {
        tell_nothing(r, line.doubt);
        return r;
    }
    if (r.verdict == Verdict::right && lies_wrong(c, r)) return r;
    if (line.link > 0 && r.verdict == Verdict::wrong) r.read_as = told_of_link(c);
    std::optional<JudgedLine> fitting;
    if (r.verdict == Verdict::wrong && line.link == 0) fitting = with_fitting_shape(c, r);
    const bool to_explain = r.verdict == Verdict::wrong && options_.diagnose && !(is_told_ && is_told_(place_of(c)));
    if (to_explain) explain(fitting ? claim(*fitting) : c, c, r);
    if (r.verdict == Verdict::wrong && says_zero(line))
        r.read_as += std::string(r.read_as.empty() ? "" : "; ") + "if the text sets it to zero, write \\overset{!}{=}";
    if (of_this_line) draws_.resize(shared);
    return r;
}

void ProofJudge::explain(const Claim& read, const Claim& c, LineReport& r) {
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
    if (is_program(c.line().language) && c.line().left->kind == Kind::index) {  // of a row, which is not written as one
        r.diagnosis->repair.clear();
        r.repair = nullptr;
    }
    to_explain_ -= Clock::now() - start;
}

ByResidues ProofJudge::by_residues(const Claim& c, const ExprPtr& right) {
    using enum ByResidues::Outcome;
    ByResidues by;
    if (options_.prove && !options_.chain) by = prover().prove(c, right);
    if (by.outcome == proved && !by.is_proof()) by.outcome = open;
    return by;
}

bool ProofJudge::is_of_rounded_numbers(const JudgedLine& line) const {
    return has_long_number(line, proof_) && has_large_number(line, proof_, kHides);
}

bool ProofJudge::chooses_sides(const JudgedLine* line) const {
    return std::ranges::any_of(
        branches_.all(), [&](const Branch& b) { return b.has_sides() && (line == nullptr || further_.is_met_by(b, *line)); });
}

bool ProofJudge::stands(const Claim& c, const ExprPtr& right, const ByResidues& by) {
    if (options_.chain || !plan_.anything_drawn()) return true;
    JudgedLine line = c.line();
    line.right = right;
    std::optional<Finding> found = further_.look({line, c.truth(0).size(), work_of_repairs_}, c.draw(0), by);
    if (found && found->draw && !found->of_this_line) further_.keep(std::move(found->draw));
    return !found;
}

bool ProofJudge::prove(const Claim& c, LineReport& r) {
    using enum ByResidues::Outcome;
    const ByResidues by = by_residues(c, c.line().right);
    if (by.outcome == proved) r.proved = by.proved;
    if (by.in_large_sizes && !has_root_of_product(c.line(), proof_))
        fall(r, Verdict::cannot_tell,
             "as formulas the two sides differ in larger sizes, by less than rounding shows: state a larger one");
    const bool other_formula = by.outcome == differs && by.proved.opaque.empty();
    if (other_formula && has_large_number(c.line(), proof_, kHides) && c.differs(0, c.line().right))
        fall(r, Verdict::cannot_tell,
             "as formulas the two sides differ, by little beside the largest number that stands there: state a smaller one");
    else if (by.outcome != proved && !options_.chain && !has_long_number(c.line(), proof_) && c.differs(0, c.line().right))
        fall(r, Verdict::cannot_tell, "the two sides differ, by less than rounding shows: leave out what is too small to matter");
    else if (other_formula && !chooses_sides(&c.line()) && !chooses_by_order(c.line(), proof_) && !r.is_zero &&
             !has_given_values() && !has_root_of_product(c.line(), proof_) && !may_vanish(c.line(), proof_) &&
             !has_long_number(c.line(), proof_))
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
        fall(r, Verdict::cannot_tell, "the true value is zero everywhere, the check would be vacuous: let the loss depend on it");
    return of_this_line;
}

bool ProofJudge::hides_a_bug(const Claim& c) {
    std::vector<ExprPtr> bugs = bugs_inside(c.line().right);
    for (const Place& p : places(c.line().right))
        if (p.node->kind == Kind::product) bugs.push_back(p.with(without(*p.node, 0)));
    return std::any_of(bugs.begin(), bugs.end(),
                       [&](const ExprPtr& bug) { return prover().prove(c, bug).outcome == ByResidues::Outcome::proved; });
}

bool ProofJudge::is_by_taken_shape(const JudgedLine& line) const {
    if (line.left->kind != Kind::jacobian || !line.left->children.empty()) return false;
    const auto given = std::ranges::find(proof_.given, line.left->other, &Given::name);
    return given != proof_.given.end() && given->taken;
}

void ProofJudge::judge_draw(const Claim& c, std::size_t i, LineReport& r, std::string& hidden) {
    const JudgedLine& line = c.line();
    c.truth(i);  // errors of the left side are the reader's input, not a verdict
    Sides s;
    try {
        s = c.sides(i, line.right);
    } catch (const EvaluationError& e) {
        if (!e.is_shape()) fail(proof_, e);
        return fall(r, Verdict::wrong, e.what());
    }
    if (const std::string of = options_.chain ? gradient_claimed(line) : ""; !of.empty()) chained_[i][of] = s.claimed;
    const Agreement a = agreement_of(s, [&] { return c.precise_sides(i, line.right); });
    const auto shape_of = [&](const Tensor<double>& x) { return named_shape(x.shape(), draws_[i]->sizes()); };
    if (!a.same_shape && s.claimed.rank() != s.truth.rank() && is_by_taken_shape(line))
        return fall(r, Verdict::cannot_tell,
                    fmt::format("the claimed derivative is {}, and it is {} where {} has as many axes as it is taken with here: "
                                "state its shape",
                                shape_of(s.claimed), shape_of(s.truth), line.left->other));
    if (!a.same_shape)
        return fall(r, Verdict::wrong, fmt::format("shapes differ: claimed {}, true {}", shape_of(s.claimed), shape_of(s.truth)));
    const bool drops_axes = s.claimed.rank() > 0 || (is_program(line.language) && !is_constant(*line.right, proof_));
    if (!(s.claimed.shape() == s.truth.shape()) && drops_axes)
        r.read_as = fmt::format("the claimed shape {} was read as {}", shape_of(s.claimed), shape_of(s.truth));
    r.is_zero = r.is_zero && a.zero && !a.open;
    r.entries += s.truth.size();
    // Draws whose errors differ by rounding only are as bad as each other: the first stands.
    if (a.finite && (a.error > r.error * (1 + 1e-9) || (!r.worst && a.worst))) {
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

void ProofJudge::fall(LineReport& r, Verdict v, const std::string& reason) {
    if (r.verdict == Verdict::wrong || (r.verdict == Verdict::cannot_tell && v == Verdict::cannot_tell)) return;
    r.verdict = v;
    r.reason = reason;
    r.proved.reset();
}

}  // namespace gradproof::proof
