// Functions of a program, found by their defs.
#include "gradproof/core/proof/language/numpy/text_functions.hpp"

#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/own_functions.hpp"

namespace gradproof::proof::numpy {

Span body_behind(const Source& source, Span head, std::size_t end) {
    return {head.end, end_of_body(source, head, head.end, end, true)};
}

std::vector<TextFunction> functions_in(const Source& source, Span text) {
    constexpr std::string_view kDef = "def ";
    std::vector<TextFunction> out;
    std::vector<std::size_t> open;
    std::size_t in_class = 0;
    for (const Span s : statements_in(source, text)) {
        const std::string_view code = source.slice(s);
        if (indent_of(source, s.begin) == 0) in_class = code.starts_with("class ") ? s.begin : 0;
        while (!open.empty() && s.begin >= out[open.back()].body.end) open.pop_back();
        if (!code.starts_with(kDef)) {
            if (!open.empty()) out[open.back()].lines.push_back(s);
            continue;
        }
        const Span body = body_behind(source, s, text.end);
        TextFunction one{std::string(first_word(code.substr(kDef.size()))), s, body, {}, {}, open, in_class};
        for (const OwnFunction::Parameter& p : parameters_of(source, s)) one.given.insert(p.name);
        open.push_back(out.size());
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace gradproof::proof::numpy
