// Lines from the last value to the first, each shown only where the judge calls it right.
#include "gradproof/core/proof/derive/derive.hpp"

#include <algorithm>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/proof/derive/composites.hpp"
#include "gradproof/core/proof/derive/drafts.hpp"
#include "gradproof/core/proof/derive/style.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

struct Candidate {
    std::string name;
    std::vector<Draft> drafts;
    std::size_t at = 0;  ///< the draft that is judged next
};

class Deriver {
  public:
    Deriver(const Proof& proof, const DeriveOptions& options)
        : proof_(in_notation(proof)),
          options_(options),
          whole_(written_out(proof_)),
          known_(whole_),
          style_(proof_, known_),
          out_(about(proof)) {
        out_.heading = statements_of(proof_);
        for (const Given& g : proof.given)
            if (g.hidden() && std::ranges::count(options.wrt, g.name) == 0) made_up_.insert(g.name);
    }

    Derivation run() {
        const std::vector<std::string> targets = targets_of();
        for (const std::string& w : options_.wrt)
            if (std::ranges::count(targets, w) == 0)
                value_error("no gradient of {} to derive{}", printable(w, 60), did_you_mean(w, targets));
        expect_parts(static_cast<Index>(targets.size()));
        std::vector<Candidate> open;
        Drafter drafter(known_);
        for (const std::string& t : targets) {
            begin_part("∂L/∂" + t);
            try {
                open.push_back({t, drafter.drafts(t)});
            } catch (const NoRule& e) {
                out_.missing.push_back({t, e.what()});
            }
        }
        keep_wanted(open);
        judge(open);
        sort_by(targets);
        return std::move(out_);
    }

  private:
    /// Values between inputs and the loss, from the last to the first, but for the one whose gradient is given; then inputs.
    std::vector<std::string> targets_of() const {
        std::vector<std::string> out;
        const Plan& plan = known_.plan();
        for (std::size_t i = proof_.forward.size() - 1; i-- > 0;) {
            const std::string& name = proof_.forward[i].name;
            if (plan.follows_input(name) && plan.reaches(name, proof_.forward.back().name)) out.push_back(name);
        }
        for (std::size_t i = proof_.given.size(); i-- > 0;)
            if (proof_.given[i].differentiable && !made_up_.contains(proof_.given[i].name)) out.push_back(proof_.given[i].name);
        return out;
    }

    /// Only what was asked for, and the gradients that stand in it.
    void keep_wanted(std::vector<Candidate>& open) {
        if (options_.wrt.empty()) return;
        std::set<std::string> wanted(options_.wrt.begin(), options_.wrt.end());
        for (std::size_t i = open.size(); i-- > 0;) {
            if (!wanted.contains(open[i].name)) continue;
            for_each(*open[i].drafts[0].right, [&](const Expr& e) {
                if (e.kind == Kind::gradient) wanted.insert(e.name);
            });
        }
        std::erase_if(open, [&](const Candidate& c) { return !wanted.contains(c.name); });
        std::erase_if(out_.missing, [&](const Underived& m) { return !wanted.contains(m.name); });
    }

    std::string text_of_draft(const Draft& d) const {
        const ExprPtr right = style_.of(d.right);
        const bool minus_sum = right->kind == Kind::negate && right->children[0]->kind == Kind::reduce;
        return text_of(*style_.of(d.left)) + " = " + (minus_sum ? "-" + text_of(*right->children[0]) : text_of(*right));
    }

    /// All lines in one proof; those that are not right once more in their next form, as long as they have one.
    void judge(std::vector<Candidate> open) {
        while (!open.empty()) {
            std::vector<Candidate> again;
            try {
                const ProofReport report = verdicts(open);
                for (std::size_t i = 0; i < open.size(); ++i) settle(open[i], report.lines[i], again);
            } catch (const ProofError& e) {
                if (open.size() == 1) return out_.missing.push_back({open[0].name, e.message()});
                for (Candidate& c : open) judge({std::move(c)});
            }
            open = std::move(again);
        }
    }

    ProofReport verdicts(const std::vector<Candidate>& open) const {
        std::string text = out_.heading + "claim\n";
        for (const Candidate& c : open) text += "  " + text_of_draft(c.drafts[c.at]) + "\n";
        CheckOptions check;
        check.draw = options_.draw;
        check.mutation = check.diagnose = false;
        check.prove = options_.prove;
        return check_proof(read_proofs("derived.proof", text).front(), check);
    }

    void settle(Candidate& c, const LineReport& r, std::vector<Candidate>& again) {
        // What is right of 0 says nothing: then the line is that it is 0.
        if (r.verdict == Verdict::cannot_tell && r.is_zero && c.drafts.back().right->kind != Kind::number) {
            c.drafts.push_back(c.drafts.back());
            c.drafts.back().right = number(0);
            c.drafts.back().left = gradient_of(c.name);
        }
        if (r.verdict == Verdict::right && !r.read_as.starts_with("read with"))
            out_.lines.push_back(line_of(c, r));
        else if (++c.at < c.drafts.size())
            again.push_back(std::move(c));
        else
            out_.missing.push_back(
                {c.name,
                 fmt::format("{}: {}", r.verdict == Verdict::wrong ? "no rule gives it right" : "it cannot be told to be right",
                             r.reason.empty() ? r.text : r.reason)});
    }

    DerivedLine line_of(const Candidate& c, const LineReport& r) const {
        const Draft& d = c.drafts[c.at];
        DerivedLine out{c.name, style_.of(d.left), style_.of(d.right), text_of_draft(d), "", "", d.paths, r.proved};
        std::vector<std::string_view> rules;
        const auto add = [](std::vector<std::string_view>& to, std::string_view rule) {
            if (std::ranges::count(to, rule) == 0) to.push_back(rule);
        };
        for (DerivedPath& p : out.paths) {
            std::vector<std::string_view> of_path;
            for (RuleStep& s : p.steps) {
                for (ExprPtr* e : {&s.of, &s.to, &s.gradient}) *e = style_.of(*e);
                add(of_path, s.rule->name);
                add(rules, s.rule->name);
            }
            p.rules = of_path.empty() ? "identity" : fmt::format("{}", fmt::join(of_path, ", "));
            out.sentence += fmt::format("{}{} on {}", out.sentence.empty() ? "" : "; ", p.rules, p.through);
        }
        out.rule = fmt::format("{}", fmt::join(rules, ", "));
        if (out.paths.empty()) out.sentence = "it does not reach the loss";
        return out;
    }

    void sort_by(const std::vector<std::string>& targets) {
        const auto order = [&](const auto& a) { return std::ranges::find(targets, a.name) - targets.begin(); };
        const auto before = [&](const auto& a, const auto& b) { return order(a) < order(b); };
        std::ranges::sort(out_.lines, before);
        std::ranges::sort(out_.missing, before);
    }

    const Proof proof_;
    const DeriveOptions& options_;
    const Proof whole_;  ///< its ops written out
    Known known_;
    Style style_;
    std::set<std::string> made_up_;  ///< inputs that the text has no name for
    Derivation out_;
};

}  // namespace

Derivation derive(const Proof& proof, const DeriveOptions& options, const Control& control) {
    const ControlScope scope(control, "derive");
    return Deriver(proof, options).run();
}

}  // namespace gradproof::proof
