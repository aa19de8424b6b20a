// What lines of a program compute when it is run, beside what they were read as.
#include "gradproof/core/proof/judge/run_beside.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/evaluate/bind.hpp"
#include "gradproof/core/proof/judge/claim.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/judge/run_exchange.hpp"
#include "gradproof/core/proof/language/lines.hpp"

namespace gradproof::proof {
namespace {

/// Relative to the largest entry: of doubles, which two programs add up in another order, and of floats.
constexpr double kAgrees = 1e-8, kAgreesNarrow = 1e-4;
constexpr double kAsZero = 1e-4;  ///< of the gradients that come in: smaller ones are as good as 0
constexpr std::size_t kRuns = 12;

/// "dh_next" of (dh_next), which stands for a gradient that comes in from outside.
std::optional<std::string> parameter_of(const std::string& name) {
    if (name.size() < 3 || name.front() != '(' || name.back() != ')' || name.find(' ') != name.npos) return std::nullopt;
    return name.substr(1, name.size() - 2);
}
/// "v" of (v of line 3), which is assigned again.
std::string_view plain_name(std::string_view name) {
    if (name.starts_with('(')) name.remove_prefix(1);
    return name.substr(0, name.find(' '));
}
std::size_t begin_of_line(std::string_view text, std::size_t at) {
    const std::size_t newline = at == 0 ? text.npos : text.rfind('\n', at - 1);
    return newline == text.npos ? 0 : newline + 1;
}
/// By a comment of the program.
bool is_declared(const Proof& proof, const Given& g) {
    const std::string_view text = proof.source->text();
    return trimmed(line_at(text, begin_of_line(text, g.span.begin))).starts_with('#');
}
/// The value whose gradient the left side of a claim is, or whose rows or entries are; "" of other lines.
std::string value_of_gradient(const JudgedLine& line) {
    if (!line.is_judged() || line.type != JudgedLine::Type::claim) return "";
    const Expr& left = line.left->kind == Kind::index ? *line.left->children[0] : *line.left;
    return left.kind == Kind::gradient ? left.name : "";
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
    return {Outcome::Kind::differs,
            fmt::format("Python computes {:.6g}{}, and what was read is {:.6g}", run[at], place, read[at])};
}

/// Whether a value is that of this name.
using IsIt = std::function<bool(const std::string&)>;
IsIt is_called(const std::string& name) {
    return [plain = std::string(plain_name(name))](const std::string& other) { return other == plain; };
}

/// Of one run: what its lines computed, beside a draw.
class Held {
  public:
    /// `trains`: parameters are changed, after which the steps of a loop compute with others.
    Held(const Source& source, const RunResult& result, double unit, bool trains)
        : source_(source), result_(result), unit_(unit), trains_(trains) {
        for (const auto& [at, line] : result.values)
            for (const RunValue& v : line.times) narrow_ = narrow_ || v.narrow;
    }

