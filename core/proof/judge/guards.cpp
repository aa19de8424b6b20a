// Lines that are right but for a guard of the forward.
#include "gradproof/core/proof/judge/guards.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/evaluate/plan.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

constexpr double kLargest = 1e-5;  // of a guard

/// A number, or a name that stands for one.
std::optional<double> number_of(const Expr& e, const Proof& proof) {
    if (e.kind != Kind::name) return signed_number(e);
    const auto given = std::ranges::find(proof.given, e.name, &Given::name);
    if (given != proof.given.end()) return given->value ? signed_number(*given->value) : std::nullopt;
    const Assignment* const a = proof.find(e.name);
    return a != nullptr && a->indices.empty() ? signed_number(*a->value) : std::nullopt;
}

bool is_guard(const Expr& sum, std::size_t i, const Proof& proof) {
    const std::optional<double> x = sum.joints[i] != '-' ? number_of(*sum.children[i], proof) : std::nullopt;
    return x && *x > 0 && *x <= kLargest;
}

/// p of p + 1e-12; nullptr where nothing small is added.
ExprPtr without_guard(const ExprPtr& e, const Proof& proof) {
    if (e->kind != Kind::sum) return nullptr;
    for (std::size_t i = 0; i < e->children.size(); ++i)
        if (is_guard(*e, i, proof)) return without(*e, i);
    return nullptr;
}

/// Whether the i-th part must not be 0: of a logarithm, a root, a quotient.
bool must_not_vanish(const Expr& e, std::size_t i) {
    if (e.kind == Kind::call) return i == 0 && (e.name == "log" || e.name == "sqrt");
    if (e.kind == Kind::product) return i > 0 && e.joints[i] == '/';
    if (e.kind != Kind::power || i != 0) return false;
    const std::optional<double> exponent = signed_number(*e.children[1]);
    return !exponent || *exponent < 1;
}

/// Text of what is guarded: all of a call, of a quotient what it is divided by.
std::string shown(const Expr& e, std::size_t i) { return text_of(e.kind == Kind::call ? e : *e.children[i]); }

/// The expression with its guards taken as 0.
class Unguarded {
  public:
    explicit Unguarded(const Proof& proof) : proof_(proof) {}
    std::vector<std::string> texts{}, bare{};
    ExprPtr of(const ExprPtr& e) {
        std::vector<ExprPtr> children;
        for (std::size_t i = 0; i < e->children.size(); ++i) {
            ExprPtr c = of(e->children[i]);
            const ExprPtr rest = must_not_vanish(*e, i) ? without_guard(c, proof_) : nullptr;
            if (rest) {
                texts.push_back(shown(*e, i));
                bare.push_back(text_of(*rest));
            }
            children.push_back(rest ? rest : std::move(c));
        }
        return children == e->children ? e : with_children(*e, std::move(children));
    }

  private:
    const Proof& proof_;
};

bool is_judged_program(const JudgedLine& line) {
    return is_program(line.language) && line.is_judged() && line.type == JudgedLine::Type::claim;
}

}  // namespace

Guards::Guards(const Proof& proof, const CheckOptions& options, const JudgeOnce& judge)
    : proof_(proof), options_(options), judge_(judge), right_without_(proof.lines.size()) {
    if (!options.chain && std::ranges::any_of(proof.lines, is_judged_program)) find();
}

void Guards::find() {
    for (std::size_t i = 0; i < proof_.forward.size(); ++i) {
        Unguarded unguarded(proof_);
        ExprPtr without = unguarded.of(proof_.forward[i].value);
        if (!unguarded.texts.empty())
            guarded_.push_back({i, std::move(without), std::move(unguarded.texts), std::move(unguarded.bare)});
    }
}

/// Whether a line takes a logarithm or a root of something, or divides by it, that the forward guards.
bool Guards::leaves_out(const JudgedLine& line) const {
    std::set<std::string> bare;
    for (const Guarded& g : guarded_) bare.insert(g.bare.begin(), g.bare.end());
    return any_part(*line.right, [&](const Expr& e) {
        for (std::size_t i = 0; i < e.children.size(); ++i)
            if (must_not_vanish(e, i) && bare.contains(text_of(*e.children[i]))) return true;
        return false;
    });
}

void Guards::judge_without(const std::vector<const Guarded*>& which) {
    Proof other = proof_;
    for (const Guarded* g : which) other.forward[g->assignment].value = g->without;
    CheckOptions quick = options_;
    quick.mutation = quick.diagnose = false;
    try {
        const ProofReport report = judge_(other, quick);
        for (std::size_t i = 0; i < report.lines.size() && i < right_without_.size(); ++i)
            if (right_without_[i].empty() && report.lines[i].is_right()) right_without_[i] = which;
    } catch (const ProofError&) {  // it has no value without
    }
}

void Guards::judge_all() {
    constexpr std::size_t kMost = 4;  // that are tried one by one
    judged_ = true;
    std::vector<const Guarded*> all;
    for (const Guarded& g : guarded_) all.push_back(&g);
    if (all.empty()) return;
    for (const Guarded* g : all)
        if (all.size() <= kMost) judge_without({g});
    if (all.size() > 1) judge_without(all);
}

bool Guards::are_all_of(std::size_t line) {
    if (guarded_.empty() || !is_judged_program(proof_.lines[line]) || leaves_out(proof_.lines[line])) return false;
    if (!judged_) judge_all();
    return !right_without_[line].empty();
}

std::string Guards::told(std::size_t line) const {
    std::string where;
    for (const Guarded* g : right_without_[line])
        where += fmt::format("{}{} in line {}", where.empty() ? "" : ", ", fmt::join(g->texts, ", "),
                             proof_.forward[g->assignment].statement.line);
    return fmt::format("right but for the small number that guards {}: with 0 in its place the two sides agree", where);
}

void Guards::tell(ProofReport& report) {
    for (std::size_t i = 0; i < std::min(report.lines.size(), proof_.lines.size()); ++i) {
        const LineReport& r = report.lines[i];
        if (r.verdict == Verdict::wrong && !r.unread && !r.skipped && are_all_of(i)) tell_nothing(report.lines[i], told(i));
    }
}

}  // namespace gradproof::proof
