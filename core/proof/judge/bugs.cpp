// Classic mistakes, planted, and the confusion matrix of the diagnosis.
#include "gradproof/core/proof/judge/bugs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/diagnose.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

class Planter {
  public:
    Planter(const Claim& claim, const Plan& plan) : claim_(claim), plan_(plan), right_(claim.line().right) {}

    std::vector<Bug> plant() {
        signs_and_factors();
        for (const Place& p : places(right_)) {
            sums(p);
            products(p);
            reductions(p);
            if (p.node->kind == Kind::transpose) add(Mistake::transpose, p.with(p.node->children[0]));
            if (p.node->kind == Kind::index && p.node->children.size() == 3) add(Mistake::transpose, p.with(swapped(*p.node)));
            masks(p);
        }
        return std::move(out_);
    }

  private:
    void add(Mistake mistake, const ExprPtr& e) {
        if (!claim_.holds(e)) out_.push_back({mistake, e});
    }
    void signs_and_factors() {
        add(Mistake::sign, negate(right_));
        add(Mistake::factor, product(number(2), '@', right_));
        for (const auto& [n, size] : claim_.draw(0).sizes()) {
            add(Mistake::factor, product(right_, '/', name(n)));
            add(Mistake::factor, product(call("sqrt", {name(n)}), '@', right_));
        }
    }

    void sums(const Place& p) {
        const Expr& n = *p.node;
        if (n.kind != Kind::sum) return;
        for (std::size_t i = 1; i < n.children.size(); ++i)
            add(Mistake::sign, p.with(with_joint(n, i, n.joints[i] == '-' ? '+' : '-')));
        const bool terms_are_paths =
            p.node == right_ && several_paths() &&
            std::none_of(n.children.begin(), n.children.end(), [](const ExprPtr& c) { return !contains(*c, Kind::gradient); });
        for (std::size_t i = 0; i < n.children.size(); ++i) {
            if (terms_are_paths) {
                add(Mistake::missing_path, p.with(without(n, i)));
                add(Mistake::double_path, p.with(sum(p.node, n.joints[i], n.children[i])));
            } else if (i > 0 && n.joints[i] == '-' && has_reduction(*n.children[i]) && !p.in_reduction) {
                add(Mistake::missing_row_term, p.with(without(n, i)));
            }
        }
    }
    bool several_paths() const {
        const Expr& l = *claim_.line().left;
        return l.kind == Kind::gradient && plan_.consumers(l.name).size() > 1;
    }

    void products(const Place& p) {
        const Expr& n = *p.node;
        if (n.kind != Kind::product) return;
        const bool row_term = p.in_row_term || (p.is_term && has_reduction(n));
        for (std::size_t i = 0; i < n.children.size(); ++i) {
            const Expr& f = *n.children[i];
            const bool divides = i > 0 && n.joints[i] == '/';
            if (i == 0 && n.joints[1] == '/') continue;
            if (claim_.draw(0).is_scalar(f)) {
                if (f.kind != Kind::number || divides || f.number != 1)
                    add(row_term ? Mistake::wrong_row_term : Mistake::factor, p.with(without(n, i)));
            } else if (!divides && (i == 0 ? n.joints[1] : n.joints[i]) == '*' && is_slope(f) && !p.in_reduction) {
                add(row_term ? Mistake::wrong_row_term : Mistake::missing_chain_factor, p.with(without(n, i)));
            } else if (p.in_reduction && !divides) {
                const ExprPtr bug = p.with(without(n, i));
                add(row_term                                                         ? Mistake::wrong_row_term
                    : !contains(f, Kind::gradient) || contains(*bug, Kind::gradient) ? Mistake::missing_chain_factor
                                                                                     : Mistake::cotangent_ignored,
                    bug);
            }
        }
        diagonal(p);
    }
    /// What a chain rule multiplies by: no gradient in it, and no sum.
    static bool is_slope(const Expr& f) { return !contains(f, Kind::gradient) && !has_reduction(f) && f.kind != Kind::delta; }

    /// x (r - rowsum(x r)) -> x (1 - x) r
    void diagonal(const Place& p) {
        const Expr& n = *p.node;
        if (n.children.size() != 2 || n.joints[1] == '/' || n.children[1]->kind != Kind::sum) return;
        const Expr& inner = *n.children[1];
        if (inner.children.size() != 2 || inner.joints[1] != '-' || !has_reduction(*inner.children[1])) return;
        const ExprPtr& x = n.children[0];
        const std::string text = text_of(*x);
        const bool softmax_form = any_part(*inner.children[1], [&](const Expr& e) {
            return e.kind == x->kind && e.name == x->name &&
                   (e.kind != Kind::index || e.children[0]->name == x->children[0]->name);
        });
        if (!softmax_form || has_reduction(*inner.children[0])) return;
        const ExprPtr one_minus = sum(number(1), '-', x);
        add(Mistake::diagonal_only, p.with(product(product(x, n.joints[1], one_minus), n.joints[1], inner.children[0])));
    }

