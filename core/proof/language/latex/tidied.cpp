// Spacing, sizes, labels and the like taken out of a formula.
#include "gradproof/core/proof/language/latex/tidied.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "gradproof/core/proof/language/budget.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_blank_command(std::string_view name) {
    constexpr std::string_view kAll[] = {
        "\\,",         "\\;",           "\\:",         "\\!",         "\\>",        "\\ ",         "\\displaystyle",
        "\\textstyle", "\\scriptstyle", "\\limits",    "\\nolimits",  "\\nonumber", "\\notag",     "\\allowbreak",
        "\\strut",     "\\mathstrut",   "\\hfill",     "\\relax",     "\\mathopen", "\\mathclose", "\\mathbin",
        "\\mathrel",   "\\mathord",     "\\mathinner", "\\rm",        "\\bf",       "\\sf",        "\\it",
        "\\boxed",     "\\thinspace",   "\\enspace",   "\\noindent",  "\\big",      "\\Big",       "\\bigg",
        "\\Bigg",      "\\bigm",        "\\Bigm",      "\\centering", "\\protect",  "\\small",     "\\qedhere",
        "\\/",         "\\-",           "\n",          "\\\n",        "\\\t"};
    return is_one(kAll, name);
}
/// What sets two factors apart.
bool is_space(std::string_view name) { return is_one(std::array{"\\,", "\\;", "\\:", "\\>", "\\ ", "\\thinspace"}, name); }
bool drops_group(std::string_view name) {
    constexpr std::string_view kAll[] = {"\\label",    "\\tag",      "\\hspace",    "\\vspace",   "\\phantom",
                                         "\\vphantom", "\\hphantom", "\\footnote",  "\\eqref",    "\\ref",
                                         "\\cite",     "\\color",    "\\textcolor", "\\underset", "\\overset",
                                         "\\stackrel", "\\mspace",   "\\cref",      "\\citep",    "\\citet"};
    return is_one(kAll, name);
}
/// 'l' of \left, \bigl ..., 'r' of \right, \bigr ..., else '\0'.
char side_of(std::string_view name) {
    constexpr std::string_view kLeft[] = {"\\left", "\\bigl", "\\Bigl", "\\biggl", "\\Biggl"};
    constexpr std::string_view kRight[] = {"\\right", "\\bigr", "\\Bigr", "\\biggr", "\\Biggr"};
    return is_one(kLeft, name) ? 'l' : is_one(kRight, name) ? 'r' : '\0';
}

/// \text{...} of the group at `at` as one token.
Token words_of(const Source& source, const Tokens& tokens, std::size_t at, std::size_t end) {
    Token out{words, "", tokens[at - 1].span, tokens[at - 1].blank};
    const Tokens inside = inside_group(source, tokens, at);
    if (inside.empty()) return out;
    const char *first = inside.front().text.data(), *last = inside.back().text.data() + inside.back().text.size();
    const std::string_view all = source.text();
    const bool contiguous = first >= all.data() && last <= all.data() + all.size() && first <= last;
    out.text = contiguous ? std::string_view(first, static_cast<std::size_t>(last - first)) : inside.front().text;
    out.span.end = std::max(out.span.end, tokens[end - 1].span.end);
    return out;
}

/// How many digits behind these tokens are arguments of their own: 2 of \frac12, 1 of x^12.
std::size_t digits_alone(const Tokens& before) {
    if (before.empty()) return 0;
    constexpr std::string_view kFractions[] = {"\\frac", "\\dfrac", "\\tfrac", "\\cfrac"};
    const Token& last = before.back();
    if (last.kind == command && is_one(kFractions, last.text)) return 2;
    if (last.is_symbol("^") || last.is_symbol("_")) return 1;
    const bool second = last.kind == letter || last.kind == digits;
    return second && before.size() > 1 && before[before.size() - 2].kind == command &&
           is_one(kFractions, before[before.size() - 2].text);
}

