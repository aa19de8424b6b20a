// The steps of one draw.
#include "gradproof/core/proof/explain/explain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/judge/check.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

class Explainer {
  public:
    Explainer(const Proof& proof, const InstanceOptions& options) : proof_(proof), plan_(proof, options.bind) {
        draws_.push_back(std::make_unique<Instance>(proof, plan_, options, 0));
    }

    Instance& draw() { return *draws_.front(); }
    const Plan& plan() const { return plan_; }

    Explanation heading() {
        Explanation out;
        out.file = proof_.source->file();
        out.title = proof_.title;
        out.line = proof_.start.line;
        for (const Dim& d : proof_.dims) out.sizes.emplace_back(d.name, draw().sizes().find(d.name)->second);
        if (proof_.forward.empty()) return out;
        const Assignment& last = proof_.forward.back();
        out.loss = last.is_loss ? fmt::format("{} = {}", last.left(), text_of(*last.value))
                                : fmt::format("L = sum(G ⊙ {}) with G drawn, so ∂L/∂{} = G", last.name, last.name);
        return out;
    }

    Explanation steps() {
        Explanation out = heading();
        for (const Given& g : proof_.given) out.given.push_back(step(g.name, value(g.name)));
        for (const Assignment& a : proof_.forward) {
            out.forward.push_back(step(a.left(), value(a.name)));
            out.forward.back().line = a.statement.line;
            out.forward.back().span = proof_.source->span(a.statement.span);
            out.forward.back().formula = text_of(*a.value);
        }
        if (proof_.forward.empty()) return out;
        derive_lines();
        std::vector<std::string> of;  // from the last to the first
        for (std::size_t i = proof_.forward.size(); i-- > 0;)
            if (!proof_.forward[i].is_loss) of.push_back(proof_.forward[i].name);
        for (std::size_t i = proof_.given.size(); i-- > 0;)
            if (proof_.given[i].differentiable) of.push_back(proof_.given[i].name);
        expect_parts(static_cast<Index>(of.size()));
        for (const std::string& name : of) out.backward.push_back(backward(name));
        return out;
    }

  private:
    const Tensor<double>& value(const std::string& name) { return draw().scope().values.find(name)->second.value(); }

    Step step(const std::string& name, const Tensor<double>& x) {
        Step s;
        s.name = name;
        s.shape = named_shape(x.shape(), draw().sizes());
        s.value = x;
        return s;
    }
    Step backward(const std::string& name) {
        begin_part("∂L/∂" + name);
        const TrueGradient& g = draw().gradient(name);
        Step s = step("∂L/∂" + name, g.value);
        if (!g.confirmed) s.doubt = g.doubt;
        for (const std::size_t c : plan_.consumers(name)) {
            const Assignment& a = proof_.forward[c];
            const std::string op = a.indices.empty() ? op_of(*a.value, draw().scope()) : "";
            s.through.push_back(fmt::format("{} = {}{}", a.left(), text_of(*a.value),
                                            op.empty() ? "" : fmt::format("    {}: {}", op, registry().find(op).info.backward)));
        }
        if (name == draw().last() && draw().has_cotangent()) s.formula = "G, drawn";
        if (const auto line = derived_.find(name); line != derived_.end()) {
            s.derived = text_of(*line->second.right);
            s.rule = line->second.rule.empty() ? "identity" : line->second.rule;
        }
        s.claim = claim_of(name);
        return s;
    }

    /// Of what has a rule.
    void derive_lines() {
        try {
            for (const DerivedLine& line : derive(proof_).lines) derived_.emplace(line.name, line);
        } catch (const ProofError&) {  // the steps stand without
        }
    }

    std::optional<StatedClaim> claim_of(const std::string& name) {
        for (const JudgedLine& line : proof_.lines) {
            if (!line.is_judged() || line.type != JudgedLine::Type::claim) continue;
            const Expr& left = without_indices(*line.left);
            if (left.kind != Kind::gradient || left.name != name) continue;
            StatedClaim out{line.statement.line, proof_.source->span(line.statement.span),
                            line.left->kind == Kind::index ? line.text : text_of(*line.right), false, ""};
            try {
                const Claim claim(line, proof_, draws_);
                const Agreement a = agreement_of(claim.sides(0, line.right), [&] { return claim.precise_sides(0, line.right); });
                out.agrees = a.same_shape && a.agree && !a.untold;
                if (!a.same_shape)
                    out.note = "its shape is another";
                else if (!a.agree && a.worst)
                    out.note = fmt::format("worst at {}: {}", index_text({a.worst->index.begin(), a.worst->index.end()}),
                                           check::claimed_and_true(a.worst->claimed, a.worst->truth, 6));
                else if (a.untold)
                    out.note = beyond_the_range(a);
            } catch (const EvaluationError& e) {
                out.note = e.what();
            }
            return out;
        }
        return std::nullopt;
    }

    const Proof& proof_;
    Plan plan_;
    std::vector<std::unique_ptr<Instance>> draws_;
    std::map<std::string, DerivedLine> derived_;
};

}  // namespace

std::string op_of(const Expr& e, const Scope<double>& scope) {
    const auto simple = [](const ExprPtr& c) { return c->kind == Kind::name || c->kind == Kind::number; };
    if (!std::all_of(e.children.begin(), e.children.end(), simple)) return "";
    const auto is_scalar = [&](const Expr& c) {
        const auto v = scope.values.find(c.name);
        return c.kind == Kind::number || v == scope.values.end() || v->second.shape().empty();
    };
    switch (e.kind) {
        case Kind::negate: return "neg";
        case Kind::transpose: return "transpose";
        case Kind::power: return "pow";
        case Kind::sum: return e.children.size() == 2 && e.joints[0] != '-' ? e.joints[1] == '-' ? "sub" : "add" : "";
        case Kind::product:
            if (e.children.size() != 2) return "";
            if (e.joints[1] == '/') return "div";
            return e.joints[1] == '@' && !is_scalar(*e.children[0]) && !is_scalar(*e.children[1]) ? "matmul" : "mul";
        case Kind::call: {
            if (e.name == "σ") return "sigmoid";
            const bool along = e.name.starts_with("row") || e.name.starts_with("col");
            const std::string op = along ? e.name.substr(3) : e.name;
            return registry().has(op) ? op : "";
        }
        default: return "";
    }
}

Explanation explain(const Proof& proof, const InstanceOptions& options, const Control& control) {
    const ControlScope scope(control, "explain");
    Explainer e(proof, options);
    try {
        return e.steps();
    } catch (const EvaluationError& error) {
        throw ProofError(*proof.source, error.span().begin, error.what());
    }
}

Explanation explain_cell(const std::vector<Proof>& proofs, const std::string& text, const InstanceOptions& options,
                         const Control& control) {
    const ControlScope scope(control, "explain_cell");
    const auto [at, cell] = find_cell(text, proofs);
    Explainer e(proofs[at], options);
    Explanation out = e.heading();
    out.cell = take_apart(cell, proofs[at], e.plan(), e.draw());
    return out;
}

}  // namespace gradproof::proof
