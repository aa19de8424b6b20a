// Formulas of a text held against what was read of it.
#include "gradproof/core/proof/language/latex/accounted.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

constexpr std::size_t kMostShown = 60;  ///< of a formula in a message

/// |name|name|: a formula as it stands, to be searched for in others.
std::string as_run(const Tokens& t) {
    std::string out = "|";
    for (const Token& one : t)
        if (!one.is_symbol(".") && !one.is_symbol(",")) out.append(one.text).append("|");
    return out;
}

/// The names of values that a line or another value uses.
std::set<std::string> used_in(const Proof& proof) {
    std::set<std::string> out;
    const auto add_all = [&](const ExprPtr& e, const std::string& but) {
        if (e == nullptr) return;
        for_each(*e, [&](const Expr& part) {
            for (const std::string& name : {part.name, part.other})
                if (name != but) out.insert(name);
        });
    };
    for (const Assignment& a : proof.forward) add_all(a.value, a.name);
    for (const JudgedLine& l : proof.lines)
        for (const ExprPtr& e : {l.left, l.right, l.holds}) add_all(e, "");
    return out;
}

/// $\top$ and $\odot$ of which the words say what they usually do not.
bool is_sign_of_another(const Tokens& t, const std::string& words) {
    if (t.size() != 1 || t[0].kind != Token::Kind::command || !letter_of(t[0].text).empty() || is_dots(t[0]) ||
        is_derivative_sign(t[0]))
        return false;
    if (t[0].is_command("\\odot") || t[0].is_command("\\circ"))
        return !has_any(words, {" elementwise ", " entrywise ", " componentwise ", " hadamard "});
    return !t[0].is_command("\\otimes") || !has_any(words, {" kronecker "});
}
bool relates(const Token& t) {
    constexpr std::string_view kOthers[] = {"\\propto",    "\\to",        "\\gets",           "\\leftarrow", "\\rightarrow",
                                            "\\mapsto",    "\\Leftarrow", "\\Rightarrow",     "\\approx",    "\\longmapsto",
                                            "\\triangleq", "\\doteq",     "\\longrightarrow", "\\simeq",     "\\cong"};
    return is_equals(t) || (t.kind == Token::Kind::command && is_one(kOthers, t.text));
}
bool meets(const std::vector<Span>& all, Span at) {
    return std::ranges::any_of(all, [&](Span s) { return s.begin < at.end && at.begin < s.end; });
}
/// \sum_i y_i = 1, \|u\| = 1: what holds for every value holds for these.
bool bounds_one_value(const Tokens& t) {
    const bool bounds = t.front().is_command("\\sum") || is_norm_bar(t.front());
    return bounds && t.size() > 2 && t.back().is(Token::Kind::digits, "1") && is_equals(t[t.size() - 2]);
}

/// A relation that no line of the derivation has: \succ, \perp.
bool says_how_large(const Token& t) {
    constexpr std::string_view kAll[] = {"\\succ", "\\succeq", "\\prec",     "\\preceq",
                                         "\\perp", "\\subset", "\\subseteq", "\\parallel"};
    return t.kind == Token::Kind::command && is_one(kAll, t.text);
}
/// Of i = 1, \dots, n and t = T; not of i = 2, \dots, n and j = i + 1, which leave entries out.
bool begins_first(const Tokens& t, std::size_t equals) {
    if (equals > 1 || equals + 1 >= t.size()) return true;  // below a sum
    const Token& first = t[equals + 1];
    return equals + 2 == t.size() && (first.kind == Token::Kind::letter || first.text == "1" || first.text == "0");
}
bool speaks_of_derivative(const std::string& words) {
    return has_any(
        words, {" gradient ", " gradients ", " derivative ", " derivatives ", " jacobian ", " hessian ", " slope ", " adjoint "});
}
/// Whether the words before a formula say that something is this: "is", "equals", "is the error", "we get".
bool say_it_is(const std::string& before) {
    constexpr std::string_view kVerbs[] = {"is",     "are",  "equals", "equal", "yields", "gives", "becomes", "get",
                                           "obtain", "find", "reads",  "be",    "yield",  "give",  "gets",    "has"};
    constexpr std::string_view kOnlyNames[] = {"denoted", "written", "called", "by", "given", "for", "of", "in", "to", "where"};
    const WordList all = words_of(before);
    constexpr std::size_t kMostBetween = 3;
    for (std::size_t i = all.size(); i-- > 0 && all.size() - i <= kMostBetween;) {
        if (is_one(kOnlyNames, all[i])) return false;
        if (is_one(kVerbs, all[i])) return true;
    }
    return false;
}

}  // namespace