/// \pdv{f}{x} and \dv{f}{x} of the package physics as \frac{\partial f}{\partial x}, \dd{x} as \mathrm{d} x; nothing where
/// none stands there.
struct Physics {
    Tokens tokens;
    std::size_t end = 0;
};
std::optional<Physics> physics_at(const Source& source, const Tokens& in, std::size_t at) {
    const Token& t = in[at];
    const auto made = [&](Token::Kind kind, std::string_view text) { return Token{kind, text, t.span, t.blank}; };
    if (t.text == "\\dd")
        return Physics{{made(command, "\\mathrm"), made(opening, "{"), made(letter, "d"), made(closing, "}")}, at + 1};
    if (t.text != "\\dv" && t.text != "\\pdv") return std::nullopt;
    std::size_t end = at + 1;
    if (end < in.size() && in[end].is_symbol("*")) ++end;
    Tokens order;
    if (end + 2 < in.size() && in[end].is_symbol("[") && in[end + 2].is_symbol("]")) order = {in[end + 1]}, end += 3;
    std::vector<Tokens> groups;
    while (groups.size() < 3 && end < in.size() && in[end].kind == opening) {
        groups.push_back(inside_group(source, in, end));
        end = end_of_group(source, in, end);
    }
    if (groups.empty()) return std::nullopt;
    const Tokens of = groups.size() > 1 ? groups[0] : Tokens{};
    std::vector<Tokens> by(groups.begin() + (groups.size() > 1 ? 1 : 0), groups.end());
    if (by.size() == 2) order = {made(digits, "2")};
    Physics out{{made(command, "\\frac"), made(opening, "{")}, end};
    const auto add = [&](const Tokens& more) { out.tokens.insert(out.tokens.end(), more.begin(), more.end()); };
    const auto raise = [&] {
        if (order.empty()) return;
        add({made(symbol, "^")});
        add(order);
    };
    const Tokens sign{made(command, "\\partial")};
    add(sign);
    raise();
    add(of);
    add({made(closing, "}"), made(opening, "{")});
    for (const Tokens& one : by) {
        add(sign);
        add(one);
    }
    if (by.size() == 1) raise();
    add({made(closing, "}")});
    return out;
}

/// Of {\nabla_w} L the place of the brace that closes it; 0 of others.
std::size_t end_of_braced_nabla(const Source& source, const Tokens& in, std::size_t i) {
    if (i + 2 >= in.size() || !(in[i + 1].is_command("\\nabla") || in[i + 1].is_symbol("∇"))) return 0;
    std::size_t at = i + 2;
    while (at + 1 < in.size() && (in[at].is_symbol("_") || in[at].is_symbol("^"))) at = end_of_group(source, in, at + 1);
    return at < in.size() && in[at].kind == closing ? at : 0;
}

/// Of {+ 1} the place of the brace that closes it; 0 of others.
std::size_t end_of_signed_group(const Source& source, const Tokens& in, std::size_t i) {
    std::size_t sign = i + 1;  // of {{} + 1} too
    while (sign + 1 < in.size() && in[sign].kind == opening && in[sign + 1].kind == closing) sign += 2;
    const bool begins = in[i].kind == opening && sign < in.size() && (in[sign].is_symbol("+") || in[sign].is_symbol("-"));
    return begins ? end_of_group(source, in, i) - 1 : 0;
}
/// Whether a factor ends there, so that a sign behind it joins two terms: no argument of a command follows.
bool goes_on(const Tokens& out) {
    if (out.empty()) return false;
    const Token& last = out.back();
    if (last.kind == closing) {  // of a script, or of a whole fraction
        const std::size_t open = opening_of(out, out.size() - 1);
        if (open == 0) return false;
        const Token& before = out[open - 1];
        const std::size_t first = before.kind == closing ? opening_of(out, open - 1) : 0;
        return before.is_symbol("^") || before.is_symbol("_") || (first > 0 && is_fraction(out[first - 1]));
    }
    const Token* const before = out.size() > 1 ? &out[out.size() - 2] : nullptr;
    if (before && before->kind == command && letter_of(before->text).empty()) return false;  // \frac1
    return last.kind == letter || last.kind == digits || last.is_symbol(")") || last.is_symbol("]");
}

/// Of + \mathrm{const} the end: a number that nothing depends on.
std::size_t constant_behind(const Source& source, const Tokens& before, const Tokens& in, std::size_t at) {
    const bool upright = in[at].is_command("\\mathrm") || is_text(in[at].text);
    if (!upright || before.empty() || !before.back().is_symbol("+") || at + 1 >= in.size()) return at;
    std::string word;
    for (const Token& t : inside_group(source, in, at + 1)) word += t.text;
    constexpr std::string_view kAll[] = {"const", "const.", "constant"};
    return is_one(kAll, word) ? end_of_group(source, in, at + 1) : at;
}

