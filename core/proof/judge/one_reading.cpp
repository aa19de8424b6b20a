// Conventions that contradict each other within one text.
#include "gradproof/core/proof/judge/one_reading.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gradproof::proof {

OneReading::Words OneReading::words(Question question) {
    using enum Question;
    switch (question) {
        case columns: return {name(Way::columns), name(Way::rows), "state convention columns or convention rows"};
        case denominator:
            return {name(Way::denominator), "Jacobians by the numerator", "state layout numerator or layout denominator"};
        case products_first: return {name(Way::products_first), "products of all kinds from left to right", "put brackets there"};
        case whole_divisor: return {name(Way::whole_divisor), "1/2n as n/2", "put brackets there"};
        case matrix_powers: return {name(Way::matrix_powers), "powers of matrices entry by entry", "write A A, or A ⊙ A"};
        case gradients_as_values: return {"∂L/∂x as x lies", "∂L/∂x turned, a row for a column x", "transpose one of them"};
    }
    return {};
}

void OneReading::needs(std::size_t line, Question question, bool yes) {
    std::vector<std::size_t>& lines = yes ? needed_[question].yes : needed_[question].no;
    if (lines.empty() || lines.back() != line) lines.push_back(line);
}

void OneReading::needs(std::size_t line, Way way, bool right) {
    switch (way) {
        case Way::columns: return needs(line, Question::columns, right);
        case Way::rows: return needs(line, Question::columns, !right);
        case Way::denominator: return needs(line, Question::denominator, right);
        case Way::products_first: return needs(line, Question::products_first, right);
        case Way::whole_divisor: return needs(line, Question::whole_divisor, right);
        case Way::matrix_powers: return needs(line, Question::matrix_powers, right);
    }
}

void OneReading::add_fit(std::size_t line, const Claim& claim, const Fit& fit) {
    if (fit.as_values == fit.turned) return;
    needs(line, Question::gradients_as_values, fit.as_values);
    const auto is_turned = [](const Expr& e) {
        return e.kind == Kind::transpose && any_part(e, [](const Expr& part) { return part.kind == Kind::gradient; });
    };
    // of \frac{\partial L}{\partial x}^\top = W^\top e, but not where gradients are turned on the right too
    const bool stated = claim.proof().conventions.layout == Layout::numerator;
    if (!stated && fit.turned && claim.line().left->kind == Kind::transpose && !any_part(*claim.line().right, is_turned))
        seldom_.push_back({line, Question::gradients_as_values});
}

void OneReading::add(std::size_t line, const Claim& claim, const std::vector<Way>& ways) {
    for (const Way w : ways) needs(line, w, true);
    const bool as_rows = std::ranges::count(ways, Way::rows) > 0 && is_typeset(claim.line().language);
    if (as_rows && Orientation(claim.proof(), claim.draw(0).scope()).vectors() != Vectors::rows)
        seldom_.push_back({line, Question::columns});
    if (claim.line().called_jacobian && std::ranges::count(ways, Way::denominator) > 0)
        seldom_.push_back({line, Question::denominator, true});
    if (!ways.empty() || is_program(claim.line().language)) return;
    const ExprPtr& right = claim.line().right;
    const auto is_column = [](bool left_turned, bool right_turned) { return !left_turned && right_turned; };
    if (claim.proof().conventions.assumed && multiplies_vectors(*right, claim.draw(0).scope(), is_column))
        needs(line, Question::columns, true);
    for (const Way w : kWays)
        if (const ExprPtr other = read_in(w, claim, right); other != right && !claim.holds(other)) {
            needs(line, w, false);
            if (w == Way::whole_divisor && is_typeset(claim.line().language)) seldom_.push_back({line, Question::whole_divisor});
        }
}

namespace {
/// Of a line that is right.
void cannot_tell(LineReport& r, const std::string& only_with) {
    if (r.verdict != Verdict::right) return;
    r.verdict = Verdict::cannot_tell;
    r.reason = "it is right only with " + only_with;
    r.read_as.clear();
    r.proved.reset();
}
}  // namespace

void OneReading::judge(ProofReport& report, const Conventions& conventions) const {
    for (const auto& [question, needed] : needed_) {
        const Words told = words(question);
        const auto cannot_stand = [&](const std::vector<std::size_t>& lines, const char* with,
                                      const std::vector<std::size_t>& others, const char* only_with) {
            for (const std::size_t i : lines) {
                const std::string where =
                    others.front() == i ? "in another place" : fmt::format("line {}", report.lines[others.front()].line);
                cannot_tell(report.lines[i], fmt::format("{}, and {} only with {}: {}", with, where, only_with, told.clearly));
            }
        };
        if (needed.yes.empty() || needed.no.empty()) continue;
        const bool columns = question == Question::columns && conventions.assumed;
        if (!columns && needed.yes.size() <= needed.no.size()) cannot_stand(needed.yes, told.yes, needed.no, told.no);
        if (columns || needed.no.size() <= needed.yes.size()) cannot_stand(needed.no, told.no, needed.yes, told.yes);
    }
    judge_seldom(report);
}

void OneReading::judge_seldom(ProofReport& report) const {
    for (const auto& [line, question, yes] : seldom_) {
        const Needed& needed = needed_.at(question);
        if ((yes ? needed.yes : needed.no).size() > 1) continue;
        const Words told = words(question);
        cannot_tell(report.lines[line],
                    fmt::format("{}, which nothing else in the text shows: {}", yes ? told.yes : told.no, told.clearly));
    }
}

}  // namespace gradproof::proof
