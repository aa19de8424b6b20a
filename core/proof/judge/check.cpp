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

constexpr double kTolerance = 1e-9;  // of an entry's error, relative to the largest true entry
constexpr double kRounding = 1e-13;  // relative to the largest number met on the way

bool is_number(const Expr& e) { return e.kind == Kind::number || (e.kind == Kind::negate && is_number(*e.children[0])); }
bool is_zero(const Expr& e) { return e.kind == Kind::number && e.number == 0; }

/// The values a right side is evaluated with: a gradient claimed before takes the place of the true one where lines are chained.
Scope<double> scope_of(Instance& d, const std::map<std::string, Tensor<double>>* claimed) {
    Scope<double> scope = d.scope();
    if (claimed)
        scope.gradient = [&d, claimed](const Expr& e) {
            const auto found = claimed->find(e.name);
            return found != claimed->end() ? found->second : d.gradient(e.name).value;
        };
    return scope;
}

/// What the true gradients of an expression were added up from.
double gradient_magnitude(Instance& d, const Expr& e) {
    double out = 0;
    for_each(e, [&](const Expr& part) {
        if (part.kind == Kind::gradient) out = std::max(out, d.gradient(part.name).magnitude);
    });
    return out;
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
    : line_(line), proof_(proof), draws_(draws), truth_(draws.size()), magnitude_(draws.size(), 0) {
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

const Tensor<double>& Claim::truth(std::size_t draw) const {
    if (!truth_[draw]) {
        double magnitude = 0;
        truth_[draw] = left_of(*draws_[draw], magnitude).value();
        magnitude_[draw] = magnitude;
    }
    return *truth_[draw];
}

Var<double> Claim::left_of(Instance& d, double& magnitude) const {
    Evaluator<double> evaluator(d.scope());
    Var<double> y;
    try {
        if (by_entries()) {
            const auto sizes = evaluator.index_sizes(*line_.left, {});
            Shape shape;
            for (const std::string& i : indices_) shape.push_back(sizes.at(i));
            y = evaluator.indexed(*line_.left, indices_, shape);
        } else {
            y = evaluator.matrix(*line_.left);
        }
    } catch (const EvaluationError& e) {
        throw ProofError(*proof_.source, e.span().begin, e.what());
    }
    magnitude = std::max(evaluator.magnitude(), gradient_magnitude(d, *line_.left));
    return y;
}

Sides Claim::sides(std::size_t draw, const ExprPtr& right) const {
    Instance& d = *draws_[draw];
    Sides out;
    out.truth = truth(draw);
    const Scope<double> scope = scope_of(d, chained ? &(*chained)[draw] : nullptr);
    Evaluator<double> evaluator(scope);
    out.claimed = (by_entries() ? evaluator.indexed(*right, indices_, out.truth.shape()) : evaluator.matrix(*right)).value();
    if (out.claimed.rank() == 0 && out.truth.rank() > 0 && is_number(*right))
        out.claimed = Tensor<double>(out.truth.shape(), out.claimed[0]);
    out.work = evaluator.work();
    out.magnitude = std::max({evaluator.magnitude(), magnitude_[draw], gradient_magnitude(d, *right)});
    return out;
}

bool Claim::holds(const ExprPtr& right) const {
    for (std::size_t i = 0; i < draws_.size(); ++i) {
        try {
            const Agreement a = agreement(sides(i, right));
            if (!a.same_shape || !a.agree || !a.finite) return false;
        } catch (const EvaluationError&) {
            return false;
        } catch (const std::invalid_argument&) {
            return false;
        }
    }
    return true;
}

/// Without the axes of size 1, which a rowsum keeps: on paper they are not told apart.
static Shape squeezed(const Shape& shape) {
    Shape out;
    for (const Index n : shape)
        if (n != 1) out.push_back(n);
    return out;
}

Agreement agreement(const Sides& s) {
    Agreement out;
    out.same_shape = squeezed(s.claimed.shape()) == squeezed(s.truth.shape());
    if (!out.same_shape) {
        out.agree = false;
        return out;
    }
    const double rounding = kRounding * s.magnitude;
    check::Tolerance tolerance = check::relative_to_largest(s.truth, kTolerance);
    tolerance.rounding = 10 * rounding;
    const check::Comparison c = check::compare(s.claimed.reshape(s.truth.shape()), s.truth, tolerance);
    out.zero = c.largest <= 100 * rounding;
    out.finite = c.skipped == c.skipped_alike;
    out.agree = c.right();
    out.error = c.max_abs == 0 ? 0 : c.max_abs / std::max(out.zero ? s.magnitude : c.largest, rounding);
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
        const Agreement a = agreement(s);
        if (!a.same_shape) {
            fall(r, Verdict::wrong,
                 fmt::format("shapes differ: claimed {}, true {}", named_shape(s.claimed.shape(), draws_[i]->sizes()),
                             named_shape(s.truth.shape(), draws_[i]->sizes())));
            return "";
        }
        r.entries += s.truth.size();
        // Draws whose errors differ by rounding only are as bad as each other: the first stands.
        if (a.error > r.error * (1 + kTolerance) || (!r.worst && a.worst)) {
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
        else if (s.truth.size() == 0)
            return "there are no entries: the check would be vacuous";
        else if (a.zero && !is_number(*line.right) && !is_number(*line.left) && line.left->kind != Kind::jacobian)
            return "the true value is zero everywhere: the check would be vacuous";
        return "";
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