/// With a letter of its own for each w' that a sum runs over.
Tokens without_primed_indices(const Source& source, Tokens t) {
    const auto is_primed = [&](std::size_t at) { return at + 1 < t.size() && t[at].kind == letter && t[at + 1].is_symbol("'"); };
    for (std::size_t i = 0; i + 2 < t.size(); ++i) {
        if (!t[i].is_command("\\sum") || !t[i + 1].is_symbol("_")) continue;
        const std::size_t at = t[i + 2].kind == opening ? i + 3 : i + 2;
        if (!is_primed(at)) continue;
        const std::string_view index = t[at].text;
        static constexpr std::string_view kLetters = "jklqrsuvabch";
        std::size_t free = 0;
        while (free < kLetters.size() &&
               std::ranges::any_of(t, [&](const Token& one) { return one.is(letter, kLetters.substr(free, 1)); }))
            ++free;
        if (free == kLetters.size()) fail(source, t[at], "no letter is left for this index");
        for (std::size_t k = 0; k + 1 < t.size(); ++k)
            if (is_primed(k) && t[k].text == index) {
                t[k].text = kLetters.substr(free, 1);
                t[k].span.end = std::max(t[k].span.end, t[k + 1].span.end);
                t.erase(t.begin() + static_cast<std::ptrdiff_t>(k) + 1);
            }
    }
    return t;
}

/// Of \\[2pt] and \\*[1ex] at `at`, where the length ends; the place behind \\ where none stands.
std::size_t end_of_row_space(const Tokens& in, std::size_t at) {
    std::size_t open = at + 1;
    if (open < in.size() && in[open].is_symbol("*")) ++open;
    if (open >= in.size() || !in[open].is_symbol("[") || in[open].blank) return at + 1;
    std::size_t end = open + 1;
    while (end < in.size() &&
           (in[end].kind == digits || in[end].kind == letter || in[end].is_symbol("-") || in[end].kind == command))
        ++end;
    constexpr std::size_t kLongest = 6;
    return end < in.size() && in[end].is_symbol("]") && end - open < kLongest ? end + 1 : at + 1;
}

/// {\bf x} beside an x of the same formula, and \mathbb{w}.
void expect_one_font(const Source& source, const Tokens& in, std::size_t at) {
    constexpr std::string_view kOld[] = {"\\bf", "\\rm", "\\sf", "\\it", "\\cal"};
    const bool small =
        at + 2 < in.size() && in[at].is_command("\\mathbb") && in[at + 1].kind == opening && is_small_letter(in[at + 2]);
    if (small) fail(source, in[at], "\\mathbb of a small letter is not read: name it by \\mathbf");
    const bool switched = at > 0 && at + 2 < in.size() && in[at].kind == command && is_one(kOld, in[at].text) &&
                          in[at - 1].kind == opening && in[at + 1].kind == letter && in[at + 2].kind == closing;
    if (!switched) return;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const bool same_switch = i > 1 && in[i - 1].kind == command && is_one(kOld, in[i - 1].text);
        const bool entry = i + 1 < in.size() && in[i + 1].is_symbol("_");
        if (in[i].is(letter, in[at + 1].text) && !same_switch && !entry)
            fail(source, in[at],
                 fmt::format("{{{0} {1}}} beside {1} may be another name: write \\mathbf{{{1}}}", in[at].text, in[at + 1].text));
    }
}

/// \overset{\sim}{x} is another name than x; \overset{!}{=} and \underset{i}{\max} are what they stand at.
void expect_no_accent(const Source& source, const Token& t, const Tokens& in, std::size_t behind) {
    if (t.text != "\\overset" && t.text != "\\underset" && t.text != "\\stackrel") return;
    const Tokens what = behind < in.size() ? inside_group(source, in, behind) : Tokens{};
    const bool name = what.size() == 1 && (what[0].kind == letter || !letter_of(what[0].text).empty());
    if (name || (what.size() > 1 && is_font(what[0].text)))
        fail(source, t, fmt::format("{} at a name may make another name: write \\tilde{{x}} or x'", t.text));
}

