// Derivations printed.
#include "gradproof/core/proof/language/write_proof.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/judge/differentials.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof {
namespace {

/// Values called as a function that is used, or var, as Python allows, with another name: mean1 of mean.
Proof beside_functions(Proof p) {
    std::set<std::string> called;
    for (const Assignment& a : p.forward)
        for_each(*a.value, [&](const Expr& part) {
            if (part.kind == Kind::call) called.insert(part.name);
        });
    std::map<std::string, std::string> other;
    const auto is_taken = [&](const std::string& n) {
        return p.find(n) != nullptr || std::ranges::find(p.given, n, &Given::name) != p.given.end();
    };
    const auto set_apart = [&](std::string& name) {
        if (!called.contains(name) && !Statements::has_meaning(name)) return;
        std::string free = name + "1";
        while (is_taken(free)) free += "1";
        other.emplace(name, free);
        name = std::move(free);
    };
    for (Given& g : p.given) set_apart(g.name);
    for (Assignment& a : p.forward) set_apart(a.name);
    if (other.empty()) return p;
    const auto exchanged = [&](ExprPtr& e) {
        if (e == nullptr) return;
        e = rewritten(e, [&](const Expr& part) -> ExprPtr {
            const bool names_value = part.kind == Kind::name || part.kind == Kind::gradient || part.kind == Kind::jacobian;
            const auto of = names_value ? other.find(part.name) : other.end(), by = other.find(part.other);
            if (of == other.end() && by == other.end()) return nullptr;
            Expr out = part;
            out.source.clear();
            if (of != other.end()) out.name = of->second;
            if (by != other.end()) out.other = by->second;
            return make(std::move(out));
        });
    };
    for (Assignment& a : p.forward) exchanged(a.value);
    for (JudgedLine& l : p.lines) exchanged(l.left), exchanged(l.right);
    return p;
}

class ProofWriter {
  public:
    ProofWriter(const Proof& p, Notation n, const LatexPrint& latex) : p_(p), latex_(n == Notation::latex), notes_(latex.notes) {
        if (const auto found = latex.spelling ? latex.spelling : spelling_of(p)) spelling_ = *found;
        spelling_.first = 0;
        spelling_ = told_apart(std::move(spelling_), p);
        for (const Assignment& a : p.forward)
            if (a.is_loss) spelling_.loss = name(a.name);
    }

    std::string text() {
        if (latex_) stated("indices from 0");
        if (!p_.title.empty()) stated(fmt::format("title \"{}\"", p_.title));
        for (const std::string& s : convention_statements(p_.conventions)) stated(s);
        std::string dims;
        for (const Dim& d : p_.dims) dims += " " + name(d.name) + (d.value ? "=" + size(d.value) : "");
        if (!dims.empty()) stated("dims" + dims);
        for (const std::string& f : p_.functions) stated("function " + name(f));
        for (const Given& g : p_.given)
            if (!g.name.starts_with("printed(")) given(g);
        section("forward");
        for (const Assignment& a : p_.forward) {
            if (a.inner) continue;
            if (a.is_loss) {
                end_formula();
                if (latex_) stated("loss " + name(a.name));
            }
            line(a.is_loss && !latex_ ? "loss " : "", left(a), expression(a.value) + extents(a));
        }
        std::string_view now;
        for (std::size_t i = 0; i < p_.lines.size(); ++i) {
            const std::string_view kind = p_.lines[i].type == JudgedLine::Type::expect ? "expect" : "claim";
            if (kind != now) section(now = kind);
            judged(p_.lines[i], i < notes_.size() ? notes_[i] : "");
        }
        end_formula();
        return out_;
    }

