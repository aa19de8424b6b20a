// Lines that make up for what lines above are off by.
#include "gradproof/core/proof/judge/as_computed.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

bool is_claim_of_program(const JudgedLine& line) {
    return line.language == Language::numpy && line.type == JudgedLine::Type::claim && line.is_judged();
}

bool is_wrong_claim(const JudgedLine& line, const LineReport& r) {
    return is_claim_of_program(line) && !r.unread && r.verdict == Verdict::wrong &&
           without_indices(*line.left).kind == Kind::gradient;
}

/// The wrong lines that a line is computed of, by way of others: those above, and rows that other steps of a loop compute.
/// nullopt where one of them cannot be put in the place of the true gradient.
std::optional<std::vector<std::size_t>> wrong_above(const Proof& proof, const ProofReport& report, std::size_t at) {
    std::set<std::string> used;
    const auto use = [&](const Expr& right) {
        const std::size_t before = used.size();
        for_each(right, [&](const Expr& e) {
            if (e.kind == Kind::gradient) used.insert(e.name);
        });
        return used.size() > before;
    };
    use(*proof.lines[at].right);
    std::set<std::size_t> found;
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = 0; i < proof.lines.size(); ++i) {
            const JudgedLine& line = proof.lines[i];
            if (i == at || !line.is_judged() || !used.contains(without_indices(*line.left).name)) continue;
            if (i > at && !is_by_rows(line)) continue;
            more = use(*line.right) || more;
            if (!is_wrong_claim(line, report.lines[i])) continue;
            if (gradient_claimed(line).empty()) return std::nullopt;
            found.insert(i);
        }
    }
    return std::vector<std::size_t>(found.begin(), found.end());
}

}  // namespace

bool is_by_rows(const JudgedLine& line) {
    if (!is_claim_of_program(line) || line.holds != nullptr) return false;
    const Expr& left = *line.left;
    const bool of_gradient = left.kind == Kind::index && left.children[0]->kind == Kind::gradient;
    return of_gradient &&
           std::all_of(left.children.begin() + 1, left.children.end(), [](const ExprPtr& i) { return i->kind == Kind::name; });
}

std::string gradient_claimed(const JudgedLine& line) {
    if (!line.is_judged()) return "";
    if (line.left->kind == Kind::gradient) return line.left->name;
    return is_by_rows(line) ? line.left->children[0]->name : "";
}

const ProofReport& AsComputed::chained() {
    if (!chained_) {
        CheckOptions computed = options_;
        computed.chain = true;
        computed.mutation = computed.diagnose = computed.prove = false;
        chained_ = judge_(proof_, computed);
    }
    return *chained_;
}

bool AsComputed::is_right(std::size_t line) {
    const JudgedLine& claim = proof_.lines[line];
    if (options_.chain || !is_claim_of_program(claim) || gradient_claimed(claim).empty()) return false;
    if (!contains(*claim.right, Kind::gradient)) return false;
    const LineReport& r = chained().lines.at(line);
    return r.verdict == Verdict::right && !r.unread;
}

void AsComputed::tell(ProofReport& report) {
    if (options_.chain || report.lines.size() != proof_.lines.size()) return;
    std::vector<std::pair<std::size_t, std::vector<std::size_t>>> made_up;
    for (std::size_t i = 0; i < proof_.lines.size(); ++i)
        if (is_wrong_claim(proof_.lines[i], report.lines[i]))
            if (auto above = wrong_above(proof_, report, i); above && !above->empty() && is_right(i))
                made_up.emplace_back(i, std::move(*above));
    for (const auto& [i, above] : made_up) report.lines[i] = chained().lines[i];
    for (const auto& [i, above] : made_up) {
        std::string with;
        for (const std::size_t k : above)
            if (report.lines[k].verdict == Verdict::wrong)
                with += fmt::format("{}{} as line {} computes it", with.empty() ? "" : ", ", text_of(*proof_.lines[k].left),
                                    report.lines[k].line);
        report.lines[i].read_as = "right with " + (with.empty() ? "what the lines above compute" : with);
    }
}

}  // namespace gradproof::proof
