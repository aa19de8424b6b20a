// What a name is where it stands in an equation: a value, a size, a function, a label.
#include "gradproof/core/proof/language/latex/uses.hpp"

#include <algorithm>
#include <utility>

#include "gradproof/core/proof/language/latex/labels.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// What stands before a bracket as a function does.
bool may_be_function(std::string_view base) {
    constexpr std::string_view kAll[] = {"f", "g", "h", "φ", "ψ", "ρ", "p", "q", "P", "ℓ", "r", "k", "Φ", "Ψ"};
    return is_one(kAll, base);
}

}  // namespace

bool Uses::are_entries(const Tokens& below) const {
    bool any = false;
    for (const Token& t : below) {
        any = any || (is_small_letter(t) && bound_.contains(std::string(t.text)));
        const bool fits = (is_small_letter(t) && bound_.contains(std::string(t.text))) || t.kind == digits || t.is_symbol(",") ||
                          t.is_symbol("+") || t.is_symbol("-") || t.is_symbol(":");
        if (!fits) return false;
    }
    return any;
}

std::size_t Uses::entries_in(const Tokens& below) {
    std::size_t out = 0;
    bool steps = false;
    for (const Token& t : below) {
        out += (t.kind == letter || t.kind == digits || t.is_symbol(":")) && !steps;
        steps = t.is_symbol("+") || t.is_symbol("-");
    }
    return out;
}

/// (1), Q and \mathrm{old} of a name, but no power and no transpose.
bool Uses::is_name_above(const Tokens& above) const {
    if (above.empty() || is_transpose(source_, above)) return false;
    const std::string text = flat(source_, above);
    if (text.empty()) return false;
    const bool brackets = above.front().is_symbol("(") || above.front().is_symbol("[");
    return brackets || above.front().kind == words || above.front().kind == word || above.front().is_command("\\ast") ||
           above.front().is_symbol("*") || (above.size() == 1 && is_capital(text));
}

bool Uses::is_transposed(const Tokens& tokens, const NameParts& p) const {
    if (p.has_above && is_transpose(source_, p.above)) return true;
    const bool bracketed = p.begin > 0 && bracket(tokens[p.begin - 1]) > 0 && p.end + 2 < tokens.size() &&
                           bracket(tokens[p.end]) < 0 && tokens[p.end + 1].is_symbol("^");
    return bracketed && is_transpose(source_, inside_group(source_, tokens, p.end + 2));
}

/// b of W x + b, X W + b and b + W x; not of X w + b, where the rows of X are samples.
bool Uses::is_bias(const Tokens& tokens, const NameParts& p) const {
    const bool by_layer = p.has_below && are_entries(p.below);  // b_l of W_l x + b_l
    const auto ends_term = [&](std::size_t at) {
        if (at >= tokens.size() || bracket(tokens[at]) < 0 || is_equals(tokens[at])) return true;
        const std::string_view t = tokens[at].text;
        return t == "+" || t == "-" || t == "," || t == "." || t == "&" || t == "\\\\" || t == "\\quad" || t == "\\qquad" ||
               t == "\\right" || t == "\\bigr";
    };
    if (p.begin == 0 || !ends_term(p.end)) return false;
    const auto is_matrix_times = [&](std::size_t begin) {
        const NameParts matrix = begin < tokens.size() ? parts(tokens, begin) : NameParts{};
        if (matrix.base.empty() || !is_capital(matrix.base) || (matrix.has_above && is_transpose(source_, matrix.above)))
            return false;
        if (by_layer && (!matrix.has_below || !same_texts(matrix.below, p.below))) return false;
        const NameParts of = matrix.end < tokens.size() ? parts(tokens, matrix.end) : NameParts{};
        constexpr std::string_view kSamples[] = {"X", "Φ", "H", "Z"};
        const bool samples = is_one(kSamples, matrix.base);
        return !of.base.empty() && (is_capital(of.base) || !samples);
    };
    if (p.end + 1 < tokens.size() && tokens[p.end].is_symbol("+") && is_matrix_times(p.end + 1)) return true;
    if (!tokens[p.begin - 1].is_symbol("+")) return false;
    std::size_t begin = p.begin - 1;  // of the term before it
    for (int depth = 0; begin > 0; --begin) {
        const Token& t = tokens[begin - 1];
        depth -= bracket(t);
        const bool ends = depth < 0 || is_norm_bar(t) || (depth == 0 && (t.is_symbol("+") || t.is_symbol("-") || is_equals(t)));
        if (ends) break;
    }
    return is_matrix_times(begin);
}

