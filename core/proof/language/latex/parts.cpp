// Sections that begin anew.
#include "gradproof/core/proof/language/latex/parts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "gradproof/core/proof/language/latex/asides.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/missing.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/other_cases.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool begins_line(const Source& source, const Token& t) { return t.span.begin == 0 || source.text()[t.span.begin - 1] == '\n'; }
/// (1) and (a).
bool is_number_of_item(const Source& source, const Token& bracket) {
    const std::string_view text = source.text().substr(bracket.span.begin);
    return text.size() > 3 && text[2] == ')' && text[3] == ' ' && std::isalnum(static_cast<unsigned char>(text[1])) != 0;
}

/// Where sections, slides, paragraphs with a title and the items of lists begin.
std::vector<std::size_t> sections_in(const Source& source, Span text) {
    constexpr auto kAll = std::to_array<std::string_view>(
        {"\\part", "\\chapter", "\\section", "\\subsection", "\\subsubsection", "\\paragraph", "\\subparagraph", "\\item"});
    std::vector<std::size_t> out;
    Lexer lexer(source, text);
    for (Token t = lexer.next(); t.kind != none; t = lexer.next()) {
        if (t.kind == ends && t.text == "document") break;
        const bool frame = t.kind == begins && t.text == "frame", bold = t.is_command("\\textbf") && begins_line(source, t);
        const bool numbered = t.is_symbol("(") && begins_line(source, t) && is_number_of_item(source, t);
        if (frame || bold || numbered || (t.kind == command && std::ranges::find(kAll, t.text) != kAll.end()))
            out.push_back(t.span.begin);
        skips_verbatim(lexer, t);
    }
    return out;
}

/// What a name stands for, as a text states or defines it.
struct Meaning {
    std::string key;
    bool is_defined = false;  ///< by an equation; else its sizes are stated
    std::vector<std::string> sizes{};
    std::string fill{};
    bool of_entries = false;  ///< it has a letter below, or in brackets above
};
/// A section, or several, with the bases of names.
struct PaperPart {
    Span span;
    bool is_case = false;  ///< it begins as another case of what stands above
    bool has_formulas = false;
    std::multimap<std::string, Meaning> meanings{};
    std::set<std::string> used{};

    void append(PaperPart next) {
        span.end = next.span.end;
        has_formulas = has_formulas || next.has_formulas;
        meanings.merge(next.meanings);
        used.merge(next.used);
    }
};

Meaning meaning(const NameParts& p) {
    const bool below = p.has_below && !p.below.empty() && p.below[0].kind == letter;
    return {.key = p.key(p.has_above, p.has_below, p.primed), .of_entries = below || (p.has_above && p.above[0].is_symbol("("))};
}

/// Whether they cannot both be meant. x_i may be an entry or a row of x, but not when it has as many axes.
bool contradict(const Meaning& a, const Meaning& b) {
    if (a.is_defined || b.is_defined) return false;
    if (a.key == b.key) return a.sizes != b.sizes || (!a.fill.empty() && !b.fill.empty() && a.fill != b.fill);
    if (a.of_entries == b.of_entries) return false;
    const Meaning &whole = a.of_entries ? b : a, &entry = a.of_entries ? a : b;
    return entry.sizes.size() >= whole.sizes.size() || (entry.fill == "signs" && whole.fill != "signs");
}

/// Whether a name cannot mean the same in both.
bool contradict(const PaperPart& before, const PaperPart& now) {
    return std::ranges::any_of(now.meanings, [&](const auto& one) {
        const auto [first, last] = before.meanings.equal_range(one.first);
        return std::any_of(first, last, [&](const auto& other) { return contradict(one.second, other.second); });
    });
}
/// Whether a part uses what another one defines.
bool builds_on(const PaperPart& other, const PaperPart& part) {
    return std::ranges::any_of(other.meanings, [&](const auto& m) {
        return m.second.is_defined && part.used.contains(m.first) && !part.meanings.contains(m.first);
    });
}
/// Whether it says anew what something is, as lists of examples do.
bool redefines(const PaperPart& before, const PaperPart& now) {
    return std::ranges::any_of(now.meanings, [&](const auto& one) {
        const auto [first, last] = before.meanings.equal_range(one.first);
        return one.second.is_defined && (now.is_case || !one.second.of_entries) &&
               std::any_of(first, last,
                           [&](const auto& other) { return other.second.is_defined && other.second.key == one.second.key; });
    });
}
/// Whether it does, and needs nothing else of what stands before.
bool says_anew(const PaperPart& before, const PaperPart& now) { return redefines(before, now) && !builds_on(before, now); }
bool begins_anew(const PaperPart& before, const PaperPart& now) {
    if (!before.has_formulas || !now.has_formulas) return false;
    if (says_anew(before, now)) return true;
    return contradict(before, now) || (!now.meanings.empty() && !builds_on(before, now) && !builds_on(now, before));
}

