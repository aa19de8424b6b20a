// Conventions that contradict each other within one text.
#include "gradproof/core/proof/judge/one_reading.hpp"

#include <fmt/format.h>

namespace gradproof::proof {

const std::array<OneReading::Question, 6> OneReading::kQuestions{{
    {{"vectors as rows", "vectors as columns"}, "state convention columns or convention rows"},
    {{"Jacobians by the numerator", "Jacobians by the denominator"}, "state layout numerator or layout denominator"},
    {{"products of all kinds from left to right", "matrix products before ⊙"}, "put brackets there"},
    {{"1/2n as n/2", "1/2n as 1/(2n)"}, "put brackets there"},
    {{"powers of matrices entry by entry", "powers of square matrices as products"}, "write A A, or A ⊙ A"},
    {{"∂L/∂x turned, a row for a column x", "∂L/∂x as x lies"}, "transpose one of them"},
}};

std::pair<std::size_t, bool> OneReading::answered_by(Way way) {
    switch (way) {
        case Way::rows: return {0, false};
        case Way::columns: return {0, true};
        case Way::denominator: return {1, true};
        case Way::products_first: return {2, true};
        case Way::whole_divisor: return {3, true};
        case Way::matrix_powers: return {4, true};
    }
    return {};
}

void OneReading::needs(std::size_t line, std::size_t question, bool second) {
    std::vector<std::size_t>& lines = lines_[question][second ? 1 : 0];
    if (lines.empty() || lines.back() != line) lines.push_back(line);
}

void OneReading::add(std::size_t line, const Fit& fit) {
    constexpr std::size_t kGradients = 5;
    if (fit.as_values != fit.turned) needs(line, kGradients, fit.as_values);
}

void OneReading::add(std::size_t line, const Claim& claim, const std::vector<Way>& ways) {
    for (const Way w : ways) {
        const auto [question, second] = answered_by(w);
        needs(line, question, second);
    }
    if (!ways.empty() || claim.line().language == Language::numpy) return;
    const auto [columns, second_is_columns] = answered_by(Way::columns);
    if (claim.proof().conventions.assumed && multiplies_columns(claim, claim.line().right))
        needs(line, columns, second_is_columns);
    for (const Way w : kWays) {
        const ExprPtr other = read_in(w, claim, claim.line().right);
        if (other == claim.line().right || claim.holds(other)) continue;
        const auto [question, second] = answered_by(w);
        needs(line, question, !second);
    }
}

void OneReading::judge(ProofReport& report, const Conventions& conventions) const {
    for (std::size_t q = 0; q < kQuestions.size(); ++q) judge(q, report, conventions);
}

void OneReading::judge(std::size_t question, ProofReport& report, const Conventions& conventions) const {
    const bool columns = conventions.assumed && question == answered_by(Way::columns).first;
    const auto& lines = lines_[question];
    const auto& [names, clearly] = kQuestions[question];
    for (const std::size_t answer : {std::size_t{0}, std::size_t{1}}) {
        const std::vector<std::size_t>&mine = lines[answer], &others = lines[1 - answer];
        const bool fewer = columns ? (answer == 1) != answered_by(Way::columns).second : mine.size() <= others.size();
        if (!fewer || others.empty()) continue;
        for (const std::size_t i : mine) {
            LineReport& r = report.lines[i];
            if (r.verdict != Verdict::right) continue;
            const bool itself = others.front() == i;
            r.verdict = Verdict::cannot_tell;
            r.reason = fmt::format("it is right only with {}, and {} only with {}: {}", names[answer],
                                   itself ? "in another place" : fmt::format("line {}", report.lines[others.front()].line),
                                   names[1 - answer], clearly);
            r.read_as.clear();
            r.proved.reset();
        }
    }
}

}  // namespace gradproof::proof
