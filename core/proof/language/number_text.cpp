// Numbers as they are written, read as doubles.
#include "gradproof/core/proof/language/number_text.hpp"

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/from_chars.hpp"

namespace gradproof::proof {
namespace {

/// 25 of 0.0250 and of 2.5e3.
std::string significant_digits(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, text.find_first_of("eE")))
        if (c != '.' && (c != '0' || !out.empty())) out += c;
    out.erase(out.find_last_not_of('0') + 1);
    return out;
}

}  // namespace

NumberText number_of(std::string_view text, bool rounds) {
    constexpr std::size_t kHeld = 15;  // digits of any number
    constexpr std::size_t kShown = 40;
    NumberText out;
    if (from_chars(text.data(), text.data() + text.size(), out.value).ec == std::errc::result_out_of_range) {
        out.why = fmt::format("{} does not fit a double", printable(text, kShown));
        return out;
    }
    const std::string digits = significant_digits(text);
    if (digits.size() <= kHeld) return out;
    const bool whole = text.find_first_of(".eE") == text.npos;
    const bool another = significant_digits(fmt::format("{:.{}e}", out.value, digits.size() - 1)) != digits;
    const bool rounder = significant_digits(fmt::format("{}", out.value)).size() <= kHeld;  // 1 of 1.0000000000000001
    if (another && (whole || (rounder && !rounds)))
        out.why = fmt::format("a double for {} is {}: write the digits that count", printable(text, kShown), out.value);
    return out;
}

}  // namespace gradproof::proof
