// A proof is judged, and again where its text may mean something else.
#include "gradproof/core/proof/judge/check.hpp"

#include "gradproof/core/proof/judge/as_computed.hpp"
#include "gradproof/core/proof/judge/assumed.hpp"
#include "gradproof/core/proof/judge/differentials.hpp"
#include "gradproof/core/proof/judge/guards.hpp"
#include "gradproof/core/proof/judge/large_gradients.hpp"
#include "gradproof/core/proof/judge/lost.hpp"
#include "gradproof/core/proof/judge/masked_rows.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/judge/proof_judge.hpp"
#include "gradproof/core/proof/judge/second_order.hpp"
#include "gradproof/core/proof/judge/vanishing_terms.hpp"

namespace gradproof::proof {

ProofReport check_proof(const Proof& proof, const CheckOptions& options, const Control& control) {
    const ControlScope scope(control, "check_proof");
    Proof read = with_gradients_as_values(proof);
    const JudgeOnce judge = [](const Proof& p, const CheckOptions& o) { return ProofJudge(p, o).run(); };
    for (;;) {
        settle_vectors(read, options.draw);
        try {
            AsComputed computed(read, options, judge);
            Guards guards(read, options, judge);
            const auto is_told = [&](std::size_t line) { return computed.is_right(line) || guards.are_all_of(line); };
            ProofReport report = ProofJudge(read, options, is_told).run();
            judge_differentials(read, options, report, judge, is_told);
            judge_other_forwards(read, options, report);
            judge_other_losses(read, options, report);
            judge_assumptions(read, options, report);
            judge_masked_rows(read, options, report);
            judge_large_gradients(read, options, judge, report);
            judge_vanishing_terms(read, options, judge, report);
            computed.tell(report);
            guards.tell(report);
            return report;
        } catch (const ProofError& e) {
            const std::optional<std::size_t> lost = forward_at(read, e.offset());
            if (read.unreadable == Unreadable::refuses_file || !lost) throw;
            lose_forward(read, *lost, e);
        }
    }
}

}  // namespace gradproof::proof