Tokens without_layout(const Source& source, const Tokens& in) {
    Tokens out;
    std::vector<std::size_t> under;          // where groups end whose sub- or superscript is a remark
    std::size_t over = 0;                    // where the last \overset begins
    std::size_t braced = 0;                  // where a brace closes that falls away
    std::vector<std::size_t> signed_groups;  // where those close that hold a term with its sign
    int depth = 0;
    bool spaced = false;  // \, stands before
    for (std::size_t i = 0; i < in.size(); ++i) {
        Token t = in[i];
        t.blank = t.blank || spaced;
        depth += t.kind == opening ? 1 : t.kind == closing ? -1 : 0;
        if (depth > kDeepestBrackets)
            fail(source, t, fmt::format("brackets are nested deeper than {} (kDeepestBrackets)", kDeepestBrackets));
        if (const std::size_t alone = t.kind == digits ? std::min(digits_alone(out), t.text.size() - 1) : 0; alone > 0) {
            for (std::size_t k = 0; k < alone; ++k) out.push_back({digits, t.text.substr(k, 1), t.span, t.blank});
            t.text.remove_prefix(alone);
        }
        if (!under.empty() && i == under.back()) {
            under.pop_back();
            if (t.is_symbol("_") || t.is_symbol("^")) {
                i = end_of_group(source, in, i + 1) - 1;
                continue;
            }
        }
        if (t.is_symbol("~")) continue;
        const bool script = !out.empty() && (out.back().is_symbol("^") || out.back().is_symbol("_"));
        if (const std::size_t end = t.kind == opening && !script ? end_of_braced_nabla(source, in, i) : 0; end > 0) {
            braced = end;
            continue;
        }
        if (const std::size_t end = !script && goes_on(out) ? end_of_signed_group(source, in, i) : 0; end > 0) {
            signed_groups.push_back(end);
            continue;
        }
        if (!signed_groups.empty() && i == signed_groups.back()) {
            signed_groups.pop_back();
            if (out.back().span.end < t.span.end) out.back().span.end = t.span.end;  // as it stands there
            continue;
        }
        if (braced > 0 && i == braced) continue;
        if (braced > i && in[i - 1].kind == opening && (t.is_command("\\nabla") || t.is_symbol("∇")))
            t.span.begin = in[i - 1].span.begin;  // as it stands there
        if (t.kind == opening && !script && i + 1 < in.size() && in[i + 1].kind == closing) {
            ++i;
            --depth;
            continue;
        }
        if (t.kind != opening) over = t.span.end;
        if (t.kind == opening && !script && i + 2 < in.size() && in[i + 2].kind == closing && is_equals(in[i + 1])) {
            out.push_back(in[i + 1]);  // of \overset{(a)}{=}
            out.back().span = {over < t.span.begin ? over : t.span.begin, in[i + 2].span.end};
            i += 2;
            --depth;
            continue;
        }
        if (t.kind != command) {
            out.push_back(t);
            spaced = false;
            continue;
        }
        expect_one_font(source, in, i);
        if (t.text == "\\\\") {
            out.push_back(t);
            i = end_of_row_space(in, i) - 1;
        } else if (const std::optional<Physics> physics = physics_at(source, in, i)) {
            out.insert(out.end(), physics->tokens.begin(), physics->tokens.end());
            i = physics->end - 1;
        } else if (const char side = side_of(t.text); side != '\0') {
            if (++i >= in.size()) break;
            t = in[i];
            if (t.is_symbol(".")) continue;
            if (t.is_symbol("|")) t = {command, side == 'l' ? "\\lvert" : "\\rvert", t.span, t.blank};
            if (t.is_command("\\|")) t.text = side == 'l' ? "\\lVert" : "\\rVert";
            out.push_back(t);
        } else if (t.text == "\\underbrace" || t.text == "\\overbrace") {
            under.push_back(end_of_group(source, in, i + 1));
        } else if (drops_group(t.text)) {
            over = t.span.begin;
            if (i + 1 < in.size() && in[i + 1].is_symbol("*")) ++i;
            i = end_of_group(source, in, i + 1) - 1;
            expect_no_accent(source, t, in, i + 1);
        } else if (t.text == "\\intertext" || t.text == "\\shortintertext") {
            t.text = "\\\\";
            out.push_back(t);
            i = end_of_group(source, in, i + 1) - 1;
        } else if (const std::size_t behind = constant_behind(source, out, in, i); behind > i) {
            out.pop_back();
            i = behind - 1;
        } else if (is_text(t.text)) {
            const std::size_t end = end_of_group(source, in, i + 1);
            if (end > i + 1) out.push_back(words_of(source, in, i + 1, end));
            i = end - 1;
        } else if (!is_blank_command(t.text)) {
            out.push_back(t);
        } else if (is_space(t.text)) {
            spaced = true;
            continue;
        }
        spaced = false;
    }
    return out;
}

}  // namespace

std::vector<Part> rows_of(const Part& part) {
    std::vector<Part> rows(1, {{}, {}, {part.span.begin, part.span.begin}});
    for (const Token& t : part.tokens) {
        if (t.is_command("\\\\")) {
            rows.push_back({{}, {}, t.span});
            continue;
        }
        rows.back().tokens.push_back(t);
        rows.back().span.end = t.span.end;
    }
    return rows;
}

Tokens tidied(const Source& source, const Tokens& in) { return without_primed_indices(source, without_layout(source, in)); }

}  // namespace gradproof::proof::latex
