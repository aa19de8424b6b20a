// Gradients of unusual sizes.
#include "gradproof/core/proof/judge/large_gradients.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/evaluate/branches.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"

namespace gradproof::proof {

void judge_large_gradients(const Proof& proof, const CheckOptions& options, const JudgeOnce& judge, ProofReport& report) {
    std::vector<std::size_t> lines;
    for (std::size_t i = 0; i < std::min(report.lines.size(), proof.lines.size()); ++i)
        if (proof.lines[i].is_judged() && report.lines[i].is_right() && any_part(*proof.lines[i].right, chooses_by_a_gradient))
            lines.push_back(i);
    if (lines.empty() || options.chain) return;
    struct Size {
        double incoming, spread;
        const char* what;
    };
    for (const Size size :
         {Size{1 << 30, 1, "gradients that come in 1e9 times as large"}, Size{1, 1 << 20, "inputs 1e6 times as large"},
          Size{0x1p-30, 1, "gradients that come in 1e-9 times as large"},
          Size{0x1p130, 1, "gradients that come in 1e39 times as large"}, Size{0, 1, "gradients that come in as 0"}}) {
        CheckOptions other = options;
        other.mutation = other.diagnose = false;
        other.draw.incoming *= size.incoming;
        other.draw.spread *= size.spread;
        ProofReport sized;
        try {
            sized = judge(proof, other);
        } catch (const ProofError&) {
            continue;
        }
        for (const std::size_t i : lines)
            if (i < sized.lines.size() && report.lines[i].is_right() && sized.lines[i].verdict == Verdict::wrong)
                tell_nothing(report.lines[i],
                             fmt::format("it is right of gradients of the usual size, and wrong of {}: it chooses by "
                                         "the size of a gradient",
                                         size.what));
    }
}

}  // namespace gradproof::proof
