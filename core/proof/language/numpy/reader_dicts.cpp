// Dicts of a program, which hold values under their names: cache = {"x": x}, cache.update(z=z), dict(cache, x=y).
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/proof/language/budget.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr std::string_view kDict = "dict(", kCopy = ".copy()", kUpdate = ".update(";

/// Whether a line does something to the dict that is called so, or gives it to something that may: f(c), c.pop("x"), c[k] *= 2.
bool may_change_dict(const Source& source, Span line, std::string_view name) {
    constexpr auto kRead = std::to_array<std::string_view>({"get", "keys", "values", "items", "copy"});
    const auto goes_on = [](std::string_view text, std::size_t at) {
        return at < text.size() && (text[at] == '.' || identifier_length(std::string("a") + text[at]) > 1);
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

/// Whether names are put into what is called so, c["x"] and c.update(...), and not rows, c[t].
bool holds_names(const Source& source, const std::string& owner) {
    const std::string member = owner + "[\"", other = owner + "['", update = owner + ".update(", joined = owner + " |=";
    return has_any(source.text(), {member, other, update, joined});
}

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

/// Whether nothing is computed of dicts.
bool are_dicts_whole(const Expr& e) {
    if (is_dict(e)) return true;
    if (is_sequence(e)) return std::ranges::all_of(e.children, [](const ExprPtr& c) { return are_dicts_whole(*c); });
    return !any_part(e, [](const Expr& part) { return is_dict(part); });
}

}  // namespace

/// Errors: ProofError for c * 2 and c[k] of a dict c.
void Reader::expect_dicts_whole(Span s, const Expr& e) const {
    if (!are_dicts_whole(e)) fail(s, "of a dict what stands under a name is read: c[\"x\"]");
}

/// What is kept in dicts is not known behind these lines, which are not read, where they may change it.
void Reader::lose_dicts(Span lines) {
    std::set<std::string> names;
    for (const std::string& word : identifiers_in(source_.slice(lines)))
        for (const std::string& name : {word, "self." + word})
            if (file_.saved.is_dict(name)) names.insert(name);
    for (const std::string& name : names)
        each_line(source_, lines, [&](Span line) {
            if (may_change_dict(source_, line, name)) file_.saved.lose_dict(name, lines);
        });
}

/// {"x": x, **c}, dict(c, x=x), c.copy() and c | d, of dicts c and d; nothing of another text.
std::optional<Reader::DictParts> Reader::dict_in(Span s) const {
    const std::string_view text = source_.slice(s);
    const auto whole = [&](std::size_t open) { return closer_of(source_, s.begin + open, s.end) + 1 == s.end; };
    if (file_.saved.is_dict(text)) return DictParts{{{}, s}};
    if (text.ends_with(kCopy) && file_.saved.is_dict(text.substr(0, text.size() - kCopy.size())))
        return DictParts{{{}, {s.begin, s.end - kCopy.size()}}};
    if (text.starts_with("{") && whole(0)) return entries_of_dict({s.begin + 1, s.end - 1});
    if (text.starts_with(kDict) && whole(kDict.size() - 1)) return arguments_of_dict({s.begin + kDict.size(), s.end - 1});
    const std::vector<Span> joined = split_at_bars(source_, s);
    DictParts out;
    for (const Span one : joined) {
        const std::optional<DictParts> parts = joined.size() > 1 ? dict_in(one) : std::nullopt;
        if (!parts) return std::nullopt;
        std::ranges::copy(*parts, std::back_inserter(out));
    }
    return out;
}

/// "x": x, **c
Reader::DictParts Reader::entries_of_dict(Span inside) const {
    DictParts out;
    for (const Span part : split_at_commas(source_, inside)) {
        if (source_.slice(part).starts_with("**")) {
            append_dict(out, trimmed(source_, {part.begin + 2, part.end}));
            continue;
        }
        const std::size_t colon = source_.slice(part).find(':'), at = part.begin + colon;
        const Span key = colon == std::string_view::npos ? part : trimmed(source_, {part.begin, at});
        const std::size_t size = identifier_length(source_.text().substr(key.begin + 1));
        if (key.end == part.end || size + 2 != key.end - key.begin) fail(part, "of a dict names are read, as {\"x\": x}");
        out.push_back({{key.begin + 1, key.end - 1}, trimmed(source_, {at + 1, part.end})});
    }
    return out;
}

/// What dict(...) and c.update(...) are given: c, x=x, **d
Reader::DictParts Reader::arguments_of_dict(Span inside) const {
    DictParts out;
    for (const Span part : split_at_commas(source_, inside)) {
        const std::size_t stars = source_.slice(part).starts_with("**") ? 2 : 0;
        const auto [at, size] = assignment_in(source_, part);
        if (size == 1)
            out.push_back({trimmed(source_, {part.begin, at}), trimmed(source_, {at + 1, part.end})});
        else
            append_dict(out, trimmed(source_, {part.begin + stars, part.end}));
    }
    return out;
}

void Reader::append_dict(DictParts& to, Span s) const {
    const std::optional<DictParts> parts = dict_in(s);
    if (!parts) fail(s, "of a dict names are read, as {\"x\": x}, and dicts that lines above make");
    std::ranges::copy(*parts, std::back_inserter(to));
}

/// The dict called so holds these, too; `anew`: these alone.
void Reader::fill_dict(Span s, const std::string& owner, const DictParts& parts, bool anew) {
    struct Entry {
        std::string name;
        DictPart part;
        ExprPtr value;
    };
    std::vector<Entry> entries;  // all of them before the name is another dict
    for (const DictPart& part : parts) {
        if (part.key.end > 0) {
            entries.push_back({std::string(source_.slice(part.key)), part, expression(part.value)});
            continue;
        }
        const std::string from(source_.slice(part.value));
        if (const Span lost = file_.saved.lost_in(from); lost.end > 0)
            fail(part.value, fmt::format("line {}, which is not read, may change {}", source_.line(lost.begin), from));
        for (const std::string& name : file_.saved.members_of(from))
            if (const ExprPtr value = file_.saved.find(from + "." + name)) entries.push_back({name, {}, value});
    }
    if (entries.size() > kMostMembers) fail(s, fmt::format("the dict has more than {} names (kMostMembers)", kMostMembers));
    if (anew) file_.saved.make_dict(owner, s);
    for (const Entry& e : entries)
        if (e.part.key.end == 0)
            file_.saved.keep(owner + "." + e.name, e.value, s);
        else
            put_into_dict(s, owner, e.part, e.value);
}

void Reader::put_into_dict(Span s, const std::string& owner, const DictPart& part, const ExprPtr& value) {
    const std::string name(source_.slice(part.key));
    const bool of_another =
        backward_ && value->kind == Kind::gradient && value->name != name && to_.names().values.contains(name);
    if (const auto before = of_another ? last_claim(value->name) : claims_.rend(); before != claims_.rend()) {
        const ExprPtr of_other = before->right;
        claim(s, {part.key.begin - 1, part.value.end}, '=', name, of_other);  // {"X": dW}
    }
    store(s, {owner + "." + name, owner, part.key}, '=', value);
}

/// {} and dict(), which may be filled further down, and other dicts. Whether the text is one.
bool Reader::assigns_dict(Span s, Span left, Span right) {
    const Span all = trimmed(source_, right);
    const std::string owner(source_.slice(left));
    const std::string_view text = source_.slice(all);
    if (text == "[]" || text == "{}" || text == "dict()") {
        if (to_.names().values.contains(owner)) tell(s, fmt::format("it empties {}", owner));
        if (text != "[]") dicts_.insert(owner);
        if (text != "[]" && holds_names(source_, owner) && !to_.names().defined(owner)) file_.saved.make_dict(owner, s);
        return true;
    }
    if (file_.saved.is_dict(text)) return false;  // another name of it
    const std::optional<DictParts> parts = dict_in(all);
    if (parts) fill_dict(s, owner, *parts, true);
    return parts.has_value();
}

/// c.update(x=y), c.update({"x": y}), c |= {"x": y}. Whether it is that, of a dict that lines above make.
bool Reader::updates_dict(Span s) {
    const std::string_view text = source_.slice(s);
    const auto [at, size] = assignment_in(source_, s);
    const bool joins = size == 2 && source_.text()[at] == '|';
    const std::size_t update = text.find(kUpdate);
    if (!joins && (update == text.npos || !text.ends_with(")"))) return false;
    const std::string owner(source_.slice(trimmed(source_, {s.begin, joins ? at : s.begin + update})));
    if (!file_.saved.is_dict(owner)) return false;
    DictParts parts;
    if (joins)
        append_dict(parts, trimmed(source_, {at + size, s.end}));
    else
        parts = arguments_of_dict({s.begin + update + kUpdate.size(), s.end - 1});
    fill_dict(s, owner, parts, false);
    return true;
}

/// Of return out, {"x": x} the second, as a dict of its own that is kept under that key. Whether it is one.
bool Reader::keeps_returned_dict(Span part, const std::string& key) {
    const std::optional<DictParts> parts = dict_in(part);
    const ExprPtr same = file_.saved.find(source_.slice(part));
    if (parts && same)
        file_.saved.keep(key, same, part);
    else if (parts)
        fill_dict(part, key, *parts, true);
    return parts.has_value();
}

/// A function of the program that is given a dict, and does something to it.
void Reader::lose_dicts_given(Span s, const Program::Call& call) {
    for (const auto& given : call.given)
        if (const std::string_view name = source_.slice(given.second); file_.saved.is_dict(name))
            each_line(source_, call.function->body, [&](Span line) {
                if (may_change_dict(source_, line, given.first)) file_.saved.lose_dict(name, s);
            });
}

}  // namespace gradproof::proof::numpy
