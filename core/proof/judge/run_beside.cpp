// What lines of a program compute when it is run, beside what they were read as.
#include "gradproof/core/proof/judge/run_beside.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/evaluate/bind.hpp"
#include "gradproof/core/proof/judge/claim.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/judge/run_case.hpp"
#include "gradproof/core/proof/judge/run_handed.hpp"
#include "gradproof/core/proof/judge/run_lines.hpp"
#include "gradproof/core/proof/language/upstream.hpp"

namespace gradproof::proof {
namespace {

constexpr std::size_t kRuns = 12;

class Beside {
  public:
    Beside(const Proof& proof, const CheckOptions& options, ProofReport& report)
        : proof_(proof), source_(*proof.source), options_(options), report_(report), plan_(proof, options.draw.bind) {}

    void run() {
        for (std::size_t i = 0; i < kRuns; ++i) {
            draws_.push_back(std::make_unique<Instance>(proof_, plan_, options_.draw, static_cast<int>(i)));
            cases_.push_back(run_case(proof_, *draws_.back()));
        }
        std::set<std::size_t> lines = cases_[0].lines;
        for (const Span part : proof_.program) lines.insert(part.begin);  // in which none may be asked for
        const std::string request = run_request(source_.file(), source_.program(lines), cases_);
        const std::vector<RunResult> results = run_answer(source_.file(), options_.run(request), cases_.size());
        out_.python = results.front().python;
        for (std::size_t i = 0; i < results.size() && out_.differs.empty(); ++i) hold(results[i], i);
        for (auto& [at, why] : not_compared_) {  // in some draw
            agreed_.erase(at);
            out_.not_compared.push_back(std::move(why));
        }
        for (auto& [at, why] : no_gradients_) out_.not_compared.push_back(std::move(why));
        for (const std::size_t at : agreed_) ++(cases_[0].gradient_lines.contains(at) ? out_.gradients : out_.values);
        for (const auto& [line, run] : unread_)
            line->reason += fmt::format("; run, it computes {} of {}",
                                        run.second ? "the true gradient" : "another gradient than that", run.first);
        if (!out_.differs.empty())
            for (LineReport& line : report_.lines)
                if (line.is_right()) tell_nothing(line, out_.differs);
    }
    RunReport& report() { return out_; }

