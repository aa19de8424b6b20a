// What error lines are made of: text that a terminal can show, and the nearest known word.
#include "gradproof/core/errors.hpp"

#include <algorithm>
#include <vector>

#include "gradproof/core/utf8.hpp"

namespace gradproof {

std::string printable(std::string_view text, std::size_t limit) {
    std::string out;
    while (!text.empty()) {
        if (out.size() >= limit) return out + "...";
        const std::size_t n = utf8::read(text).bytes;
        const auto byte = static_cast<unsigned char>(text[0]);
        if (n == 0 || byte < 0x20 || byte == 0x7F)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += text.substr(0, n);
        text.remove_prefix(n == 0 ? 1 : n);
    }
    return out;
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
