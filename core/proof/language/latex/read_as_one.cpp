// Different things that have one name.
#include "gradproof/core/proof/language/latex/read_as_one.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/derived.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/primes.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// Fonts of vectors, whose entries are usually in none: \mathbf{x} and x_i.
bool is_emphasis(const Token& t) {
    constexpr std::string_view kAll[] = {"\\mathbf", "\\boldsymbol", "\\bm", "\\pmb", "\\vec", "\\symbf", "\\symbfit"};
    return t.kind == command && is_one(kAll, t.text);
}
/// What makes no other name of a letter.
bool is_no_style(const Token& t) {
    constexpr std::string_view kAll[] = {"\\mathit", "\\mathnormal", "\\ensuremath", "\\mathop"};
    return t.kind == command && is_one(kAll, t.text);
}
/// \mathbb{R} is no R.
bool is_of_sets(const Token& t) { return t.is_command("\\mathbb") || t.is_command("\\mathbbm") || t.is_command("\\mathds"); }

/// As it is printed, but for the fonts of vectors: \mathrm in of \text{in}, in of {in}.
std::string printed(const Tokens& t) {
    std::string out;
    for (const Token& one : t) {
        if (one.kind == opening || one.kind == closing || one.is_symbol(",") || is_emphasis(one) || is_no_style(one)) continue;
        if (one.kind == command && (is_text(one.text) || one.is_command("\\operatorname") || one.is_command("\\mathrm")))
            out += "\\mathrm";
        else if (one.kind == words)
            out += (out.ends_with("\\mathrm") ? "" : "\\mathrm") + std::string(one.text);
        else if (one.is_command("\\widehat") || one.is_command("\\widetilde"))
            out += "\\" + std::string(one.text.substr(5));
        else if (one.is_command("\\imath") || one.is_command("\\jmath"))
            out += one.text[1];
        else
            out += one.is_command("\\ast") ? "*" : std::string(one.text);
    }
    return out;
}
std::string emphasis_of(const Tokens& t) {
    const auto found = std::ranges::find_if(t, is_emphasis);
    return found == t.end() ? "" : std::string(found->text);
}
/// d of a differential, e and i are often upright.
bool is_upright_or_not(std::string_view base) { return base == "d" || base == "e" || base == "i"; }

}  // namespace

ReadAsOne::ReadAsOne(const Source& source, const std::vector<Sentence>& all, const Proof& proof)
    : source_(source), proof_(proof), primes_are_said_(source.text().find("ranspos") != std::string_view::npos) {
    const bool by_guess = primes_transpose(source) && !primes_are_said_;
    for (const Sentence& s : all) {
        at_ = s.span.begin;
        for (const Mention& m : s.formulas) {
            try {
                see_formula(m.formula);
                see_losses(m.formula);
                see_declarations(m.formula);
            } catch (const ProofError&) {  // told where it is read
            }
            const bool primed = source.slice(m.span).find('\'') != std::string_view::npos;
            if (by_guess && primed) tell("'", "primes are read as transposes");
        }
    }
}

std::string ReadAsOne::why(const Sentence& s) const {
    const auto found = why_.find(s.span.begin);
    return found == why_.end() ? "" : found->second;
}

/// Of each key once.
void ReadAsOne::tell(const std::string& key, const std::string& why) {
    if (told_.insert(key).second) why_.emplace(at_, why);
}
void ReadAsOne::tell_as_one(const std::string& key, const std::string& one, const std::string& other) {
    tell(key, fmt::format("{} and {} are read as one", printable(one, 40), printable(other, 40)));
}
void ReadAsOne::see(const std::string& key, const std::string& printed, const std::string& typed) {
    const auto [before, is_first] = first_.try_emplace(key, First{printed, typed});
    if (!is_first && before->second.printed != printed) tell_as_one(key, before->second.typed, typed);
}

void ReadAsOne::see_formula(const Tokens& t) {
    for (std::size_t i = 0; i < t.size();) {
        if (t[i].is_symbol("^") && i + 1 < t.size()) {  // of a bracket
            const Tokens script = inside_group(source_, t, i + 1);
            if (is_transpose(source_, script)) {
                see_transpose(script);
                i = end_of_group(source_, t, i + 1);
                continue;
            }
        }
        const NameParts p = parts_of(source_, t, i);
        if (!p.base.empty()) see_name(t, p);
        i = std::max(i + 1, p.base.empty() ? i : p.end);
    }
}

