// Rows that a mask leaves nothing of.
#include "gradproof/core/proof/judge/masked_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/branches.hpp"
#include "gradproof/core/proof/evaluate/evaluate.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// Whether the weights of a row add up to 0.
bool has_masked_row(const Expr& e, const Scope<double>& scope) {
    Expr weights = e;
    weights.name = "softmax";
    weights.source.clear();
    std::erase_if(weights.options, [](const Option& o) { return o.name != "axis"; });
    const std::vector<Option> axis = weights.options.empty() ? std::vector<Option>{{"axis", number(-1), {}}} : weights.options;
    Expr sums = *call("sum", {make(std::move(weights))});
    sums.options = axis;
    try {
        const Tensor<double> of_each = Evaluator<double>(scope).matrix(*make(std::move(sums))).value();
        return std::ranges::any_of(of_each.values(), [](double total) { return total == 0; });
    } catch (const std::invalid_argument&) {  // of a step of a loop, which is not seen here
        return false;
    }
}

}  // namespace

void judge_masked_rows(const Proof& proof, const CheckOptions& options, ProofReport& report) {
    const auto of_program = [](const JudgedLine& l) { return is_program(l.language); };
    const auto is_infinite = [](const Expr& e) { return e.kind == Kind::name && e.name == "inf"; };
    if (std::ranges::none_of(proof.lines, of_program) || options.chain) return;
    if (std::ranges::none_of(proof.forward, [&](const Assignment& a) { return any_part(*a.value, is_infinite); })) return;
    const Plan plan(proof, options.draw.bind);
    const Instance draw(proof, plan, options.draw, 0);
    for (const Assignment& a : proof.forward) {
        if (!any_part(*a.value,
                      [&](const Expr& e) { return e.kind == Kind::call && is_of_rows(e) && has_masked_row(e, draw.scope()); }))
            continue;
        for (LineReport& r : report.lines)
            if (r.is_right())
                tell_nothing(r, fmt::format("line {} takes the softmax of a row that is -inf only, of which NumPy, "
                                            "PyTorch and JAX make NaN: leave one entry of each row",
                                            a.statement.line));
        return;
    }
}

}  // namespace gradproof::proof