Accounted::Accounted(const Source& source, const std::vector<Sentence>& all, const Proof& proof, bool columns)
    : source_(source), proof_(proof), with_columns_(columns) {
    const std::set<std::string> used = used_in(proof);
    const bool stated = std::ranges::any_of(proof.forward, &Assignment::is_loss);
    for (const Assignment& a : proof.forward)
        if (a.is_loss || used.contains(a.name) || (!stated && &a == &proof.forward.back())) spans_.push_back(a.statement.span);
    for (const JudgedLine& l : proof.lines) {
        judged_.push_back(l.statement.span);
        for (const ExprPtr& side : {l.left, l.right})
            if (side != nullptr) add_helpers(*side);
    }
    for (const Given& g : proof.given) spans_.push_back(g.span);
    for (const Sentence& s : all)
        for (const Mention& m : s.formulas)
            if (m.displayed || is_of_a_line(m.span)) {
                formulas_.push_back(as_run(m.formula));
                functions_.merge(models_of(joined(m.formula, 0, m.formula.size())));
            }
}

std::string Accounted::left_out(const Sentence& s) const {
    if (s.is_heading) return said_by_heading(s);
    std::string formula = formula_left_out(s);
    return formula.empty() ? words_left_out(s) : formula;
}

/// "Mean squared error, $L / n$", "The target is the input".
std::string Accounted::said_by_heading(const Sentence& s) const {
    for (const Mention& m : s.formulas)
        if (!is_of_a_line(m.span) && leaves_out(m)) return "a formula in a heading";
    if (has_any(s.words, {" is ", " are ", " layout ", " corrections ", " correction ", " erratum ", " errata "}))
        return "a heading that says something";
    return names_another_model(s.words, {.functions = functions_});
}
std::string Accounted::formula_left_out(const Sentence& s) const {
    for (std::size_t i = 0; i < s.formulas.size(); ++i) {
        const Mention& m = s.formulas[i];
        if (leaves_out(m)) return "no line has all of " + printable(source_.one_line(m.span), kMostShown);
        if (leaves_tokens(m)) return "something stands beside the formula";
        const bool constant = is_judged(m.span, 0) && std::ranges::any_of(m.formula, is_derivative_sign) &&
                              source_.slice(m.span).find("{const") != std::string_view::npos;
        if (constant) return "a constant that nothing says";
        if (calls_gradient(m, s.words)) return "it calls a value a gradient";
        if (is_sign_of_another(m.formula, s.words)) return "it gives a sign a meaning";
        if (i > 0 && renames(s.formulas[i - 1], m)) return "it gives a value another name";
    }
    if (tells_value(s)) return "it says what something is, without an equation";
    if (restricts(s)) return "it restricts an index";
    if (names_derivatives(s)) return "it says how derivatives are written";
    if (ties_values(s)) return "it says of a value what it is";
    if (computes_values(s)) return "it says how a value comes about";
    if (lays_gradients(s)) return "it says how gradients lie";
    return goes_on(s) ? "it goes on behind a claim" : "";
}

/// "\[ \nabla_y L = y - x \] which simplifies to $x - y$", "and $-1$ if $x < 0$", and \succ 0 behind a claim.
bool Accounted::goes_on(const Sentence& s) const {
    bool claimed = s.words == " # ";  // "i.e. $x - y$", behind the stop
    for (const Mention& m : s.formulas) {
        const bool judged = is_judged(m.span, 0);
        if (judged && m.displayed && std::ranges::any_of(m.formula, says_how_large)) return true;
        if (judged && places_elsewhere(m.formula)) return true;
        const bool number =
            std::ranges::all_of(m.formula, [](const Token& t) { return t.kind == Token::Kind::digits || t.is_symbol("-"); });
        if (claimed && !m.displayed && !is_of_a_line(m.span) && (number || !is_name_or_space(m.formula))) return true;
        claimed = claimed || judged;
    }
    return false;
}

