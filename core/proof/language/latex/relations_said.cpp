// Relations in sentences held against how values are drawn: "let $x < 0$", "$\sigma \in \{\tanh, \ldots\}$".
#include "gradproof/core/proof/language/latex/accounted.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_relation(const Token& t) { return is_other_relation(t) || is_comparison(t) || !relation(t).empty(); }
bool is_number(const Tokens& t) {
    return !t.empty() && std::ranges::all_of(t, [](const Token& one) { return one.kind == digits || one.is_symbol("-"); });
}
/// \tanh in \{\tanh, \mathrm{ReLU}\}; not of \{1, \dots, n\} and \{0, 1\}^n.
bool has_function(const Tokens& set) {
    const bool braces = !set.empty() && set[0].is_command("\\{");
    return braces && std::ranges::any_of(set, [](const Token& t) {
               const bool sign = t.is_command("\\{") || t.is_command("\\}") || t.is_command("\\pm") || is_dots(t);
               return t.kind == command && !sign && letter_of(t.text).empty();
           });
}

}  // namespace

/// "For $|r| \le \delta$, \[ L = r^2 / 2 \]": of what is defined nothing is said elsewhere.
bool Accounted::defines_somewhere(const Sentence& s) const {
    constexpr std::string_view kLeads[] = {" for ", " if ", " when ", " where ", " whenever ", " while ", " as long as "};
    for (std::size_t i = 0; i < s.formulas.size(); ++i) {
        const Mention& m = s.formulas[i];
        const bool compares = !m.displayed && !is_of_a_line(m.span) && std::ranges::any_of(m.formula, is_comparison);
        const bool leads = std::ranges::any_of(kLeads, [&](std::string_view lead) { return m.before.ends_with(lead); });
        const bool by_number = !m.formula.empty() && m.formula.back().kind == Token::Kind::digits;
        if (!compares || !leads || !uses_value(m.formula) || meets(conditions_, m.span)) continue;
        if (by_number && is_drawn_so(m.formula)) continue;
        for (std::size_t k = i + 1; k < s.formulas.size(); ++k)
            if (defines(s.formulas[k]) && meets(spans_, s.formulas[k].span) && !is_judged(s.formulas[k].span, 0)) return true;
    }
    return false;
}

/// Whether it is how the one value on its left is drawn, or says nothing of one.
bool Accounted::is_drawn_so(const Tokens& t) const {
    const auto sign = std::ranges::find_if(t, is_relation);
    if (sign == t.end() || sign == t.begin()) return true;
    const Tokens left(t.begin(), sign), right(sign + 1, t.end());
    const NameParts p = parts_of(source_, left, 0);
    const bool named = !p.base.empty() && p.end == left.size();
    const auto given = std::ranges::find_if(proof_.given, [&](const Given& g) { return named && g.name == p.base; });
    const bool input = given != proof_.given.end();
    const auto has_fill = [&](std::initializer_list<Fill> some) {
        return input && std::ranges::find(some, given->fill) != some.end();
    };
    if (sign->is_command("\\in") || sign->is_symbol("∈")) return named && !has_function(right) && !uses_value(right);
    if (sign->is_command("\\sim")) return named && !uses_value(right) && !has_fill({Fill::positive});
    if (is_number(left)) {  // 0 < \tau < 1
        const auto next = std::ranges::find_if(right, is_relation);
        const NameParts middle = parts_of(source_, right, 0);
        const auto inner = std::ranges::find(proof_.given, middle.base, &Given::name);
        const bool one = std::cmp_equal(middle.end, next - right.begin());
        return !one || inner == proof_.given.end() || inner->fill == Fill::uniform;
    }
    if (!input || !is_number(right)) return named || !uses_value(left) || !is_number(right);
    const std::string_view how = relation(*sign);
    const bool above = (how == ">" || how == ">=") && right.size() == 1 && right[0].text == "0";
    return has_fill({Fill::uniform}) ||
           (above && has_fill({Fill::positive, Fill::distribution, Fill::binary, Fill::onehot, Fill::index}));
}

}  // namespace gradproof::proof::latex
