// What is kept under other names.
#include "gradproof/core/proof/language/numpy/saved.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {

ExprPtr Saved::find(std::string_view key) const {
    const auto found = kept_.find(key);
    return found == kept_.end() ? nullptr : found->second.value;
}

void Saved::keep(const std::string& key, const ExprPtr& value, int function) {
    const auto [at, fresh] = kept_.emplace(key, Kept{value, function});
    if (fresh) return;
    const bool elsewhere = at->second.function != function;
    const bool same = at->second.value && text_of(*at->second.value) == text_of(*value);
    at->second = {elsewhere && !same ? nullptr : value, function};
}

std::vector<std::string> Saved::keys_of(const std::string& value) const {
    std::vector<std::string> out;
    for (const auto& [key, kept] : kept_)
        if (kept.value && mentions(*kept.value, value)) out.push_back(key.substr(key.find('.') + 1));
    return out;
}

void Saved::rename(const std::string& from, const std::string& to, bool in_place) {
    for (auto& [key, kept] : kept_)
        if (kept.value && !(in_place && is_kept_whole(*kept.value))) kept.value = renamed(kept.value, from, to);
}

std::optional<Place> place_of(const Source& source, Span s) {
    const std::string_view text = source.slice(s);
    const std::size_t n = identifier_length(text);
    if (n == 0 || n + 1 >= text.size()) return std::nullopt;
    Place out;
    out.owner = std::string(text.substr(0, n));
    std::size_t at = n + 1;
    const char quote = text[at];
    const bool in_brackets = text[n] == '[' && (quote == '"' || quote == '\'');
    if (in_brackets) ++at;
    if (!in_brackets && text[n] != '.') return std::nullopt;
    const std::size_t size = identifier_length(text.substr(at));
    if (size == 0) return std::nullopt;
    const std::string close = in_brackets ? std::string(1, quote) + "]" : "";
    if (text.substr(at + size) != close) return std::nullopt;
    out.member = {s.begin + at, s.begin + at + size};
    out.key = out.owner + "." + std::string(source.slice(out.member));
    return out;
}

bool is_tuple(const Expr& e) {
    return e.kind == Kind::array && !e.children.empty() &&
           std::ranges::all_of(e.children, [](const ExprPtr& c) { return is_kept_whole(*c); });
}

bool is_kept_whole(const Expr& e) {
    return e.kind == Kind::name || e.kind == Kind::gradient || e.kind == Kind::helper || e.kind == Kind::ellipsis || is_tuple(e);
}

}  // namespace gradproof::proof::numpy
