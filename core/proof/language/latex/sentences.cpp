// Shapes that sentences state.
#include "gradproof/core/proof/language/latex/sentences.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/property_formulas.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// What \mathbb{R}^{n \times d} and [0, 1] say of a name.
struct Space {
    std::vector<Tokens> sizes{}, between{};
    bool positive = false;
    std::string fill{};
};

bool is_positive_script(const Tokens& script) {
    std::string all;
    for (const Token& t : script) all += t.text;
    return all == "\\ge0" || all == "\\geq0" || all == "\\geqslant0" || all == "+" || all == "++" || all == ">0" || all == "*+" ||
           all == "+*";
}

/// Behind the exponent and the subscript at `at`, which it takes in.
std::optional<std::size_t> scripts_at(const Source& source, const Tokens& t, std::size_t at, Space& out) {
    while (at + 1 < t.size() && (t[at].is_symbol("^") || t[at].is_symbol("_"))) {
        const Tokens script = inside_group(source, t, at + 1);
        if (is_positive_script(script))
            out.positive = true;
        else if (t[at].is_symbol("^"))
            out.sizes = pieces_of(script, "\\times");
        else
            return std::nullopt;
        at = end_of_group(source, t, at + 1);
    }
    return at;
}

/// \{0, 1\} and \{-1, 1\} at `at`.
std::optional<std::size_t> two_numbers_at(const Tokens& t, std::size_t at, Space& out) {
    if (at >= t.size() || !t[at].is_command("\\{")) return std::nullopt;
    std::string all;
    while (++at < t.size() && !t[at].is_command("\\}")) all += t[at].text;
    if (at >= t.size()) return std::nullopt;
    const bool signs = all == "-1,1" || all == "-1,+1" || all == "1,-1" || all == "+1,-1" || all == "\\pm1";
    if (!signs && all != "0,1" && all != "1,0") return std::nullopt;
    out.fill = signs ? "signs" : "binary";
    return at + 1;
}

/// [0, 1] and (0, 1) at `at`.
std::optional<std::size_t> interval_at(const Tokens& t, std::size_t at, Space& out) {
    if (at + 4 >= t.size() || !(t[at].is_symbol("[") || t[at].is_symbol("("))) return std::nullopt;
    const auto end = std::find_if(t.begin() + static_cast<std::ptrdiff_t>(at), t.end(),
                                  [](const Token& one) { return one.is_symbol("]") || one.is_symbol(")"); });
    if (end == t.end()) return std::nullopt;
    const std::size_t close = static_cast<std::size_t>(end - t.begin());
    out.between = pieces_of(part_of(t, at + 1, close), ",");
    const auto is_number = [](const Tokens& one) {
        return (one.size() == 1 || (one.size() == 2 && one[0].is_symbol("-"))) && one.back().kind == digits;
    };
    if (out.between.size() != 2 || !std::ranges::all_of(out.between, is_number)) return std::nullopt;
    return close + 1;
}

/// \mathbb{S}^n and \mathbb{S}_{++}^n, of symmetric matrices; \mathbb{S}^{n-1} and \mathbb{S}^2 are spheres.
std::optional<Space> symmetric_at(const Source& source, const Tokens& t, std::size_t at) {
    Space out;
    const std::optional<std::size_t> end = scripts_at(source, t, end_of_group(source, t, at + 1), out);
    if (!end || *end < t.size() || out.sizes.size() != 1) return std::nullopt;
    if (out.sizes[0].size() != 1 || out.sizes[0][0].kind == digits) return std::nullopt;
    out.sizes.push_back(out.sizes[0]);
    out.fill = std::exchange(out.positive, false) ? "definite" : "symmetric";
    return out;
}

/// All that stands from `at` on, but for a full stop; nothing where it is no space that is known.
std::optional<Space> space_at(const Source& source, const Tokens& t, std::size_t at) {
    if (at >= t.size()) return std::nullopt;
    Space out;
    std::optional<std::size_t> end = interval_at(t, at, out);
    if (!end) end = two_numbers_at(t, at, out = {});
    if (!end) {
        out = {};
        if (t[at].kind != command) return std::nullopt;
        const bool font = t[at].text == "\\mathbb" || t[at].text == "\\mathbf" || t[at].text == "\\mathrm";
        if (!font && t[at].text != "\\R" && t[at].text != "\\RR" && t[at].text != "\\reals" && t[at].text != "\\Re")
            return std::nullopt;
        const std::string letter = font ? flat(source, inside_group(source, t, at + 1)) : "R";
        if (letter == "S" && t[at].text == "\\mathbb") return symmetric_at(source, t, at);
        if (letter != "R") return std::nullopt;
        end = font ? end_of_group(source, t, at + 1) : at + 1;
    }
    end = scripts_at(source, t, *end, out);
    if (!end || (*end < t.size() && !(*end + 1 == t.size() && (t[*end].is_symbol(".") || t[*end].is_symbol(":")))))
        return std::nullopt;
    return out;
}

