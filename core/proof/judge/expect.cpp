// Expectations of numbers as they are printed.
#include "gradproof/core/proof/judge/expect.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/proof/judge/printed.hpp"

namespace gradproof::proof {
namespace {

struct Judge {
    const Tensor<double>& truth;
    const Proof& proof;
    LineReport& report;
    Evaluator<double>& evaluator;
    Index rounding = 0, wrong = 0;
    double worst = 0;

    [[noreturn]] void fail(const Expr& e, const std::string& text) const { throw ProofError(*proof.source, e.span.begin, text); }

    static const Expr* printed(const Expr& e, bool& minus) {
        if (e.kind == Kind::number) return &e;
        if (e.kind != Kind::negate) return nullptr;
        minus = !minus;
        return printed(*e.children[0], minus);
    }

    /// The entries of `e` at axes from `axis` on, below the element `offset`.
    void compare(const Expr& e, int axis, Index offset, Shape index) {
        if (e.kind == Kind::ellipsis) return;
        const int rank = truth.rank();
        if (axis == rank) {
            number(e, offset, index);
            return;
        }
        if (e.kind != Kind::array)
            fail(e, fmt::format("expected an array of {} more ax{}, got {}", rank - axis, rank - axis == 1 ? "is" : "es",
                                text_of(e)));
        const Index n = truth.dim(axis);
        Index step = 1;
        for (int a = axis + 1; a < rank; ++a) step *= truth.dim(a);
        const bool open = !e.children.empty() && e.children.back()->kind == Kind::ellipsis;
        const auto stated = static_cast<Index>(e.children.size()) - (open ? 1 : 0);
        if (open ? stated > n : stated != n) fail(e, fmt::format("axis {} has {} entries, {} are stated", axis, n, stated));
        index.push_back(0);
        for (Index i = 0; i < stated; ++i) {
            index[axis] = i;
            compare(*e.children[static_cast<std::size_t>(i)], axis + 1, offset + i * step, index);
        }
    }

    void number(const Expr& e, Index offset, const Shape& index) {
        bool minus = false;
        const double t = truth[offset];
        double claimed = 0, half_unit = 0;
        if (const Expr* p = printed(e, minus); p && std::isfinite(p->number)) {
            const Printed parsed = parse_printed(p->name);
            claimed = minus ? -parsed.value : parsed.value;
            half_unit = parsed.half_unit;
        } else {
            const Var<double> x = evaluator.matrix(e);
            if (!x.shape().empty()) fail(e, fmt::format("expected a number, got an array of shape {}", x.shape()));
            claimed = x.value()[0];
            half_unit = 1e-9 * std::max(std::abs(t), 1e-3);
        }
        ++report.entries;
        const double off = std::abs(claimed - t);
        const double slack = 1e-12 * std::max(1.0, std::abs(t));
        if (claimed == t || off <= half_unit + slack) return;
        if (off <= 5 * half_unit + slack)
            ++rounding;
        else
            ++wrong;
        if (!(off > worst) && report.worst) return;
        worst = off;
        report.worst = WorstEntry{index, claimed, t};
        report.error = std::max(report.error, off / std::max(std::abs(t), 1e-300));
    }
};

}  // namespace

void judge_expectation(Instance& draw, const Proof& proof, const JudgedLine& line, LineReport& report) {
    Evaluator<double> evaluator(draw.scope());
    try {
        const Var<double> truth = evaluator.matrix(*line.left);
        Judge judge{truth.value(), proof, report, evaluator};
        bool minus = false;
        const bool literal = line.right->kind == Kind::array || Judge::printed(*line.right, minus);
        if (literal && !(truth.shape().rank() > 0 && line.right->kind != Kind::array)) {
            judge.compare(*line.right, 0, 0, {});
        } else {
            const Var<double> claimed = evaluator.matrix(*line.right);
            if (!(claimed.shape() == truth.shape()))
                throw ProofError(*proof.source, line.right->span.begin,
                                 fmt::format("shapes differ: expected {}, computed {}", claimed.shape(), truth.shape()));
            const Agreement a = agreement({claimed.value(), truth.value(), evaluator.magnitude(), ""});
            report.entries = truth.value().size();
            report.error = a.error;
            report.worst = a.worst;
            if (!a.agree) judge.wrong = 1;
        }
        if (judge.rounding + judge.wrong == 0) return;
        report.verdict = Verdict::wrong;
        Diagnosis d;
        d.kind = judge.wrong > 0 ? "values" : "rounding";
        if (literal) {
            const Index off = judge.wrong + judge.rounding;
            d.text = judge.wrong > 0
                         ? fmt::format("{} of {} numbers differ", off, report.entries)
                         : fmt::format("{} of {} numbers are off by one or two in the last digit", off, report.entries);
        } else {
            d.text = "the two sides differ";
        }
        report.diagnosis = d;
    } catch (const EvaluationError& e) {
        throw ProofError(*proof.source, e.span().begin, e.what());
    }
}

}  // namespace gradproof::proof
