// What is read in one way of two.
#include "gradproof/core/proof/language/latex/guesses.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/quotients.hpp"
#include "gradproof/core/proof/language/latex/said.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

/// Whether a value stands in an expression, or a derivative of it or by it.
bool speaks_of(const ExprPtr& e, const std::string& name) {
    return e != nullptr && any_part(*e, [&](const Expr& part) {
               const bool named = part.kind == Kind::name || part.kind == Kind::gradient || part.kind == Kind::jacobian;
               return named && (part.name == name || part.other == name);
           });
}
bool is_any_claim(const JudgedLine& l) {
    return l.is_judged() && (l.type == JudgedLine::Type::claim || l.type == JudgedLine::Type::jacobian);
}
/// The one name of 2 \pi f, \sigma^2, 1 / (2 l^2), 2 \pi / \lambda and e^s; "" of others, and of the name itself.
std::string base_of_power(const Expr& e) {
    if (e.kind == Kind::call && e.name == "exp" && e.children.size() == 1)
        return e.children[0]->kind == Kind::name ? e.children[0]->name : base_of_power(*e.children[0]);
    if (e.kind != Kind::power && e.kind != Kind::product) return "";
    const bool plain = !any_part(e, [](const Expr& part) {
        return part.kind != Kind::number && part.kind != Kind::name && part.kind != Kind::power && part.kind != Kind::product &&
               part.kind != Kind::negate;
    });
    std::set<std::string> names = names_in(e);
    names.erase("π");
    return plain && names.size() == 1 ? *names.begin() : "";
}
bool is_derivative_by(const Expr& left, const std::string& name) {
    return any_part(left, [&](const Expr& e) {
        return (e.kind == Kind::gradient && e.name == name) || (e.kind == Kind::jacobian && e.other == name);
    });
}
/// What stands in \mathbb{S}^n, \mathbb{R}_+^n, \mathbb{R}_{\ge 0} and \{0, 1\}, and not in \mathbb{R}^n.
bool names_no_whole_space(const Token& t) {
    return t.is(Token::Kind::letter, "S") || t.is_symbol("+") || t.is_command("\\{") || is_comparison(t);
}

}  // namespace

Guesses::Guesses(const Source& source, const std::vector<Sentence>& all, const Proof& proof) : source_(source), proof_(proof) {
    by_entry_ = std::ranges::any_of(all, [](const Sentence& s) { return speaks_of_entries(s.words); });
    for (const Sentence& s : all)
        for (const Mention& m : s.formulas) {
            for (const Tokens& one : parts_of_list(m.formula))
                if (const std::string of = restricted_by(one); !of.empty()) restricted_.try_emplace(of, m.span.begin);
            see_arguments(m.formula);
            if (!m.displayed && names_a_map(m)) maps_.insert(parts_of(source_, m.formula, 0).base);
        }
    for (const Assignment& a : proof.forward) see_numbers(*a.value, a.statement.span);
    for (const Given& g : proof.given)
        if (const std::string why = doubt_of(g); !why.empty())
            for (const Assignment& a : proof.forward)
                if (speaks_of(a.value, g.name)) doubts_.push_back({a.statement.span, why});
    const auto is_power_of_e = [](const Expr& e) {  // e^{-w} of e = y - w x
        return e.kind == Kind::power && e.children[0]->kind == Kind::name && e.children[0]->name == "e" &&
               e.children[1]->kind != Kind::number;
    };
    for (const Assignment& a : proof.forward)
        if (any_part(*a.value, is_power_of_e))
            doubts_.push_back({a.statement.span, "e is read as a value of the text, and may be the number"});
    for (const Assignment& a : proof.forward) {
        see_transposes(*a.value, a.statement.span);
        see_quotients(*a.value, a.statement.span);
    }
    for (const JudgedLine& l : proof.lines)
        if (l.is_judged()) see_transposes(*l.right, l.statement.span);
    for (const Assignment& v : proof.forward) {
        const std::string base = v.value->spelling && v.indices.empty() && !v.inner ? base_of_power(*v.value) : "";
        const Given* const of = given(base);
        if (of == nullptr || !of->shape.empty()) continue;
        const bool beside = std::ranges::any_of(
            proof.forward, [&](const Assignment& other) { return &other != &v && speaks_of(other.value, base); });
        const bool claimed = std::ranges::any_of(
            proof.lines, [&](const JudgedLine& l) { return is_any_claim(l) && is_derivative_by(*l.left, v.name); });
        if (beside && claimed) beside_.push_back(&v);
    }
}