/// W of W^2 x, \tilde A^2 X and x^\top A^2 y: a capital whose power has an array beside it, and W of W^1, which is no power. T^2,
/// N^2 and R^2 may be numbers.
bool Uses::is_power_of_matrix(const Tokens& tokens, const NameParts& p) const {
    constexpr std::string_view kNumbers[] = {"T", "N", "R"}, kGreek[] = {"Γ", "Θ", "Λ", "Φ", "Ψ", "Sigma"};
    const bool great = !p.base.empty() && ((p.base[0] >= 'A' && p.base[0] <= 'Z') || is_one(kGreek, p.base));
    const auto is_part = [](const Token& t) {
        return t.kind == digits || t.kind == opening || t.kind == closing || t.is_symbol("-") || t.is_symbol("/") ||
               is_fraction(t);
    };
    if (!great || is_one(kNumbers, p.base) || !p.has_above || !std::ranges::all_of(p.above, is_part)) return false;
    const NameParts behind = p.end < tokens.size() ? parts(tokens, p.end) : NameParts{};
    return (!behind.base.empty() && behind.base != "d") || (p.above.size() == 1 && p.above[0].text == "1");
}

void Uses::name(const Tokens& tokens, const NameParts& p, bool divides) {
    sequences_.see(p);
    const bool above = p.has_above && is_name_above(p.above);
    const bool has_argument = p.end < tokens.size() && tokens[p.end].is_symbol("(") && !p.has_below && !p.has_above;
    if (has_argument || !p.primed) ++(has_argument ? calls_ : others_)[p.base];
    if (has_argument && is_small_letter(tokens[p.begin]) && is_called_on_name(tokens, p)) called_on_names_.insert(p.base);
    if (p.has_above && !above && !is_transpose(source_, p.above)) go_through(p.above, false);
    if (p.base == "I" || p.base == "1" || p.base == "0") return sizes(p.below);
    const Token& first = tokens[p.begin];
    const bool called = p.end < tokens.size() && tokens[p.end].is_symbol("(");
    if (is_entry_at_label(p)) label(p);
    const NameParts labels = labels_below(source_, p, bound_);
    if (!labels.base.empty() && !is_said_(labels))
        if (Unsaid* const u = add(p.below, labels, labels.base, false)) u->is_label = true, u->entries = 1;
    if (!claims_ && sequences_.is_step_back(p, bound_)) begin_of_sequence(tokens, p);
    if (sequences_.is_last(p)) sizes({p.below[0]});
    if (is_compared_with_index(tokens, p, bound_)) {
        if (Unsaid* const u = is_said_(p) ? nullptr : add(tokens, p, p.base, false)) u->is_label = true, u->entries = p.has_below;
        return;
    }
    if (is_letter_of_another(p) || is_said_(p) || may_be_gradient(p)) return;
    if (is_capital(p.base) && !p.has_below && p.base.size() == 1) capitals_.emplace(p.base, part_of(tokens, p.begin, p.base_end));
    if (called && p.base == "σ") not_taken_.insert(p.base);
    if (called && may_be_function(p.base) && !p.has_above) return function(tokens, p);
    if (called && is_capital(p.base) && is_called_on_name(tokens, p)) return static_cast<void>(not_taken_.insert(p.base));
    if (!function_of(p.base).empty() && (first.kind != letter && p.base != "σ")) return;
    if (is_small_letter(first) && bound_.contains(p.base) && !p.has_below) return;
    const bool at_label = !labels.base.empty();
    const bool nested = !at_label && std::ranges::any_of(p.below, [](const Token& t) { return t.is_symbol("_"); });
    if (nested) return static_cast<void>(not_taken_.insert(p.base));
    const bool entries = p.has_below && (at_label || are_entries(p.below));
    const std::string key = p.key(above, p.has_below && !entries, p.primed);
    if (key.empty()) return;
    const bool numbered =
        p.has_below && std::ranges::all_of(p.below, [](const Token& t) { return t.kind == digits || t.is_symbol(","); });
    if (numbered) numbered_.insert(key);
    if (is_transposed(tokens, p)) transposed_.insert(key);
    const auto is_odot = [&](std::size_t at) { return at < tokens.size() && tokens[at].is_command("\\odot"); };
    if ((p.begin > 0 && is_odot(p.begin - 1)) || is_odot(p.end)) by_entry_.insert(key);
    if (is_bias(tokens, p)) biases_.insert(key);
    if (is_power_of_matrix(tokens, p)) powers_.insert(key);
    const bool size = divides && !entries && !above && is_one(kSizes, p.base);
    Unsaid* const u = claims_ ? nullptr : add(tokens, p, key, size);
    if (u == nullptr) return;
    if (!size) as_value_.insert(key);
    const Tokens plain = at_label ? part_of(p.below, 0, labels.begin + 1) : p.below;
    u->entries = std::max(u->entries, entries ? entries_in(plain) : 0);
    if (entries && !plain.empty()) sequences_.stands_at(key, plain[0].text);
    u->is_bare = u->is_bare || !entries;
    u->is_function = false;
}

