// What a text uses and does not say.
#include "gradproof/core/proof/language/latex/unsaid.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "gradproof/core/proof/language/latex/derived.hpp"
#include "gradproof/core/proof/language/latex/gates.hpp"
#include "gradproof/core/proof/language/latex/labels.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/sequences_seen.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_capital(std::string_view base) { return !base.empty() && base[0] >= 'A' && base[0] <= 'Z'; }
bool runs_over(const Token& t) {
    constexpr std::string_view kAll[] = {"\\sum", "\\prod", "\\max", "\\min", "\\argmax", "\\bigoplus"};
    return t.kind == command && is_one(kAll, t.text);
}
/// What stands before a bracket as a function does.
bool may_be_function(std::string_view base) {
    constexpr std::string_view kAll[] = {"f", "g", "h", "φ", "ψ", "ρ", "p", "q", "P", "ℓ", "r", "k", "Φ", "Ψ"};
    return is_one(kAll, base);
}

constexpr std::string_view kSizes[] = {"n", "m", "N", "M", "d", "D"};
bool is_letter_of_size(const Token& t) { return t.kind == letter && is_one(kSizes, t.text); }

class Uses {
  public:
    Uses(const Source& source, const std::function<bool(const NameParts&)>& is_said, Derived derived, const LinesSaid& lines)
        : source_(source), is_said_(is_said), derived_(std::move(derived)), lines_(lines) {}

