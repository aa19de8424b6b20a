// Names of LaTeX that nothing defines: entries and rows of what is defined, indices, what has a meaning of its own, and errors.
#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/meanings.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/scripts.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

/// Whether a letter that stands alone as a term counts: it does not in s - y, where nothing runs over y.
bool Parser::may_be_index(const std::string& letter) const {
    if (in_entry_ || notation_ || reading_.of_claim.empty() || reading_.indices.contains(letter)) return true;
    if (std::ranges::find(*bound_, letter) != bound_->end()) return true;
    const auto counts = [&](const Tokens& all) {
        for (std::size_t i = 1; i < all.size(); ++i)
            if (all[i].is(Token::Kind::letter, letter) &&
                (all[i - 1].is_symbol("_") || all[i - 1].kind == Token::Kind::opening || all[i - 1].is_symbol(",") ||
                 is_small_letter(all[i - 1]) || all[i - 1].is_symbol("=") || all[i - 1].is_symbol("[")))
                return true;
        return false;
    };
    return counts(reading_.of_claim) || counts(tokens_);
}

/// What is not defined and has a meaning of its own: e^x, δ_{ij}, I_n, an index.
ExprPtr Parser::unknown_name(const NameParts& p) {
    const std::size_t begin = at_;
    at_ = p.end;
    if (const ExprPtr one = p.base == "δ" ? delta_of(p) : nullptr) return one;
    if (p.base == "e" && p.has_above && !p.has_below) return finish(begin, call("exp", {inner(p.above)}));
    if (p.base == "I" && !p.primed && !reading_.coming.contains("I"))
        if (const ExprPtr e = identity(p)) return e;
    if (p.base == "1") {
        const ExprPtr ones = indicator(p);
        return p.has_above ? raised(ones, p.above, begin) : ones;
    }
    const bool bare = !p.has_above && !p.has_below && !p.primed;
    if (bare && p.base == "0") return finish(begin, *proof::number(0));
    const bool small = p.base.size() == 1 && p.base[0] >= 'a' && p.base[0] <= 'z';
    const bool index = bare && small && p.base != "e";
    if (index || (bare && (p.base == "e" || p.base == "π"))) {
        if (index && !may_be_index(p.base)) fail_for_unknown(p, shown(begin, p.end));
        Expr e = node(Kind::name, {}, p.base);
        const ExprPtr out = finish(begin, std::move(e));
        // As a number, an index counts from 1, as the author's does.
        const bool counts = index && !in_entry_ && reading_.spelling->first == 1 && !notation_;
        if (!counts) return out;
        Expr counted = *sum(out, '+', proof::number(1));
        counted.name = p.base;  // for the writer
        return finish(begin, std::move(counted));
    }
    if (notation_ && (p.base == "inf" || p.base == "pi")) {
        return finish(begin, node(Kind::name, {}, p.base));
    }
    if (const ExprPtr of = divergence(p)) return of;
    const std::string name = shown(begin, p.end);
    if (reading_.coming.contains(p.base) && !reading_.passed.contains(p.base))
        fail(tokens_[begin], fmt::format("{} is defined below, and follows from this line: one of the two has to come first",
                                         printable(name, 60)));
    if (const auto why = reading_.unread.find(p.base); why != reading_.unread.end())
        fail(tokens_[begin], fmt::format("what the text says {} is, is not read: {}", printable(name, 60), why->second));
    if (peek().is_symbol("(")) fail_for_argument(p.end);
    const bool may_be_function = p.base.size() > 1 || p.base == "f" || p.base == "g" || p.base == "h";
    if (may_be_function && p.base.find('_') == std::string::npos && peek().is_symbol("("))
        fail(tokens_[begin], fmt::format("unknown function {}{}", printable(name, 40), meaning_of_function(p.base, name)));
    const std::string matrix = matrix_of(p);
    if (const ExprPtr row = small && p.has_below && !p.primed ? row_of(matrix, p) : nullptr) return row;
    if (const ExprPtr whole = bare ? whole_of_entries(p) : nullptr) return whole;
    if (small && p.has_below && reading_.names.values.contains(matrix) && matrix != p.base)
        fail(tokens_[begin],
             fmt::format("{0} is not known here: if it is a row of {1}, write {1}_{{i:}}, a column {1}_{{:i}}, an entry "
                         "{1}_{{ij}}; if it is another value, say what it is, as  % gradproof: input {0} [d]",
                         printable(name, 60), matrix));
    fail_for_unknown(p, name);
}

