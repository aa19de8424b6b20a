// Reading printed numbers.
#include "gradproof/core/proof/judge/printed.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/from_chars.hpp"

namespace gradproof::proof {

Printed parse_printed(const std::string& text) {
    Printed out;
    const char* end = text.data() + text.size();
    const char* begin = text.data() + (text.size() > 1 && text[0] == '+' ? 1 : 0);
    const auto [rest, error] = from_chars(begin, end, out.value);
    if (error != std::errc() || rest != end || !std::isfinite(out.value)) value_error("\"{}\" is not a number", text);
    const auto exponent_at = std::min(text.find_first_of("eE"), text.size());
    const auto dot = text.find('.');
    const int decimals = dot < exponent_at ? static_cast<int>(exponent_at - dot - 1) : 0;
    const int exponent = exponent_at < text.size() ? std::stoi(text.substr(exponent_at + 1)) : 0;
    out.half_unit = 0.5 * std::pow(10.0, exponent - decimals);
    return out;
}

}  // namespace gradproof::proof
