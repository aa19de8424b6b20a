// What a program does with the gradients that its lines compute: under which name they are kept, and what is returned.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

/// dW, self.dW and grads["W"] of a statement.
std::vector<Span> places_in(const Source& source, Span s) {
    std::vector<Span> out;
    const auto length = [](std::string_view text) {
        const std::size_t place = place_length(text);
        return place > 0 ? place : identifier_length(text);
    };
    each_name(source.slice(s), length, [&](std::size_t at, std::string_view name) {
        out.push_back({s.begin + at, s.begin + at + name.size()});
    });
    return out;
}

/// What a gradient is called; of grads["W"] the dict and its key, too.
struct Spelling {
    std::string text, dict, key;
};
Spelling entry_of(const std::string& dict, const std::string& key) { return {fmt::format("{}[\"{}\"]", dict, key), dict, key}; }
Spelling spelling_at(const Source& source, Span place) {
    const std::string text(source.slice(place));
    const std::optional<Place> kept = text.ends_with("]") ? place_of(source, place) : std::nullopt;
    return kept ? entry_of(kept->owner, std::string(source.slice(kept->member))) : Spelling{text, "", ""};
}
bool has_place(const Source& source, Span s, const Spelling& spelling) {
    const std::string_view text = source.slice(s);
    if (!spelling.dict.empty()) {  // grads = {"W": dW}
        const std::vector<std::string> words = identifiers_in(text);
        return text.find(spelling.dict) != text.npos && std::ranges::find(words, spelling.key) != words.end();
    }
    return std::ranges::any_of(places_in(source, s), [&](Span one) { return source.slice(one) == spelling.text; });
}

/// "W" and "b" of grads = {"W": np.zeros_like(W), "b": db}, each as an entry of that dict.
std::vector<Spelling> entries_in(const Source& source, Span s) {
    const auto [at, size] = assignment_in(source, s);
    if (size != 1) return {};
    const std::string dict(source.slice(trimmed(source, {s.begin, at})));
    std::vector<Spelling> out;
    for (const DictPart& entry : entries_written(source, trimmed(source, {at + 1, s.end})))
        out.push_back(entry_of(dict, std::string(source.slice(entry.key))));
    return out;
}

/// {}, True, "ok", 0.
bool is_no_array(std::string_view text) {
    constexpr std::array<std::string_view, 7> kAll{"{}", "[]", "()", "True", "False", "dict()", "list()"};
    return is_one_of(kAll, text) || is_number_text(text) || text.starts_with('"') || text.starts_with('\'');
}

}  // namespace

/// What is told of the functions in which gradients are computed.
void Reader::tell_delivered() {
    std::vector<TextFunction> of_claims, without_forward;
    for (TextFunction& f : functions_in(source_, text_)) {
        if (std::ranges::none_of(claims_, [&](const Claim& c) { return c.function != 0 && f.has(c.span); })) continue;
        const bool computes_values =
            std::ranges::any_of(to_.proof().forward, [&](const Assignment& a) { return !a.inner && f.has(a.statement.span); });
        if (!computes_values) without_forward.push_back(f);
        of_claims.push_back(std::move(f));
    }
    if (of_claims.empty()) return;
    tell_spellings_apart(of_claims);
    for (const TextFunction& f : without_forward) tell_returned_among_gradients(f);
    for (const TextFunction& f : of_claims) tell_computed_in_tuples(f);
}

