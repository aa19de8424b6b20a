// std::from_chars, of doubles also where the standard library only reads integers (libc++ 14).
//
//   double x = 0;
//   const auto [end, error] = from_chars(text.data(), text.data() + text.size(), x);
#pragma once

#include <charconv>

#if !defined(__cpp_lib_to_chars)
#include <algorithm>
#include <cmath>
#include <concepts>

#include <fast_float/fast_float.h>
#endif

namespace gradproof {

#if defined(__cpp_lib_to_chars)
using std::from_chars;
#else
std::from_chars_result from_chars(const char* first, const char* last, std::integral auto& value) {
    return std::from_chars(first, last, value);
}
/// fast_float reads 1e999 as infinity and 1e-999 as 0, where the standard has an error and leaves `value` as it was.
inline std::from_chars_result from_chars(const char* first, const char* last, double& value) {
    double read = 0;
    const auto [end, error] = fast_float::from_chars(first, last, read);
    if (error != std::errc()) return {end, error};
    const char* exponent = std::find_if(first, end, [](char c) { return c == 'e' || c == 'E'; });
    if ((std::isinf(read) || read == 0) && std::any_of(first, exponent, [](char c) { return c >= '1' && c <= '9'; }))
        return {end, std::errc::result_out_of_range};
    value = read;
    return {end, error};
}
#endif

}  // namespace gradproof
