// What statements of Python bind.
#include "gradproof/core/proof/language/numpy/bindings.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/lines.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {
namespace {

/// The text with a blank in the place of each character that is quoted, so that all else stands where it stood.
std::string without_quoted(std::string_view code) {
    std::string out(code);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i] != '"' && out[i] != '\'') continue;
        const std::string_view three = code.substr(i, 3);
        const std::string_view quotes = three == "\"\"\"" || three == "'''" ? three : code.substr(i, 1);
        std::size_t close = i + quotes.size();
        while (close < out.size() && !code.substr(close).starts_with(quotes)) close += code[close] == '\\' ? 2 : 1;
        close = std::min(close, out.size());
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(std::min(i + quotes.size(), close)),
                  out.begin() + static_cast<std::ptrdiff_t>(close), ' ');
        i = close + quotes.size() - 1;
    }
    return out;
}

/// A part of a statement, as it is written, and with blanks for what is quoted.
struct Code {
    std::string_view written, plain;
    Code from(std::size_t at) const {
        at = std::min(at, plain.size());
        return {written.substr(at), plain.substr(at)};
    }
    Code to(std::size_t at) const { return {written.substr(0, at), plain.substr(0, at)}; }
    Code without_blanks() const {
        Code out = from(plain.find_first_not_of(kBlanks));
        return out.to(out.written.find_last_not_of(kBlanks) + 1);
    }
};

/// Where a word stands outside of brackets; npos where it does not.
std::size_t word_outside(std::string_view plain, std::string_view word) {
    int depth = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        depth += deeper_by(plain[i]);
        const bool begins = i == 0 || !goes_on_in_identifier(plain[i - 1]);
        const std::size_t end = i + word.size();
        if (depth == 0 && begins && plain.substr(i, word.size()) == word &&
            (end >= plain.size() || !goes_on_in_identifier(plain[end])))
            return i;
    }
    return std::string_view::npos;
}

/// Where the header of a compound statement ends: its colon, which is not that of a lambda or within brackets.
std::size_t colon_of(std::string_view plain) {
    int depth = 0, lambdas = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        depth += deeper_by(plain[i]);
        if (depth > 0) continue;
        const std::size_t n = identifier_length(plain.substr(i));
        if (plain.substr(i, n) == "lambda") ++lambdas;
        if (n > 0) i += n - 1;
        if (plain[i] == ':' && plain.substr(i, 2) != ":=" && lambdas-- == 0) return i;
    }
    return plain.size();
}

/// The names and places of a target: a, (b, *c), d[0], e.f.
void add_targets(Code code, Binding::By by, std::vector<Binding>& out) {
    for (std::size_t i = 0; i < code.plain.size();) {
        const std::size_t begin = i, n = identifier_length(code.plain.substr(i));
        if (n == 0) {
            ++i;
            continue;
        }
        i += n;
        for (bool goes_on = true; goes_on;) {
            const char next = i < code.plain.size() ? code.plain[i] : ' ';
            goes_on = next == '.' || next == '[' || next == '(';
            if (next == '.') i += 1 + identifier_length(code.plain.substr(i + 1));
            int depth = 0;
            if (next == '[' || next == '(') do {
                    depth += deeper_by(code.plain[i++]);
                } while (depth > 0 && i < code.plain.size());
        }
        std::string target(code.written.substr(begin, i - begin));
        std::erase(target, ' ');
        if (!target.ends_with(')')) out.push_back({by, std::move(target)});
    }
}

/// import a.b, c as d and from m import e, f as g.
void add_imports(Code code, std::vector<Binding>& out) {
    const std::size_t import = word_outside(code.plain, "import");
    if (import == std::string_view::npos) return;
    const std::string module(proof::trimmed(code.plain.substr(0, import)));
    std::string rest(code.plain.substr(import + std::string_view("import").size()));
    for (char& c : rest)
        if (kBlanks.find(c) != std::string_view::npos || c == '(' || c == ')' || c == '\\') c = ' ';
    for (std::size_t i = 0; i <= rest.size();) {
        const std::size_t end = std::min(rest.find(',', i), rest.size());
        const std::string_view one = proof::trimmed(std::string_view(rest).substr(i, end - i));
        i = end + 1;
        if (one.empty()) continue;
        const std::string_view imported = one.substr(0, one.find(' '));
        const std::size_t as = one.find(" as ");
        std::string_view bound = as == one.npos ? imported : proof::trimmed(one.substr(as + 4));
        if (as == one.npos && module.empty()) bound = bound.substr(0, bound.find('.'));
        const std::string from = module.empty() ? "" : std::string(proof::trimmed(std::string_view(module).substr(4))) + ".";
        out.push_back({Binding::By::import, std::string(bound), from + std::string(imported)});
    }
}

