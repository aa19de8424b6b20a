// Sentences of a text held against what was read of it.
#include "gradproof/core/proof/language/latex/accounted.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/denoted.hpp"
#include "gradproof/core/proof/language/latex/lead_shapes.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/said.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"
#include "gradproof/core/proof/language/latex/signs_beside.hpp"

namespace gradproof::proof::latex {
namespace {

/// $\top$ and $\odot$ of which the words say what they usually do not.
bool is_sign_of_another(const Tokens& t, const std::string& words) {
    if (t.size() != 1 || t[0].kind != Token::Kind::command || !letter_of(t[0].text).empty() || is_dots(t[0]) ||
        is_derivative_sign(t[0]))
        return false;
    if (t[0].is_command("\\odot") || t[0].is_command("\\circ"))
        return !has_any(words, {" elementwise ", " entrywise ", " componentwise ", " hadamard "});
    return !t[0].is_command("\\otimes") || !has_any(words, {" kronecker "});
}
/// A relation that no line of the derivation has: \succ, \perp.
bool says_how_large(const Token& t) {
    constexpr std::string_view kAll[] = {"\\succ", "\\succeq", "\\prec",     "\\preceq",
                                         "\\perp", "\\subset", "\\subseteq", "\\parallel"};
    return t.kind == Token::Kind::command && is_one(kAll, t.text);
}

}  // namespace

Accounted::Accounted(const Source& source, const std::vector<Sentence>& all, const Proof& proof, const LinesSaid& lines,
                     Span epoch)
    : source_(source), proof_(proof), spans_{{0, epoch.begin}, {epoch.end, source.text().size()}}, lines_(lines) {
    const std::set<std::string> used = names_behind_lines(proof, true);
    std::vector<Span> unused;
    for (const Assignment& a : proof.forward) (used.contains(a.name) ? spans_ : unused).push_back(a.statement.span);
    for (const JudgedLine& l : proof.lines) {
        judged_.push_back(l.statement.span);
        if (l.state == JudgedLine::State::skipped) skipped_.push_back(l.statement.span);
        for (const ExprPtr& side : {l.left, l.right})
            if (side != nullptr) add_helpers(*side);
        if (l.holds)
            for_each(*l.holds, [&](const Expr& part) {
                if (part.span.begin < part.span.end) conditions_.push_back(part.span);
            });
    }
    for (const Given& g : proof.given)  // the \eta of \Delta w = \eta g, which no line uses, reads none of it
        if (used.contains(g.name) ||
            std::ranges::none_of(unused, [&](Span s) { return s.begin <= g.span.begin && g.span.end <= s.end; }))
            spans_.push_back(g.span);
    for (const Sentence& s : all) words_ += s.words;
    for (const Sentence& s : all)
        for (const Mention& m : s.formulas)
            if (m.displayed || is_of_a_line(m.span)) {
                if (defines(m)) definitions_ += source_.slice(m.span);
                formulas_.push_back(as_run(m.formula));
                functions_.merge(models_of(joined(m.formula, 0, m.formula.size())));
            }
    see_topics(all);
}

/// What D stands for, of a D that is a name for gradients.
void Accounted::add_helpers(const Expr& e) {
    for_each(e, [&](const Expr& part) {
        if (part.kind == Kind::helper && !part.children.empty()) spans_.push_back(part.children[0]->span);
    });
}

std::string Accounted::left_out(const Sentence& s) const {
    if (s.is_heading) return said_by_heading(s);
    if (std::string formula = formula_left_out(s); !formula.empty()) return formula;
    if (std::string added = added_by_words(s); !added.empty()) return added;
    return unmarked(s);
}

/// "The $\ell_1$-norm" above formulas that mark none; \|x\| is the Euclidean one anyway.
bool Accounted::names_a_norm(const Sentence& heading) const {
    const auto is_two = [](const Mention& m) { return !m.formula.empty() && m.formula.back().text == "2"; };
    if (source_.text().find("|_") != std::string_view::npos || source_.text().find("Vert_") != std::string_view::npos)
        return false;
    const bool by_formula = has_any(heading.words, {" # norm ", " # norms "}) && std::ranges::none_of(heading.formulas, is_two);
    return by_formula || names_another_norm(heading.words);
}

/// "Mean squared error, $L / n$", "The target is the input".
std::string Accounted::said_by_heading(const Sentence& s) const {
    for (const Mention& m : s.formulas)
        if (!is_of_a_line(m.span) && leaves_out(m)) return "a formula in a heading";
    if (has_any(s.words, {" is ", " are "})) return "a heading that says something";
    if (std::string words = product_unmarked(s); !words.empty()) return words;
    if (std::string words = relation_unmarked(s.words); !words.empty()) return words;
    if (std::string number = number_unmarked(s); !number.empty()) return number;
    if (names_a_norm(s)) return "a heading that names a norm";
    if (std::string mean = mean_unmarked(s.words); !mean.empty()) return "a heading that names " + mean;
    if (std::string words = says_in_heading(s.words, functions_); !words.empty()) return words + " in a heading";
    const auto topic = topics_.find(s.span.begin);
    if (topic == topics_.end()) return "";
    return fmt::format("a heading that names \"{}\", above claims alone", topic->second);
}

std::string Accounted::formula_left_out(const Sentence& s) const {
    for (std::size_t i = 0; i < s.formulas.size(); ++i) {
        const Mention& m = s.formulas[i];
        if (!m.displayed && !is_judged(m.span, 0) && meets(conditions_, m.span)) continue;
        if (leaves_out(m)) return "no line has all of " + printable(source_.one_line(m.span), kMostShown);
        if (std::string bound = bound_left_out(m); !bound.empty()) return bound;
        if (const std::string beside = left_beside(m); !beside.empty())
            return printable(beside, kMostShown) + " stands beside the formula";
        const bool constant = is_judged(m.span, 0) && std::ranges::any_of(m.formula, is_derivative_sign) &&
                              source_.slice(m.span).find("{const") != std::string_view::npos;
        if (constant) return "a constant that nothing says";
        if (calls_gradient(m, s.words)) return "it calls a value a gradient";
        if (is_sign_of_another(m.formula, s.words)) return "it gives a sign a meaning";
        if (i > 0 && renames(s.formulas[i - 1], m)) return "it gives a value another name";
        if (i > 0 && selects_terms(s, i)) return "it may choose among the entries or terms of the definition before it";
    }
    if (std::string sign = sign_beside(source_, s); !sign.empty()) return sign;
    if (std::string other = leads_to_another(s); !other.empty()) return other;
    const MeaningsRead read{source_, functions_, [this](Span at) { return is_of_a_line(at); }};
    if (std::string denoted = denotes_other(s, read); !denoted.empty()) return denoted;
    if (speaks_of_function(s)) return "it speaks of a function that no formula has";
    if (calls_definition_gradient(s)) return "it calls a gradient what is read as a name";
    if (choose_loss(s.words) && std::ranges::none_of(s.formulas, [&](const Mention& m) { return is_of_a_line(m.span); }))
        return "it says what the loss is";
    if (tells_value(s)) return "it says what something is, without an equation";
    if (restricts(s)) return "it restricts an index";
    if (defines_somewhere(s)) return "it says where a definition holds";
    if (names_derivatives(s)) return "it says how derivatives are written";
    if (ties_values(s)) return "it says of a value what it is";
    if (computes_values(s) || ties_to_value(s)) return "it says how a value comes about";
    if (calls_output(s)) return "it calls something an output that no line computes";
    if (const std::string name = called_computed(s); !name.empty())
        return fmt::format("it calls {} what is computed, and no line computes it", name);
    if (arranges_values(s)) return "it says what a value is made of";
    if (lays_gradients(s)) return "it says how gradients lie";
    if (has_any(s.words, {" column vectors "}) && takes_rows()) return "columns, where rows are read";
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

/// "where $i > 1$", "$(i, j) \in E$" and \sum_i x_i, \quad i \sim j of what is no claim: of sums whose index it is, some terms
/// are left out.
bool Accounted::restricts(const Sentence& s) const {
    const bool leads = claims(s);
    for (const Mention& m : s.formulas) {
        if (is_judged(m.span, 0)) return false;  // what holds for some entries alone
        if (leads && !(m.displayed && meets(spans_, m.span))) continue;
        if (std::ranges::any_of(parts_of_list(m.formula), [&](const Tokens& part) { return restricts_index(part); })) return true;
    }
    return false;
}

/// A and A \in \mathbb{R}^{n \times n} of an input that has a property: "be symmetric".
bool Accounted::is_drawn(const Mention& m) const {
    const NameParts p = m.formula.empty() ? NameParts{} : parts_of(source_, m.formula, 0);
    return has_property(proof_, p.base);
}

/// Words that do more than lead from one formula to the next.
std::string Accounted::words_left_out(const Sentence& s) const {
    if (s.is_heading) return "";
    const bool of_columns = has_any(s.words, {" column ", " columns "});
    if (of_columns && lines_.columns.empty() && !has_any(s.words, {" column vector ", " column vectors "}))
        return "columns, where rows are read";
    const auto is_called = [this](const std::string& thing) {
        const auto is_of_thing = [&](const Given& g) { return std::tolower(static_cast<unsigned char>(g.name[0])) == thing[0]; };
        return has_any(words_, {" " + thing + " # ", " # the " + thing + " "}) || std::ranges::any_of(proof_.given, is_of_thing);
    };
    LeadContext context{functions_, is_called};
    for (const Mention& m : s.formulas)
        context.formulas.push_back(m.displayed ? Standing::displayed : is_drawn(m) ? Standing::drawn : Standing::in_line);
    const std::string beyond = beyond_leading(words_without_lines(s), context);
    if (beyond.empty()) return "";
    return fmt::format("the word{} \"{}\"", beyond.find(' ') == beyond.npos ? "" : "s", beyond);
}

}  // namespace gradproof::proof::latex
