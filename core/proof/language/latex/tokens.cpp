// LaTeX cut into tokens.
#include "gradproof/core/proof/language/latex/tokens.hpp"

#include <algorithm>
#include <string>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t letters_length(std::string_view text) {
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_ascii_letter) - text.begin());
}
std::size_t digits_length(std::string_view text) {
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}
/// What separates thousands, \, {,} or a comma, and the three digits behind it; 0 of anything else.
std::size_t thousands_length(std::string_view text) {
    for (const std::string_view separator : {"\\,", "{,}", ","})
        if (text.starts_with(separator) && digits_length(text.substr(separator.size())) == 3) return separator.size() + 3;
    return 0;
}
/// 2, 2.5, .5, 10\,000 without an exponent: in a formula an e is a letter, and a full stop behind digits ends a sentence.
/// `before`: the character before it, which tells the numbers of a list, (1,200), from one with thousands.
std::size_t plain_number_length(std::string_view text, char before) {
    std::size_t n = digits_length(text);
    const bool may_have_thousands =
        n > 0 && n <= 3 && text[0] != '0' && std::string_view("_^([{,").find(before) == std::string_view::npos;
    std::size_t end = n;
    while (const std::size_t more = may_have_thousands ? thousands_length(text.substr(end)) : 0) end += more;
    const std::string_view behind = text.substr(std::min(text.find_first_not_of(" \t\n", end), text.size()));
    const bool in_a_list = end > n && !behind.empty() && std::string_view(")],}").find(behind[0]) != std::string_view::npos;
    if (!in_a_list) n = end;
    if (text.substr(n).starts_with(".")) n += digits_length(text.substr(n + 1)) > 0 ? 1 + digits_length(text.substr(n + 1)) : 0;
    return n;
}

/// \ifx, \ifnum and those of \newif, which end in \fi.
bool begins_condition(std::string_view command) {
    constexpr std::string_view kWithBraces[] = {"\\iff", "\\ifthenelse", "\\iftoggle", "\\ifbool"};
    return command.starts_with("\\if") && !is_one(kWithBraces, command);
}

/// Commands whose argument is an address or a path, in which a % begins no comment.
bool takes_an_address(std::string_view command) {
    constexpr std::string_view kAll[] = {"\\url", "\\href", "\\path", "\\nolinkurl"};
    return is_one(kAll, command);
}
/// {...} that text begins with, braces within it balanced; 0 where it does not begin so, or they do not end in its line.
std::size_t address_length(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == '{') ++depth;
        if (text[i] == '}') --depth;
        if (depth == 0) return text[i] == '}' ? i + 1 : 0;
    }
    return 0;
}

/// Whether a full stop there is the bracket of \left. or \right. that does not show.
bool is_bracket_not_shown(std::string_view text, std::size_t at) {
    while (at > 0 && text[at - 1] == ' ') --at;
    const std::string_view before = text.substr(0, at);
    return before.ends_with("\\left") || before.ends_with("\\right") || before.ends_with("\\middle");
}

constexpr std::string_view kNote = "gradproof:";

}  // namespace

Tokens part_of(const Tokens& tokens, std::size_t begin, std::size_t end) {
    return {tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.begin() + static_cast<std::ptrdiff_t>(end)};
}

bool is_dots(const Token& t) {
    constexpr std::string_view kAll[] = {"\\dots", "\\ldots", "\\cdots", "…", "\\dotsc"};
    return is_one(kAll, t.text);
}

bool is_equals(const Token& t) {
    constexpr std::string_view kAll[] = {"\\coloneqq", "\\triangleq", "\\equiv", "\\doteq", "\\eqqcolon", "\\vcentcolon"};
    return t.is_symbol("=") || (t.kind == Token::Kind::command && is_one(kAll, t.text));
}

bool is_fraction(const Token& t) { return t.is_command("\\frac") || t.is_command("\\tfrac") || t.is_command("\\dfrac"); }

bool is_derivative_sign(const Token& t) {
    return t.is_command("\\partial") || t.is_command("\\nabla") || t.is_symbol("∂") || t.is_symbol("∇");
}

bool is_comparison(const Token& t) {
    constexpr std::string_view kAll[] = {"\\ne", "\\neq", "\\le", "\\leq", "\\ge", "\\geq", "<", ">"};
    return is_one(kAll, t.text);
}

bool is_other_relation(const Token& t) {
    constexpr std::string_view kAll[] = {
        "\\in",         "\\sim",    "\\le",     "\\leq",    "\\ge",       "\\geq",    "\\approx", "\\propto",
        "\\to",         "\\ne",     "\\neq",    "\\subset", "\\subseteq", "\\ll",     "\\gg",     "\\leftarrow",
        "\\rightarrow", "\\gets",   "\\mapsto", "\\simeq",  "\\cong",     "<",        ">",        "\\lesssim",
        "\\mid",        "\\succeq", "\\preceq", "\\succ",   "\\prec",     "\\gtrsim", "\\notin"};
    return (t.kind == Token::Kind::command || t.kind == Token::Kind::symbol) && is_one(kAll, t.text);
}

