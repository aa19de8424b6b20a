// Names as Python takes them.
#include "gradproof/core/proof/language/numpy/python_names.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {
namespace {

struct Letter {
    std::string_view written, taken;
};
/// Those of the letters that a name may have, but for the alphabets of mathematics.
constexpr auto kLetters = std::to_array<Letter>({
    {"ϐ", "β"}, {"ϑ", "θ"}, {"ϒ", "Υ"}, {"ϕ", "φ"}, {"ϖ", "π"}, {"ϰ", "κ"}, {"ϱ", "ρ"}, {"ϲ", "ς"}, {"ϴ", "Θ"},
    {"ϵ", "ε"}, {"ℒ", "L"}, {"ℓ", "l"}, {"ᵢ", "i"}, {"ᵣ", "r"}, {"ᵤ", "u"}, {"ᵥ", "v"}, {"ᵦ", "β"}, {"ᵧ", "γ"},
    {"ᵨ", "ρ"}, {"ᵩ", "φ"}, {"ᵪ", "χ"}, {"ₐ", "a"}, {"ₑ", "e"}, {"ₒ", "o"}, {"ₓ", "x"}, {"ₕ", "h"}, {"ₖ", "k"},
    {"ₗ", "l"}, {"ₘ", "m"}, {"ₙ", "n"}, {"ₚ", "p"}, {"ₛ", "s"}, {"ₜ", "t"}, {"ⱼ", "j"},
});
/// x of 𝐱, 𝑥 and 𝗑: alphabets of 52 letters stand one behind another.
char letter_of_mathematics(std::string_view four_bytes) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(four_bytes[i])); };
    constexpr unsigned kFirst = 0x1D400, kAlphabet = 26;
    const unsigned at =
        (((byte(0) & 7u) << 18 | (byte(1) & 63u) << 12 | (byte(2) & 63u) << 6 | (byte(3) & 63u)) - kFirst) % (2 * kAlphabet);
    return static_cast<char>(at < kAlphabet ? 'A' + at : 'a' + (at - kAlphabet));
}

std::string as_python_takes(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size();) {
        const std::string_view rest = name.substr(i);
        const auto found = std::ranges::find_if(kLetters, [&](const Letter& l) { return rest.starts_with(l.written); });
        const bool of_mathematics = rest.starts_with("\xF0\x9D") && rest.size() > 3;
        if (found != kLetters.end())
            out += found->taken;
        else
            out += of_mathematics ? letter_of_mathematics(rest) : rest[0];
        i += found != kLetters.end() ? found->written.size() : of_mathematics ? 4 : 1;
    }
    return out;
}

}  // namespace

std::optional<SameName> same_for_python(const Source& source, Span text) {
    std::map<std::string, std::string, std::less<>> written;
    for (const Span s : statements_or_lines(source, text)) {
        const Span line = code_of(source, s);
        const std::string_view code = source.slice(line);
        for (std::size_t i = 0; i < code.size();) {
            const std::size_t size = std::max<std::size_t>(identifier_length(code.substr(i)), 1);
            const std::string_view name = code.substr(i, size);
            const auto [first, is_new] = written.emplace(as_python_takes(name), name);
            if (!is_new && first->second != name) return SameName{{line.begin + i, line.begin + i + size}, first->second};
            i += size;
        }
    }
    return std::nullopt;
}

}  // namespace gradproof::proof::numpy