  private:
    void hold(const RunResult& result, std::size_t number) {
        const RunLines lines(source_, result, draws_[number]->unit(), !report_.updates.empty());
        std::vector<std::unique_ptr<Instance>> draw;
        draw.push_back(with_own_draws(lines, number));
        hold_forward(lines, *draw[0]);
        if (!out_.differs.empty()) return;
        if (forward_is_compared_) hold_wrong(lines, draw);
        if (forward_is_compared_) hold_unread(lines, *draw[0]);
        hold_right(lines, *draw[0]);
        hold_handed(result, *draw[0]);
    }
    /// The draw, with what the program drew itself in place of what was drawn here.
    std::unique_ptr<Instance> with_own_draws(const RunLines& lines, std::size_t number) {
        const Instance& drawn = *draws_[number];
        InstanceOptions options = options_.draw;
        options.sizes = drawn.sizes();
        if (drawn.has_cotangent()) options.cotangent = drawn.cotangent();
        bool any = false;
        for (const Given& g : proof_.given) {
            if (g.fill == Fill::literal) continue;
            const auto* values =
                is_declared(proof_, g) || is_of_added_loss(g) ? nullptr : lines.values_at(g.span, is_called(g.name));
            any = any || values != nullptr;
            Tensor<double> value = values ? values->back().value : drawn.scope().values.at(g.name).value();
            if (values && g.fill == Fill::binary) {  // of a mask that its line scales, where it is not 0
                value = value.clone();
                for (double& x : value) x = x != 0 ? 1 : 0;
            }
            options.bind.insert_or_assign(g.name, value);
        }
        if (!any) return std::move(draws_[number]);
        own_plan_.emplace(proof_, options.bind);
        return std::make_unique<Instance>(proof_, *own_plan_, options, static_cast<int>(number));
    }
    /// sum(upstream(out) ⊙ out), which no program computes.
    bool is_added_loss(const Assignment& a) const {
        const std::set<std::string> names = names_in(*a.value);
        return a.is_loss &&
               std::ranges::any_of(proof_.given, [&](const Given& g) { return is_of_added_loss(g) && names.contains(g.name); });
    }
    void hold_forward(const RunLines& lines, Instance& draw) {
        for (const Assignment& a : proof_.forward) {
            if (a.inner || is_added_loss(a) || source_.slice(a.statement.span).starts_with("def ")) continue;
            const Span at = computed_at(a.statement, *a.value);
            RunOutcome o = lines.line(at, draw.scope().values.at(a.name).value(), is_called(a.name));
            if (!gradients_follow(lines, a.statement)) o = kept(lines, a.statement, o);
            forward_is_compared_ = forward_is_compared_ && o.kind == RunOutcome::Kind::agrees;
            take(o, a.statement);
            if (!out_.differs.empty()) return;
        }
    }
    /// Where the value of a line stands: of return x @ w, x each has its place.
    Span computed_at(const Statement& s, const Expr& value) const {
        const bool within = s.span.begin <= value.span.begin && value.span.end <= s.span.end;
        return within && source_.slice(s.span).starts_with("return ") ? value.span : s.span;
    }
    /// Of a line that agrees, what becomes of its value. One that changes parameters, too, may clip what they are changed by.
    RunOutcome kept(const RunLines& lines, const Statement& s, RunOutcome o) const {
        const std::string after = lines.after(s.span.begin);
        if (o.kind != RunOutcome::Kind::agrees || after.empty()) return o;
        return {report_.updates.empty() ? RunOutcome::Kind::differs : RunOutcome::Kind::none, after};
    }
    /// Before the value is changed, in the same function: dscores = probs, and then dscores[...] -= 1. They are compared
    /// themselves.
    bool gradients_follow(const RunLines& lines, const Statement& s) const {
        const std::optional<std::size_t> changed = lines.changed_at(s.span.begin);
        return changed && std::ranges::any_of(proof_.lines, [&](const JudgedLine& line) {
                   return s.span.begin < line.statement.span.begin && line.statement.span.begin < *changed;
               });
    }
    /// A wrong line that computes what is true.
    void hold_wrong(const RunLines& lines, std::vector<std::unique_ptr<Instance>>& draw) {
        each_line([&](const JudgedLine& line, LineReport& told) {
            const std::string value = value_of_gradient(line);
            if (told.skipped || told.unread || told.verdict != Verdict::wrong || value.empty()) return;
            const Tensor<double> truth = true_gradient(*draw[0], value);
            if (lines.line(computed_at(line.statement, *line.right), truth, is_gradient_of(value)).kind !=
                RunOutcome::Kind::agrees)
                return;
            const std::optional<Tensor<double>> read = Claim(line, proof_, draw).plain(0, line.right);
            if (read && read->size() == truth.size() &&
                run_outcome(*read, truth, false, draw[0]->unit()).kind == RunOutcome::Kind::agrees)
                return;  // it is wrong elsewhere
            tell_nothing(told, "Python computes the true gradient, and what was read is another");
        });
    }
    /// A line that is not read, by the names of gradients that it assigns.
    void hold_unread(const RunLines& lines, Instance& draw) {
        each_line([&](const JudgedLine& line, LineReport& told) {
            const Span s = line.statement.span;
            for (const RunResult::Line* run : told.unread ? lines.all_at(s) : std::vector<const RunResult::Line*>{}) {
                const std::optional<Meaning> meaning = meaning_of(run->name, proof_);
                if (!meaning || !meaning->gradient) continue;
                const RunOutcome o = lines.line(s, true_gradient(draw, meaning->value), is_gradient_of(meaning->value));
                const bool agrees = o.kind == RunOutcome::Kind::agrees;
                if (const auto [at, first] = unread_.try_emplace(&told, meaning->value, agrees); !first)
                    at->second.second = at->second.second && agrees;
            }
        });
    }
    /// Where all lines are right, each has to compute what is true; beside others one may use what these compute.
    void hold_right(const RunLines& lines, Instance& draw) {
        const bool all_right = std::ranges::all_of(report_.lines, &LineReport::is_right);
        each_line([&](const JudgedLine& line, LineReport& told) {
            if (!told.is_right() || !out_.differs.empty()) return;
            const std::string value = value_of_gradient(line);
            RunOutcome o{RunOutcome::Kind::none, "it claims no gradient of a value"};
            if (!value.empty())
                o = lines.line(computed_at(line.statement, *line.right), true_gradient(draw, value), is_gradient_of(value));
            o = kept(lines, line.statement, o);
            if (o.kind == RunOutcome::Kind::differs && !all_right)
                o = {RunOutcome::Kind::none, "other lines are wrong or not read, and it may use what they compute"};
            take(o, line.statement);
        });
    }
    /// What it hands over as gradients, where all lines are right.
    void hold_handed(const RunResult& result, Instance& draw) {
        if (!out_.differs.empty() || !std::ranges::all_of(report_.lines, &LineReport::is_right)) return;
        if (!report_.updates.empty()) return;  // behind which they are those of a later step
        const RunHanded handed(proof_, draw, result);
        out_.differs = handed.differs();
        for (PassedOver& p : handed.no_gradients()) no_gradients_.try_emplace(std::pair(p.line, p.why), std::move(p));
    }
    IsIt is_gradient_of(const std::string& value) const {
        return [&proof = proof_, value](const std::string& name) { return is_name_of_gradient(name, value, proof); };
    }
    void each_line(const std::function<void(const JudgedLine&, LineReport&)>& f) {
        for (std::size_t i = 0; i < std::min(report_.lines.size(), proof_.lines.size()); ++i)
            f(proof_.lines[i], report_.lines[i]);
    }