/// Those of a text, with what it states and defines.
class PaperParts {
  public:
    PaperParts(const Source& source, Span text) : source_(source) {
        std::size_t begin = text.begin;
        std::map<std::size_t, bool> parts;  // by where they begin, whether they are cases
        for (const std::size_t next : other_cases_in(source, text)) parts[next] = true;
        for (const std::size_t next : sections_in(source, text)) parts[next] = false;
        bool is_case = false;
        for (const auto& [next, of_case] : parts) {
            if (next == begin) continue;
            all_.push_back({.span = {begin, next}, .is_case = is_case});
            begin = next;
            is_case = of_case;
        }
        all_.push_back({.span = {begin, text.end}, .is_case = is_case});
        for (const Stated& s : stated_in(source, text)) state(s);
        Document document(source, text);
        while (const std::optional<Part> part = document.next())
            if (part->note.kind != note)
                for (const Equation& e : equations_of(source, {{}, document.expanded(part->tokens), part->span})) define(e);
        for (const Equation& e : defined_within_sentences(source, text)) define(e);
    }
    std::vector<PaperPart> take() { return std::move(all_); }

  private:
    PaperPart& at(std::size_t place) {
        const auto behind = std::ranges::lower_bound(all_, place + 1, {}, [](const PaperPart& s) { return s.span.end; });
        return behind == all_.end() ? all_.back() : *behind;
    }
    void state(const Stated& s) {
        if (s.compared) return;
        const NameParts p = parts_of(source_, s.name, 0);
        Meaning m = meaning(p);
        m.fill = s.fill;
        for (const Tokens& size : s.sizes) m.sizes.push_back(joined(size, 0, size.size()));
        at(s.name.front().span.begin).meanings.emplace(p.base, std::move(m));
    }
    /// L of \partial L and \nabla_x L: what the gradient comes in from.
    bool is_differentiated_loss(const Tokens& t, std::size_t at) const {
        constexpr std::size_t kNear = 40;
        if (!is_usual_loss(parts_of(source_, t, at).base)) return false;
        for (std::size_t i = at - std::min(at, kNear); i < at; ++i) {
            if (!is_derivative_sign(t[i])) continue;
            std::size_t of = i + 1;
            while (of < at && (t[of].is_symbol("_") || t[of].is_symbol("^"))) of = end_of_group(source_, t, of + 1);
            if (of == at) return true;
        }
        return false;
    }
    void define(const Equation& e) {
        PaperPart& here = at(e.span.begin);
        here.has_formulas = true;
        const Tokens none_left, &left = e.left ? *e.left : none_left;
        for (const Tokens* side : {&left, &e.right})
            for (std::size_t i = 0; i < side->size(); ++i)
                if (!is_differentiated_loss(*side, i)) here.used.insert(parts_of(source_, *side, i).base);
        const NameParts p = left.empty() || e.chained || is_derivative_sign(left[0]) ? NameParts{} : parts_of(source_, left, 0);
        if (p.base.empty() || p.primed || (p.end != left.size() && !left[p.end].is_symbol("("))) return;
        Meaning m = meaning(p);
        m.is_defined = true;
        here.meanings.emplace(p.base, std::move(m));
    }

    const Source& source_;
    std::vector<PaperPart> all_;
};

}  // namespace

std::vector<Span> derivations_in(const Source& source, Span text) {
    constexpr std::size_t kMost = 40;  // each looks through what stands before it
    if (has_annotations(source, text)) return {text};
    std::vector<PaperPart> sections, out;
    for (PaperPart& s : PaperParts(source, text).take())  // a case that says nothing anew goes on with its section
        if (sections.empty() || !s.is_case || says_anew(sections.back(), s))
            sections.push_back(std::move(s));
        else
            sections.back().append(std::move(s));
    for (PaperPart& s : sections)
        if (out.empty() || (out.size() < kMost && begins_anew(out.back(), s)))
            out.push_back(std::move(s));
        else
            out.back().append(std::move(s));
    std::vector<Span> spans;
    for (const PaperPart& s : out) spans.push_back(s.span);
    return spans;
}

}  // namespace gradproof::proof::latex