/// Names what it may be, or how to say what it is.
void Parser::fail_for_unknown(const NameParts& p, const std::string& name) const {
    const std::string key = p.key(p.has_above, p.has_below, p.primed);
    const auto other = reading_.spelling->names.find(key);  // W^Q of W_Q
    const std::string meant =
        reading_.is_of_another(key) && other != reading_.spelling->names.end()
            ? fmt::format(", and {} is another name: if it is meant, write it so everywhere", printable(other->second, 60))
            : did_you_mean(key, reading_.names.values);
    const bool capital = p.base[0] >= 'A' && p.base[0] <= 'Z';
    const std::string input = fmt::format("% gradproof: input {}", printable(name, 60));
    const bool of_pairs = p.below.size() > 1 && std::ranges::all_of(p.below, is_small_letter);
    const std::string in_words =
        of_pairs ? fmt::format("${} \\in \\mathbb{{R}}^{{n \\times n}}$  in the text", p.base)
                 : fmt::format("${0} > 0$  or  ${0} \\in \\mathbb{{R}}$  in the text, or  {1}  or, of a vector,  {1} [n]",
                               printable(name, 60), input);
    const std::string what = capital ? input + " [n, d]" : in_words;
    fail(tokens_[p.begin],
         fmt::format("{} is not known here{}", printable(name, 60), meant.empty() ? ": say what it is, as  " + what : meant));
}

/// Of J(w) the w, if that is not known.
void Parser::fail_for_argument(std::size_t bracket) const {
    const NameParts p = bracket + 1 < tokens_.size() ? name_at(reading_, tokens_, bracket + 1) : NameParts{};
    if (p.base.empty() || p.end >= tokens_.size() || names_a_value(reading_, p) || reading_.names.dims.contains(p.base)) return;
    if (!tokens_[p.end].is_symbol(")") && !tokens_[p.end].is_symbol(",")) return;
    fail(tokens_[bracket + 1],
         fmt::format(
             "{0} is not known here: say in the text what it is, as ${0} \\in \\mathbb{{R}}^n$, or  % gradproof: input {0} [n]",
             printable(joined(tokens_, bracket + 1, p.end), 60)));
}

/// X of x_i.
std::string Parser::matrix_of(const NameParts& p) {
    return std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(p.base[0]))));
}

/// P, where the text has p_{ij} and no P.
ExprPtr Parser::whole_of_entries(const NameParts& p) {
    if (p.base.size() != 1 || p.base[0] < 'A' || p.base[0] > 'Z' || reading_.coming.contains(p.base)) return nullptr;
    const std::string entries(1, static_cast<char>(std::tolower(static_cast<unsigned char>(p.base[0]))));
    const Assignment* const value = reading_.proof.find(entries);
    if (value == nullptr || value->indices.size() != 2) return nullptr;
    return finish(p.begin, node(Kind::name, {}, entries));
}

/// x_i and x_{ij} of a matrix X whose rows are summed over: row i, an entry of it; nullptr of others.
ExprPtr Parser::row_of(const std::string& matrix, const NameParts& p) {
    const bool letters = !p.below.empty() && p.below.size() <= 2 && std::ranges::all_of(p.below, [&](const Token& t) {
        return t.kind == letter && !reading_.names.defined(t.text);
    });
    const bool indices = std::ranges::all_of(p.below, [&](const Token& t) { return is_known_index(t.text); });
    const bool known = letters && (indices || (p.below.size() == 1 && reading_.lines.are_of(matrix)));
    const bool plain = !p.has_above || is_transpose(reading_.source, p.above);
    if (!known || !plain || !reading_.names.values.contains(matrix)) return nullptr;
    const ExprPtr of = finish(p.begin, node(Kind::name, {}, matrix));
    const std::optional<AxisNames> axes = names_of_axes(matrix);
    if (axes_of(*of) != std::optional<std::size_t>(2) && !(axes && axes->size() == 2)) return nullptr;
    const bool column = p.below.size() == 1 && reading_.lines.columns.contains(matrix);
    const ExprPtr row = column ? column_of(of, p.below, p.begin) : entry_of(of, p.below, p.begin);
    return p.has_above ? finish(p.begin, transpose(row)) : row;
}

/// The column at an index.
ExprPtr Parser::column_of(const ExprPtr& matrix, const Tokens& index, std::size_t begin) {
    Tokens script = index;
    script.insert(script.begin(), {symbol, ",", index[0].span, false});
    script.insert(script.begin(), {symbol, ":", index[0].span, false});
    return entry_of(matrix, script, begin);
}

/// Of a derivative by x_i, where the text has the matrix X and no x: row i.
ExprPtr Parser::row_by(const NameParts& p) {
    const bool plain = !p.has_above || is_transpose(reading_.source, p.above);
    const std::string matrix(capital_of(p.base));
    const bool index = !matrix.empty() && plain && !p.primed && p.below.size() == 1 && p.below[0].kind == letter &&
                       p.below[0].text.size() == 1 && p.below[0].text[0] >= 'a' && p.below[0].text[0] <= 'z';
    if (!index || reading_.names.defined(p.below[0].text)) return nullptr;
    bound_->emplace_back(p.below[0].text);
    const ExprPtr row = row_of(matrix, p);
    bound_->pop_back();
    return row;
}

/// What to say of a function that is not known.
std::string Parser::meaning_of_function(const std::string& base, const std::string& name) {
    const std::string meant = base.size() > 2 ? did_you_mean(base, builtin_names()) : "";
    return meant.empty() ? fmt::format(": for any smooth function, write  % gradproof: function {}", printable(name, 40)) : meant;
}

}  // namespace gradproof::proof::latex
