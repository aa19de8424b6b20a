// A program of which some functions are looked at alone.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/own_functions.hpp"
#include "gradproof/core/proof/language/numpy/read.hpp"

namespace gradproof::proof::numpy {
namespace {

/// A function that is not looked at.
struct LeftOut {
    std::string name;
    Span lines{};
    bool is_beside = false;  ///< within the function that a named one stands in
};

/// What the rest of the text calls is not left out, if it can be read or nothing else can be meant.
void keep_called(const Source& source, std::vector<LeftOut>& left_out) {
    const OwnFunctions own(source, {0, source.text().size()});
    const auto is_readable = [&](const LeftOut& f) {
        const OwnFunction* const found = own.find(f.name);
        return found != nullptr && found->why.empty();
    };
    for (bool any = true; any;) {
        std::set<std::string> used;
        std::size_t from = 0;
        const auto add = [&](std::size_t to) {
            for (std::string& name : identifiers_in(source.slice({std::min(from, to), to}))) used.insert(std::move(name));
        };
        for (const LeftOut& f : left_out) {
            add(f.lines.begin);
            from = f.lines.end;
        }
        add(source.text().size());
        any = std::erase_if(left_out,
                            [&](const LeftOut& f) { return used.contains(f.name) && (f.is_beside || is_readable(f)); }) > 0;
    }
}

bool has_function(const Source& source, Span part) {
    return std::ranges::any_of(statements_or_lines(source, part), [&](Span s) { return first_word(source.slice(s)) == "def"; });
}

/// What is given to a layer none of whose functions is looked at.
void leave_out_notes(const Source& source, std::string& out) {
    const Source rest(source.file(), out);
    for (const Span part : parts_declared(source, {0, source.text().size()}))
        if (has_function(source, part) && !has_function(rest, part))
            each_line(source, part, [&](Span line) {
                if (note_in(source, line).end > 0)
                    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(line.begin), line.end - line.begin, ' ');
            });
}

}  // namespace

std::string with_functions(const std::string& file, const std::string& text, const std::vector<std::string>& names) {
    const Source source(file, text);
    std::string out = text;
    std::vector<std::string> all;
    std::vector<LeftOut> left_out;
    std::size_t holder_ends = 0;
    for (std::size_t i = 0, decorators = 0; i < text.size();) {
        const std::size_t end = end_of_statement(source, i, text.size());
        const Span s = trimmed(source, {i, end});
        std::string_view code = source.slice(s);
        if (code.starts_with("async ")) code.remove_prefix(6);
        if (!code.starts_with("def ")) {
            if (!code.starts_with("@")) decorators = end + 1;
            i = end + 1;
            continue;
        }
        code.remove_prefix(4);
        all.emplace_back(code.substr(0, identifier_length(code)));
        const bool named = std::ranges::count(names, all.back()) > 0;
        const std::size_t last = end_of_body(source, s, end, text.size(), true);
        const std::string_view body = source.slice({i, last});
        // One that is named may stand within another.
        const bool holds = std::ranges::any_of(
            names, [&](const std::string& name) { return body.find("def " + name + "(") != std::string_view::npos; });
        if (!named && !holds) left_out.push_back({all.back(), {decorators, last}, i < holder_ends});
        if (!named && holds) holder_ends = last;
        i = decorators = (named || !holds ? last : end) + 1;
    }
    keep_called(source, left_out);
    for (const LeftOut& f : left_out)
        for (std::size_t k = f.lines.begin; k < f.lines.end; ++k)
            if (out[k] != '\n') out[k] = ' ';
    leave_out_notes(source, out);
    for (const std::string& name : names)
        if (std::ranges::count(all, name) == 0) value_error("{} has no function {}{}", file, name, did_you_mean(name, all));
    return out;
}

}  // namespace gradproof::proof::numpy