    /// The line, or of several names that it assigns to the one that `is_it`.
    Outcome line(Span s, const Tensor<double>& read, const IsIt& is_it) const {
        const std::vector<RunValue>* values = values_at(s, is_it);
        if (values == nullptr) return {Outcome::Kind::none, why_not_run(s.begin)};
        const RunValue &first = values->front(), &last = values->back();
        if (last.value.shape() == read.shape()) {
            const Outcome o = outcome(last.value, read, narrow_, unit_);
            if (o.kind == Outcome::Kind::agrees || !trains_ || first.value.shape() != read.shape()) return o;
            return outcome(first.value, read, narrow_, unit_);
        }
        const Index steps = static_cast<Index>(values->size());
        if (steps == 1)
            return {Outcome::Kind::differs, fmt::format("Python computes an array {}, and what was read is {}",
                                                        last.value.shape().str(), read.shape().str())};
        const auto is_alike = [&](const RunValue& v) { return v.value.size() == last.value.size(); };
        if (read.shape().rank() == 0 || read.shape()[0] != steps || last.value.size() * steps != read.size() ||
            !std::ranges::all_of(*values, is_alike))
            return {Outcome::Kind::none, "a step of the loop computes a part of what was read"};
        const Outcome forth = outcome(stacked(*values, read.shape(), false), read, narrow_, unit_);
        const Outcome back = outcome(stacked(*values, read.shape(), true), read, narrow_, unit_);
        return back.kind == Outcome::Kind::agrees ? back : forth;
    }
    /// The only value in its lines, of several the one that it is by name, or else by where it begins.
    const std::vector<RunValue>* values_at(Span s, const IsIt& is_it) const {
        const std::vector<const RunResult::Line*> all = all_at(s);
        if (all.size() == 1) return &all[0]->times;
        const auto named = [&](const RunResult::Line* line) { return is_it(line->name); };
        if (std::ranges::count_if(all, named) == 1) return &(*std::ranges::find_if(all, named))->times;
        const auto exact = result_.values.find(s.begin);
        return exact == result_.values.end() ? nullptr : &exact->second.times;
    }
    /// What its lines assign.
    std::vector<const RunResult::Line*> all_at(Span s) const {
        const std::size_t to = std::max(s.end, std::min(source_.text().find('\n', s.begin), source_.text().size()));
        std::vector<const RunResult::Line*> out;
        for (auto at = result_.values.lower_bound(begin_of_line(source_.text(), s.begin));
             at != result_.values.end() && at->first < to; ++at)
            out.push_back(&at->second);
        return out;
    }
    /// What becomes of what it computes: it is changed, or is another when it is called again; "" where it stays.
    std::string after(std::size_t begin) const {
        if (const auto at = result_.changed.find(begin); at != result_.changed.end())
            return fmt::format("Python computes this, and changes it before it returns in line {}", line_number(at->second));
        return result_.again.contains(begin) ? "Python computes this, and something else where other calls came before or between"
                                             : "";
    }

  private:
    /// Of a place that an answer names, which may be anywhere.
    int line_number(std::size_t at) const { return source_.line(std::min(at, source_.text().size())); }
    std::string why_not_run(std::size_t begin) const {
        std::string whole;
        for (const RunResult::NotRun& f : result_.not_run) {
            const std::string why = f.at ? fmt::format("line {}: {}", line_number(*f.at), f.why) : f.why;
            if (f.name.empty()) whole = "the program is not run: " + why;
            if (std::ranges::find(f.lines, begin) != f.lines.end()) return fmt::format("{} is not run: {}", f.name, why);
        }
        return whole.empty() ? "no call came to this line" : whole;
    }

    const Source& source_;
    const RunResult& result_;
    double unit_;
    bool trains_;
    bool narrow_ = false;  ///< some of its numbers
};

/// As it is, not confirmed by differences, which the check has done.
Tensor<double> true_gradient(Instance& draw, const std::string& value) { return values_of(draw.derivatives().gradient(value)); }

class Beside {
  public:
    Beside(const Proof& proof, const CheckOptions& options, ProofReport& report)
        : proof_(proof), source_(*proof.source), options_(options), report_(report), plan_(proof, options.draw.bind) {}

