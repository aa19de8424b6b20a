// Dicts of a program, which hold values under their names: cache = {"x": x}, cache.update(z=z), dict(cache, x=y).
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/proof/language/budget.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/lines.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr std::string_view kUpdate = ".update(";

/// {k: np.zeros_like(v) for k, v in params.items()}
bool makes_zeros_of_all(std::string_view text) {
    const std::size_t colon = text.find(':'), loop = text.find(" for ");
    return text.starts_with("{") && text.ends_with("}") && colon < loop && loop != text.npos &&
           makes_zeros(proof::trimmed(text.substr(colon + 1, loop - colon - 1)));
}

}  // namespace

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
    if (makes_zeros_of_all(text) && holds_gradients(owner) && !to_.names().defined(owner)) {
        dicts_.insert(owner);
        file_.saved.make_dict(owner, s);
        zero_dicts_[owner] = here_;
        return true;
    }
    if (file_.saved.is_dict(text)) return false;  // another name of it
    const std::optional<DictParts> parts = DictReader(source_, file_.saved).dict(all);
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
    const DictReader dicts(source_, file_.saved);
    if (joins)
        dicts.append(parts, trimmed(source_, {at + size, s.end}));
    else
        parts = dicts.arguments({s.begin + update + kUpdate.size(), s.end - 1});
    fill_dict(s, owner, parts, false);
    return true;
}

/// Of return out, {"x": x} the second, as a dict of its own that is kept under that key. Whether it is one.
bool Reader::keeps_returned_dict(Span part, const std::string& key) {
    const std::optional<DictParts> parts = DictReader(source_, file_.saved).dict(part);
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
