// Derivations as they were understood.
#include "gradproof/core/proof/language/understood.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {
namespace {

std::string text(const ExprPtr& e) { return written(*e, Notation::notation); }

std::string line(int number, std::string_view word, const std::string& what) {
    return fmt::format("{:>6}  {:<8}{}\n", number, word, what);
}

std::string list_of(const std::vector<ExprPtr>& all) {
    std::string out;
    for (const ExprPtr& e : all) out += (out.empty() ? "" : ", ") + text(e);
    return out;
}

std::string given(const Given& g) {
    constexpr const char* kFills[] = {"", " ~ uniform", " ~ positive", " ~ onehot", " ~ index", ""};
    if (g.value) return g.name + " = " + text(g.value);
    const std::string parameters = g.parameters.empty() ? "" : "(" + list_of(g.parameters) + ")";
    return fmt::format("{} [{}]{}{}", g.name, list_of(g.shape), kFills[static_cast<std::size_t>(g.fill)], parameters);
}

std::string judged(const JudgedLine& l) {
    if (l.skipped) return l.text;
    return text(l.left) + " = " + text(l.right) + (l.erratum ? " erratum " + text(l.erratum) : "");
}

}  // namespace

std::string understood(const std::vector<Proof>& proofs) {
    std::string out;
    for (const Proof& p : proofs) {
        const auto at = [&](Span s) { return p.source->line(s.begin); };
        for (const Dim& d : p.dims) out += line(at(d.span), "dims", d.name + (d.value ? " = " + text(d.value) : ""));
        for (const Given& g : p.given) out += line(at(g.span), g.differentiable ? "input" : "const", given(g));
        for (const Assignment& a : p.forward) {
            const std::string left = a.name + (a.indices.empty() ? "" : fmt::format("[{}]", fmt::join(a.indices, ",")));
            out += line(a.statement.line, a.is_loss ? "loss" : "forward", left + " = " + text(a.value));
        }
        for (const JudgedLine& l : p.lines)
            out += line(l.statement.line,
                        l.skipped                            ? "skip"
                        : l.type == JudgedLine::Type::expect ? "expect"
                                                             : "claim",
                        judged(l));
    }
    return out;
}

}  // namespace gradproof::proof