void Uses::add_number(const Tokens& left, const NameParts& of) {
    if (of.base.empty() || of.has_below || of.has_above || is_said_(of)) return;
    const bool claims = std::exchange(claims_, false);
    if (Unsaid* const u = add(left, of, of.base, false)) {
        u->is_number = u->is_number || (!u->is_bare && u->entries == 0);
        u->is_bare = true;
    }
    claims_ = claims;
}

/// The h_0 that stands before its first entry.
void Uses::begin_of_sequence(const Tokens& tokens, const NameParts& p) {
    Tokens name = part_of(tokens, p.begin, p.base_end);
    const Span at = p.below[0].span;
    name.push_back({symbol, "_", at, false});
    name.push_back({digits, "0", at, false});
    const NameParts first = parts(name, 0);
    const std::string key = first.key(false, true, first.primed);
    if (key.empty() || sequences_.is_on_the_left(key) || sequences_.is_on_the_left(p.base + "^(0)")) return;
    if (Unsaid* const u = add(name, first, key, false)) u->is_bare = true;
}

/// Of N(x), which is no product.
bool Uses::is_called_on_name(const Tokens& tokens, const NameParts& p) const {
    const std::size_t end = end_of_brackets(tokens, p.end);
    const NameParts of = p.end == p.base_end && end > p.end + 2 ? parts(tokens, p.end + 1) : NameParts{};
    return !of.base.empty() && of.end + 1 == end;
}

/// \bar y beside a y that is said.
bool Uses::may_be_gradient(const NameParts& p) const {
    constexpr std::string_view kBar = "_bar";
    if (!p.base.ends_with(kBar)) return false;
    NameParts plain = p;
    plain.base.resize(p.base.size() - kBar.size());
    return is_said_(plain);
}

/// y of p_y, where p is known and nothing runs over y.
bool Uses::is_entry_at_label(const NameParts& p) const {
    if (!may_be_label_below(p, bound_)) return false;
    NameParts whole = p;
    whole.has_below = false;
    whole.below.clear();
    return is_said_(whole);
}

void Uses::label(const NameParts& p) {
    const NameParts y = parts(p.below, 0);
    if (is_said_(y)) return;
    if (Unsaid* const u = add(p.below, y, y.base, false)) u->is_label = true;
}

/// Of f(x) the f; of f(x, y) and f_\theta(x) nothing.
void Uses::function(const Tokens& tokens, const NameParts& p) {
    if (claims_) return;
    const Tokens inside = part_of(tokens, p.end, end_of_brackets(tokens, p.end));
    const bool one = inside.size() > 2 && pieces_of(part_of(inside, 1, inside.size() - 1), ",").size() == 1 &&
                     std::ranges::none_of(inside, [](const Token& t) { return t.is_command("\\mid") || t.is_symbol("|"); });
    if (!one || p.end != p.base_end || p.primed) return static_cast<void>(not_taken_.insert(p.base));
    if (Unsaid* const u = add(tokens, p, p.base, false)) u->is_function = !u->is_bare;
    go_through(part_of(inside, 1, inside.size() - 1), false);
}

/// What is no value by its letter: the d of a differential, e^x, a loss, a gradient, \mathcal{N}.
bool Uses::is_letter_of_another(const NameParts& p) const {
    const bool word = p.base.size() > 1 && p.base[0] >= 'A' && p.base != "Sigma" && p.base.find('_') == std::string::npos &&
                      static_cast<unsigned char>(p.base[0]) < 0x80;
    return (p.base == "e" && p.has_above) || (p.base == "δ" && !delta_is_number_) || word ||
           (p.base == "L" && !is_derived_by(p.base)) || p.base == "ℒ" || p.base.ends_with("_cal") ||
           (p.base == "π" && !p.has_below);
}

Unsaid* Uses::add(const Tokens& tokens, const NameParts& p, const std::string& key, bool size) {
    const auto found = std::ranges::find(all_, key, &Unsaid::key);
    if (found != all_.end()) return &*found;
    if (claims_ && !size) return nullptr;
    if (all_.size() >= kMostNames) return nullptr;
    Unsaid u{part_of(tokens, p.begin, key == p.base ? p.base_end : p.end), key, p.base};
    u.is_size = size;
    const Token& first = tokens[p.begin];
    constexpr std::string_view kBold[] = {"\\mathbf", "\\bm", "\\boldsymbol", "\\vec", "\\pmb"};
    u.is_bold = is_one(kBold, first.text) || first.text.starts_with("\\mathbf") || p.base.ends_with("_vec");
    all_.push_back(std::move(u));
    return &all_.back();
}

}  // namespace gradproof::proof::latex
