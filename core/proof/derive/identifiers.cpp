// Names without what identifiers cannot have.
#include "gradproof/core/proof/derive/identifiers.hpp"

#include <array>
#include <utility>

namespace gradproof::proof {
namespace {

/// Letters that Python takes for others: ℓ would be l.
constexpr auto kSpelled = std::to_array<std::pair<std::string_view, std::string_view>>({{"ℓ", "ell"},
                                                                                        {"ℒ", "loss"},
                                                                                        {"ϕ", "phi"},
                                                                                        {"ϵ", "epsilon"},
                                                                                        {"ϑ", "theta"},
                                                                                        {"ϱ", "rho"},
                                                                                        {"ϖ", "varpi"},
                                                                                        {"ϰ", "kappa"},
                                                                                        {"µ", "mu"}});

}  // namespace

std::vector<std::string_view> reserved_in_python(const std::vector<std::string_view>& more) {
    std::vector<std::string_view> out{"and",    "as",   "assert", "async",  "await",    "break", "class", "continue", "def",
                                      "del",    "elif", "else",   "except", "finally",  "for",   "from",  "global",   "if",
                                      "import", "in",   "is",     "lambda", "nonlocal", "not",   "or",    "pass",     "raise",
                                      "return", "try",  "while",  "with",   "yield",    "None",  "True",  "False"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

const std::string& Identifiers::found(const std::string& key, const std::string& name) {
    if (const auto known = names_.find(key); known != names_.end()) return known->second;
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        // ₀ to ₉ are E2 82 80 to E2 82 89.
        const bool subscript =
            name.compare(i, 2, "\xE2\x82") == 0 && i + 2 < name.size() && static_cast<unsigned char>(name[i + 2]) <= 0x89;
        if (subscript) {
            out += static_cast<char>('0' + (static_cast<unsigned char>(name[i + 2]) - 0x80));
            i += 2;
        } else {
            out += name[i] == '\'' ? '_' : name[i];
        }
    }
    for (const auto& [letter, spelled] : kSpelled)
        for (std::size_t at = 0; (at = out.find(letter, at)) != std::string::npos; at += spelled.size())
            out.replace(at, letter.size(), spelled);
    while (!taken_.insert(out).second) out += "_";
    return names_.emplace(key, out).first->second;
}

}  // namespace gradproof::proof
