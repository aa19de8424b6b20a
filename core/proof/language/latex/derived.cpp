// What derivatives are of and by.
#include "gradproof/core/proof/language/latex/derived.hpp"

#include <algorithm>
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
                const Tokens top = inside_group(source_, t, i + 1);
                see_fraction(top, inside_group(source_, t, middle));
                if (top.size() == 1 && is_d(top[0])) add_name(t, end_of_group(source_, t, middle));
            }
            if (is_derivative_sign(t[i])) see_sign(t, i);
        }
    }

    const std::vector<Tokens>& names() const { return names_; }

  private:
    /// Where it is a name and no expression: of \frac{\partial}{\partial x} L.
    void add_name(const Tokens& t, std::size_t at) {
        const NameParts p = at < t.size() ? parts_of(source_, t, at) : NameParts{};
        if (!p.base.empty()) names_.push_back(part_of(t, p.begin, p.end));
    }
    static bool is_d(const Token& t) { return is_derivative_sign(t) || t.is(Token::Kind::letter, "d"); }
    void add(const Tokens& t, std::size_t at, std::set<std::string>& to) const {
        if (const NameParts p = at < t.size() ? parts_of(source_, t, at) : NameParts{}; !p.base.empty()) to.insert(p.base);
    }
    void see_fraction(const Tokens& top, const Tokens& bottom) {
        if (top.empty() || bottom.empty() || !is_d(top[0]) || !is_d(bottom[0])) return;
        const std::size_t of = top.size() > 1 && top[1].is_symbol("^") ? end_of_group(source_, top, 2) : 1;
        add(top, of, out_.of);
        add_name(top, of);
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
        if (divides) out_.by.insert(p.base);
        if (divides || !(by || nabla || divided)) return;
        out_.of.insert(p.base);
        add_name(t, i);
    }

    const Source& source_;
    Derived& out_;
    std::vector<Tokens> names_;
};

}  // namespace

std::vector<Tokens> names_derived(const Source& source, const Tokens& formula) {
    Derived bases;
    Derivatives derivatives(source, bases);
    derivatives.see(formula);
    return derivatives.names();
}

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

Tokens expression_derived(const Source& source, const Tokens& left) {
    Tokens out;
    if (!left.empty() && is_fraction(left[0])) {
        const Tokens above = inside_group(source, left, 1);
        const std::size_t middle = end_of_group(source, left, 1);
        if (above.empty() || !above[0].is_command("\\partial") || middle >= left.size()) return {};
        const std::size_t end = end_of_group(source, left, middle);
        if (above.size() > 1 && end < left.size()) return {};
        out = above.size() > 1 ? part_of(above, 1, above.size()) : part_of(left, end, left.size());
    } else if (left.size() > 3 && left[0].is_command("\\nabla") && left[1].is_symbol("_")) {
        out = part_of(left, end_of_group(source, left, 2), left.size());
    }
    const auto conditions = [](const Token& t) {
        return t.is_command("\\mid") || t.is_symbol("|") || t.is_symbol(";") || t.is_symbol(",");
    };
    const bool derived = std::ranges::any_of(out, is_derivative_sign);
    if (out.empty() || out[0].is_symbol("^") || derived || std::ranges::any_of(out, conditions)) return {};
    const NameParts p = parts_of(source, out, 0);
    const bool named = !p.base.empty() && function_of(p.base).empty() &&
                       (p.end == out.size() || (out[p.end].is_symbol("(") && end_of_brackets(out, p.end) == out.size()));
    return named ? Tokens{} : out;
}

}  // namespace gradproof::proof::latex
