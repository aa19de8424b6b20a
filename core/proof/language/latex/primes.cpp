// Primes of transposes.
#include "gradproof/core/proof/language/latex/primes.hpp"

#include <algorithm>
#include <iterator>

namespace gradproof::proof::latex {
namespace {

bool is_latin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The name before a prime, without what stands below it: x of x_t'; "" where none is.
std::string_view name_before(std::string_view text, std::size_t prime) {
    std::size_t end = prime;
    if (end > 0 && text[end - 1] == '}') {
        const std::size_t open = text.rfind('{', end - 1);
        if (open == text.npos || open == 0 || text[open - 1] != '_') return "";
        end = open - 1;
    } else if (end > 2 && text[end - 2] == '_') {
        end -= 2;
    }
    std::size_t begin = end;
    while (begin > 0 && is_latin(text[begin - 1])) --begin;
    const bool is_command = begin > 0 && text[begin - 1] == '\\';
    return is_command || begin + 1 == end ? text.substr(begin - (is_command ? 1 : 0), end - begin + (is_command ? 1 : 0)) : "";
}

/// Whether it is within _{...}: a prime there is one of an index.
bool is_below(std::string_view text, std::size_t at) {
    int open = 0;
    constexpr std::size_t kLongest = 60;
    for (std::size_t i = at; i-- > 0 && at - i < kLongest;) {
        open += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
        if (open > 0) return i > 0 && text[i - 1] == '_';
        if (text[i] == '$' || text[i] == '\n') return false;
    }
    return false;
}

/// Whether the name stands there again before the product ends.
bool stands_again(std::string_view name, std::string_view behind) {
    constexpr std::size_t kNear = 40;
    behind = behind.substr(0, std::min(behind.find_first_of("=+&$,."), kNear));
    for (std::size_t at = 0; at < behind.size();) {
        std::size_t end = at + 1;
        if (behind[at] == '\\')
            while (end < behind.size() && is_latin(behind[end])) ++end;
        const std::string_view here = behind.substr(at, end - at);
        if (here == name) return true;
        constexpr std::string_view kStops[] = {"\\", "\\end", "\\begin", "\\text", "\\quad", "\\qquad", "\\label"};
        if (std::ranges::find(kStops, here) != std::end(kStops)) return false;
        at = end;
    }
    return false;
}

/// Whether a prime ends a name that stands alone: of k(x, x'), $x'$ and x' \in.
bool stands_alone(std::string_view text, std::size_t prime) {
    const std::string_view name = name_before(text, prime);
    if (name.empty()) return false;
    const std::size_t begin = static_cast<std::size_t>(name.data() - text.data());
    const std::size_t before = begin == 0 ? text.npos : text.find_last_not_of(" {", begin - 1);
    std::size_t behind = text.find_first_not_of(" }", prime + 1);
    if (before == text.npos || behind == text.npos || behind == prime) return false;
    const std::string_view rest = text.substr(behind);
    const bool ends = rest[0] == ',' || rest[0] == ')' || rest[0] == '$' || rest.starts_with("\\in ") ||
                      rest.starts_with("\\in\\") || rest.starts_with("\\)");
    return ends && (text[before] == '$' || text[before] == ',' || text[before] == '(');
}

}  // namespace

bool primes_transpose(const Source& source) {
    const std::string_view text = source.text();
    constexpr std::string_view kOthers[] = {"\\top",   "\\intercal",    "^T",           "^{T",          "\\mathsf",
                                            "\\trans", "^{\\mathrm{T}", "^\\mathrm{T}", "^{\\mathrm T}"};
    if (std::ranges::any_of(kOthers, [&](std::string_view one) { return text.find(one) != text.npos; })) return false;
    const bool said = text.find("ranspos") != text.npos;
    for (std::size_t at = text.find('\''); at != text.npos && !said; at = text.find('\'', at + 1))
        if (stands_alone(text, at) && !is_below(text, at)) return false;
    for (std::size_t at = text.find('\''); at != text.npos; at = text.find('\'', at + 1)) {
        const std::string_view behind = text.substr(at + 1);
        if (at == 0 || behind.starts_with('\'') || text[at - 1] == '\'' || behind.starts_with("s ") || behind.starts_with('('))
            continue;
        if (is_below(text, at)) continue;
        if (text[at - 1] == ')') return true;
        if (const std::string_view name = name_before(text, at); !name.empty() && stands_again(name, behind)) return true;
    }
    return false;
}

Tokens with_transposes(const Tokens& tokens) {
    Tokens out;
    std::vector<bool> below;  // of the braces that are open
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (t.kind == Token::Kind::opening)
            below.push_back((!below.empty() && below.back()) || (i > 0 && tokens[i - 1].is_symbol("_")));
        if (t.kind == Token::Kind::closing && !below.empty()) below.pop_back();
        const bool in_index = !below.empty() && below.back();
        const bool prime = t.is_symbol("'") && !in_index && i > 0 && !tokens[i - 1].is_symbol("'") &&
                           (i + 1 == tokens.size() || !tokens[i + 1].is_symbol("'"));
        const bool called = prime && i + 1 < tokens.size() && tokens[i + 1].is_symbol("(");
        const Token& before = tokens[i > 0 ? i - 1 : 0];
        const bool array = before.is_symbol(")") || (!before.text.empty() && before.text[0] >= 'A' && before.text[0] <= 'Z');
        if (!prime || (called && !array)) {
            out.push_back(t);
            continue;
        }
        out.push_back({Token::Kind::symbol, "^", t.span, t.blank});
        out.push_back({Token::Kind::command, "\\top", t.span, false});
    }
    return out;
}

}  // namespace gradproof::proof::latex
