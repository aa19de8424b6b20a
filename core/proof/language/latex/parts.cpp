// Sections that begin anew.
#include "gradproof/core/proof/language/latex/parts.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/missing.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// Where sections begin.
std::vector<std::size_t> sections_in(const Source& source, Span text) {
    constexpr auto kAll =
        std::to_array<std::string_view>({"\\part", "\\chapter", "\\section", "\\subsection", "\\subsubsection"});
    std::vector<std::size_t> out;
    Lexer lexer(source, text);
    for (Token t = lexer.next(); t.kind != none; t = lexer.next()) {
        if (t.kind == ends && t.text == "document") break;
        if (t.kind == command && std::ranges::find(kAll, t.text) != kAll.end()) out.push_back(t.span.begin);
        skips_verbatim(lexer, t);
    }
    return out;
}

/// Where displayed formulas begin.
std::vector<std::size_t> formulas_in(const Source& source, Span text) {
    std::vector<std::size_t> out;
    Document document(source, text);
    while (const std::optional<Part> part = document.next())
        if (part->note.kind != note) out.push_back(part->span.begin);
    return out;
}
bool has_one_of(Span text, const std::vector<std::size_t>& places) {
    const auto first = std::ranges::lower_bound(places, text.begin);
    return first != places.end() && *first < text.end;
}

/// A name with its space, as a text states it.
struct Meaning {
    std::string key;
    std::vector<std::string> sizes;
    std::string fill;
    bool of_entries = false;  ///< it has a letter below
};
/// By the bases of the names.
using StatedMeanings = std::multimap<std::string, Meaning>;

StatedMeanings meanings_of(const Source& source, const std::vector<Stated>& all, Span text) {
    StatedMeanings out;
    for (const Stated& s : all) {
        const std::size_t at = s.name.front().span.begin;
        if (s.compared || at < text.begin || at >= text.end) continue;
        const NameParts p = parts_of(source, s.name, 0);
        Meaning m{p.key(p.has_above, p.has_below, p.primed), {}, s.fill, p.has_below && p.below[0].kind == letter};
        for (const Tokens& size : s.sizes) m.sizes.push_back(joined(size, 0, size.size()));
        out.emplace(p.base, std::move(m));
    }
    return out;
}

/// Whether they cannot both be meant. x_i may be an entry or a row of x, but not when it has as many axes.
bool contradict(const Meaning& a, const Meaning& b) {
    if (a.key == b.key) return a.sizes != b.sizes || (!a.fill.empty() && !b.fill.empty() && a.fill != b.fill);
    if (a.of_entries == b.of_entries) return false;
    const Meaning &whole = a.of_entries ? b : a, &entry = a.of_entries ? a : b;
    return entry.sizes.size() >= whole.sizes.size() || (entry.fill == "signs" && whole.fill != "signs");
}
bool contradict(const StatedMeanings& before, const StatedMeanings& now) {
    return std::ranges::any_of(now, [&](const auto& one) {
        const auto [first, last] = before.equal_range(one.first);
        return std::any_of(first, last, [&](const auto& other) { return contradict(one.second, other.second); });
    });
}

}  // namespace

std::vector<Span> derivations_in(const Source& source, Span text) {
    constexpr std::size_t kMost = 20;
    const std::vector<std::size_t> sections = sections_in(source, text);
    if (sections.empty() || has_annotations(source, text)) return {text};
    const std::vector<Stated> stated = stated_in(source, text);
    const std::vector<std::size_t> formulas = formulas_in(source, text);
    std::vector<Span> out{{text.begin, text.begin}};
    StatedMeanings known;
    for (std::size_t i = 0; i <= sections.size(); ++i) {
        const Span section{i == 0 ? text.begin : sections[i - 1], i < sections.size() ? sections[i] : text.end};
        const StatedMeanings now = meanings_of(source, stated, section);
        const bool both_derive = has_one_of(out.back(), formulas) && has_one_of(section, formulas);
        if (both_derive && out.size() < kMost && contradict(known, now)) {
            out.push_back({section.begin, section.begin});
            known.clear();
        }
        known.insert(now.begin(), now.end());
        out.back().end = section.end;
    }
    return out;
}

}  // namespace gradproof::proof::latex