/// Whether it has no axes; of x_i of a vector, too.
bool Guesses::is_a_number(const Expr& e) const {
    if (e.kind == Kind::index)
        return e.children[0]->kind == Kind::name && axes_of(e.children[0]->name) + 1 == e.children.size() &&
               std::ranges::none_of(e.children, [](const ExprPtr& c) { return c->kind == Kind::slice; });
    if (e.kind == Kind::sum || e.kind == Kind::product || e.kind == Kind::power || e.kind == Kind::negate)
        return std::ranges::all_of(e.children, [&](const ExprPtr& c) { return is_a_number(*c); });
    const std::optional<AxisNames> axes = axis_names(e, proof_);
    return axes && axes->empty();
}
/// (1 - a)^T of an a that turns out to be a number.
void Guesses::see_transposes(const Expr& e, Span at) {
    const auto is_of_number = [&](const Expr& part) {
        if (part.kind != Kind::transpose) return false;
        std::string_view written = source_.slice(part.span);
        while (written.ends_with('}')) written.remove_suffix(1);
        return written.ends_with('T') && is_a_number(*part.children[0]);
    };
    if (any_part(e, is_of_number)) doubts_.push_back({at, "^T of a number is read as its transpose, and may be its power"});
}

/// \log p/(1 - p), which is (\log p)/(1 - p) here.
void Guesses::see_quotients(const Expr& e, Span at) {
    for_each(e, [&](const Expr& part) {
        for (std::size_t i = 0; i + 1 < part.children.size(); ++i)
            if (may_be_of_quotient(source_, part, i))
                doubts_.push_back({at, fmt::format("{} is divided, and what it is of may be the quotient: put brackets there",
                                                   printable(source_.slice(part.children[i]->span), 40))});
    });
}

std::string Guesses::why(const Sentence& s) const {
    if (std::string late = given_late(s); !late.empty()) return late;
    if (std::string late = restricted_late(s); !late.empty()) return late;
    if (std::string beside = used_beside(s); !beside.empty()) return beside;
    const auto doubt =
        std::ranges::find_if(doubts_, [&](const Doubt& d) { return s.span.begin <= d.at.begin && d.at.begin < s.span.end; });
    if (doubt != doubts_.end()) return doubt->why;
    for (const Mention& m : s.formulas) {
        if (std::string call = may_be_call(m, s.words); !call.empty()) return call;
        if (std::string power = may_be_power(m); !power.empty()) return power;
        if (std::string map = may_mix_entries(m, s.words); !map.empty()) return map;
    }
    return "";
}

/// Of "the network $f$" and "an encoder $\phi$", where f is a function of which nothing is known.
bool Guesses::names_a_map(const Mention& m) const {
    const NameParts p = m.formula.empty() ? NameParts{} : parts_of(source_, m.formula, 0);
    if (p.end != m.formula.size() || !is_function(p.base)) return false;
    return std::ranges::any_of(std::initializer_list<std::string_view>{" network ", " model ", " map ", " mapping ", " layer ",
                                                                       " sublayer ", " encoder "},
                               [&](std::string_view word) { return m.before.ends_with(word); });
}
bool Guesses::is_function(const std::string& name) const {
    return std::ranges::find(proof_.functions, name) != proof_.functions.end();
}
bool Guesses::is_of_a_line(Span at) const {
    const auto meets = [&](Span s) { return s.begin < at.end && at.begin < s.end; };
    return std::ranges::any_of(proof_.forward, [&](const Assignment& a) { return meets(a.statement.span); }) ||
           std::ranges::any_of(proof_.lines, [&](const JudgedLine& l) { return meets(l.statement.span); });
}
const Given* Guesses::given(const std::string& name) const {
    const auto found = std::ranges::find(proof_.given, name, &Given::name);
    return found == proof_.given.end() ? nullptr : &*found;
}
/// 0 of what is not known.
std::size_t Guesses::axes_of(const std::string& name) const {
    const std::optional<AxisNames> axes = axis_names(std::string_view(name), proof_);
    return axes ? axes->size() : 0;
}