bool is_name(const Source& source, const Tokens& t) {
    const NameParts p = t.empty() ? NameParts{} : parts_of(source, t, 0);
    return !p.base.empty() && p.end == t.size() && !p.key(p.has_above, p.has_below, p.primed).empty();
}

/// The words of a stretch of text, in small letters.
std::vector<std::string> small_words(std::string_view text) {
    std::vector<std::string> out(1);
    for (const char c : text) {
        if (const char letter = small_letter(c))
            out.back() += letter;
        else if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '~' || c == ',')
            out.emplace_back();
        else
            out.back() += '?';  // nothing of a sentence that is understood
    }
    std::erase(out, "");
    return out;
}
/// Between two names: "and", a comma.
bool joins(std::string_view text) {
    const std::vector<std::string> all = small_words(text);
    return std::ranges::all_of(all, [](const std::string& word) { return word == "and"; });
}
/// "and a scalar", before a name.
bool says_scalar(std::string_view text) {
    const std::vector<std::string> all = small_words(text);
    return !all.empty() && (all.back() == "scalar" || all.back() == "scalars");
}
/// Between names and a space: "are vectors in", "is a matrix in".
bool says_in(std::string_view text) {
    constexpr std::string_view kAll[] = {
        "is",       "are",  "be",   "lie",    "lies",      "live",       "lives",    "a",      "an",      "the",
        "all",      "both", "each", "vector", "vectors",   "matrix",     "matrices", "tensor", "tensors", "element",
        "elements", "of",   "in",   "real",   "given",     "input",      "inputs",   "point",  "points",  "belong",
        "belongs",  "to",   "two",  "column", "parameter", "parameters", "weight",   "weights"};
    const std::vector<std::string> all = small_words(text);
    return !all.empty() && (all.back() == "in" || all.back() == "of" || all.back() == "to") &&
           std::ranges::all_of(all, [&](const std::string& word) { return is_one(kAll, word); });
}

class Sentences {
  public:
    Sentences(const Source& source, Span text) : source_(source), text_(text) {}

    std::vector<Stated> read() {
        Document document(source_, text_, true);
        std::size_t behind = text_.begin;
        while (const std::optional<Part> part = document.next()) {
            const std::string_view before = source_.slice({behind, std::max(behind, part->span.begin)});
            behind = part->span.end;
            if (part->note.kind == note) {
                document.switched_by(part->note);
                continue;
            }
            try {
                formula(tidied(source_, document.expanded(part->tokens)), before, part->in_line);
            } catch (const ProofError&) {  // told where equations are read
                open_.clear();
            }
        }
        return std::move(out_);
    }

