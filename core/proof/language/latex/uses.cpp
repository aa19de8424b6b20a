// Equations gone through for the names in them.
#include "gradproof/core/proof/language/latex/uses.hpp"

#include <algorithm>
#include <utility>

#include "gradproof/core/proof/language/latex/gates.hpp"
#include "gradproof/core/proof/language/latex/labels.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool runs_over(const Token& t) {
    constexpr std::string_view kAll[] = {"\\sum", "\\prod", "\\max", "\\min", "\\argmax", "\\bigoplus"};
    return t.kind == command && is_one(kAll, t.text);
}

}  // namespace

void Uses::see_gates(const std::vector<Equation>& all) {
    std::vector<std::pair<Tokens, Tokens>> sides;
    for (const Equation& e : all)
        if (e.left && e.note.kind != note) sides.emplace_back(*e.left, e.right);
    gates_ = gates_in(source_, sides);
}

/// What equations define, before they are gone through.
void Uses::see_left(const Tokens& left) {
    const NameParts p = parts(left, 0);
    if (p.base == "L" && !is_derivative_sign(left[0])) derived_.of.insert(p.base);
    const bool called = p.has_below && p.end < left.size() && left[p.end].is_symbol("(");
    for (std::size_t i = 0; called && i < p.below.size(); ++i)
        if (const NameParts of = parts(p.below, i); !of.base.empty() && of.base != "θ") parameters_.insert(of.base);
    if (p.end == left.size()) sequences_.see_left(p);
    if (p.end == left.size() && p.below.size() == 1 && is_small_letter(p.below[0])) defined_by_index_.insert(p.base);
}

/// Of a claim, what its sums go up to.
void Uses::see(const Equation& e, bool claims) {
    claims_ = claims;
    bound_.clear();
    for (const Tokens* side : {&*e.left, &e.right}) bind(*side);
    if (e.left) bind_left(*e.left, e.right);
    if (e.left && claims) see_derived(expression_derived(source_, *e.left));
    if (e.left) see_argument(*e.left);
    go_through(e.right, false);
    go_through(e.range, false);
    ends_of_ranges(e.range);
}

/// Whether a \delta of these formulas is a number of its own: it has no indices, and stands on no left side.
void Uses::see_delta(const std::vector<Equation>& all) {
    bool any = false, other = false;
    const auto see_in = [&](const Tokens& t) {
        for (std::size_t i = 0; i < t.size(); ++i) {
            const NameParts p = parts(t, i);
            const bool below =
                i > 0 && (t[i - 1].is_symbol("_") || (i > 1 && t[i - 1].kind == opening && t[i - 2].is_symbol("_")));
            if (p.base == "δ" && !below)
                (p.has_below || p.primed || (i > 0 && is_derivative_sign(t[i - 1])) ? other : any) = true;
        }
    };
    for (const Equation& e : all) {
        if (e.note.kind == note || !e.left) continue;
        other = other || (!e.left->empty() && parts(*e.left, 0).base == "δ");
        see_in(*e.left);
        see_in(e.right);
    }
    delta_is_number_ = any && !other;
}

/// What a claim is of says what its names are.
void Uses::see_derived(const Tokens& expression) {
    claims_ = false;
    go_through(expression, false);
    claims_ = true;
}

/// The u of what is claimed of \rho'(u).
void Uses::see_argument(const Tokens& left) {
    const NameParts p = parts(left, 0);
    if (!p.primed || p.end + 2 >= left.size() || !left[p.end].is_symbol("(")) return see_operator(left);
    const NameParts of = parts(left, p.end + 1);
    if (of.end + 1 == left.size()) add_number(left, of);
}

/// The x of what is claimed of \frac{\partial}{\partial x} \log \sigma(x).
void Uses::see_operator(const Tokens& left) {
    if (!is_fraction(left[0])) return;
    const std::size_t middle = end_of_group(source_, left, 1);
    const Tokens above = inside_group(source_, left, 1);
    const Tokens below = middle < left.size() ? inside_group(source_, left, middle) : Tokens{};
    const bool operates = above.size() == 1 && is_derivative_sign(above[0]) && below.size() == 2 &&
                          is_derivative_sign(below[0]) && is_small_letter(below[1]);
    if (operates && end_of_group(source_, left, middle) < left.size()) add_number(below, parts(below, 1));
}

/// The letters that sums and the like of these tokens run over.
void Uses::bind(const Tokens& tokens) {
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        if (!runs_over(tokens[i]) || !tokens[i + 1].is_symbol("_")) continue;
        for (const Tokens& piece : pieces_of(inside_group(source_, tokens, i + 2), ",")) {
            const std::size_t sign = relation_in(piece);
            const auto such_that = std::ranges::find_if(piece, [](const Token& t) { return t.is_symbol(":"); });
            const std::size_t last = std::min(sign, static_cast<std::size_t>(such_that - piece.begin()));
            for (std::size_t k = 0; k < std::min(last, piece.size()); ++k)
                if (is_small_letter(piece[k])) add_index(piece[k].text);
            const bool other = sign + 2 == piece.size() && relation(piece[sign]) == "≠" && is_small_letter(piece.back());
            if (other && !is_letter_of_label(piece.back().text)) add_index(piece.back().text);
        }
    }
}

bool Uses::stands_below(const Tokens& tokens, const Token& letter) {
    for (std::size_t i = 1; i < tokens.size(); ++i)
        if (tokens[i].is(letter.kind, letter.text) && tokens[i - 1].is_symbol("_")) return true;
    return false;
}

