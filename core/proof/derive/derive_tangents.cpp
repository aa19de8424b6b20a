// Forward mode: the tangent of every value from the first to the last, judged as the derivative along a line through the inputs.
#include <algorithm>

#include "gradproof/core/proof/derive/composites.hpp"
#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/derive/style.hpp"
#include "gradproof/core/proof/derive/tangents.hpp"
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
        while (known_.is_value(along_) || proof_.source->text().find(along_) != std::string_view::npos) along_ += "_";
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
        const Style style(proof_);
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
        const bool by_entries = !a.indices.empty();
        const Algebra& algebra = by_entries ? entries_ : matrices_;
        std::vector<Term> terms = algebra.collected(Tangents(algebra, entries_).of(a.value));
        const Axes& of = known_.axes_of(a.name);
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

    ExprPtr derivative(const std::string& of, const std::vector<ExprPtr>& at) const {
        Expr e = node(Kind::jacobian, {}, of == proof_.forward.back().name && proof_.forward.back().is_loss ? kLoss : of);
        e.other = along_;
        e.children = at;
        e.split = at.size();
        return make(std::move(e));
    }

    /// The proof with inputs that move along a line: every tangent is a derivative by how far.
    std::string moving() const {
        Proof p = proof_;
        const std::string how_far = fmt::format("input {} [] ~ uniform(0.001, 0.002)\n", along_);
        std::string starts;
        std::vector<Given> given;
        for (const Given& g : proof_.given) {
            given.push_back(g);
            if (!g.differentiable) continue;
            given.back().name = "from_" + g.name;
            Given by;
            by.name = "by_" + g.name;
            by.differentiable = false;
            for (const AxisSize& a : known_.axes_of(g.name)) by.shape.push_back(known_.size(a));
            given.push_back(by);
            starts += fmt::format("  {0} = from_{0} + {1} by_{0}\n", g.name, along_);
        }
        p.given = given;
        if (p.forward.back().is_loss) {
            p.forward.back().is_loss = false;
            p.forward.back().name = kLoss;
        }
        std::string text = statements_of(p);
        text.insert(text.find("forward\n") + 8, starts);
        text.insert(text.find("forward\n"), how_far);
        return text;
    }

    void judge(std::vector<DerivedLine>& lines) {
        if (lines.empty()) return;
        std::string text = moving() + "claim\n";
        const auto by = [&](const std::string& of, const std::vector<ExprPtr>& at) { return derivative(of, at); };
        for (const DerivedLine& l : lines)
            text += fmt::format("  {} = {}\n", text_of(*with_gradients(l.left, by)), text_of(*with_gradients(l.right, by)));
        CheckOptions check;
        check.draw = options_.draw;
        check.mutation = check.diagnose = false;
        check.prove = options_.prove;
        const ProofReport report = check_proof(read_proofs("tangents.proof", text).front(), check);
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

    static constexpr const char* kLoss = "loss_that_moves";
    const Proof proof_;
    const DeriveOptions& options_;
    const Proof whole_;  ///< its ops written out
    Known known_;
    Algebra matrices_, entries_;
    std::string along_ = "along";  ///< how far the inputs have moved: a name of no other
    Derivation out_;
};

}  // namespace

Derivation derive_tangents(const Proof& proof, const DeriveOptions& options, const Control& control) {
    const ControlScope scope(control, "derive_tangents");
    return TangentDeriver(proof, options).run();
}

}  // namespace gradproof::proof