  private:
    /// Those of a name and a letter below, p_k > 0, are of a family, where no condition is said: "if", "for".
    bool may_be_above_zero(const Tokens& name, std::string_view before) const {
        if (may_be_number(source_, name)) return true;
        const std::vector<std::string> all = small_words(before);
        const bool leads =
            all.empty() || all.back() == "and" || all.back() == "with" || all.back() == "let" || all.back() == "where";
        return leads && is_name(source_, name) && !parts_of(source_, name, 0).has_above;
    }
    /// Whether what a formula says of entries is a condition: "if $x_i \in (0, 1)$ or $x_i \in (2, 3)$".
    static bool is_condition_behind(std::string_view before, bool behind_condition) {
        constexpr std::string_view kLeads[] = {"if", "when", "whenever", "unless", "for", "case", "region", "until"};
        const std::vector<std::string> all = small_words(before);
        if (all.empty() || all.back() == "and" || all.back() == "or") return behind_condition && all.size() <= 1;
        const std::size_t last = before.find_last_not_of(" \n\r\t~") + 1;
        return is_one(kLeads, all.back()) || before.substr(0, last).ends_with("Where");
    }
    /// "if $x > 0$", of which "for $\lambda > 0$" says what is so.
    static bool is_in_a_case(std::string_view before) {
        constexpr std::string_view kLeads[] = {"if", "when", "whenever", "unless"};
        const std::vector<std::string> all = small_words(before);
        return !all.empty() && is_one(kLeads, all.back());
    }
    void formula(const Tokens& all, std::string_view before, bool in_line) {
        conditional_ = is_condition_behind(before, conditional_);
        if (const std::optional<Space> space = space_at(source_, all, 0)) {
            if (says_in(before)) state(open_, *space);
            return open_.clear();
        }
        std::vector<Tokens> waiting;
        bool only_names = true;
        bool any = false;
        for (const Tokens& one : parts_of_list(all)) {
            const bool behind_another = std::exchange(any, true);
            if (in_line && lies_between(one)) {
                only_names = false;
                continue;
            }
            if (const std::size_t end = above_zero(one); end > 0 && (in_line || behind_another) && !is_in_a_case(before) &&
                                                         may_be_above_zero(part_of(one, 0, end), before)) {
                waiting.push_back(part_of(one, 0, end));
                for (const Tokens& name : waiting)
                    out_.push_back({.name = name, .sizes = {}, .positive = true, .compared = true});
                waiting.clear();
                only_names = false;
                continue;
            }
            const auto in = std::ranges::find_if(one, [](const Token& t) { return t.is_command("\\in") || t.is_symbol("∈"); });
            const std::size_t at = static_cast<std::size_t>(in - one.begin());
            Tokens name = part_of(one, 0, at);
            if (in != one.end())  // V = X W \in \mathbb{R}^{n \times d}
                name.erase(std::ranges::find_if(name, is_equals), name.end());
            if (const Tokens same = own_transpose(source_, name); !same.empty() && in != one.end()) name = same;
            const bool named = is_name(source_, name);
            only_names = only_names && named && in == one.end();
            if (one.size() == 1 && is_dots(one[0])) continue;
            const Tokens rows = named && !waiting.empty() ? last_of_run(waiting.back(), name) : Tokens{};
            if (!rows.empty()) waiting.pop_back();
            if (named) waiting.push_back(name);
            if (named && in == one.end()) continue;
            const bool gradient =
                at == 2 && one[0].is(letter, "d") && is_name(source_, part_of(one, 1, at));  // of X, dX \\in ...
            const std::optional<Space> space = named || gradient ? space_at(source_, one, at + 1) : std::nullopt;
            if (space) state(waiting, *space);
            if (space && !rows.empty()) {
                out_.back().name = part_of(one, 0, parts_of(source_, one, 0).base_end);
                out_.back().sizes.insert(out_.back().sizes.begin(), rows);
            }
            waiting.clear();
        }
        if (only_names && in_line && says_scalar(before)) state(std::exchange(waiting, {}), {});
        if (!only_names || !joins(before)) open_.clear();
        if (only_names) open_.insert(open_.end(), waiting.begin(), waiting.end());
    }
    /// n of x_1, \dots, x_n; nothing of others.
    Tokens last_of_run(const Tokens& first, const Tokens& last) const {
        const NameParts a = parts_of(source_, first, 0), b = parts_of(source_, last, 0);
        const bool run = a.base == b.base && !b.has_above && b.has_below && b.below.size() == 1 && b.below[0].kind == letter;
        return run && flat(source_, a.below) == "1" ? b.below : Tokens{};
    }
    /// 0 < \tau < 1, which it takes in.
    bool lies_between(const Tokens& t) {
        const auto is_less = [](const Token& s) { return s.is_symbol("<") || s.is_command("\\le") || s.is_command("\\leq"); };
        if (t.size() < 5 || t.front().kind != digits || t.back().kind != digits) return false;
        const Tokens name = part_of(t, 2, t.size() - 2);
        if (!is_less(t[1]) || !is_less(t[t.size() - 2]) || !may_be_number(source_, name)) return false;
        out_.push_back({.name = name, .sizes = {}, .between = {{t.front()}, {t.back()}}, .compared = true});
        return true;
    }
    /// Of \beta > 0 and \beta \ge 0 where the sign stands; 0 of others.
    static std::size_t above_zero(const Tokens& t) {
        const bool ends = t.size() > 2 && t.back().kind == digits && t.back().text == "0";
        const Token sign = ends ? t[t.size() - 2] : Token{};
        const bool above = sign.is_symbol(">") || sign.is_command("\\geq") || sign.is_command("\\ge") || sign.is_command("\\gt");
        return above ? t.size() - 2 : 0;
    }
    void state(const std::vector<Tokens>& names, const Space& space) {
        const bool matrices = space.fill == "symmetric" || space.fill == "definite";  // x \in \mathbb{S}^d may be of a sphere
        for (const Tokens& name : names) {
            const NameParts p = parts_of(source_, name, 0);
            if (matrices && p.base.size() == 1 && p.base[0] >= 'a' && p.base[0] <= 'z') continue;
            const bool entry = space.sizes.empty() && p.below.size() == 1 && p.below[0].kind == letter;
            if (conditional_ && entry && (!space.between.empty() || !space.fill.empty())) continue;
            out_.push_back(
                {.name = name, .sizes = space.sizes, .positive = space.positive, .between = space.between, .fill = space.fill});
        }
    }

