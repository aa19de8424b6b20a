// Sizes that are so many times others.
#include "gradproof/core/proof/language/linear_size.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/platform/from_chars.hpp"
#include "gradproof/core/proof/language/characters.hpp"

namespace gradproof::proof {

Linear plus(Linear a, const Linear& b, double times) {
    for (const auto& [name, number] : b) a[name] += times * number;
    std::erase_if(a, [](const auto& part) { return part.second == 0; });
    return a;
}
std::optional<Linear> linear_in(std::string_view text) {
    double number = 1;
    std::string name;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t digits = number_length(text.substr(i)), letters = identifier_length(text.substr(i));
        if (digits > 0) {
            double factor = 0;
            from_chars(text.data() + i, text.data() + i + digits, factor);
            number *= factor;
        } else if (letters > 0 && name.empty()) {
            name = text.substr(i, letters);
        } else if (letters > 0 || (text[i] != '*' && text[i] != ' ')) {
            return std::nullopt;
        }
        i += std::max<std::size_t>({digits, letters, 1});
    }
    return text.empty() ? std::nullopt : std::optional(Linear{{name, number}});
}
std::string written(const Linear& size) {
    if (size.empty()) return "0";
    const auto& [name, number] = *size.begin();
    if (size.size() > 1 || number < 0) return "";
    return name.empty() ? fmt::format("{}", number) : number == 1 ? name : fmt::format("{} * {}", number, name);
}

}  // namespace gradproof::proof
