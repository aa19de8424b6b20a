// Cells of a Jupyter notebook.
#include "gradproof/core/proof/language/notebook.hpp"

#include <algorithm>
#include <array>
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

/// %time e *= 2, which runs Python.
bool runs_a_line(std::string_view magic) {
    return std::ranges::any_of(std::array<std::string_view, 5>{"%time", "%prun", "%memit", "%lprun", "%run"},
                               [&](std::string_view one) { return magic.starts_with(one); });
}

/// The same length, so that what follows stands where it stood. What runs a line is left for who reads it.
std::string without_magic(std::string code) {
    for (std::size_t at = 0; at < code.size(); at = code.find('\n', at), at += at != std::string::npos) {
        if (at == std::string::npos) break;
        if ((code[at] == '%' || code[at] == '!') && !runs_a_line(std::string_view(code).substr(at))) code[at] = '#';
    }
    return code;
}

}  // namespace

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
