// What error lines are made of: text that a terminal can show, and the nearest known word.
#include "gradproof/core/errors.hpp"

#include <algorithm>
#include <vector>

#include "gradproof/core/utf8.hpp"

namespace gradproof {

namespace {

/// Characters that a terminal obeys, or that change the order of others.
bool is_control(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/// The start of `text`, `limit` bytes of it or a little more when escaped, which is taken off there.
std::string take_escaped(std::string_view& text, std::size_t limit) {
    std::string out;
    while (!text.empty() && out.size() < limit) {
        const utf8::Character c = utf8::read(text);
        if (c.bytes == 0 || (c.bytes == 1 && is_control(c.code)))
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        else if (is_control(c.code))
            out += fmt::format("\\u{{{:x}}}", c.code);
        else
            out += text.substr(0, c.bytes);
        text.remove_prefix(std::max<std::size_t>(1, c.bytes));
    }
    return out;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
    constexpr std::size_t kMessage = 400;  // of what is as long as this the end says something too
    std::string_view rest = text;
    if (std::string all = take_escaped(rest, limit); rest.empty()) return all;
    const std::size_t end = limit < kMessage ? 0 : limit / 4;
    rest = text;
    const std::string begin = take_escaped(rest, limit - end) + "...";
    rest.remove_prefix(rest.size() - std::min(rest.size(), end));
    while (!rest.empty() && (static_cast<unsigned char>(rest[0]) & 0xC0) == 0x80) rest.remove_prefix(1);
    return begin + take_escaped(rest, limit);
}

std::size_t nearest_limit(std::size_t letters) { return letters < 2 ? 1 : std::max<std::size_t>(letters / 3, 1) + 1; }

std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> before, last, row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = std::exchange(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

}  // namespace gradproof
