// Derivations as LaTeX and as Markdown, which are checked like what they were derived from.
#include <fmt/format.h>

#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"

namespace gradproof::proof {
namespace {

std::string note_of(const DerivedLine& l) { return l.paths.empty() ? l.sentence : l.rule.empty() ? "identity" : l.rule; }

class LatexWriter {
  public:
    LatexWriter(const Derivation& d, const DeriveStyle& style) : d_(d), style_(style) {
        if (d.spelling) spelling_ = *d.spelling;
        spelling_.first = 0;
        if (!d.tangents) spelling_ = told_apart(spelling_, proof());
    }

    std::string text() const {
        std::string out;
        for (const std::string& said : d_.made_up) out += "% " + said + "\n";
        out += d_.tangents ? tangents() : claims();
        if (style_.steps) out += steps();
        for (const Underived& m : d_.missing)
            out += fmt::format("% {}{}: {}\n", d_.tangents ? "d" : "∂L/∂", m.name, printable(m.reason));
        return out;
    }

  private:
    std::string formula(const ExprPtr& e) const { return latex::text_of(*e, spelling_); }

    std::string claims() const {
        LatexPrint print{{}, d_.spelling};
        for (const DerivedLine& l : d_.lines) print.notes.push_back(note_of(l));
        return written(proof(), Notation::latex, print);
    }
    /// The lines as claims.
    Proof proof() const {
        std::string text = d_.heading + "claim\n";
        for (const DerivedLine& l : d_.lines) text += "  " + l.text + "\n";
        return read_proofs("derived.proof", text).front();
    }
    std::string tangents() const {
        std::string out;
        for (const DerivedLine& l : d_.lines)
            out += (out.empty() ? "\\begin{align*}\n  " : " \\\\\n  ") + formula(l.left) + " &= " + formula(l.right);
        return out.empty() ? out : out + "\n\\end{align*}\n";
    }
    std::string steps() const {
        std::string out;
        for (const DerivedLine& l : d_.lines)
            for (const DerivedPath& p : l.paths)
                for (const RuleStep& s : p.steps)
                    out += fmt::format("  \\item ${}$ through ${}$, {} on ${}$: ${}$ gets ${}$\n", formula(l.left),
                                       formula(name(p.into)), s.rule->name, formula(s.of), formula(s.to), formula(s.gradient));
        return out.empty() ? out : "\\begin{itemize}\n" + out + "\\end{itemize}\n";
    }

    const Derivation& d_;
    const DeriveStyle& style_;
    LatexSpelling spelling_;
};

/// Its sentence with formulas as code.
std::string sentence(const DerivedLine& l) {
    std::string out;
    for (const DerivedPath& p : l.paths) out += fmt::format("{}{} on `{}`", out.empty() ? "" : "; ", p.rules, p.through);
    return out;
}

std::string block(const std::string& indent, const std::string& lines) {
    std::string out = indent + "```proof\n";
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = lines.find('\n', at);
        out += indent + lines.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return out + indent + "```\n";
}

}  // namespace

std::string to_latex(const Derivation& d, const DeriveStyle& style) { return LatexWriter(d, style).text(); }

std::string to_markdown(const Derivation& d, const DeriveStyle& style) {
    const bool claims = !d.tangents;
    std::string out = d.title.empty() ? "" : "# " + printable(d.title, 400) + "\n\n";
    for (const std::string& said : d.made_up) out += said + ".\n\n";
    if (claims) out += block("", d.heading) + "\n";
    for (const DerivedLine& l : d.lines) {
        const std::string left = text_of(*l.left);
        if (claims) out += fmt::format("- `{}`: {}\n", left, l.paths.empty() ? l.sentence : sentence(l));
        if (style.steps)
            for (const DerivedPath& p : l.paths)
                for (const RuleStep& s : p.steps)
                    out += fmt::format("  - {} on `{}`: `{}` gets `{}`\n", s.rule->name, text_of(*s.of), text_of(*s.to),
                                       text_of(*s.gradient));
        out += claims ? "\n" + block("  ", "claim\n  " + l.text + "\n") + "\n" : fmt::format("- `{}`\n", l.text);
    }
    for (const Underived& m : d.missing) out += fmt::format("- `{}{}`: {}\n", claims ? "∂L/∂" : "d", m.name, m.reason);
    return out;
}

}  // namespace gradproof::proof