/// "where $A = u u^\top$", in the paragraph of the claim: it says what stands in it.
bool Guesses::explains(const Sentence& s, std::size_t claim_ends) const {
    if (s.span.begin < claim_ends) return true;
    const std::string_view between = source_.slice({claim_ends, s.span.begin});
    const bool apart = between.find("\\section") != between.npos || between.find("\\paragraph") != between.npos ||
                       between.find("\\subsection") != between.npos || between.find("\n\n") != between.npos;
    return !apart && (s.words.starts_with(" where ") || s.words.starts_with(" here ") || s.words.starts_with(" with # "));
}
/// z of z = W x, which restricts no z: what is claimed of derivatives by z holds with it and without.
bool Guesses::takes_all_values(const std::string& name) const {
    const Assignment* const a = proof_.find(name);
    if (a == nullptr || axes_of(name) > 1) return false;
    const std::set<std::string> names = names_in(*a->value);
    return std::ranges::count_if(names, [&](const std::string& n) {
               return given(n) != nullptr && std::ranges::none_of(proof_.forward, [&](const Assignment& other) {
                          return &other != a && speaks_of(other.value, n);
                      });
           }) > 1;
}
/// Where the first claim ends that stands before, as something that it may depend on says a name; kNowhere where there is none.
std::size_t Guesses::claim_with(const std::string& name, std::size_t before) const {
    std::size_t used = kNowhere;  // where the name is used first
    for (const Assignment& a : proof_.forward)
        if (a.name != name && speaks_of(a.value, name)) used = std::min(used, a.statement.span.begin);
    const bool takes_all = takes_all_values(name);
    std::size_t out = kNowhere;
    for (const JudgedLine& l : proof_.lines) {
        const Span at = l.statement.span;
        if (!is_any_claim(l) || at.end > before || (takes_all && is_derivative_by(*l.left, name))) continue;
        if (used < at.begin || speaks_of(l.left, name) || speaks_of(l.right, name)) out = std::min(out, at.end);
    }
    return out;
}

/// "\[ \nabla f = A x \] ... Let $A = u u^\top$": the claim was made of every A, and is judged of this one.
std::string Guesses::given_late(const Sentence& s) const {
    for (const Assignment& a : proof_.forward) {
        const Span at = a.statement.span;
        if (!a.value->spelling || a.inner || at.begin < s.span.begin || at.begin >= s.span.end) continue;
        const std::size_t claim = claim_with(a.name, at.begin);
        if (claim != kNowhere && !explains(s, claim))
            return fmt::format("{} is given behind claims that use it", printable(a.name, 40));
    }
    return "";
}
/// The input that x_i > 0, A \in \mathbb{S}^n and \|x\| = 1 say something of, where it is drawn so; "" of others.
std::string Guesses::restricted_by(const Tokens& part) const {
    const bool norm = !part.empty() && is_norm_bar(part[0]);
    const NameParts p = part.size() < 2 ? NameParts{} : parts_of(source_, part, norm ? 1 : 0);
    if (p.base.empty() || p.end >= part.size()) return "";
    const bool closed = norm && is_norm_bar(part[p.end]) && part.back().is(Token::Kind::digits, "1");
    const bool in_set = !norm && part[p.end].is_command("\\in") && std::ranges::any_of(part, names_no_whole_space);
    if (norm ? !closed : !is_comparison(part[p.end]) && !in_set) return "";
    for (const Given& g : proof_.given) {
        const Fill fill = g.hidden() ? g.form : g.fill;
        const bool drawn_so = norm ? fill == Fill::unit
                                   : fill == Fill::positive || fill == Fill::symmetric || fill == Fill::definite ||
                                         fill == Fill::binary || fill == Fill::signs;
        if (drawn_so && (g.hidden() ? g.behind : g.name) == p.base) return p.base;
    }
    return "";
}
/// "\[ \nabla_x m = 1 \] ... Let $x_i > 0$."
std::string Guesses::restricted_late(const Sentence& s) const {
    for (const Mention& m : s.formulas)
        for (const Tokens& one : parts_of_list(m.formula)) {
            const std::string of = restricted_by(one);
            if (of.empty() || restricted_.at(of) < m.span.begin) continue;
            const std::size_t claim = claim_with(of, m.span.begin);
            if (claim != kNowhere && !explains(s, claim))
                return fmt::format("what {} is drawn to be stands behind claims that use it", printable(of, 40));
        }
    return "";
}
/// "$v = \sigma^2$", where a derivative by v is claimed and \sigma is used as well.
std::string Guesses::used_beside(const Sentence& s) const {
    for (const Assignment* v : beside_)
        if (s.span.begin <= v->statement.span.begin && v->statement.span.begin < s.span.end)
            return fmt::format("what {0} is computed from is used beside {0}, and is held fixed in derivatives by {0}",
                               printable(v->name, 40));
    return "";
}