    void run() {
        for (std::size_t i = 0; i < kRuns; ++i) {
            draws_.push_back(std::make_unique<Instance>(proof_, plan_, options_.draw, static_cast<int>(i)));
            cases_.push_back(run_case(proof_, *draws_.back()));
        }
        const std::string request = run_request(source_.file(), source_.program(cases_[0].lines), cases_);
        const std::vector<RunResult> results = run_answer(source_.file(), options_.run(request), cases_.size());
        out_.python = results.front().python;
        for (std::size_t i = 0; i < results.size() && out_.differs.empty(); ++i) hold(results[i], i);
        for (auto& [at, why] : not_compared_) {  // in some draw
            agreed_.erase(at);
            out_.not_compared.push_back(std::move(why));
        }
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
        const Held lines(source_, result, draws_[number]->unit(), !report_.updates.empty());
        std::vector<std::unique_ptr<Instance>> draw;
        draw.push_back(with_own_draws(lines, number));
        hold_forward(lines, *draw[0]);
        if (!out_.differs.empty()) return;
        if (forward_is_compared_) hold_wrong(lines, draw);
        if (forward_is_compared_) hold_unread(lines, *draw[0]);
        hold_right(lines, *draw[0]);
        hold_given(result, *draw[0]);
    }
    /// The draw, with what the program drew itself in place of what was drawn here.
    std::unique_ptr<Instance> with_own_draws(const Held& lines, std::size_t number) {
        const Instance& drawn = *draws_[number];
        InstanceOptions options = options_.draw;
        options.sizes = drawn.sizes();
        if (drawn.has_cotangent()) options.cotangent = drawn.cotangent();
        bool any = false;
        for (const Given& g : proof_.given) {
            if (g.fill == Fill::literal) continue;
            const auto* values = is_declared(proof_, g) ? nullptr : lines.values_at(g.span, is_called(g.name));
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
    void hold_forward(const Held& lines, Instance& draw) {
        for (const Assignment& a : proof_.forward) {
            if (a.inner || source_.slice(a.statement.span).starts_with("def ")) continue;
            const Outcome o =
                kept(lines, a.statement, lines.line(a.statement.span, draw.scope().values.at(a.name).value(), is_called(a.name)));
            forward_is_compared_ = forward_is_compared_ && o.kind == Outcome::Kind::agrees;
            take(o, a.statement);
            if (!out_.differs.empty()) return;
        }
    }
    /// Of a line that agrees, what becomes of its value. One that changes parameters, too, may clip what they are changed by.
    Outcome kept(const Held& lines, const Statement& s, Outcome o) const {
        const std::string after = lines.after(s.span.begin);
        if (o.kind != Outcome::Kind::agrees || after.empty()) return o;
        return {report_.updates.empty() ? Outcome::Kind::differs : Outcome::Kind::none, after};
    }
    /// A wrong line that computes what is true.
    void hold_wrong(const Held& lines, std::vector<std::unique_ptr<Instance>>& draw) {
        each_line([&](const JudgedLine& line, LineReport& told) {
            const std::string value = value_of_gradient(line);
            if (told.skipped || told.unread || told.verdict != Verdict::wrong || value.empty()) return;
            const Tensor<double> truth = true_gradient(*draw[0], value);
            if (lines.line(line.statement.span, truth, is_gradient_of(value)).kind != Outcome::Kind::agrees) return;
            const std::optional<Tensor<double>> read = Claim(line, proof_, draw).plain(0, line.right);
            if (read && read->size() == truth.size() &&
                outcome(*read, truth, false, draw[0]->unit()).kind == Outcome::Kind::agrees)
                return;  // it is wrong elsewhere
            tell_nothing(told, "Python computes the true gradient, and what was read is another");
        });
    }
    /// A line that is not read, by the names of gradients that it assigns.
    void hold_unread(const Held& lines, Instance& draw) {
        each_line([&](const JudgedLine& line, LineReport& told) {
            const Span s = line.statement.span;
            for (const RunResult::Line* run : told.unread ? lines.all_at(s) : std::vector<const RunResult::Line*>{}) {
                const std::optional<Meaning> meaning = meaning_of(run->name, proof_);
                if (!meaning || !meaning->gradient) continue;
                const Outcome o = lines.line(s, true_gradient(draw, meaning->value), is_gradient_of(meaning->value));
                const bool agrees = o.kind == Outcome::Kind::agrees;
                if (const auto [at, first] = unread_.try_emplace(&told, meaning->value, agrees); !first)
                    at->second.second = at->second.second && agrees;
            }
        });
    }
    /// Where all lines are right, each has to compute what is true; beside others one may use what these compute.
    void hold_right(const Held& lines, Instance& draw) {
        const bool all_right = std::ranges::all_of(report_.lines, &LineReport::is_right);
        each_line([&](const JudgedLine& line, LineReport& told) {
            if (!told.is_right() || !out_.differs.empty()) return;
            const std::string value = value_of_gradient(line);
            Outcome o{Outcome::Kind::none, "it claims no gradient of a value"};
            if (!value.empty()) o = lines.line(line.statement.span, true_gradient(draw, value), is_gradient_of(value));
            o = kept(lines, line.statement, o);
            if (o.kind == Outcome::Kind::differs && !all_right)
                o = {Outcome::Kind::none, "other lines are wrong or not read, and it may use what they compute"};
            take(o, line.statement);
        });
    }
    /// What the program gives as gradients of values, where all lines are right.
    void hold_given(const RunResult& result, Instance& draw) {
        if (!std::ranges::all_of(report_.lines, &LineReport::is_right)) return;
        each_line([&](const JudgedLine& line, LineReport&) {
            const std::string value = value_of_gradient(line);
            for (const auto& [name, given] : result.gradients) {
                if (value.empty() || !out_.differs.empty() || (name != value && !is_gradient_of(value)(name))) continue;
                const Tensor<double> truth = true_gradient(draw, value);
                Outcome o{Outcome::Kind::differs, "its shape is another"};
                if (given.value.shape() == truth.shape()) o = outcome(given.value, truth, given.narrow, draw.unit());
                if (o.kind == Outcome::Kind::differs)
                    out_.differs = fmt::format("what is given as the gradient of {}: {}", value, o.text);
            }
        });
    }
    IsIt is_gradient_of(const std::string& value) const {
        return [&proof = proof_, value](const std::string& name) {
            const std::optional<Meaning> meaning = meaning_of(name, proof);
            return meaning && meaning->gradient && meaning->value == value;
        };
    }
    void each_line(const std::function<void(const JudgedLine&, LineReport&)>& f) {
        for (std::size_t i = 0; i < std::min(report_.lines.size(), proof_.lines.size()); ++i)
            f(proof_.lines[i], report_.lines[i]);
    }

    void take(const Outcome& o, const Statement& s) {
        const TextSpan at = source_.span(s.span);
        const std::string line = std::to_string(at.line) + (at.in.empty() ? "" : " of " + at.in);
        if (o.kind == Outcome::Kind::agrees) agreed_.insert(s.span.begin);
        if (o.kind == Outcome::Kind::differs) out_.differs = fmt::format("line {}: {}", line, o.text);
        if (o.kind == Outcome::Kind::none) not_compared_[s.span.begin] = {at.line, source_.one_line(s.span), o.text, at.in};
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
    bool forward_is_compared_ = true;
    std::map<LineReport*, std::pair<std::string, bool>> unread_;  ///< the value whose gradient it is, and whether that is true
    RunReport out_;
};

/// The names in the heads of functions: dh of def backward(dh, cache).
std::set<std::string> parameter_words(std::string_view text) {
    std::set<std::string> out;
    for (std::size_t at = text.find("def "); at != text.npos; at = text.find("def ", at + 1)) {
        std::string word;
        for (const char c : text.substr(at + 4, text.find(':', at) - at - 4)) {
            const bool in_word = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
            if (!in_word && !word.empty()) out.insert(std::exchange(word, ""));
            if (in_word) word += c;
        }
    }
    return out;
}
/// Those that parameters are called as. Of a recurrence, whose rows lead to each other, none comes in.
RunCase::Arrays gradients_of(const Proof& proof, Instance& draw) {
    RunCase::Arrays out;
    for (const std::string& word : parameter_words(proof.source->text())) {
        const std::optional<Meaning> meaning = meaning_of(word, proof);
        if (!meaning || !meaning->gradient) continue;
        const Assignment* a = proof.find(meaning->value);
        if (a == nullptr || !(a->is_recurrence() && draw.has_cotangent())) out[word] = {true_gradient(draw, meaning->value)};
    }
    return out;
}

}  // namespace

RunCase run_case(const Proof& proof, Instance& draw) {
    RunCase out;
    out.sizes = draw.sizes();
    if (draw.has_cotangent()) out.cotangent = draw.cotangent();
    for (const Given& g : proof.given) {
        const RunArray array{draw.scope().values.at(g.name).value(), g.fill == Fill::index, g.differentiable};
        const bool declared = is_declared(proof, g);
        if (const std::optional<std::string> parameter = parameter_of(g.name))
            out.incoming[*parameter] = array;
        else
            (declared ? out.inputs : out.fallbacks)[g.name] = array;
        if (!declared) out.lines.insert(g.span.begin);
    }
    out.gradients = gradients_of(proof, draw);
    for (const Assignment& a : proof.forward) {
        out.lines.insert(a.statement.span.begin);
        if (!a.inner) out.fallbacks[a.name] = {draw.scope().values.at(a.name).value()};
    }
    for (const JudgedLine& l : proof.lines) {
        out.lines.insert(l.statement.span.begin);
        out.gradient_lines.insert(l.statement.span.begin);
    }
    return out;
}

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