/// a = b = e, a: float = e and a += e.
void add_assignment_targets(Code code, std::vector<Binding>& out) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < code.plain.size(); ++i) {
        const char c = code.plain[i], next = i + 1 < code.plain.size() ? code.plain[i + 1] : ' ';
        depth += deeper_by(c);
        if (depth > 0) continue;
        if (code.plain.substr(i, 6) == "lambda" && (i == 0 || !goes_on_in_identifier(code.plain[i - 1]))) return;
        if (next == '=' && (c == '=' || c == '!' || c == ':' || ((c == '<' || c == '>') && (i == 0 || code.plain[i - 1] != c)))) {
            ++i;
            continue;
        }
        if (c != '=') continue;
        std::size_t end = i;
        while (end > begin && std::string_view("+-*/@%&|^<>").find(code.plain[end - 1]) != std::string_view::npos) --end;
        Code target = code.to(end).from(begin);
        target = target.to(colon_of(target.plain));
        add_targets(target, Binding::By::assignment, out);
        begin = i + 1;
    }
}

/// The k of (k := e), wherever it stands.
void add_walruses(Code code, std::vector<Binding>& out) {
    for (std::size_t at = code.plain.find(":="); at != std::string_view::npos; at = code.plain.find(":=", at + 2)) {
        std::size_t end = at;
        while (end > 0 && code.plain[end - 1] == ' ') --end;
        const std::string_view name = word_before(code.plain, end);
        if (!name.empty()) out.push_back({Binding::By::assignment, std::string(name)});
    }
}

/// with a as b, (c as d): the targets behind as.
void add_behind_as(Code header, std::vector<Binding>& out) {
    for (std::size_t at = header.plain.find(" as "); at != std::string_view::npos; at = header.plain.find(" as ", at + 4)) {
        const Code behind = header.from(at + 4).without_blanks();
        int depth = 0;
        std::size_t end = 0;
        for (; end < behind.plain.size(); ++end) {
            depth += deeper_by(behind.plain[end]);
            if (depth < 0 || (depth == 0 && (behind.plain[end] == ',' || behind.plain[end] == ':'))) break;
        }
        add_targets(behind.to(end), Binding::By::block, out);
    }
}

void add_of(Code code, std::vector<Binding>& out) {
    constexpr std::array<std::string_view, 11> kCompound{"if",  "elif",   "else",    "while", "try", "with",
                                                         "for", "except", "finally", "match", "case"};
    code = code.without_blanks();
    std::string_view word = first_word(code.plain);
    if (word == "async") {
        code = code.from(word.size()).without_blanks();
        word = first_word(code.plain);
    }
    if (word == "import" || word == "from") return add_imports(code, out);
    if (word == "def" || word == "class") {
        const Code named = code.from(word.size()).without_blanks();
        out.push_back({Binding::By::definition, std::string(first_word(named.plain))});
        return;
    }
    if (word == "del") return add_targets(code.from(word.size()), Binding::By::deletion, out);
    if (is_one_of(kCompound, word)) {
        const std::size_t colon = colon_of(code.plain), in = word_outside(code.plain, "in");
        if (colon < code.plain.size()) {
            const Code header = code.to(colon);
            if (word == "for" && in < colon) add_targets(header.to(in).from(word.size()), Binding::By::loop, out);
            if (word == "with" || word == "except" || word == "case") add_behind_as(header, out);
            return add_of(code.from(colon + 1), out);
        }
    }
    if (!word.empty() && word != "return" && word != "assert" && word != "yield") return add_assignment_targets(code, out);
    if (code.plain.starts_with('(') || code.plain.starts_with('[') || code.plain.starts_with('*'))
        add_assignment_targets(code, out);
}

}  // namespace

std::string Binding::name() const { return std::string(first_word(target)); }

std::vector<Binding> bindings_of(std::string_view code) {
    const std::string plain = without_quoted(code);
    std::vector<Binding> out;
    add_of({code, plain}, out);
    add_walruses({code, plain}, out);
    return out;
}

}  // namespace gradproof::proof::numpy
