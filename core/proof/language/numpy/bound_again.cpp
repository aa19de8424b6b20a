// Lines that give a name to something else.
#include "gradproof/core/proof/language/numpy/bound_again.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/notebook.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {
namespace {

/// The word that ends right before `at`, blanks left out; "" where another character stands there.
std::string_view word_before_blanks(std::string_view code, std::size_t at) {
    while (at > 0 && code[at - 1] == ' ') --at;
    return word_before(code, at);
}
/// A single = outside of brackets; npos where there is none.
std::size_t equals_in(std::string_view code) {
    int depth = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
        depth += deeper_by(code[i]);
        const bool other = i > 0 && std::string_view("=<>!:").find(code[i - 1]) != std::string_view::npos;
        if (code[i] == '=' && depth == 0 && !other && code.substr(i, 2) != "==") return i;
    }
    return std::string_view::npos;
}
/// Of f = ..., g = f = ..., f: object = ..., *f, g = ..., f.__code__ = ..., (f := ...).
bool is_assigned(std::string_view code, std::size_t begin, std::size_t end, int depth) {
    const std::string_view rest = code.substr(std::min(code.find_first_not_of(' ', end), code.size()));
    if (rest.starts_with(":=")) return true;
    if (depth > 0) return false;
    const std::size_t equals = equals_in(rest);
    if (equals == std::string_view::npos) return false;
    const std::string_view between = rest.substr(0, equals);
    const bool begins = code.find_first_not_of(" *") == begin;
    return between.find_first_not_of(" ") == std::string_view::npos ||
           (begins && std::string_view(":.,").find(between[0]) != std::string_view::npos) ||
           (between[0] == ',' && between.find_first_of("(") == std::string_view::npos);
}
/// The f of for i, f in ...
bool is_of_a_loop(std::string_view code, std::size_t begin, std::size_t end) {
    const std::string_view before = code.substr(0, begin);
    const std::size_t loop = before.rfind("for ");
    return loop != std::string_view::npos && before.find(" in ", loop) == std::string_view::npos &&
           code.find(" in ", end - 1) != std::string_view::npos &&
           before.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_, (*", loop) ==
               std::string_view::npos;
}
bool is_import(std::string_view code) {
    const std::string_view text = code.substr(std::min(code.find_first_not_of(' '), code.size()));
    return text.starts_with("import ") || text.starts_with("from ");
}

}  // namespace

bool binds(std::string_view code, std::string_view name) {
    constexpr std::array<std::string_view, 9> kBind{"as", "for", "class", "import", "def", "global", "nonlocal", "del", "case"};
    int depth = 0;
    char quote = '\0';
    for (std::size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
            continue;
        }
        if (c == '"' || c == '\'') quote = c;
        depth += deeper_by(c);
        const std::size_t size = identifier_length(code.substr(i));
        if (size == 0) continue;
        const bool is_name = code.substr(i, size) == name && (i == 0 || code[i - 1] != '.');
        const std::string_view before = word_before_blanks(code, i);
        if (is_name && (is_import(code) || std::ranges::find(kBind, before) != kBind.end() ||
                        is_assigned(code, i, i + size, depth) || is_of_a_loop(code, i, i + size)))
            return true;
        i += size - 1;
    }
    return false;
}

bool binds_unseen(std::string_view code) {
    constexpr std::array<std::string_view, 3> kAny{"exec(", "globals()", "setattr("};
    if (runs_other_code(code)) return true;
    const bool all = is_import(code) && code.find('*') != std::string_view::npos;
    const bool known = code.find(" numpy ") != std::string_view::npos || code.find(" jax.numpy ") != std::string_view::npos;
    return (all && !known) ||
           std::ranges::any_of(kAny, [&](std::string_view one) { return code.find(one) != std::string_view::npos; });
}

}  // namespace gradproof::proof::numpy
