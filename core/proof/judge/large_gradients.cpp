// Gradients of unusual sizes.
#include "gradproof/core/proof/judge/large_gradients.hpp"

#include <algorithm>
#include <array>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"

namespace gradproof::proof {
namespace {

bool chooses_by_a_gradient(const Expr& e) {
    constexpr std::array<std::string_view, 10> kChoices{"max",  "min",  "clip", "clamp", "where",
                                                        "relu", "step", "sign", "abs",   "floor"};
    const auto has_gradient = [](const ExprPtr& c) {
        return any_part(*c, [](const Expr& part) { return part.kind == Kind::gradient; });
    };
    return e.kind == Kind::call && std::ranges::find(kChoices, e.name) != kChoices.end() &&
           std::ranges::any_of(e.children, has_gradient);
}

}  // namespace

void judge_large_gradients(const Proof& proof, const CheckOptions& options, const JudgeOnce& judge, ProofReport& report) {
    std::vector<std::size_t> lines;
    for (std::size_t i = 0; i < std::min(report.lines.size(), proof.lines.size()); ++i)
        if (proof.lines[i].is_judged() && report.lines[i].verdict == Verdict::right && !report.lines[i].unread &&
            !report.lines[i].skipped && any_part(*proof.lines[i].right, chooses_by_a_gradient))
            lines.push_back(i);
    if (lines.empty() || options.chain) return;
    constexpr double kMuch = 1 << 30;
    struct Size {
        double incoming, spread;
        const char* what;
    };
    for (const Size size :
         {Size{kMuch, 1, "gradients that come in 1e9 times as large"},
          Size{1 / kMuch, 1, "gradients that come in 1e9 times as small"}, Size{1, 1 << 20, "inputs 1e6 times as large"}}) {
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
            if (i < sized.lines.size() && report.lines[i].verdict == Verdict::right && sized.lines[i].verdict == Verdict::wrong)
                tell_nothing(report.lines[i], std::string("it is right of gradients of the usual size, and wrong of ") +
                                                  size.what + ": it chooses by the size of a gradient");
    }
}

}  // namespace gradproof::proof
