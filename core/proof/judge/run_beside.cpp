// What lines of a program compute when it is run, beside what they were read as.
#include "gradproof/core/proof/judge/run_beside.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/judge/claim.hpp"
#include "gradproof/core/proof/language/lines.hpp"

namespace gradproof::proof {
namespace {

/// Relative to the largest entry: of doubles, which two programs add up in another order, and of floats.
constexpr double kAgrees = 1e-8, kAgreesNarrow = 1e-4;
constexpr double kAsZero = 1e-4;  ///< of the gradients that come in: smaller ones are as good as 0
constexpr int kRuns = 2;

/// "dh_next" of (dh_next), which stands for a gradient that comes in from outside.
std::optional<std::string> parameter_of(const std::string& name) {
    if (name.size() < 3 || name.front() != '(' || name.back() != ')' || name.find(' ') != name.npos) return std::nullopt;
    return name.substr(1, name.size() - 2);
}
bool is_declared(const Proof& proof, const Given& g) {
    const std::string_view text = proof.source->text();
    const std::size_t newline = g.span.begin == 0 ? text.npos : text.rfind('\n', g.span.begin - 1);
    return trimmed(line_at(text, newline == text.npos ? 0 : newline + 1)).starts_with('#');
}
/// The value whose gradient the left side of a claim is, or whose rows or entries are; "" of other lines.
std::string value_of_gradient(const JudgedLine& line) {
    if (!line.is_judged() || line.type != JudgedLine::Type::claim) return "";
    const Expr& left = line.left->kind == Kind::index ? *line.left->children[0] : *line.left;
    return left.kind == Kind::gradient ? left.name : "";
}

std::string without_ones(const Shape& shape) {
    std::string out;
    for (const Index n : shape)
        if (n != 1) out += std::to_string(n) + ",";
    return out;
}

/// What a line computed in a loop, step after step, as one array with the steps as its first axis; forth or back.
Tensor<double> stacked(const std::vector<RunValue>& steps, const Shape& shape, bool back) {
    Tensor<double> out(shape);
    const Index n = static_cast<Index>(steps.size()), each = out.size() / n;
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < each; ++j) out[i * each + j] = steps[static_cast<std::size_t>(back ? n - 1 - i : i)].value[j];
    return out;
}

struct Outcome {
    enum class Kind { agrees, differs, none } kind = Kind::none;
    std::string text;  ///< how it differs, or why nothing is compared
};

Outcome outcome(const Tensor<double>& run, const Tensor<double>& read, bool narrow, double unit) {
    const auto tolerance = check::relative_to_largest(read, narrow ? kAgreesNarrow : kAgrees, kAsZero * unit);
    const check::Comparison c = check::compare(run.reshape(read.shape()), read, tolerance, check::NotFinite::alike);
    if (c.right()) return {Outcome::Kind::agrees, ""};
    const Index at = c.off_at.front();
    const std::string place = read.shape().empty() ? "" : " at " + index_text(check::unravel(at, read.shape()));
    return {Outcome::Kind::differs, fmt::format("Python computes {:.6g}{}, and what was read is {:.6g}", run[at], place, read[at])};
}

/// Of one run: what its lines computed, beside a draw.
class Held {
  public:
    Held(const Proof& proof, const RunResult& result, double unit) : proof_(proof), result_(result), unit_(unit) {}

    /// The line that begins there.
    Outcome line(std::size_t begin, const Tensor<double>& read) const {
        const std::vector<RunValue>* values = values_at(begin);
        if (values == nullptr) return {Outcome::Kind::none, why_not_run(proof_.source->line(begin))};
        const RunValue& last = values->back();
        if (without_ones(last.value.shape()) == without_ones(read.shape()))
            return outcome(last.value, read, last.narrow, unit_);
        const Index steps = static_cast<Index>(values->size());
        if (steps == 1)
            return {Outcome::Kind::differs, fmt::format("Python computes an array {}, and what was read is {}",
                                                        last.value.shape().str(), read.shape().str())};
        if (read.shape().rank() == 0 || read.shape()[0] != steps || last.value.size() * steps != read.size())
            return {Outcome::Kind::none, "a step of the loop computes a part of what was read"};
        const Outcome forth = outcome(stacked(*values, read.shape(), false), read, last.narrow, unit_);
        const Outcome back = outcome(stacked(*values, read.shape(), true), read, last.narrow, unit_);
        return back.kind == Outcome::Kind::agrees ? back : forth;
    }
    const std::vector<RunValue>* values_at(std::size_t begin) const {
        if (const auto at = result_.values.find(begin); at != result_.values.end()) return &at->second;
        const std::vector<RunValue>* only = nullptr;
        for (const auto& [offset, values] : result_.values) {
            if (proof_.source->line(offset) != proof_.source->line(begin)) continue;
            if (only != nullptr) return nullptr;
            only = &values;
        }
        return only;
    }

  private:
    std::string why_not_run(int line) const {
        std::string whole;
        for (const RunResult::NotRun& f : result_.not_run) {
            if (f.name.empty()) whole = "the program is not run: " + f.why;
            if (std::ranges::find(f.lines, line) != f.lines.end()) return fmt::format("{} is not run: {}", f.name, f.why);
        }
        return whole.empty() ? "no call came to this line" : whole;
    }

    const Proof& proof_;
    const RunResult& result_;
    double unit_;
};

class Beside {
  public:
    Beside(const Proof& proof, const CheckOptions& options, ProofReport& report)
        : proof_(proof), options_(options), report_(report), plan_(proof, options.draw.bind) {}

