// What is kept under other names.
#include "gradproof/core/proof/language/numpy/saved.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {

namespace {

/// Of what is computed in a tuple, and of what may be a part of an array that something else names; no name begins so.
constexpr char kComputed = '(', kShared = '[';
bool is_computed_part(const Expr& e) { return e.kind == Kind::helper && e.name.starts_with(kComputed); }
bool is_shared_part(const Expr& e) { return e.kind == Kind::helper && e.name.starts_with(kShared); }

/// h.T, h[0] and h.reshape(n), which may show what h becomes.
bool may_share(const Expr& e) {
    constexpr auto kAll =
        std::to_array<std::string_view>({"reshape", "expand_dims", "squeeze", "swapaxes", "permute", "transpose", "broadcast",
                                         "broadcast_to", "flip", "diag", "diagonal", "moveaxis"});
    const bool view = e.kind == Kind::call && std::ranges::find(kAll, e.name) != kAll.end();
    return view || e.kind == Kind::transpose || e.kind == Kind::index || e.kind == Kind::name || e.kind == Kind::helper;
}

/// Of what stands for a dict: {3}.
constexpr char kOwnDict = '{';

}  // namespace

/// {3}.x for c.x, where c is that dict.
std::string Saved::by_owner(std::string_view key) const {
    const std::size_t dot = key.rfind('.');
    const ExprPtr dict = dot == std::string_view::npos ? nullptr : find(key.substr(0, dot));
    return dict && proof::numpy::is_dict(*dict) ? dict->name + std::string(key.substr(dot)) : std::string(key);
}

/// Those that a line of the function that stands here may find there: its own, else those of its class, else all.
std::vector<const Saved::Kept*> Saved::candidates(std::string_view key) const {
    std::vector<const Kept*> own, of_class, all;
    const auto found = kept_.find(by_owner(key));
    if (found == kept_.end()) return all;
    for (const Kept& kept : found->second) {
        if (kept.in.function == here_.function) own.push_back(&kept);
        if (kept.in.in_class == here_.in_class) of_class.push_back(&kept);
        all.push_back(&kept);
    }
    return !own.empty() ? own : !of_class.empty() ? of_class : all;
}

ExprPtr Saved::find(std::string_view key) const {
    const std::vector<const Kept*> found = candidates(key);
    return found.empty() || kept_otherwise(key).end > 0 ? nullptr : found[0]->value;
}

Span Saved::kept_otherwise(std::string_view key) const {
    Span out;
    const std::vector<const Kept*> found = candidates(key);
    for (std::size_t i = 1; i < found.size(); ++i)
        if (text_of(*found[i]->value) != text_of(*found[0]->value)) out = found[i]->at;
    return out;
}

bool Saved::is_kept_here(std::string_view key) const {
    const auto here = [&](const Kept& kept) { return kept.in.function == here_.function; };
    const std::string whole = by_owner(key), part = by_owner(std::string(key) + ".");
    for (auto at = kept_.lower_bound(whole); at != kept_.end() && at->first.starts_with(whole); ++at)
        if ((at->first == whole || at->first.starts_with(part)) && std::ranges::any_of(at->second, here)) return true;
    return false;
}

void Saved::keep(const std::string& key, const ExprPtr& value, Span at) {
    std::vector<Kept>& all = kept_[by_owner(key)];
    const auto own = std::ranges::find_if(all, [&](const Kept& kept) { return kept.in.function == here_.function; });
    if (own == all.end())
        all.push_back({value, here_, at});
    else
        *own = {value, here_, at};
}

void Saved::make_dict(const std::string& name, Span at) {
    keep(name, make(node(Kind::helper, {}, fmt::format("{}{}}}", kOwnDict, ++dicts_))), at);
}

bool Saved::is_dict(std::string_view name) const {
    const ExprPtr dict = find(name);
    return dict && proof::numpy::is_dict(*dict);
}

std::vector<std::string> Saved::members_of(std::string_view name) const {
    std::vector<std::string> out;
    const std::string begins = by_owner(std::string(name) + ".");
    for (auto at = kept_.lower_bound(begins); at != kept_.end() && at->first.starts_with(begins); ++at)
        out.push_back(at->first.substr(begins.size()));
    return out;
}

void Saved::lose_dict(std::string_view name, Span at) {
    if (const ExprPtr dict = find(name); dict && proof::numpy::is_dict(*dict)) lost_.emplace(dict->name, at);
}

