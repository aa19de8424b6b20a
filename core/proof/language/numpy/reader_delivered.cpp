// What a program does with the gradients that its lines compute: under which name they are kept, and what is returned.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

/// dW, self.dW and grads["W"] of a statement.
std::vector<Span> places_in(const Source& source, Span s) {
    const std::string_view text = source.slice(s);
    std::vector<Span> out;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '"' || text[i] == '\'') {
            i = std::min(text.find(text[i], i + 1), text.size() - 1) + 1;
            continue;
        }
        const std::size_t place = place_length(text.substr(i)), size = place > 0 ? place : identifier_length(text.substr(i));
        const bool begins = size > 0 && (i == 0 || (text[i - 1] != '.' && !goes_on_in_identifier(text[i - 1])));
        if (begins) out.push_back({s.begin + i, s.begin + i + size});
        i += std::max<std::size_t>(size, 1);
    }
    return out;
}

bool has_place(const Source& source, Span s, std::string_view place) {
    const std::size_t bracket = place.find('[');
    if (bracket != place.npos) {  // grads = {"W": dW}
        const std::size_t quote = place.find_first_of("\"'"), end = place.rfind(place[std::min(quote, place.size() - 1)]);
        const std::string_view text = source.slice(s), member = place.substr(quote + 1, end > quote ? end - quote - 1 : 0);
        return text.find(place.substr(0, bracket)) != text.npos && text.find(member) != text.npos;
    }
    return std::ranges::any_of(places_in(source, s), [&](Span one) { return source.slice(one) == place; });
}

/// {}, True, "ok", 0.
bool is_no_array(std::string_view text) {
    constexpr std::array<std::string_view, 7> kAll{"{}", "[]", "()", "True", "False", "dict()", "list()"};
    const bool number = !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
    return is_one_of(kAll, text) || number || text.starts_with('"') || text.starts_with('\'');
}

}  // namespace

/// The functions of the text in which gradients are computed, those with a forward left out or not.
std::vector<TextFunction> Reader::functions_of_claims(bool with_forward) const {
    std::vector<TextFunction> out;
    for (TextFunction& f : functions_in(source_, text_)) {
        const auto claim = std::ranges::find_if(claims_, [&](const Claim& c) { return c.function != 0 && f.has(c.span); });
        if (claim == claims_.end()) continue;
        const bool computes_values =
            std::ranges::any_of(to_.proof().forward, [&](const Assignment& a) { return !a.inner && f.has(a.statement.span); });
        if (with_forward || !computes_values) out.push_back(std::move(f));
    }
    return out;
}

/// dW = ... of a class whose lines return or keep self.dW, and grad_w beside the dw that is returned: two names of one gradient,
/// of which none is given to the other.
void Reader::tell_spellings_apart() {
    struct Use {
        std::string place;
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
                uses[of].push_back({std::string(source_.slice(place)), code});
    }
    std::map<std::pair<std::string, std::string>, bool> joined;  // whether a line has both
    const auto are_joined = [&](const std::string& a, const std::string& b) {
        const auto [found, is_new] = joined.try_emplace({a, b});
        if (is_new)
            found->second = std::ranges::any_of(
                all, [&](Span s) { return word_at(s) != "return" && has_place(source_, s, a) && has_place(source_, s, b); });
        return found->second;
    };
    const auto is_kept = [](std::string_view place) { return place.starts_with("self.") || place.starts_with("ctx."); };
    for (const TextFunction& f : functions_of_claims(true))
        for (const Claim& c : claims_) {
            if (!f.has(c.span)) continue;
            const std::vector<Use>& same = uses[without_indices(*c.left).name];
            const auto own = std::ranges::find_if(same, [&](const Use& u) { return u.statement.begin == c.span.begin; });
            if (own == same.end()) continue;
            const auto other = std::ranges::find_if(same, [&](const Use& u) {
                return u.place != own->place && (is_kept(u.place) || f.has(u.statement)) && !are_joined(own->place, u.place);
            });
            if (other != same.end())
                tell(c.span, fmt::format("{} and {} are read as one gradient, and no line gives one to the other",
                                         printable(own->place, 30), printable(other->place, 30)));
        }
}

/// return dX, self.W, db, return {} and return grads[0], grads[0] of a function that computes gradients.
void Reader::tell_returned_among_gradients() {
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
    for (const TextFunction& f : functions_of_claims(false))
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
void Reader::tell_computed_in_tuples() {
    for (const TextFunction& f : functions_of_claims(true))
        for (const Span s : f.lines) {
            const auto [at, size] = assignment_in(source_, s);
            const std::string_view left = source_.slice(trimmed(source_, {s.begin, at}));
            if (size != 1 || !left.starts_with("self.") || left.find(',') != left.npos) continue;
            const Span right = trimmed(source_, {at + 1, s.end});
            const std::vector<Span> parts = split_at_commas(source_, without_brackets(source_, right));
            if (parts.size() < 2 || source_.slice(right).starts_with("[") || source_.slice(right).starts_with("{")) continue;
            const auto is_computed = [&](Span part) {
                return source_.slice(part).find_first_of("+-*/@(") != std::string_view::npos ||
                       source_.slice(part).ends_with(".T");
            };
            const auto of_gradients = [&](Span part) {
                return std::ranges::any_of(places_in(source_, part), [&](Span one) { return !gradient_of_place(one).empty(); });
            };
            if (std::ranges::any_of(parts, [&](Span p) { return is_computed(p) && of_gradients(p); }))
                tell(s, "gradients that are computed in a tuple are not judged");
        }
}

}  // namespace gradproof::proof::numpy
