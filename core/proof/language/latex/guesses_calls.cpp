// Brackets, superscripts and functions that may be read in two ways: \alpha(t), f(1), \gamma^T, an encoder f.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/guesses.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/said.hpp"

namespace gradproof::proof::latex {
namespace {

/// Whether words speak of what mixes the entries of a vector.
bool name_a_map(const std::string& words) {
    return has_any(words, {" block ", " encoder ", " decoder ", " feature map ", " feature extractor ", " backbone ",
                           " denoiser ", " vector field ", " subnetwork "});
}

}  // namespace

/// J of J(w, b) = ..., which is written with arguments.
void Guesses::see_arguments(const Tokens& t) {
    for (std::size_t i = 0; i < t.size(); ++i) {
        const NameParts p = parts_of(source_, t, i);
        if (p.base.empty() || p.end >= t.size() || !t[p.end].is_symbol("(")) continue;
        const std::size_t end = end_of_brackets(t, p.end);
        if (end < t.size() && is_equals(t[end])) with_arguments_.insert(p.base);
    }
}
/// f(1), f(g) and f(x + h) of f = x^2; not p(1 - p).
bool Guesses::may_be_value_at(const Assignment& f, const Tokens& inside) const {
    if (inside.empty() || !f.indices.empty() || with_arguments_.contains(f.name) || !is_a_number(*f.value)) return false;
    std::set<std::string> names;
    for (std::size_t i = 0; i < inside.size(); ++i)
        if (const NameParts p = parts_of(source_, inside, i); !p.base.empty()) names.insert(p.base);
    if (names.contains(f.name)) return false;
    const std::set<std::string> of = names_in(*f.value);
    const bool number = names.empty() && inside.size() == 1;
    const bool one_value = names.size() == 1 && inside.size() == 1 && proof_.find(*names.begin()) != nullptr;
    return number || one_value || std::ranges::any_of(names, [&](const std::string& n) { return of.contains(n); });
}
/// \alpha(t) of two values: a product, or \alpha at t.
std::string Guesses::may_be_call(const Mention& m, const std::string& words) const {
    if (!is_of_a_line(m.span)) return "";
    const Tokens& t = m.formula;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const NameParts p = parts_of(source_, t, i);
        if (p.base.empty()) continue;
        const bool opens = p.end == p.base_end && p.end < t.size() && t[p.end].is_symbol("(");
        const std::size_t end = opens ? end_of_brackets(t, p.end) : 0;
        const NameParts of = end > p.end + 2 ? parts_of(source_, t, p.end + 1) : NameParts{};
        const bool numbers = end > p.end + 2 && t[p.end + 1].kind == Token::Kind::digits;
        const NameParts last = numbers ? parts_of(source_, t, p.end + 2) : of;  // \alpha(2 t)
        const Assignment* const computed = proof_.find(p.base);
        const bool value = opens && given(p.base) != nullptr && computed == nullptr;
        const bool bare = t[i].kind != Token::Kind::opening;  // not \sigma of \frac{1}{\sigma}(x - \mu)
        if (computed != nullptr && opens && bare && may_be_value_at(*computed, part_of(t, p.end + 1, end - 1)))
            return fmt::format("{} is read as a product", printable(joined(t, i, end), 40));
        const bool called = has_any(words, {" function # "}) && end > p.end + 2;
        if (value && ((!last.base.empty() && last.end + 1 == end) || called))
            return fmt::format("{} is read as a product", printable(joined(t, i, end), 40));
        i = std::max(i, p.end - 1);
    }
    return "";
}
/// \gamma^T beside \sum_{t=1}^T: a power of a number, or a transpose.
std::string Guesses::may_be_power(const Mention& m) const {
    if (!is_of_a_line(m.span)) return "";
    constexpr std::string_view kNumbers[] = {"\\gamma", "\\alpha", "\\beta", "\\lambda", "\\rho", "\\eta", "\\mu"};
    bool ends = false;  // a sum at T
    for (std::size_t i = 0; i + 1 < m.formula.size(); ++i) {
        if (!m.formula[i].is_symbol("^")) continue;
        const Tokens above = inside_group(source_, m.formula, i + 1);
        if (above.size() != 1 || !above[0].is(Token::Kind::letter, "T") || i == 0) continue;
        const Token& base = m.formula[i - 1];
        if (ends && std::ranges::find(kNumbers, base.text) != std::end(kNumbers))
            return fmt::format("{}^T is read as a transpose, and may be a power", base.text);
        ends = ends || base.kind == Token::Kind::closing || base.is_command("\\sum") || base.is_command("\\prod");
    }
    return "";
}
/// "A residual block: $z = x + f(x)$", where f goes entry by entry.
std::string Guesses::may_mix_entries(const Mention& m, const std::string& words) const {
    if (by_entry_) return "";
    for (std::size_t i = 0; i < m.formula.size(); ++i) {
        const NameParts p = parts_of(source_, m.formula, i);
        if (!is_function(p.base) || !(name_a_map(words) || maps_.contains(p.base))) continue;
        return fmt::format("{} is read entry by entry", printable(p.base, 40));
    }
    return "";
}

}  // namespace gradproof::proof::latex
