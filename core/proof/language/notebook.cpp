// Cells of a Jupyter notebook.
#include "gradproof/core/proof/language/notebook.hpp"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/errors.hpp"

namespace gradproof::proof {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("not a Jupyter notebook: " + why); }

const json* member(const json& object, const char* name) {
    const auto at = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && at != object.end() ? &*at : nullptr;
}

/// One string, or a list of its lines.
std::string source_of(const json& cell, std::size_t number) {
    const json* source = member(cell, "source");
    std::string out;
    if (source != nullptr && source->is_string()) return source->get<std::string>();
    if (source == nullptr || !source->is_array()) refuse(fmt::format("cell {} has no source", number));
    for (const json& line : *source) {
        if (!line.is_string()) refuse(fmt::format("the source of cell {} holds {}, expected text", number, line.type_name()));
        out += line.get<std::string>();
    }
    return out;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> all) {
    return std::ranges::any_of(all, [&](std::string_view one) { return text.starts_with(one); });
}
/// Of %%writefile, %%cython, %%bash: a cell that is no Python of this notebook. One that holds a derivation is read even so.
bool is_of_another_language(std::string_view code) {
    const std::string_view text = code.substr(std::min(code.find_first_not_of(" \n"), code.size()));
    return text.starts_with("%%") && !starts_with_any(text, {"%%time", "%%capture", "%%prun", "%%memit", "%%snakeviz"}) &&
           code.find("gradproof:") == std::string_view::npos;
}

/// The same length, so that what follows stands where it stood. What runs a line is left for who reads it.
std::string without_magic(std::string code) {
    const bool other = is_of_another_language(code);
    for (std::size_t at = 0; at < code.size(); at = code.find('\n', at), at += at != std::string::npos) {
        if (at == std::string::npos) break;
        const std::string_view line = std::string_view(code).substr(at);
        const bool runs = runs_other_code(line) || measures_line(line) || line.starts_with("%timeit");
        if (other || ((code[at] == '%' || code[at] == '!') && !runs)) code[at] = code[at] == '\n' ? '\n' : '#';
    }
    return code;
}

}  // namespace

bool runs_other_code(std::string_view magic) {
    return starts_with_any(magic, {"%run", "%load ", "%exec", "%%script", "%store -r", "%pylab"});
}
bool measures_line(std::string_view magic) { return starts_with_any(magic, {"%time ", "%prun", "%memit", "%lprun"}); }

Text notebook_text(const std::string& text) {
    const json all = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (all.is_discarded()) refuse("it is not JSON");
    const json *cells = member(all, "cells"), *format = member(all, "nbformat");
    if (format == nullptr || !format->is_number_integer() || *format != 4)
        refuse(fmt::format("nbformat is {}, expected 4", format == nullptr ? "missing" : printable(format->dump(), 20)));
    if (cells == nullptr || !cells->is_array()) refuse("it has no cells");
    Text out;
    std::size_t number = 0;
    for (const json& cell : *cells) {
        const json* type = member(cell, "cell_type");
        const std::string kind = type != nullptr && type->is_string() ? type->get<std::string>() : "";
        ++number;
        if (kind != "markdown" && kind != "code") continue;
        const std::string source = source_of(cell, number);
        const bool code = kind == "code";
        out.add((code ? without_magic(source) : source) + "\n", {.of = fmt::format("cell {}", number), .code = code});
    }
    return out;
}

}  // namespace gradproof::proof
