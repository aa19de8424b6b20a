// Lines that make up for what lines above are off by.
#include "gradproof/core/proof/judge/as_computed.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

bool is_wrong_claim(const JudgedLine& line, const LineReport& r) {
    return line.language == Language::numpy && line.type == JudgedLine::Type::claim && line.is_judged() && !r.unread &&
           r.verdict == Verdict::wrong && line.left->kind == Kind::gradient;
}

/// The wrong lines above that a line is computed of, by way of others.
std::vector<std::size_t> wrong_above(const Proof& proof, const ProofReport& report, std::size_t at) {
    std::set<std::string> used;
    const auto use = [&](const Expr& right) {
        for_each(right, [&](const Expr& e) {
            if (e.kind == Kind::gradient) used.insert(e.name);
        });
    };
    use(*proof.lines[at].right);
    std::vector<std::size_t> out;
    for (std::size_t i = at; i-- > 0;) {
        const JudgedLine& line = proof.lines[i];
        if (!line.is_judged() || line.left->kind != Kind::gradient || !used.contains(line.left->name)) continue;
        use(*line.right);
        if (is_wrong_claim(line, report.lines[i])) out.push_back(i);
    }
    std::ranges::reverse(out);
    return out;
}

}  // namespace

void judge_as_computed(const Proof& proof, const CheckOptions& options, ProofReport& report,
                       const std::function<ProofReport(const Proof&, const CheckOptions&)>& judge) {
    if (options.chain || report.lines.size() != proof.lines.size()) return;
    std::vector<std::pair<std::size_t, std::vector<std::size_t>>> wrong;
    for (std::size_t i = 0; i < proof.lines.size(); ++i)
        if (is_wrong_claim(proof.lines[i], report.lines[i]))
            if (std::vector<std::size_t> above = wrong_above(proof, report, i); !above.empty()) wrong.emplace_back(i, above);
    if (wrong.empty()) return;
    CheckOptions computed = options;
    computed.chain = true;
    computed.mutation = computed.diagnose = computed.prove = false;
    const ProofReport other = judge(proof, computed);
    if (other.lines.size() != report.lines.size()) return;
    for (const auto& [i, above] : wrong) {
        if (other.lines[i].verdict != Verdict::right || other.lines[i].unread) continue;
        report.lines[i] = other.lines[i];
        std::string with;
        for (const std::size_t k : above)
            with += fmt::format("{}{} as line {} computes it", with.empty() ? "" : ", ", text_of(*proof.lines[k].left),
                                report.lines[k].line);
        report.lines[i].read_as = "right with " + with;
    }
}

}  // namespace gradproof::proof