/// The letters below the name on the left.
void Uses::bind_left(const Tokens& left, const Tokens& right) {
    const NameParts p = parts(left, 0);
    const bool indexed = p.below.size() == 1 && stands_below(right, p.below[0]);  // \ell_i(w) = \log(1 + x_i^\top w)
    const bool called = p.end < left.size() && left[p.end].is_symbol("(") && p.has_below && !indexed;  // \rho_{\tau,h}(u)
    for (const Token& t : p.below)
        if (is_small_letter(t) && !called && !gates_.contains(t.text)) add_index(t.text);
    if (left[0].is_command("\\nabla")) return;
    for (std::size_t i = p.end; i < left.size(); ++i) {  // of \frac{\partial L}{\partial x_i}
        const bool by = left[i].is_command("\\partial") && i + 1 < left.size();
        const NameParts x = by ? parts(left, i + 1) : NameParts{};
        if (!x.base.empty() && x.has_below && std::ranges::all_of(x.below, is_small_letter))
            claimed_[x.key(x.has_above, false, x.primed)] = x.below.size();
        if (left[i].is_symbol("_") && i + 1 < left.size())
            for (const Token& t : inside_group(source_, left, i + 1)) {
                if (gates_.contains(t.text)) continue;
                if (is_small_letter(t)) bound_.emplace(t.text);  // n of \partial\sigma_n^2 may be a size elsewhere
                if (is_small_letter(t) && (!claims_ || !is_letter_of_size(t))) indices_.emplace(t.text);
            }
    }
}

void Uses::add_index(std::string_view letter) {
    bound_.emplace(letter);
    indices_.emplace(letter);
}

NameParts Uses::parts(const Tokens& tokens, std::size_t at) const {
    try {
        return parts_of(source_, tokens, at);
    } catch (const ProofError&) {
        return {};
    }
}

void Uses::go_through(const Tokens& tokens, bool divides) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (runs_over(t)) {
            i = sum(tokens, i);
            continue;
        }
        if (t.is_symbol("^") && i + 1 < tokens.size()) {  // of a bracket
            const std::size_t end = end_of_group(source_, tokens, i + 1);
            const Tokens script = part_of(tokens, i + 1, end);
            if (is_transpose(source_, script) || is_transpose(source_, inside_group(source_, tokens, i + 1))) i = end - 1;
            continue;
        }
        if (is_fraction(t)) {
            i = fraction(tokens, i, divides);
            continue;
        }
        if (t.is_command("\\sqrt")) {
            const Tokens inside = i + 1 < tokens.size() ? inside_group(source_, tokens, i + 1) : Tokens{};
            if (inside.size() <= 4 && !inside.empty()) {
                go_through(inside, true);
                i = end_of_group(source_, tokens, i + 1) - 1;
            }
            continue;
        }
        if (t.kind == words || t.kind == opening || t.is_command("\\mathbb")) {
            if (t.is_command("\\mathbb")) i = end_of_group(source_, tokens, i + 1) - 1;
            continue;
        }
        if (const std::size_t end = function_of_letters(tokens, i); end > i) {
            i = end - 1;
            continue;
        }
        const NameParts p = parts(tokens, i);
        if (p.base.empty()) continue;
        const bool slash = i > 0 && tokens[i - 1].is_symbol("/");
        name(tokens, p, divides || slash);
        i = std::max(i + 1, p.end) - 1;
    }
}

/// Of softmax, typed as letters, the end.
std::size_t Uses::function_of_letters(const Tokens& tokens, std::size_t at) const {
    std::string run;
    std::size_t to = at;
    while (to < tokens.size() && tokens[to].kind == letter && (to == at || !tokens[to].blank)) run += tokens[to++].text;
    return run.size() > 2 && !function_of(run).empty() ? to : at;
}

/// T of t = 1, \dots, T.
void Uses::ends_of_ranges(const Tokens& range) {
    std::vector<Tokens> pieces = pieces_of(range, ",");
    for (Tokens& piece : pieces) std::erase_if(piece, [](const Token& t) { return t.is_symbol("."); });
    for (std::size_t k = 0; k + 1 < pieces.size(); ++k)
        if (pieces[k].size() == 1 && is_dots(pieces[k][0]) && pieces[k + 1].size() == 1) sizes(pieces[k + 1]);
}

/// Behind \sum, its indices and its end.
std::size_t Uses::sum(const Tokens& tokens, std::size_t at) {
    std::size_t i = at + 1;
    while (i + 1 < tokens.size() && (tokens[i].is_symbol("_") || tokens[i].is_symbol("^"))) {
        const Tokens group = inside_group(source_, tokens, i + 1);
        if (tokens[i].is_symbol("^")) sizes(group);
        i = end_of_group(source_, tokens, i + 1);
    }
    return i - 1;
}

/// All names that stand there are sizes.
void Uses::sizes(const Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const NameParts p = parts(tokens, i);
        if (p.base.empty() || bound_.contains(p.base)) continue;
        const std::string key = p.key(p.has_above, p.has_below, p.primed);
        if (!key.empty() && !is_said_(p)) {
            add(tokens, p, key, true);
            bounds_.insert(key);
        }
        i = std::max(i + 1, p.end) - 1;
    }
}

std::size_t Uses::fraction(const Tokens& tokens, std::size_t at, bool divides) {
    if (at + 1 >= tokens.size()) return at;
    const std::size_t middle = end_of_group(source_, tokens, at + 1);
    if (middle >= tokens.size()) return at;
    const Tokens above = inside_group(source_, tokens, at + 1);
    go_through(above, divides || std::ranges::all_of(above, is_letter_of_size));
    const Tokens below = inside_group(source_, tokens, middle);
    constexpr std::size_t kFew = 6;  // 2n, \sqrt{d_k}
    go_through(below, below.size() <= kFew);
    return end_of_group(source_, tokens, middle) - 1;
}

}  // namespace gradproof::proof::latex
