// Lines of a text in Python.
#include "gradproof/core/proof/language/numpy/lines.hpp"

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/read.hpp"

namespace gradproof::proof::numpy {

Span trimmed(const Source& source, Span s) {
    while (s.begin < s.end && kBlanks.find(source.text()[s.begin]) != std::string_view::npos) ++s.begin;
    while (s.end > s.begin && kBlanks.find(source.text()[s.end - 1]) != std::string_view::npos) --s.end;
    return s;
}
Span note_in(const Source& source, Span line) {
    constexpr std::string_view kMark = "gradproof:";
    Span s = trimmed(source, line);
    if (s.begin >= s.end || source.text()[s.begin] != '#') return {};
    ++s.begin;
    s = trimmed(source, s);
    if (!source.slice(s).starts_with(kMark)) return {};
    s.begin += kMark.size();
    return trimmed(source, s);
}

std::vector<Span> marked(const Source& source, Span text) {
    std::vector<Span> out;
    std::size_t begin = std::string_view::npos;
    each_line(source, text, [&](Span line) {
        const std::string_view note = source.slice(note_in(source, line));
        if (note == "begin") begin = line.end;
        if (note == "end" && begin != std::string_view::npos) {
            out.push_back({std::min(begin + 1, line.begin), line.begin});
            begin = std::string_view::npos;
        }
    });
    if (begin != std::string_view::npos)
        throw ProofError(source, begin, "# gradproof: begin is never followed by # gradproof: end");
    return out.empty() ? std::vector<Span>{text} : out;
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
