// Imports of Python.
#include "gradproof/core/proof/language/numpy/imports.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {

bool is_known_package(std::string_view module) {
    constexpr std::array<std::string_view, 9> kAll{"numpy",      "torch", "jax",      "scipy", "math",
                                                   "tensorflow", "cupy",  "autograd", "pylab"};
    return std::find(kAll.begin(), kAll.end(), module) != kAll.end();
}

namespace {

/// import jax.nn as nn
void take_module(Imports& out, std::string_view line) {
    constexpr std::string_view kImport = "import ", kAs = " as ";
    const std::size_t as = line.find(kAs);
    if (!line.starts_with(kImport) || as == std::string_view::npos) return;
    const std::string name(line.substr(as + kAs.size(), identifier_length(line.substr(as + kAs.size()))));
    const std::string_view module = line.substr(kImport.size(), line.find_first_of(". ", kImport.size()) - kImport.size());
    if (module == "jax") out.of_jax.insert(name);
    if (module == "tensorflow") out.of_tensorflow.insert(name);
}

/// Of one line; of others nothing.
void take(Imports& out, std::string_view line) {
    take_module(out, line);
    constexpr std::string_view kFrom = "from ", kImport = " import ";
    const std::size_t import = line.find(kImport);
    if (!line.starts_with(kFrom) || import == std::string_view::npos) return;
    const std::string_view module = line.substr(kFrom.size(), line.find_first_of(". ", kFrom.size()) - kFrom.size());
    const bool scipy = module == "scipy";
    if (scipy && line.ends_with("*")) out.of_scipy.insert({"softmax", "log_softmax"});
    if (module == "jax" && line.ends_with("*")) out.of_jax.insert("gelu");
    if (module == "tensorflow" && line.ends_with("*")) out.of_tensorflow.insert("leaky_relu");
    const bool of_arrays = is_known_package(module) && module != "math" && !scipy;
    if (line.ends_with("*") && of_arrays) out.of_arrays.insert({"sum", "max", "min"});
    if (line.ends_with("*") && !is_known_package(module)) out.all_of = module.empty() ? "." : module;  // from .activations
    const std::vector<std::string> names = identifiers_in(line.substr(import + kImport.size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool renamed = i + 2 < names.size() && names[i + 1] == "as";
        if (renamed && names[i] != names[i + 2])
            out.unknown.insert(names[i + 2]);
        else if (!is_known_package(module))
            out.unknown.insert(names[i]);
        else if (of_arrays && (names[i] == "sum" || names[i] == "max" || names[i] == "min"))
            out.of_arrays.insert(names[i]);
        else if (scipy)
            out.of_scipy.insert(names[i]);
        else if (module == "jax" || module == "tensorflow")
            (module == "jax" ? out.of_jax : out.of_tensorflow).insert(names[i]);
        if (renamed) i += 2;
    }
}

/// Without a comment, and with what brackets or a backslash continue in the lines behind: from m import (a,\n b)  # why
std::string whole_line(const Source& source, Span line) {
    std::string out;
    int depth = 0;
    for (std::size_t i = line.begin; i < source.text().size(); ++i) {
        const char c = source.text()[i];
        if (c == '#') i = std::min(source.text().find('\n', i), source.text().size()) - 1;
        const bool goes_on = depth > 0 || (!out.empty() && out.back() == '\\');
        if (c == '\n' && !goes_on) break;
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == '\n' && !out.empty() && out.back() == '\\') out.pop_back();
        if (c == '*') out += ' ';
        if (c != '#') out += c == '(' || c == ')' || c == '\n' || c == '\t' ? ' ' : c;
    }
    return out;
}
/// Its words with one blank between them.
std::string spaced(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
    while (out.ends_with(' ')) out.pop_back();
    return out;
}

}  // namespace

Imports imports_of(const Source& source) {
    Imports out;
    each_line(source, {0, source.text().size()}, [&](Span line) {
        const std::string_view text = source.slice(trimmed(source, line));
        if (text.starts_with("%pylab")) out.of_arrays.insert({"sum", "max", "min"});
        if (text.find("import") == std::string_view::npos && !text.starts_with("from ")) return;
        const std::string whole = whole_line(source, trimmed(source, line));
        for (std::size_t at = 0; at <= whole.size();) {
            const std::size_t end = std::min(whole.find(';', at), whole.size());
            take(out, spaced(std::string_view(whole).substr(at, end - at)));
            at = end + 1;
        }
    });
    return out;
}

Span own_call(const Source& source, Span s, const std::set<std::string, std::less<>>& functions) {
    const std::string_view text = source.slice(s);
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t size = identifier_length(text.substr(i));
        const bool begins =
            i == 0 || (text[i - 1] != '.' && text[i - 1] != '_' && std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0);
        if (size > 0 && begins && i + size < text.size() && text[i + size] == '(' && functions.contains(text.substr(i, size)))
            return {s.begin + i, s.begin + i + size};
        i += std::max<std::size_t>(size, 1);
    }
    return {s.begin, s.begin};
}

}  // namespace gradproof::proof::numpy
