// Verdicts on the lines of a proof.
#include "gradproof/core/proof/judge/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/diagnose.hpp"
#include "gradproof/core/proof/judge/expect.hpp"
#include "gradproof/core/proof/judge/mutate.hpp"

namespace gradproof::proof {
namespace {

constexpr double kSlack = 4;         // of the bounds: constants that a page computes carry more than one rounding
constexpr double kLeastGap = 1e-11;  // relative to an entry: less is no error of a derivation
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNarrow = 1e-9;  // bounds wider than this, relative to the largest entry, tell nothing

bool is_number(const Expr& e) { return e.kind == Kind::number || (e.kind == Kind::negate && is_number(*e.children[0])); }
bool is_zero(const Expr& e) { return e.kind == Kind::number && e.number == 0; }

/// The values a right side is evaluated with: a gradient claimed before takes the place of the true one where lines are chained.
template <class T>
Scope<T> scope_of(Derivatives<T>& by, const std::map<std::string, Tensor<double>>* claimed) {
    Scope<T> scope = by.scope();
    if (claimed)
        scope.gradient = [&by, claimed](const Expr& e) {
            const auto found = claimed->find(e.name);
            return found != claimed->end() ? exact<T>(found->second) : by.gradient(e.name);
        };
    return scope;
}

std::string doubt_of(Instance& d, const Expr& e) {
    std::string doubt;
    for_each(e, [&](const Expr& part) {
        if (part.kind != Kind::gradient || !doubt.empty()) return;
        const TrueGradient& g = d.gradient(part.name);
        if (!g.confirmed && !g.doubt.starts_with("no path")) doubt = g.doubt;
    });
    return doubt;
}

}  // namespace

int ProofReport::count(Verdict v) const {
    return static_cast<int>(
        std::count_if(lines.begin(), lines.end(), [&](const LineReport& l) { return !l.skipped && l.verdict == v; }));
}
int ProofReport::skipped() const {
    return static_cast<int>(std::count_if(lines.begin(), lines.end(), [](const LineReport& l) { return l.skipped; }));
}
std::optional<int> ProofReport::first_wrong_line() const {
    for (const LineReport& l : lines)
        if (!l.skipped && l.verdict == Verdict::wrong) return l.line;
    return std::nullopt;
}
Verdict ProofReport::verdict() const {
    if (count(Verdict::wrong) > 0) return Verdict::wrong;
    return count(Verdict::cannot_tell) > 0 ? Verdict::cannot_tell : Verdict::right;
}

Claim::Claim(const JudgedLine& line, const Proof& proof, std::vector<std::unique_ptr<Instance>>& draws)
    : line_(line), proof_(proof), draws_(draws), truth_(draws.size()) {
    const Expr& l = *line.left;
    if (l.kind != Kind::index && l.kind != Kind::jacobian) return;
    for (std::size_t i = l.kind == Kind::index ? 1 : 0; i < l.children.size(); ++i) {
        const Expr& c = *l.children[i];
        const bool free = c.kind == Kind::name &&
                          std::none_of(proof.dims.begin(), proof.dims.end(), [&](const Dim& d) { return d.name == c.name; });
        if (free && std::find(indices_.begin(), indices_.end(), c.name) == indices_.end()) indices_.push_back(c.name);
    }
}

bool Claim::by_entries() const {
    return !indices_.empty() || (line_.left->kind == Kind::jacobian && !line_.left->children.empty());
}

const Tensor<Tracked>& Claim::truth(std::size_t draw) const {
    if (!truth_[draw].defined()) truth_[draw] = left_of(draws_[draw]->derivatives());
    return truth_[draw];
}

template <class T>
Tensor<T> Claim::left_of(const Derivatives<T>& by) const {
    Evaluator<T> evaluator(by.scope());
    try {
        if (!by_entries()) return evaluator.matrix(*line_.left).value();
        const auto sizes = evaluator.index_sizes(*line_.left, {});
        Shape shape;
        for (const std::string& i : indices_) shape.push_back(sizes.at(i));
        return evaluator.indexed(*line_.left, indices_, shape).value();
    } catch (const EvaluationError& e) {
        throw ProofError(*proof_.source, e.span().begin, e.what());
    }
}

/// Without the axes of size 1, which a rowsum keeps: on paper they are not told apart.
static Shape squeezed(const Shape& shape) {
    Shape out;
    for (const Index n : shape)
        if (n != 1) out.push_back(n);
    return out;
}

template <class T>
Sides Claim::sides_by(std::size_t draw, const ExprPtr& right, Derivatives<T>& by) const {
    Tensor<T> truth;
    if constexpr (std::is_same_v<T, Tracked>)
        truth = this->truth(draw);
    else
        truth = left_of(by);
    const Scope<T> scope = scope_of(by, chained ? &(*chained)[draw] : nullptr);
    Evaluator<T> evaluator(scope);
    Tensor<T> claimed = (by_entries() ? evaluator.indexed(*right, indices_, truth.shape()) : evaluator.matrix(*right)).value();
    if (claimed.rank() == 0 && truth.rank() > 0 && is_number(*right)) claimed = Tensor<T>(truth.shape(), claimed[0]);
    Sides out = sides_of(claimed, truth, draws_[draw]->unit());
    out.work = evaluator.work();
    return out;
}

template <class T>
Sides sides_of(const Tensor<T>& claimed, const Tensor<T>& truth, double unit) {
    Sides out{.claimed = values_of(claimed), .truth = values_of(truth), .unit = unit};
    if (!(squeezed(claimed.shape()) == squeezed(truth.shape()))) return out;
    out.gap = Tensor<double>(truth.shape());
    out.error = Tensor<double>(truth.shape());
    for (Index i = 0; i < truth.size(); ++i) {
        const auto difference = claimed[i].value - truth[i].value;
        out.gap[i] = primal(difference);
        out.error[i] = claimed[i].value.error + truth[i].value.error;
    }
    return out;
}
template Sides sides_of(const Tensor<Tracked>&, const Tensor<Tracked>&, double);
template Sides sides_of(const Tensor<TrackedQuad>&, const Tensor<TrackedQuad>&, double);

Sides Sides::beside(const Tensor<double>& other) const {
    Sides out = *this;
    out.truth = other;
    out.gap = out.error = {};
    if (!(squeezed(claimed.shape()) == squeezed(other.shape()))) return out;
    out.gap = Tensor<double>(other.shape());
    // What was added up to make the other truth is known to doubles only.
    out.error = Tensor<double>(other.shape(), 1e-13 * std::max(check::finite_largest(other), check::finite_largest(truth)));
    for (Index i = 0; i < other.size(); ++i) {
        out.gap[i] = claimed[i] - other[i];
        if (error.defined() && error.size() == other.size()) out.error[i] += 2 * error[i];
    }
    return out;
}

bool Claim::is_far(std::size_t draw, const ExprPtr& right) const {
    constexpr double kFar = 1e-6;
    Instance& d = *draws_[draw];
    const Tensor<Tracked>& t = truth(draw);
    Evaluator<double> evaluator(d.scope());
    const Tensor<double> c = (by_entries() ? evaluator.indexed(*right, indices_, t.shape()) : evaluator.matrix(*right)).value();
    if (c.rank() == 0) return false;
    if (!(squeezed(c.shape()) == squeezed(t.shape()))) return true;
    double largest = check::finite_largest(c);
    for (const Tracked& x : t) largest = std::max(largest, std::isfinite(primal(x)) ? std::abs(primal(x)) : 0);
    for (Index i = 0; i < t.size(); ++i)
        if (std::abs(c[i] - primal(t[i])) > kFar * largest + 10 * t[i].value.error) return true;
    return false;
}

bool Claim::holds(const ExprPtr& right) const {
    for (std::size_t i = 0; i < draws_.size(); ++i) {
        try {
            if (!chained && is_far(i, right)) return false;
            Agreement a = agreement(sides(i, right));
            if (a.agree && a.open) a = agreement(precise_sides(i, right));
            if (!a.same_shape || !a.agree || a.open || !a.finite) return false;
        } catch (const EvaluationError&) {
            return false;
        } catch (const std::invalid_argument&) {
            return false;
        }
    }
    return true;
}

Agreement agreement(const Sides& s) {
    Agreement out;
    out.same_shape = s.error.defined() && squeezed(s.claimed.shape()) == squeezed(s.truth.shape());
    if (!out.same_shape) {
        out.agree = false;
        return out;
    }
    const Tensor<double> claimed = s.claimed.reshape(s.truth.shape());
    out.zero = true;
    double scale = 0;  // the largest entry that is not 0 but for its rounding
    for (Index i = 0; i < s.truth.size(); ++i) {
        const double bound = kSlack * s.error[i];
        if (std::isfinite(s.truth[i]) && !(std::abs(s.truth[i]) <= bound)) out.zero = false;
        for (const double x : {s.truth[i], claimed[i]})
            if (std::isfinite(x) && std::abs(x) > bound) scale = std::max(scale, std::abs(x));
    }
    if (scale == 0) scale = s.unit;
    const double largest = check::finite_largest(s.truth);
    check::Tolerance tolerance{
        .relative = 0, .scale = out.zero ? scale : largest, .scales = {}, .bounds = Tensor<double>(s.truth.shape())};
    for (Index i = 0; i < s.truth.size(); ++i) {
        const double bound = std::isnan(s.error[i]) ? kInfinity : kSlack * s.error[i];
        const bool finite = std::isfinite(s.truth[i]) && std::isfinite(claimed[i]);
        tolerance.bounds[i] = finite ? bound + kLeastGap * std::max(std::abs(s.truth[i]), std::abs(claimed[i])) : 0;
        if (!finite || bound <= std::max(kNarrow * scale, out.open_by)) continue;
        out.open = true;
        out.open_at = check::unravel(i, s.truth.shape());
        out.open_by = bound;
    }
    const check::Comparison c = check::compare(claimed, s.truth, tolerance, check::NotFinite::skipped, s.gap);
    out.finite = c.skipped == c.skipped_alike;
    out.agree = c.right();
    out.error = c.error;
    out.worst = c.worst;
    return out;
}

namespace {

/// The checker of one proof.
class Checker {
  public:
    Checker(const Proof& proof, const CheckOptions& options) : proof_(proof), options_(options), plan_(proof, options.draw.bind) {
        // One draw says all where nothing is drawn: no value, and no cotangent that a line asks for.
        const bool asks_gradient = std::any_of(proof.lines.begin(), proof.lines.end(), [](const JudgedLine& l) {
            return l.left && (l.type != JudgedLine::Type::expect || contains(*l.left, Kind::gradient) ||
                              contains(*l.right, Kind::gradient));
        });
        const bool random = plan_.anything_drawn() || (asks_gradient && !proof.forward.empty() && !proof.forward.back().is_loss);
        const int draws = random ? options.draws : 1;
        for (int i = 0; i < draws; ++i) draws_.push_back(std::make_unique<Instance>(proof, plan_, options.draw, i));
        chained_.resize(draws_.size());
    }

