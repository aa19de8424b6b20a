// Values of a run beside those that were read.
#include "gradproof/core/proof/judge/run_lines.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/proof/judge/claim.hpp"
#include "gradproof/core/proof/language/lines.hpp"

namespace gradproof::proof {
namespace {

/// Relative to the largest entry: of doubles, which two programs add up in another order, and of floats.
constexpr double kAgrees = 1e-8, kAgreesNarrow = 1e-4;
constexpr double kAsZero = 1e-4;  ///< of the gradients that come in: smaller ones are as good as 0

/// What a line computed in a loop, step after step, as one array with the steps as its first axis; forth or back.
Tensor<double> stacked(const std::vector<RunValue>& steps, const Shape& shape, bool back) {
    Tensor<double> out(shape);
    const Index n = static_cast<Index>(steps.size()), each = out.size() / n;
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < each; ++j) out[i * each + j] = steps[static_cast<std::size_t>(back ? n - 1 - i : i)].value[j];
    return out;
}

}  // namespace

RunOutcome run_outcome(const Tensor<double>& run, const Tensor<double>& read, bool narrow, double unit) {
    const auto tolerance = check::relative_to_largest(read, narrow ? kAgreesNarrow : kAgrees, kAsZero * unit);
    const check::Comparison c = check::compare(run.reshape(read.shape()), read, tolerance, check::NotFinite::alike);
    if (c.right()) return {RunOutcome::Kind::agrees, ""};
    const Index at = c.off_at.front();
    const std::string place = read.shape().empty() ? "" : " at " + index_text(check::unravel(at, read.shape()));
    return {RunOutcome::Kind::differs,
            fmt::format("Python computes {:.6g}{}, and what was read is {:.6g}", run[at], place, read[at])};
}

bool is_narrow(const RunResult& result, const Source& source) {
    constexpr std::string_view kTypes[] = {"float32", ".float()", "np.single", "float16", ".half()"};
    return std::ranges::any_of(kTypes, [&](std::string_view type) { return source.text().find(type) != std::string::npos; }) ||
           std::ranges::any_of(result.values,
                               [](const auto& line) { return std::ranges::any_of(line.second.times, &RunValue::narrow); });
}

IsIt is_called(const std::string& name) {
    const std::size_t begin = name.starts_with('(') ? 1 : 0;
    return [plain = name.substr(begin, name.find(' ') - begin)](const std::string& other) { return other == plain; };
}

RunLines::RunLines(const Source& source, const RunResult& result, double unit, bool trains)
    : source_(source), result_(result), unit_(unit), trains_(trains), narrow_(is_narrow(result, source)) {}

RunOutcome RunLines::line(Span s, const Tensor<double>& read, const IsIt& is_it) const {
    const std::vector<RunValue>* values = values_at(s, is_it);
    if (values == nullptr) return {RunOutcome::Kind::none, why_not_run(s.begin)};
    const RunValue &first = values->front(), &last = values->back();
    if (last.value.shape() != read.shape()) return steps(*values, read);
    const RunOutcome o = run_outcome(last.value, read, narrow_, unit_);
    if (o.kind == RunOutcome::Kind::agrees || !trains_ || first.value.shape() != read.shape()) return o;
    return run_outcome(first.value, read, narrow_, unit_);
}

/// Of values that are steps of what was read, in either order.
RunOutcome RunLines::steps(const std::vector<RunValue>& values, const Tensor<double>& read) const {
    const Tensor<double>& last = values.back().value;
    const Index n = static_cast<Index>(values.size());
    if (n == 1)
        return {RunOutcome::Kind::differs,
                fmt::format("Python computes an array {}, and what was read is {}", last.shape().str(), read.shape().str())};
    const bool alike = std::ranges::all_of(values, [&](const RunValue& v) { return v.value.size() == last.size(); });
    if (read.shape().rank() == 0 || read.shape()[0] != n || last.size() * n != read.size() || !alike)
        return {RunOutcome::Kind::none, "a step of the loop computes a part of what was read"};
    const RunOutcome forth = run_outcome(stacked(values, read.shape(), false), read, narrow_, unit_);
    const RunOutcome back = run_outcome(stacked(values, read.shape(), true), read, narrow_, unit_);
    return back.kind == RunOutcome::Kind::agrees ? back : forth;
}

const std::vector<RunValue>* RunLines::values_at(Span s, const IsIt& is_it) const {
    const std::vector<const RunResult::Line*> all = all_at(s);
    if (all.size() == 1) return &all[0]->times;
    const auto named = [&](const RunResult::Line* line) { return is_it(line->name); };
    if (std::ranges::count_if(all, named) == 1) return &(*std::ranges::find_if(all, named))->times;
    const auto at = result_.values.lower_bound(s.begin);
    if (at == result_.values.end() || at->first >= s.end) return nullptr;
    const bool begins = source_.slice({s.begin, at->first}).find_first_not_of("( \n") == std::string_view::npos;  // ((x @ w) + b)
    return begins ? &at->second.times : nullptr;
}

std::vector<const RunResult::Line*> RunLines::all_at(Span s) const {
    const std::size_t to = std::max(s.end, std::min(source_.text().find('\n', s.begin), source_.text().size()));
    std::vector<const RunResult::Line*> out;
    for (auto at = result_.values.lower_bound(begin_of_line(source_.text(), s.begin));
         at != result_.values.end() && at->first < to; ++at)
        out.push_back(&at->second);
    return out;
}

std::optional<std::size_t> RunLines::changed_at(std::size_t begin) const {
    const auto at = result_.changed.find(begin);
    return at == result_.changed.end() ? std::nullopt : std::optional(at->second);
}

std::string RunLines::after(std::size_t begin) const {
    if (const std::optional<std::size_t> at = changed_at(begin))
        return fmt::format("Python computes this, and changes it before it returns in line {}", line_number(*at));
    return result_.again.contains(begin) ? "Python computes this, and something else where other calls came before or between"
                                         : "";
}

std::string RunLines::why_not_run(std::size_t begin) const {
    std::string whole;
    for (const RunResult::NotRun& f : result_.not_run) {
        const std::string why = f.at ? fmt::format("line {}: {}", line_number(*f.at), f.why) : f.why;
        if (f.name.empty()) whole = "the program is not run: " + why;
        if (std::ranges::find(f.lines, begin) != f.lines.end()) return fmt::format("{} is not run: {}", f.name, why);
    }
    return whole.empty() ? "no call came to this line" : whole;
}

}  // namespace gradproof::proof
