// A forward that may be read in two ways.
#include "gradproof/core/proof/judge/other_forwards.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/judge/readings.hpp"

namespace gradproof::proof {

void judge_other_forwards(const Proof& proof, const CheckOptions& options, ProofReport& report) {
    const auto is_claim = [](const JudgedLine& l) { return l.is_judged() && l.type != JudgedLine::Type::expect; };
    const auto claimed = std::find_if(proof.lines.begin(), proof.lines.end(), is_claim);
    const bool latex =
        std::any_of(proof.forward.begin(), proof.forward.end(), [](const Assignment& a) { return a.value->spelling != nullptr; });
    if (!latex || claimed == proof.lines.end() || options.chain) return;
    const Plan plan(proof, options.draw.bind);
    std::vector<std::unique_ptr<Instance>> draws;
    draws.push_back(std::make_unique<Instance>(proof, plan, options.draw, 0));
    CheckOptions quick = options;
    quick.mutation = quick.diagnose = false;
    for (const OtherForward& other : other_forwards(Claim(*claimed, proof, draws))) {
        ProofReport read_so;
        try {
            read_so = check_proof(other.proof, quick);
        } catch (const ProofError&) {  // it does not fit together so
            continue;
        }
        if (read_so.lines.size() != report.lines.size()) continue;  // a line of its forward is lost
        for (std::size_t i = 0; i < report.lines.size(); ++i) {
            LineReport& r = report.lines[i];
            const bool right = r.verdict == Verdict::right, right_so = read_so.lines[i].verdict == Verdict::right;
            if (r.unread || r.skipped || read_so.lines[i].unread || right == right_so) continue;
            if (r.verdict == Verdict::cannot_tell || read_so.lines[i].verdict == Verdict::cannot_tell) continue;
            r.reason = fmt::format("it is {} with line {} as it is read here, and {} with {}: {}", check::name(r.verdict),
                                   other.line, check::name(read_so.lines[i].verdict), other.how, other.clearly);
            r.verdict = Verdict::cannot_tell;
            r.diagnosis.reset();
            r.proved.reset();
            r.worst.reset();
            r.read_as.clear();
            r.derived.clear();
        }
    }
}

}  // namespace gradproof::proof
