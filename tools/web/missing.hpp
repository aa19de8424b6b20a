// What the library uses of the C++20 library that emscripten 3.1.6 has not: algorithms of std::ranges, an array left unfilled.
// Included before all else.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <version>

#if !defined(__cpp_lib_smart_ptr_for_overwrite)
namespace std {
template <class Array>
unique_ptr<Array> make_unique_for_overwrite(size_t size) {
    return unique_ptr<Array>(new remove_extent_t<Array>[size]);
}
}  // namespace std
#endif

#if !defined(__cpp_lib_ranges)
namespace std::ranges {

/// What a projection may be: nothing, a member or a function.
struct AsIs {
    template <class T>
    constexpr T&& operator()(T&& x) const {
        return std::forward<T>(x);
    }
};

// Each is the algorithm of the same name over a whole range. What a projection gives is what the first ones ask about.
#define GRADPROOF_OVER_RANGE_IF(name)                                                          \
    template <class Range, class Predicate, class Projection = AsIs>                           \
    constexpr auto name(Range&& range, Predicate is, Projection of = {}) {                     \
        return std::name(std::begin(range), std::end(range),                                   \
                         [&](auto&& x) { return bool(std::invoke(is, std::invoke(of, x))); }); \
    }
GRADPROOF_OVER_RANGE_IF(find_if)
GRADPROOF_OVER_RANGE_IF(any_of)
GRADPROOF_OVER_RANGE_IF(all_of)
GRADPROOF_OVER_RANGE_IF(none_of)
GRADPROOF_OVER_RANGE_IF(count_if)
#undef GRADPROOF_OVER_RANGE_IF
#define GRADPROOF_OVER_RANGE(name)                                                         \
    template <class Range, class... Rest>                                                  \
    constexpr auto name(Range&& range, Rest&&... rest) {                                   \
        return std::name(std::begin(range), std::end(range), std::forward<Rest>(rest)...); \
    }
GRADPROOF_OVER_RANGE(count)
GRADPROOF_OVER_RANGE(replace)
GRADPROOF_OVER_RANGE(replace_if)
GRADPROOF_OVER_RANGE(reverse)
GRADPROOF_OVER_RANGE(min_element)
GRADPROOF_OVER_RANGE(is_sorted)
GRADPROOF_OVER_RANGE(copy)
GRADPROOF_OVER_RANGE(copy_if)
GRADPROOF_OVER_RANGE(for_each)
GRADPROOF_OVER_RANGE(minmax_element)
#undef GRADPROOF_OVER_RANGE

template <class A, class B, class Out>
constexpr Out set_intersection(const A& a, const B& b, Out out) {
    return std::set_intersection(std::begin(a), std::end(a), std::begin(b), std::end(b), out);
}
template <class Range, class T, class Projection = AsIs>
constexpr auto find(Range&& range, const T& value, Projection of = {}) {
    return std::find_if(std::begin(range), std::end(range), [&](auto&& x) { return std::invoke(of, x) == value; });
}

template <class Less, class Projection>
constexpr auto less_of(Less& less, Projection& of) {
    return [&](auto&& a, auto&& b) { return std::invoke(less, std::invoke(of, a), std::invoke(of, b)); };
}
template <class Range, class Less = std::less<>, class Projection = AsIs>
constexpr void sort(Range&& range, Less less = {}, Projection of = {}) {
    std::sort(std::begin(range), std::end(range), less_of(less, of));
}
template <class Range, class Less = std::less<>, class Projection = AsIs>
void stable_sort(Range&& range, Less less = {}, Projection of = {}) {
    std::stable_sort(std::begin(range), std::end(range), less_of(less, of));
}
template <class Range, class T, class Less = std::less<>, class Projection = AsIs>
constexpr auto lower_bound(Range&& range, const T& value, Less less = {}, Projection of = {}) {
    return std::lower_bound(std::begin(range), std::end(range), value,
                            [&](auto&& x, const T& v) { return std::invoke(less, std::invoke(of, x), v); });
}
template <class A, class B, class Equal = std::equal_to<>, class OfA = AsIs, class OfB = AsIs>
constexpr bool equal(const A& a, const B& b, Equal same = {}, OfA of_a = {}, OfB of_b = {}) {
    return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b),
                      [&](auto&& x, auto&& y) { return std::invoke(same, std::invoke(of_a, x), std::invoke(of_b, y)); });
}

struct FoundPermutation {
    bool found;
};
template <class Range>
constexpr FoundPermutation next_permutation(Range&& range) {
    return {std::next_permutation(std::begin(range), std::end(range))};
}

}  // namespace std::ranges
#endif