    void run() {
        std::vector<std::unique_ptr<Instance>> draws;
        std::vector<RunCase> cases;
        for (int i = 0; i < kRuns; ++i) {
            draws.push_back(std::make_unique<Instance>(proof_, plan_, options_.draw, i));
            cases.push_back(run_case(proof_, *draws.back()));
        }
        const std::vector<RunResult> results = options_.run(cases);
        for (std::size_t i = 0; i < results.size() && differs_.empty(); ++i) {
            out_.python = results[i].python;
            hold(results[i], *draws[i], static_cast<int>(i));
        }
        report_.run = out_;
        for (LineReport& line : report_.lines)
            if (!differs_.empty() && line.is_right())
                tell_nothing(line, line.line == differs_at_ ? differs_ : fmt::format("of line {} {}", differs_at_, differs_));
    }

  private:
    /// The draw, with what the program drew itself in place of what was drawn here.
    void hold(const RunResult& result, const Instance& drawn, int number) {
        InstanceOptions options = options_.draw;
        options.sizes = drawn.sizes();
        if (drawn.has_cotangent()) options.cotangent = drawn.cotangent();
        const Held lines(proof_, result, 1);
        for (const Given& g : proof_.given) {
            if (g.fill == Fill::literal) continue;
            const auto* values = is_declared(proof_, g) ? nullptr : lines.values_at(g.span.begin);
            const Tensor<double>& value = values ? values->back().value : drawn.scope().values.at(g.name).value();
            options.bind.insert_or_assign(g.name, value);
        }
        const Plan plan(proof_, options.bind);
        Instance draw(proof_, plan, options, number);
        hold(Held(proof_, result, draw.unit()), draw, result);
    }
    void hold(const Held& lines, Instance& draw, const RunResult& result) {
        for (const Assignment& a : proof_.forward) {
            if (a.inner || !is_line(a)) continue;
            take(lines.line(a.statement.span.begin, draw.scope().values.at(a.name).value()), a.statement, out_.values);
            if (!differs_.empty()) return;
        }
        const bool all_right = report_.count(Verdict::right) == static_cast<int>(report_.lines.size());
        for (std::size_t i = 0; i < std::min(report_.lines.size(), proof_.lines.size()) && all_right; ++i) {
            const JudgedLine& line = proof_.lines[i];
            const std::string value = value_of_gradient(line);
            const std::size_t begin = line.statement.span.begin;
            Outcome o{Outcome::Kind::none, "it claims no gradient of a value"};
            if (!value.empty()) o = lines.line(begin, draw.gradient(value).value);
            if (const auto at = result.changed.find(begin); at != result.changed.end() && o.kind == Outcome::Kind::agrees)
                o = {Outcome::Kind::differs, fmt::format("Python computes this, and changes it before line {}", at->second)};
            take(o, line.statement, out_.gradients);
            if (!differs_.empty()) return;
        }
    }
    /// Whether it stands as a line of its own, and is not said by a def.
    bool is_line(const Assignment& a) const { return !proof_.source->slice(a.statement.span).starts_with("def "); }

    void take(const Outcome& o, const Statement& s, std::set<int>& compared) {
        if (o.kind == Outcome::Kind::agrees) compared.insert(s.line);
        if (o.kind == Outcome::Kind::differs) {
            differs_ = o.text;
            differs_at_ = s.line;
        }
        if (o.kind == Outcome::Kind::none) out_.not_compared.emplace(s.line, o.text);
    }

    const Proof& proof_;
    const CheckOptions& options_;
    ProofReport& report_;
    const Plan plan_;
    RunReport out_;
    std::string differs_;
    int differs_at_ = 0;
};

/// That of a recurrence, whose rows lead to each other, is none that comes in.
RunCase::Arrays gradients_of(const Proof& proof, Instance& draw) {
    RunCase::Arrays out;
    if (proof.forward.empty()) return out;
    for (const Given& g : proof.given)
        if (g.differentiable) out[g.name] = {draw.gradient(g.name).value};
    for (const Assignment& a : proof.forward)
        if (!a.inner && !a.is_loss && !(a.is_recurrence() && draw.has_cotangent())) out[a.name] = {draw.gradient(a.name).value};
    return out;
}

}  // namespace

RunCase run_case(const Proof& proof, Instance& draw) {
    RunCase out;
    out.sizes = draw.sizes();
    out.cotangent = draw.has_cotangent() ? draw.cotangent() : Tensor<double>();
    for (const Given& g : proof.given) {
        const Tensor<double>& value = draw.scope().values.at(g.name).value();
        const RunArray array{value, g.fill == Fill::index, g.differentiable};
        if (const std::optional<std::string> parameter = parameter_of(g.name))
            out.incoming[*parameter] = array;
        else
            (is_declared(proof, g) ? out.inputs : out.fallbacks)[g.name] = array;
        if (!is_declared(proof, g)) out.lines.insert(proof.source->line(g.span.begin));
    }
    out.gradients = gradients_of(proof, draw);
    for (const Assignment& a : proof.forward) out.lines.insert(a.statement.line);
    for (const JudgedLine& l : proof.lines) {
        out.lines.insert(l.statement.line);
        out.gradient_lines.insert(l.statement.line);
    }
    return out;
}

void run_beside(const Proof& proof, const CheckOptions& options, ProofReport& report) {
    if (!proof.has_program || proof.forward.empty()) return;
    Beside(proof, options, report).run();
}

}  // namespace gradproof::proof
