// The parts of a program that are read each as one text: those marked, or one for each layer that says anew what is given.
#include <set>
#include <string>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/read.hpp"

namespace gradproof::proof::numpy {
namespace {

using NamesSeen = std::set<std::string, std::less<>>;

/// n, d and x of a note dims n d=4; input x [n, d] ~ positive.
NamesSeen declared_in(const Source& source, Span note) {
    NamesSeen out;
    for (std::size_t i = note.begin; i <= note.end;) {
        const std::size_t end = std::min(source.text().find(';', i), note.end);
        const Span s = trimmed(source, {i, end});
        const std::string_view word = first_word(source.slice(s));
        const Span rest{s.begin + word.size(), s.end};
        if (word == "dims")
            for (const std::string& name : identifiers_in(source.slice(rest))) out.insert(name);
        if (word == "input")
            for (const Span given : split_at_commas(source, rest)) out.emplace(first_word(source.slice(given)));
        i = end + 1;
    }
    out.erase("");
    return out;
}

bool share_one(const NamesSeen& a, const NamesSeen& b) {
    return std::ranges::any_of(a, [&](const std::string& name) { return b.contains(name); });
}

/// The f, C and x of def f, class C, x = ... and C.g = ... that no line of the part indents.
NamesSeen bound_in(const Source& source, Span part) {
    NamesSeen out;
    for (const Span s : statements_or_lines(source, part)) {
        if (indent_of(source, s.begin) > 0) continue;
        const std::string_view word = first_word(source.slice(s));
        const Span behind = trimmed(source, {s.begin + word.size(), s.end});
        if (word == "def" || word == "class")
            out.emplace(first_word(source.slice(behind)));
        else if (const auto [at, size] = assignment_in(source, s); size > 0)
            for (const std::string& name : identifiers_in(source.slice({s.begin, at}))) out.insert(name);
    }
    return out;
}

}  // namespace

std::vector<Span> parts_declared(const Source& source, Span text) {
    const std::vector<Span> statements = statements_or_lines(source, text);
    auto next = statements.begin();
    std::vector<Span> out;
    NamesSeen declared, here;  // here: right above the next statement
    std::size_t begin = text.begin, comments = std::string_view::npos;
    each_line(source, text, [&](Span line) {
        while (next != statements.end() && next->end <= line.begin) ++next;
        const bool within = next != statements.end() && next->begin < line.begin;  // a text of several lines
        const bool is_code = within || (next != statements.end() && next->begin < line.end);
        if (is_code || trimmed(source, line).begin == trimmed(source, line).end) {
            if (is_code) declared.merge(here), here.clear(), comments = std::string_view::npos;
            return;
        }
        if (comments == std::string_view::npos) comments = line.begin;
        const NamesSeen names = source.text()[line.begin] == '#' ? declared_in(source, note_in(source, line)) : NamesSeen{};
        if (share_one(names, declared)) {
            out.push_back({begin, comments});
            begin = comments;
            declared.clear();
        }
        here.insert(names.begin(), names.end());
    });
    out.push_back({begin, text.end});
    NamesSeen bound;
    for (const Span part : out) {
        const NamesSeen names = bound_in(source, part);
        if (share_one(names, bound)) return {text};
        bound.insert(names.begin(), names.end());
    }
    return out;
}

std::vector<Span> marked(const Source& source, Span text) {
    std::vector<Span> out;
    std::size_t begin = std::string_view::npos, comments = begin;  // where those begin that stand right above a line
    each_line(source, text, [&](Span line) {
        const std::string_view note = source.slice(note_in(source, line));
        if (note == "begin") {
            const bool declared = comments != std::string_view::npos && opens_proof(source, {comments, line.begin});
            begin = declared ? comments : line.end + 1;
        }
        const Span s = trimmed(source, line);
        if (s.begin < s.end && (source.text()[s.begin] != '#' || note == "begin" || note == "end"))
            comments = std::string_view::npos;
        else if (comments == std::string_view::npos)
            comments = line.begin;
        if (note == "end" && begin != std::string_view::npos) {
            out.push_back({std::min(begin, line.begin), line.begin});
            begin = std::string_view::npos;
        }
    });
    if (begin != std::string_view::npos)
        throw ProofError(source, std::min(begin, source.text().size()),
                         "# gradproof: begin is never followed by # gradproof: end");
    return out.empty() ? parts_declared(source, text) : out;
}

bool opens_proof(const Source& source, Span text) {
    bool opens = false;
    each_line(source, text, [&](Span line) {
        const std::string_view note = source.slice(note_in(source, line)), word = note.substr(0, identifier_length(note));
        opens = opens || word == "dims" || word == "input" || word == "title" || Statements::is_convention(word);
    });
    return opens;
}

}  // namespace gradproof::proof::numpy