/// \nabla_W L = z x^\top \in \mathbb{R}^{n \times m} of a W that is no n x m.
bool Accounted::places_elsewhere(const Tokens& t) const {
    for (std::size_t i = 0; i + 4 < t.size(); ++i) {
        if (!t[i].is_command("\\in") || !t[i + 1].is_command("\\mathbb")) continue;
        const auto by = std::find_if(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(i), is_derivative_sign);
        if (by == t.begin() + static_cast<std::ptrdiff_t>(i)) continue;  // a value
        const auto power = std::find_if(t.begin() + static_cast<std::ptrdiff_t>(i), t.end(),
                                        [](const Token& one) { return one.is_symbol("^"); });
        if (power == t.end()) return true;
        std::string sizes, stated;
        for (const Token& one : inside_group(source_, t, static_cast<std::size_t>(power - t.begin()) + 1))
            stated += one.is_command("\\times") ? "," : std::string(one.text);
        for (auto at = by; at < t.begin() + static_cast<std::ptrdiff_t>(i) && sizes.empty(); ++at)
            for (const Given& g : proof_.given)
                if (g.name == at->text)
                    for (const ExprPtr& size : g.shape)
                        sizes += (sizes.empty() ? "" : ",") + (size->kind == Kind::name     ? size->name
                                                               : size->kind == Kind::number ? fmt::format("{}", size->number)
                                                                                            : "?");
        return sizes != stated;
    }
    return false;
}

/// "where $w$ is a function of $x$", "$y$ is the input $x$": what one value is, by another.
bool Accounted::ties_values(const Sentence& s) const {
    return std::ranges::any_of(s.formulas, [&](const Mention& m) {
        if (&m == s.formulas.data() || m.displayed || is_of_a_line(m.span) || !is_name_of_value(m.formula)) return false;
        return has_any(m.before, {" is ", " are ", " be ", " equals ", " depends ", " depend "}) &&
               !has_any(m.before, {" respect to ", " denoted by ", " given by ", " by "});
    });
}

/// "We compute $A$ from $x$", "a network maps $x$ to $b$", "we write $x$ for $A x$", "by $A$ we denote".
bool Accounted::computes_values(const Sentence& s) const {
    constexpr std::string_view kVerbs[] = {"from",  "compute", "computes", "calculate", "calculates",   "map",    "maps",
                                           "apply", "get",     "gets",     "give",      "gives",        "yield",  "yields",
                                           "put",   "set",     "sets",     "take",      "takes",        "denote", "denotes",
                                           "write", "follow",  "follows",  "obtain",    "applies",      "read",   "reads",
                                           "find",  "finds",   "call",     "calls",     "substituting", "putting"};
    return std::ranges::any_of(s.formulas, [&](const Mention& m) {
        if (m.displayed || is_of_a_line(m.span) || std::ranges::any_of(m.formula, is_derivative_sign) || !uses_value(m.formula))
            return false;
        const WordList before = words_of(m.before);
        const bool renames = m.before == " by " && m.behind.starts_with(" we denote");
        return renames || (!before.empty() && is_one(kVerbs, before.back()));
    });
}
bool Accounted::uses_value(const Tokens& t) const {
    for (std::size_t i = 0; i < t.size(); ++i)
        if (const NameParts p = parts_of(source_, t, i); !p.base.empty() && is_value(p.base)) return true;
    return false;
}
/// "We write derivatives by vectors as rows", where they were not read so.
bool Accounted::lays_gradients(const Sentence& s) const {
    const bool rows = has_any(s.words, {" as rows ", " as a row ", " row vector ", " row vectors ", " are rows ", " is a row ",
                                        " in rows ", " form a row ", " one row ", " row form ", " by rows "});
    const bool read = std::ranges::any_of(
        proof_.holds_for, [](const std::string& said) { return said == "gradients as rows" || said.ends_with(" layout"); });
    const bool claims = std::ranges::any_of(
        s.formulas, [&](const Mention& m) { return is_judged(m.span, 0) && std::ranges::any_of(m.formula, is_derivative_sign); });
    return rows && !read && (claims || speaks_of_derivative(s.words));
}