    ProofReport run() {
        ProofReport report;
        report.file = proof_.source->file();
        report.title = proof_.title;
        report.line = proof_.line;
        report.draws = static_cast<int>(draws_.size());
        for (const Dim& d : proof_.dims)
            if (!d.value) report.drawn_sizes.push_back(d.name);
        expect_parts(static_cast<Index>(proof_.lines.size()));
        for (const JudgedLine& line : proof_.lines) {
            begin_part(line.text);
            LineReport r = judge(line);
            report.entries += r.entries;
            const bool plantable =
                !r.skipped && line.type != JudgedLine::Type::expect && !is_zero(*line.right);  // twice 0 is no bug
            if (options_.mutation && plantable && r.verdict == Verdict::right) {
                const Score score = mutation_score(claim(line));
                report.planted += score.planted;
                report.caught += score.caught;
            }
            report.lines.push_back(std::move(r));
        }
        return report;
    }

  private:
    Claim claim(const JudgedLine& line) {
        Claim c(line, proof_, draws_);
        if (options_.chain) c.chained = &chained_;
        return c;
    }

    LineReport judge(const JudgedLine& line) {
        LineReport r;
        r.line = line.statement.line;
        r.span = proof_.source->span(line.statement.span);
        r.text = line.text;
        r.kind = line.type == JudgedLine::Type::expect     ? "expect"
                 : line.type == JudgedLine::Type::jacobian ? "jacobian"
                                                           : "claim";
        if (line.skipped) {
            r.skipped = true;
            r.reason = line.why;
            return r;
        }
        if (line.type == JudgedLine::Type::expect) {
            if (plan_.is_drawn(*line.left)) {
                r.verdict = Verdict::cannot_tell;
                r.reason = "it depends on values that are drawn";
                return r;
            }
            judge_expectation(*draws_.front(), proof_, line, r);
            return r;
        }
        const Claim c = claim(line);
        std::string vacuous;
        bool informative = false;
        for (std::size_t i = 0; i < draws_.size(); ++i) {
            const std::string why = judge_draw(c, i, r);
            informative = informative || why.empty();
            if (vacuous.empty()) vacuous = why;
        }
        if (!informative) fall(r, Verdict::cannot_tell, vacuous);
        if (r.verdict == Verdict::wrong && options_.diagnose) r.diagnosis = diagnose(c, plan_);
        return r;
    }

