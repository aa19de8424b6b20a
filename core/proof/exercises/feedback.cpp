// Answers judged, and the question that a wrong one is given.
#include "gradproof/core/proof/exercises/feedback.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/proof/exercises/by_solution.hpp"
#include "gradproof/core/proof/exercises/drawn.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

bool drops_axis(const Expr& e) {
    return e.kind == Kind::call && is_reduction(e) && find_option(e, "axis") && !find_option(e, "keep");
}
/// Every sum along an axis with that axis kept.
ExprPtr with_axes_kept(const ExprPtr& e) {
    return rewritten(e, [](const Expr& part) -> ExprPtr {
        if (!drops_axis(part)) return nullptr;
        Expr kept = part;
        kept.source.clear();
        kept.children = {with_axes_kept(part.children[0])};
        kept.options.push_back(keep_option());
        return make(std::move(kept));
    });
}

/// Of what the solution tells, in a few words.
std::string_view what_is_wrong(Mistake m) {
    using enum Mistake;
    switch (m) {
        case missing_term: return "a term is missing";
        case extra_term: return "there is a term too many";
        case missing_path: return "a path is missing";
        case double_path: return "a path is counted twice";
        case wrong_exponent: return "a power is wrong";
        case missing_chain_factor: return "there is a factor too many";
        case sign: return "a sign is wrong";
        default: return "one name stands where another belongs";
    }
}

/// Products of one kind as those of the other: all of them, and one after the other.
std::vector<ExprPtr> with_products(const ExprPtr& e, char from, char to) {
    std::vector<ExprPtr> out{rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::product || part.joints.find(from, 1) == std::string::npos) return nullptr;
        Expr other = part;
        other.source.clear();
        std::replace(other.joints.begin() + 1, other.joints.end(), from, to);
        return make(std::move(other));
    })};
    for (const Place& p : places(e))
        for (std::size_t i = 1; p.node->kind == Kind::product && i < p.node->children.size(); ++i)
            if (p.node->joints[i] == from) out.push_back(p.with(with_joint(*p.node, i, to)));
    return out;
}

std::string first_dropped(const Expr& e) {
    std::string out;
    for_each(e, [&](const Expr& part) {
        if (out.empty() && drops_axis(part)) out = text_of(part);
    });
    return out;
}

class Questioner {
  public:
    Questioner(const Exercise& exercise, const ReadAnswer& answer, const CheckOptions& options)
        : exercise_(exercise), proof_(answer.proof), line_(proof_.lines.front()), drawn_(proof_, options.draw.seed) {}

    Question ask(const LineReport& r) {
        if (exercise_.numeric) return of_numbers(r);
        const Proof right = solved(exercise_);
        if (contains(*right.lines.front().right, Kind::gradient) && !contains(*line_.right, Kind::gradient)) return upstream();
        const Fit here = fit(drawn_, line_.right);
        if (!here.same_shape())
            if (const ExprPtr kept = with_axes_kept(line_.right); kept != line_.right && fit(drawn_, kept).same_shape()) {
                if (drawn_.claim->holds(kept)) repair_ = fmt::format("the axis must stay; write  {}", text_of(*kept));
                return {"axis",
                        fmt::format(
                            "{} removes the axis that it sums over. Does the result line up with what it is combined with, or "
                            "must that axis stay, with size 1?",
                            first_dropped(*line_.right))};
            }
        if (!here.sides) {
            find_other_product('@', '*', "the product goes entry by entry");
            find_other_product('*', '@', "it is a matrix product");
            for (const ExprPtr& e : without_a_factor(line_.right))
                if (repair_.empty() && drawn_.claim->holds(e)) {
                    repair_ = fmt::format("{}; write  {}", what_is_wrong(Mistake::missing_chain_factor), text_of(*e));
                    return {"chain",
                            "Does every factor belong there? The shapes do not fit, and without one of the factors they would."};
                }
            return inner(here.why);
        }
        if (!here.same_shape())
            return {"shape",
                    fmt::format("Does the shape fit? Your answer is {}, but {} is {}.", in_words(here.sides->claimed.shape()),
                                exercise_.asked, in_words(here.sides->truth.shape()))};
        if (const std::string one = of_one_case(*here.sides); !one.empty()) return {"diagonal", one};
        const Told told =
            told_by_solution(*drawn_.claim, right.lines.front().right, r.diagnosis ? r.diagnosis->mistake : Mistake::none);
        if (told.repaired) repair_ = fmt::format("{}; write  {}", what_is_wrong(told.mistake), text_of(*told.repaired));
        return by_mistake(told.mistake);
    }

