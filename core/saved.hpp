// The fields of a page's Saved, by name. If Saved has no `fields` of its own, OpInfo::saves names its fields in their order.
//
//   template <Scalar T>
//   struct Saved {
//       Tensor<T> x, w;         // .saves = "x w"
//   };
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

namespace gradproof::detail {

/// Stands for a value of any type, to count with.
struct AnyValue {
    template <class T>
    operator T() const;
};
/// How many fields an aggregate has.
template <class S, class... Values>
consteval int field_count() {
    if constexpr (requires { S{Values{}..., AnyValue{}}; })
        return field_count<S, Values..., AnyValue>();
    else
        return static_cast<int>(sizeof...(Values));
}

consteval int word_count(std::string_view text) {
    int n = 0;
    for (std::size_t i = 0; i < text.size(); ++i) n += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    return n;
}
/// The first of the names in a list separated by spaces; the list is what follows it.
constexpr std::string_view next_word(std::string_view& list) {
    const std::size_t end = std::min(list.find(' '), list.size());
    const std::string_view word = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    return word;
}

/// Calls visit(name, field) for every field of what a page saves.
template <class Op, class S, class Visit>
void saved_fields(S& saved, const Visit& visit) {
    using Plain = std::remove_cv_t<S>;
    if constexpr (requires { Plain::fields(saved, visit); }) {
        Plain::fields(saved, visit);
    } else if constexpr (!std::is_empty_v<Plain>) {
        constexpr int n = field_count<Plain>();
        static_assert(n == word_count(Op::info.saves), "op page: Saved and OpInfo::saves differ in the number of fields");
        static_assert(n <= 10, "op page: Saved has more than 10 fields: give it `static void fields(auto& s, auto&& f)`");
        std::string_view names = Op::info.saves;
        const auto each = [&](auto&... field) { (visit(next_word(names), field), ...); };
        auto& s = saved;
        // clang-format off
        if constexpr (n == 1) { auto& [a] = s; each(a); }
        if constexpr (n == 2) { auto& [a, b] = s; each(a, b); }
        if constexpr (n == 3) { auto& [a, b, c] = s; each(a, b, c); }
        if constexpr (n == 4) { auto& [a, b, c, d] = s; each(a, b, c, d); }
        if constexpr (n == 5) { auto& [a, b, c, d, e] = s; each(a, b, c, d, e); }
        if constexpr (n == 6) { auto& [a, b, c, d, e, f] = s; each(a, b, c, d, e, f); }
        if constexpr (n == 7) { auto& [a, b, c, d, e, f, g] = s; each(a, b, c, d, e, f, g); }
        if constexpr (n == 8) { auto& [a, b, c, d, e, f, g, h] = s; each(a, b, c, d, e, f, g, h); }
        if constexpr (n == 9) { auto& [a, b, c, d, e, f, g, h, i] = s; each(a, b, c, d, e, f, g, h, i); }
        if constexpr (n == 10) { auto& [a, b, c, d, e, f, g, h, i, j] = s; each(a, b, c, d, e, f, g, h, i, j); }
        // clang-format on
    }
}

}  // namespace gradproof::detail