  private:
    std::string name(const std::string& n) const {
        const auto found = spelling_.names.find(n);
        return !latex_ ? n : found != spelling_.names.end() ? found->second : latex::spelled(n);
    }
    std::string expression(const ExprPtr& e) const {
        return latex_ ? latex::text_of(*e, spelling_) : written(*e, Notation::notation);
    }
    /// Within annotations, where arrays are those of the notation.
    std::string plain(const ExprPtr& e) const { return e->kind == Kind::array ? written(*e, Notation::notation) : expression(e); }
    std::string size(const ExprPtr& e) const { return e->children.empty() ? plain(e) : "(" + plain(e) + ")"; }

    void stated(const std::string& statement) { out_ += (latex_ ? "% gradproof: " : "") + statement + "\n"; }

    void given(const Given& g) {
        const auto text = [&](const ExprPtr& e) { return plain(e); };
        stated(fmt::format("{} {}", g.differentiable ? "input" : "const", given_text(g, name(g.name), text)));
    }

    void section(std::string_view word) {
        end_formula();
        stated(std::string(word));
    }
    void line(const std::string& word, const std::string& left, const std::string& right) {
        if (!latex_) {
            out_ += "  " + word + left + " = " + right + "\n";
            return;
        }
        out_ += (open_ ? " \\\\\n  " : "\\begin{align*}\n  ") + left + " &= " + right;
        open_ = true;
    }
    void end_formula() {
        if (open_) out_ += "\n\\end{align*}\n";
        open_ = false;
    }

    std::string left(const Assignment& a) const {
        if (!latex_) return a.left();
        return name(a.name) + (a.indices.empty() ? "" : fmt::format("_{{{}}}", fmt::join(a.indices, ",")));
    }

    /// Names that stand for expressions, before the first line that uses them.
    void define_helpers(const Expr& e) {
        for_each(e, [&](const Expr& part) {
            if (part.kind != Kind::helper || is_einsum(part) || !defined_.insert(part.name).second) return;
            define_helpers(*part.children[0]);
            Assignment a;
            a.name = part.name;
            a.indices = part.bound;
            line("", left(a), expression(part.children[0]));
        });
    }

    /// How far indices run, where only the line itself says it.
    std::string extents(const Assignment& a) const {
        std::string out;
        for (const Option& o : a.extents) out += (out.empty() ? "" : ", ") + o.name + " < " + expression(o.value);
        return out.empty() ? "" : (latex_ ? " \\quad \\text{for } " : " for ") + out;
    }

    void judged(const JudgedLine& l, const std::string& note) {
        if (!l.is_judged()) return;
        define_helpers(*l.left);
        define_helpers(*l.right);
        if (l.erratum && latex_) value_error("print: an erratum has no words in LaTeX: {}", l.text);
        // A line about differentials keeps them: ∂L/∂X would be claimed as a gradient.
        const std::string left = text_of(*l.left);
        const bool as_d = left.starts_with("d") || left.starts_with("\\mathrm{d}") || left.starts_with("\\mathrm d");
        const bool of_differentials = as_d && p_.source && is_differential(l, p_);
        const GradientStyle style = spelling_.style;
        if (of_differentials) spelling_.style = GradientStyle::d;
        const auto side = [&](const ExprPtr& e) { return expression(of_differentials && !latex_ ? with_d(e) : e); };
        line("", side(l.left),
             side(l.right) + (l.erratum ? " erratum " + plain(l.erratum) : "") +
                 written_ranges(l.holds, latex_ ? Notation::latex : Notation::notation,
                                [&](const Expr& e) { return expression(std::make_shared<const Expr>(e)); }) +
                 (note.empty() ? "" : " && \\text{" + note + "}"));
        spelling_.style = style;
    }
    static ExprPtr with_d(const ExprPtr& e) {
        return rewritten(e,
                         [](const Expr& part) { return part.kind == Kind::gradient ? proof::name("d" + part.name) : nullptr; });
    }

    const Proof& p_;
    bool latex_, open_ = false;
    const std::vector<std::string>& notes_;
    LatexSpelling spelling_;
    std::set<std::string> defined_;
    std::string out_;
};

}  // namespace