    /// Where it is known better than by the diagnosis.
    const std::string& repair() const { return repair_; }

  private:
    static Question of_numbers(const LineReport& r) {
        const bool rounding =
            std::ranges::all_of(r.misprints, [](const Misprint& m) { return m.kind == Misprint::Kind::rounding; });
        if (!r.misprints.empty() && rounding) return {"rounding", "Did you round only once, at the end? The last digit is off."};
        std::string where;
        for (const Misprint& m : r.misprints)
            where += (where.empty() ? "" : ", ") +
                     (m.index.empty() ? m.printed : fmt::format("{} at {}", m.printed, at_text(m.index)));
        return {"numbers", fmt::format("Did you follow each step of the forward, and round only at the end? {} {} not right.",
                                       where.empty() ? "The number" : where, r.misprints.size() > 1 ? "are" : "is")};
    }

    void find_other_product(char from, char to, std::string_view what) {
        for (const ExprPtr& e : with_products(line_.right, from, to))
            if (repair_.empty() && drawn_.claim->holds(e)) repair_ = fmt::format("{}; write  {}", what, text_of(*e));
    }

    Question upstream() const {
        std::vector<std::string> may;
        for (const std::string& g : exercise_.given) may.push_back("∂L/∂" + g);
        return {
            "upstream",
            fmt::format(
                "Where is the gradient that comes in? Your answer has no {}: it says how a value of the forward changes, but not "
                "yet how the loss does.",
                fmt::join(may, " or "))};
    }
    /// Of a square Jacobian, or one for each row, that is right in one of its two cases, a question about the other.
    std::string of_one_case(const Sides& s) const {
        const Expr& asked = *line_.left;
        const int rank = s.truth.rank();
        const std::size_t letters = asked.children.size();
        const bool of_rows = rank == 3 && letters == 4;  // ∂A[i,j]/∂S[i,k]
        if (asked.kind != Kind::jacobian || !(rank == 2 || of_rows) || s.truth.dim(rank - 2) != s.truth.dim(rank - 1)) return "";
        const Index n = s.truth.dim(rank - 1);
        const double allowed = check::kDoubleTolerance * check::finite_largest(s.truth);
        bool same = true, others = true, moves = false;
        for (Index e = 0; e < s.truth.size(); ++e) {
            const bool on_diagonal = e / n % n == e % n;
            if (!on_diagonal) moves = moves || s.truth[e] != 0;
            if (!(std::abs(s.claimed[e] - s.truth[e]) <= allowed)) (on_diagonal ? same : others) = false;
        }
        if (same == others || !moves) return "";
        const auto letter = [&](std::size_t at, const char* otherwise) {
            return at < letters ? text_of(*asked.children[at]) : std::string(otherwise);
        };
        const std::string row = of_rows ? letter(0, "") + "," : "", i = letter(of_rows ? 1 : 0, "i"),
                          j = letter(of_rows ? 3 : 1, "j"), moved = fmt::format("{}[{}{}]", asked.name, row, i);
        return same ? fmt::format(
                          "Your answer is right where {0} = {1}. How does {2} change with another entry of {3}{4}, where {0} "
                          "≠ {1}?",
                          i, j, moved, of_rows ? "its row of " : "", asked.other)
                    : fmt::format(
                          "Your answer is right where {0} ≠ {1}. How does {2} change with {3}[{4}{0}] itself, where {0} = {1}?",
                          i, j, moved, asked.other, row);
    }
    std::string in_words(const Shape& s) const { return s.rank() == 0 ? "a single number" : drawn_.shape(s); }
    Question inner(const std::string& why) const {
        const bool star = line_.right->source.find('*') != std::string::npos;
        return {"inner", fmt::format("Do the parts of your answer fit together? {}{}", with_its_rule(why),
                                     star ? ". Here * goes entry by entry; a matrix product is A B or A @ B" : "")};
    }