Span Saved::lost_in(std::string_view name) const {
    const ExprPtr dict = find(name);
    const auto found = dict ? lost_.find(dict->name) : lost_.end();
    return found == lost_.end() ? Span{} : found->second;
}

std::vector<std::string> Saved::keys_of(const std::string& value) const {
    std::vector<std::string> out;
    for (const auto& [key, all] : kept_)
        if (std::ranges::any_of(all, [&](const Kept& kept) { return mentions(*kept.value, value); }))
            out.push_back(key.substr(key.rfind('.') + 1));
    return out;
}

void Saved::rename(const std::string& from, const std::string& to, bool in_place) {
    const auto other = [&](const Expr& e, bool whole) -> ExprPtr {
        if (is_computed_part(e) || (is_shared_part(e) && !in_place)) return with_children(e, {renamed(e.children[0], from, to)});
        return !whole && e.kind == Kind::name && e.name == from ? proof::name(to) : nullptr;
    };
    for (auto& [key, all] : kept_)
        for (Kept& kept : all) {
            const bool whole =
                in_place && is_kept_whole(*kept.value);  // the array itself is changed, and what was computed of it is not
            kept.value = rewritten(kept.value, [&](const Expr& e) { return other(e, whole); });
        }
}

std::size_t place_length(std::string_view text) {
    std::size_t n = identifier_length(text), parts = 0;
    while (n > 0 && n + 1 < text.size()) {
        const std::string_view rest = text.substr(n);
        const std::size_t quotes = rest[0] == '[' && (rest[1] == '"' || rest[1] == '\'') ? 2 : 0;
        if (quotes == 0 && (rest[0] != '.' || parts > 0)) break;
        const std::size_t size = identifier_length(rest.substr(std::max<std::size_t>(quotes, 1)));
        if (size == 0) break;
        if (quotes == 0) {
            n += 1 + size;
            ++parts;
            continue;
        }
        const bool closes = rest.size() > size + 3 && rest[size + 2] == rest[1] && rest[size + 3] == ']';
        return closes ? n + size + 4 : parts > 0 ? n : 0;
    }
    return parts > 0 ? n : 0;
}

std::optional<Place> place_of(const Source& source, Span s) {
    const std::string_view text = source.slice(s);
    if (text.empty() || place_length(text) != text.size()) return std::nullopt;
    const std::size_t quotes = text.ends_with("]") ? 2 : 0;
    const std::size_t owner = quotes > 0 ? text.find('[') : text.rfind('.');
    Place out;
    out.owner = std::string(text.substr(0, owner));
    out.member = {s.begin + owner + std::max<std::size_t>(quotes, 1), s.end - quotes};
    out.key = out.owner + "." + std::string(source.slice(out.member));
    return out;
}

bool has_text_key(std::string_view place) { return place.ends_with("\"]") || place.ends_with("']"); }

bool is_dict(const Expr& e) { return e.kind == Kind::helper && e.children.empty() && e.name.starts_with(kOwnDict); }

bool is_sequence(const Expr& e) { return e.kind == Kind::array && e.source.find("array(") == std::string::npos; }

bool is_tuple(const Expr& e) {
    return e.kind == Kind::array && !e.children.empty() &&
           std::ranges::all_of(e.children, [](const ExprPtr& c) { return is_kept_whole(*c); });
}

ExprPtr as_tuple(const ExprPtr& e) {
    if (!is_sequence(*e) || e->children.empty()) return nullptr;
    std::vector<ExprPtr> parts;
    for (const ExprPtr& part : e->children) {
        const ExprPtr inner = as_tuple(part);
        const bool copied = part->source.find("copy(") != std::string::npos || part->source.find("clone(") != std::string::npos;
        const bool whole = inner || (is_kept_whole(*part) && !copied);
        const bool shared = may_share(*part) && !copied;
        const std::string name = (shared ? kShared : kComputed) + (part->source.empty() ? text_of(*part) : part->source) + ")";
        Expr kept = node(Kind::helper, {part}, name);
        kept.truth = part->truth;
        parts.push_back(inner ? inner : whole ? part : make(std::move(kept)));
    }
    return with_children(*e, std::move(parts));
}

bool is_kept_whole(const Expr& e) {
    return e.kind == Kind::name || e.kind == Kind::gradient || e.kind == Kind::helper || e.kind == Kind::ellipsis || is_tuple(e);
}

}  // namespace gradproof::proof::numpy
