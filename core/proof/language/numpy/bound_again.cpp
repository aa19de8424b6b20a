// Lines that give a name to something else.
#include "gradproof/core/proof/language/numpy/bound_again.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/notebook.hpp"
#include "gradproof/core/proof/language/numpy/bindings.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {
namespace {

bool is_import(std::string_view code) {
    const std::string_view text = code.substr(std::min(code.find_first_not_of(' '), code.size()));
    return text.starts_with("import ") || text.starts_with("from ");
}

}  // namespace

bool binds(std::string_view code, std::string_view name) {
    const std::string_view word = first_word(code);
    if (word == "global" || word == "nonlocal") return is_one_of(identifiers_in(code.substr(word.size())), name);
    return std::ranges::any_of(bindings_of(code), [&](const Binding& b) {
        return b.target == name || (b.target.starts_with(name) && b.target[name.size()] == '.');
    });
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
