// The characters of the notation: what a blank, a number and a name are made of.
#include "gradproof/core/proof/language/characters.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof {
namespace {

bool is_letter(char32_t c) {
    const auto in = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
    if (in('a', 'z') || in('A', 'Z') || c == '_') return true;
    if (c == 0x3A3) return false;  // Σ is a sum
    const bool latin = in(0xC0, 0xD6) || in(0xD8, 0xF6) || in(0xF8, 0x24F) || in(0x1E00, 0x1EFF);
    const bool of_mathematics = in(0x1D400, 0x1D6A7) && c != 0x1D6A4 && c != 0x1D6A5;  // 𝐱, 𝑾
    return in(0x391, 0x3FF) || latin || of_mathematics || c == 0x2113 || c == 0x2112;
}
/// The hat of x̂, the tilde of x̃: they stand behind their letter.
bool is_accent(char32_t c) { return c >= 0x300 && c <= 0x36F; }
bool is_subscript_letter(char32_t c) { return c == 0x2C7C || (c >= 0x1D62 && c <= 0x1D6A) || (c >= 0x2090 && c <= 0x209C); }
bool is_subscript(char32_t c) { return (c >= 0x2080 && c <= 0x2089) || is_subscript_letter(c); }

char32_t decode(std::string_view text, std::size_t at, std::size_t n) {
    const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
    if (n == 1) return byte(0);
    if (n == 2) return ((byte(0) & 0x1F) << 6) | (byte(1) & 0x3F);
    if (n == 3) return ((byte(0) & 0x0F) << 12) | ((byte(1) & 0x3F) << 6) | (byte(2) & 0x3F);
    return ((byte(0) & 0x07) << 18) | ((byte(1) & 0x3F) << 12) | ((byte(2) & 0x3F) << 6) | (byte(3) & 0x3F);
}

}  // namespace

std::size_t blanks_length(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        if (text[at] == '#')
            at = std::min(text.find('\n', at), text.size());
        else if (std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos)
            ++at;
        else if (text.substr(at).starts_with("\xC2\xA0"))
            at += 2;
        else
            break;
    }
    return at;
}

std::size_t number_length(std::string_view text) {
    const auto digits = [&](std::size_t at) {
        std::size_t n = 0;
        while (at + n < text.size() && text[at + n] >= '0' && text[at + n] <= '9') ++n;
        return n;
    };
    const auto is = [&](std::size_t at, std::string_view set) {
        return at < text.size() && set.find(text[at]) != std::string_view::npos;
    };
    std::size_t at = digits(0);
    if (is(at, ".") && !(is(at + 1, ".") && is(at + 2, ".")) && at + digits(at + 1) > 0) at += 1 + digits(at + 1);
    if (at == 0) return 0;
    const std::size_t power = at + 1 + (is(at + 1, "+-") ? 1 : 0);
    return is(at, "eE") && digits(power) > 0 ? power + digits(power) : at;
}

std::size_t identifier_length(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t n = character_length(text, at);
        if (n == 0) break;
        const char32_t c = decode(text, at, n);
        if (!is_letter(c) && !(at > 0 && ((c >= '0' && c <= '9') || is_subscript(c) || is_accent(c)))) break;
        at += n;
    }
    return at;
}
bool goes_on_in_identifier(char c) { return identifier_length(std::string("a") + c) == 2; }

std::size_t name_length(std::string_view text) {
    std::size_t n = identifier_length(text);
    if (n == 0) return 0;
    if (text[n - 1] == '_' && n > 1 && text.substr(n).starts_with('{')) {
        std::size_t end = n + 1;
        const auto fits = [&](std::size_t at) {
            return text[at] == ',' || text[at] == '+' || text[at] == '-' || text[at] == ' ';
        };
        while (end < text.size() && text[end] != '}') {
            const std::size_t part = text[end] >= '0' && text[end] <= '9' ? 1 : identifier_length(text.substr(end));
            if (part == 0 && !fits(end)) return n;
            end += std::max<std::size_t>(part, 1);
        }
        if (end >= text.size() || end == n + 1) return n;
        n = end + 1;
    }
    constexpr int kMostPrimes = 3;
    for (int k = 0; k < kMostPrimes && n < text.size(); ++k) {
        if (text[n] != '\'' && !text.substr(n).starts_with("′")) break;
        n += text[n] == '\'' ? 1 : 3;
    }
    return n;
}

std::string plain_name(std::string_view written) {
    std::string out;
    for (std::size_t i = 0; i < written.size(); ++i) {
        const char c = written[i];
        if (c == '-' || c == '+')
            out += c == '-' ? 'm' : 'p';
        else if (c == '\'' || written.substr(i).starts_with("′"))
            out += "_prime", i += c == '\'' ? 0 : 2;
        else if (c != '{' && c != '}' && c != ',' && c != ' ')
            out += c;
    }
    return out;
}

std::vector<std::string> identifiers_in(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t n = identifier_length(text.substr(at));
        if (n > 0) out.emplace_back(text.substr(at, n));
        at += std::max(n, std::max<std::size_t>(1, character_length(text, at)));
    }
    return out;
}

std::string in_one_line(std::string_view text) {
    std::string out;
    bool comment = false;
    for (const char c : text) {
        if (c == '#') comment = true;
        if (c == '\n') comment = false;
        const bool blank = comment || c == '\n' || c == '\r' || c == '\t' || c == ' ';
        if (!blank)
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    return out;
}

std::size_t subscripts_length(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t n = character_length(text, at);
        if (n == 0 || !is_subscript_letter(decode(text, at, n))) break;
        at += n;
    }
    return at;
}

char subscript_index(std::string_view letter) {
    switch (decode(letter, 0, letter.size())) {
        case 0x2C7C: return 'j';
        case 0x1D62: return 'i';
        case 0x2096: return 'k';
        case 0x2097: return 'l';
        case 0x2098: return 'm';
        case 0x2099: return 'n';
        case 0x209A: return 'p';
        case 0x209B: return 's';
        case 0x209C: return 't';
        case 0x2090: return 'a';
        default: return 0;
    }
}

}  // namespace gradproof::proof