    void take(const RunOutcome& o, const Statement& s) {
        const TextSpan at = source_.span(s.span);
        if (o.kind == RunOutcome::Kind::agrees) agreed_.insert(s.span.begin);
        if (o.kind == RunOutcome::Kind::differs) out_.differs = fmt::format("line {}: {}", line_text(at.line, at.in), o.text);
        if (o.kind == RunOutcome::Kind::none) not_compared_[s.span.begin] = {at.line, source_.one_line(s.span), o.text, at.in};
    }

    const Proof& proof_;
    const Source& source_;
    const CheckOptions& options_;
    ProofReport& report_;
    const Plan plan_;
    std::optional<Plan> own_plan_;
    std::vector<std::unique_ptr<Instance>> draws_;
    std::vector<RunCase> cases_;
    std::set<std::size_t> agreed_;
    std::map<std::size_t, PassedOver> not_compared_;
    std::map<std::pair<int, std::string>, PassedOver> no_gradients_;  ///< by line and reason
    bool forward_is_compared_ = true;
    std::map<LineReport*, std::pair<std::string, bool>> unread_;  ///< the value whose gradient it is, and whether that is true
    RunReport out_;
};

}  // namespace

void run_beside(const Proof& proof, const CheckOptions& options, ProofReport& report) {
    if (!proof.has_program || proof.forward.empty()) return;
    Beside beside(proof, options, report);
    try {
        beside.run();
    } catch (const ProofError& e) {  // it cannot be drawn
        beside.report().not_compared.push_back({e.line(), "", e.message(), e.at().in});
    }
    report.run = beside.report();
}

}  // namespace gradproof::proof
