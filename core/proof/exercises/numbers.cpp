// Typed numbers.
#include "gradproof/core/proof/exercises/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/from_chars.hpp"

namespace gradproof::proof {
namespace {

constexpr std::string_view kDigits = "0123456789";

std::vector<std::string> split(std::string_view text, std::string_view at) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = text.find_first_not_of(at, i);
        if (begin == std::string_view::npos) break;
        const std::size_t end = std::min(text.find_first_of(at, begin), text.size());
        out.emplace_back(text.substr(begin, end - begin));
        i = end;
    }
    return out;
}

/// 2,50: a comma between digits, once, and no point.
bool has_comma_for_point(const std::string& word) {
    const std::size_t comma = word.find(',');
    return comma != std::string::npos && comma > 0 && comma + 1 < word.size() && word.find(',', comma + 1) == std::string::npos &&
           word.find('.') == std::string::npos && kDigits.find(word[comma - 1]) != std::string_view::npos &&
           kDigits.find(word[comma + 1]) != std::string_view::npos;
}

std::optional<double> value_of(std::string_view word) {
    double value = 0;
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [end, error] = from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::string with_decimals(const std::string& word, std::size_t decimals) {
    const auto refuse = [&] { value_error("{} is not a number: write numbers such as 0.25, -3 or 1/3", printable(word, 40)); };
    if (const std::size_t slash = word.find('/'); slash != std::string::npos) {
        const auto above = value_of(std::string_view(word).substr(0, slash)),
                   below = value_of(std::string_view(word).substr(slash + 1));
        if (!above || !below || *below == 0) refuse();
        return fmt::format("{:.{}f}", *above / *below, std::max<std::size_t>(decimals, 6));
    }
    const auto value = value_of(word);
    if (!value) refuse();
    std::string out = word.starts_with('+') ? word.substr(1) : word;
    if (out.find_first_of("eE") != std::string::npos) return fmt::format("{:.{}f}", *value, decimals);
    if (out.starts_with('.')) out = "0" + out;
    if (out.starts_with("-.")) out = "-0" + out.substr(1);
    if (decimals > 0 && out.find('.') == std::string::npos) out += '.';
    while (decimals_of(out) < decimals) out += '0';
    if (out.ends_with('.')) out.pop_back();
    return out;
}

}  // namespace

std::size_t decimals_of(std::string_view number) {
    const std::size_t point = number.find('.');
    if (point == std::string_view::npos) return 0;
    const std::size_t end = std::min(number.find_first_not_of(kDigits, point + 1), number.size());
    return end - point - 1;
}

std::string typed_numbers(std::string_view text, std::size_t count, std::size_t decimals) {
    std::string plain(text);
    for (const std::string_view name : {"np.array", "torch.tensor", "array"})
        if (const std::size_t at = plain.find(name); at != std::string::npos) plain.erase(at, name.size());
    for (std::size_t at = 0; (at = plain.find("−", at)) != std::string::npos;)
        plain.replace(at, std::string_view("−").size(), "-");
    std::ranges::replace_if(
        plain, [](char c) { return std::string_view("()[]{}\t\n\r").find(c) != std::string_view::npos; }, ' ');
    const std::vector<std::string> words = split(plain, " ;"), numbers = split(plain, " ;,");
    const bool commas = !words.empty() && std::ranges::all_of(words, [](const std::string& w) {
        return has_comma_for_point(w) || w.find_first_not_of("0123456789+-") == std::string::npos;
    }) && std::ranges::any_of(words, has_comma_for_point);
    if (commas && words.size() == count && numbers.size() != count) {
        std::string as = words.front();
        std::ranges::replace(as, ',', '.');
        value_error("numbers are written with a point: {}, and not {}", as, words.front());
    }
    if (numbers.size() != count)
        value_error("{} number{} asked for, got {}", count, count == 1 ? " is" : "s are", numbers.size());
    std::string out;
    for (const std::string& n : numbers) out += (out.empty() ? "" : ", ") + with_decimals(n, decimals);
    return count == 1 ? out : "[" + out + "]";
}

}  // namespace gradproof::proof
