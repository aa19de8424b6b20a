// What a text assumes of its inputs and the draws do not have.
#include "gradproof/core/proof/judge/assumed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/evaluate.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/language/structured.hpp"

namespace gradproof::proof {
namespace {

constexpr int kDraws = 2;
constexpr double kRounding = 1e-9;

double size_of(const Tensor<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0, [](double most, double v) { return std::max(most, std::abs(v)); });
}
bool near(const Tensor<double>& a, const Tensor<double>& b) {
    if (!(a.shape() == b.shape())) return false;
    const double most = kRounding * (1 + size_of(a));
    for (Index i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= most)) return false;
    return true;
}

/// Whether a value is of the form: a computed one may be so by itself.
bool is_so(const Tensor<double>& x, Fill fill) {
    if (fill == Fill::unit && x.rank() == 1)
        return std::abs(std::inner_product(x.begin(), x.end(), x.begin(), 0.0) - 1) <= kRounding;
    if (x.rank() != 2) return false;
    const Index rows = x.shape()[0], columns = x.shape()[1];
    const auto at = [&](Index i, Index j) { return x[i * columns + j]; };
    const double most = kRounding * (1 + size_of(x));
    for (Index i = 0; i < columns; ++i)
        for (Index j = 0; j < columns; ++j) {
            if (fill == Fill::orthogonal) {
                double sum = i == j ? -1 : 0;
                for (Index k = 0; k < rows; ++k) sum += at(k, i) * at(k, j);
                if (std::abs(sum) > kRounding) return false;
                continue;
            }
            if (rows != columns) return false;
            const bool zero =
                (fill == Fill::diagonal && i != j) || (fill == Fill::lower && i < j) || (fill == Fill::upper && i > j);
            if (zero && std::abs(at(i, j)) > most) return false;
            if (fill == Fill::symmetric && std::abs(at(i, j) - at(j, i)) > most) return false;
            if (fill == Fill::skew && std::abs(at(i, j) + at(j, i)) > most) return false;
        }
    return fill == Fill::symmetric || is_structured(fill);
}

bool holds_in(const Assumption& a, const Instance& draw) {
    try {
        if (a.left) {
            Evaluator<double> evaluator(draw.scope());
            return near(evaluator.matrix(*a.left).value(), evaluator.matrix(*a.right).value());
        }
        const auto value = a.of.size() == 1 ? draw.scope().values.find(*a.of.begin()) : draw.scope().values.end();
        return value != draw.scope().values.end() && is_so(value->second.value(), a.fill);
    } catch (const std::invalid_argument&) {  // by entries, or it does not fit together
        return false;
    }
}

/// Whether the line may hang on one of these: every gradient does.
bool may_hang_on(const JudgedLine& line, const std::set<std::string>& of, const Plan& plan) {
    for (const ExprPtr& side : {line.left, line.right}) {
        if (contains(*side, Kind::gradient) || contains(*side, Kind::jacobian) || contains(*side, Kind::helper)) return true;
        for (const std::string& name : names_in(*side))
            if (std::ranges::any_of(of, [&](const std::string& x) { return x == name || plan.reaches(x, name); })) return true;
    }
    return false;
}

/// What the left side is the derivative by, where that is a matrix of a form, as D that is said to be diagonal; nullptr of
/// others.
const Given* derived_by_form(const JudgedLine& line, const Proof& proof) {
    const bool is_entry = line.left->kind == Kind::index;
    const Expr& left = is_entry ? *line.left->children[0] : *line.left;
    const bool derivative = left.kind == Kind::gradient || left.kind == Kind::jacobian;
    const bool whole = !is_entry && left.children.empty();
    const std::string& by = left.kind == Kind::gradient ? left.name : left.other;
    const auto given = std::ranges::find_if(proof.given, [&](const Given& g) {
        const bool by_each =
            g.form == Fill::diagonal || g.form == Fill::lower || g.form == Fill::upper;  // each entry is free or 0
        return derivative && g.hidden() && g.behind == by && g.form != Fill::unit && (whole || !by_each);
    });
    return given == proof.given.end() ? nullptr : &*given;
}

}  // namespace

void judge_assumptions(const Proof& proof, const CheckOptions& options, ProofReport& report) {
    const std::size_t lines = std::min(report.lines.size(), proof.lines.size());
    const auto is_wrong = [&](std::size_t i) {
        const LineReport& r = report.lines[i];
        return r.verdict == Verdict::wrong && !r.unread && !r.skipped && proof.lines[i].is_judged() &&
               !r.reason.starts_with("shapes differ");
    };
    for (std::size_t i = 0; i < lines; ++i)
        if (const Given* g = is_wrong(i) ? derived_by_form(proof.lines[i], proof) : nullptr)
            tell_nothing(report.lines[i], fmt::format("{0} is {1}: it is no derivative by all entries of {0}, and may be one by "
                                                      "those that are free",
                                                      g->behind, word_of_structure(g->form)));
    if (proof.assumed.empty()) return;
    const Plan plan(proof, options.draw.bind);
    for (const Assumption& a : proof.assumed) {
        bool holds = true;
        for (int i = 0; i < kDraws && holds; ++i) holds = holds_in(a, Instance(proof, plan, options.draw, i));
        for (std::size_t i = 0; i < lines && !holds; ++i)
            if (is_wrong(i) && may_hang_on(proof.lines[i], a.of, plan))
                tell_nothing(report.lines[i], fmt::format("the text assumes {}, and inputs are not drawn so: it is wrong in "
                                                          "general, and may be right under that",
                                                          a.text));
    }
}

}  // namespace gradproof::proof
