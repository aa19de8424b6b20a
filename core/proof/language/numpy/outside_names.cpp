// Names of a program that functions take from outside.
#include "gradproof/core/proof/language/numpy/outside_names.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/bound_again.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/text_functions.hpp"

namespace gradproof::proof::numpy {
bool stands_in(std::string_view code, std::string_view name) {
    char quote = '\0';
    int depth = 0;
    for (std::size_t i = 0; i < code.size();) {
        const std::size_t n = quote == '\0' ? identifier_length(code.substr(i)) : 0;
        if (n > 0 && code.substr(i, n) == name) {
            const std::string_view behind = code.substr(std::min(code.find_first_not_of(' ', i + n), code.size()));
            const bool keyword = depth > 0 && behind.starts_with("=") && !behind.starts_with("==");
            const bool member = i > 0 && code[i - 1] == '.';
            if (!keyword && !member) return true;
        }
        if (n == 0 && (code[i] == '"' || code[i] == '\'')) quote = quote == '\0' ? code[i] : quote == code[i] ? '\0' : quote;
        if (n == 0 && quote == '\0') depth += deeper_by(code[i]);
        i += std::max<std::size_t>(n, 1);
    }
    return false;
}

bool is_of_a_lambda(std::string_view code, std::string_view name) {
    for (std::size_t at = code.find("lambda "); at != code.npos; at = code.find("lambda ", at + 1))
        if (stands_in(code.substr(at + 7, code.find(':', at) - at - 7), name)) return true;
    return false;
}

std::vector<OutsideName> taken_from_outside(const Source& source, Span text, const std::set<std::string, std::less<>>& others) {
    const std::vector<TextFunction> all = functions_in(source, text);
    std::set<std::string> given, given_to_methods;
    for (const TextFunction& one : all) {
        given.insert(one.given.begin(), one.given.end());
        if (one.given.contains("self")) given_to_methods.insert(one.given.begin(), one.given.end());
    }
    const auto is_target = [&](Span s, const std::string& name) {  // (a, b), c = ...
        const auto [at, size] = assignment_in(source, s);
        const std::string_view left = source.slice({s.begin, size > 0 ? at : s.begin});
        return stands_in(left, name) && left.find(name + "[") == left.npos && left.find(name + ".") == left.npos;
    };
    const auto gives = [&](const TextFunction& f, const std::string& name) {
        return f.given.contains(name) || std::ranges::any_of(f.lines, [&](Span s) {
                   return binds(source.slice(s), name) || is_of_a_lambda(source.slice(s), name) || is_target(s, name);
               });
    };
    std::vector<OutsideName> out;
    for (const TextFunction& f : all) {
        std::set<std::string> seen;
        for (const Span s : f.lines) {
            if (source.slice(s).starts_with("assert ")) continue;
            for (const std::string& name : identifiers_in(source.slice(s))) {
                if ((!given.contains(name) && !others.contains(name)) || !stands_in(source.slice(s), name)) continue;
                if (!seen.insert(name).second || gives(f, name)) continue;
                if (std::ranges::any_of(f.around, [&](std::size_t g) { return gives(all[g], name); })) continue;
                out.push_back({name, s, f.given.contains("self") ? given_to_methods : f.given, given.contains(name)});
            }
        }
    }
    return out;
}

}  // namespace gradproof::proof::numpy
