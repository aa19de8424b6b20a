// What derivatives are of and by.
#include "gradproof/core/proof/language/latex/derived.hpp"

#include <optional>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

class Derivatives {
  public:
    Derivatives(const Source& source, Derived& out) : source_(source), out_(out) {}

    void see(const Tokens& t) {
        for (std::size_t i = 0; i < t.size(); ++i) {
            if ((is_fraction(t[i]) || t[i].is_command("\\cfrac")) && i + 1 < t.size()) {
                const std::size_t middle = end_of_group(source_, t, i + 1);
                if (middle >= t.size()) return;
                see_fraction(inside_group(source_, t, i + 1), inside_group(source_, t, middle));
            }
            if (is_derivative_sign(t[i])) see_sign(t, i);
        }
    }

  private:
    static bool is_d(const Token& t) { return is_derivative_sign(t) || t.is(Token::Kind::letter, "d"); }
    void add(const Tokens& t, std::size_t at, std::set<std::string>& to) const {
        if (const NameParts p = at < t.size() ? parts_of(source_, t, at) : NameParts{}; !p.base.empty()) to.insert(p.base);
    }
    void see_fraction(const Tokens& top, const Tokens& bottom) {
        if (top.empty() || bottom.empty() || !is_d(top[0]) || !is_d(bottom[0])) return;
        add(top, top.size() > 1 && top[1].is_symbol("^") ? end_of_group(source_, top, 2) : 1, out_.of);
        for (std::size_t i = 0; i < bottom.size(); ++i)
            if (is_d(bottom[i])) add(bottom, i + 1, out_.by);
    }
    /// \partial_x L, \nabla_x L, \nabla L, and \partial L / \partial x.
    void see_sign(const Tokens& t, std::size_t at) {
        std::size_t i = at + 1;
        bool by = false;
        for (; i + 1 < t.size() && (t[i].is_symbol("_") || t[i].is_symbol("^")); i = end_of_group(source_, t, i + 1)) {
            by = by || t[i].is_symbol("_");
            if (t[i].is_symbol("_")) add(inside_group(source_, t, i + 1), 0, out_.by);
        }
        const bool divides = at > 0 && t[at - 1].is_symbol("/");
        const bool nabla = t[at].is_command("\\nabla") || t[at].is_symbol("∇");
        const NameParts p = i < t.size() ? parts_of(source_, t, i) : NameParts{};
        if (p.base.empty()) return;
        const bool divided = p.end < t.size() && t[p.end].is_symbol("/");
        if (divides)
            out_.by.insert(p.base);
        else if (by || nabla || divided)
            out_.of.insert(p.base);
    }

    const Source& source_;
    Derived& out_;
};

}  // namespace

Derived derived_in(const Source& source, const std::vector<Equation>& all) {
    Derived out;
    Derivatives derivatives(source, out);
    for (const Equation& e : all) {
        if (e.note.kind == Token::Kind::note) continue;
        try {
            if (e.left && !e.chained) derivatives.see(*e.left);
            derivatives.see(e.right);
        } catch (const ProofError&) {  // told where it is read
        }
    }
    return out;
}

}  // namespace gradproof::proof::latex
