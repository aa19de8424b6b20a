// Where the equations of a line begin and end.
#include "gradproof/core/proof/language/pieces.hpp"

#include <algorithm>
#include <array>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/lines.hpp"

namespace gradproof::proof {
namespace {

/// The word that begins there and is no part of a longer name.
bool is_word_at(std::string_view text, std::size_t at, std::string_view word) {
    const bool begins = at == 0 || std::string_view(" \t\r\n,;)]").find(text[at - 1]) != std::string_view::npos;
    return begins && text.substr(at).starts_with(word) && identifier_length(text.substr(at)) == word.size();
}
/// An = that is no comparison.
bool is_equals(std::string_view text, std::size_t at) {
    const char before = at > 0 ? text[at - 1] : ' ', after = at + 1 < text.size() ? text[at + 1] : ' ';
    return text[at] == '=' && after != '=' && std::string_view("=<>!").find(before) == std::string_view::npos;
}

/// What stands on one level of the text, outside of brackets and quotes: f(place) for each byte of it.
template <class F>
void each_on_top(std::string_view text, F f) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '#') i = std::min(text.find('\n', i), text.size());
        if (i >= text.size()) return;
        if (c == '"') {
            i = std::min(text.find('"', i + 1), text.size());
            continue;
        }
        if (c == ')' || c == ']' || c == '}') --depth;
        if (depth == 0) f(i);
        if (c == '(' || c == '[' || c == '{') ++depth;
    }
}

struct Cut {
    std::size_t end = 0, next = 0;  ///< of what stands before a separator, and behind it
};
std::vector<Cut> separators_in(std::string_view text) {
    std::vector<Cut> out;
    each_on_top(text, [&](std::size_t i) {
        if (text[i] == ',' || text[i] == ';') out.push_back({i, i + 1});
        if (is_word_at(text, i, "and")) out.push_back({i, i + 3});
    });
    out.push_back({text.size(), text.size()});
    return out;
}

/// What stands between two separators.
struct Segment {
    std::string_view left;  ///< of its =, "" where it has none
    bool says_for = false;
};
Segment segment_of(std::string_view text) {
    Segment out;
    bool found = false;
    each_on_top(text, [&](std::size_t i) {
        out.says_for = out.says_for || is_word_at(text, i, "for") || text.substr(i).starts_with("∀");
        if (found || !is_equals(text, i)) return;
        found = true;
        out.left = trimmed(text.substr(0, i));
    });
    return out;
}

/// Without the (3) that ends it, where that is its number. Errors: ProofError where it may be a factor, behind one blank.
std::string_view without_number(const Source& source, std::size_t begin, std::string_view text, const Names& names) {
    const std::string_view all = trimmed(text);
    const std::size_t open = all.rfind('(');
    if (!all.ends_with(')') || open == std::string_view::npos || open < 2) return text;
    const std::string_view inside = all.substr(open + 1, all.size() - open - 2);
    const std::size_t digits = std::min(inside.find_first_not_of("0123456789."), inside.size());
    const bool is_number =
        digits > 0 && (digits == inside.size() || (digits + 1 == inside.size() && inside.back() >= 'a' && inside.back() <= 'z'));
    const std::string_view before = trimmed(all.substr(0, open));
    if (!is_number || before.size() == open || before.empty()) return text;
    constexpr auto kGoesOn =
        std::to_array<std::string_view>({"+", "-", "−", "*", "/", "@", "=", "⊙", "·", "×", "∘", "√", "^", "<", ">", "≈", "("});
    if (std::ranges::any_of(kGoesOn, [&](std::string_view op) { return before.ends_with(op); })) return text;
    const std::vector<std::string> words = identifiers_in(before);
    const bool calls = !words.empty() && before.ends_with(words.back()) && names.is_function(words.back());
    if (calls) return text;
    if (digits == inside.size() && before.size() + 1 == open && all[before.size()] == ' ')
        throw ProofError(
            source, begin + static_cast<std::size_t>(all.data() - text.data()) + open,
            fmt::format("({0}) may be a factor or the number of the line: write · {0}, or two blanks before its number", inside));
    return before;
}

}  // namespace

std::vector<Span> equations_in(const Source& source, Span statement, const Names& names) {
    const std::string_view text = source.slice(statement);
    std::vector<Span> out;
    std::size_t begin = 0;
    const auto take = [&](std::size_t end, std::size_t next) {
        const std::string_view piece =
            trimmed(without_number(source, statement.begin + begin, text.substr(begin, end - begin), names));
        begin = next;
        if (piece.empty()) return;
        const auto at = static_cast<std::size_t>(piece.data() - text.data());
        out.push_back({statement.begin + at, statement.begin + at + piece.size()});
    };
    const std::vector<Cut> cuts = separators_in(text);
    const Segment here = segment_of(text.substr(0, cuts[0].end));
    bool has_equals = !here.left.empty(), behind_for = here.says_for;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
        const Segment next = segment_of(text.substr(cuts[k].next, cuts[k + 1].end - cuts[k].next));
        const bool index = behind_for && next.left.size() == 1 && !names.defined(next.left);  // of for i = 1, j = 2
        if (has_equals && !next.left.empty() && !index) {
            take(cuts[k].end, cuts[k].next);
            behind_for = false;
        }
        has_equals = has_equals || !next.left.empty();
        behind_for = behind_for || next.says_for;
    }
    take(text.size(), text.size());
    return out.empty() ? std::vector<Span>{statement} : out;
}

}  // namespace gradproof::proof