std::vector<std::string> convention_statements(const Conventions& said) {
    std::vector<std::string> out;
    if (said.vectors != Vectors::unsaid)
        out.emplace_back(said.vectors == Vectors::rows ? "convention rows" : "convention columns");
    if (said.layout != Layout::unsaid)
        out.emplace_back(said.layout == Layout::numerator ? "layout numerator" : "layout denominator");
    if (said.elementwise) out.emplace_back("convention elementwise");
    return out;
}

std::string given_text(const Given& g, const std::string& name, const std::function<std::string(const ExprPtr&)>& text) {
    const auto listed = [&](const std::vector<ExprPtr>& items) {
        std::string out;
        for (const ExprPtr& e : items) out += (out.empty() ? "" : ", ") + text(e);
        return out;
    };
    std::string out = name;
    if (!g.shape.empty() || !g.value) out += fmt::format(" [{}]", listed(g.shape));
    if (g.value) return out + " = " + text(g.value);
    if (g.fill == Fill::normal) return out;
    out += fmt::format(" ~ {}", std::ranges::find(kFillWords, g.fill, &FillWord::fill)->word);
    return g.parameters.empty() ? out : out + "(" + listed(g.parameters) + ")";
}

std::string written(const Proof& p, Notation n, const LatexPrint& latex) {
    return ProofWriter(beside_functions(p), n, latex).text();
}

std::string in_latex(const std::string& formula, const Names& names) {
    const Source source("formula", formula);
    const Span all{0, formula.size()};
    const auto text = [](const ExprPtr& e) { return written(*e, Notation::latex); };
    if (formula.find(" = ") == std::string::npos) return text(parse_expression(source, all, names));
    const Equality e = parse_equality(source, all, names);
    return text(e.left) + " = " + text(e.right);
}

std::string in_markdown(const Proof& p) {
    return (p.title.empty() ? "" : "# " + printable(p.title, 400) + "\n\n") + "```proof\n" + written(p, Notation::notation) +
           "```\n";
}

LatexSpelling told_apart(LatexSpelling spelling, const Proof& p) {
    const auto spelled = [&](const std::string& name) {
        const auto found = spelling.names.find(name);
        return found != spelling.names.end() ? found->second : latex::spelled(name);
    };
    const auto looks = [](std::string text) {
        std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
        return text;
    };
    std::map<std::string, std::pair<std::string, std::string>> entries;  // what it is of, and its number, by how it looks
    const auto add = [&](const Expr& e) {
        if (e.kind != Kind::index || e.children.size() != 2 || e.children[1]->kind != Kind::number) return;
        const std::string of = spelled(e.children[0]->name), number = e.children[1]->name;
        entries[looks(of + "_" + number)] = {of, number};
    };
    for (const Assignment& a : p.forward) for_each(*a.value, add);
    for (const JudgedLine& l : p.lines)
        for (const ExprPtr& side : {l.left, l.right})
            if (side) for_each(*side, add);
    std::vector<std::string> names;
    for (const Given& g : p.given) names.push_back(g.name);
    for (const Assignment& a : p.forward) names.push_back(a.name);
    std::set<std::string> taken;
    for (const std::string& n : names) taken.insert(looks(spelled(n)));
    for (const std::string& n : names) {
        const auto found = entries.find(looks(spelled(n)));
        if (found == entries.end()) continue;
        const auto& [of, number] = found->second;
        std::string word = number == "0" ? "init" : "value" + number, other;
        do other = of + "_{\\mathrm{" + std::exchange(word, word + "x") + "}}";
        while (!taken.insert(looks(other)).second);
        spelling.names[n] = other;
    }
    return spelling;
}

std::shared_ptr<const LatexSpelling> spelling_of(const Proof& p) {
    for (const Assignment& a : p.forward)
        if (a.value->spelling) return a.value->spelling;
    return nullptr;
}

}  // namespace gradproof::proof