/// dW = ... of a class whose lines return or keep self.dW, and grad_w beside the dw that is returned: two names of one gradient,
/// of which none is given to the other.
void Reader::tell_spellings_apart(const std::vector<TextFunction>& functions) {
    struct Use {
        Spelling place;
        Span statement;
    };
    std::map<std::string, std::vector<Use>> uses;
    std::vector<Span> all;
    for (const Span s : statements_in(source_, text_)) {
        const Span code = code_of(source_, trimmed(source_, s));
        if (code.begin >= code.end || word_at(code) == "def" || source_.slice(code).starts_with("#")) continue;
        all.push_back(code);
        for (const Span place : places_in(source_, code))
            if (const std::string of = gradient_of_place(place); !of.empty())
                uses[of].push_back({spelling_at(source_, place), code});
        for (const Spelling& entry : entries_in(source_, code))
            if (const std::string of = gradient_kept({"", entry.dict, {}}, entry.key, to_.names(), &file_); !of.empty())
                uses[of].push_back({entry, code});
    }
    const auto is_given_to = [&](const Use& own, const Use& other) {
        return std::ranges::any_of(all, [&](Span s) {
            if (word_at(s) == "return" || !has_place(source_, s, own.place) || !has_place(source_, s, other.place)) return false;
            const auto [at, size] = assignment_in(source_, s);  // db = self.db behind what computes db takes another
            return s.begin < own.statement.begin || size != 1 || has_place(source_, {at + 1, s.end}, own.place);
        });
    };
    const auto is_kept = [](std::string_view place) { return place.starts_with("self.") || place.starts_with("ctx."); };
    for (const TextFunction& f : functions)
        for (const Claim& c : claims_) {
            if (!f.has(c.span)) continue;
            const std::vector<Use>& same = uses[without_indices(*c.left).name];
            const auto own = std::ranges::find_if(same, [&](const Use& u) { return u.statement.begin == c.span.begin; });
            if (own == same.end()) continue;
            std::set<std::string> given{own->place.text};
            const auto other = std::ranges::find_if(same, [&](const Use& u) {
                if (given.contains(u.place.text) || !(is_kept(u.place.text) || f.has(u.statement))) return false;
                if (is_given_to(*own, u)) given.insert(u.place.text);
                return !given.contains(u.place.text);
            });
            if (other != same.end())
                tell(c.span, fmt::format("{} and {} are read as one gradient, and no line gives one to the other",
                                         printable(own->place.text, 30), printable(other->place.text, 30)));
        }
}

/// return dX, self.W, db, return {} and return grads[0], grads[0] of a function that computes gradients.
void Reader::tell_returned_among_gradients(const TextFunction& f) {
    const auto is_value = [&](std::string_view text) {
        if (text.starts_with("self.")) text.remove_prefix(5);
        const std::string name(text);
        return !to_.names().is_loss(name) && name != loss_ && to_.names().values.contains(name) &&
               !to_.names().helpers.contains(name) && identifier_length(text) == text.size();
    };
    const auto is_told = [&](Span s) {
        return std::ranges::any_of(passed_over_,
                                   [&](const Passed& p) { return s.begin <= p.span.begin && p.span.begin < s.end; });
    };
    for (const Span s : f.lines) {
        if (word_at(s) != "return" || is_told(s)) continue;
        std::set<std::string_view> seen;
        for (const Span part : split_at_commas(source_, without_brackets(source_, trimmed(source_, {s.begin + 6, s.end})))) {
            const std::string_view text = source_.slice(trimmed(source_, part));
            const bool cache = text == "cache" || text == "self.cache" || text == "ctx";
            const bool other = gradient_of_place(part).empty() && (is_value(text) || is_no_array(text) || cache);
            if (other) tell(s, fmt::format("{} is returned, where gradients are computed", printable(text, 30)));
            if (!seen.insert(text).second && text != "None" && !text.empty())
                tell(s, fmt::format("{} is returned twice", printable(text, 30)));
        }
    }
}

/// self.grads = (dW / n, db), of which no part is judged.
void Reader::tell_computed_in_tuples(const TextFunction& f) {
    for (const Span s : f.lines) {
        const auto [at, size] = assignment_in(source_, s);
        const std::string_view left = source_.slice(trimmed(source_, {s.begin, at}));
        if (size != 1 || !left.starts_with("self.") || left.find(',') != left.npos) continue;
        const Span right = trimmed(source_, {at + 1, s.end});
        const std::vector<Span> parts = split_at_commas(source_, without_brackets(source_, right));
        if (parts.size() < 2 || source_.slice(right).starts_with("[") || source_.slice(right).starts_with("{")) continue;
        const auto is_computed = [&](Span part) {
            return source_.slice(part).find_first_of("+-*/@(") != std::string_view::npos || source_.slice(part).ends_with(".T");
        };
        const auto of_gradients = [&](Span part) {
            return std::ranges::any_of(places_in(source_, part), [&](Span one) { return !gradient_of_place(one).empty(); });
        };
        if (std::ranges::any_of(parts, [&](Span p) { return is_computed(p) && of_gradients(p); }))
            tell(s, "gradients that are computed in a tuple are not judged");
    }
}

}  // namespace gradproof::proof::numpy
