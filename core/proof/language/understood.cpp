// Derivations as they were understood.
#include "gradproof/core/proof/language/understood.hpp"

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"

namespace gradproof::proof {
namespace {

std::string text(const ExprPtr& e) { return written(*e, Notation::notation); }

std::string line(int number, std::string_view word, const std::string& what) {
    return fmt::format("{:>6}  {:<8}{}\n", number, word, what);
}

std::string judged(const JudgedLine& l) {
    if (!l.is_judged()) return l.text;
    return text(l.left) + " = " + text(l.right) + (l.erratum ? " erratum " + text(l.erratum) : "") + written_ranges(l.holds);
}

}  // namespace

std::string understood(const std::vector<Proof>& proofs) {
    std::string out;
    for (const Proof& p : proofs) {
        const auto at = [&](Span s) { return p.source->line(s.begin); };
        for (const std::string& f : p.functions) out += line(p.start.line, "function", f);
        for (const Dim& d : p.dims) out += line(at(d.span), "dims", d.name + (d.value ? " = " + text(d.value) : ""));
        for (const Given& g : p.given) out += line(at(g.span), g.differentiable ? "input" : "const", given_text(g, g.name, text));
        for (const Assignment& a : p.forward)
            if (!a.inner) out += line(a.statement.line, a.is_loss ? "loss" : "forward", a.left() + " = " + text(a.value));
        for (const JudgedLine& l : p.lines)
            out += line(l.statement.line,
                        l.state == JudgedLine::State::skipped  ? "skip"
                        : l.state == JudgedLine::State::unread ? "unread"
                        : l.type == JudgedLine::Type::expect   ? "expect"
                                                               : "claim",
                        judged(l));
        for (const Passed& s : p.passed_over) {
            const std::string text = p.source->one_line(s.span);
            out += line(at(s.span), "passed", s.why + (text.empty() ? "" : ": ") + printable(text));
        }
        for (const Span s : p.updates) out += line(at(s), "update", printable(p.source->one_line(s)));
    }
    return out;
}

}  // namespace gradproof::proof