/// "where $i > 1$", "$(i, j) \in E$" and \sum_i x_i, \quad i \sim j of what is no claim: of sums whose index it is, some terms
/// are left out.
bool Accounted::restricts(const Sentence& s) const {
    if (std::ranges::any_of(s.formulas, [&](const Mention& m) { return is_judged(m.span, 0); })) return false;
    return std::ranges::any_of(s.formulas, [&](const Mention& m) {
        return std::ranges::any_of(parts_of_list(m.formula), [&](const Tokens& part) { return restricts_index(part); });
    });
}
/// Not i = 1, \dots, n and i \in \{1, \dots, n\}.
bool Accounted::restricts_index(const Tokens& t) const {
    const auto relation = std::ranges::find_if(t, [](const Token& one) {
        return is_comparison(one) || one.is_command("\\ne") || one.is_command("\\neq") || one.is_command("\\in") ||
               one.is_command("\\sim");
    });
    if (relation == t.end() || relation == t.begin()) return false;
    const bool index = std::all_of(t.begin(), relation, [&](const Token& one) {
        return one.is_symbol("(") || one.is_symbol(")") || one.is_symbol(",") || (is_small_letter(one) && !is_value(one.text));
    });
    if (!index || !relation->is_command("\\in")) return index;
    const Tokens set(relation + 1, t.end());
    const bool space = !set.empty() && (set[0].is_command("\\mathbb") || set[0].is_command("\\mathcal"));
    const bool all = set.size() > 2 && set[0].is_command("\\{") && set[1].text == "1" && std::ranges::any_of(set, is_dots) &&
                     set[set.size() - 2].kind == Token::Kind::letter && !set[set.size() - 3].is_symbol("-");
    return !space && !all && !set.empty() && !set[0].is_symbol("[");
}
/// "We write $\nabla_W L$ for $\partial L / \partial W^\top$", "$\nabla_W L \in \mathbb{R}^{n \times m}$", "$\nabla$ is by $z$":
/// how derivatives are written or lie; and "the Hessian is" of what is none.
bool Accounted::names_derivatives(const Sentence& s) const {
    std::size_t named = 0;
    for (const Mention& m : s.formulas) {
        if (is_of_a_line(m.span) || std::ranges::none_of(m.formula, is_derivative_sign)) continue;
        const bool placed = std::ranges::any_of(m.formula, [](const Token& t) { return t.is_command("\\in"); });
        const bool told = has_any(m.before, {" is ", " are ", " equals ", " equal "}) && !m.before.ends_with(" to ");
        if (++named > 1 || placed || told || m.formula.size() == 1) return true;
    }
    const bool claims = std::ranges::any_of(s.formulas, [&](const Mention& m) { return is_judged(m.span, 0); });
    if (named > 0 && !claims && has_any(s.words, {" respect to # "}))
        return true;  // "write $\nabla_x L$ for the derivative by $z$"
    const bool hessian = has_any(s.words, {" hessian is # ", " hessian reads # ", " hessian equals # "});
    return hessian && std::ranges::any_of(s.formulas, [&](const Mention& m) {
               return m.displayed && is_judged(m.span, 0) &&
                      std::ranges::none_of(m.formula, [](const Token& t) { return t.is_symbol("^"); });
           });
}

/// Words that may change formulas: those up to the last definition may describe it.
std::string Accounted::words_left_out(const Sentence& s) const {
    std::size_t last = 0;
    bool claims = false;
    for (std::size_t i = 0; i < s.formulas.size(); ++i) {
        if (meets(spans_, s.formulas[i].span)) last = i + 1;
        claims = claims || is_judged(s.formulas[i].span, 0);
    }
    std::size_t at = 0;  // behind that formula
    for (std::size_t i = 0; i < last && at < s.words.size(); ++i) at = s.words.find(kFormula, at) + 1;
    const SaidWith with{last > 0, claims, functions_, with_columns_};
    if (last == 0) return may_change_formulas(s.words, with);
    const std::string rest = std::string(" ") + std::string(kFormula) + s.words.substr(at);
    std::string before = may_change_formulas(s.words.substr(0, at) + " ", with);
    const bool leads_on =
        claims && may_change_formulas(rest, {.claims = true, .functions = functions_, .columns = with_columns_}).empty();
    return leads_on || !before.empty() ? before : may_redefine_names(rest, with);
}

