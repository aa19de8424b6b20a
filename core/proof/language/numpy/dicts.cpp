// Dicts of a program.
#include "gradproof/core/proof/language/numpy/dicts.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr std::string_view kDict = "dict(", kCopy = ".copy()";

/// c, d of c | d, outside of brackets and texts.
std::vector<Span> split_at_bars(const Source& source, Span s) {
    std::vector<Span> out;
    int depth = 0;
    std::size_t begin = s.begin;
    for (std::size_t i = s.begin; i <= s.end; ++i) {
        const char c = i < s.end ? source.text()[i] : '|';
        if (c == '"' || c == '\'') i = std::min(source.text().find(c, i + 1), s.end - 1);
        depth += deeper_by(c);
        if (c != '|' || (depth > 0 && i < s.end)) continue;
        out.push_back(trimmed(source, {begin, i}));
        begin = i + 1;
    }
    return out;
}

}  // namespace

bool may_change_dict(const Source& source, Span line, std::string_view name) {
    constexpr auto kRead = std::to_array<std::string_view>({"get", "keys", "values", "items", "copy"});
    const auto goes_on = [](std::string_view text, std::size_t at) {
        return at < text.size() && (text[at] == '.' || goes_on_in_identifier(text[at]));
    };
    const std::string_view text = source.slice(line), first = first_word(source.slice(trimmed(source, line)));
    if (first == "return" || first == "def") return false;
    const auto [equals, size] = assignment_in(source, line);
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
        const std::string_view behind = text.substr(at + name.size());
        if ((at > 0 && goes_on(text, at - 1)) || (goes_on(behind, 0) && behind[0] != '.')) continue;
        const bool reads = behind.starts_with("[") || (behind.starts_with(".") && is_one_of(kRead, first_word(behind.substr(1))));
        const bool target = size > 0 && line.begin + at < equals;
        if (target || first == "del" || !reads) return true;
    }
    return false;
}

bool holds_names(const Source& source, const std::string& owner) {
    const std::string member = owner + "[\"", other = owner + "['", update = owner + ".update(", joined = owner + " |=";
    return has_any(source.text(), {member, other, update, joined});
}

bool are_dicts_whole(const Expr& e) {
    if (is_dict(e)) return true;
    if (is_sequence(e)) return std::ranges::all_of(e.children, [](const ExprPtr& c) { return are_dicts_whole(*c); });
    return !any_part(e, [](const Expr& part) { return is_dict(part); });
}

std::optional<DictParts> DictReader::dict(Span s) const {
    const std::string_view text = source_.slice(s);
    const auto whole = [&](std::size_t open) { return closer_of(source_, s.begin + open, s.end) + 1 == s.end; };
    if (saved_.is_dict(text)) return DictParts{{{}, s}};
    if (text.ends_with(kCopy) && saved_.is_dict(text.substr(0, text.size() - kCopy.size())))
        return DictParts{{{}, {s.begin, s.end - kCopy.size()}}};
    if (text.starts_with("{") && whole(0)) return entries({s.begin + 1, s.end - 1});
    if (text.starts_with(kDict) && whole(kDict.size() - 1)) return arguments({s.begin + kDict.size(), s.end - 1});
    const std::vector<Span> joined = split_at_bars(source_, s);
    DictParts out;
    for (const Span one : joined) {
        const std::optional<DictParts> parts = joined.size() > 1 ? dict(one) : std::nullopt;
        if (!parts) return std::nullopt;
        std::ranges::copy(*parts, std::back_inserter(out));
    }
    return out;
}

namespace {

/// Nothing where the key is no name in quotes.
std::optional<DictPart> entry_written(const Source& source, Span part) {
    const std::size_t colon = source.slice(part).find(':'), at = part.begin + colon;
    const Span key = colon == std::string_view::npos ? part : trimmed(source, {part.begin, at});
    const std::size_t size = identifier_length(source.text().substr(key.begin + 1));
    if (key.end == part.end || size + 2 != key.end - key.begin) return std::nullopt;
    return DictPart{{key.begin + 1, key.end - 1}, trimmed(source, {at + 1, part.end})};
}

}  // namespace

DictParts entries_written(const Source& source, Span s) {
    DictParts out;
    if (!source.slice(s).starts_with("{") || !source.slice(s).ends_with("}")) return out;
    for (const Span part : split_at_commas(source, {s.begin + 1, s.end - 1}))
        if (const std::optional<DictPart> entry = entry_written(source, part)) out.push_back(*entry);
    return out;
}

/// "x": x, **c
DictParts DictReader::entries(Span inside) const {
    DictParts out;
    for (const Span part : split_at_commas(source_, inside)) {
        if (source_.slice(part).starts_with("**")) {
            append(out, trimmed(source_, {part.begin + 2, part.end}));
            continue;
        }
        const std::optional<DictPart> entry = entry_written(source_, part);
        if (!entry) throw ProofError(source_, part.begin, "of a dict names are read, as {\"x\": x}");
        out.push_back(*entry);
    }
    return out;
}

DictParts DictReader::arguments(Span inside) const {
    DictParts out;
    for (const Span part : split_at_commas(source_, inside)) {
        const std::size_t stars = source_.slice(part).starts_with("**") ? 2 : 0;
        const auto [at, size] = assignment_in(source_, part);
        if (size == 1)
            out.push_back({trimmed(source_, {part.begin, at}), trimmed(source_, {at + 1, part.end})});
        else
            append(out, trimmed(source_, {part.begin + stars, part.end}));
    }
    return out;
}

void DictReader::append(DictParts& to, Span s) const {
    const std::optional<DictParts> parts = dict(s);
    if (!parts) throw ProofError(source_, s.begin, "of a dict names are read, as {\"x\": x}, and dicts that lines above make");
    std::ranges::copy(*parts, std::back_inserter(to));
}

}  // namespace gradproof::proof::numpy
