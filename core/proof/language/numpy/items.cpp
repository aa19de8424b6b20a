// Tuples and lists that are returned.
#include "gradproof/core/proof/language/numpy/items.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "gradproof/core/proof/language/characters.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr int kMost = 256;  // pieces, also of t = (t, t)

class Items {
  public:
    Items(const Source& source, Span before) : source_(source), before_(before) {}

    std::vector<Span> of(Span s) {
        if (++seen_ > kMost) return {s};
        const std::vector<Span> parts = parts_of(s);
        if (parts.size() > 1) return all_of(parts);
        if (const Span same = without_copy(s); same.end - same.begin < s.end - s.begin) return of(same);
        return of_name(s);
    }

  private:
    std::vector<Span> all_of(const std::vector<Span>& parts) {
        std::vector<Span> out;
        for (const Span part : parts) std::ranges::copy(of(part), std::back_inserter(out));
        return out;
    }
    /// a, c of (a, c) and [a, c], "w": a, "b": c of {"w": a, "b": c}, and w=a, b=c of dict(w=a, b=c).
    std::vector<Span> parts_of(Span s) const {
        const std::size_t open = source_.slice(s).starts_with("dict(") ? s.begin + 4 : s.begin;
        const bool named = open > s.begin || source_.slice(s).starts_with('{');
        if (!named || closer_of(source_, open, s.end) + 1 != s.end) return split_at_commas(source_, without_brackets(source_, s));
        return split_at_commas(source_, {open + 1, s.end - 1});
    }
    /// a of (a), np.array(a), tuple(a) and a.copy().
    Span without_copy(Span s) const {
        constexpr auto kCalls =
            std::to_array<std::string_view>({"(", "array(", "asarray(", "copy(", "tuple(", "list(", "tensor("});
        constexpr auto kMethods =
            std::to_array<std::string_view>({".copy()", ".clone()", ".detach()", ".contiguous()", ".numpy()"});
        const std::string_view text = source_.slice(s);
        for (const std::string_view method : kMethods)
            if (text.size() > method.size() && text.ends_with(method)) return {s.begin, s.end - method.size()};
        const std::size_t open = text.find('(');
        if (open == text.npos || closer_of(source_, s.begin + open, s.end) + 1 != s.end) return s;
        const std::string_view function = text.substr(0, open + 1);
        const std::size_t dot = function.rfind('.');
        const std::string_view last = dot == function.npos ? function : function.substr(dot + 1);
        const std::vector<Span> given = split_at_commas(source_, {s.begin + open + 1, s.end - 1});
        return !given.empty() && std::ranges::find(kCalls, last) != kCalls.end() ? given[0] : s;
    }
    /// Of a name and of name[2], if it is a tuple or a list with these pieces.
    std::vector<Span> of_name(Span s) {
        const std::string_view text = source_.slice(s);
        const std::string_view name = text.substr(0, identifier_length(text));
        const std::vector<Span> pieces = name.empty() ? std::vector<Span>{} : pieces_of(name);
        if (pieces.size() < 2) return {s};
        if (name.size() == text.size()) return all_of(pieces);
        std::size_t place = pieces.size();
        const char* const end = text.data() + text.size() - 1;
        const bool indexed = text[name.size()] == '[' && text.back() == ']';
        if (indexed && std::from_chars(text.data() + name.size() + 1, end, place).ptr == end && place < pieces.size())
            return of(pieces[place]);
        return {s};
    }
    std::vector<Span> pieces_of(std::string_view name) const {
        std::vector<Span> out;
        for (const Span s : statements_in(source_, before_)) {
            const std::string_view text = source_.slice(s);
            if (!text.starts_with(name)) continue;
            const std::string_view behind = text.substr(name.size());
            if (constexpr std::string_view kAppend = ".append("; behind.starts_with(kAppend)) {
                out.push_back(trimmed(source_, {s.begin + name.size() + kAppend.size(), s.end - 1}));
                continue;
            }
            const auto [at, size] = assignment_in(source_, s);
            if (size == 1 && trimmed(source_, {s.begin, at}).end == s.begin + name.size())
                out = parts_of(trimmed(source_, {at + size, s.end}));
            if (out.size() == 1) out.clear();  // [] and what is no tuple
        }
        return out;
    }

    const Source& source_;
    const Span before_;
    int seen_ = 0;
};

}  // namespace

std::vector<Span> items_of(const Source& source, Span before, Span given) { return Items(source, before).of(given); }

}  // namespace gradproof::proof::numpy