    /// What does not fit, with the rule that it breaks.
    static std::string with_its_rule(const std::string& why) {
        constexpr std::pair<std::string_view, std::string_view> kRules[] = {
            {"matrix product: shapes do not fit: ", "A matrix product needs as many columns on the left as rows on the right; "},
            {"⊙: shapes do not fit: ", "Entry by entry, both need the same shape; "}};
        for (const auto& [before, rule] : kRules)
            if (why.starts_with(before)) return fmt::format("{}{}", rule, why.substr(before.size()));
        return why;
    }

    Question by_mistake(Mistake m) const {
        const Expr& base = without_indices(*line_.left);
        const std::string asked = base.kind == Kind::jacobian ? base.other : base.name;
        if (const std::string text = question_for(m, asked.empty() ? "the value" : asked); !text.empty())
            return {std::string(kind_for(m)), text};
        if (base.kind != Kind::jacobian && base.kind != Kind::gradient)
            return {"value",
                    fmt::format("What is {} in the smallest case, worked out by hand? Put the same numbers into your answer: "
                                "where do the two differ?",
                                exercise_.asked)};
        const auto uses = drawn_.plan.consumers(asked);
        const Assignment* into = uses.empty() ? nullptr : &proof_.forward[uses.front()];
        if (!into || into->is_loss)
            return {"entry", fmt::format("Change one entry of {} a little: by how much does the loss change?", asked)};
        return {"entry", fmt::format("Change one entry of {} a little: which entries of {} change with it, and by how much?",
                                     asked, into->name)};
    }

    const Exercise& exercise_;
    const Proof& proof_;
    const JudgedLine& line_;
    const Drawn drawn_;
    std::string repair_;
};

}  // namespace

Response respond(const Exercise& exercise, const std::string& answer, const CheckOptions& options, const Control& control) {
    const ControlScope scope(control, "judge_exercise");
    Response out{exercise, read_answer(exercise, answer), {fmt::format("exercise {}", exercise.number), {}}, {}, ""};
    out.report.proofs.push_back(check_proof(out.answer.proof, options));
    ProofReport& report = out.report.proofs.front();
    report.file = out.report.file;
    const Source source("answer", answer);
    report.start = report.lines.front().span = source.span({0, answer.size()});
    if (auto& d = report.lines.front().diagnosis) {
        if (!d->repair.empty())
            out.repair = d->text.empty() ? "write  " + d->repair : fmt::format("{}; write  {}", d->text, d->repair);
        else if (d->mistake != Mistake::none && d->mistake != Mistake::values && d->mistake != Mistake::entries)
            out.repair = d->text;
        d->repair.clear();  // that would be the solution
    }
    if (out.verdict() != Verdict::wrong) {
        out.repair.clear();
        return out;
    }
    Questioner questioner(exercise, out.answer, options);
    out.question = questioner.ask(report.lines.front());
    if (!questioner.repair().empty()) out.repair = questioner.repair();
    return out;
}

FileReport judge_exercise(const Exercise& exercise, const std::string& answer, const CheckOptions& options,
                          const Control& control) {
    return respond(exercise, answer, options, control).report;
}

}  // namespace gradproof::proof