void ReadAsOne::see_name(const Tokens& t, const NameParts& p) {
    for (const auto& [script, mark] : {std::pair{&p.above, '^'}, std::pair{&p.below, '_'}}) see_script(p, *script, mark);
    const Tokens base = part_of(t, p.begin, p.base_end);
    if (base[0].kind == opening) return see_formula(inside_group(source_, t, p.begin));
    if (is_of_sets(base[0]) || is_upright_or_not(p.base) || base[0].kind == word) return;
    is_size_ = is_size_ || p.base == "T";
    tell_power();
    const std::string typed = joined(base, 0, base.size()), emphasis = emphasis_of(base);
    const bool inverted = p.has_above && p.above.size() == 2 && p.above[0].is_symbol("-") && p.above[1].text == "1";
    if (inverted && flat(source_, p.below).size() == 2 && is_value(p.base))
        tell("^-1", fmt::format("{} to the power -1 may be an inverse matrix", printable(typed, 40)));
    const bool prime = p.primed && !primes_are_said_ && is_value(p.base) && !is_value(p.base + "_prime");
    if (prime && (p.end == t.size() || !t[p.end].is_symbol("(")))
        tell("'", fmt::format("{0}' is read as the transpose of {0}", printable(p.base, 40)));
    const std::string entries = std::to_string(flat(source_, p.below).size());
    see(p.base, printed(base), typed);
    see(p.base + "#" + entries, emphasis, typed);
    if (emphasis.empty() && entries != "0") return;  // x_i of \mathbf{x}
    see(p.base + "#", emphasis.empty() ? "" : "bold", typed);
}
void ReadAsOne::see_script(const NameParts& p, const Tokens& script, char mark) {
    if (script.empty()) return;
    if (mark == '^' && is_transpose(source_, script)) return see_transpose(script);
    const std::string key = flat(source_, script);
    const bool of_order = mark == '_' && script.front().is_symbol("(") && script.back().is_symbol(")") && is_value(p.base);
    if (of_order)  // the smallest of all, in statistics
        tell("_()", fmt::format("{0}_{{({1})}} is read as {0}_{1}", printable(p.base, 40),
                                printable(joined(script, 1, script.size() - 1), 40)));
    const std::string typed = p.base + mark + "{" + joined(script, 0, script.size()) + "}";
    if (!key.empty()) see(mark + p.base + mark + key, emphasis_of(script) + printed(script), typed);
    const bool index = std::ranges::all_of(key, [](char c) { return c < 'A' || c > 'Z'; });
    if (!key.empty() && !index) see("^_" + p.base + "_" + key, std::string(1, mark), typed);
    if (mark == '^' && (key.empty() || p.base == "e")) see_formula(script);  // an exponent
}

/// A^T beside A^\top, where T is a size or a step.
void ReadAsOne::see_transpose(const Tokens& script) {
    const bool plain = script.size() == 1 && script[0].is(letter, "T");
    std::string& first = plain ? plain_transpose_ : other_transpose_;
    if (first.empty()) first = "^" + joined(script, 0, script.size());
    tell_power();
}
void ReadAsOne::tell_power() {
    if (is_size_ && !plain_transpose_.empty() && !other_transpose_.empty()) tell_as_one("^T", plain_transpose_, other_transpose_);
}

/// L_1 and L_2, of which nothing says what they are: the gradient that comes in is that of one.
void ReadAsOne::see_losses(const Tokens& t) {
    for (const Tokens& of : names_derived(source_, t)) {
        const NameParts p = parts_of(source_, of, 0);
        const bool transposed = p.has_above && is_transpose(source_, p.above);
        const std::string key = p.key(p.has_above && !transposed, p.has_below, p.primed);
        if (!is_usual_loss(p.base) || is_value(p.base) || is_value(key)) continue;
        const std::string typed = joined(of, 0, of.size());
        see("∂", transposed ? p.base : typed, typed);
    }
}
/// "Let $A$ be symmetric ... Now let $A \in \mathbb{R}^{n \times n}$" of an A that is drawn as the first of them says.
void ReadAsOne::see_declarations(const Tokens& t) {
    for (const Tokens& one : parts_of_list(t)) {
        const NameParts p = one.empty() ? NameParts{} : parts_of(source_, one, 0);
        const bool placed = !p.base.empty() && p.end < one.size() && (one[p.end].is_command("\\in") || is_comparison(one[p.end]));
        const auto given = std::ranges::find(proof_.given, placed ? p.full_key() : "", &Given::name);
        if (given == proof_.given.end()) continue;
        const auto [first, is_first] = declared_.try_emplace(given->name, at_);
        const bool anew = !is_first && first->second != at_ && one[p.end].is_command("\\in") && given->fill != Fill::normal;
        if (anew) tell("\\in" + given->name, fmt::format("{} is declared again", printable(given->name, 40)));
    }
}
bool ReadAsOne::is_value(const std::string& key) const {
    const Assignment* const a = proof_.find(key);
    return (a != nullptr && !a->is_loss) || std::ranges::find(proof_.given, key, &Given::name) != proof_.given.end();
}

}  // namespace gradproof::proof::latex