/// "The gradient is $h - y$", "$\nabla_b L$ & $h - y$": a value that words or a table give to something.
bool Accounted::tells_value(const Sentence& s) const {
    const bool derivative = speaks_of_derivative(s.words);
    bool names_derivative = false, claims = false;
    for (const Mention& m : s.formulas) claims = claims || is_judged(m.span, 0);
    for (const Mention& m : s.formulas)
        names_derivative = names_derivative || (!is_of_a_line(m.span) && std::ranges::any_of(m.formula, is_derivative_sign));
    return std::ranges::any_of(s.formulas, [&](const Mention& m) {
        if (m.displayed || is_of_a_line(m.span) || std::ranges::any_of(m.formula, is_derivative_sign)) return false;
        if (m.before.ends_with(" equal to ") || m.before.ends_with(" equals ")) return true;
        const std::vector<Tokens> parts = parts_of_list(m.formula);
        const bool named = std::ranges::all_of(parts, [&](const Tokens& one) { return is_name_or_space(one); });
        return (!named && (names_derivative || (derivative && !claims))) || (say_it_is(m.before) && (!named || derivative));
    });
}

/// Whether something stands in a display besides what was read of it.
bool Accounted::leaves_tokens(const Mention& m) const {
    if (!m.displayed || !is_of_a_line(m.span)) return false;
    const bool softmax = models_of(joined(m.formula, 0, m.formula.size())).contains("softmax");
    const bool words = std::ranges::any_of(m.formula, [&](const Token& t) {
        if (t.kind != Token::Kind::words || is_of_a_line(t.span)) return false;
        return t.text.find('$') != std::string_view::npos || !leave_display(plain_words(t.text), softmax);
    });
    return words || std::ranges::any_of(parts_of_list(m.formula), [&](const Tokens& part) {
               const bool condition = std::ranges::any_of(
                   part, [](const Token& t) { return is_other_relation(t) || is_comparison(t) || is_dots(t); });
               const bool relation = std::ranges::any_of(part, relates);
               if (condition || relation || is_name_or_space(part)) return false;
               return std::ranges::none_of(part, [&](const Token& t) { return is_of_a_line(t.span); });
           });
}

