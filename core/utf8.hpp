// UTF-8, a character at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gradproof::utf8 {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  ///< 0: no character begins there
};

/// Unicode scalar values: no surrogates.
inline bool is_character(std::uint32_t code) { return code < 0xD800 || (code > 0xDFFF && code < 0x110000); }

/// The first character of `text`; overlong forms, surrogates and cut characters are none.   Source  RFC 3629.
inline Character read(std::string_view text) {
    if (text.empty()) return {};
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
    std::uint32_t code = first & (0xFFu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3F);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    return code >= kLeast[bytes] && is_character(code) ? Character{code, bytes} : Character{};
}

/// Whether all of `text` is valid UTF-8.
inline bool is_text(std::string_view text) {
    for (Character c; !text.empty(); text.remove_prefix(c.bytes))
        if ((c = read(text)).bytes == 0) return false;
    return true;
}

inline void append(std::string& out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) return put(code);
    if (code < 0x800) {
        put(0xC0 | code >> 6);
    } else if (code < 0x10000) {
        put(0xE0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3F));
    } else {
        put(0xF0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3F));
        put(0x80 | (code >> 6 & 0x3F));
    }
    put(0x80 | (code & 0x3F));
}

}  // namespace gradproof::utf8