bool is_equivalence(const Token& t) {
    constexpr std::string_view kAll[] = {"\\iff",     "\\Leftrightarrow", "\\Longleftrightarrow",
                                         "\\implies", "\\Rightarrow",     "\\Longrightarrow"};
    return t.kind == Token::Kind::command && is_one(kAll, t.text);
}

bool is_zero(const Tokens& t) {
    const auto is_digit_zero = [](const Token& one) { return one.is(Token::Kind::digits, "0"); };
    constexpr std::size_t kMost = 4;  // \mathbf{0}
    const bool fonted = t.size() > 1 && t.front().kind == Token::Kind::command && t.size() <= kMost;
    return (t.size() == 1 || fonted) && std::ranges::count_if(t, is_digit_zero) == 1 &&
           std::ranges::all_of(
               t, [&](const Token& one) { return one.kind != Token::Kind::letter && one.kind != Token::Kind::symbol; });
}

bool is_separator(const Token& t) {
    constexpr std::string_view kAll[] = {",",         ";",     "\\quad",           "\\qquad",          "\\Rightarrow",
                                         "\\implies", "\\iff", "\\Longrightarrow", "\\Leftrightarrow", "\\therefore"};
    return (t.kind == Token::Kind::command || t.kind == Token::Kind::symbol) && is_one(kAll, t.text);
}

bool is_small_letter(const Token& t) {
    return t.kind == Token::Kind::letter && t.text.size() == 1 && t.text[0] >= 'a' && t.text[0] <= 'z';
}
bool is_norm_bar(const Token& t) { return t.is_command("\\|") || t.is_command("\\lVert") || t.is_command("\\rVert"); }
bool same_texts(const Tokens& a, const Tokens& b) {
    return std::ranges::equal(a, b, [](const Token& x, const Token& y) { return x.text == y.text; });
}
int bracket(const Token& t) {
    if (t.kind == Token::Kind::opening || t.kind == Token::Kind::begins || t.is_symbol("(") || t.is_symbol("[") ||
        t.is_command("\\{") || t.is_command("\\langle") || t.is_command("\\lfloor") || t.is_command("\\lceil"))
        return 1;
    return t.kind == Token::Kind::closing || t.kind == Token::Kind::ends || t.is_symbol(")") || t.is_symbol("]") ||
                   t.is_command("\\}") || t.is_command("\\rangle") || t.is_command("\\rfloor") || t.is_command("\\rceil")
               ? -1
               : 0;
}

void fail(const Source& source, const Token& at, const std::string& text) { throw ProofError(source, at.span.begin, text); }

Lexer::Lexer(const Source& source, Span span, bool words) : source_(source), at_(span.begin), end_(span.end), words_(words) {}

Token Lexer::take(Token::Kind kind, std::size_t bytes) {
    const Token t{kind, left().substr(0, bytes), {at_, at_ + bytes}, blank_};
    at_ += bytes;
    return t;
}

bool Lexer::skip_past(std::string_view stop) {
    const std::size_t found = left().find(stop);
    at_ = found == std::string_view::npos ? end_ : at_ + found + stop.size();
    return found != std::string_view::npos;
}

/// \begin{name} and \end{name} are one token each.
bool Lexer::environment(Token& t) {
    const std::size_t brace = std::min(left().find_first_not_of(" \t"), left().size());
    if (!left().substr(brace).starts_with("{")) return false;
    const std::size_t close = left().substr(0, 200).find_first_of("}\n");
    if (close == std::string_view::npos || left()[close] != '}') return false;
    t.kind = t.text == "\\begin" ? Token::Kind::begins : Token::Kind::ends;
    t.text = left().substr(brace + 1, close - brace - 1);
    at_ += close + 1;
    t.span.end = at_;
    return true;
}

Token Lexer::command() {
    const std::size_t letters = letters_length(left().substr(1));
    if (letters == 0) {
        const std::size_t n = left().size() > 1 ? std::max<std::size_t>(1, character_length(left(), 1)) : 0;
        return take(Token::Kind::command, 1 + n);
    }
    Token t = take(Token::Kind::command, 1 + letters);
    if (t.text == "\\begin" || t.text == "\\end") environment(t);
    if (takes_an_address(t.text)) at_ += address_length(left());
    return t;
}

