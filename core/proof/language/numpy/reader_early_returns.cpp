// Returns within branches that are passed over: what a function gives in some cases and no line judges.
#include <algorithm>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {

/// Of "if loss < 1e-8: return loss, w" in a function, but not of "if dy is None: return None".
void Reader::see_early_returns(Span header, Span body) {
    if (here_ == 0 || function_name_.starts_with("test") || has_any(source_.slice(header), {" is None", "isinstance("})) return;
    for (const Span s : statements_in(source_, body))
        if (word_at(s) == "return") early_returns_.push_back({here_, s});
}

/// Whether it gives the same as the return that ends its function: loss, dw of loss, dw and loss, dw, cache, which no line between
/// the two changes.
bool Reader::returns_as_the_last(const EarlyReturn& early) const {
    const auto last = last_returns_.find(early.function);
    if (last == last_returns_.end()) return false;
    const auto given = [&](Span s) {
        const std::size_t word = std::string_view("return").size();
        return split_at_commas(source_, without_brackets(source_, trimmed(source_, {s.begin + word, s.end})));
    };
    const std::vector<Span> here = given(early.statement), there = given(last->second);
    for (std::size_t i = 0; i < std::min(here.size(), there.size()); ++i) {
        const std::string_view name = source_.slice(here[i]);
        if (name != source_.slice(there[i]) || identifier_length(name) != name.size()) return false;
        for (const Span s : statements_in(source_, {early.statement.end, last->second.begin}))
            if (gives_value(s, std::string(name))) return false;
    }
    return !here.empty() && !there.empty();
}

void Reader::tell_early_returns() {
    for (const EarlyReturn& early : early_returns_) {
        const auto of_function = [&](const auto& value) { return value.second == early.function; };
        const auto in_function = [&](const Claim& c) { return c.function == early.function; };
        const bool is_read = std::ranges::any_of(function_, of_function) || std::ranges::any_of(claims_, in_function);
        if (is_read && !returns_as_the_last(early)) tell(early.statement, "what is returned in this case is not judged");
    }
}

}  // namespace gradproof::proof::numpy