    void see_gates(const std::vector<Equation>& all) {
        std::vector<std::pair<Tokens, Tokens>> sides;
        for (const Equation& e : all)
            if (e.left && e.note.kind != note) sides.emplace_back(*e.left, e.right);
        gates_ = gates_in(source_, sides);
    }
    /// What equations define, before they are gone through.
    void see_left(const Tokens& left) {
        const NameParts p = parts(left, 0);
        if (p.base == "L" && !is_derivative_sign(left[0])) derived_.of.insert(p.base);
        const bool called = p.has_below && p.end < left.size() && left[p.end].is_symbol("(");
        for (std::size_t i = 0; called && i < p.below.size(); ++i)
            if (const NameParts of = parts(p.below, i); !of.base.empty() && of.base != "θ") parameters_.insert(of.base);
        if (p.end == left.size()) sequences_.see_left(p);
        if (p.end == left.size() && p.below.size() == 1 && is_small_letter(p.below[0])) defined_by_index_.insert(p.base);
    }
    /// Of a claim, what its sums go up to.
    void see(const Equation& e, bool claims) {
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
    void see_delta(const std::vector<Equation>& all) {
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
    /// Those whose indices are numbers are entries where others are, too: x_1 of an x_i.
    std::vector<Unsaid> take() {
        std::vector<Unsaid> out;
        for (Unsaid& u : all_) {
            const bool letter = u.key.size() == 1 && u.key[0] >= 'a' && u.key[0] <= 'z';
            if ((letter && indices_.contains(u.key) && !bounds_.contains(u.key)) || is_entry(u)) continue;
            if (u.is_label && (indices_.contains(u.base) || as_value_.contains(u.key))) continue;
            if (u.key == u.base && u.is_bare && defined_by_index_.contains(u.base)) continue;  // S beside S_t = ...
            if (not_taken_.contains(u.base) || (u.is_size && indices_.contains(u.base) && !bounds_.contains(u.key))) continue;
            if (is_always_called(u.base)) {
                if (u.key != u.base) continue;  // F' of F
                u.is_function = true;
            }
            const bool numbered = numbered_.contains(u.key);
            const auto whole = std::ranges::find_if(all_, [&](const Unsaid& o) { return o.key == u.base && !o.is_size; });
            const bool entry = whole != all_.end() && (!is_capital(u.base) || whole->entries > 0);  // W_2 beside W is none
            if (numbered && entry) continue;
            u.is_size = bounds_.contains(u.key) || (u.is_size && !as_value_.contains(u.key));
            if (const auto claimed = claimed_.find(u.key); claimed != claimed_.end()) u.claimed_entries = claimed->second;
            if (is_line_of_another(u) || is_bar_of_another(u)) continue;
            u.is_number = u.is_number || parameters_.contains(u.key);
            u.is_transposed = transposed_.contains(u.key);
            u.is_sequence = sequences_.goes_by_steps(u.key);
            name_matrix_of_rows(u);
            out.push_back(u);
        }
        return out;
    }

  private:
    /// \bar x beside an x_i of which the text says no more: most likely their mean, and no value of its own.
    bool is_bar_of_another(const Unsaid& u) const {
        constexpr std::string_view kBar = "_bar";
        if (!u.key.ends_with(kBar) || u.entries > 0) return false;
        const std::string plain = u.key.substr(0, u.key.size() - kBar.size());
        return std::ranges::any_of(all_, [&](const Unsaid& o) { return o.key == plain && o.entries > 0 && !o.is_size; });
    }
    /// F of F(a - b), wherever it stands.
    bool is_always_called(const std::string& base) const {
        constexpr std::string_view kGreat[] = {"Γ", "Φ", "Ψ", "Ξ"};
        const auto calls = calls_.find(base);
        const bool several = (is_capital(base) || is_one(kGreat, base)) && calls != calls_.end() && calls->second > 1;
        return (several || called_on_names_.contains(base)) && !others_.contains(base);
    }
    /// x_i of an x with other entries, where i runs over something elsewhere.
    bool is_entry(const Unsaid& u) const {
        if (u.key.size() < u.base.size() + 2 || u.key[u.base.size()] != '_') return false;
        const std::string below = u.key.substr(u.base.size() + 1);
        const bool letters = std::ranges::all_of(below, [&](char c) { return indices_.contains(std::string(1, c)); });
        return letters && std::ranges::find(all_, u.base, &Unsaid::key) != all_.end();
    }
    /// U of a u that has one index wherever it stands; "" of others.
    static std::string matrix_of_lines(const Unsaid& u) {
        return u.key == u.base && !u.is_bare && u.entries == 1 && !u.is_size ? capital_of(u.base) : "";
    }
    /// u_i of a U that the text names, too, and says that these are its rows or columns.
    bool is_line_of_another(const Unsaid& u) const {
        const std::string matrix = matrix_of_lines(u);
        if (!lines_.are_of(matrix)) return false;
        NameParts whole;
        whole.source = &source_;
        whole.base = matrix;
        return is_said_(whole) || std::ranges::find(all_, matrix, &Unsaid::key) != all_.end();
    }
    /// x_i is row i of an X that stands in the text, and of which it does not say anything else.
    void name_matrix_of_rows(Unsaid& u) const {
        const std::string matrix = matrix_of_lines(u);
        const auto found = capitals_.find(matrix);
        if (found == capitals_.end() || std::ranges::find(all_, matrix, &Unsaid::key) != all_.end()) return;
        u.name = found->second;
        u.key = u.base = matrix;
        u.is_rows = true;
    }
    /// The letters that sums and the like of these tokens run over.
    void bind(const Tokens& tokens) {
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
    static bool stands_below(const Tokens& tokens, const Token& letter) {
        for (std::size_t i = 1; i < tokens.size(); ++i)
            if (tokens[i].is(letter.kind, letter.text) && tokens[i - 1].is_symbol("_")) return true;
        return false;
    }
    /// The letters below the name on the left.
    void bind_left(const Tokens& left, const Tokens& right) {
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
    void add_index(std::string_view letter) {
        bound_.emplace(letter);
        indices_.emplace(letter);
    }
    NameParts parts(const Tokens& tokens, std::size_t at) const {
        try {
            return parts_of(source_, tokens, at);
        } catch (const ProofError&) {
            return {};
        }
    }

    void go_through(const Tokens& tokens, bool divides) {
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
    std::size_t function_of_letters(const Tokens& tokens, std::size_t at) const {
        std::string run;
        std::size_t to = at;
        while (to < tokens.size() && tokens[to].kind == letter && (to == at || !tokens[to].blank)) run += tokens[to++].text;
        return run.size() > 2 && !function_of(run).empty() ? to : at;
    }
    /// T of t = 1, \dots, T.
    void ends_of_ranges(const Tokens& range) {
        std::vector<Tokens> pieces = pieces_of(range, ",");
        for (Tokens& piece : pieces) std::erase_if(piece, [](const Token& t) { return t.is_symbol("."); });
        for (std::size_t k = 0; k + 1 < pieces.size(); ++k)
            if (pieces[k].size() == 1 && is_dots(pieces[k][0]) && pieces[k + 1].size() == 1) sizes(pieces[k + 1]);
    }
    /// Behind \sum, its indices and its end.
    std::size_t sum(const Tokens& tokens, std::size_t at) {
        std::size_t i = at + 1;
        while (i + 1 < tokens.size() && (tokens[i].is_symbol("_") || tokens[i].is_symbol("^"))) {
            const Tokens group = inside_group(source_, tokens, i + 1);
            if (tokens[i].is_symbol("^")) sizes(group);
            i = end_of_group(source_, tokens, i + 1);
        }
        return i - 1;
    }
    /// All names that stand there are sizes.
    void sizes(const Tokens& tokens) {
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
    std::size_t fraction(const Tokens& tokens, std::size_t at, bool divides) {
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
    bool are_entries(const Tokens& below) const {
        bool any = false;
        for (const Token& t : below) {
            any = any || (is_small_letter(t) && bound_.contains(std::string(t.text)));
            const bool fits = (is_small_letter(t) && bound_.contains(std::string(t.text))) || t.kind == digits ||
                              t.is_symbol(",") || t.is_symbol("+") || t.is_symbol("-") || t.is_symbol(":");
            if (!fits) return false;
        }
        return any;
    }
    static std::size_t entries_in(const Tokens& below) {
        std::size_t out = 0;
        bool steps = false;
        for (const Token& t : below) {
            out += (t.kind == letter || t.kind == digits || t.is_symbol(":")) && !steps;
            steps = t.is_symbol("+") || t.is_symbol("-");
        }
        return out;
    }
    /// (1), Q and \mathrm{old} of a name, but no power and no transpose.
    bool is_name_above(const Tokens& above) const {
        if (above.empty() || is_transpose(source_, above)) return false;
        const std::string text = flat(source_, above);
        if (text.empty()) return false;
        const bool brackets = above.front().is_symbol("(") || above.front().is_symbol("[");
        return brackets || above.front().kind == words || above.front().kind == word || above.front().is_command("\\ast") ||
               above.front().is_symbol("*") || (above.size() == 1 && is_capital(text));
    }

    bool is_transposed(const Tokens& tokens, const NameParts& p) const {
        if (p.has_above && is_transpose(source_, p.above)) return true;
        const bool bracketed = p.begin > 0 && bracket(tokens[p.begin - 1]) > 0 && p.end + 2 < tokens.size() &&
                               bracket(tokens[p.end]) < 0 && tokens[p.end + 1].is_symbol("^");
        return bracketed && is_transpose(source_, inside_group(source_, tokens, p.end + 2));
    }
    void name(const Tokens& tokens, const NameParts& p, bool divides) {
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
            if (Unsaid* const u = is_said_(p) ? nullptr : add(tokens, p, p.base, false))
                u->is_label = true, u->entries = p.has_below;
            return;
        }
        if (is_letter_of_another(p) || is_said_(p) || may_be_gradient(p)) return;
        if (is_capital(p.base) && !p.has_below && p.base.size() == 1)
            capitals_.emplace(p.base, part_of(tokens, p.begin, p.base_end));
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
    /// What a claim is of says what its names are.
    void see_derived(const Tokens& expression) {
        claims_ = false;
        go_through(expression, false);
        claims_ = true;
    }
    /// The u of what is claimed of \rho'(u).
    void see_argument(const Tokens& left) {
        const NameParts p = parts(left, 0);
        if (!p.primed || p.end + 2 >= left.size() || !left[p.end].is_symbol("(")) return see_operator(left);
        const NameParts of = parts(left, p.end + 1);
        if (of.end + 1 == left.size()) add_number(left, of);
    }
    /// The x of what is claimed of \frac{\partial}{\partial x} \log \sigma(x).
    void see_operator(const Tokens& left) {
        if (!is_fraction(left[0])) return;
        const std::size_t middle = end_of_group(source_, left, 1);
        const Tokens above = inside_group(source_, left, 1);
        const Tokens below = middle < left.size() ? inside_group(source_, left, middle) : Tokens{};
        const bool operates = above.size() == 1 && is_derivative_sign(above[0]) && below.size() == 2 &&
                              is_derivative_sign(below[0]) && is_small_letter(below[1]);
        if (operates && end_of_group(source_, left, middle) < left.size()) add_number(below, parts(below, 1));
    }
    void add_number(const Tokens& left, const NameParts& of) {
        if (of.base.empty() || of.has_below || of.has_above || is_said_(of)) return;
        const bool claims = std::exchange(claims_, false);
        if (Unsaid* const u = add(left, of, of.base, false)) {
            u->is_number = u->is_number || (!u->is_bare && u->entries == 0);
            u->is_bare = true;
        }
        claims_ = claims;
    }
    /// The h_0 that stands before its first entry.
    void begin_of_sequence(const Tokens& tokens, const NameParts& p) {
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
    bool is_called_on_name(const Tokens& tokens, const NameParts& p) const {
        const std::size_t end = end_of_brackets(tokens, p.end);
        const NameParts of = p.end == p.base_end && end > p.end + 2 ? parts(tokens, p.end + 1) : NameParts{};
        return !of.base.empty() && of.end + 1 == end;
    }
    /// \bar y beside a y that is said.
    bool may_be_gradient(const NameParts& p) const {
        constexpr std::string_view kBar = "_bar";
        if (!p.base.ends_with(kBar)) return false;
        NameParts plain = p;
        plain.base.resize(p.base.size() - kBar.size());
        return is_said_(plain);
    }
    /// y of p_y, where p is known and nothing runs over y.
    bool is_entry_at_label(const NameParts& p) const {
        if (!may_be_label_below(p, bound_)) return false;
        NameParts whole = p;
        whole.has_below = false;
        whole.below.clear();
        return is_said_(whole);
    }
    void label(const NameParts& p) {
        const NameParts y = parts(p.below, 0);
        if (is_said_(y)) return;
        if (Unsaid* const u = add(p.below, y, y.base, false)) u->is_label = true;
    }
    /// Of f(x) the f; of f(x, y) and f_\theta(x) nothing.
    void function(const Tokens& tokens, const NameParts& p) {
        if (claims_) return;
        const Tokens inside = part_of(tokens, p.end, end_of_brackets(tokens, p.end));
        const bool one = inside.size() > 2 && pieces_of(part_of(inside, 1, inside.size() - 1), ",").size() == 1 &&
                         std::ranges::none_of(inside, [](const Token& t) { return t.is_command("\\mid") || t.is_symbol("|"); });
        if (!one || p.end != p.base_end || p.primed) return static_cast<void>(not_taken_.insert(p.base));
        if (Unsaid* const u = add(tokens, p, p.base, false)) u->is_function = !u->is_bare;
        go_through(part_of(inside, 1, inside.size() - 1), false);
    }
    /// What is no value by its letter: the d of a differential, e^x, a loss, a gradient, \mathcal{N}.
    bool is_letter_of_another(const NameParts& p) const {
        const bool word = p.base.size() > 1 && p.base[0] >= 'A' && p.base != "Sigma" && p.base.find('_') == std::string::npos &&
                          static_cast<unsigned char>(p.base[0]) < 0x80;
        return (p.base == "e" && p.has_above) || (p.base == "δ" && !delta_is_number_) || word ||
               (p.base == "L" && !is_derived_by(p.base)) || p.base == "ℒ" || p.base.ends_with("_cal") ||
               (p.base == "π" && !p.has_below);
    }
    /// Of a matrix L: derivatives are taken by it, and none of it.
    bool is_derived_by(const std::string& base) const { return derived_.by.contains(base) && !derived_.of.contains(base); }
    Unsaid* add(const Tokens& tokens, const NameParts& p, const std::string& key, bool size) {
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

    const Source& source_;
    const std::function<bool(const NameParts&)>& is_said_;
    std::set<std::string> parameters_;  ///< bases of what stands below functions
    Derived derived_;
    bool delta_is_number_ = false;
    const LinesSaid& lines_;
    bool claims_ = false;
    std::set<std::string, std::less<>> gates_;   ///< letters that are parts of names
    std::set<std::string> bound_;                ///< in this equation
    std::set<std::string> indices_;              ///< in any
    std::set<std::string> numbered_, as_value_;  ///< keys
    std::set<std::string> bounds_;               ///< keys of ends of sums
    std::set<std::string> not_taken_;            ///< bases
    std::set<std::string> defined_by_index_;     ///< those of S_t = ...
    std::set<std::string> transposed_;           ///< keys
    SequencesSeen sequences_;
    std::map<std::string, int> calls_, others_;   ///< how often bases stand before a bracket, and elsewhere
    std::set<std::string> called_on_names_;       ///< s of s(a), which is no product
    std::map<std::string, std::size_t> claimed_;  ///< keys of what claims differentiate by, and with how many indices
    std::map<std::string, Tokens> capitals_;      ///< that stand alone
    std::vector<Unsaid> all_;
};

}  // namespace

std::vector<Unsaid> unsaid_in(const Source& source, const std::vector<Equation>& all,
                              const std::function<bool(const NameParts&)>& is_said, const LinesSaid& lines) {
    Uses uses(source, is_said, derived_in(source, all), lines);
    bool claims = false;
    uses.see_delta(all);
    uses.see_gates(all);
    for (const Equation& e : all)
        if (e.left && !e.left->empty() && !e.chained) uses.see_left(*e.left);
    for (const Equation& e : all) {
        if (!e.left || e.left->empty() || e.note.kind == note) continue;
        const auto of_gradients = [](const Tokens& t) { return std::ranges::any_of(t, is_derivative_sign); };
        if (!e.chained) {
            NameParts p;
            try {
                p = parts_of(source, *e.left, 0);
            } catch (const ProofError&) {
            }
            const bool names = !p.base.empty() && (p.end == e.left->size() || (*e.left)[p.end].is_symbol("("));
            claims = of_gradients(*e.left) || of_gradients(e.right) || !names;
        }
        uses.see(e, claims);
    }
    return uses.take();
}

}  // namespace gradproof::proof::latex
