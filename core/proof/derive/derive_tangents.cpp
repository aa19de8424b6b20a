// Forward mode: the tangent of every value from the first to the last, judged as the derivative along a line through the inputs.
#include <algorithm>

#include "gradproof/core/proof/derive/composites.hpp"
#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/derive/style.hpp"
#include "gradproof/core/proof/derive/tangents.hpp"
#include "gradproof/core/proof/judge/differentials.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {
namespace {

ExprPtr named_tangent(const std::string& of, const std::vector<ExprPtr>& at) {
    return at.empty() ? name("d" + of) : entry(name("d" + of), at);
}

class TangentDeriver {
  public:
    TangentDeriver(const Proof& proof, const DeriveOptions& options)
        : proof_(in_notation(proof)),
          options_(options),
          whole_(written_out(proof_)),
          known_(whole_),
          matrices_(known_),
          entries_(known_, true),
          out_(about(proof)) {
        out_.heading = statements_of(proof_);
        out_.tangents = true;
    }

    Derivation run() {
        std::vector<DerivedLine> lines;
        for (const Assignment& a : known_.forward()) {
            if (!known_.plan().follows_input(a.name)) continue;
            try {
                lines.push_back(line_of(a));
            } catch (const NoRule& e) {
                out_.missing.push_back({a.name, e.what()});
            }
        }
        judge(lines);
        spell();
        out_.remark = "how each value moves: dX is the tangent of X";
        const Style style(proof_, known_);
        for (DerivedLine& l : out_.lines) {
            l.left = style.of(l.left);
            l.right = style.of(l.right);
            l.text = fmt::format("{} = {}", text_of(*l.left), text_of(*l.right));
        }
        return std::move(out_);
    }

  private:
    /// dX is \mathrm{d}X in LaTeX.
    void spell() {
        auto spelling = std::make_shared<LatexSpelling>(out_.spelling ? *out_.spelling : LatexSpelling{});
        const auto add = [&](const std::string& n) {
            const auto known = spelling->names.find(n);
            spelling->names["d" + n] = "\\mathrm{d}" + (known == spelling->names.end() ? latex::spelled(n) : known->second);
        };
        for (const Given& g : proof_.given)
            if (g.differentiable) add(g.name);
        for (const Assignment& a : proof_.forward) add(a.name);
        out_.spelling = std::move(spelling);
    }

    DerivedLine line_of(const Assignment& a) const {
        const bool by_rows = !a.indices.empty() && known_.is_by_rows(*a.value), by_entries = !a.indices.empty() && !by_rows;
        const Algebra& algebra = by_entries ? entries_ : matrices_;
        std::vector<Term> terms = algebra.collected(Tangents(algebra, entries_).of(a.value));
        const Axes& whole = known_.axes_of(a.name);
        const Axes of(whole.begin() + static_cast<std::ptrdiff_t>(a.indices.size()), whole.end());
        Axes reached;
        for (const Term& t : terms) reached = broadcast(reached, algebra.axes(t));
        if (!by_entries && !terms.empty() && reached != of) terms[0] = matrices_.filled(terms[0], of);
        ExprPtr right = algebra.sum(terms);
        if (const ExprPtr together = algebra.expression(algebra.add(terms)); parts_of(*together) < parts_of(*right))
            right = together;
        DerivedLine out;
        out.name = a.name;
        out.left = entry_at(gradient_of(a.name), a.indices);
        out.right = right;
        out.rule = "differential";
        out.sentence = fmt::format("differential of {} = {}", a.name, text_of(*a.value));
        return out;
    }

    void judge(std::vector<DerivedLine>& lines) {
        if (lines.empty()) return;
        std::vector<JudgedLine> claims;
        for (const DerivedLine& l : lines) {
            JudgedLine claim;
            claim.left = l.left;
            claim.right = l.right;
            claim.text = text_of(*l.left) + " = " + text_of(*l.right);
            claims.push_back(std::move(claim));
        }
        const auto shape_of = [&](const Given& g) {
            std::vector<ExprPtr> shape;
            for (const AxisSize& a : known_.axes_of(g.name)) shape.push_back(known_.size(a));
            return std::optional(shape);
        };
        CheckOptions check;
        check.draw = options_.draw;
        check.mutation = check.diagnose = false;
        check.prove = options_.prove;
        const ProofReport report = check_proof(*moving(proof_, claims, shape_of), check);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const LineReport& r = report.lines[i];
            if (r.verdict != Verdict::right || r.read_as.starts_with("read with")) {
                out_.missing.push_back({lines[i].name, r.reason.empty() ? "no rule gives it right: " + r.text : r.reason});
                continue;
            }
            lines[i].left = with_gradients(lines[i].left, named_tangent);
            lines[i].right = with_gradients(lines[i].right, named_tangent);
            lines[i].proved = r.proved;
            out_.lines.push_back(std::move(lines[i]));
        }
    }

    const Proof proof_;
    const DeriveOptions& options_;
    const Proof whole_;  ///< its ops written out
    Known known_;
    Algebra matrices_, entries_;
    Derivation out_;
};

}  // namespace

Derivation derive_tangents(const Proof& proof, const DeriveOptions& options, const Control& control) {
    const ControlScope scope(control, "derive_tangents");
    return TangentDeriver(proof, options).run();
}

}  // namespace gradproof::proof