/// Whether a formula states or relates something that no line stems from, or is one that no line has.
/// "Here $x \in \mathbb{R}^{1 \times n}$" of an x of which another sentence says what it is.
bool Accounted::states_anew(const Mention& m) const {
    const auto in = std::ranges::find_if(m.formula, [](const Token& t) { return t.is_command("\\in"); });
    if (m.displayed || in == m.formula.end() || in == m.formula.begin() || is_of_a_line(m.span) || in + 1 == m.formula.end())
        return false;
    const std::string whole = as_run(m.formula);
    const NameParts p = parts_of(source_, m.formula, 0);
    const bool input = std::ranges::find(proof_.given, p.base, &Given::name) != proof_.given.end();
    const bool space = (in + 1)->is_command("\\mathbb") && input && std::cmp_equal(p.end, in - m.formula.begin());
    return space && std::ranges::none_of(formulas_, [&](const std::string& f) { return f.find(whole) != std::string::npos; });
}
bool Accounted::leaves_out(const Mention& m) const {
    for (std::size_t i = 0; i + 2 < m.formula.size(); ++i)
        if (m.formula[i].is_command("\\mathbb") && m.formula[i + 2].is(Token::Kind::letter, "C")) return true;
    if (states_anew(m)) return true;
    if (!m.displayed && lists_lines(source_, m.formula) && is_value(m.formula[0].text)) return false;
    const bool relations = std::ranges::any_of(m.formula, relates);
    if (relations)
        return std::ranges::any_of(parts_of_list(m.formula), [&](const Tokens& one) { return leaves_out(one, m.formula); });
    return !is_of_a_line(m.span) && (m.displayed || !is_mention(m.formula));
}
bool Accounted::leaves_out(const Tokens& equation, const Tokens& whole) const {
    if (bounds_one_value(equation)) return false;
    std::vector<Span> equivalences;
    for (const Token& t : whole)
        if (is_equivalence(t)) equivalences.push_back(t.span);
    for (std::size_t i = 0; i < equation.size(); ++i) {
        const std::size_t at = equation[i].span.begin;
        if (!relates(equation[i])) continue;
        if (is_range(equation, i) && (begins_first(equation, i) || is_judged(equation[i].span, 0))) continue;
        std::size_t from = 0;  // what follows a \implies is no part of the line before it, and defines nothing
        for (const Span e : equivalences)
            if (e.begin < at) from = e.end;
        const Span behind = equation[std::min(i + 1, equation.size() - 1)].span;  // a further link begins there
        const Span link{equation[i].span.begin, std::max(equation[i].span.end, behind.end)};
        if (from > 0 ? !is_judged(link, from) : !is_of_a_line(link)) return true;
    }
    return false;
}
/// What D stands for, of a D that is a name for gradients.
void Accounted::add_helpers(const Expr& e) {
    for_each(e, [&](const Expr& part) {
        if (part.kind == Kind::helper && !part.children.empty()) spans_.push_back(part.children[0]->span);
    });
}
/// "Let $g$ denote the gradient of $L$" of a g that a formula defines as a value.
bool Accounted::calls_gradient(const Mention& m, const std::string& words) const {
    const bool called = has_any(words, {" # denote the gradient ", " # denotes the gradient ", " # be the gradient ",
                                        " # is the gradient ", " # for the gradient ", " gradient by # "});
    return called && !m.displayed && is_name_of_value(m.formula);
}
/// "We write $L$ for $M$" of two values.
bool Accounted::renames(const Mention& a, const Mention& b) const {
    const bool joined = a.behind == " for " || a.behind == " by " || a.behind == " as ";
    return joined && is_name_of_value(a.formula) && is_name_of_value(b.formula);
}
bool Accounted::is_name_of_value(const Tokens& t) const {
    const NameParts p = t.empty() ? NameParts{} : parts_of(source_, t, 0);
    return !p.base.empty() && p.end == t.size() && is_value(p.base);
}
bool Accounted::is_of_a_line(Span at) const { return meets(spans_, at) || is_judged(at, 0); }
bool Accounted::is_judged(Span at, std::size_t from) const {
    return std::ranges::any_of(judged_, [&](Span s) { return from <= s.begin && s.begin < at.end && at.begin < s.end; });
}
bool Accounted::is_value(std::string_view name) const {
    return proof_.find(name) != nullptr || std::ranges::find(proof_.given, name, &Given::name) != proof_.given.end();
}
/// i of i = 1, \dots, n and of \sum_{i=1}, which is no value.
bool Accounted::is_range(const Tokens& t, std::size_t equals) const {
    const bool first =
        equals == 1 || (equals > 1 && (t[equals - 2].kind == Token::Kind::opening || t[equals - 2].is_symbol("[")));
    return first && is_small_letter(t[equals - 1]) && !is_value(t[equals - 1].text);
}
/// A name, several, a space, a derivative, or a part of a formula that is a line or displayed.
bool Accounted::is_mention(const Tokens& formula) const {
    const std::string whole = as_run(formula);
    return std::ranges::any_of(formulas_, [&](const std::string& f) { return f.find(whole) != std::string::npos; }) ||
           std::ranges::all_of(parts_of_list(formula), [&](const Tokens& one) { return is_name_or_space(one); });
}
bool Accounted::is_name_or_space(const Tokens& t) const {
    if (std::ranges::any_of(t, [](const Token& one) { return is_other_relation(one); })) return true;
    if (std::ranges::none_of(t, [](const Token& one) { return one.kind == Token::Kind::letter || is_derivative_sign(one); }))
        return true;  // numbers, dots, operators on their own
    if (std::ranges::any_of(t, is_derivative_sign))
        return std::ranges::none_of(
            t, [](const Token& one) { return one.kind == Token::Kind::digits || one.is_symbol("+") || one.is_symbol("-"); });
    const NameParts p = parts_of(source_, t, 0);
    const bool input = std::ranges::find(proof_.given, p.base, &Given::name) != proof_.given.end();
    if (!p.base.empty() && p.end < t.size() && t[p.end].is_symbol("("))
        return !input || !uses_value(part_of(t, p.end, t.size()));  // the weights W(x)
    return !p.base.empty() && (p.end == t.size() || t[p.end].is_command("\\times"));
}

}  // namespace gradproof::proof::latex