/// Whether a token was \iffalse, \if0 and the like, or a part of such: then what is behind it that does not hold was passed over.
bool Lexer::condition(const Token& t) {
    if (t.is_command("\\iffalse")) return pass_over(), true;
    const std::size_t blanks = std::min(left().find_first_not_of(" \t"), left().size());
    if (t.is_command("\\if") && blanks < left().size() && is_digit(left()[blanks])) {
        at_ += blanks;
        const bool same = left().size() > 1 && left()[0] == left()[1];
        at_ += same ? 2 : 1;
        if (!same) pass_over();
        return true;
    }
    if (t.is_command("\\else")) return pass_over(), true;
    if (t.is_command("\\newif")) return token(), true;
    // Whether another one holds is not known: neither side is read.
    if (begins_condition(t.text) && t.text != "\\iftrue" && left().find("\\fi") != std::string_view::npos) {
        while (pass_over()) {
        }
        return true;
    }
    return t.is_command("\\iftrue") || t.is_command("\\fi");
}

/// Goes on behind the \else or \fi that belongs to the condition before. Whether it was \else.
bool Lexer::pass_over() {
    std::size_t inner = 0;
    for (Token t = token(); t.kind != Token::Kind::none; t = token()) {
        if (t.kind != Token::Kind::command) continue;
        if (t.text == "\\fi" && inner-- == 0) return false;
        if (t.text == "\\else" && inner == 0) return true;
        if (begins_condition(t.text)) ++inner;
    }
    return false;
}

Token Lexer::next() {
    for (;;) {
        const Token t = token();
        if (t.kind != Token::Kind::command || words_ || !condition(t)) return t;
    }
}

Token Lexer::token() {
    blank_ = false;
    while (at_ < end_) {
        const char c = left()[0];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++at_;
            blank_ = true;
        } else if (words_ && c == '#') {
            skip_past("\n");
        } else if (c == '%' && !words_) {
            ++at_;
            const std::size_t line = std::min(left().find('\n'), left().size());
            const std::size_t skip = std::min(left().find_first_not_of(" \t%"), line);
            if (left().substr(skip, kNote.size()) == kNote) {
                at_ += skip + kNote.size();
                return take(Token::Kind::note, line - skip - kNote.size());
            }
            at_ += line;
            blank_ = true;
        } else {
            break;
        }
    }
    if (at_ >= end_) return take(Token::Kind::none, 0);
    const char c = left()[0];
    if (c == '\\') return command();
    if (c == '{') return take(Token::Kind::opening, 1);
    if (c == '}') return take(Token::Kind::closing, 1);
    const bool decimal = c == '.' && left().size() > 1 && is_digit(left()[1]) && !is_bracket_not_shown(source_.text(), at_);
    if (is_digit(c) || decimal)
        return take(Token::Kind::digits,
                    words_ ? number_length(left()) : plain_number_length(left(), at_ > 0 ? source_.text()[at_ - 1] : ' '));
    if (is_ascii_letter(c)) {
        std::size_t n = 1;
        while (words_ && n < left().size() && (is_ascii_letter(left()[n]) || is_digit(left()[n]))) ++n;
        return take(n > 1 ? Token::Kind::word : Token::Kind::letter, n);
    }
    const std::size_t n = std::max<std::size_t>(1, character_length(left(), 0));
    return take(n > 1 && identifier_length(left()) > 0 ? Token::Kind::letter : Token::Kind::symbol, n);
}

std::size_t end_of_group(const Source& source, const Tokens& tokens, std::size_t at) {
    if (at >= tokens.size() || tokens[at].kind != Token::Kind::opening) return std::min(at + 1, tokens.size());
    std::size_t depth = 0;
    for (std::size_t i = at; i < tokens.size(); ++i) {
        if (tokens[i].kind == Token::Kind::opening) ++depth;
        if (tokens[i].kind == Token::Kind::closing && --depth == 0) return i + 1;
    }
    fail(source, tokens[at], "this { is never closed");
}

std::size_t opening_of(const Tokens& tokens, std::size_t at) {
    for (int depth = 1; depth > 0 && at > 0;) {
        --at;
        depth += tokens[at].kind == Token::Kind::closing ? 1 : tokens[at].kind == Token::Kind::opening ? -1 : 0;
    }
    return at;
}

void add_below(Tokens& to, const Tokens& below, Span at) {
    to.push_back({Token::Kind::symbol, "_", at, false});
    to.push_back({Token::Kind::opening, "{", at, false});
    to.insert(to.end(), below.begin(), below.end());
    to.push_back({Token::Kind::closing, "}", at, false});
}

Tokens inside_group(const Source& source, const Tokens& tokens, std::size_t at) {
    const std::size_t end = end_of_group(source, tokens, at);
    const bool braces = at < end && tokens[at].kind == Token::Kind::opening;
    return {tokens.begin() + static_cast<std::ptrdiff_t>(at + (braces ? 1 : 0)),
            tokens.begin() + static_cast<std::ptrdiff_t>(end - (braces ? 1 : 0))};
}

}  // namespace gradproof::proof::latex