    /// Why the draw says nothing about a line that agrees, "" where it does say something.
    std::string judge_draw(const Claim& c, std::size_t i, LineReport& r) {
        const JudgedLine& line = c.line();
        c.truth(i);  // errors of the left side are the reader's input, not a verdict
        Sides s;
        try {
            s = c.sides(i, line.right);
        } catch (const EvaluationError& e) {
            if (!e.is_shape()) throw ProofError(*proof_.source, e.span().begin, e.what());
            fall(r, Verdict::wrong, e.what());
            return "";
        }
        if (options_.chain && line.left->kind == Kind::gradient) chained_[i][line.left->name] = s.claimed;
        Agreement a = agreement(s);
        if (a.same_shape && a.agree && a.open) a = agreement(c.precise_sides(i, line.right));
        if (!a.same_shape) {
            fall(r, Verdict::wrong,
                 fmt::format("shapes differ: claimed {}, true {}", named_shape(s.claimed.shape(), draws_[i]->sizes()),
                             named_shape(s.truth.shape(), draws_[i]->sizes())));
            return "";
        }
        r.entries += s.truth.size();
        // Draws whose errors differ by rounding only are as bad as each other: the first stands.
        if (a.error > r.error * (1 + 1e-9) || (!r.worst && a.worst)) {
            r.error = std::max(r.error, a.error);
            r.worst = a.worst;
        }
        const std::string doubt = doubt_of(*draws_[i], *line.left);
        if (!a.finite)
            fall(r, Verdict::cannot_tell, "the true value is not finite");
        else if (!doubt.empty())
            fall(r, Verdict::cannot_tell, doubt);
        else if (!a.agree)
            fall(r, Verdict::wrong, "");
        else if (a.open)
            fall(r, Verdict::cannot_tell, hidden_by_rounding(a));
        else if (s.truth.size() == 0)
            return "there are no entries: the check would be vacuous";
        else if (a.zero && !is_number(*line.right) && !is_number(*line.left) && line.left->kind != Kind::jacobian)
            return "the true value is zero everywhere: the check would be vacuous";
        return "";
    }

    static std::string hidden_by_rounding(const Agreement& a) {
        return fmt::format(
            "rounding may change entry {} by {:.1e}, of numbers of quadruple precision too: draw the inputs from a smaller "
            "range, "
            "or state smaller constants",
            index_text(a.open_at), a.open_by);
    }

    static void fall(LineReport& r, Verdict v, const std::string& reason) {
        if (r.verdict == Verdict::wrong || (r.verdict == Verdict::cannot_tell && v == Verdict::cannot_tell)) return;
        r.verdict = v;
        r.reason = reason;
    }

    const Proof& proof_;
    const CheckOptions& options_;
    Plan plan_;
    std::vector<std::unique_ptr<Instance>> draws_;
    std::vector<std::map<std::string, Tensor<double>>> chained_;
};

}  // namespace

ProofReport check_proof(const Proof& proof, const CheckOptions& options, const Control& control) {
    const ControlScope scope(control, "check_proof");
    return Checker(proof, options).run();
}

}  // namespace gradproof::proof