    void reductions(const Place& p) {
        const Expr& n = *p.node;
        if (n.kind != Kind::call || n.children.size() != 1) return;
        if (n.name == "rowsum")
            add(p.is_term || p.is_factor ? Mistake::wrong_row_term : Mistake::factor, p.with(call("rowmean", {n.children[0]})));
        if (n.name == "rowmean")
            add(p.is_term || p.is_factor ? Mistake::wrong_row_term : Mistake::factor, p.with(call("rowsum", {n.children[0]})));
        if ((n.name == "colsum" || n.name == "sum") && p.node == right_) add(Mistake::missing_sum, p.with(n.children[0]));
    }

    void masks(const Place& p) {
        const Expr& n = *p.node;
        if (n.kind == Kind::product)
            for (std::size_t i = 1; i < n.children.size(); ++i)
                if (n.joints[i] == '*' && n.children[i]->kind == Kind::name && claim_.proof().is_constant(n.children[i]->name))
                    add(Mistake::mask_leak, p.with(without(n, i)));
    }
    static ExprPtr swapped(const Expr& n) {
        std::vector<ExprPtr> children = n.children;
        std::swap(children[1], children[2]);
        return with_children(n, std::move(children));
    }

    const Claim& claim_;
    const Plan& plan_;
    ExprPtr right_;
    std::vector<Bug> out_;
};

}  // namespace

std::vector<Bug> classic_bugs(const Claim& claim, const Plan& plan) { return Planter(claim, plan).plant(); }

void Confusion::add(const Confusion& other) {
    for (const auto& [planted_kind, said] : other.counts)
        for (const auto& [kind, n] : said) counts[planted_kind][kind] += n;
    planted += other.planted;
    named += other.named;
    missed.insert(missed.end(), other.missed.begin(), other.missed.end());
}

std::string Confusion::table() const {
    std::string out = fmt::format("{:<22} {:>8} {:>8}  {}\n", "planted", "bugs", "named", "otherwise said");
    for (const auto& [kind, said] : counts) {
        int all = 0;
        std::string others;
        for (const auto& [other, n] : said) {
            all += n;
            if (other != kind) others += fmt::format("{}{} {}", others.empty() ? "" : ", ", other, n);
        }
        const auto right = said.find(kind);
        out += fmt::format("{:<22} {:>8} {:>8}  {}\n", kind, all, right == said.end() ? 0 : right->second, others);
    }
    return out +
           fmt::format("{:<22} {:>8} {:>8}  {:.1f} %\n", "all", planted, named, planted == 0 ? 0.0 : 100.0 * named / planted);
}

Confusion confusion(const Proof& proof, const CheckOptions& options, int stride) {
    Confusion out;
    std::map<Mistake, int> seen;
    const Plan plan(proof);
    std::vector<std::unique_ptr<Instance>> draws;
    for (int i = 0; i < std::min(options.draws, 3); ++i)
        draws.push_back(std::make_unique<Instance>(proof, plan, options.draw, i));
    for (const JudgedLine& line : proof.lines) {
        if (!line.is_judged() || line.type == JudgedLine::Type::expect) continue;
        const Claim right(line, proof, draws);
        if (!right.holds(line.right)) continue;
        Prover prover(proof, plan, options.draw, draws);  // what it may spend is that of a line
        for (const Bug& bug : classic_bugs(right, plan)) {
            if (seen[bug.mistake]++ % stride != 0) continue;
            JudgedLine wrong = line;
            wrong.right = bug.result;
            const Diagnosis d = diagnose(Claim(wrong, proof, draws), plan, {options.draw, &prover}).why;
            ++out.planted;
            ++out.counts[key(bug.mistake)][key(d.mistake)];
            if (d.mistake == bug.mistake)
                ++out.named;
            else
                out.missed.push_back(fmt::format("{}:{}: planted {}, said {} ({}): {} = {}", proof.source->file(),
                                                 line.statement.line, key(bug.mistake), key(d.mistake), d.text,
                                                 text_of(*line.left), text_of(*bug.result)));
        }
    }
    return out;
}

}  // namespace gradproof::proof