    const Source& source_;
    Span text_;
    std::vector<Tokens> open_;  ///< names that stand last, in formulas of their own
    bool conditional_ = false;  ///< the formula says when something holds
    std::vector<Stated> out_;
};

}  // namespace

namespace {
/// In small letters, in one line.
std::string flattened(std::string_view text) {
    std::string out;
    for (const char c : text) out += small_letter(c) ? small_letter(c) : c == '\n' || c == '$' || c == '-' || c == '~' ? ' ' : c;
    return out;
}
}  // namespace

bool says_zero_padding(std::string_view text) {
    const std::string all = flattened(text);
    return std::ranges::any_of(std::to_array<std::string_view>({"zero padd", "zero pad ", "padded with zero", "padding with zero",
                                                                "pad with zero", "padded by zero"}),
                               [&](std::string_view words) { return all.find(words) != std::string::npos; });
}

bool says_to_set_to_zero(std::string_view text) {
    constexpr std::size_t kKept = 200;  // the sentence that leads to the formula
    text = text.substr(text.size() - std::min(text.size(), kKept));
    const std::size_t last = text.find_last_not_of(" \n\r\t.:");
    const std::size_t sentence = last == std::string_view::npos ? last : text.find_last_of('.', last);
    const std::string all = flattened(sentence == std::string_view::npos ? text : text.substr(sentence));
    const auto has = [&](std::string_view words) { return all.find(words) != std::string::npos; };
    const bool to_zero = has("to zero") || has("to  0") || has("equal zero");
    const bool of_entries = has(" set to zero") && !has("gradient") && !has("derivative");  // "with its diagonal set to zero"
    const bool sets = (has("set ") && !of_entries) || has("setting ") || has("sets ") || has("equate ") || has("equating ");
    return (sets && to_zero) ||
           std::ranges::any_of(
               std::to_array<std::string_view>({"at the optim", "at an optim", "optimality", "at the minim", "at a minim",
                                                "at the maxim", "at a maxim", "stationar", "first order condition",
                                                "first-order condition", "must vanish", "critical point", "minimiser solves",
                                                "minimizer solves", "minimum solves", "normal equations"}),
               has);
}

Span with_text_before(const Source& source, Span text) { return {is_latex(source.file()) ? 0 : text.begin, text.end}; }

bool may_be_number(const Source& source, const Tokens& name) {
    if (!is_name(source, name)) return false;
    const NameParts p = parts_of(source, name, 0);
    return !p.has_above && !(p.below.size() == 1 && p.below[0].kind == letter) &&
           std::ranges::none_of(p.below, [](const Token& t) { return t.is_symbol(","); });
}

std::vector<Tokens> parts_of_list(const Tokens& t) {
    std::vector<Tokens> out(1);
    int depth = 0;
    for (const Token& one : t) {
        depth += bracket(one);
        const bool apart = is_separator(one) || one.kind == words || one.is_symbol("&") || one.is_command("\\\\");
        if (depth <= 0 && apart)
            out.emplace_back();
        else
            out.back().push_back(one);
    }
    std::erase_if(out, [](const Tokens& one) { return one.empty(); });
    return out;
}

std::vector<Stated> stated_in(const Source& source, Span text) { return Sentences(source, text).read(); }

}  // namespace gradproof::proof::latex