/// Of a number of which nothing says that it is one.
bool Guesses::is_taken_number(const Expr& e) const {
    const Given* const g = e.kind == Kind::name ? given(e.name) : nullptr;
    return g != nullptr && g->taken && g->shape.empty();
}
/// x of W x and x W, A of A B: factors that are numbers here, and hardly are in the text; "" of others.
std::string Guesses::number_of(const Expr& left, const Expr& right) const {
    constexpr std::string_view kVectors = "xhzuvya", kNumbers = "t";
    const auto is_matrix = [&](const Expr& e) {
        const std::optional<AxisNames> axes = axis_names(e, proof_);
        return axes && axes->size() == 2;
    };
    const auto begins_with = [](const Expr& e, std::string_view letters) { return letters.find(e.name[0]) != letters.npos; };
    const auto is_small = [](const Expr& e) { return e.name[0] >= 'a' && e.name[0] <= 'z'; };
    const auto is_great = [](const Expr& e) { return e.name[0] >= 'A' && e.name[0] <= 'Z'; };
    const bool l = is_taken_number(left), r = is_taken_number(right);
    if (r && is_small(right) && !begins_with(right, kNumbers) && is_matrix(left)) return right.name;
    if (l && begins_with(left, kVectors) && is_matrix(right)) return left.name;
    return l && r && is_great(left) && is_great(right) ? left.name : "";
}
void Guesses::see_numbers(const Expr& value, Span at) {
    for_each(value, [&](const Expr& part) {
        for (std::size_t i = 1; part.kind == Kind::product && i < part.children.size(); ++i)
            if (part.joints[i] != '/')
                if (const std::string name = number_of(*part.children[i - 1], *part.children[i]); !name.empty())
                    doubts_.push_back(
                        {at, fmt::format("{} is read as a number, since nothing says what it is", printable(name, 40))});
    });
}
/// Whether it is the Z of -\log Z, which in a log-density depends on what the density does.
bool Guesses::may_normalize(const Given& g) const {
    const auto is_it = [&](const ExprPtr& e) { return e->kind == Kind::name && e->name == g.name; };
    return g.name.starts_with("Z") && std::ranges::any_of(proof_.forward, [&](const Assignment& a) {
               return any_part(*a.value, [&](const Expr& e) {
                   return e.kind == Kind::call && e.name == "log" && std::ranges::any_of(e.children, is_it);
               });
           });
}
/// \dot y and y' of a y that a line computes, and x_+ beside x; "" of others.
std::string Guesses::may_be_derived(const Given& g) const {
    constexpr std::pair<std::string_view, std::string_view> kMarks[] = {{"_dot", "the derivative of"},
                                                                        {"_ddot", "a derivative of"},
                                                                        {"_prime", "the derivative of"},
                                                                        {"_plus", "the positive part of"}};
    for (const auto& [mark, what] : kMarks) {
        const std::string base = g.name.ends_with(mark) ? g.name.substr(0, g.name.size() - mark.size()) : "";
        const bool part = mark == "_plus" && given(base) != nullptr;
        if (!base.empty() && (part || proof_.find(base) != nullptr))
            return fmt::format("{} is read as a value of its own, and may be {} {}", printable(g.name, 40), what,
                               printable(base, 40));
    }
    return "";
}
/// u_o beside the u_w of a sum, which it may be one of, and y_\theta where derivatives are taken by \theta; "" of others.
std::string Guesses::doubt_of(const Given& g) const {
    const auto is_written = [&](std::string_view part) { return source_.text().find(part) != std::string_view::npos; };
    if (g.name == "π" && (is_written("2\\pi") || is_written("2 \\pi")))
        return "π is read as a value of the text, and may be the number";
    if (std::string derived = may_be_derived(g); !derived.empty()) return derived;
    if (may_normalize(g)) return fmt::format("{} may be what normalises, and is read as a constant", printable(g.name, 40));
    const std::size_t mark = g.name.rfind('_');
    if (mark == std::string::npos || mark == 0) return "";
    const std::string base = g.name.substr(0, mark), below = g.name.substr(mark + 1);
    const Given* const by = given(below);
    const bool claimed = by != nullptr && by->differentiable && std::ranges::any_of(proof_.lines, [&](const JudgedLine& l) {
                             return is_any_claim(l) && is_derivative_by(*l.left, below);
                         });
    if (claimed)
        return fmt::format("{} is read as a value that does not follow from {}", printable(g.name, 40), printable(below, 40));
    const Given* const family = given(base);
    const bool number = below.find_first_not_of("0123456789") == std::string::npos;
    const bool member = family != nullptr && !number && family->shape.size() == g.shape.size() + 1;
    return member
               ? fmt::format("{} is read as a value of its own, and not as one of {}", printable(g.name, 40), printable(base, 40))
               : "";
}

}  // namespace gradproof::proof::latex
