// The functions of a program as its text has them: each def with what it is given, its lines, and what is around it.
//
//   for (const TextFunction& f : functions_in(source, text)) f.name, f.given, f.has(statement) ...
#pragma once

#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

struct TextFunction {
    std::string name;
    Span head;  ///< its first line
    Span body;  ///< what stands behind that
    std::set<std::string> given;
    std::vector<Span> lines;          ///< its statements, without those of functions within
    std::vector<std::size_t> around;  ///< which of all functions it stands in
    std::size_t in_class = 0;         ///< where the class begins that it stands in, 0 of none
    bool has(Span s) const { return body.begin <= s.begin && s.begin < body.end; }
};
/// In the order of the text. Errors: those of statements_in().
std::vector<TextFunction> functions_in(const Source& source, Span text);

/// What stands behind the first line of a def or a class, to the end of what is indented.
Span body_behind(const Source& source, Span head, std::size_t end);

}  // namespace gradproof::proof::numpy
