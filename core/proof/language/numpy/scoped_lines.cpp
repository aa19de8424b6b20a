// Statements of a program with their scopes.
#include "gradproof/core/proof/language/numpy/scoped_lines.hpp"

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/outside_names.hpp"
#include "gradproof/core/proof/language/numpy/own_functions.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr std::string_view kAsync = "async ";

/// async def f(x): as def f(x):
Span behind_async(const Source& source, Span s) {
    return source.slice(s).starts_with(kAsync) ? trimmed(source, {s.begin + kAsync.size(), s.end}) : s;
}

/// x of lambda x: ..., and of [... for x in ...].
bool is_bound_within(std::string_view code, const std::string& name) {
    if (is_of_a_lambda(code, name)) return true;
    for (std::size_t at = code.find(" for "); at != code.npos; at = code.find(" for ", at + 1))
        if (stands_in(code.substr(at + 5, code.find(" in ", at) - at - 5), name)) return true;
    return false;
}

}  // namespace

ScopedLines::ScopedLines(const Source& source, const std::vector<ProgramPart>& parts) : source_(source) {
    for (std::size_t i = 0; i < parts.size(); ++i) add(parts[i], i);
    for (std::size_t i = 0; i < all_.size(); ++i)
        for (const Binding& b : all_[i].bindings)
            if (b.is_name()) bound_[scope_of(i, b.target)].insert(b.target);
}

void ScopedLines::add(const ProgramPart& part, std::size_t number) {
    struct Open {
        std::size_t line, scope;
    };
    std::vector<Open> open_lines;  // those whose bodies it may stand in
    const std::size_t first = all_.size();
    for (const Span s : statements_or_lines(source_, part.text)) {
        const std::size_t indent = indent_of(source_, s.begin), here = all_.size();
        const bool goes_on =
            here > first && source_.text().substr(all_.back().span.end, s.begin - all_.back().span.end).find('\n') ==
                                std::string_view::npos;  // a; b
        while (!goes_on && !open_lines.empty() && all_[open_lines.back().line].indent >= indent) {
            all_[open_lines.back().line].body_end = here;
            open_lines.pop_back();
        }
        Line line{s, kModule, indent, number, here + 1, kNone, part.is_read, part.of_another, bindings_of(source_.slice(s))};
        if (!open_lines.empty()) {
            line.scope = open_lines.back().scope;
            if (line.scope == all_[open_lines.back().line].scope) line.around = open_lines.back().line;
        }
        all_.push_back(std::move(line));
        const std::string_view code = source_.slice(behind_async(source_, s)), word = first_word(code);
        if (word == "def" || word == "class") open(here);
        const bool compound = word == "def" || word == "class" || code.ends_with(":") || code.find(':') != code.npos;
        if (compound) open_lines.push_back({here, word == "def" || word == "class" ? scopes_.size() - 1 : all_[here].scope});
        if (word == "global" || word == "nonlocal")
            for (const std::string& name : identifiers_in(code.substr(word.size())))
                (word == "global" ? scopes_[all_[here].scope].global : scopes_[all_[here].scope].outer).insert(name);
    }
    for (const Open& one : open_lines) all_[one.line].body_end = all_.size();
}

void ScopedLines::open(std::size_t line) {
    const Span s = behind_async(source_, all_[line].span);
    const bool is_function = first_word(source_.slice(s)) == "def";
    Scope out{is_function ? Scope::Of::function : Scope::Of::type, "", all_[line].scope, line};
    if (!all_[line].bindings.empty()) out.name = all_[line].bindings.front().target;
    if (is_function)
        for (const OwnFunction::Parameter& p : parameters_of(source_, s)) out.given.insert(p.name);
    bound_.push_back(out.given);
    scopes_.push_back(std::move(out));
}

std::size_t ScopedLines::scope_of(std::size_t line, const std::string& name) const {
    const std::size_t scope = all_[line].scope;
    if (scopes_[scope].global.contains(name)) return kModule;
    return scopes_[scope].outer.contains(name) ? scopes_[scope].parent : scope;
}

bool ScopedLines::is_own(std::size_t scope, const std::string& name) const {
    for (; scope != kModule; scope = scopes_[scope].parent)
        if (scopes_[scope].of == Scope::Of::function && bound_[scope].contains(name)) return true;
    return false;
}

bool ScopedLines::is_within(std::size_t line, std::size_t scope) const {
    std::size_t at = all_[line].scope;
    while (at != scope && at != kModule) at = scopes_[at].parent;
    return at == scope;
}

bool uses_name(std::string_view code, const std::string& name) {
    if (is_bound_within(code, name)) return false;
    const std::size_t in = code.starts_with("for ") ? code.find(" in ") : code.npos;
    if (in != code.npos) return stands_in(code.substr(in + 4), name);
    if (code.starts_with("def ") || code.starts_with("class ") || code.starts_with("import ") || code.starts_with("from ") ||
        code.starts_with("global ") || code.starts_with("nonlocal "))
        return false;
    const std::string assigns = fmt::format("{} =", name);
    if (code.starts_with(assigns) && !code.substr(assigns.size()).starts_with("="))
        return stands_in(code.substr(assigns.size()), name);
    return stands_in(code, name);
}

}  // namespace gradproof::proof::numpy
