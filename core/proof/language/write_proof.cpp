// Derivations printed.
#include "gradproof/core/proof/language/write_proof.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/errors.hpp"

namespace gradproof::proof {
namespace {

class Writer {
  public:
    Writer(const Proof& p, Notation n) : p_(p), latex_(n == Notation::latex) {
        spelling_.first = 0;
        for (const Assignment& a : p.forward)
            if (a.is_loss) spelling_.loss = latex::spelled(a.name);
    }

    std::string text() {
        if (latex_) stated("indices from 0");
        if (!p_.title.empty()) stated(fmt::format("title \"{}\"", p_.title));
        for (const Dim& d : p_.dims) stated("dims " + name(d.name) + (d.value ? "=" + size(d.value) : ""));
        for (const Given& g : p_.given)
            if (!g.name.starts_with("printed(")) given(g);
        section("forward");
        for (const Assignment& a : p_.forward) {
            if (a.is_loss) {
                end_formula();
                if (latex_) stated("loss " + name(a.name));
            }
            line(a.is_loss && !latex_ ? "loss " : "", left(a), expression(a.value));
        }
        std::string_view now;
        for (const JudgedLine& l : p_.lines) {
            const std::string_view kind = l.type == JudgedLine::Type::expect ? "expect" : "claim";
            if (kind != now) section(now = kind);
            judged(l);
        }
        end_formula();
        return out_;
    }

  private:
    std::string name(const std::string& n) const { return latex_ ? latex::spelled(n) : n; }
    std::string expression(const ExprPtr& e) const {
        return latex_ ? latex::text_of(*e, spelling_) : written(*e, Notation::notation);
    }
    /// Within annotations, where arrays are those of the notation.
    std::string plain(const ExprPtr& e) const { return e->kind == Kind::array ? written(*e, Notation::notation) : expression(e); }
    std::string size(const ExprPtr& e) const { return e->children.empty() ? plain(e) : "(" + plain(e) + ")"; }

    void stated(const std::string& statement) { out_ += (latex_ ? "% gradproof: " : "") + statement + "\n"; }

    void given(const Given& g) {
        constexpr const char* kFills[] = {"", " ~ uniform", " ~ positive", " ~ onehot", " ~ index", ""};
        const auto list = [&](const std::vector<ExprPtr>& all) {
            std::string out;
            for (const ExprPtr& e : all) out += (out.empty() ? "" : ", ") + plain(e);
            return out;
        };
        std::string what = fmt::format("{} {}", g.differentiable ? "input" : "const", name(g.name));
        if (g.value)
            what += " = " + plain(g.value);
        else
            what += " [" + list(g.shape) + "]" + kFills[static_cast<std::size_t>(g.fill)] +
                    (g.parameters.empty() ? "" : "(" + list(g.parameters) + ")");
        stated(what);
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
        if (a.indices.empty()) return name(a.name);
        return name(a.name) +
               (latex_ ? fmt::format("_{{{}}}", fmt::join(a.indices, ",")) : fmt::format("[{}]", fmt::join(a.indices, ",")));
    }

    void judged(const JudgedLine& l) {
        if (l.skipped || !l.left) return;
        if (l.erratum && latex_) value_error("print: an erratum has no words in LaTeX: {}", l.text);
        line("", expression(l.left), expression(l.right) + (l.erratum ? " erratum " + plain(l.erratum) : ""));
    }

    const Proof& p_;
    bool latex_, open_ = false;
    LatexSpelling spelling_;
    std::string out_;
};

}  // namespace

std::string written(const Proof& p, Notation n) { return Writer(p, n).text(); }

}  // namespace gradproof::proof
